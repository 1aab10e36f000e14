//! Programs in the WebAssembly text format, on the virtual machine and on the GPU interpreter, with
//! equal outcomes.

use std::fs;

use anywarp_wasm::bytecode::{Bytecode, TrapCode};
use anywarp_wasm::gpu::{Interpreter, InterpreterOptions};
use anywarp_wasm::runtime::{
    Launch, LaunchError, LaunchOutcome, MemoryMode, Picture, Resources, ThreadEnd, Value,
};
use anywarp_wasm::{TranslateOptions, translate, vm};

use super::devices;

pub(super) fn program(text: &str) -> Bytecode {
    let options = TranslateOptions::default().allow_recursion(true);
    let bytes = wat::parse_str(text).unwrap();
    translate(&bytes, &options).unwrap().bytecode
}

pub(super) fn launch(groups: u32, size: u32) -> Launch {
    Launch {
        kernel: "main".to_owned(),
        args: Vec::new(),
        workgroups: [groups, 1, 1],
        workgroup_size: [size, 1, 1],
        threads: None,
        memory: MemoryMode::Private,
        max_pages: 4,
        stack_slots: 512,
        ..Launch::default()
    }
}

pub(super) fn run(
    interpreter: &mut Interpreter,
    program: &Bytecode,
    launch: &Launch,
    resources: &mut Resources,
) -> Result<LaunchOutcome, LaunchError> {
    interpreter.load(program);
    pollster::block_on(interpreter.run(launch, resources))
}

/// Runs a program on both executors; returns the outcome and the resources, which must agree.
pub(super) fn both(
    interpreter: &mut Interpreter,
    text: &str,
    launch: &Launch,
    resources: &Resources,
) -> (LaunchOutcome, Resources) {
    let program = program(text);
    let mut on_cpu = resources.clone();
    let expected = vm::run(&program, launch, &mut on_cpu).unwrap();
    let mut on_gpu = resources.clone();
    let outcome = run(interpreter, &program, launch, &mut on_gpu).unwrap();
    assert_eq!(outcome.threads, expected.threads);
    assert_eq!(on_gpu.state, on_cpu.state);
    assert_eq!(on_gpu.picture, on_cpu.picture);
    assert_eq!(on_gpu.buffers, on_cpu.buffers);
    let sorted = |mut printed: Vec<(u32, String)>| {
        printed.sort();
        printed
    };
    let [gpu, cpu] = [outcome.printed.clone(), expected.printed].map(sorted);
    assert_eq!(gpu, cpu);
    (outcome, on_gpu)
}

pub(super) fn value(outcome: &LaunchOutcome, thread: usize) -> u64 {
    match &outcome.threads[thread] {
        ThreadEnd::Done(values) => values[0].bits(),
        ThreadEnd::Trapped(trap) => panic!("thread {thread}: {trap}"),
    }
}

pub(super) fn trap(outcome: &LaunchOutcome, thread: usize) -> (TrapCode, String) {
    match &outcome.threads[thread] {
        ThreadEnd::Done(values) => panic!("thread {thread} gave {values:?}"),
        ThreadEnd::Trapped(trap) => (trap.code, trap.to_string()),
    }
}

const FIB: &str = r#"(module
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (func $fib (param i32) (result i64)
        (if (result i64) (i32.lt_u (local.get 0) (i32.const 2))
            (then (i64.extend_i32_u (local.get 0)))
            (else (i64.add
                (call $fib (i32.sub (local.get 0) (i32.const 1)))
                (call $fib (i32.sub (local.get 0) (i32.const 2)))))))
    (func (export "main") (result i64) (call $fib (i32.rem_u (call $id) (i32.const 12)))))"#;

#[test]
fn recursion_gives_the_same_numbers() {
    devices::each("recursion", |interpreter| {
        let (outcome, _) = both(interpreter, FIB, &launch(3, 32), &Resources::default());
        assert_eq!(value(&outcome, 11), 89);
        assert_eq!(value(&outcome, 95), 89);
        let deep = Launch {
            stack_slots: 24,
            ..launch(1, 16)
        };
        let outcome = run(interpreter, &program(FIB), &deep, &mut Resources::default()).unwrap();
        assert_eq!(trap(&outcome, 11).0, TrapCode::StackExhausted);
        assert_eq!(value(&outcome, 0), 0);
    });
}

/// Sums up memory, then grows it.
const MEMORY: &str = r#"(module
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (memory 1)
    (data (i32.const 16) "\01\02\03\04\05\06\07\08\09")
    (func (export "main") (result i64) (local i32 i64)
        (memory.fill (i32.const 1001) (call $id) (i32.const 777))
        (memory.copy (i32.const 1200) (i32.const 1101) (i32.const 900))
        (memory.copy (i32.const 1003) (i32.const 1002) (i32.const 300))
        (i64.store offset=3 (i32.const 1300) (i64.const 0x0102030405060708))
        (i32.store16 (i32.const 2003) (i32.const 0xabcd))
        (loop $next
            (local.set 1 (i64.add
                (i64.mul (local.get 1) (i64.const 31))
                (i64.load8_s (local.get 0))))
            (local.set 0 (i32.add (local.get 0) (i32.const 1)))
            (br_if $next (i32.lt_u (local.get 0) (i32.const 2200))))
        (local.set 0 (memory.grow (i32.const 2)))
        (i32.store (i32.const 196604) (i32.const 5))
        (i64.add (local.get 1) (i64.extend_i32_u (i32.add
            (i32.add (local.get 0) (memory.grow (i32.const 2)))
            (i32.add (i32.load (i32.const 196604)) (memory.size)))))))"#;

#[test]
fn memory_is_filled_copied_and_grown() {
    devices::each("memory", |interpreter| {
        let (outcome, _) = both(interpreter, MEMORY, &launch(2, 20), &Resources::default());
        assert_ne!(value(&outcome, 1), value(&outcome, 2));
    });
}

const TRAPS: &str = r#"(module
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (import "gpu" "panic" (func $panic (param i32 i32)))
    (memory 1)
    (data (i32.const 100) "all is lost")
    (type $none (func))
    (table 3 funcref)
    (elem (i32.const 0) $a)
    (func $a (result i32) (i32.const 1))
    (func $kernel (export "main") (result i32) (local $i i32)
        (local.set $i (call $id))
        (if (i32.eq (local.get $i) (i32.const 0)) (then (unreachable)))
        (if (i32.eq (local.get $i) (i32.const 1)) (then
            (return (i32.div_s (i32.const 1) (i32.const 0)))))
        (if (i32.eq (local.get $i) (i32.const 2)) (then
            (return (i32.load (i32.const 65533)))))
        (if (i32.eq (local.get $i) (i32.const 3)) (then
            (call_indirect (type $none) (i32.const 0))))
        (if (i32.eq (local.get $i) (i32.const 4)) (then
            (call_indirect (type $none) (i32.const 1))))
        (if (i32.eq (local.get $i) (i32.const 5)) (then
            (call_indirect (type $none) (i32.const 3))))
        (if (i32.eq (local.get $i) (i32.const 6)) (then
            (call $panic (i32.const 100) (i32.const 11))))
        (if (i32.eq (local.get $i) (i32.const 7)) (then
            (memory.fill (i32.const 65530) (i32.const 0) (i32.const 7))))
        (if (i32.eq (local.get $i) (i32.const 8)) (then
            (return (i32.trunc_f32_s (f32.const nan)))))
        (i32.const 9)))"#;

#[test]
fn traps_name_their_place() {
    devices::each("traps", |interpreter| {
        let (outcome, _) = both(interpreter, TRAPS, &launch(1, 10), &Resources::default());
        assert_eq!(trap(&outcome, 1).0, TrapCode::DivideByZero);
        assert_eq!(trap(&outcome, 4).0, TrapCode::UninitializedElement);
        let (code, text) = trap(&outcome, 6);
        assert_eq!(code, TrapCode::Panic);
        assert!(text.starts_with("all is lost in `kernel` at 0x"), "{text}");
        assert_eq!(value(&outcome, 9), 9);
    });
}

/// Every thread passes a number on to its neighbour, through workgroup memory, eight times.
const BARRIERS: &str = r#"(module
    (import "gpu" "local_invocation_index" (func $local (result i32)))
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (import "gpu" "workgroup_store" (func $store (param i32 i32)))
    (import "gpu" "workgroup_load" (func $load (param i32) (result i32)))
    (import "gpu" "workgroup_barrier" (func $barrier))
    (memory 1)
    (func (export "main") (result i32) (local $value i32) (local $round i32)
        (local.set $value (call $id))
        (loop $next
            (call $store (i32.mul (call $local) (i32.const 4)) (local.get $value))
            (call $barrier)
            (local.set $value (i32.add (i32.const 1) (call $load (i32.mul (i32.const 4)
                (i32.rem_u (i32.add (call $local) (i32.const 1)) (i32.const 48))))))
            (call $barrier)
            (local.set $round (i32.add (local.get $round) (i32.const 1)))
            (br_if $next (i32.lt_u (local.get $round) (i32.const 8))))
        (local.get $value)))"#;

#[test]
fn barriers_wait_for_the_whole_workgroup() {
    devices::each("barriers", |interpreter| {
        let (outcome, _) = both(interpreter, BARRIERS, &launch(5, 48), &Resources::default());
        assert_eq!(value(&outcome, 0), 16);
        assert_eq!(value(&outcome, 47), 7 + 8);
    });
}

const SPLIT: &str = r#"(module
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (import "gpu" "workgroup_barrier" (func $barrier))
    (func (export "main")
        (if (i32.ge_u (call $id) (i32.const 5)) (then (call $barrier)))))"#;

#[test]
fn a_barrier_that_some_never_reach_traps() {
    devices::each("a split barrier", |interpreter| {
        let (outcome, _) = both(interpreter, SPLIT, &launch(2, 8), &Resources::default());
        assert_eq!(outcome.threads[4], ThreadEnd::Done(Vec::new()));
        assert_eq!(trap(&outcome, 5).0, TrapCode::Barrier);
        assert_eq!(outcome.threads[8], ThreadEnd::Done(Vec::new()));
    });
}

const PRINTS: &str = r#"(module
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (import "gpu" "print" (func $print (param i32 i32)))
    (import "gpu" "read_file" (func $read (param i32 i32 i32 i32) (result i32)))
    (import "gpu" "write_file" (func $write (param i32 i32 i32 i32) (result i32)))
    (memory 1)
    (data (i32.const 0) "thread A\n")
    (data (i32.const 32) "in.txt")
    (data (i32.const 48) "out0.txt")
    (data (i32.const 64) "../in.txt")
    (func (export "main") (result i32) (local $got i32)
        (i32.store8 (i32.const 7) (i32.add (i32.const 65) (i32.rem_u (call $id) (i32.const 26))))
        (call $print (i32.const 3) (i32.const 5))
        (local.set $got (call $read (i32.const 32) (i32.const 6) (i32.const 1001) (i32.const 4000)))
        (i32.store8 (i32.const 1003) (i32.const 33))
        (i32.store8 (i32.const 51) (i32.add (i32.const 48) (i32.rem_u (call $id) (i32.const 10))))
        (drop (call $write (i32.const 48) (i32.const 8) (i32.const 1001) (local.get $got)))
        (call $print (i32.const 1001) (i32.const 6))
        (i32.sub (local.get $got)
            (call $read (i32.const 64) (i32.const 9) (i32.const 0) (i32.const 10)))))"#;

#[test]
fn files_and_prints_are_served_beyond_the_ring() {
    let folder = std::env::temp_dir().join(format!("anywarp-gpu-files-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let text = "hello, file ".repeat(20);
    fs::write(folder.join("in.txt"), &text).unwrap();
    let resources = Resources {
        folders: vec![folder.clone()],
        ..Resources::default()
    };
    // Far fewer ring entries than concurrent host calls.
    let options = InterpreterOptions::default().ring(7);
    devices::each_with("files", options, |interpreter| {
        let (outcome, _) = both(interpreter, PRINTS, &launch(3, 20), &resources);
        assert_eq!(outcome.printed.len(), 120);
        assert_eq!(value(&outcome, 7), text.len() as u64 + 2);
        let written = fs::read_to_string(folder.join("out3.txt")).unwrap();
        assert_eq!(written, text.replacen("hel", "he!", 1));
        fs::remove_file(folder.join("out3.txt")).unwrap();
    });
    fs::remove_dir_all(&folder).unwrap();
}

const WORLD: &str = r#"(module
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (import "gpu" "get_time" (func $time (result f32)))
    (import "gpu" "set_pixel" (func $pixel (param i32 i32 f32 f32 f32 f32)))
    (import "gpu" "atomic_add" (func $add (param i32 i32) (result i32)))
    (import "gpu" "write_state" (func $write (param i32 i32)))
    (import "gpu" "read_input" (func $input (param i32) (result i32)))
    (import "gpu" "global_invocation_id" (func $global (param i32) (result i32)))
    (import "gpu" "buffer_atomic" (func $atomic (param i32 i32 i32 i32) (result i32)))
    (import "gpu" "buffer_store" (func $store (param i32 i32 i32)))
    (func (export "main") (param f32) (result f32)
        (call $pixel (call $global (i32.const 0)) (call $global (i32.const 1))
            (f32.convert_i32_u (call $id)) (local.get 0) (call $time) (f32.const 1))
        (drop (call $add (i32.const 0) (call $input (call $id))))
        (call $write (i32.add (i32.const 1) (call $id)) (call $id))
        (drop (call $atomic (i32.const 2) (i32.const 3) (i32.const 0) (i32.sub (i32.const 5) (call $id))))
        (drop (call $atomic (i32.const 5) (i32.const 3) (i32.const 1) (call $id)))
        (call $store (i32.const 0x10002) (call $id) (i32.mul (call $id) (call $id)))
        (f32.mul (local.get 0) (call $time))))"#;

#[test]
fn everything_around_a_kernel_is_reached() {
    let resources = Resources {
        state: vec![0; 20],
        input: (1..=24).collect(),
        clock: 2.5,
        picture: Some(Picture {
            width: 5,
            height: 4,
            pixels: vec![[0.0; 4]; 20],
        }),
        buffers: [((0, 3), vec![7; 4]), ((1, 2), vec![0; 24])].into(),
        ..Resources::default()
    };
    let launch = Launch {
        args: vec![Value::f32(0.25)],
        workgroups: [3, 2, 1],
        workgroup_size: [2, 2, 1],
        threads: Some(22),
        ..launch(1, 1)
    };
    devices::each("the world", |interpreter| {
        let (outcome, left) = both(interpreter, WORLD, &launch, &resources);
        assert_eq!(value(&outcome, 21), u64::from(0.625_f32.to_bits()));
        assert_eq!(left.state[0], (1..=22).sum::<u32>());
        assert_eq!(left.buffers[&(0, 3)], [(5_i32 - 21) as u32, 21, 7, 7]);
        assert_eq!(left.buffers[&(1, 2)][21], 21 * 21);
        assert_eq!(left.picture.unwrap().pixels[6], [7.0, 0.25, 2.5, 1.0]);
    });
}

const QUEUE: &str = r#"(module
    (import "gpu" "queue_pop" (func $pop (result i32)))
    (import "gpu" "queue_push" (func $push (param i32) (result i32)))
    (import "gpu" "atomic_add" (func $add (param i32 i32) (result i32)))
    (func (export "main") (result i32) (local $item i32)
        (loop $next
            (local.set $item (call $pop))
            (if (i32.ge_s (local.get $item) (i32.const 0)) (then
                (drop (call $add (i32.const 0) (local.get $item)))
                (if (i32.gt_s (local.get $item) (i32.const 1)) (then
                    (drop (call $push (i32.div_u (local.get $item) (i32.const 2))))))
                (br $next))))
        (local.get $item)))"#;

#[test]
fn work_is_taken_until_there_is_none() {
    let resources = Resources {
        state: vec![0],
        queue: (0..100).collect(),
        ..Resources::default()
    };
    let halves = |mut item: u32| {
        let mut sum = item;
        while item > 1 {
            item /= 2;
            sum += item;
        }
        sum
    };
    devices::each("the queue", |interpreter| {
        let (_, left) = both(interpreter, QUEUE, &launch(2, 9), &resources);
        assert_eq!(left.state, [(0..100).map(halves).sum::<u32>()]);
        assert!(left.queue.is_empty());
    });
}

const SHARED: &str = r#"(module
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (memory 1)
    (global $__stack_pointer (mut i32) (i32.const 4096))
    (export "__stack_pointer" (global $__stack_pointer))
    (data (i32.const 8) "abcdefgh")
    (func (export "main") (result i32)
        (i32.store (i32.sub (global.get $__stack_pointer) (i32.const 8)) (call $id))
        (i32.store8 (i32.add (i32.const 5000) (call $id)) (call $id))
        (i32.add (i32.load8_u (i32.const 10))
            (i32.load (i32.sub (global.get $__stack_pointer) (i32.const 8))))))"#;

#[test]
fn threads_share_memory_with_stacks_of_their_own() {
    let launch = Launch {
        memory: MemoryMode::Shared { stack: 1000 },
        ..launch(3, 40)
    };
    devices::each("shared memory", |interpreter| {
        let (outcome, _) = both(interpreter, SHARED, &launch, &Resources::default());
        assert_eq!(value(&outcome, 119), u64::from(b'c') + 119);
    });
}

#[test]
fn launches_that_do_not_fit_run_in_waves() {
    let options = InterpreterOptions::default().max_buffer_bytes(19 * (1 << 16));
    devices::each_with("waves", options, |interpreter| {
        let simple = MEMORY
            .replace("memory.grow", "i32.clz")
            .replace("196604", "19664");
        both(interpreter, &simple, &launch(7, 5), &Resources::default());
        both(interpreter, BARRIERS, &launch(1, 16), &Resources::default());
        let error = run(
            interpreter,
            &program(BARRIERS),
            &launch(1, 20),
            &mut Resources::default(),
        );
        let text = error.unwrap_err().to_string();
        assert!(text.contains("a workgroup of 20 threads needs"), "{text}");
    });
}

/// The first thread grows the memory and writes to the new pages.
const GROWING: &str = r#"(module
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (memory (export "memory") 1)
    (global $stack_pointer (export "__stack_pointer") (mut i32) (i32.const 4096))
    (func (export "main") (result i32)
        (if (i32.eqz (call $id))
            (then (i32.store (i32.shl (memory.grow (i32.const 2)) (i32.const 16)) (i32.const 42))))
        (i32.load (i32.shl (i32.sub (memory.size) (i32.const 2)) (i32.const 16)))))"#;

#[test]
fn shared_memory_that_a_wave_grew_is_there_in_the_next() {
    let options = InterpreterOptions::default().max_buffer_bytes(19 * (1 << 16));
    // One workgroup fills a wave.
    let launch = Launch {
        memory: MemoryMode::Shared { stack: 16 },
        ..launch(4, 500)
    };
    devices::each_with("growing between waves", options, |interpreter| {
        let mut resources = Resources::default();
        let outcome = run(interpreter, &program(GROWING), &launch, &mut resources).unwrap();
        assert_eq!(value(&outcome, 1999), 42);
    });
}

const SPIN: &str = r#"(module
    (func (export "main") (result i32) (local i32)
        (loop $next
            (local.set 0 (i32.add (local.get 0) (i32.const 1)))
            (br_if $next (i32.lt_u (local.get 0) (i32.const 300000))))
        (local.get 0)))"#;

#[test]
fn long_loops_go_on_slice_by_slice_and_fuel_ends_them() {
    devices::each("long loops", |interpreter| {
        let (outcome, _) = both(interpreter, SPIN, &launch(1, 3), &Resources::default());
        assert_eq!(value(&outcome, 2), 300_000);
        assert!(outcome.instructions.unwrap() >= 3 * 600_000);
        let short = Launch {
            fuel: Some(100_000),
            ..launch(1, 3)
        };
        let outcome = run(
            interpreter,
            &program(SPIN),
            &short,
            &mut Resources::default(),
        )
        .unwrap();
        assert_eq!(trap(&outcome, 1).0, TrapCode::FuelExhausted);
        assert_eq!(outcome.instructions, Some(300_000));
    });
}

#[test]
fn wrong_launches_are_refused() {
    devices::each("wrong launches", |interpreter| {
        let mut refuse = |launch: &Launch| {
            let error = run(
                interpreter,
                &program(SPIN),
                launch,
                &mut Resources::default(),
            );
            error.unwrap_err().to_string()
        };
        let kernel = "other".to_owned();
        let text = refuse(&Launch {
            kernel,
            ..launch(1, 1)
        });
        assert_eq!(text, "no kernel `other`: the program exports `main`");
        let args = vec![Value::i32(1)];
        let text = refuse(&Launch {
            args,
            ..launch(1, 1)
        });
        assert_eq!(text, "kernel `main` takes 0 arguments, 1 are given");
        let text = refuse(&launch(1, 20_000));
        assert!(text.contains("at most 16384 threads"), "{text}");
    });
}
