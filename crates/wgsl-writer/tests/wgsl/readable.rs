//! Snapshot tests of WGSL that was translated from SPIR-V.
//!
//! `readable/NAME.comp` is compiled by glslang, `readable/NAME.wgsl` is written as SPIR-V by `anywarp-spirv`; both are
//! read and written as `readable/expected/NAME.EXTENSION.wgsl`. `ANYWARP_BLESS=1` rewrites the expected texts, for
//! review before they are committed. The programs must also give the same results as naga's front end for the same
//! words.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anywarp_program::Program;
use anywarp_spirv::{ReadOptions, SpirvOptions, assemble, read, write_spirv};
use anywarp_tests::{Dispatch, Memory, Slot};
use anywarp_wgsl_writer::{WgslOptions, write_wgsl};
use naga::front;

use crate::shaders;
use crate::spirv::run;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wgsl/readable")
}

/// The name and the words of each case; GLSL cases only if glslang is installed.
fn cases() -> &'static [(String, Vec<u8>)] {
    static CASES: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    CASES.get_or_init(compiled)
}

fn compiled() -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder()).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    let words = |path: &Path| {
        if path.extension().is_some_and(|it| it == "wgsl") {
            let program = Program::from_wgsl(&fs::read_to_string(path).unwrap()).unwrap();
            let words = write_spirv(&program, &SpirvOptions::default()).unwrap();
            Some(words.iter().flat_map(|word| word.to_le_bytes()).collect())
        } else {
            shaders::words(path)
        }
    };
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let cases = paths
        .iter()
        .filter_map(|path| Some((name(path), words(path)?)));
    cases.collect()
}

#[test]
fn what_comes_back_is_as_expected() {
    let bless = std::env::var_os("ANYWARP_BLESS").is_some();
    let options = WgslOptions::default();
    for (name, bytes) in cases() {
        let program = read(bytes, &ReadOptions::default()).unwrap().program;
        let text = write_wgsl(&program, &options).unwrap();
        let path = folder().join("expected").join(format!("{name}.wgsl"));
        if bless {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &text).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        assert!(text == expected, "{name} comes back differently:\n{text}");
        let again = Program::from_wgsl(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(write_wgsl(&again, &options).unwrap(), text, "{name}");
    }
}

/// The contents of all buffers after a run on pseudorandom input.
fn results(program: &Program, seed: u32) -> Memory {
    let numbers = |binding: u32| {
        let number = |at: u32| seed.wrapping_mul(at + 1 + binding) % 23;
        (0..32).map(number).collect::<Vec<u32>>()
    };
    let slot = |binding| Slot { group: 0, binding };
    let memory: Memory = (0..4).map(|it| (slot(it), numbers(it))).collect();
    let dispatch = Dispatch::new("readable", "", [1, 1, 1], memory);
    run(program, &dispatch).expect("it runs")
}

#[test]
fn what_comes_back_does_the_same() {
    for (name, bytes) in cases() {
        let ours = read(bytes, &ReadOptions::default()).unwrap().program;
        let text = write_wgsl(&ours, &WgslOptions::default()).unwrap();
        let written = Program::from_wgsl(&text).unwrap();
        let words = bytes.as_chunks::<4>().0.iter();
        let words = words.map(|word| u32::from_le_bytes(*word));
        let options = front::spv::Options {
            adjust_coordinate_space: false,
            ..Default::default()
        };
        let module = front::spv::Frontend::new(words, &options).parse().unwrap();
        let theirs = Program::from_module(module).unwrap_or_else(|error| panic!("{name}: {error}"));
        for seed in 0..64 {
            let expected = results(&theirs, seed);
            assert_eq!(results(&ours, seed), expected, "{name}, seed {seed}");
            assert_eq!(
                results(&written, seed),
                expected,
                "{name} written, seed {seed}"
            );
        }
    }
}

/// A counter with a negative initial value: the result of `OpSMod` has the sign of the divisor, that of `%` the sign of
/// the dividend.
const NEGATIVE_COUNTER: &str = "; SPIR-V
; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%thirty_two = OpConstant %uint 32
%words = OpTypeArray %int %thirty_two
%block = OpTypeStruct %words
%to_block = OpTypePointer StorageBuffer %block
%to_word = OpTypePointer StorageBuffer %int
%to_local = OpTypePointer Function %int
%buffer = OpVariable %to_block StorageBuffer
%zero = OpConstant %int 0
%one = OpConstant %int 1
%three = OpConstant %int 3
%five = OpConstant %int 5
%begin = OpConstant %int -5
%main = OpFunction %void None %function
%entry = OpLabel
%i = OpVariable %to_local Function %begin
OpBranch %header
%header = OpLabel
OpLoopMerge %merge %continuing None
OpBranch %test
%test = OpLabel
%now = OpLoad %int %i
%less = OpSLessThan %bool %now %zero
OpBranchConditional %less %body %merge
%body = OpLabel
%value = OpLoad %int %i
%modulus = OpSMod %int %value %three
%at = OpIAdd %int %value %five
%place = OpAccessChain %to_word %buffer %zero %at
OpStore %place %modulus
OpBranch %continuing
%continuing = OpLabel
%old = OpLoad %int %i
%next = OpIAdd %int %old %one
OpStore %i %next
OpBranch %header
%merge = OpLabel
OpReturn
OpFunctionEnd
";

#[test]
fn a_counter_that_begins_below_zero_keeps_its_modulus() {
    let words = assemble(NEGATIVE_COUNTER).unwrap();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let program = read(&bytes, &ReadOptions::default()).unwrap().program;
    let memory = results(&program, 0);
    let slot = Slot {
        group: 0,
        binding: 0,
    };
    assert_eq!(memory[&slot][..5], [1, 2, 0, 1, 2]);
}

/// Each level is duplicated in every copy of the enclosing one, so the text would grow exponentially.
#[test]
fn cases_that_fall_in_many_levels_are_refused() {
    let mut body = String::from("r += 2u;");
    for _ in 0..30 {
        body = format!(
            "switch (int(r & 3u)) {{ case 0: r += 1u; case 1: {body} break; default: break; }}"
        );
    }
    let text = format!(
        "#version 450\nlayout(local_size_x = 1) in;\n\
         layout(set = 0, binding = 0) buffer B {{ uint v[]; }};\n\
         void main() {{ uint r = v[0]; {body} v[0] = r; }}"
    );
    let program = Program::from_glsl(&text, naga::ShaderStage::Compute).unwrap();
    let error = write_wgsl(&program, &WgslOptions::default()).unwrap_err();
    assert!(error.to_string().contains("fall through"), "{error}");
}
