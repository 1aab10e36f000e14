//! `--engine`: selects the engine that runs programs on the CPU.

use crate::harness::{Folder, anywarp};

const PROGRAM: &str = "
@group(0) @binding(0) var<storage, read_write> numbers: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    var sum = 0u;
    for (var k = 0u; k <= i; k++) { sum += k; }
    numbers[i] = sum;
}";

fn run(file: &str, engine: &str) -> crate::harness::CommandOutput {
    let out = ["--out", "0:0=print:u32"];
    anywarp(&[&["run", file, "--engine", engine][..], &out].concat())
}

#[test]
fn every_engine_gives_the_same() {
    let folder = Folder::new("engines_same");
    let file = folder.file("sums.wgsl", PROGRAM);
    let expected = run(&file, "interpret").done().stdout;
    assert!(expected.contains("2016"), "{expected}");
    assert_eq!(run(&file, "code").done().stdout, expected);
    assert_eq!(run(&file, "fastest").done().stdout, expected);
    for engine in ["avx512", "avx2"] {
        let outcome = run(&file, engine);
        if outcome.stderr.contains("this machine has no") {
            let words = [format!("--engine {engine}")];
            outcome.failed(2, &[&words[0]]);
        } else {
            assert_eq!(outcome.done().stdout, expected, "{engine}");
        }
    }
}

/// The square of 1 + 2^-12 is 1 + 2^-11 + 2^-24; rounding the product loses the last term.
#[test]
fn strict_floats_round_products() {
    let folder = Folder::new("engines_strict");
    let text = "
        @group(0) @binding(0) var<storage, read_write> x: array<f32, 3>;
        @compute @workgroup_size(1) fn main() { x[2] = x[0] * x[0] - x[1]; }";
    let file = folder.file("difference.wgsl", text);
    let result = |options: &[&str]| {
        let fixed = [
            "run",
            &file,
            "--bind",
            "0:0=f32:1.000244140625,1.00048828125,7",
            "--out",
            "0:0=print:f32",
        ];
        let text = anywarp(&[&fixed[..], options].concat()).done().stdout;
        let last = text.split_whitespace().last().unwrap();
        last.trim_end_matches(']').parse::<f32>().unwrap()
    };
    for engine in ["code", "interpret"] {
        assert_eq!(result(&["--engine", engine]), 2f32.powi(-24));
        assert_eq!(result(&["--engine", engine, "--strict-float"]), 0.0);
    }
}

#[test]
fn an_engine_of_something_else_is_refused() {
    let folder = Folder::new("engines_refused");
    let shader = folder.file("sums.wgsl", PROGRAM);
    run(&shader, "vm").failed(2, &["--engine vm", "WebAssembly"]);
    run(&shader, "jit").failed(2, &["--engine", "jit"]);
    let text = r#"(module (func (export "main")))"#;
    let kernel = folder.file("kernel.wasm", wat::parse_str(text).unwrap());
    for engine in ["code", "avx512", "avx2"] {
        let outcome = anywarp(&["run", &kernel, "--engine", engine]);
        outcome.failed(2, &["--engine", "vm or interpret"]);
    }
}

#[test]
fn inspect_says_how_an_entry_point_runs() {
    let folder = Folder::new("engines_inspect");
    let text = format!(
        "{PROGRAM}
        override SIZE: u32;
        @compute @workgroup_size(SIZE) fn sized() {{ numbers[0] = 1u; }}
        @fragment fn shade() -> @location(0) vec4f {{ return vec4f(); }}"
    );
    let file = folder.file("several.wgsl", text);
    let json = anywarp(&["inspect", &file, "--json"]).done().json();
    let how: Vec<&serde_json::Value> = (0..3).map(|i| &json["entry_points"][i]["cpu"]).collect();
    let main = how[0].as_str().unwrap();
    let is_code = main.starts_with("machine code (avx");
    assert!(is_code || main.starts_with("interpreted: "), "{main}");
    assert_eq!(*how[1], "decided when its constants have values");
    assert!(how[2].is_null());
    let text = anywarp(&["inspect", &file]).done().stdout;
    assert!(text.contains(&format!("  on the CPU: {main}\n")), "{text}");
}
