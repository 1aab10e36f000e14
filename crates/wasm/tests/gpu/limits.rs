//! Launches and programs at the limits: rejected, or the same result as on the virtual machine.

use std::time::Duration;

use anywarp_wasm::bytecode::{Bytecode, Limits};
use anywarp_wasm::gpu::{Instance, Interpreter, InterpreterOptions};
use anywarp_wasm::runtime::{InstanceLimits, Launch, MemoryMode, Resources};
use anywarp_wasm::vm;

use super::devices;
use super::programs::{both, launch, program, run, value};

fn refused(interpreter: &mut Interpreter, program: &Bytecode, launch: &Launch) -> String {
    let mut resources = Resources::default();
    let error = run(interpreter, program, launch, &mut resources);
    error.unwrap_err().to_string()
}

const SIMPLE: &str = r#"(module (func (export "main") (result i32) (i32.const 1234)))"#;

#[test]
fn huge_tables_are_refused() {
    devices::each("huge tables", |interpreter| {
        let table = Limits {
            initial: 4_294_967_290,
            maximum: None,
        };
        for tables in 1..4 {
            let program = Bytecode {
                tables: vec![table; tables],
                ..program(SIMPLE)
            };
            let text = refused(interpreter, &program, &launch(1, 1));
            let expected =
                "table 0 has 4294967290 initial elements: at most 10000000 are supported";
            assert_eq!(text, expected);
        }
        both(interpreter, SIMPLE, &launch(1, 2), &Resources::default());
    });
}

const WITH_WORKGROUP_MEMORY: &str = r#"(module
    (import "gpu" "workgroup_load" (func $load (param i32) (result i32)))
    (memory 1)
    (func (export "main") (result i32) (call $load (i32.const 0))))"#;

#[test]
fn workgroup_memory_costs_nothing_where_it_is_not_used() {
    // Far less than the whole range of static variables.
    let options = InterpreterOptions::default().max_buffer_bytes(1 << 20);
    devices::each_with("workgroup memory", options, |interpreter| {
        let statics = [0, u32::MAX];
        let unused = Bytecode {
            statics,
            ..program(SIMPLE)
        };
        let resources = &mut Resources::default();
        let outcome = run(interpreter, &unused, &launch(3, 2), resources).unwrap();
        assert_eq!(value(&outcome, 5), 1234);
        let used = Bytecode {
            statics,
            ..program(WITH_WORKGROUP_MEMORY)
        };
        let text = refused(interpreter, &used, &launch(3, 2));
        assert!(
            text.contains("including one workgroup, needs 42949"),
            "{text}"
        );
    });
}

#[test]
fn options_with_which_nothing_would_run_are_refused() {
    let adapter = anywarp_adapter::adapter(anywarp_adapter::AdapterOptions::default());
    for (slice, ring, name) in [(0, 1, "slice"), (1, 0, "ring")] {
        let request = adapter.request_device(&wgpu::DeviceDescriptor::default());
        let (device, queue) = pollster::block_on(request).unwrap();
        let options = InterpreterOptions::default().slice(slice).ring(ring);
        let made = Interpreter::with_options(device, queue, options);
        let text = pollster::block_on(made).unwrap_err().to_string();
        let expected =
            format!("the device: the interpreter's option `{name}` is 0: nothing would run");
        assert_eq!(text, expected);
    }
    let options = InterpreterOptions::default().slice(1).ring(1);
    devices::each_with("the shortest slices", options, |interpreter| {
        both(interpreter, SIMPLE, &launch(1, 2), &Resources::default());
    });
}

/// The start function reads and writes the launch's resources.
const START: &str = r#"(module
    (import "gpu" "read_state" (func $read (param i32) (result i32)))
    (import "gpu" "write_state" (func $write (param i32 i32)))
    (import "gpu" "buffer_store" (func $store (param i32 i32 i32)))
    (import "gpu" "num_workgroups" (func $groups (param i32) (result i32)))
    (import "gpu" "workgroup_size" (func $size (param i32) (result i32)))
    (import "gpu" "read_input" (func $input (param i32) (result i32)))
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (import "gpu" "queue_pop" (func $pop (result i32)))
    (import "gpu" "queue_push" (func $push (param i32) (result i32)))
    (memory 1)
    (global $stack_pointer (export "__stack_pointer") (mut i32) (i32.const 4096))
    (global $seen (mut i32) (i32.const 0))
    (func $start
        (global.set $seen (call $read (i32.const 1)))
        (i32.store (i32.const 64) (i32.add (call $groups (i32.const 0))
            (i32.mul (i32.const 10) (call $size (i32.const 0)))))
        (call $write (i32.const 0) (i32.add (i32.const 5) (call $id)))
        (call $store (i32.const 7) (i32.const 1) (call $input (i32.const 2)))
        (drop (call $push (i32.add (i32.const 1) (call $pop)))))
    (start $start)
    (func (export "main") (result i32)
        (i32.add (i32.mul (i32.const 1000) (global.get $seen))
            (i32.add (i32.load (i32.const 64)) (call $read (i32.const 0))))))"#;

#[test]
fn the_start_function_acts_on_the_same_as_kernels() {
    let resources = Resources {
        state: vec![0, 9],
        input: vec![1, 2, 3],
        buffers: [((0, 7), vec![0; 2])].into(),
        queue: vec![11],
        ..Resources::default()
    };
    let launch = Launch {
        memory: MemoryMode::Shared { stack: 64 },
        ..launch(3, 4)
    };
    devices::each("a start function", |interpreter| {
        let (outcome, left) = both(interpreter, START, &launch, &resources);
        assert_eq!(value(&outcome, 11), 9000 + 43 + 5);
        assert_eq!(left.state, [5, 9]);
        assert_eq!(left.buffers[&(0, 7)], [0, 3]);
        assert_eq!(left.queue, [12]);
    });
}

/// One thread of the last workgroup adds the item that the others wait for.
const WAITING: &str = r#"(module
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (import "gpu" "queue_pop" (func $pop (result i32)))
    (import "gpu" "queue_push" (func $push (param i32) (result i32)))
    (memory 1)
    (func (export "main") (result i32)
        (if (i32.eq (call $id) (i32.const 127)) (then
            (drop (call $push (i32.const 42)))
            (return (i32.const -7))))
        (call $pop)))"#;

#[test]
fn items_that_are_none_are_refused_by_both_machines() {
    let wrong = Resources {
        queue: vec![7, u32::MAX],
        ..Resources::default()
    };
    let expected = "item 1 of the work queue is 4294967295: items are below 2^31";
    let program = program(WAITING);
    let error = vm::run(&program, &launch(1, 2), &mut wrong.clone()).unwrap_err();
    assert_eq!(error.to_string(), expected);
    devices::each("items that are none", |interpreter| {
        let error = run(interpreter, &program, &launch(1, 2), &mut wrong.clone());
        assert_eq!(error.unwrap_err().to_string(), expected);
        let mut highest = Resources {
            queue: vec![u32::MAX >> 1],
            ..Resources::default()
        };
        let outcome = run(interpreter, &program, &launch(1, 2), &mut highest).unwrap();
        let mut values = [0, 1].map(|thread| value(&outcome, thread) as u32);
        values.sort();
        assert_eq!(values, [u32::MAX >> 1, u32::MAX]);
    });
}

#[test]
fn kernels_that_wait_for_work_are_not_run_in_waves() {
    // The queue, and the memories of some workgroups.
    let options = InterpreterOptions::default().max_buffer_bytes(80 << 16);
    devices::each_with("the queue in waves", options, |interpreter| {
        let text = refused(interpreter, &program(WAITING), &launch(16, 8));
        assert!(
            text.contains("threads that wait for work need all 16 workgroups"),
            "{text}"
        );
        // A kernel that does not wait for work runs, in several waves.
        let pushing = WAITING.replace("(call $pop)))", "(i32.const 3)))");
        let (_, left) = both(interpreter, &pushing, &launch(16, 8), &Resources::default());
        assert_eq!(left.queue, [42]);
    });
    devices::each("the queue in one wave", |interpreter| {
        let resources = &mut Resources::default();
        let outcome = run(interpreter, &program(WAITING), &launch(16, 8), resources).unwrap();
        let got = (0..127).filter(|&thread| value(&outcome, thread) == 42);
        assert_eq!(got.count(), 1);
    });
}

/// Threads write 1 or 2 to one byte and read it: no thread may see 0 or 3 there, and the adjacent
/// bytes, which other threads increment, must not be affected.
const RACE: &str = r#"(module
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (memory 1)
    (global $stack_pointer (export "__stack_pointer") (mut i32) (i32.const 4096))
    (data (i32.const 64) "\01")
    (func (export "main") (result i32)
        (local $left i32) (local $seen i32) (local $wrong i32) (local $at i32)
        (local.set $left (i32.const 300))
        (local.set $at (i32.add (i32.const 65) (call $id)))
        (loop $next
            (i32.store8 (i32.const 64)
                (i32.add (i32.const 1) (i32.and (i32.shr_u (call $id) (i32.const 6)) (i32.const 1))))
            (local.set $seen (i32.load8_u (i32.const 64)))
            (local.set $wrong (i32.add (local.get $wrong)
                (i32.gt_u (i32.sub (local.get $seen) (i32.const 1)) (i32.const 1))))
            (i32.store8 (local.get $at) (i32.add (i32.load8_u (local.get $at)) (i32.const 1)))
            (memory.fill (i32.add (i32.const 2000) (i32.mul (i32.const 3) (call $id)))
                (local.get $left) (i32.const 3))
            (br_if $next (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
        (i32.add (i32.mul (i32.const 1000) (local.get $wrong)) (i32.add
            (i32.load8_u (i32.add (i32.const 2002) (i32.mul (i32.const 3) (call $id))))
            (i32.load8_u (local.get $at))))))"#;

#[test]
fn bytes_of_shared_memory_are_written_at_once() {
    let launch = Launch {
        memory: MemoryMode::Shared { stack: 16 },
        ..launch(4, 64)
    };
    devices::each("bytes of shared memory", |interpreter| {
        let mut resources = Resources::default();
        let outcome = run(interpreter, &program(RACE), &launch, &mut resources).unwrap();
        for thread in 0..256 {
            assert_eq!(value(&outcome, thread), 1 + 300 % 256, "thread {thread}");
        }
    });
}

const ENDLESS: &str = r#"(module
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (func $spin (export "main") (result i32)
        (if (i32.eq (call $id) (i32.const 5)) (then (loop (br 0))))
        (i32.const 1)))"#;

#[test]
fn one_clock_runs_over_all_slices() {
    assert_eq!(
        InterpreterOptions::default().watchdog,
        Some(Duration::from_secs(10))
    );
    let watched = InterpreterOptions::default().watchdog(Duration::from_millis(300));
    let endless = program(ENDLESS);
    devices::each_with("an endless loop", watched, |interpreter| {
        let text = refused(interpreter, &endless, &launch(3, 4));
        let expected = "endless: thread 5 is still running in `spin` at 0x";
        assert!(text.starts_with(expected), "{text}");
        assert!(
            text.contains("no thread has ended for 300ms; raise the watchdog"),
            "{text}"
        );
        both(interpreter, SIMPLE, &launch(1, 2), &Resources::default());
    });
    let limited = InterpreterOptions::default()
        .watchdog(None)
        .limit(Duration::from_millis(300))
        .max_buffer_bytes(2 * 4 * 4 * 600);
    devices::each_with("too much work", limited, |interpreter| {
        let text = refused(interpreter, &endless, &launch(3, 4));
        let expected = "too much work: 7 of 12 threads have ended within 300ms; raise the limit";
        assert!(text.starts_with(expected), "{text}");
    });
}

#[test]
fn a_call_of_an_instance_that_never_ends_is_given_up() {
    let endless = program(r#"(module (func (export "main") (loop (br 0))))"#);
    let limits = InstanceLimits {
        watchdog: Some(Duration::from_millis(300)),
        ..InstanceLimits::default()
    };
    devices::each("an endless call", |interpreter| {
        let mut instance = Instance::with_limits(interpreter, &endless, limits).unwrap();
        let error = pollster::block_on(instance.invoke(endless.exports[0].function, &[]));
        let text = error.unwrap_err().to_string();
        assert!(
            text.starts_with("endless: thread 0 is still running in `main`"),
            "{text}"
        );
    });
}

/// Grows memory by three pages.
const GROWING: &str = r#"(module (memory 1)
    (func (export "main") (result i32) (memory.grow (i32.const 3))))"#;

#[test]
fn memories_have_limits_of_pages() {
    let huge = program(r#"(module (memory 65536) (func (export "main")))"#);
    devices::each("limits of pages", |interpreter| {
        let default = Launch {
            kernel: "main".to_owned(),
            ..Launch::default()
        };
        let text = refused(interpreter, &huge, &default);
        let expected = "memory 0 has 65536 initial pages, but 4096 are allowed; raise max_pages";
        assert!(text.starts_with(expected), "{text}");
        let mut grown = |max_total_pages| {
            let launch = Launch {
                max_total_pages,
                ..launch(2, 2)
            };
            let resources = &mut Resources::default();
            run(interpreter, &program(GROWING), &launch, resources)
                .map(|outcome| [0, 1, 2, 3].map(|thread| value(&outcome, thread)))
                .map_err(|error| error.to_string())
        };
        assert_eq!(grown(16), Ok([1; 4]));
        // The workgroups run one after the other, and cannot grow.
        assert_eq!(grown(2), Ok([u64::from(u32::MAX); 4]));
        let error = grown(1).unwrap_err();
        assert!(error.starts_with("2 threads at the same time"), "{error}");
    });
}
