//! The options of `run` for kernels, each with a kernel that shows its effect, on the virtual machine and on the
//! interpreter.

use std::fs;

use crate::harness::{CommandOutput, Folder, anywarp};

/// A kernel for each option.
const KERNELS: &str = r#"(module
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (import "gpu" "read_state" (func $state (param i32) (result i32)))
    (import "gpu" "write_state" (func $write_state (param i32 i32)))
    (import "gpu" "atomic_add" (func $add (param i32 i32) (result i32)))
    (import "gpu" "read_input" (func $input (param i32) (result i32)))
    (import "gpu" "queue_pop" (func $pop (result i32)))
    (import "gpu" "queue_push" (func $push (param i32) (result i32)))
    (import "gpu" "read_file" (func $read (param i32 i32 i32 i32) (result i32)))
    (import "gpu" "write_file" (func $write (param i32 i32 i32 i32) (result i32)))
    (memory 1)
    (global $__stack_pointer (export "__stack_pointer") (mut i32) (i32.const 65536))
    (data (i32.const 0) "in.txt") (data (i32.const 16) "out.txt") (data (i32.const 32) "../secret")
    (func (export "state") (result i32)
        (call $write_state (i32.const 1) (i32.add (call $state (i32.const 0)) (i32.const 1)))
        (call $add (i32.const 2) (i32.const 5)))
    (func (export "input") (result i32) (call $input (call $id)))
    (func (export "queue") (local $item i32)
        (block $end (loop $next
            (br_if $end (i32.lt_s (local.tee $item (call $pop)) (i32.const 0)))
            (drop (call $add (i32.const 0) (local.get $item)))
            (if (i32.gt_s (local.get $item) (i32.const 10))
                (then (drop (call $push (i32.sub (local.get $item) (i32.const 10))))))
            (br $next))))
    (func (export "files") (result i32 i32 i32) (local $length i32)
        (local.set $length
            (call $read (i32.const 0) (i32.const 6) (i32.const 64) (i32.const 100)))
        (local.get $length)
        (call $write (i32.const 16) (i32.const 7) (i32.const 64)
            (i32.and (local.get $length) (i32.const 15)))
        (call $read (i32.const 32) (i32.const 9) (i32.const 64) (i32.const 100)))
    (func (export "spin") (loop (br 0)))
    (func (export "count") (param i32) (result i32)
        (loop (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))) (i32.const 7))
    (func (export "grow") (param i32) (result i32 i32)
        (memory.grow (local.get 0)) (memory.size))
    (func (export "share") (result i32 i32) (local $at i32)
        ;; A word of everybody's, and one on the stack.
        (local.set $at (i32.sub (global.get $__stack_pointer) (i32.const 4)))
        (i32.store (local.get $at) (call $id))
        (i32.store (i32.const 1024) (i32.add (i32.load (i32.const 1024)) (i32.const 1)))
        (i32.load (i32.const 1024)) (i32.load (local.get $at))))"#;

const ENGINES: [&str; 2] = ["vm", "interpreter"];

struct Kernels {
    folder: Folder,
    file: String,
}

impl Kernels {
    fn new(test: &str) -> Self {
        let folder = Folder::new(test);
        let file = folder.file("kernels.wasm", wat::parse_str(KERNELS).unwrap());
        Self { folder, file }
    }

    /// `anywarp run` of a kernel, in one line of options.
    fn run(&self, engine: &str, kernel: &str, options: &str) -> CommandOutput {
        let mut command = vec!["run", &self.file, "--device", "cpu", "--engine", engine];
        command.extend(["--entry", kernel]);
        command.extend(options.split_whitespace());
        anywarp(&command)
    }
}

#[test]
fn state_and_input_are_given_and_state_is_shown() {
    let kernels = Kernels::new("options-state");
    let words: Vec<u8> = [5_u32, 6, 7]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let input = kernels.folder.file("input.bin", words);
    for engine in ENGINES {
        let state = kernels.run(engine, "state", "--state u32:41,0,100").done();
        assert_eq!(state.stdout, "0: 100\nstate = [41, 42, 105]\n");
        // Without the option there is no input: reads give 0 and writes have no effect.
        assert_eq!(kernels.run(engine, "state", "").done().stdout, "0: 0\n");
        let json = kernels.run(engine, "state", "--state u32:1,0,0 --json");
        assert_eq!(json.done().json()["state"][1], 2);
        let input = format!("--threads 4 --input @{input}");
        let input = kernels.run(engine, "input", &input).done();
        assert_eq!(input.stdout, "0: 5\n1: 6\n2: 7\n3: 0\n");
    }
    kernels
        .run("vm", "state", "--state u32:x")
        .failed(2, &["--state"]);
    kernels
        .run("vm", "input", "--input zeros:3")
        .failed(2, &["--input", "3 bytes"]);
}

#[test]
fn the_queue_is_filled_before_and_by_kernels() {
    let kernels = Kernels::new("options-queue");
    for engine in ENGINES {
        // 35 becomes 25, 15 and 5.
        let queue = "--threads 5 --queue u32:35,4 --state u32:0";
        let queue = kernels.run(engine, "queue", queue).done();
        assert!(
            queue.stdout.ends_with("\nstate = [84]\n"),
            "{}",
            queue.stdout
        );
        let empty = kernels
            .run(engine, "queue", "--threads 5 --state u32:0")
            .done();
        assert!(
            empty.stdout.ends_with("\nstate = [0]\n"),
            "{}",
            empty.stdout
        );
    }
}

#[test]
fn files_are_reached_in_allowed_folders_alone() {
    let kernels = Kernels::new("options-files");
    kernels.folder.file("secret", "secret");
    let allowed = kernels.folder.path("allowed");
    fs::create_dir(&allowed).unwrap();
    fs::write(format!("{allowed}/in.txt"), "some text").unwrap();
    for engine in ENGINES {
        let files = kernels
            .run(engine, "files", &format!("--allow-dir {allowed}"))
            .done();
        assert_eq!(files.stdout, "0: 9, 9, -2\n");
        let written = format!("{allowed}/out.txt");
        assert_eq!(fs::read(&written).unwrap(), b"some text");
        fs::remove_file(&written).unwrap();
        // Nothing is allowed by default.
        let refused = kernels.run(engine, "files", "").done();
        assert_eq!(refused.stdout, "0: -2, -2, -2\n");
    }
}

#[test]
fn fuel_ends_a_kernel_that_does_not_end() {
    let kernels = Kernels::new("options-fuel");
    for engine in ENGINES {
        let spin = kernels.run(engine, "spin", "--fuel 10000 --threads 2");
        let spin = spin.failed(1, &["2 of 2 threads trapped"]);
        let line = "0: trap: out of fuel in `spin`";
        assert!(spin.stdout.starts_with(line), "{}", spin.stdout);
        let enough = kernels
            .run(engine, "count", "--args 100 --fuel 10000")
            .done();
        assert_eq!(enough.stdout, "0: 7\n");
        let small = kernels.run(engine, "count", "--args 100000 --fuel 10000");
        small.failed(1, &["1 of 1 threads trapped"]);
    }
}

#[test]
fn memory_grows_as_far_as_it_may() {
    let kernels = Kernels::new("options-pages");
    for engine in ENGINES {
        let grown = |options: &str| kernels.run(engine, "grow", options).done().stdout;
        assert_eq!(grown("--args 2 --max-pages 3"), "0: 1, 3\n");
        assert_eq!(grown("--args 3 --max-pages 3"), "0: -1, 1\n");
        // By default 16 pages more than the initial size.
        assert_eq!(grown("--args 16"), "0: 1, 17\n");
        assert_eq!(grown("--args 17"), "0: -1, 1\n");
        let none = kernels.run(engine, "grow", "--args 0 --max-pages 0");
        none.failed(
            2,
            &["memory 0 has 1 initial pages, but 0 are allowed; raise max_pages (--max-pages"],
        );
    }
}

#[test]
fn huge_memories_are_refused_by_default() {
    let folder = Folder::new("options-huge");
    let text = r#"(module (memory 65536) (func (export "main")
        (memory.fill (i32.const 0) (i32.const 1) (i32.const 0x80000000))))"#;
    let file = &folder.file("huge.wasm", wat::parse_str(text).unwrap());
    for engine in ["vm", "interpret"] {
        let expected = [
            "memory 0 has 65536 initial pages, but 4096 are allowed",
            "--max-pages",
        ];
        anywarp(&["run", file, "--engine", engine]).failed(2, &expected);
        let larger = ["run", file, "--engine", engine, "--max-pages", "65536"];
        let less = [&larger[..], &["--max-total-pages", "65535"]].concat();
        let expected = [
            "need 65536 pages, but 65535 are allowed",
            "--max-total-pages",
        ];
        anywarp(&less).failed(2, &expected);
    }
}

#[test]
fn an_endless_kernel_ends_on_both_machines() {
    let kernels = Kernels::new("options-endless");
    for engine in ENGINES {
        let endless = kernels.run(engine, "spin", "--watchdog 0.3");
        endless.failed(
            1,
            &[
                "endless: thread 0",
                "in `spin` at 0x",
                "300ms",
                "--watchdog",
            ],
        );
        let limited = kernels.run(engine, "spin", "--limit 0.3");
        limited.failed(1, &["too much work: 0 of 1 threads", "300ms", "--limit"]);
    }
}

#[test]
fn shared_memory_is_everybodys_and_stacks_are_not() {
    let kernels = Kernels::new("options-shared");
    for engine in ENGINES {
        let own = kernels.run(engine, "share", "--threads 3").done();
        assert_eq!(own.stdout, "0: 1, 0\n1: 1, 1\n2: 1, 2\n");
        // No thread loses its own word. The shared counter is updated without atomics, so only threads that run one
        // after another are sure to see each other's updates.
        let shared = "--threads 3 --shared-memory 4096 --json";
        let shared = kernels.run(engine, "share", shared).done().json();
        let results = |at: usize| -> Vec<i64> {
            let result = |thread: usize| shared["threads"][thread]["results"][at].as_i64().unwrap();
            (0..3).map(result).collect()
        };
        assert_eq!(results(1), [0, 1, 2]);
        let counted = results(0);
        assert!(
            counted.iter().all(|count| (1..=3).contains(count)),
            "{counted:?}"
        );
        if engine == "vm" {
            assert_eq!(counted, [1, 2, 3]);
        }
        // Stacks that do not fit into memory.
        let options = "--threads 3 --shared-memory 65536 --max-pages 2";
        kernels.run(engine, "share", options).failed(
            2,
            &["the stacks of 3 threads with 65536 bytes each", "allows 2"],
        );
        kernels
            .run(engine, "share", "--shared-memory 0")
            .failed(2, &["at least 1 byte"]);
    }
}

#[test]
fn more_threads_than_the_grid_has_are_refused() {
    let kernels = Kernels::new("options-threads");
    let options = "--threads 100 --workgroups 1 --workgroup-size 10";
    let words = ["--threads", "100 are more than the 10"];
    kernels.run("vm", "input", options).failed(2, &words);
    let fewer = "--threads 15 --workgroups 2 --workgroup-size 10";
    let fewer = kernels.run("vm", "input", fewer).done();
    assert_eq!(fewer.stdout.lines().count(), 15);
}

#[test]
fn hexadecimal_arguments_may_be_negative() {
    let kernels = Kernels::new("options-args");
    let grown = kernels.run("vm", "grow", "--args=-0x1").done();
    assert_eq!(grown.stdout, "0: -1, 1\n");
    kernels
        .run("vm", "grow", "--args 0x-1")
        .failed(2, &["`0x-1` is not of type i32"]);
    kernels
        .run("vm", "grow", "")
        .failed(2, &["takes 1 argument, 0 are given"]);
    kernels
        .run("vm", "input", "--args 1")
        .failed(2, &["takes 0 arguments, 1 is given"]);
}

#[test]
fn text_of_kernels_cannot_act_on_a_terminal() {
    let folder = Folder::new("options-text");
    let text = r#"(module (import "gpu" "print" (func $print (param i32 i32)))
        (import "gpu" "panic" (func $panic (param i32 i32)))
        (memory 1) (data (i32.const 0) "a\nb\1b[31mred\r\00\t.")
        (func (export "pr\0aint\1b[2J") (call $print (i32.const 0) (i32.const 15)))
        (func (export "panic") (call $panic (i32.const 0) (i32.const 15))))"#;
    let file = folder.file("text.wasm", wat::parse_str(text).unwrap());
    let run = |kernel: &str| anywarp(&["run", &file, "--entry", kernel]);
    let printed = run("pr\nint\u{1b}[2J").done().stdout;
    assert_eq!(
        printed,
        "0: print: a\nb\\u{1b}[31mred\\u{d}\\u{0}\t.\n0: done\n"
    );
    let panicked = run("panic").failed(1, &[]).stdout;
    let start = "0: trap: a; b\\u{1b}[31mred\\u{d}\\u{0}\\u{9}. in `panic`";
    assert!(panicked.starts_with(start), "{panicked:?}");
    let name = "`pr\\u{a}int\\u{1b}[2J`";
    let unknown = run("x").failed(2, &[name]).stderr;
    assert!(!unknown.contains('\u{1b}'), "{unknown:?}");
    let inspected = anywarp(&["inspect", &file]).done().stdout;
    assert!(
        inspected.contains(&format!("kernel {name}()")),
        "{inspected}"
    );
    // JSON contains names without escapes for the terminal.
    let report = anywarp(&["inspect", &file, "--json"]).done().json();
    assert_eq!(report["kernels"][0]["name"], "pr\nint\u{1b}[2J");
}

#[test]
fn a_module_under_another_name_is_told_from_other_files() {
    let folder = Folder::new("options-renamed");
    let module = wat::parse_str(KERNELS).unwrap();
    for name in ["kernels.txt", "kernels"] {
        let file = folder.file(name, &module);
        let words = [name, "holds a WebAssembly module: call it .wasm"];
        anywarp(&["run", &file, "--args", "1"]).failed(2, &words);
    }
    let file = folder.file("hello", "hello");
    let words = [
        "no extension",
        ".wgsl, .spv, .spvasm, .comp",
        ".wasm, .awbc or .awasm",
    ];
    anywarp(&["run", &file, "--args", "1"]).failed(2, &words);
}

#[test]
fn sizes_that_no_machine_holds_are_refused() {
    let folder = Folder::new("options-sizes");
    let text = r#"(module (table 4294967290 funcref) (func (export "main")))"#;
    let file = folder.file("table.wasm", wat::parse_str(text).unwrap());
    for engine in ENGINES {
        anywarp(&["run", &file, "--engine", engine]).failed(
            1,
            &["tables of 4294967290 elements", "10000000 are supported"],
        );
    }
    let text = ".word 0\n.type ->\n.table 4294967290\n";
    let file = folder.file("table.awasm", text);
    anywarp(&["run", &file]).failed(1, &["tables: 4294967290 elements: at most 10000000"]);
}

#[test]
fn a_panic_without_its_message_comes_with_a_hint() {
    let folder = Folder::new("options-hint");
    let text = r#"(module (func $"__rustc::__rust_abort" unreachable)
        (func (export "main") (call $"__rustc::__rust_abort")))"#;
    let file = folder.file("std.wasm", wat::parse_str(text).unwrap());
    anywarp(&["run", &file]).failed(1, &["hint: ", "gpu_sdk::panic_handler!(std)"]);
    let text = "(module (func $f (export \"main\") unreachable))";
    let file = folder.file("other.wasm", wat::parse_str(text).unwrap());
    let other = anywarp(&["run", &file]).failed(1, &[]);
    assert!(!other.stderr.contains("hint"), "{}", other.stderr);
}
