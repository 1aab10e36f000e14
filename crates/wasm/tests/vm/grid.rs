//! Launches: thread indices, resources, barriers, traps, errors.

use anywarp_wasm::bytecode::{Host, Op, TrapCode, Type};
use anywarp_wasm::runtime::{Launch, MemoryMode, Picture, Resources, ThreadEnd, Value};
use anywarp_wasm::vm;

use super::builder::Builder;

/// A launch of `main` over a one-dimensional grid.
pub(crate) fn launch(workgroups: u32, size: u32) -> Launch {
    Launch {
        kernel: "main".to_owned(),
        args: Vec::new(),
        workgroups: [workgroups, 1, 1],
        workgroup_size: [size, 1, 1],
        threads: None,
        memory: MemoryMode::Private,
        max_pages: 64,
        stack_slots: 1024,
        ..Launch::default()
    }
}

/// A kernel `main` without parameters and results.
pub(crate) fn kernel(body: impl FnOnce(&mut Builder)) -> Builder {
    let mut b = Builder::new();
    let main = b.function(&[], &[], 64);
    b.export("main", main);
    body(&mut b);
    b.ret();
    b
}

fn codes(threads: &[ThreadEnd]) -> Vec<Option<TrapCode>> {
    let code = |end: &ThreadEnd| match end {
        ThreadEnd::Done(_) => None,
        ThreadEnd::Trapped(trap) => Some(trap.code),
    };
    threads.iter().map(code).collect()
}

#[test]
fn threads_know_where_they_are() {
    // state[gid] = a weighted sum of all built-in indices.
    let b = kernel(|b| {
        b.op(Op::Gid, [0, 0, 0]).constant(1, 0);
        let builtins = [
            (Host::GlobalId, 1),
            (Host::LocalId, 100),
            (Host::WorkgroupId, 1000),
            (Host::NumWorkgroups, 10_000),
            (Host::WorkgroupSize, 100_000),
        ];
        for (host, weight) in builtins {
            for axis in 0..4 {
                b.constant(2, axis).host(host, 2);
                b.with(Op::I32MulConst, [2, 2, 0], weight * (axis + 1));
                b.op(Op::I32Add, [1, 1, 2]);
            }
        }
        b.host(Host::LocalIndex, 2)
            .with(Op::I32MulConst, [2, 2, 0], 1_000_000);
        b.op(Op::I32Add, [3, 1, 2]).op(Op::Move, [2, 0, 0]);
        b.host(Host::WriteState, 2);
    });
    let (groups, size) = ([3, 2, 2], [2, 3, 2]);
    let launch = Launch {
        workgroups: groups,
        workgroup_size: size,
        ..launch(1, 1)
    };
    let mut resources = Resources {
        state: vec![0; 144],
        ..Resources::default()
    };
    vm::run(&b.finish(), &launch, &mut resources).unwrap();
    for (number, &word) in resources.state.iter().enumerate() {
        let (x, y, z) = (number % 6, number / 6 % 6, number / 36);
        let mut sum = 0;
        for (axis, at) in [x, y, z].into_iter().enumerate() {
            let (size, groups) = (size[axis] as usize, groups[axis] as usize);
            let local = at % size * 100;
            let group = at / size * 1000 + groups * 10_000 + size * 100_000;
            sum += (at + local + group) * (axis + 1);
        }
        let local_index = (z % 2 * 3 + y % 3) * 2 + x % 2;
        assert_eq!(
            word as usize,
            sum + local_index * 1_000_000,
            "thread {number}"
        );
    }
}

#[test]
fn only_threads_below_the_count_run() {
    let b = kernel(|b| {
        b.constant(0, 0).constant(1, 1).op(Op::AtomicAdd, [2, 0, 1]);
    });
    let launch = Launch {
        threads: Some(10),
        ..launch(4, 4)
    };
    let mut resources = Resources {
        state: vec![0],
        ..Resources::default()
    };
    let outcome = vm::run(&b.finish(), &launch, &mut resources).unwrap();
    assert_eq!((outcome.threads.len(), resources.state[0]), (10, 10));
}

#[test]
fn results_and_arguments() {
    let mut b = Builder::new();
    let main = b.function(&[Type::I64, Type::F32], &[Type::F32, Type::I64], 16);
    b.export("main", main);
    b.op(Op::Gid, [6, 0, 0]).op(Op::I64ExtendI32U, [4, 6, 0]);
    b.op(Op::I64Add, [4, 4, 0]).op(Op::Move, [0, 2, 0]);
    b.op(Op::Move64, [1, 4, 0]).ret();
    let args = vec![Value::i64(1 << 40), Value::f32(2.5)];
    let launch = Launch {
        args,
        ..launch(1, 3)
    };
    let outcome = vm::run(&b.finish(), &launch, &mut Resources::default()).unwrap();
    let end = |n| ThreadEnd::Done(vec![Value::f32(2.5), Value::i64((1_i64 << 40) + n)]);
    assert_eq!(outcome.threads, [end(0), end(1), end(2)]);
}

#[test]
fn input_time_pictures_and_printing() {
    let mut b = kernel(|b| {
        b.op(Op::Gid, [0, 0, 0]).op(Op::Gid, [10, 0, 0]);
        b.constant(1, 0).host(Host::PixelIndex, 0);
        b.op(Op::Time, [2, 0, 0]).op(Op::LdIn, [3, 10, 0]);
        b.op(Op::F32ConvertI32U, [3, 3, 0])
            .constant(4, 0)
            .constant(5, 0x3f80_0000);
        b.op(Op::StOut, [0, 2, 0]);
        b.constant(0, 4)
            .constant(1, 2)
            .constant(2, u32::from_le_bytes(*b"hi!!"));
        b.with(Op::Store32, [0, 2, 0], 0).host(Host::Print, 0);
    });
    b.memory(1, None);
    let mut resources = Resources {
        clock: 1.5,
        input: vec![7, 8, 9],
        picture: Some(Picture {
            width: 4,
            height: 1,
            pixels: vec![[0.0; 4]; 4],
        }),
        ..Resources::default()
    };
    // Threads outside the picture are ignored.
    let outcome = vm::run(&b.finish(), &launch(3, 2), &mut resources).unwrap();
    let pixels = resources.picture.unwrap().pixels;
    let expected = [7.0, 8.0, 9.0, 0.0].map(|green| [1.5, green, 0.0, 1.0]);
    assert_eq!(pixels, expected);
    let mut printed = outcome.printed;
    printed.sort();
    let expected: Vec<_> = (0..6).map(|thread| (thread, "hi".to_owned())).collect();
    assert_eq!(printed, expected);
    assert_eq!(resources.input, [7, 8, 9]);
}

#[test]
fn private_memory_is_fresh_for_every_thread() {
    // Every thread finds zeros where the one before it wrote, also in grown memory.
    let mut b = Builder::new();
    let main = b.function(&[], &[Type::I32], 16);
    b.export("main", main).memory(2, None);
    b.constant(0, 0).constant(1, 1).constant(4, 0x1_2345);
    let places = [0, 0xffe, 0xf_fffc - 0xe_0000, 0x1_2345];
    for place in places {
        b.constant(2, place)
            .with(Op::I32Load, [3, 2, 0], 0)
            .op(Op::I32Or, [0, 0, 3]);
        b.constant(3, u32::MAX).with(Op::Store32, [2, 3, 0], 0);
    }
    b.constant(5, 0x2000)
        .constant(6, 0xff)
        .constant(7, 0x1_0000);
    b.with(Op::MemoryFill, [5, 6, 7], 0);
    b.with(Op::MemoryGrow, [2, 1, 0], 0)
        .op(Op::MemorySize, [3, 0, 0]);
    b.with(Op::I32NeConst, [3, 3, 0], 3)
        .op(Op::I32Or, [0, 0, 3]);
    b.ret();
    let program = b.finish();
    let outcome = vm::run(&program, &launch(8, 16), &mut Resources::default()).unwrap();
    assert!(
        outcome
            .threads
            .iter()
            .all(|end| *end == ThreadEnd::Done(vec![Value::i32(0)]))
    );
}

#[test]
fn barriers_with_uneven_loops() {
    // Each thread adds its index to workgroup memory, in a loop with as many iterations as its
    // index, before each barrier; after the barrier all see the whole sum.
    const ROUNDS: u32 = 5;
    let mut b = kernel(|b| {
        let [round, spin, wrong] = [b.label(), b.label(), b.label()];
        b.host(Host::LocalIndex, 0).constant(1, 0).place(round);
        b.op(Op::Move, [2, 0, 0]).place(spin);
        b.with(Op::I32AddConst, [2, 2, 0], u32::MAX);
        b.op(Op::BrI32GtSConst, [2, 0, 0]).word(0).to(spin);
        b.constant(4, 0).constant(5, 0x100).op(Op::Move, [6, 0, 0]);
        b.host(Host::WorkgroupAtomic, 4)
            .host(Host::WorkgroupBarrier, 0);
        b.constant(5, 0x100).host(Host::WorkgroupLoad, 5);
        b.with(Op::I32AddConst, [1, 1, 0], 1);
        b.with(Op::I32MulConst, [6, 1, 0], 31 * 32 / 2);
        b.jump(Op::BrI32Ne, [5, 6, 0], wrong)
            .host(Host::StorageBarrier, 0);
        b.op(Op::BrI32LtUConst, [1, 0, 0]).word(ROUNDS).to(round);
        b.ret().place(wrong).op(Op::Unreachable, [0; 3]);
    });
    b.program.statics = [0x100, 0x104];
    let program = b.finish();
    for threads in [1, 2, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let run = || vm::run(&program, &launch(20, 32), &mut Resources::default());
        let outcome = pool.build().unwrap().install(run).unwrap();
        assert_eq!(codes(&outcome.threads), vec![None; 640]);
    }
}

#[test]
fn a_barrier_that_not_all_reach_traps() {
    let b = kernel(|b| {
        let out = b.label();
        b.host(Host::LocalIndex, 0)
            .jump(Op::BrIfZero, [0, 0, 0], out);
        b.host(Host::WorkgroupBarrier, 0).place(out);
    });
    let outcome = vm::run(&b.finish(), &launch(1, 3), &mut Resources::default()).unwrap();
    let barrier = Some(TrapCode::Barrier);
    assert_eq!(codes(&outcome.threads), [None, barrier, barrier]);
    let ThreadEnd::Trapped(trap) = &outcome.threads[1] else {
        panic!("a trap")
    };
    assert_eq!(
        trap.to_string(),
        "barrier not reached by all threads of the workgroup in `f0` at 0x1"
    );
}

#[test]
fn workgroup_memory_is_checked() {
    for (address, code) in [
        (0x100, None),
        (0x104, None),
        (0x102, Some(TrapCode::WorkgroupMemory)),
        (0xfc, Some(TrapCode::WorkgroupMemory)),
        (0x108, Some(TrapCode::WorkgroupMemory)),
        (u32::MAX - 3, Some(TrapCode::WorkgroupMemory)),
    ] {
        let mut b = kernel(|b| {
            b.constant(0, address)
                .constant(1, 1)
                .host(Host::WorkgroupStore, 0);
            b.constant(0, address).host(Host::WorkgroupLoad, 0);
        });
        b.program.statics = [0x100, 0x108];
        let outcome = vm::run(&b.finish(), &launch(1, 1), &mut Resources::default()).unwrap();
        assert_eq!(codes(&outcome.threads), [code], "{address:#x}");
    }
}

#[test]
fn atomics_on_state_and_buffers_lose_nothing() {
    let program = kernel(|b| {
        let top = b.label();
        b.constant(9, 100).place(top);
        b.constant(0, 1).constant(1, 1).op(Op::AtomicAdd, [2, 0, 1]);
        b.constant(0, 0)
            .constant(1, 0x0001_0002)
            .constant(2, 3)
            .constant(3, 2);
        b.host(Host::BufferAtomic, 0);
        // The maximum over all threads.
        b.constant(0, 5)
            .constant(1, 0x0001_0002)
            .constant(2, 1)
            .op(Op::Gid, [3, 0, 0]);
        b.host(Host::BufferAtomic, 0);
        // The first thread that finds 0 in word 0.
        b.constant(0, 0x0001_0002)
            .constant(1, 0)
            .constant(2, 0)
            .constant(3, 77);
        b.host(Host::BufferCompareExchange, 0);
        // Out of bounds: no effect.
        b.constant(0, 0x0001_0002)
            .constant(1, 4)
            .constant(2, 9)
            .host(Host::BufferStore, 0);
        b.constant(0, 0x0001_0003)
            .constant(1, 0)
            .constant(2, 9)
            .host(Host::BufferStore, 0);
        b.with(Op::I32AddConst, [9, 9, 0], u32::MAX)
            .jump(Op::BrIf, [9, 0, 0], top);
    });
    let program = program.finish();
    for seed in 0..20 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1 + seed % 5);
        let mut resources = Resources {
            state: vec![0; 2],
            ..Resources::default()
        };
        resources.buffers.insert((1, 2), vec![0; 4]);
        let launch = launch(16, 1 + seed as u32 % 7);
        let threads = launch.workgroup_size[0] * 16;
        let run = || vm::run(&program, &launch, &mut resources);
        pool.build().unwrap().install(run).unwrap();
        assert_eq!(resources.state, [0, threads * 100]);
        let buffer = &resources.buffers[&(1, 2)];
        assert_eq!(*buffer, [77, threads - 1, 0, threads * 200]);
    }
}

#[test]
fn fuel_and_panics_end_single_threads() {
    let mut b = kernel(|b| {
        let [top, other, done] = [b.label(), b.label(), b.label()];
        b.op(Op::Gid, [0, 0, 0]).jump(Op::BrIf, [0, 0, 0], other);
        b.place(top).jump(Op::Jump, [0; 3], top);
        b.place(other)
            .op(Op::BrI32NeConst, [0, 0, 0])
            .word(1)
            .to(done);
        b.constant(0, 8)
            .constant(1, 4)
            .constant(2, u32::from_le_bytes(*b"oops"));
        b.with(Op::Store32, [0, 2, 0], 0)
            .host(Host::Panic, 0)
            .place(done);
    });
    b.memory(1, None);
    let launch = Launch {
        fuel: Some(1 << 22),
        ..launch(1, 3)
    };
    let outcome = vm::run(&b.finish(), &launch, &mut Resources::default()).unwrap();
    let texts = outcome.threads.iter().map(|end| match end {
        ThreadEnd::Done(_) => "done".to_owned(),
        ThreadEnd::Trapped(trap) => trap.to_string(),
    });
    assert_eq!(
        texts.collect::<Vec<_>>(),
        ["out of fuel in `f0` at 0x1", "oops in `f0` at 0x1", "done"]
    );
}

#[test]
fn launches_that_cannot_be() {
    let mut b = kernel(|_| {});
    b.memory(2, None);
    let with = b.function(&[Type::I32], &[], 2000);
    b.export("with", with).ret();
    let program = b.finish();
    let text = |change: &dyn Fn(&mut Launch)| {
        let mut launch = launch(1, 1);
        change(&mut launch);
        let error = vm::run(&program, &launch, &mut Resources::default());
        error.unwrap_err().to_string()
    };
    assert_eq!(
        text(&|l| l.kernel = "none".to_owned()),
        "no kernel `none`: the program exports `main`, `with`"
    );
    assert_eq!(
        text(&|l| l.args = vec![Value::i32(1)]),
        "kernel `main` takes 0 arguments, 1 are given"
    );
    assert_eq!(
        text(&|l| (l.kernel, l.args) = ("with".to_owned(), vec![Value::f32(1.0)])),
        "argument 0 of kernel `with` has type i32, but f32 is given"
    );
    assert_eq!(
        text(&|l| (l.kernel, l.args) = ("with".to_owned(), vec![Value::i32(1)])),
        "a stack of 1024 slots cannot hold the 2000 slots that kernel `with` needs"
    );
    assert_eq!(
        text(&|l| l.workgroup_size = [4, 0, 1]),
        "a workgroup of [4, 0, 1] threads: 1 to 65536 are supported"
    );
    assert_eq!(
        text(&|l| (l.workgroups, l.workgroup_size) = ([65536, 65536, 1], [2, 1, 1])),
        "[65536, 65536, 1] workgroups of [2, 1, 1] threads: more than 2^32 threads"
    );
    assert_eq!(
        text(&|l| l.max_pages = 1),
        "memory 0 has 2 initial pages, but 1 are allowed; raise max_pages (--max-pages on the command line) for larger memories"
    );
    assert_eq!(
        text(&|l| l.stack_slots = u32::MAX),
        "a stack of 4294967295 slots: at most 67108864 are supported"
    );
    assert_eq!(
        text(&|l| l.memory = MemoryMode::Shared { stack: 1024 }),
        "shared memory needs to know the program's stack pointer: export the global \
         `__stack_pointer` or keep the name section"
    );
    let mut resources = Resources {
        picture: Some(Picture {
            width: 3,
            height: 2,
            pixels: vec![[0.0; 4]; 5],
        }),
        ..Resources::default()
    };
    let error = vm::run(&program, &launch(1, 1), &mut resources).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a picture of 3 by 2 pixels does not match 5 pixels of data"
    );
}
