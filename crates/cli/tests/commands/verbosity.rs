//! `--quiet` and `--verbose`: the messages of every command besides its results.

use crate::harness::anywarp;

const RUN: [&str; 4] = ["run", "examples/mandelbrot.wgsl", "--workgroups", "1"];
const BIND: [&str; 2] = ["--bind", "0:0=zeros:4M"];

#[test]
fn quiet_leaves_results_and_errors() {
    let plain = anywarp(&[&RUN[..], &BIND].concat()).done();
    assert!(
        plain.stderr.contains("ran `mandelbrot`"),
        "{}",
        plain.stderr
    );
    for option in ["-q", "--quiet"] {
        let quiet = anywarp(&[&RUN[..], &BIND, &[option]].concat()).done();
        assert_eq!((quiet.stdout, quiet.stderr), Default::default());
    }
    // The option may precede the command, and errors are still printed.
    let run = ["-q", "run", "nowhere.wgsl"];
    anywarp(&run).failed(2, &["error: cannot read nowhere.wgsl"]);
    let graph = ["-q", "graph", "run", "examples/graphs/downsample.toml"];
    let graph = anywarp(&graph).done();
    assert!(graph.stdout.contains("downsample: 1 sweep"));
    assert_eq!(graph.stderr, "");
    // Output that an option asks for is still printed.
    let time = anywarp(&[&RUN[..], &BIND, &["-q", "--time"]].concat()).done();
    assert!(time.stderr.starts_with("time: "), "{}", time.stderr);
}

#[test]
fn quiet_leaves_out_warnings_about_kernels() {
    let file = "crates/wasm/tests/fixtures/recursion.wasm";
    let run = ["run", file, "--args", "5", "--allow-recursion"];
    assert!(anywarp(&run).done().stderr.contains("warning:"));
    let quiet = anywarp(&[&run[..], &["-q"]].concat()).done();
    assert_eq!(
        (quiet.stdout.as_str(), quiet.stderr.as_str()),
        ("0: 120\n", "")
    );
}

#[test]
fn verbose_names_device_engine_and_times() {
    let verbose = |option| {
        anywarp(&[&RUN[..], &BIND, &[option]].concat())
            .done()
            .stderr
    };
    let told = verbose("-v");
    for words in [
        "info: device `",
        "driver anywarp",
        "info: entry point `mandelbrot` is ",
        "info: compiled examples/mandelbrot.wgsl in ",
    ] {
        assert!(told.contains(words), "no `{words}` in {told}");
    }
    let interpreted = anywarp(&[&RUN[..], &BIND, &["-v", "--engine", "interpret"]].concat());
    let interpreted = interpreted.done().stderr;
    let words = "info: entry point `mandelbrot` is interpreted: the interpreter was asked for";
    assert!(interpreted.contains(words), "{interpreted}");
    assert!(!told.contains("debug:"), "{told}");
    if told.contains("is machine code") {
        assert!(verbose("-vv").contains("debug: entry point `mandelbrot`: "));
    }
    assert!(!verbose("--time").contains("info:"));
}

#[test]
fn quiet_and_verbose_exclude_each_other() {
    anywarp(&[&RUN[..], &["-q", "-v"]].concat()).failed(2, &["cannot be used with"]);
}
