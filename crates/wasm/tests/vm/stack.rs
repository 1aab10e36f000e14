//! The native stack does not grow while a program runs: handlers end in tail calls.
//!
//! Every instruction and every host function runs 200,000 times on a stack of 256 KiB: a handler
//! that left two bytes behind would overflow it.

use anywarp_wasm::bytecode::{Bytecode, Format, Host, Op};
use anywarp_wasm::runtime::{Launch, MemoryMode, Resources, ThreadEnd};
use anywarp_wasm::vm;

use super::builder::Builder;
use super::grid::launch;

const ROUNDS: u32 = 200_000;
const STACK: usize = 256 << 10;

/// Destination of results.
const TO: u8 = 0;
/// Operands with the value 1.
const X: u8 = 4;
const Y: u8 = 8;
/// Operands of bulk instructions and host functions.
const BULK: u8 = 12;
const COUNTER: u8 = 20;
/// The low byte of a far slot's index.
const FAR: u8 = 44;
const FRAME: u32 = 600;

/// Instructions that end the thread, or are covered elsewhere.
fn is_apart(op: Op) -> bool {
    matches!(op, Op::End | Op::Unreachable | Op::Return | Op::Host)
}

/// A program that repeats its body.
fn program(body: impl FnOnce(&mut Builder)) -> Bytecode {
    let mut b = Builder::new();
    b.memory(1, Some(1)).memory(1, Some(1));
    b.program.tables = vec![b.program.memories[0]];
    b.program.tables[0].initial = 4;
    b.program.globals = 1 << 10;
    b.program.stack_pointer = Some(2);
    b.program.statics = [0, 64];
    b.program.data = vec![vec![1; 16]];
    b.program.elements = vec![vec![1; 16]];
    b.function(&[], &[], 8);
    b.ret();
    let main = b.function(&[], &[], FRAME);
    b.export("main", main);
    for slot in X..BULK {
        b.constant(slot, 1);
    }
    // Every element is an empty function.
    b.constant(BULK, 0)
        .constant(BULK + 1, 1)
        .constant(BULK + 2, 4);
    b.with(Op::TableFill, [BULK, BULK + 1, BULK + 2], 0);
    b.constant(COUNTER, ROUNDS);
    let again = b.label();
    b.place(again);
    body(&mut b);
    b.with(Op::I32AddConst, [COUNTER, COUNTER, 0], u32::MAX);
    b.jump(Op::BrIf, [COUNTER, 0, 0], again);
    b.ret();
    b.finish()
}

/// An instruction with operands that do not trap.
fn instruction(b: &mut Builder, op: Op) {
    let next = b.label();
    match op.format() {
        Format::None | Format::Segment => b.op(op, [0; 3]),
        Format::D | Format::X => b.op(op, [TO, 0, 0]),
        Format::Dx | Format::Dxy => b.op(op, [TO, X, Y]),
        Format::Dxyz => b.with(op, [TO, X, Y], X.into()),
        Format::Dxi => b.with(op, [TO, X, 0], 3),
        Format::Di => b.with(op, [TO, 0, 0], 3),
        Format::Dii => b.with(op, [TO, 0, 0], 3).word(3),
        Format::Dn if matches!(op, Op::MemorySize | Op::TableSize) => b.op(op, [TO, 0, 0]),
        Format::Dn | Format::Xn => b.op(op, [TO, FAR, 1]),
        Format::Xy => b.op(op, [TO, X, 0]),
        Format::T | Format::Xt | Format::Xyt => b.jump(op, [X, Y, 0], next),
        Format::Xit => b.with(op, [X, 0, 0], 1).to(next),
        Format::Table => b.with(op, [X, 0, 0], 1).to(next).to(next),
        Format::Load => b.with(op, [TO, X, 0], 2).with(op, [TO, X, 1], 3),
        Format::Store => b.with(op, [X, Y, 0], 2).with(op, [X, Y, 1], 3),
        Format::Call => b.call(0, 64),
        Format::CallIndirect => b.with(op, [64, 0, 0], 0).word(X.into()),
        Format::Bulk => {
            let slots = [BULK, BULK + 1, BULK + 2];
            b.constant(BULK, 1)
                .constant(BULK + 1, 1)
                .constant(BULK + 2, 2);
            b.with(op, slots, 0)
        }
        // Grows by zero pages.
        Format::DxyTo if op == Op::TableGet => b.with(op, [TO, X, 0], 0),
        Format::DxyTo => b.constant(BULK, 0).with(op, [TO, BULK, BULK], 0),
        Format::XyTo => b.with(op, [X, Y, 0], 0),
        Format::Host => unreachable!("a function, not an instruction"),
    };
    b.place(next);
}

/// The outcome of a program on a small native stack.
fn ends(program: &Bytecode, memory: MemoryMode) -> Vec<ThreadEnd> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .stack_size(STACK)
        .build();
    let launch = Launch {
        memory,
        ..launch(1, 1)
    };
    let run = || vm::run(program, &launch, &mut Resources::default());
    pool.expect("a thread")
        .install(run)
        .expect("a launch")
        .threads
}

const MEMORIES: [MemoryMode; 2] = [MemoryMode::Private, MemoryMode::Shared { stack: 16 }];

#[test]
fn every_instruction_runs_for_long_on_a_small_stack() {
    for memory in MEMORIES {
        for &op in Op::ALL.iter().filter(|&&op| !is_apart(op)) {
            let program = program(|b| instruction(b, op));
            let ends = ends(&program, memory);
            assert_eq!(
                ends,
                [ThreadEnd::Done(Vec::new())],
                "{} {memory:?}",
                op.name()
            );
        }
    }
}

#[test]
fn every_host_function_runs_for_long_on_a_small_stack() {
    for memory in MEMORIES {
        for &host in Host::ALL.iter().filter(|&&host| host != Host::Panic) {
            let program = program(|b| {
                for slot in BULK..BULK + 4 {
                    b.constant(slot, 0);
                }
                b.host(host, BULK);
            });
            let ends = ends(&program, memory);
            assert_eq!(ends, [ThreadEnd::Done(Vec::new())], "{host:?} {memory:?}");
        }
    }
}

#[test]
fn all_instructions_together_run_for_long_on_a_small_stack() {
    for memory in MEMORIES {
        let program = program(|b| {
            for &op in Op::ALL.iter().filter(|&&op| !is_apart(op)) {
                // A dropped segment is empty the next time.
                if !matches!(op, Op::DataDrop | Op::ElemDrop) {
                    instruction(b, op);
                }
            }
        });
        assert_eq!(
            ends(&program, memory),
            [ThreadEnd::Done(Vec::new())],
            "{memory:?}"
        );
    }
}
