//! The features that a program needs: `inspect` lists them, and `run` names the one that is missing.

use crate::harness::{Folder, anywarp};

/// Needs half floats, subgroups, and textures of two formats.
const PROGRAM: &str = "
enable f16;
enable subgroups;
@group(0) @binding(0) var<storage, read_write> data: array<f16>;
@group(0) @binding(1) var small: texture_storage_2d<rg8unorm, write>;
@group(0) @binding(2) var large: texture_storage_3d<rgba32float, read_write>;
@compute @workgroup_size(4)
fn main(@builtin(subgroup_size) size: u32, @builtin(local_invocation_index) i: u32) {
    data[i] = subgroupInclusiveAdd(data[i]);
    if subgroupAny(data[i] > 1h) { data[i] = quadSwapX(data[i]); }
    textureStore(small, vec2u(i, 0), textureLoad(large, vec3u(i)) * f32(size));
}
";

#[test]
fn inspect_says_what_and_whether_the_cpu_has_it() {
    let folder = Folder::new("needs");
    let file = folder.file("needs.wgsl", PROGRAM);
    let text = anywarp(&["inspect", &file]).done().stdout;
    let needs = text.split_once("needs\n").expect("a list").1;
    assert_eq!(
        needs,
        "  subgroups (subgroup): supported on the CPU; used: quadSwapX, subgroupAny, subgroupInclusiveAdd, subgroup_size
  f16 (shader_f16): supported on the CPU
  rg8unorm storage textures with write access: supported on the CPU; used: 0:1 `small`
  rgba32float storage textures with read_write access: supported on the CPU; used: 0:2 `large`
"
    );
    let json = anywarp(&["inspect", "--json", &file]).done().json();
    assert_eq!(json["needs"][1]["feature"], "shader_f16");
    assert_eq!(json["needs"][1]["cpu"], true);
    assert_eq!(json["needs"][0]["of"][1], "subgroupAny");
    let plain = anywarp(&["inspect", "examples/matmul.wgsl"]).done().stdout;
    assert!(!plain.contains("needs"), "{plain}");
}

#[test]
fn inspect_says_what_the_cpu_has_not() {
    let folder = Folder::new("needs_sampling");
    let file = folder.file(
        "shade.wgsl",
        "@group(0) @binding(0) var t: texture_2d<f32>;
        @group(0) @binding(1) var s: sampler;
        @fragment fn shade() -> @location(0) vec4f { return textureSample(t, s, vec2f()); }",
    );
    let text = anywarp(&["inspect", &file]).done().stdout;
    for line in [
        "  texture sampling: not supported on the CPU; used: textureSample\n",
        "  stages other than compute: not supported on the CPU; used: `shade`\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

/// Programs for features that some devices lack, and the feature of each.
const RARE: &[(&str, &str)] = &[
    (
        "texture_int64_atomic",
        "@group(0) @binding(0) var t: texture_storage_2d<r64uint, atomic>;
        @compute @workgroup_size(1) fn main() { textureAtomicMax(t, vec2u(), 1lu); }",
    ),
    (
        "texture_binding_array",
        "enable wgpu_binding_array;
        @group(0) @binding(0) var t: binding_array<texture_2d<f32>, 2>;
        @group(0) @binding(1) var<storage, read_write> out: vec4f;
        @compute @workgroup_size(1) fn main() { out = textureLoad(t[1], vec2u(), 0); }",
    ),
    (
        "shader_f64",
        "@group(0) @binding(0) var<storage, read_write> out: f64;
        @compute @workgroup_size(1) fn main() { out = out + out; }",
    ),
    (
        "shader_f16",
        "enable f16; @group(0) @binding(0) var<storage, read_write> out: array<f16, 2>;
        @compute @workgroup_size(1) fn main() { out[0] += out[1]; }",
    ),
];

#[test]
fn a_device_without_a_feature_is_named_with_it() {
    let folder = Folder::new("lacking");
    let devices = anywarp(&["devices", "--json"]).done().json();
    let mut tried = 0;
    for device in devices.as_array().unwrap() {
        let name = device["name"].as_str().unwrap();
        let features: Vec<_> = device["features"].as_array().unwrap().clone();
        for (feature, text) in RARE {
            if !features.contains(&serde_json::json!(feature)) {
                let file = folder.file(&format!("{feature}.wgsl"), text);
                let words = [feature, ".wgsl needs", "does not have", name];
                anywarp(&["run", &file, "--device", name]).failed(1, &words);
                tried += 1;
            }
        }
    }
    // The CPU device supports all of them, so this needs another device; Mesa's software device lacks the first two.
    if tried == 0 {
        crate::harness::report_skip("no device lacks a feature that `run` could name");
    }
}
