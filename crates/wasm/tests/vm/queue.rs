//! The work queue: resident threads take and add items.

use anywarp_wasm::bytecode::{Host, Op};
use anywarp_wasm::runtime::{Launch, Resources};
use anywarp_wasm::vm;

use super::grid::{kernel, launch};

/// Takes items until there are none; each item `n` above 0 adds two of `n - 1`. State 0 counts
/// items, state 1 threads that ended.
fn resident() -> anywarp_wasm::bytecode::Bytecode {
    let b = kernel(|b| {
        let [top, leaf, end] = [b.label(), b.label(), b.label()];
        b.place(top).host(Host::QueuePop, 0);
        b.op(Op::BrI32LtSConst, [0, 0, 0]).word(0).to(end);
        b.constant(1, 0).constant(2, 1).op(Op::AtomicAdd, [3, 1, 2]);
        b.jump(Op::BrIfZero, [0, 0, 0], leaf);
        b.with(Op::I32AddConst, [4, 0, 0], u32::MAX)
            .host(Host::QueuePush, 4);
        b.with(Op::I32AddConst, [5, 0, 0], u32::MAX)
            .host(Host::QueuePush, 5);
        b.place(leaf).jump(Op::Jump, [0; 3], top);
        b.place(end)
            .constant(1, 1)
            .constant(2, 1)
            .op(Op::AtomicAdd, [3, 1, 2]);
    });
    b.finish()
}

#[test]
fn all_items_are_done_and_all_threads_end() {
    let program = resident();
    for seed in 0..40_u32 {
        let threads = 1 + seed as usize % 4;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let mut resources = Resources {
            state: vec![0; 2],
            queue: vec![6; 1 + seed as usize % 3],
            ..Resources::default()
        };
        let items = resources.queue.len() as u32 * 127;
        let launch = launch(1 + seed % 9, 1 + seed % 5);
        let all = launch.workgroups[0] * launch.workgroup_size[0];
        let run = || vm::run(&program, &launch, &mut resources);
        pool.build().unwrap().install(run).unwrap();
        assert_eq!(resources.state, [items, all], "seed {seed}");
        assert!(resources.queue.is_empty());
    }
}

#[test]
fn a_later_workgroup_can_feed_those_that_wait() {
    // Only the last thread adds items; all others wait for one each, on a single core.
    const THREADS: u32 = 50;
    let b = kernel(|b| {
        let [feed, top, end] = [b.label(), b.label(), b.label()];
        b.op(Op::Gid, [0, 0, 0])
            .op(Op::BrI32EqConst, [0, 0, 0])
            .word(THREADS - 1)
            .to(feed);
        b.host(Host::QueuePop, 1).constant(2, 0);
        b.op(Op::AtomicAdd, [3, 2, 1]).jump(Op::Jump, [0; 3], end);
        b.place(feed).constant(4, THREADS - 1);
        b.place(top).constant(5, 3).host(Host::QueuePush, 5);
        b.with(Op::I32AddConst, [4, 4, 0], u32::MAX)
            .jump(Op::BrIf, [4, 0, 0], top);
        b.place(end);
    });
    let program = b.finish();
    let mut resources = Resources {
        state: vec![0],
        ..Resources::default()
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    let run = || vm::run(&program, &launch(THREADS, 1), &mut resources);
    pool.build().unwrap().install(run).unwrap();
    assert_eq!(resources.state, [3 * (THREADS - 1)]);
}

#[test]
fn what_is_left_and_what_does_not_fit() {
    let b = kernel(|b| {
        b.host(Host::QueuePop, 0)
            .constant(1, u32::MAX)
            .host(Host::QueuePush, 1);
        b.constant(0, 0).host(Host::WriteState, 0);
    });
    let mut resources = Resources {
        state: vec![9],
        queue: vec![5, 6],
        ..Resources::default()
    };
    let launch = Launch { ..launch(1, 1) };
    vm::run(&b.finish(), &launch, &mut resources).unwrap();
    // A negative item is rejected.
    assert_eq!((resources.state, resources.queue), (vec![0], vec![6]));
}
