//! Shared memory: one memory for all threads.

use anywarp_wasm::bytecode::{Op, Type};
use anywarp_wasm::runtime::{Launch, MemoryMode, Resources, ThreadEnd, Value};
use anywarp_wasm::vm;

use super::builder::Builder;
use super::grid::launch;

const STACK: u32 = 256;

fn shared(workgroups: u32, size: u32) -> Launch {
    Launch {
        memory: MemoryMode::Shared { stack: STACK },
        ..launch(workgroups, size)
    }
}

/// A program with an `init` function that writes 1000 to the start of memory and to global 1;
/// global 0 is the stack pointer.
fn program(body: impl FnOnce(&mut Builder)) -> Builder {
    let mut b = Builder::new();
    b.memory(1, Some(2));
    b.program.globals = 2;
    b.program.stack_pointer = Some(0);
    let init = b.function(&[], &[], 8);
    b.constant(0, 1000).op(Op::GlobalSet, [0, 1, 0]);
    b.constant(1, 0).with(Op::I32Load, [2, 1, 0], 0);
    b.op(Op::I32Add, [0, 0, 2])
        .with(Op::Store32, [1, 0, 0], 0)
        .ret();
    b.program.inits = vec![init];
    let main = b.function(&[], &[Type::I32], 32);
    b.export("main", main);
    body(&mut b);
    b.ret();
    b
}

#[test]
fn it_is_set_up_once_and_globals_are_each_threads_own() {
    let b = program(|b| {
        // Each thread increments its own copy of the global.
        b.op(Op::GlobalGet, [0, 1, 0])
            .with(Op::I32AddConst, [0, 0, 0], 1);
        b.op(Op::GlobalSet, [0, 1, 0]);
        b.constant(1, 0).with(Op::I32Load, [2, 1, 0], 0);
        b.op(Op::I32Add, [0, 0, 2]);
    });
    let outcome = vm::run(&b.finish(), &shared(10, 3), &mut Resources::default()).unwrap();
    assert_eq!(
        outcome.threads,
        vec![ThreadEnd::Done(vec![Value::i32(2001)]); 30]
    );
}

#[test]
fn stacks_do_not_touch_and_bytes_are_not_lost() {
    // Each thread fills its stack with its index, and sets one byte of an array that all write.
    let program = program(|b| {
        let [fill, check, bad] = [b.label(), b.label(), b.label()];
        b.op(Op::Gid, [1, 0, 0]).op(Op::GlobalGet, [2, 0, 0]);
        b.with(Op::I32AddConst, [3, 2, 0], STACK.wrapping_neg())
            .op(Op::Move, [4, 3, 0]);
        b.place(fill).with(Op::Store32, [4, 1, 0], 0);
        b.with(Op::Store8, [1, 1, 0], 0x101)
            .with(Op::I32AddConst, [4, 4, 0], 4);
        b.jump(Op::BrI32LtU, [4, 2, 0], fill);
        b.place(check)
            .with(Op::I32Load, [5, 3, 0], 0)
            .jump(Op::BrI32Ne, [5, 1, 0], bad);
        b.with(Op::I32AddConst, [3, 3, 0], 4)
            .jump(Op::BrI32LtU, [3, 2, 0], check);
        b.with(Op::I32Load8U, [0, 1, 0], 0x101);
        b.op(Op::I32Eq, [0, 0, 1]).ret();
        b.place(bad).op(Op::Unreachable, [0; 3]);
    });
    let program = program.finish();
    for seed in 0..10 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1 + seed % 4);
        let run = || vm::run(&program, &shared(32, 8), &mut Resources::default());
        let outcome = pool.build().unwrap().install(run).unwrap();
        assert_eq!(
            outcome.threads,
            vec![ThreadEnd::Done(vec![Value::i32(1)]); 256]
        );
    }
}

#[test]
fn it_grows_for_all_threads_up_to_the_cap() {
    let b = program(|b| {
        b.constant(1, 1).with(Op::MemoryGrow, [0, 1, 0], 0);
    });
    // A page for the stacks, and one that one of the threads gets.
    let outcome = vm::run(&b.finish(), &shared(4, 2), &mut Resources::default()).unwrap();
    let grown = |end: &&ThreadEnd| **end != ThreadEnd::Done(vec![Value::i32(-1)]);
    assert_eq!(outcome.threads.iter().filter(grown).count(), 1);
}

#[test]
fn stacks_that_do_not_fit_are_refused() {
    let program = program(|_| {}).finish();
    let launch = Launch {
        max_pages: 4,
        ..shared(1000, 1)
    };
    let error = vm::run(&program, &launch, &mut Resources::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the stacks of 1000 threads with 256 bytes each, after 1 pages, need 5 pages: the launch \
         allows 4"
    );
    let launch = Launch {
        memory: MemoryMode::Shared { stack: 0 },
        ..shared(1, 1)
    };
    let error = vm::run(&program, &launch, &mut Resources::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "shared memory needs a stack of at least 1 byte for each thread"
    );
}
