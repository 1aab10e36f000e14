//! Branches, loops, parameter swaps, and register pressure.

use anywarp_codegen::{CompileError, Target, compile};
use anywarp_lanes::evaluate::{Memory, WorkgroupInputs};
use anywarp_lanes::ir::{CallOutcome, Function, LaneBinary, Op, Terminator, Type, WordBinary};
use anywarp_lanes::text::parse;

use crate::kernel::Kernel;
use crate::run::{Equal, agree, run_code, targets};

fn function(target: Target, text: &str) -> Function {
    let header = format!("kernel lanes={} frame=0 barriers=0\n", target.lanes());
    parse(&(header + text)).unwrap()
}

fn memory(words: usize) -> Memory {
    Memory {
        buffers: vec![
            (0..words as u32).map(|word| word * 3 + 1).collect(),
            vec![0; words],
        ],
        ..Memory::default()
    }
}

#[test]
fn a_loop_whose_parameters_change_places() {
    for target in targets() {
        let text = "b0:
            v0 = base buffer 0
            v1 = base buffer 1
            v2 = word 0
            v3 = loadrow +0 v0, v2
            v4 = loadrow +16 v0, v2
            v5 = word 7
            jump b1(v2, v3, v4)
          b1(v6: word, v7: lanes, v8: lanes):
            poll
            v9 = vaddu v7, v8
            v10 = word 1
            v11 = add v6, v10
            v12 = ltu v11, v5
            branch v12, b1(v11, v8, v9), b2(v8, v7)
          b2(v13: lanes, v14: lanes):
            storerow +0 v1, v2, v13
            storerow +16 v1, v2, v14
            return finished";
        let text = text.replace("vaddu", "vadd");
        agree(
            &function(target, &text),
            target,
            &memory(64),
            1,
            Equal::Bits,
        );
    }
}

#[test]
fn branches_by_words_comparisons_and_masks() {
    for target in targets() {
        for (condition, value) in [
            ("v5", "0"),
            ("v5", "1"),
            ("v6", "3"),
            ("v6", "9"),
            ("v7", "0"),
            ("v7", "4"),
            ("v8", "0"),
            ("v8", "4"),
        ] {
            let text = format!(
                "b0:
                v0 = base buffer 1
                v1 = word 0
                v2 = base buffer 0
                v3 = loadword +0 v2
                v4 = word 5
                v9 = sub v3, v4
                v5 = and v9, v3
                v6 = ltu v3, v4
                v7 = fromballot v3
                v8 = any v7
                branch {condition}, b1, b2
              b1:
                v10 = splat 11
                jump b3(v10)
              b2:
                v11 = splat 22
                jump b3(v11)
              b3(v12: lanes):
                storerow +0 v0, v1, v12
                return finished"
            );
            let mut memory = memory(64);
            memory.buffers[0][0] = value.parse().unwrap();
            agree(&function(target, &text), target, &memory, 1, Equal::Bits);
        }
    }
}

/// A loop header that is an empty block, and empty exit blocks.
#[test]
fn blocks_that_only_go_on() {
    for target in targets() {
        let text = "b0:
            v0 = base buffer 0
            v1 = word 0
            jump b1(v1)
          b1(v2: word):
            jump b2(v2)
          b2(v3: word):
            v4 = word 1
            v5 = add v3, v4
            v6 = word 5
            v7 = ltu v5, v6
            branch v7, b4, b3
          b3:
            jump b5
          b4:
            v8 = word 3
            v9 = eq v5, v8
            branch v9, b6, b7
          b5:
            v10 = broadcast v5
            storerow +0 v0, v1, v10
            return finished
          b6:
            jump b7
          b7:
            jump b1(v5)";
        agree(&function(target, text), target, &memory(64), 1, Equal::Bits);
    }
}

/// The same, with another edge between the block and its target.
#[test]
fn a_loop_that_is_entered_in_two_places() {
    for target in targets() {
        for value in [0, 1] {
            let text = "b0:
                v0 = base buffer 0
                v1 = loadword +0 v0
                v2 = word 7
                v3 = loadword +1 v0
                v4 = add v3, v2
                branch v1, b1(v3), b2(v4)
              b1(v5: word):
                jump b2(v5)
              b2(v6: word):
                v7 = word 1
                v8 = add v6, v7
                v9 = word 30
                v10 = ltu v8, v9
                branch v10, b1(v8), b3
              b3:
                v11 = broadcast v8
                v12 = word 0
                storerow +0 v0, v12, v11
                v13 = broadcast v4
                storerow +16 v0, v12, v13
                return finished";
            let mut memory = memory(64);
            memory.buffers[0][0] = value;
            agree(&function(target, text), target, &memory, 1, Equal::Bits);
        }
    }
}

/// Both edges of a branch go to the same block, with different arguments.
#[test]
fn both_ways_to_one_block() {
    for target in targets() {
        for value in [0, 1] {
            let text = "b0:
                v0 = base buffer 0
                v1 = word 0
                v2 = loadword +0 v0
                v3 = word 5
                branch v2, b1(v3), b1(v2)
              b1(v4: word):
                v5 = broadcast v4
                storerow +0 v0, v1, v5
                return finished";
            let mut memory = memory(64);
            memory.buffers[0][0] = value;
            agree(&function(target, text), target, &memory, 1, Equal::Bits);
        }
    }
}

#[test]
fn a_cancelled_run_ends() {
    for target in targets() {
        let text = "b0:
            jump b1
          b1:
            poll
            jump b1";
        let code = compile(&function(target, text), target).unwrap();
        let run = WorkgroupInputs {
            is_cancelled: true,
            ..WorkgroupInputs::default()
        };
        assert_eq!(
            run_code(&code, &[], &run, &mut memory(1), 1),
            CallOutcome::CANCELLED
        );
    }
}

/// More vectors, words and masks live at once than there are registers, around a loop.
#[test]
fn values_go_to_the_stack() {
    for target in targets() {
        // With the larger number the stack has several pages.
        for count in [60, 400] {
            agree(&crowded(target, count), target, &memory(64), 1, Equal::Bits);
        }
    }
    // Wider vectors reach the limit with fewer values.
    if let Some(target) = targets().first() {
        let count = 132 * 1024 / (4 * target.lanes());
        let error = compile(&crowded(*target, count), *target).unwrap_err();
        assert!(matches!(error, CompileError::Stack { .. }), "{error}");
    }
}

/// A function with this many values live around a loop.
fn crowded(target: Target, count: u32) -> Function {
    let mut kernel = Kernel::new(target.lanes());
    let first = kernel.word(0);
    let rows: Vec<_> = (0..count)
        .map(|number| {
            let row = kernel.row(0, first, true);
            let constant = kernel.splat(number.wrapping_mul(0x0101_0101));
            kernel.put(
                Op::Binary(LaneBinary::Int(WordBinary::Mul)),
                &[row, constant],
                Type::Lanes,
            )
        })
        .collect();
    let words: Vec<_> = (0..40)
        .map(|number| kernel.put(Op::Extract(number as u8 % 8), &[rows[number]], Type::Word))
        .collect();
    let masks: Vec<_> = (0..20)
        .map(|number| kernel.put(Op::FromBallot, &[words[number]], Type::Mask))
        .collect();
    let [again, done] = [kernel.function.add_block(), kernel.function.add_block()];
    let start = kernel.splat(0);
    let jump = |block, arguments: &[_]| anywarp_lanes::ir::Edge {
        block,
        arguments: arguments.to_vec(),
    };
    kernel.end(Terminator::Jump(jump(again, &[first, start])), again);
    let count = kernel.function.add_parameter(again, Type::Word);
    let mut sum = kernel.function.add_parameter(again, Type::Lanes);
    for (index, row) in rows.iter().enumerate() {
        let word = kernel.put(Op::Broadcast, &[words[index % 40]], Type::Lanes);
        let operands = [sum, *row, word, masks[index % 20]];
        sum = kernel.put(
            Op::Masked(LaneBinary::Int(WordBinary::Add)),
            &operands,
            Type::Lanes,
        );
        sum = kernel.put(
            Op::Binary(LaneBinary::Int(WordBinary::Xor)),
            &[sum, *row],
            Type::Lanes,
        );
    }
    let one = kernel.word(1);
    let next = kernel.binary(WordBinary::Add, count, one);
    let five = kernel.word(5);
    let more = kernel.binary(WordBinary::Xor, next, five);
    kernel.end(
        Terminator::Branch(more, jump(again, &[next, sum]), jump(done, &[])),
        done,
    );
    kernel.store(1, first, sum);
    kernel.finish()
}

#[test]
fn what_cannot_be_compiled_is_named() {
    for target in targets() {
        let mut wrong = Function::new(24 - target.lanes());
        let error = compile(&wrong, target).unwrap_err();
        assert!(matches!(error, CompileError::Lanes { .. }), "{error}");
        wrong = Function::new(target.lanes());
        let next = wrong.add_block();
        wrong.block_mut(Function::ENTRY).terminator = Terminator::Suspend(1, next);
        let error = compile(&wrong, target).unwrap_err().to_string();
        assert_eq!(
            error,
            "internal error of the code generator: a barrier is not split"
        );
    }
}

/// No mapping of the process (`/proc/self/maps`) is both writable and executable.
#[test]
fn code_is_never_writable() {
    let codes: Vec<_> = targets()
        .into_iter()
        .map(|target| compile(&Function::new(target.lanes()), target).unwrap())
        .collect();
    let Ok(maps) = std::fs::read_to_string("/proc/self/maps") else {
        return;
    };
    let rights = maps.lines().filter_map(|line| line.split(' ').nth(1));
    let executable: Vec<_> = rights.filter(|line| line.contains('x')).collect();
    assert!(executable.len() >= codes.len());
    assert!(executable.iter().all(|line| !line.contains('w')), "{maps}");
}
