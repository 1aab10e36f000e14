//! `anywarp inspect`: text and JSON output.

use crate::harness::{Folder, anywarp, report_skip};

const PROGRAM: &str = "
struct Item { position: vec3f, mass: f32 }
struct Items { count: u32, list: array<Item> }
override SIZE: u32;
@id(3) override SCALE: f32 = 2.0;
var<workgroup> shared_items: array<f32, 64>;
@group(0) @binding(0) var<storage, read> items: Items;
@group(0) @binding(2) var<storage, read_write> sums: array<f32, 64>;
@group(1) @binding(0) var<uniform> factor: vec4f;
@group(1) @binding(1) var picture: texture_2d<f32>;
@compute @workgroup_size(8, 4)
fn add(@builtin(local_invocation_index) i: u32) {
    shared_items[i] = items.list[i].mass * factor.x * SCALE;
    workgroupBarrier();
    sums[i] = shared_items[63u - i];
}
@compute @workgroup_size(SIZE)
fn sized() { sums[0] = 1.0; }
@fragment
fn shade() -> @location(0) vec4f { return textureLoad(picture, vec2u(0), 0); }
";

#[test]
fn text_has_everything() {
    let folder = Folder::new("inspect_text");
    let file = folder.file("all.wgsl", PROGRAM);
    let text = anywarp(&["inspect", &file]).done().stdout;
    for line in [
        "compute `add`",
        "workgroup size 8x4x1",
        "workgroup memory 256 bytes",
        "0:0 `items`: Items, storage, read, at least 32 bytes, 16 per element",
        "0:2 `sums`: array<f32, 64>, storage, read_write, 256 bytes",
        "1:0 `factor`: vec4<f32>, uniform, 16 bytes",
        "compute `sized`",
        "workgroup size set by override `SIZE`, which has no default",
        "fragment `shade`",
        "1:1 `picture`: texture_2d<f32>, texture",
        "`SIZE`: u32, needs a value",
        "`SCALE` @id(3): f32 = 2",
    ] {
        assert!(text.contains(line), "no `{line}` in:\n{text}");
    }
}

#[test]
fn json_has_everything() {
    let folder = Folder::new("inspect_json");
    let file = folder.file("all.wgsl", PROGRAM);
    let json = anywarp(&["inspect", &file, "--json"]).done().json();
    let add = &json["entry_points"][0];
    assert_eq!(add["name"], "add");
    assert_eq!(add["stage"], "compute");
    assert_eq!(add["workgroup_size"], serde_json::json!([8, 4, 1]));
    assert_eq!(add["workgroup_memory"], 256);
    assert_eq!(add["bindings"][0]["type"], "Items");
    assert_eq!(add["bindings"][0]["minimum_size"], 32);
    assert_eq!(add["bindings"][0]["stride"], 16);
    assert_eq!(add["bindings"].as_array().unwrap().len(), 3);
    assert!(json["entry_points"][1]["workgroup_size"].is_null());
    assert_eq!(
        json["entry_points"][1]["needs"],
        serde_json::json!(["SIZE"])
    );
    assert_eq!(json["overrides"][0]["required"], true);
    assert_eq!(json["overrides"][1]["id"], 3);
    assert_eq!(json["overrides"][1]["default"], 2.0);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    use std::process::{Command, Stdio};
    let root = crate::harness::root();
    let mut child = Command::new(env!("CARGO_BIN_EXE_anywarp"))
        .args(["inspect", "examples/matmul.wgsl"])
        .current_dir(root)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}

const DOUBLE: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
fn twice(x: u32) -> u32 { return x * 2u; }
@compute @workgroup_size(64)
fn double(@builtin(global_invocation_id) id: vec3u) { data[id.x] = twice(data[id.x]); }
@compute @workgroup_size(64)
fn zero(@builtin(global_invocation_id) id: vec3u) { data[id.x] = 0u; }
";

#[test]
fn ir_and_code_of_an_entry_point_are_shown() {
    let folder = Folder::new("inspect_code");
    let file = folder.file("double.wgsl", DOUBLE);
    let report = anywarp(&["inspect", &file]).done();
    if !report.stdout.contains("machine code") {
        return report_skip("no code generator for this processor");
    }
    let both = anywarp(&["inspect", &file, "--entry", "double", "--ir", "--asm"]).done();
    let (ir, code) = both.stdout.split_once("\n\n").expect("two listings");
    assert!(
        ir.starts_with("; entry point `double`: IR after all passes\nkernel lanes="),
        "{ir}"
    );
    assert!(ir.contains("storerow"), "{ir}");
    assert!(
        code.starts_with("; entry point `double`: machine code for "),
        "{code}"
    );
    assert!(code.contains("vp") && code.contains("ret"), "{code}");

    let lowered = anywarp(&["inspect", &file, "--entry", "double", "--ir=lowered"]).done();
    assert!(
        lowered.stdout.contains("IR after lowering"),
        "{}",
        lowered.stdout
    );
    let passed = anywarp(&["inspect", &file, "--entry", "double", "--ir=gvn"]).done();
    assert!(passed.stdout.contains("IR after gvn"), "{}", passed.stdout);
}

#[test]
fn options_of_ir_and_code_are_checked() {
    let folder = Folder::new("inspect_code_options");
    let file = folder.file("double.wgsl", DOUBLE);
    for (arguments, code, words) in [
        (&["--asm"][..], 2, "several compute entry points"),
        (&["--entry", "none", "--asm"], 2, "no entry point `none`"),
        (
            &["--entry", "zero", "--ir=number"],
            2,
            "--ir: `number` is not a pass or stage; there are `lowered`",
        ),
        (&["--entry", "zero"], 2, "--entry: only with --ir or --asm"),
        (
            &["--engine", "avx2"],
            2,
            "--engine: only with --ir or --asm",
        ),
        (
            &["--entry", "zero", "--asm", "--engine", "interpret"],
            1,
            "entry point `zero` has no machine code: the interpreter was asked for",
        ),
    ] {
        let all = [&["inspect", &file], arguments].concat();
        anywarp(&all).failed(code, &[words]);
    }
}
