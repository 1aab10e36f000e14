//! Host calls at the limits: paths, long texts, large files, many panics.

use std::fs;
use std::path::PathBuf;

use anywarp_wasm::gpu::InterpreterOptions;
use anywarp_wasm::runtime::{Launch, MemoryMode, Resources};

use super::devices;
use super::programs::{both, launch, program, run, trap, value};

/// A temporary folder of one test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("anywarp-gpu-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Paths with and without terminator, another one for each thread.
const PATHS: &str = r#"(module
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (import "env" "read_file" (func $read_z (param i32 i32 i32) (result i32)))
    (import "env" "write_file" (func $write_z (param i32 i32 i32) (result i32)))
    (import "gpu" "read_file" (func $read (param i32 i32 i32 i32) (result i32)))
    (memory 1)
    (data (i32.const 16) "ok")
    (data (i32.const 65530) "ok\00okz")
    (func (export "main") (result i32) (local $i i32)
        (local.set $i (call $id))
        (memory.fill (i32.const 1000) (i32.const 97) (i32.const 4096))
        (memory.fill (i32.const 6000) (i32.const 98) (i32.const 4097))
        (memory.fill (i32.const 60000) (i32.const 99) (i32.const 5530))
        (if (i32.eq (local.get $i) (i32.const 0)) (then
            (return (call $read_z (i32.const 16) (i32.const 100) (i32.const 100)))))
        (if (i32.eq (local.get $i) (i32.const 1)) (then
            (return (call $read_z (i32.const 65530) (i32.const 100) (i32.const 100)))))
        (if (i32.eq (local.get $i) (i32.const 2)) (then
            (return (call $read_z (i32.const 65533) (i32.const 100) (i32.const 100)))))
        (if (i32.eq (local.get $i) (i32.const 3)) (then
            (return (call $write_z (i32.const 65535) (i32.const 100) (i32.const 1)))))
        (if (i32.eq (local.get $i) (i32.const 4)) (then
            (return (call $read_z (i32.const 65536) (i32.const 100) (i32.const 100)))))
        (if (i32.eq (local.get $i) (i32.const 5)) (then
            (return (call $read_z (i32.const 1000) (i32.const 100) (i32.const 100)))))
        (if (i32.eq (local.get $i) (i32.const 6)) (then
            (return (call $read_z (i32.const 6000) (i32.const 100) (i32.const 100)))))
        (if (i32.eq (local.get $i) (i32.const 7)) (then
            (return (call $write_z (i32.const 60000) (i32.const 100) (i32.const 1)))))
        (if (i32.eq (local.get $i) (i32.const 8)) (then
            (return (call $read (i32.const 6000) (i32.const 4097) (i32.const 100) (i32.const 9)))))
        (if (i32.eq (local.get $i) (i32.const 9)) (then
            (return (call $read_z (i32.const 16) (i32.const 65000) (i32.const 537)))))
        (call $read (i32.const 16) (i32.const 65521) (i32.const 100) (i32.const 9))))"#;

#[test]
fn paths_have_the_same_limits_on_both_machines() {
    let folder = folder("paths");
    fs::write(folder.join("ok"), "12345").unwrap();
    let resources = Resources {
        folders: vec![folder.clone()],
        ..Resources::default()
    };
    devices::each("paths", |interpreter| {
        let (outcome, _) = both(interpreter, PATHS, &launch(1, 11), &resources);
        let codes = [0, 1, 6, 7, 8].map(|thread| value(&outcome, thread) as i32);
        assert_eq!(codes, [5, 5, -3, -3, -3]);
        for thread in [2, 3, 4, 9, 10] {
            let (_, text) = trap(&outcome, thread);
            assert!(text.starts_with("out of bounds memory access"), "{text}");
        }
    });
    fs::remove_dir_all(&folder).unwrap();
}

/// Every thread prints a million bytes of shared memory.
const LONG_PRINTS: &str = r#"(module
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (import "gpu" "print" (func $print (param i32 i32)))
    (import "gpu" "panic" (func $panic (param i32 i32)))
    (memory 16)
    (global $stack_pointer (export "__stack_pointer") (mut i32) (i32.const 4096))
    (data (i32.const 5000) "begin")
    (data (i32.const 70536) "!?")
    (func (export "main")
        (call $print (i32.const 5000) (i32.const 1000000))
        (call $print (i32.add (i32.const 4999) (i32.and (call $id) (i32.const 3))) (i32.const 65536))
        (if (i32.and (call $id) (i32.const 1)) (then
            (call $panic (i32.const 5001) (i32.const 65537))))))"#;

#[test]
fn long_texts_are_cut_the_same_on_both_machines() {
    // Less than the total of what all threads print.
    let options = InterpreterOptions::default().max_buffer_bytes(40 << 16);
    let launch = Launch {
        memory: MemoryMode::Shared { stack: 16 },
        max_pages: 40,
        stack_slots: 64,
        ..launch(4, 25)
    };
    devices::each_with("long texts", options, |interpreter| {
        let (outcome, _) = both(interpreter, LONG_PRINTS, &launch, &Resources::default());
        assert_eq!(outcome.printed.len(), 200);
        let (_, first) = &outcome.printed[0];
        assert!(first.starts_with("begin\0") && first.ends_with("... 934464 more bytes"));
        let (_, text) = trap(&outcome, 99);
        assert!(text.starts_with("egin\\u{0}"), "{}", &text[..9]);
        assert!(
            text.contains("!... 1 more bytes in `"),
            "{}",
            &text[65530..]
        );
    });
}

/// Writes a file as large as the staging buffer and reads it back.
const LARGE_FILES: &str = r#"(module
    (import "gpu" "write_file" (func $write (param i32 i32 i32 i32) (result i32)))
    (import "gpu" "read_file" (func $read (param i32 i32 i32 i32) (result i32)))
    (memory 40)
    (data (i32.const 2621200) "large")
    (func (export "main") (result i32) (local $i i32) (local $wrong i32)
        (local.set $i (i32.const 2620000))
        (loop $next
            (local.set $i (i32.sub (local.get $i) (i32.const 200)))
            (i32.store (i32.add (i32.const 5) (local.get $i)) (local.get $i))
            (br_if $next (local.get $i)))
        (if (i32.ne (i32.const 2621000) (call $write
                (i32.const 2621200) (i32.const 5) (i32.const 5) (i32.const 2621000)))
            (then (return (i32.const -1))))
        (memory.fill (i32.const 0) (i32.const 0) (i32.const 2621200))
        (if (i32.ne (i32.const 2621000) (call $read
                (i32.const 2621200) (i32.const 5) (i32.const 7) (i32.const 2621100)))
            (then (return (i32.const -2))))
        (local.set $i (i32.const 2620000))
        (loop $next
            (local.set $i (i32.sub (local.get $i) (i32.const 200)))
            (if (i32.ne (local.get $i) (i32.load (i32.add (i32.const 7) (local.get $i))))
                (then (local.set $wrong (i32.add (local.get $wrong) (i32.const 1)))))
            (br_if $next (local.get $i)))
        (local.get $wrong)))"#;

#[test]
fn large_files_travel_in_batches() {
    let folder = folder("large");
    let resources = Resources {
        folders: vec![folder.clone()],
        ..Resources::default()
    };
    let launch = Launch {
        max_pages: 40,
        ..launch(1, 1)
    };
    // Just enough for the memory: the file and the row list together exceed a buffer.
    let options = InterpreterOptions::default().max_buffer_bytes(40 << 16);
    devices::each_with("large files", options, |interpreter| {
        let (outcome, _) = both(interpreter, LARGE_FILES, &launch, &resources);
        assert_eq!(value(&outcome, 0), 0);
    });
    fs::remove_dir_all(&folder).unwrap();
}

const PANICS: &str = r#"(module
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (import "gpu" "panic" (func $panic (param i32 i32)))
    (memory 1)
    (global $stack_pointer (export "__stack_pointer") (mut i32) (i32.const 4096))
    (data (i32.const 5000) "abcdefghijk")
    (func (export "main")
        (call $panic
            (i32.add (i32.const 5000) (i32.rem_u (call $id) (i32.const 5)))
            (i32.add (i32.const 1) (i32.rem_u (call $id) (i32.const 7))))))"#;

#[test]
fn the_texts_of_many_panics_are_read_together() {
    let launch = Launch {
        memory: MemoryMode::Shared { stack: 16 },
        max_pages: 20,
        stack_slots: 32,
        ..launch(560, 64)
    };
    devices::each("many panics", |interpreter| {
        let start = std::time::Instant::now();
        let resources = &mut Resources::default();
        let outcome = run(interpreter, &program(PANICS), &launch, resources).unwrap();
        assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
        for thread in 0..outcome.threads.len() {
            let (first, length) = (thread % 5, 1 + thread % 7);
            let (_, text) = trap(&outcome, thread);
            let expected = format!("{} in ", &"abcdefghijk"[first..first + length]);
            assert!(text.starts_with(&expected), "{text}");
        }
    });
}
