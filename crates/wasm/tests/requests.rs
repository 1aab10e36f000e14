//! Host calls on both executors: a thread that waits for a file does not block others, and failing
//! indirect calls give the specified traps.

use std::fs;
use std::path::PathBuf;

use super::gpu::devices;
use anywarp_wasm::bytecode::{Bytecode, verify};
use anywarp_wasm::gpu::Interpreter;
use anywarp_wasm::runtime::{Launch, LaunchOutcome, MemoryMode, Resources, ThreadEnd, Value};
use anywarp_wasm::{TranslateOptions, translate, vm};

fn program(text: &str) -> Bytecode {
    let wasm = wat::parse_str(text).unwrap();
    let program = translate(&wasm, &TranslateOptions::default())
        .unwrap()
        .bytecode;
    verify(&program).unwrap();
    program
}

fn launch(threads: u32, args: &[i32]) -> Launch {
    Launch {
        kernel: "main".to_owned(),
        args: args.iter().copied().map(Value::i32).collect(),
        workgroups: [1, 1, 1],
        workgroup_size: [threads, 1, 1],
        threads: None,
        memory: MemoryMode::Private,
        max_pages: 1,
        stack_slots: 256,
        ..Launch::default()
    }
}

/// An executor: runs a program.
type Machine<'a> = &'a dyn Fn(&Bytecode, &Launch, &mut Resources) -> LaunchOutcome;

/// Runs a test on the virtual machine and on every device.
fn on_machines(what: &str, test: impl Fn(Machine<'_>)) {
    test(&|program, launch, resources| vm::run(program, launch, resources).unwrap());
    devices::each(what, |interpreter: &mut Interpreter| {
        let shared = std::cell::RefCell::new(interpreter);
        test(&|program, launch, resources| {
            let mut interpreter = shared.borrow_mut();
            interpreter.load(program);
            pollster::block_on(interpreter.run(launch, resources)).unwrap()
        });
    });
}

fn values(outcome: &LaunchOutcome, thread: usize) -> Vec<i32> {
    match &outcome.threads[thread] {
        ThreadEnd::Done(values) => values.iter().map(|value| value.bits() as i32).collect(),
        ThreadEnd::Trapped(trap) => panic!("thread {thread}: {trap}"),
    }
}

/// Thread 0 records the count of the others, reads a file, and reads the count again. The others
/// count up in the state, and never access a file.
const WAITER: &str = r#"(module
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (import "gpu" "atomic_add" (func $add (param i32 i32) (result i32)))
    (import "gpu" "read_state" (func $state (param i32) (result i32)))
    (import "gpu" "read_file" (func $read (param i32 i32 i32 i32) (result i32)))
    (memory 1) (data (i32.const 0) "numbers")
    (func $count (param $times i32)
        (loop (drop (call $add (i32.const 0) (i32.const 1)))
            (br_if 0 (local.tee $times (i32.sub (local.get $times) (i32.const 1))))))
    (func (export "main") (param $times i32) (result i32 i32 i32) (local $before i32) (local $read i32)
        (if (call $id)
            (then (call $count (local.get $times)) (return (i32.const 0) (i32.const 0) (i32.const 0))))
        (local.set $before (call $state (i32.const 0)))
        (local.set $read
            (call $read (i32.const 0) (i32.const 7) (i32.const 64) (i32.const 100)))
        (local.get $before) (local.get $read) (call $state (i32.const 0))))"#;

#[test]
fn others_go_on_while_a_thread_waits_for_a_file() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("requests-waiter");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("numbers"), b"0123456789").unwrap();
    let program = program(WAITER);
    on_machines("a file and a counter", |run| {
        // One workgroup, whose threads share an OS thread on the virtual machine: if thread 0
        // blocked for its file, the others could not count meanwhile.
        let launch = launch(4, &[500]);
        let mut resources = Resources {
            state: vec![0],
            folders: vec![folder.clone()],
            ..Resources::default()
        };
        let outcome = run(&program, &launch, &mut resources);
        let [before, read, after] = values(&outcome, 0)[..] else {
            panic!("three results");
        };
        assert_eq!(read, 10);
        assert!(before < after, "{before} before and {after} after");
        assert_eq!(resources.state, [1500]);
    });
}

/// Two functions of one type and one of another in a table of five that other modules may write, so
/// that calls are not devirtualized.
const THROUGH_A_TABLE: &str = r#"(module
    (type $unary (func (param i32) (result i32)))
    (table (export "t") 5 funcref) (elem (i32.const 0) $double $square $other)
    (func $double (param i32) (result i32) (i32.shl (local.get 0) (i32.const 1)))
    (func $square (param i32) (result i32) (i32.mul (local.get 0) (local.get 0)))
    (func $other (param f32))
    (func $main (export "main") (param i32) (result i32)
        (call_indirect (type $unary) (i32.const 7) (local.get 0))))"#;

#[test]
fn calls_through_tables_work_or_say_why_not() {
    // The same with an immutable table, for which calls are devirtualized.
    let fixed = THROUGH_A_TABLE.replace(r#"(export "t")"#, "");
    for text in [THROUGH_A_TABLE, &fixed] {
        let program = program(text);
        on_machines("a call through a table", |run| {
            let end = |element: i32| {
                let mut resources = Resources::default();
                let outcome = run(&program, &launch(1, &[element]), &mut resources);
                match &outcome.threads[0] {
                    ThreadEnd::Done(values) => values[0].bits().to_string(),
                    ThreadEnd::Trapped(trap) => trap.to_string(),
                }
            };
            assert_eq!(end(0), "14");
            assert_eq!(end(1), "49");
            for (element, why) in [
                (2, "indirect call type mismatch"),
                (3, "uninitialized element"),
                (5, "undefined element"),
                (-1, "undefined element"),
            ] {
                let message = end(element);
                let start = format!("{why} in `main` at 0x");
                assert!(message.starts_with(&start), "{element}: {message}");
            }
        });
    }
}
