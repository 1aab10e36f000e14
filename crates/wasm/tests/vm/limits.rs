//! Time and memory limits of launches, invalid folders; and how workgroups share the cores.

use std::time::{Duration, Instant};

use anywarp_wasm::bytecode::{Bytecode, Host, Limits, Op, Type};
use anywarp_wasm::runtime::{
    InstanceLimits, Launch, LaunchError, LaunchOutcome, MAX_PRINT_BYTES, MemoryMode, Resources,
    ThreadEnd, Value,
};
use anywarp_wasm::vm::{self, Instance, VmOptions};

use super::builder::Builder;
use super::grid::{kernel, launch};

/// Runs in a thread pool with that many threads.
fn on_cores<T: Send>(cores: usize, run: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(cores).build();
    pool.expect("threads").install(run)
}

fn watched(
    program: &Bytecode,
    launch: &Launch,
    seconds: f64,
) -> (Result<LaunchOutcome, LaunchError>, Resources) {
    let options = VmOptions::default().watchdog(Duration::from_secs_f64(seconds));
    with_options(program, launch, options)
}

fn with_options(
    program: &Bytecode,
    launch: &Launch,
    options: VmOptions,
) -> (Result<LaunchOutcome, LaunchError>, Resources) {
    let mut resources = Resources {
        state: vec![0; 4],
        ..Resources::default()
    };
    let result = vm::run_with(program, launch, options, &mut resources);
    (result, resources)
}

/// Thread 5 never ends; the others write 7.
fn endless() -> Bytecode {
    let b = kernel(|b| {
        let [again, out] = [(); 2].map(|()| b.label());
        b.constant(1, 0).constant(2, 7).host(Host::WriteState, 1);
        b.op(Op::Gid, [0, 0, 0]);
        b.with(Op::BrI32NeConst, [0, 0, 0], 5).to(out);
        b.place(again).jump(Op::Jump, [0; 3], again);
        b.place(out);
    });
    b.finish()
}

/// The clock is read after a bounded number of instructions, however few of them are jumps.
#[test]
fn a_loop_with_a_long_body_is_given_up() {
    let b = kernel(|b| {
        let again = b.label();
        b.constant(0, 7).constant(1, 3);
        b.place(again);
        for _ in 0..60_000 {
            b.op(Op::I32DivU, [0, 0, 1]);
        }
        b.jump(Op::Jump, [0; 3], again);
    });
    let begun = Instant::now();
    let (result, _) = watched(&b.finish(), &launch(1, 1), 0.2);
    let text = result.expect_err("it never ends").to_string();
    assert!(text.starts_with("endless: thread 0"), "{text}");
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_workgroup_that_never_ends_is_given_up() {
    let begun = Instant::now();
    let (result, resources) = watched(&endless(), &launch(4, 4), 0.2);
    let error = result.expect_err("it never ends");
    let text = error.to_string();
    let expected = "endless: thread 5 is still running in `f0` at 0x1, and no thread has ended for 200ms; \
        raise the watchdog (--watchdog on the command line) for threads that need longer";
    assert_eq!(text, expected);
    assert!(begun.elapsed() < Duration::from_secs(60));
    // The resources are returned.
    assert_eq!(resources.state, [7, 0, 0, 0]);
}

/// Thread `i` executes about `i + 1` million jumps.
fn staggered() -> Bytecode {
    let b = kernel(|b| {
        let [outer, again] = [(); 2].map(|()| b.label());
        b.op(Op::Gid, [0, 0, 0]);
        b.with(Op::I32AddConst, [0, 0, 0], 1).place(outer);
        b.constant(1, 1 << 20).place(again);
        b.with(Op::I32AddConst, [1, 1, 0], u32::MAX);
        b.jump(Op::BrIf, [1, 0, 0], again);
        b.with(Op::I32AddConst, [0, 0, 0], u32::MAX);
        b.jump(Op::BrIf, [0, 0, 0], outer);
    });
    b.finish()
}

/// A workgroup takes longer than the watchdog's limit, but its threads end one after the other.
#[test]
fn threads_that_end_keep_a_launch_going() {
    let begun = Instant::now();
    let (result, _) = watched(&staggered(), &launch(1, 4), 100.0);
    result.expect("an end");
    // That was 10 million jumps. Twelve threads execute 78, and one ends after 12 at the latest.
    let limit = begun.elapsed().as_secs_f64() * 3.0;
    let (result, _) = watched(&staggered(), &launch(1, 12), limit);
    assert_eq!(result.expect("an end").threads.len(), 12);
}

#[test]
fn a_launch_can_have_a_limit_as_a_whole() {
    let limit = Duration::from_millis(50);
    let options = VmOptions::default().limit(limit);
    for program in [&endless(), &staggered()] {
        let (result, _) = with_options(program, &launch(100, 8), options);
        let error = result.expect_err("it takes too long");
        let LaunchError::TooMuchWork { ended, threads, .. } = error else {
            panic!("{error}");
        };
        assert!(ended < 800 && threads == 800, "{error}");
        assert!(error.to_string().contains("--limit"), "{error}");
    }
}

#[test]
fn setting_up_that_never_ends_is_given_up_too() {
    let mut b = kernel(|_| {});
    let init = b.function(&[], &[], 8);
    let again = b.label();
    b.place(again).jump(Op::Jump, [0; 3], again);
    b.program.inits = vec![init];
    b.program.globals = 1;
    b.program.stack_pointer = Some(0);
    let launch = Launch {
        memory: MemoryMode::Shared { stack: 16 },
        ..launch(1, 1)
    };
    let (result, _) = watched(&b.finish(), &launch, 0.1);
    let error = result.expect_err("it never ends").to_string();
    assert!(error.contains("still running in `f1`"), "{error}");
}

#[test]
fn what_ends_in_time_is_not_given_up() {
    let (result, _) = watched(&endless(), &launch(1, 4), 100.0);
    assert_eq!(result.expect("an end").threads.len(), 4);
}

/// Every workgroup but the last waits until the last has written; threads within a workgroup are
/// scheduled round-robin already.
fn waits_for_the_last() -> Bytecode {
    let b = kernel(|b| {
        let [again, last, out] = [(); 3].map(|()| b.label());
        b.constant(0, 0).host(Host::WorkgroupId, 0);
        b.constant(1, 0).host(Host::NumWorkgroups, 1);
        b.with(Op::I32AddConst, [1, 1, 0], u32::MAX);
        b.jump(Op::BrI32Eq, [0, 1, 0], last);
        b.place(again).constant(2, 0).host(Host::ReadState, 2);
        b.jump(Op::BrIfZero, [2, 0, 0], again);
        b.jump(Op::Jump, [0; 3], out);
        b.place(last).constant(2, 0).constant(3, 1);
        b.host(Host::WriteState, 2).place(out);
    });
    b.finish()
}

#[test]
fn a_workgroup_may_wait_for_a_later_one() {
    let program = waits_for_the_last();
    for (cores, groups, size) in [(1, 4, 1), (2, 5, 3)] {
        let (result, _) = on_cores(cores, || watched(&program, &launch(groups, size), 100.0));
        let threads = result.expect("an end").threads;
        let done = |end: &ThreadEnd| *end == ThreadEnd::Done(Vec::new());
        assert!(threads.iter().all(done), "{cores} {groups} {size}");
        assert_eq!(threads.len() as u32, groups * size);
    }
}

#[test]
fn one_that_waits_for_work_may_get_it_from_one_that_runs_for_long() {
    // Workgroup 0 takes an item, which workgroup 1 adds after counting for many slices.
    let b = kernel(|b| {
        let [again, first, out] = [(); 3].map(|()| b.label());
        b.constant(0, 0).host(Host::WorkgroupId, 0);
        b.jump(Op::BrIfZero, [0, 0, 0], first);
        b.constant(1, 12 << 20).place(again);
        b.with(Op::I32AddConst, [1, 1, 0], u32::MAX);
        b.jump(Op::BrIf, [1, 0, 0], again);
        b.constant(2, 33).host(Host::QueuePush, 2);
        b.jump(Op::Jump, [0; 3], out);
        b.place(first).host(Host::QueuePop, 5);
        b.constant(4, 2).host(Host::WriteState, 4).place(out);
    });
    let program = b.finish();
    let (result, resources) = on_cores(1, || watched(&program, &launch(2, 1), 100.0));
    assert_eq!(result.expect("an end").threads.len(), 2);
    assert_eq!(resources.state[2], 33);
}

fn refused(program: &Bytecode) -> String {
    let result = vm::run(program, &launch(1, 1), &mut Resources::default());
    let error = result.expect_err("too large").to_string();
    let instance = Instance::new(program).expect_err("too large");
    assert_eq!(instance.to_string(), error);
    error
}

#[test]
fn huge_tables_and_globals_are_refused() {
    let mut program = kernel(|_| {}).finish();
    program.tables.push(Limits {
        initial: 4_294_967_290,
        maximum: None,
    });
    assert_eq!(
        refused(&program),
        "table 0 has 4294967290 initial elements: at most 10000000 are supported"
    );
    program.tables.clear();
    program.globals = u32::MAX;
    assert_eq!(
        refused(&program),
        "the globals take 4294967295 slots: at most 65536 are supported"
    );
}

#[test]
fn printing_without_end_does_not_take_all_memory() {
    let mut b = Builder::new();
    b.memory(1, Some(1));
    let main = b.function(&[], &[], 64);
    b.export("main", main);
    let again = b.label();
    b.constant(2, 2000).place(again);
    b.constant(0, 0).constant(1, 1 << 16).host(Host::Print, 0);
    b.with(Op::I32AddConst, [2, 2, 0], u32::MAX);
    b.jump(Op::BrIf, [2, 0, 0], again).ret();
    let outcome = vm::run(&b.finish(), &launch(1, 1), &mut Resources::default());
    let printed = outcome.expect("a launch").printed;
    let bytes: usize = printed.iter().map(|(_, text)| text.len()).sum();
    assert!(bytes <= MAX_PRINT_BYTES, "{bytes}");
    let dropped = 2000 - (printed.len() - 1);
    let last = printed.last().expect("a line");
    assert_eq!(*last, (0, format!("... {dropped} more")));
}

#[test]
fn a_folder_that_is_not_there_is_refused() {
    let program = kernel(|_| {}).finish();
    let folder = std::env::temp_dir();
    let run = |folder| {
        let mut resources = Resources {
            folders: vec![folder],
            ..Resources::default()
        };
        vm::run(&program, &launch(1, 1), &mut resources)
    };
    assert!(run(folder.clone()).is_ok());
    let missing = folder.join("there is no such folder");
    let error = run(missing.clone()).expect_err("it is not there");
    assert_eq!(error, LaunchError::Folder { path: missing });
}

#[test]
fn large_copies_count_as_much_as_many_jumps() {
    // With fuel for ten jumps, a megabyte cannot be filled twice.
    let mut b = Builder::new();
    b.memory(16, Some(16));
    let main = b.function(&[], &[Type::I32], 64);
    b.export("main", main);
    let again = b.label();
    b.constant(4, 2).place(again);
    b.constant(0, 0).constant(1, 1).constant(2, 1 << 20);
    b.with(Op::MemoryFill, [0, 1, 2], 0);
    b.with(Op::I32AddConst, [4, 4, 0], u32::MAX);
    b.jump(Op::BrIf, [4, 0, 0], again).ret();
    let program = b.finish();
    let ends = |fuel| {
        let launch = Launch {
            fuel: Some(fuel),
            ..launch(1, 1)
        };
        let outcome = vm::run(&program, &launch, &mut Resources::default());
        outcome.expect("a launch").threads
    };
    let [ThreadEnd::Trapped(trap)] = &ends(10)[..] else {
        panic!("it ran to its end");
    };
    assert!(trap.to_string().starts_with("out of fuel"), "{trap}");
    assert!(matches!(ends(10_000)[..], [ThreadEnd::Done(_)]));
}

#[test]
fn work_on_many_bytes_ends_a_slice_without_a_jump() {
    // The first instruction uses up a thousand units of fuel; many more follow.
    let mut b = Builder::new();
    b.memory(16, Some(16));
    let main = b.function(&[], &[], 64);
    b.export("main", main);
    for _ in 0..8 {
        b.constant(0, 0).constant(1, 1).constant(2, 1 << 20);
        b.with(Op::MemoryFill, [0, 1, 2], 0);
    }
    b.ret();
    let program = b.finish();
    let launch = Launch {
        fuel: Some(1000),
        ..launch(1, 1)
    };
    let outcome = vm::run(&program, &launch, &mut Resources::default());
    let [ThreadEnd::Trapped(trap)] = &outcome.expect("a launch").threads[..] else {
        panic!("it ran to its end");
    };
    assert!(trap.to_string().starts_with("out of fuel"), "{trap}");
}

/// All threads loop forever.
fn all_endless() -> Bytecode {
    let b = kernel(|b| {
        let again = b.label();
        b.place(again).jump(Op::Jump, [0; 3], again);
    });
    b.finish()
}

#[test]
fn by_default_an_endless_launch_ends() {
    assert_eq!(VmOptions::default().watchdog, Some(Duration::from_secs(10)));
    assert_eq!(VmOptions::default().limit, None);
}

#[test]
fn the_oldest_thread_is_found_endless_however_many_take_turns() {
    let (result, _) = on_cores(1, || watched(&all_endless(), &launch(16, 16), 0.1));
    let error = result.expect_err("it never ends");
    let LaunchError::Watchdog { thread, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(thread, 0);
}

/// All threads run round-robin, so the first one ends when nearly all work is done. The time of a
/// single thread counts.
#[test]
fn many_long_threads_are_not_endless() {
    let b = kernel(|b| {
        let again = b.label();
        b.constant(1, 4 << 20).place(again);
        b.with(Op::I32AddConst, [1, 1, 0], u32::MAX);
        b.jump(Op::BrIf, [1, 0, 0], again);
    });
    let program = b.finish();
    let begun = Instant::now();
    let (result, _) = on_cores(1, || watched(&program, &launch(1, 1), 100.0));
    result.expect("an end");
    let limit = begun.elapsed().as_secs_f64() * 8.0;
    let (result, _) = on_cores(1, || watched(&program, &launch(4, 16), limit));
    assert_eq!(result.expect("an end").threads.len(), 64);
}

#[test]
fn a_call_of_an_instance_that_never_ends_is_given_up() {
    let limits = InstanceLimits {
        watchdog: Some(Duration::from_millis(100)),
        ..InstanceLimits::default()
    };
    let mut instance = Instance::with_limits(&all_endless(), limits).expect("an instance");
    let error = instance.invoke(0, &[]).expect_err("it never ends");
    let text = error.to_string();
    assert!(
        text.starts_with("endless: thread 0 is still running in `f0`"),
        "{text}"
    );
    // The instance can be called again.
    assert!(instance.invoke(0, &[]).is_err());
}

/// Grows its memory by 3 pages and waits at a barrier; the result is that of `memory.grow`.
fn growing() -> Bytecode {
    let mut b = Builder::new();
    b.memory(1, None);
    let main = b.function(&[], &[Type::I32], 64);
    b.export("main", main);
    b.constant(2, 3).with(Op::MemoryGrow, [0, 2, 0], 0);
    b.host(Host::WorkgroupBarrier, 4).ret();
    b.finish()
}

#[test]
fn all_threads_together_have_a_limit_of_pages() {
    let results = |max_total_pages, groups| {
        let launch = Launch {
            max_total_pages,
            ..launch(groups, 4)
        };
        let outcome = on_cores(2, || {
            vm::run(&growing(), &launch, &mut Resources::default())
        });
        outcome.map(|outcome| {
            let grown = |end: &&ThreadEnd| **end == ThreadEnd::Done(vec![Value::i32(1)]);
            let all = outcome.threads.len();
            (outcome.threads.iter().filter(grown).count(), all)
        })
    };
    assert_eq!(results(16, 1), Ok((4, 4)));
    // Two of them can grow; for the others `memory.grow` returns -1.
    assert_eq!(results(10, 1), Ok((2, 4)));
    assert_eq!(results(4, 1), Ok((0, 4)));
    // If one workgroup fits, any number does.
    assert_eq!(results(4, 100), Ok((0, 400)));
    let error = results(3, 1).expect_err("too little").to_string();
    let expected = "4 threads at the same time, with memories and tables of 65536 bytes each, need 4 pages, but 3 are allowed; \
        raise max_total_pages (--max-total-pages on the command line) or use smaller workgroups";
    assert_eq!(error, expected);
}

#[test]
fn a_tiny_module_with_a_huge_memory_is_refused() {
    let program = {
        let mut b = kernel(|_| {});
        b.memory(65_536, None);
        b.finish()
    };
    let launch = Launch {
        kernel: "main".to_owned(),
        ..Launch::default()
    };
    let expected = "memory 0 has 65536 initial pages, but 4096 are allowed; \
        raise max_pages (--max-pages on the command line) for larger memories";
    let error = vm::run(&program, &launch, &mut Resources::default()).expect_err("too large");
    assert_eq!(error.to_string(), expected);
    let error = Instance::new(&program).expect_err("too large");
    assert_eq!(error.to_string(), expected);
}

#[test]
fn the_tables_of_an_instance_have_a_limit_together() {
    // Each of two tables grows by six million elements: the second fails.
    let mut b = Builder::new();
    let main = b.function(&[], &[Type::I32, Type::I32], 64);
    b.export("main", main);
    for table in 0..2 {
        b.constant(2, 0).constant(3, 6_000_000);
        b.with(Op::TableGrow, [table, 2, 3], u32::from(table));
    }
    b.ret();
    for _ in 0..2 {
        b.program.tables.push(Limits {
            initial: 0,
            maximum: None,
        });
    }
    let mut instance = Instance::new(&b.finish()).expect("an instance");
    let results = instance.invoke(main, &[]).expect("no trap");
    assert_eq!(results, [Value::i32(0), Value::i32(-1)]);
}

#[test]
fn workgroup_memory_counts_as_memory() {
    let mut b = kernel(|b| {
        b.constant(0, 0).host(Host::WorkgroupLoad, 0);
    });
    b.program.statics = [0, 1 << 20];
    let program = b.finish();
    let ends = |max_total_pages| {
        let launch = Launch {
            max_total_pages,
            ..launch(1, 1)
        };
        let outcome = vm::run(&program, &launch, &mut Resources::default());
        outcome.expect("a launch").threads
    };
    assert!(matches!(ends(16)[..], [ThreadEnd::Done(_)]));
    assert!(matches!(ends(15)[..], [ThreadEnd::Trapped(_)]));
}

#[test]
fn the_messages_of_many_panics_do_not_take_all_memory() {
    let mut b = kernel(|b| {
        b.constant(0, 0).constant(1, 1 << 16).host(Host::Panic, 0);
    });
    b.memory(1, None);
    let outcome = vm::run(&b.finish(), &launch(600, 1), &mut Resources::default());
    let threads = outcome.expect("a launch").threads;
    let kept = threads.iter().filter(|end| match end {
        ThreadEnd::Trapped(trap) => trap.message.is_some(),
        ThreadEnd::Done(_) => false,
    });
    assert_eq!((kept.count(), threads.len()), (512, 600));
}

#[test]
fn workgroups_that_wait_for_work_keep_their_memory() {
    let mut b = kernel(|b| {
        b.host(Host::QueuePop, 0);
    });
    b.memory(1, None);
    let program = b.finish();
    let run = |max_total_pages| {
        let launch = Launch {
            max_total_pages,
            ..launch(50, 2)
        };
        on_cores(2, || vm::run(&program, &launch, &mut Resources::default()))
    };
    assert_eq!(run(100).expect("an end").threads.len(), 100);
    let error = run(50).expect_err("too little").to_string();
    let expected = "100 threads at the same time, with memories and tables of 65536 bytes each, need 100 pages";
    assert!(error.starts_with(expected), "{error}");
}
