//! `anywarp translate`, `run` and `inspect` of SPIR-V, binary and assembly.

use crate::harness::{Folder, anywarp, run};

/// Doubles numbers: assembly with names and a specialisation constant.
const DOUBLE: &str = "; SPIR-V
; Version: 1.0
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %id
OpEntryPoint GLCompute %main \"other\" %id
OpExecutionMode %main LocalSize 1 1 1
OpName %factor \"factor\"
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
OpDecorate %factor SpecId 7
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%v3 = OpTypeVector %u32 3
%in = OpTypePointer Input %v3
%id = OpVariable %in Input
%words = OpTypeRuntimeArray %u32
%block = OpTypeStruct %words
%p = OpTypePointer Uniform %block
%pu = OpTypePointer Uniform %u32
%buffer = OpVariable %p Uniform
%0 = OpConstant %u32 0
%factor = OpSpecConstant %u32 2
%main = OpFunction %void None %fn
%start = OpLabel
%all = OpLoad %v3 %id
%x = OpCompositeExtract %u32 %all 0
%at = OpAccessChain %pu %buffer %0 %x
%old = OpLoad %u32 %at
%new = OpIMul %u32 %old %factor
OpStore %at %new
OpReturn
OpFunctionEnd
";

/// A fragment shader with a combined image sampler, as a GLSL compiler generates it.
const SAMPLES: &str = "; Version: 1.0
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %uv %colour
OpExecutionMode %main OriginUpperLeft
OpName %picture \"picture\"
OpName %uv \"uv\"
OpName %colour \"colour\"
OpDecorate %uv Location 0
OpDecorate %colour Location 0
OpDecorate %picture DescriptorSet 0
OpDecorate %picture Binding 3
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f32 = OpTypeFloat 32
%v2 = OpTypeVector %f32 2
%v4 = OpTypeVector %f32 4
%image = OpTypeImage %f32 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%ps = OpTypePointer UniformConstant %sampled
%picture = OpVariable %ps UniformConstant
%pi = OpTypePointer Input %v2
%uv = OpVariable %pi Input
%po = OpTypePointer Output %v4
%colour = OpVariable %po Output
%main = OpFunction %void None %fn
%start = OpLabel
%s = OpLoad %sampled %picture
%c = OpLoad %v2 %uv
%r = OpImageSampleImplicitLod %v4 %s %c
OpStore %colour %r
OpReturn
OpFunctionEnd
";

const PLACES: &str = "
@vertex fn main() -> @builtin(position) vec4f { return vec4f(1.0, 2.0, 3.0, 1.0); }";

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn translated(folder: &Folder, input: &str, output: &str, arguments: &[&str]) -> String {
    let output = folder.path(output);
    anywarp(&[&["translate", input, &output], arguments].concat()).done();
    output
}

fn doubled(file: &str, more: &[&str]) -> String {
    let arguments = [
        "--workgroups",
        "3",
        "--bind",
        "0:0=u32:1,2,3",
        "--out",
        "0:0=print:u32",
    ];
    run(file, &[&arguments, more].concat()).done().stdout
}

#[test]
fn text_and_words_run_and_are_inspected_alike() {
    let folder = Folder::new("spvasm_runs");
    let text = folder.file("double.spvasm", DOUBLE);
    let words = translated(&folder, &text, "double.spv", &[]);
    let bytes = std::fs::read(&words).unwrap();
    let swapped: Vec<u8> = bytes
        .chunks(4)
        .flat_map(|word| word.iter().rev().copied())
        .collect();
    let other_order = folder.file("swapped.spv", &swapped);
    let named_text = folder.file("words.spvasm", &bytes);
    for file in [&text, &words, &other_order, &named_text] {
        assert!(
            doubled(file, &["--entry", "main"]).contains("[2, 4, 6]"),
            "{file}"
        );
        let constant = ["--entry", "main", "--constant", "7=5"];
        assert!(doubled(file, &constant).contains("[5, 10, 15]"), "{file}");
        let inspected = anywarp(&["inspect", file]).done().stdout;
        for line in [
            "compute `main`",
            "compute `other`",
            "`factor` @id(7): u32 = 2",
        ] {
            assert!(inspected.contains(line), "no `{line}` in:\n{inspected}");
        }
    }
}

#[test]
fn words_stay_as_they_are_between_notations() {
    let folder = Folder::new("spvasm_words");
    let text = folder.file("double.spvasm", DOUBLE);
    let words = translated(&folder, &text, "double.spv", &[]);
    let again = translated(&folder, &words, "again.spvasm", &[]);
    assert!(
        read(&again).contains("; Version: 1.0\n"),
        "{}",
        read(&again)
    );
    assert!(read(&again).contains("OpDecorate %8 SpecId 7") || read(&again).contains("SpecId 7"));
    let third = translated(&folder, &again, "third.spv", &[]);
    assert_eq!(
        std::fs::read(&words).unwrap(),
        std::fs::read(&third).unwrap()
    );
    // A module with an unsupported stage is still converted to assembly.
    let geometry = folder.file(
        "g.spvasm",
        "OpCapability Geometry\nOpMemoryModel Logical GLSL450\nOpEntryPoint Geometry %main \"main\"",
    );
    translated(&folder, &geometry, "g.spv", &[]);
    let out = folder.path("g.wgsl");
    anywarp(&["translate", &geometry, &out]).failed(1, &["g.spvasm"]);
    // An option makes it a translation.
    let other = translated(&folder, &words, "other.spvasm", &["--spirv-version", "1.5"]);
    assert!(read(&other).contains("; Version: 1.5\n"));
}

#[test]
fn one_entry_point_is_kept_with_its_overrides() {
    let folder = Folder::new("spirv_entry");
    let text = folder.file("double.spvasm", DOUBLE);
    for (name, word) in [("one.wgsl", "override factor"), ("one.spvasm", "SpecId 7")] {
        let text = read(&translated(&folder, &text, name, &["--entry", "other"]));
        assert!(text.contains(word), "no `{word}` in:\n{text}");
        assert!(
            text.contains("other") && !text.contains("\"main\""),
            "{text}"
        );
        assert!(!text.contains("fn main("), "{text}");
    }
    let wgsl = folder.file(
        "two.wgsl",
        "override N: u32 = 4u; override UNUSED: f32 = 1.0;
        @compute @workgroup_size(1) fn one() {} @compute @workgroup_size(N) fn two() {}",
    );
    let text = read(&translated(
        &folder,
        &wgsl,
        "two_alone.wgsl",
        &["--entry", "two"],
    ));
    assert!(
        text.contains("override N") && text.contains("fn two"),
        "{text}"
    );
    assert!(
        !text.contains("fn one") && !text.contains("UNUSED"),
        "{text}"
    );
}

#[test]
fn constants_are_frozen_on_demand() {
    let folder = Folder::new("spirv_frozen");
    let spirv = folder.file("double.spvasm", DOUBLE);
    let wgsl = folder.file(
        "two.wgsl",
        "override N: u32 = 4u;
        @group(0) @binding(0) var<storage, read_write> x: u32;
        @compute @workgroup_size(1) fn one() { x = N; } @compute @workgroup_size(N) fn two() {}",
    );
    for input in [&spirv, &wgsl] {
        let newest = &["--spirv-version", "1.6"][..];
        let ways = [
            ("f.wgsl", "override", &[][..]),
            ("f.spvasm", "OpSpecConstant", newest),
        ];
        for (name, word, options) in ways {
            let open = read(&translated(&folder, input, name, options));
            assert!(open.contains(word), "no `{word}` in:\n{open}");
            let options = [&["--freeze-constants"], options].concat();
            let frozen = read(&translated(&folder, input, name, &options));
            assert!(!frozen.contains(word), "{frozen}");
        }
    }
    let frozen = translated(&folder, &spirv, "frozen.wgsl", &["--freeze-constants"]);
    assert!(doubled(&frozen, &["--entry", "main"]).contains("[2, 4, 6]"));
}

#[test]
fn options_that_would_change_nothing_are_refused() {
    let folder = Folder::new("spirv_options");
    let input = folder.file("double.spvasm", DOUBLE);
    for option in [
        &["--spirv-version", "1.5"][..],
        &["--discard", "kill"],
        &["--check-bounds"],
        &["--strip-names"],
    ] {
        let text = folder.path("double.wgsl");
        let arguments = [&["translate", &input, &text], option].concat();
        anywarp(&arguments).failed(2, &[option[0], "it is for SPIR-V, and WGSL is written"]);
    }
    let words = folder.path("double.spv");
    anywarp(&["translate", &input, &words, "--dialect", "naga"])
        .failed(2, &["--dialect", "it is for WGSL, and SPIR-V is written"]);
}

#[test]
fn combined_samplers_are_listed_and_placed() {
    let folder = Folder::new("spirv_bindings");
    let input = folder.file("samples.spvasm", SAMPLES);
    let map = folder.path("map.json");
    let out = translated(&folder, &input, "samples.wgsl", &["--bindings", &map]);
    let text = read(&out);
    assert!(text.contains("@binding(3) var picture"), "{text}");
    assert!(text.contains("@binding(4)"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&read(&map)).unwrap();
    let split = &json["bindings"][0];
    assert_eq!((&split["group"], &split["binding"]), (&0.into(), &3.into()));
    assert_eq!(split["sampler"]["binding"], 4);
    // The same map, edited, gives the binding of the sampler.
    let changed = read(&map).replace("\"binding\": 4", "\"binding\": 9");
    let changed = folder.file("changed.json", changed);
    let placed = translated(
        &folder,
        &input,
        "placed.wgsl",
        &["--bindings-from", &changed],
    );
    assert!(read(&placed).contains("@binding(9)"), "{}", read(&placed));
    let broken = folder.file("broken.json", "{");
    let out = folder.path("x.wgsl");
    anywarp(&["translate", &input, &out, "--bindings-from", &broken])
        .failed(2, &["--bindings-from", "broken.json"]);
    anywarp(&["translate", &input, &out, "--bindings-from", "missing.json"])
        .failed(2, &["missing.json", "no such file"]);
    let inspected = anywarp(&["inspect", &input]).done().stdout;
    for line in [
        "in @location(0)",
        "out @location(0) `colour`: vec4<f32>",
        "0:3 `picture`: texture 0:3, sampler 0:4",
    ] {
        assert!(inspected.contains(line), "no `{line}` in:\n{inspected}");
    }
}

#[test]
fn positions_are_flipped_once_and_on_demand() {
    let folder = Folder::new("spirv_flip");
    let wgsl = folder.file("places.wgsl", PLACES);
    let plain = translated(&folder, &wgsl, "plain.spv", &[]);
    let flipped = translated(&folder, &wgsl, "flipped.spv", &["--flip-y"]);
    assert_ne!(
        std::fs::read(&plain).unwrap(),
        std::fs::read(&flipped).unwrap()
    );
    let negations = |input: &str, arguments: &[&str]| {
        let path = translated(&folder, input, "flip.spvasm", arguments);
        read(&path).matches("OpFNegate").count()
    };
    let version = ["--spirv-version", "1.3"];
    assert_eq!(negations(&plain, &version), 0);
    assert_eq!(negations(&plain, &["--flip-y"]), 1);
    assert_eq!(negations(&flipped, &["--flip-y"]), 2);
    let out = folder.path("again.wgsl");
    anywarp(&["translate", &wgsl, &out, "--flip-y"]).failed(2, &["--flip-y", "SPIR-V"]);
}

#[test]
fn the_other_options_of_the_writer() {
    let folder = Folder::new("spirv_options");
    let file = folder.file(
        "shader.wgsl",
        "var<private> xs: array<f32, 4>;
        @group(0) @binding(0) var<uniform> i: u32;
        @fragment fn main() -> @location(0) vec4f { if i == 7u { discard; } return vec4f(xs[i]); }",
    );
    let text = |arguments: &[&str]| read(&translated(&folder, &file, "o.spvasm", arguments));
    assert!(text(&[]).contains("OpKill") && text(&[]).contains("OpName"));
    assert!(!text(&["--strip-names"]).contains("OpName"));
    let demotes = ["--discard", "demote", "--spirv-version", "1.5"];
    assert!(text(&demotes).contains("OpDemoteToHelperInvocation"));
    assert!(text(&["--spirv-version", "1.6"]).contains("OpDemoteToHelperInvocation"));
    assert!(text(&["--spirv-version", "1.6", "--discard", "kill"]).contains("OpKill"));
    assert_ne!(text(&["--check-bounds"]), text(&[]));
    let wide = folder.file(
        "wide.wgsl",
        "@group(0) @binding(0) var<storage, read_write> x: array<u64>;
        @compute @workgroup_size(1) fn main() { x[0] = 1lu; }",
    );
    let out = folder.path("wide_again.wgsl");
    anywarp(&["translate", &wide, &out]).failed(1, &["wide.wgsl", "64"]);
    anywarp(&["translate", &wide, &out, "--dialect", "naga"]).done();
}

#[test]
fn broken_words_have_an_offset() {
    let folder = Folder::new("spirv_broken");
    let text = folder.file("double.spvasm", DOUBLE);
    let words = std::fs::read(translated(&folder, &text, "double.spv", &[])).unwrap();
    let short = folder.file("short.spv", &words[..words.len() - 8]);
    let odd = folder.file("odd.spv", &words[..words.len() - 3]);
    let empty = folder.file("empty.spv", []);
    let out = folder.path("x.wgsl");
    anywarp(&["translate", &short, &out]).failed(1, &["short.spv", "word"]);
    anywarp(&["translate", &odd, &out]).failed(1, &["odd.spv", "whole number of words"]);
    anywarp(&["translate", &empty, &out]).failed(1, &["empty.spv", "5 words"]);
    let out = folder.path("x.spvasm");
    let mut cut = words.clone();
    cut.extend([0; 4]);
    let cut = folder.file("cut.spv", cut);
    anywarp(&["translate", &cut, &out]).failed(1, &["cut.spv", "word"]);
    let missing = folder.path("no/such/folder/x.wgsl");
    anywarp(&["translate", &text, &missing]).failed(2, &["cannot write", "no such file"]);
}
