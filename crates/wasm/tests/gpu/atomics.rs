//! Atomic operations on memory, on both executors and with both kinds of memory.

use anywarp_wasm::runtime::{Launch, MemoryMode, Resources};
use anywarp_wasm::vm;

use super::devices;
use super::programs::{both, launch, program, run, trap, value};

/// Every thread executes each operation on a word of its own; the result is the sum of all old and
/// new values.
const OPERATIONS: &str = r#"(module
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (import "gpu" "memory_atomic" (func $atomic (param i32 i32 i32) (result i32)))
    (import "gpu" "memory_compare_exchange" (func $exchange (param i32 i32 i32) (result i32)))
    (memory 1)
    (global $stack_pointer (export "__stack_pointer") (mut i32) (i32.const 4096))
    (func $try (param $op i32) (param $old i32) (param $value i32) (result i32) (local $at i32)
        (local.set $at (i32.add (i32.const 8192) (i32.mul (i32.const 4) (call $id))))
        (i32.store (local.get $at) (local.get $old))
        (i32.add
            (i32.mul (i32.const 31) (call $atomic (local.get $op) (local.get $at) (local.get $value)))
            (i32.load (local.get $at))))
    (func (export "main") (result i32) (local $sum i32) (local $op i32) (local $at i32)
        (loop $next
            (local.set $sum (i32.add (i32.mul (local.get $sum) (i32.const 7)) (i32.add
                (call $try (local.get $op) (i32.sub (call $id) (i32.const 5)) (i32.const 3))
                (call $try (local.get $op) (call $id) (i32.const -3)))))
            (local.set $op (i32.add (local.get $op) (i32.const 1)))
            (br_if $next (i32.lt_u (local.get $op) (i32.const 12))))
        (local.set $at (i32.add (i32.const 8192) (i32.mul (i32.const 4) (call $id))))
        (i32.store (local.get $at) (i32.const 10))
        (local.set $sum (i32.add (local.get $sum)
            (call $exchange (local.get $at) (i32.const 10) (i32.const 20))))
        (local.set $sum (i32.add (local.get $sum)
            (call $exchange (local.get $at) (i32.const 10) (i32.const 30))))
        (if (i32.eq (call $id) (i32.const 9)) (then
            (return (call $atomic (i32.const 0) (i32.const 8194) (i32.const 1)))))
        (if (i32.eq (call $id) (i32.const 10)) (then
            (return (call $exchange (i32.const 0x7ffffffc) (i32.const 1) (i32.const 1)))))
        (i32.add (local.get $sum) (i32.load (local.get $at)))))"#;

#[test]
fn every_operation_on_memory_is_the_same_on_both_machines() {
    devices::each("atomics on memory", |interpreter| {
        for memory in [MemoryMode::Private, MemoryMode::Shared { stack: 16 }] {
            let launch = Launch {
                memory,
                ..launch(1, 12)
            };
            let (outcome, _) = both(interpreter, OPERATIONS, &launch, &Resources::default());
            assert_ne!(value(&outcome, 1), value(&outcome, 2));
            for thread in [9, 10] {
                let (_, text) = trap(&outcome, thread);
                assert!(text.starts_with("out of bounds memory access"), "{text}");
            }
        }
    });
}

/// Threads of all workgroups increment words in memory with each kind of atomic operation; the last
/// one reports the result.
const COUNTING: &str = r#"(module
    (import "gpu" "memory_atomic" (func $atomic (param i32 i32 i32) (result i32)))
    (import "gpu" "memory_compare_exchange" (func $exchange (param i32 i32 i32) (result i32)))
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (import "gpu" "write_state" (func $write (param i32 i32)))
    (memory 1)
    (global $stack_pointer (export "__stack_pointer") (mut i32) (i32.const 4096))
    (func (export "main") (local $left i32) (local $old i32)
        (local.set $left (i32.const 20))
        (loop $next
            (drop (call $atomic (i32.const 0) (i32.const 64) (i32.const 1)))
            (drop (call $atomic (i32.const 4) (i32.const 68) (i32.add (call $id) (local.get $left))))
            (if (i32.eqz (i32.and (call $id) (i32.const 15))) (then
                (loop $again
                    (local.set $old (i32.load (i32.const 72)))
                    (br_if $again (i32.ne (local.get $old) (call $exchange (i32.const 72)
                        (local.get $old) (i32.add (local.get $old) (i32.const 1))))))))
            (br_if $next (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
        (if (i32.eq (i32.const 255) (call $atomic (i32.const 0) (i32.const 76) (i32.const 1)))
            (then
                (call $write (i32.const 0) (i32.load (i32.const 64)))
                (call $write (i32.const 1) (i32.load (i32.const 68)))
                (call $write (i32.const 2) (i32.load (i32.const 72)))))))"#;

#[test]
fn no_count_is_lost_in_shared_memory() {
    let launch = Launch {
        memory: MemoryMode::Shared { stack: 16 },
        ..launch(8, 32)
    };
    let program = program(COUNTING);
    let start = Resources {
        state: vec![0; 3],
        ..Resources::default()
    };
    let mut resources = start.clone();
    vm::run(&program, &launch, &mut resources).unwrap();
    let expected = [256 * 20, 255 + 20, 16 * 20];
    assert_eq!(resources.state, expected);
    devices::each("counting in memory", |interpreter| {
        let mut resources = start.clone();
        run(interpreter, &program, &launch, &mut resources).unwrap();
        assert_eq!(resources.state, expected);
    });
}
