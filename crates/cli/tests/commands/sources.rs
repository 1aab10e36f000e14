//! Data sources of `--bind`, bindings by name, and destinations of `--out`.

use std::process::Command;

use crate::harness::{Folder, anywarp, run};

/// Copies a buffer whose size only `--bind` determines.
const COPY: &str = "
@group(0) @binding(0) var<storage, read> numbers: array<u32>;
@group(0) @binding(1) var<storage, read_write> copy: array<u32>;
@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < arrayLength(&numbers); i++) { copy[i] = numbers[i]; }
}
";

fn copy(test: &str) -> (Folder, String) {
    let folder = Folder::new(test);
    let file = folder.file("copy.wgsl", COPY);
    (folder, file)
}

/// The contents of `numbers`, printed as a type.
fn printed(file: &str, spec: &str, ty: &str) -> String {
    let bind = format!("numbers={spec}");
    let out = format!("numbers=print:{ty}");
    let arguments = ["--bind", &bind, "--bind", "copy=zeros:4k", "--out", &out];
    let line = run(file, &arguments).done().stdout;
    line.strip_prefix("numbers = ").unwrap().trim().to_owned()
}

#[test]
fn types_change_in_a_list_and_ranges_are_counted_out() {
    let (_folder, file) = copy("sources_lists");
    assert_eq!(
        printed(&file, "u32:3,f32:1.5,2", "u32"),
        "[3, 1069547520, 1073741824]"
    );
    assert_eq!(printed(&file, "u32:0..5", "u32"), "[0, 1, 2, 3, 4]");
    assert_eq!(
        printed(&file, "f32:-2..=1,0.5", "f32"),
        "[-2, -1, 0, 1, 0.5]"
    );
    let whole: Vec<_> = (0..1000).map(|it| it.to_string()).collect();
    assert_eq!(
        printed(&file, "u32:0..1000", "u32"),
        format!("[{}]", whole.join(", "))
    );
}

#[test]
fn buffers_are_filled_and_counts_have_suffixes() {
    let (_folder, file) = copy("sources_fill");
    assert_eq!(printed(&file, "fill:f32:0.5:3", "f32"), "[0.5, 0.5, 0.5]");
    assert_eq!(printed(&file, "zeros:f64:1", "u32"), "[0, 0]");
    assert_eq!(printed(&file, "zeros:1k", "u32").matches('0').count(), 256);
    assert_eq!(
        printed(&file, "fill:u32:7:1k", "u32").matches('7').count(),
        1024
    );
}

#[test]
fn random_numbers_have_a_type() {
    let (_folder, file) = copy("sources_random");
    let numbers = |spec: &str, ty: &str| -> Vec<f64> {
        let list = printed(&file, spec, ty);
        let items = list.trim_matches(['[', ']']).split(", ");
        items.map(|item| item.parse().unwrap()).collect()
    };
    let floats = numbers("random:f32:1k", "f32");
    assert_eq!(floats.len(), 1024);
    assert!(floats.iter().all(|float| (0.0..1.0).contains(float)));
    assert!(floats.iter().any(|float| *float > 0.9) && floats.iter().any(|float| *float < 0.1));
    assert_eq!(floats, numbers("random:f32:1k:0", "f32"));
    assert_ne!(floats, numbers("random:f32:1k:1", "f32"));
    let integers = numbers("random:i32:1k", "i32");
    assert!(
        integers.iter().any(|integer| *integer < -1e9)
            && integers.iter().any(|integer| *integer > 1e9)
    );
    // Without a type the count is one of bytes.
    assert_eq!(numbers("random:16", "u32").len(), 4);
}

#[test]
fn huge_counts_are_an_error_and_take_no_memory() {
    let (_folder, file) = copy("sources_huge");
    for spec in [
        "random:f64:18446744073709551615",
        "random:f32:16000000000G",
        "fill:f64:1:18446744073709551615",
        "zeros:f64:18446744073709551615",
        "zeros:16000000000G",
    ] {
        let bind = format!("numbers={spec}");
        run(&file, &["--bind", &bind, "--bind", "copy=zeros:4"]).failed(2, &["`numbers`", "limit"]);
    }
    run(&file, &["--bind", "numbers=u32:0..4294967295"]).failed(2, &["268435456 bytes"]);
    run(&file, &["--bind", "numbers=fill:f32:1e39:4"]).failed(2, &["`1e39`"]);
    run(&file, &["--workgroups", "4G", "--bind", "numbers=zeros:4"]).failed(2, &["4G"]);
}

#[test]
fn bindings_have_names() {
    let (_folder, file) = copy("sources_names");
    let outcome = run(
        &file,
        &[
            "--bind",
            "numbers=u32:1,2,3",
            "--bind",
            "copy=zeros:12",
            "--out",
            "copy=print:u32",
            "--out",
            "0:1=print",
        ],
    );
    assert_eq!(outcome.done().stdout, "copy = [1, 2, 3]\n0:1 = [1, 2, 3]\n");
    let swapped = run(
        &file,
        &[
            "--bind",
            "numbers=u32:1,2",
            "--swap",
            "numbers,copy",
            "--repeat",
            "2",
            "--out",
            "copy=print",
        ],
    );
    assert_eq!(swapped.done().stdout, "copy = [1, 2]\n");
    run(&file, &["--bind", "number=zeros:4"])
        .failed(2, &["--bind number", "no such binding", "0:0 (`numbers`)"]);
    run(
        &file,
        &["--bind", "numbers=zeros:4", "--bind", "0:0=zeros:4"],
    )
    .failed(2, &["0:0", "twice"]);
    run(
        &file,
        &["--bind", "numbers=zeros:4", "--swap", "numbers,0:0"],
    )
    .failed(2, &["with itself"]);
}

#[test]
fn bytes_go_to_standard_output() {
    let (_folder, file) = copy("sources_stdout");
    let io = [
        "run",
        &file,
        "--bind",
        "numbers=u32:1,0xff00",
        "--bind",
        "copy=zeros:8",
        "--out",
        "copy=-",
    ];
    let output = Command::new(env!("CARGO_BIN_EXE_anywarp"))
        .args(io)
        .args(["--out", "numbers=print"])
        .output()
        .unwrap();
    assert_eq!(output.stdout, [1, 0, 0, 0, 0, 0xff, 0, 0]);
    let messages = String::from_utf8(output.stderr).unwrap();
    assert_eq!(messages, "numbers = [1, 65280]\n");
    anywarp(&[&io[..], &["--out", "numbers=-"]].concat())
        .failed(2, &["numbers=-", "another --out"]);
    anywarp(&[&io[..], &["--json"]].concat()).failed(2, &["copy=-", "--json"]);
}

#[test]
fn values_print_by_their_own_type() {
    let folder = Folder::new("sources_print");
    let file = folder.file(
        "types.wgsl",
        "@group(0) @binding(0) var<storage, read_write> one: atomic<i32>;
        @group(0) @binding(1) var<storage, read_write> many: array<vec2f>;
        @group(0) @binding(2) var picture: texture_storage_2d<r32float, write>;
        @compute @workgroup_size(3)
        fn main(@builtin(global_invocation_id) id: vec3u) {
            atomicSub(&one, 2);
            many[id.x] = vec2f(f32(id.x), 0.5);
            textureStore(picture, id.xy, vec4f(f32(id.x)));
        }",
    );
    let outcome = run(
        &file,
        &[
            "--bind",
            "picture=texture:3x1",
            "--out",
            "one=print",
            "--out",
            "many=print",
            "--out",
            "many=print:2",
            "--out",
            "picture=print",
        ],
    );
    assert_eq!(
        outcome.done().stdout,
        "one = -6\nmany = [[0, 0.5], [1, 0.5], [2, 0.5]]\nmany = [[0, 0.5], [1, 0.5]]\npicture = [0, 1, 2]\n"
    );
}

#[test]
fn sizes_follow_from_the_grid() {
    let folder = Folder::new("sources_grid");
    let file = folder.file(
        "grid.wgsl",
        "@group(0) @binding(0) var<storage, read> from_: array<f32>;
        @group(0) @binding(1) var<storage, read_write> to: array<f32>;
        @group(0) @binding(2) var<storage, read_write> flat: array<u32>;
        @compute @workgroup_size(4, 2)
        fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
            flat[id.y * groups.x * 4u + id.x] = arrayLength(&flat);
            if id.x >= arrayLength(&to) { return; }
            to[id.x] = from_[id.x] + f32(arrayLength(&to));
        }",
    );
    let outcome = run(
        &file,
        &[
            "--workgroups",
            "2,3",
            "--bind",
            "from_=fill:f32:0.5",
            "--out",
            "to=print",
            "--out",
            "flat=print:1",
        ],
    );
    let eight = ["8.5"; 8].join(", ");
    assert_eq!(
        outcome.done().stdout,
        format!("to = [{eight}]\nflat = [48]\n")
    );
    let undecided = folder.file(
        "undecided.wgsl",
        "@group(0) @binding(0) var<storage, read_write> to: array<f32>;
        @compute @workgroup_size(4)
        fn main(@builtin(global_invocation_id) id: vec3u) { to[id.x - 1u] = 1.0; }",
    );
    let words = [
        "0:0",
        "`to`",
        "has no size",
        "--bind 0:0=zeros:BYTES",
        "zeros:f32:COUNT",
    ];
    run(&undecided, &[]).failed(2, &words);
    run(&undecided, &["--bind", "to=random:f32"]).failed(2, &words);
}

#[test]
fn counts_of_kernels_and_graphs_take_suffixes() {
    let kernel = "crates/wasm/tests/fixtures/helper.wasm";
    let report = anywarp(&["run", kernel, "--args", "3", "--threads", "1k", "--json"]).done();
    assert_eq!(report.json()["thread_count"], 1024);
    let graph = "examples/graphs/quadtree.toml";
    let plan = |memory| {
        anywarp(&["graph", "plan", graph, "--memory", memory, "--json"])
            .done()
            .stdout
    };
    assert_eq!(plan("64k"), plan("65536"));
    anywarp(&["run", kernel, "--args", "3", "--repeat", "0"]).failed(2, &["give at least 1"]);
}

/// The program runs, as `inspect` reports.
#[test]
fn coherent_and_volatile_memory_run() {
    let file = "tests/conformance/memory/coherent_volatile.wgsl";
    let inspected = anywarp(&["inspect", file]).done().stdout;
    assert!(!inspected.contains("does not run"), "{inspected}");
    let bindings = inspected
        .lines()
        .filter(|line| line.contains(", storage, "));
    let slots = bindings.filter_map(|line| line.split_whitespace().next());
    let binds: Vec<_> = slots
        .map(|slot| format!("--bind={slot}=zeros:256"))
        .collect();
    let command: Vec<_> = ["run", file]
        .into_iter()
        .map(str::to_owned)
        .chain(binds)
        .collect();
    anywarp(&command).done();
}
