//! Kernels in WebAssembly: `run`, `inspect`, `translate` and `build`.

use std::fs;

use crate::harness::{CommandOutput, Folder, anywarp, read_png, root, run};

const FIXTURES: &str = "crates/wasm/tests/fixtures";

fn fixture(name: &str) -> String {
    format!("{FIXTURES}/{name}.wasm")
}

/// `anywarp run` of a fixture, in one line of options.
fn run_fixture(name: &str, options: &str) -> CommandOutput {
    let options: Vec<&str> = options.split_whitespace().collect();
    run(&fixture(name), &options)
}

#[test]
fn a_line_for_each_thread() {
    assert_eq!(run_fixture("helper", "--args 3").done().stdout, "0: 25\n");
    let ids = run_fixture("thread_id", "--args 0 --threads 3").done();
    assert_eq!(ids.stdout, "0: 0\n1: 1\n2: 2\n");
    let grid = run_fixture("thread_id", "--args 0 --workgroups 2 --workgroup-size 2");
    assert_eq!(grid.done().stdout, "0: 0\n1: 1\n2: 2\n3: 3\n");
}

#[test]
fn many_threads_are_summed_up() {
    let summary = run_fixture("thread_id", "--args 0 --threads 100")
        .done()
        .stdout;
    assert!(
        summary.starts_with("100 threads: 100 done, 0 trapped"),
        "{summary}"
    );
    let all = run_fixture("thread_id", "--args 0 --threads 100 --all").done();
    assert_eq!(all.stdout.lines().count(), 100);
}

#[test]
fn the_interpreter_gives_the_same() {
    let options = ["--args", "5", "--engine", "interpreter", "--device", "cpu"];
    let file = fixture("locals");
    let mut command = vec!["run", file.as_str()];
    command.extend(options);
    assert_eq!(anywarp(&command).done().stdout, "0: 159\n");
}

#[test]
fn recursion_is_refused_and_can_be_allowed() {
    let message = "Recursion not supported on GPU: `recursion::factorial`";
    run_fixture("recursion", "--args 5").failed(1, &[message]);
    let allowed = run_fixture("recursion", "--args 5 --allow-recursion").done();
    assert_eq!(allowed.stdout, "0: 120\n");
    assert!(allowed.stderr.contains("warning:"), "{}", allowed.stderr);
}

#[test]
fn panics_say_what_and_where() {
    for build in ["panics_debug", "panics_release"] {
        let panicked = run_fixture(build, "--entry formatted --args 5");
        let panicked = panicked.failed(1, &["1 of 1 threads trapped"]);
        let line = "0: trap: panicked at lib.rs:29:9: bad 5: 0.5 is too much\n";
        assert_eq!(panicked.stdout, line);
        // No warnings about imports that only a panic uses.
        assert_eq!(panicked.stderr.lines().count(), 1, "{}", panicked.stderr);
        let several = run_fixture(build, "--entry equal --args 6").failed(1, &[]);
        let line = "of all numbers; left: 6; right: 7\n";
        assert!(several.stdout.ends_with(line), "{}", several.stdout);
    }
}

#[test]
fn stacks_in_shared_memory_need_no_further_option() {
    let shared = run_fixture("thread_id", "--args 0 --threads 40 --shared-memory 4096").done();
    assert_eq!(shared.stdout.lines().count(), 40);
}

#[test]
fn warnings_are_few_unless_all_are_wanted() {
    let warnings = |options: &str| {
        let run = run_fixture("mutual_recursion", options).done();
        run.stderr
            .lines()
            .filter(|line| line.starts_with("warning:"))
            .count()
    };
    assert_eq!(warnings("--args 5 --allow-recursion"), 1);
    assert_eq!(warnings("--args 5 --allow-recursion --verbose"), 3);
}

#[test]
fn a_trap_is_a_line_and_exit_code_one() {
    let trapped = run_fixture("recursion", "--args 99999 --allow-recursion --stack 64");
    let trapped = trapped.failed(1, &["1 of 1 threads trapped"]);
    let line = "0: trap: call stack exhausted in `recursion::factorial`";
    assert!(trapped.stdout.starts_with(line), "{}", trapped.stdout);
}

#[test]
fn pixels_become_a_picture() {
    let folder = Folder::new("kernel-pixels");
    let picture = folder.path("gradient.png");
    let pixels = format!("{picture}:800x1");
    run(&fixture("pixels"), &["--args", "0", "--pixels", &pixels]).done();
    let (width, height, _, bytes) = read_png(&picture);
    assert_eq!((width, height), (800, 1));
    assert_eq!(bytes[..4], [0, 0, 0, 255]);
    assert_eq!(bytes[400 * 4..401 * 4], [128, 0, 0, 255]);
}

#[test]
fn results_as_json() {
    let report = run_fixture("helper", "--args 3 --json --time")
        .done()
        .json();
    assert_eq!(report["threads"][0]["results"][0], 25);
    assert_eq!(report["threads"][0]["thread"], 0);
    assert_eq!(report["thread_count"], 1);
    assert_eq!(report["trapped"], 0);
}

/// The JSON of kernels and of shaders has the same structure.
#[test]
fn json_of_kernels_has_the_keys_of_shaders() {
    let shader = [
        "run",
        "examples/mandelbrot.wgsl",
        "--workgroups",
        "1",
        "--out",
        "0:0=print:u32:1",
        "--bind",
        "0:0=zeros:256",
        "--json",
        "--time",
    ];
    let shader = anywarp(&shader).done().json();
    let kernel = run_fixture("helper", "--args 3 --json --time --repeat 2")
        .done()
        .json();
    for (key, value) in shader.as_object().unwrap() {
        let same = std::mem::discriminant(&kernel[key]) == std::mem::discriminant(value);
        assert!(same, "{key} is {value} and {}", kernel[key]);
    }
    for key in shader["time"].as_object().unwrap().keys() {
        assert!(kernel["time"][key].is_number(), "{key}");
    }
    assert_eq!(kernel["entry"], "main");
    assert_eq!(kernel["repeat"], 2);
    assert!(kernel["time"]["run_total_ms"].as_f64().unwrap() > 0.0);
}

#[test]
fn json_of_many_threads_is_summed_up() {
    let many = "--args 0 --threads 100000 --json";
    let summary = run_fixture("thread_id", many).done();
    assert!(summary.stdout.lines().count() < 1000);
    let report = summary.json();
    assert_eq!(report["thread_count"], 100_000);
    assert_eq!(report["threads"].as_array().unwrap().len(), 64);
    assert_eq!(report["threads"][63]["results"][0], 63);
    let all = run_fixture("thread_id", "--args 0 --threads 100 --json --all");
    let all = all.done().json();
    assert_eq!(all["threads"].as_array().unwrap().len(), 100);
}

#[test]
fn json_of_many_traps_has_each_once() {
    let trapped = run_fixture(
        "recursion",
        "--args 99999 --allow-recursion --stack 64 --threads 100 --json",
    );
    let report = trapped.failed(1, &["100 of 100 threads trapped"]).json();
    assert_eq!(report["trapped"], 100);
    assert_eq!(report["traps"].as_array().unwrap().len(), 1);
    assert_eq!(report["traps"][0]["thread_count"], 100);
    assert_eq!(report["traps"][0]["first_thread"], 0);
    let text = report["traps"][0]["trap"].as_str().unwrap();
    assert!(text.starts_with("call stack exhausted"), "{text}");
}

#[test]
fn wrong_options_are_named() {
    run_fixture("helper", "").failed(2, &["--args", "takes 1 argument, 0 are given"]);
    run_fixture("helper", "--args x").failed(2, &["`x` is not of type i32"]);
    run_fixture("helper", "--args 1 --entry nothing").failed(2, &["no entry point `nothing`"]);
    run_fixture("helper", "--args 1 --swap 0:0,0:1").failed(2, &["--swap", "only for shaders"]);
    run_fixture("helper", "--args 1 --tier compiled --engine vm").failed(2, &["leave out --tier"]);
    run_fixture("helper", "--args 1 --float fast").failed(2, &["always exact"]);
    run_fixture("helper", "--args 1 --pixels a.jpg:4x4").failed(2, &["a.jpg:4x4"]);
    run_fixture("helper", "--args 1 --allow-dir nowhere").failed(2, &["nowhere is not a folder"]);
    let shader = ["--threads", "4", "--workgroups", "1"];
    run("examples/mandelbrot.wgsl", &shader).failed(2, &["--threads", "not for shaders"]);
}

#[test]
fn bad_modules_are_refused_with_a_place() {
    let folder = Folder::new("kernel-bad");
    let mut bytes = fs::read(root().join(fixture("helper"))).unwrap();
    bytes.truncate(bytes.len() / 2);
    let file = folder.file("bad.wasm", &bytes);
    run(&file, &[]).failed(1, &["bad.wasm", "0x"]);
    let file = folder.file("bad.awbc", b"AWBC\x01\0\0\0zzzzzzzz");
    run(&file, &[]).failed(1, &["byte 0x8: the checksum is wrong"]);
    let file = folder.file("bad.awasm", ".word 0\n.nonsense");
    run(&file, &[]).failed(1, &["line 2, column 1"]);
}

#[test]
fn bytecode_is_a_file_and_a_text() {
    let folder = Folder::new("kernel-bytecode");
    let (file, text) = (folder.path("nested.awbc"), folder.path("nested.awasm"));
    anywarp(&["translate", &fixture("nested"), &file]).done();
    anywarp(&["translate", &file, &text]).done();
    for program in [&file, &text] {
        assert_eq!(run(program, &["--args", "10"]).done().stdout, "0: 13\n");
    }
    let written = fs::read_to_string(&text).unwrap();
    assert!(written.contains(".export 0 \"main\""), "{written}");
}

#[test]
fn a_kernel_is_written_in_a_shader_language() {
    let folder = Folder::new("kernel-compiled");
    let file = folder.path("nested.wgsl");
    anywarp(&[
        "translate",
        &fixture("nested"),
        &file,
        "--workgroup-size",
        "8,4",
    ])
    .done();
    let written = fs::read_to_string(&file).unwrap();
    assert!(
        written.contains("@compute @workgroup_size(8, 4)"),
        "{written}"
    );
    anywarp(&["inspect", &file]).done();
    let recursive = fixture("recursion");
    let message = ["recursion: `recursion::factorial` -> `recursion::factorial`"];
    anywarp(&["translate", &recursive, &file, "--allow-recursion"]).failed(1, &message);
    anywarp(&["translate", &fixture("nested"), &folder.path("a.txt")]).failed(2, &["a.txt"]);
}

#[test]
fn the_compiled_tier_gives_what_bytecode_gives() {
    let bytecode = run_fixture("nested", "--args 10 --tier bytecode")
        .done()
        .stdout;
    assert_eq!(
        run_fixture("nested", "--args 10 --tier compiled")
            .done()
            .stdout,
        bytecode
    );
    assert_eq!(
        run_fixture("nested", "--args 10 --tier auto").done().stdout,
        bytecode
    );
    let options = "--args 5 --allow-recursion --tier";
    run_fixture("recursion", &format!("{options} compiled"))
        .failed(2, &["not compiled: recursion"]);
    let text = run_fixture("recursion", &format!("{options} auto --verbose")).done();
    assert_eq!(text.stdout, "0: 120\n");
    assert!(
        text.stderr
            .contains("bytecode on virtual machine: recursion"),
        "{}",
        text.stderr
    );
}

#[test]
fn inspect_shows_kernels_and_imports() {
    let text = anywarp(&["inspect", &fixture("pixels")]).done().stdout;
    for line in [
        "kernel `main`(i32) -> i32",
        "import gpu.set_pixel",
        "memory 0: 1 pages",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let report = anywarp(&["inspect", &fixture("pixels"), "--json"])
        .done()
        .json();
    assert_eq!(report["kernels"][0]["parameters"][0], "i32");
}

#[test]
fn inspect_shows_imports_that_are_not_provided() {
    let folder = Folder::new("kernel-imports");
    let module = r#"(module (import "env" "draw" (func (param i32)))
        (import "gpu" "get_thread_id" (func $id (result i32)))
        (import "gpu" "get_time" (func (result i32)))
        (import "host" "memory" (memory 1))
        (func (export "main") (param f32) (result i32) (call $id)))"#;
    let file = folder.file("unknown.wasm", wat::parse_str(module).unwrap());
    let shown = anywarp(&["inspect", &file]).done();
    for line in [
        "kernel `main`(f32) -> i32\n",
        "import env.draw (not provided by Anywarp)\n",
        "import gpu.get_thread_id\n",
        "import gpu.get_time (of another type than Anywarp's () -> (f32))\n",
        "import host.memory (not provided by Anywarp)\n",
    ] {
        assert!(shown.stdout.contains(line), "{line} in {}", shown.stdout);
    }
    let note = format!("note: {file} cannot run: unknown import `env`.`draw`\n");
    assert_eq!(shown.stderr, note);
    let json = anywarp(&["inspect", &file, "--json"]).done().json();
    assert_eq!(json["imports"][1], "gpu.get_thread_id");
    assert_eq!(
        json["unknown_imports"]["env.draw"],
        "not provided by Anywarp"
    );
    assert!(json["unknown_imports"]["gpu.get_thread_id"].is_null());
    anywarp(&["run", &file, "--args", "1"]).failed(1, &["unknown import `env`.`draw`"]);
    // An invalid module is still an error.
    let bytes = fs::read(&file).unwrap();
    let file = folder.file("cut.wasm", &bytes[..bytes.len() - 3]);
    anywarp(&["inspect", &file]).failed(1, &["cut.wasm"]);
}
