//! Options that contradict each other are errors.

use crate::harness::{CommandOutput, Folder, anywarp};

const HELPER: &str = "crates/wasm/tests/fixtures/thread_id.wasm";

fn words(line: &str) -> CommandOutput {
    let words: Vec<&str> = line.split_whitespace().collect();
    anywarp(&words)
}

fn kernel(options: &str) -> CommandOutput {
    words(&format!("run {HELPER} --args 0 {options}"))
}

#[test]
fn threads_and_workgroups_do_not_drop_each_other() {
    let message = ["--threads: --workgroups says how many threads there are"];
    kernel("--threads 10 --workgroups 2").failed(2, &message);
    // All three are consistent if only the last workgroup is incomplete.
    let all = kernel("--threads 15 --workgroups 2 --workgroup-size 10").done();
    assert_eq!(all.stdout.lines().count(), 15);
    let message = ["--threads: 15 threads need 2 of 8,1,1 workgroups of 10 threads"];
    kernel("--threads 15 --workgroups 8 --workgroup-size 10").failed(2, &message);
    let message = ["100 are more than the 20 of 2,1,1 workgroups of 10 threads"];
    kernel("--threads 100 --workgroups 2 --workgroup-size 10").failed(2, &message);
}

#[test]
fn an_option_for_shaders_is_refused_for_kernels_and_the_other_way_round() {
    kernel("--strict-float").failed(2, &["--strict-float: only for shaders"]);
    let shader = "run examples/mandelbrot.wgsl --clock 0";
    words(shader).failed(2, &["--clock: only for kernels"]);
    let folder = Folder::new("conflicts-translate");
    let text = folder.path("a.awasm");
    for option in ["--flip-y", "--to spv", "--entry main", "--strip-names"] {
        let name = option.split(' ').next().unwrap();
        let command = format!("translate {HELPER} {text} {option}");
        words(&command).failed(2, &[name, "only for shaders, not for kernels"]);
    }
    let shader = folder.path("a.spv");
    let command = format!("translate examples/mandelbrot.wgsl {shader} --allow-recursion");
    words(&command).failed(2, &["--allow-recursion: only for kernels"]);
    let command = format!("translate examples/mandelbrot.wgsl {shader} --bindings-from map.json");
    words(&command).failed(2, &["--bindings-from", "WGSL"]);
}

#[test]
fn options_about_a_run_need_a_run() {
    let dot = "graph dot examples/graphs/quadtree.toml";
    words(dot).done();
    for option in [
        "--memory 100",
        "--check",
        "--engine interpret",
        "--device gpu",
    ] {
        let name = option.split(' ').next().unwrap();
        words(&format!("{dot} {option}")).failed(2, &[name, "give --run"]);
    }
}
