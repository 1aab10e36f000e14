//! `anywarp translate` of single files.

use std::process::Command;

use crate::harness::{Folder, anywarp, report_skip, root, run};

const MANDELBROT: &str = "examples/mandelbrot.wgsl";

fn translated(folder: &Folder, input: &str, output: &str, arguments: &[&str]) -> String {
    let output = folder.path(output);
    anywarp(&[&["translate", input, &output], arguments].concat()).done();
    output
}

#[test]
fn every_language_says_it_in_its_own_words() {
    let folder = Folder::new("languages");
    for (name, word) in [
        ("m.wgsl", "@workgroup_size(8, 8)"),
        ("m.glsl", "local_size_x = 8"),
        ("m.hlsl", "[numthreads(8, 8, 1)]"),
        ("m.msl", "kernel void"),
    ] {
        let path = translated(&folder, MANDELBROT, name, &[]);
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains(word), "no `{word}` in:\n{text}");
    }
}

#[test]
fn spirv_there_and_back_runs_the_same() {
    let folder = Folder::new("there_and_back");
    let spirv = translated(&folder, MANDELBROT, "m.spv", &[]);
    let back = translated(&folder, &spirv, "back.wgsl", &[]);
    let print = |file: &str| {
        let outcome = run(
            file,
            &["--workgroups", "4,4", "--out", "0:0=print:u32:1024"],
        );
        outcome.done().stdout
    };
    let expected = print(MANDELBROT);
    assert!(expected.contains(", 0, "), "nothing inside the set");
    assert_eq!(print(&spirv), expected);
    assert_eq!(print(&back), expected);
}

#[test]
fn the_version_is_in_the_header() {
    let folder = Folder::new("version");
    for (version, minor) in [("1.0", 0), ("1.3", 3), ("1.5", 5)] {
        let path = translated(&folder, MANDELBROT, "v.spv", &["--spirv-version", version]);
        assert_eq!(std::fs::read(path).unwrap()[4..8], [0, minor, 1, 0]);
    }
    let out = folder.path("v.spv");
    anywarp(&["translate", MANDELBROT, &out, "--spirv-version", "9.9"])
        .failed(2, &["9.9", "1.0 to 1.6"]);
}

#[test]
fn one_entry_point_of_several() {
    let folder = Folder::new("several");
    let file = folder.file(
        "two.wgsl",
        "override N: u32 = 4u;
        @compute @workgroup_size(1) fn one() {} @compute @workgroup_size(N) fn two() {}",
    );
    let out = folder.path("two.glsl");
    anywarp(&["translate", &file, &out]).failed(2, &["--entry", "`one`", "`two`"]);
    anywarp(&["translate", &file, &out, "--entry", "three"]).failed(2, &["`three`", "`one`"]);
    let text = std::fs::read_to_string(translated(&folder, &file, "two.glsl", &["--entry", "two"]));
    assert!(text.unwrap().contains("local_size_x = 4"));
    let hlsl = folder.path("two.hlsl");
    anywarp(&["translate", &file, &hlsl]).failed(1, &["two.wgsl", "HLSL", "--entry"]);
}

#[test]
fn languages_that_are_not_there() {
    let folder = Folder::new("absent");
    for (name, word) in [("a.cpp", ".cpp"), ("a", "no extension")] {
        let out = folder.path(name);
        anywarp(&["translate", MANDELBROT, &out])
            .failed(2, &[word, ".wgsl, .spv, .spvasm, .glsl, .hlsl or .msl"]);
        anywarp(&["translate", MANDELBROT, &out, "--to", "wgsl"]).done();
    }
}

#[test]
fn what_a_language_cannot_say_is_an_error() {
    let folder = Folder::new("cannot");
    let file = folder.file(
        "wide.wgsl",
        "@group(0) @binding(0) var<storage, read_write> x: array<u64>;
        @compute @workgroup_size(1) fn main() { x[0] = 1lu; }",
    );
    let out = folder.path("wide.glsl");
    anywarp(&["translate", &file, &out]).failed(1, &["wide.wgsl", "GLSL"]);
}

#[test]
fn text_goes_to_standard_output() {
    let folder = Folder::new("translate-stdout");
    let spirv = translated(&folder, MANDELBROT, "m.spv", &[]);
    let wgsl = translated(&folder, &spirv, "m.wgsl", &[]);
    let shown = anywarp(&["translate", &spirv, "-"]).done();
    assert_eq!(shown.stdout, std::fs::read_to_string(&wgsl).unwrap());
    assert_eq!(shown.stderr, "");
    let glsl = anywarp(&["translate", MANDELBROT, "-", "--to", "glsl"]).done();
    assert!(glsl.stdout.contains("local_size_x = 8"), "{}", glsl.stdout);
    let kernel = "crates/wasm/tests/fixtures/helper.wasm";
    let kernel = anywarp(&["translate", kernel, "-"]).done();
    assert!(kernel.stdout.contains(".export 0 \"main\""));

    let words = ["--to", "the input is WGSL"];
    anywarp(&["translate", MANDELBROT, "-"]).failed(2, &words);
    let words = ["a folder, which cannot go to standard output"];
    anywarp(&["translate", "examples", "-", "--to", "wgsl"]).failed(2, &words);
    assert!(!root().join("-").exists());
}

#[test]
fn spirv_goes_to_standard_output_but_not_to_a_terminal() {
    let folder = Folder::new("translate-stdout-words");
    let file = translated(&folder, MANDELBROT, "m.spv", &[]);
    let program = env!("CARGO_BIN_EXE_anywarp");
    let words = ["translate", MANDELBROT, "-", "--to", "spv"];
    let output = Command::new(program)
        .args(words)
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success());
    assert_eq!(output.stdout, std::fs::read(file).unwrap());

    // `script` runs a command with a terminal.
    let line = format!("{program} {}", words.join(" "));
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]);
    let Ok(terminal) = script.current_dir(root()).output() else {
        return report_skip("no `script` command: no terminal to refuse SPIR-V on");
    };
    let shown = String::from_utf8_lossy(&terminal.stdout);
    assert!(shown.contains("standard output is a terminal"), "{shown}");
    assert_eq!(terminal.status.code(), Some(2));
}
