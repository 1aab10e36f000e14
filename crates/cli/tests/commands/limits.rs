//! The limits of the CPU device on time, workgroups and memory: each error names its limit.

use crate::harness::{CommandOutput, Folder, anywarp};

/// A loop in each workgroup.
fn looping(folder: &Folder, turns: u32) -> String {
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> x: array<atomic<u32>>;
        @compute @workgroup_size(1)
        fn main() {{
            for (var i = 0u; i < {turns}u; i++) {{ atomicAdd(&x[0], 1u); }}
        }}"
    );
    folder.file("loops.wgsl", &text)
}

fn run(file: &str, workgroups: &str, more: &[&str]) -> CommandOutput {
    let all = [
        "run",
        file,
        "--workgroups",
        workgroups,
        "--bind",
        "0:0=zeros:4",
    ];
    anywarp(&[&all[..], more].concat())
}

/// Takes many times as long as the watchdog allows; its workgroups still finish one by one.
#[test]
fn the_watchdog_leaves_honest_work_alone() {
    let folder = Folder::new("honest");
    let file = looping(&folder, 20_000);
    let options = ["--watchdog", "0.1", "--out", "0:0=print:u32"];
    let outcome = run(&file, "5000", &options).done();
    assert_eq!(outcome.stdout, "0:0 = [100000000]\n");
    run(&file, "2", &["--watchdog", "off", "--limit", "off"]).done();
}

#[test]
fn a_limit_bounds_the_whole_dispatch() {
    let folder = Folder::new("limit");
    let file = looping(&folder, 20_000);
    for engine in ["code", "interpret"] {
        let options = ["--limit", "0.1", "--engine", engine];
        let outcome = run(&file, "65535,64", &options).failed(
            1,
            &[
                "too much work",
                "`main`",
                "0.1 s",
                "of its 4194240 workgroups have finished",
                "--limit",
            ],
        );
        assert!(!outcome.stderr.contains("endless"), "{}", outcome.stderr);
    }
    run(&file, "1", &["--limit", "0"]).failed(2, &["--limit", "positive", "off"]);
}

/// Exceeding a limit, or using something unsupported, is not reported as an internal error.
#[test]
fn limits_are_named() {
    let folder = Folder::new("named_limits");
    let memory = folder.file(
        "memory.wgsl",
        "var<workgroup> small: array<u32, 16>;
        var<workgroup> tile: array<u32, 100000>;
        @group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(1) fn main() { x[0] = tile[x[1]] + small[x[2]]; }",
    );
    let large = folder.file(
        "large.wgsl",
        "@compute @workgroup_size(64, 64) fn main() {}",
    );
    let value = folder.file(
        "value.wgsl",
        "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(1) fn main() {
            var v: array<u32, 80000000>;
            v[x[0]] = 1u;
            x[0] = v[x[1]];
        }",
    );
    let of_memory = [
        "workgroup memory of 400064 bytes",
        "`tile` at ",
        "memory.wgsl:2:9: 400000",
        "`small`",
        "the limit is 65536",
        "max_compute_workgroup_storage_size",
    ];
    let of_size = ["4096", "1024", "max_compute_invocations_per_workgroup"];
    let of_value = ["value.wgsl:3:", "320000000 bytes"];
    for (file, words) in [
        (&memory, &of_memory[..]),
        (&large, &of_size),
        (&value, &of_value),
    ] {
        let mut command = vec!["run", file];
        if *file != large {
            command.extend(["--bind", "0:0=zeros:64"]);
        }
        let outcome = anywarp(&command).failed(1, words);
        let text = outcome.stderr.to_lowercase();
        assert!(!text.contains("internal"), "{text}");
        let inspected = anywarp(&["inspect", file]).done().stdout;
        let line = inspected.lines().find(|line| line.contains("on the CPU"));
        let line = line.expect("how it runs");
        assert!(line.starts_with("  on the CPU: does not run: "), "{line}");
        for word in words {
            assert!(line.contains(word), "no `{word}` in: {line}");
        }
    }
}

#[test]
fn sampling_is_unsupported_not_internal() {
    let folder = Folder::new("sampling");
    let file = folder.file(
        "sample.wgsl",
        "@group(0) @binding(0) var<storage, read_write> x: array<vec4<f32>, 1>;
        @group(0) @binding(1) var t: texture_2d<f32>;
        @group(0) @binding(2) var s: sampler;
        @compute @workgroup_size(1) fn main() {
            x[0] = textureSampleLevel(t, s, vec2(0.5), 0.0);
        }",
    );
    let line = anywarp(&["inspect", &file]).done().stdout;
    assert!(line.contains("on the CPU: does not run: "), "{line}");
    assert!(!line.to_lowercase().contains("internal"), "{line}");
}

/// Only the interpreter randomises the order of invocations.
#[test]
fn schedules_that_cannot_be() {
    let race = "examples/race.wgsl";
    let random = ["run", race, "--schedule", "random:7"];
    let with = |more: &[&str]| anywarp(&[&random[..], more].concat());
    with(&["--engine", "interpret"]).done();
    with(&["--engine", "code"]).failed(2, &["--schedule random", "--engine interpret"]);
    for wrong in ["random", "random:x", "random:-1", "backwards"] {
        let command = ["run", race, "--schedule", wrong];
        anywarp(&command).failed(2, &["--schedule", "random:SEED"]);
    }
    let kernel = "crates/wasm/tests/fixtures/helper.wasm";
    let command = ["run", kernel, "--args", "3", "--schedule", "random:1"];
    anywarp(&command).failed(2, &["--schedule", "only for shaders"]);
}

#[test]
fn a_kernel_that_takes_too_many_steps_to_compile_is_interpreted() {
    let folder = Folder::new("compile_steps");
    let file = looping(&folder, 100);
    let expected = "0:0 = [200]\n";
    for steps in ["1000000", "100"] {
        let options = ["--compile-steps", steps, "--out", "0:0=print:u32"];
        assert_eq!(run(&file, "2", &options).done().stdout, expected);
    }
    run(&file, "2", &["--compile-steps", "1"]).failed(1, &["`main`", "more than 1 steps of work"]);
    run(&file, "2", &["--compile-steps", "few"]).failed(2, &["--compile-steps"]);
}

/// A private array of each invocation of a large workgroup, across a barrier.
#[test]
fn frame_memory_has_a_limit_in_every_engine() {
    let folder = Folder::new("frame_memory");
    let text = |barrier: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
            var<private> p: array<u32, 20000>;
            @compute @workgroup_size(1024) fn main(@builtin(local_invocation_index) i: u32) {{
                p[x[0] + i] = i; {barrier} if (i == 7u) {{ x[0] = p[x[0] + i]; }}
            }}"
        )
    };
    let file = folder.file("waits.wgsl", text("workgroupBarrier();"));
    let alone = folder.file("alone.wgsl", text(""));
    let print = ["--out", "0:0=print:u32"];
    for engine in ["code", "interpret"] {
        let limited = |file: &str, bytes: &str| {
            let options = ["--max-frame-memory", bytes, "--engine", engine];
            run(file, "1", &[&options[..], &print].concat())
        };
        let outcome = limited(&file, "64M").failed(
            1,
            &[
                "over a limit: entry point `main`: frame memory of 8",
                "on each thread, the limit is 67108864 (max_frame_bytes)",
                "--max-frame-memory",
            ],
        );
        let text = outcome.stderr.to_lowercase();
        assert!(!text.contains("internal"), "{text}");
        assert_eq!(limited(&file, "100M").done().stdout, "0:0 = [7]\n");
        // Interpreting one invocation after another takes little memory.
        assert_eq!(limited(&alone, "100k").done().stdout, "0:0 = [7]\n");
        limited(&alone, "10k").failed(1, &["the limit is 10240 (max_frame_bytes)"]);
    }
    run(&file, "1", &["--max-frame-memory", "much"]).failed(2, &["--max-frame-memory"]);
    let kernel = "crates/wasm/tests/fixtures/helper.wasm";
    let command = ["run", kernel, "--args", "3", "--max-frame-memory", "1M"];
    anywarp(&command).failed(2, &["--max-frame-memory", "only for shaders"]);
}

#[test]
fn inspect_says_why_a_kernel_is_interpreted() {
    let folder = Folder::new("call_tree");
    let mut text = "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        fn g0(x: u32) -> u32 { if (false) { workgroupBarrier(); } return x; }\n"
        .to_owned();
    for level in 1..27 {
        let below = level - 1;
        text += &format!("fn g{level}(x: u32) -> u32 {{ return g{below}(g{below}(x)); }}\n");
    }
    text += "@compute @workgroup_size(64) fn main() { x[0] = g26(1u); }";
    let file = folder.file("tree.wgsl", &text);
    let outcome = anywarp(&["inspect", &file]).done();
    let expected = "on the CPU: interpreted: compiling `main` takes more than";
    assert!(outcome.stdout.contains(expected), "{}", outcome.stdout);
}
