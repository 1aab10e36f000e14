//! Programs after a round trip through SPIR-V, whose modules differ a lot from those of WGSL front ends.
//!
//! naga's SPIR-V front end produces functions without names for values, variables for every value and branches without
//! `else`. Written as WGSL and parsed again, these must give the same results.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use anywarp_interpret::{Arguments, BufferView, Elements, Kernel, Limits, ResourceKind, Worker};
use anywarp_program::Program;
use anywarp_program::naga::ShaderStage;
use anywarp_tests::{Case, Dispatch, Memory, Slot};
use anywarp_wgsl_writer::{Dialect, WgslOptions, write_wgsl};
use naga::{back, front};

/// The program after a round trip through SPIR-V; `None` if naga does not support it.
pub(crate) fn through_spirv(program: &Program) -> Option<Program> {
    let options = back::spv::Options {
        flags: back::spv::WriterFlags::DEBUG,
        ..Default::default()
    };
    // naga panics on some constructs, in its writer and in its reader.
    let write = || back::spv::write_vec(program.module(), program.info(), &options, None);
    let words = catch_unwind(AssertUnwindSafe(write)).ok()?.ok()?;
    let options = front::spv::Options {
        adjust_coordinate_space: false,
        ..Default::default()
    };
    let read = || front::spv::Frontend::new(words.into_iter(), &options).parse();
    let module = catch_unwind(AssertUnwindSafe(read)).ok()?.ok()?;
    Program::from_module(module).ok()
}

/// The contents of the buffers after a run; `None` if the program cannot run or faults.
pub(crate) fn run(program: &Program, dispatch: &Dispatch) -> Option<Memory> {
    let entry = program.module().entry_points.first()?.name.clone();
    let constants = dispatch.constants.iter().cloned().collect();
    let program = program
        .specialize(ShaderStage::Compute, &entry, &constants)
        .ok()?;
    let kernel = Kernel::new(&program, &entry).ok()?;
    let memory: Vec<(Slot, Vec<AtomicU32>)> = dispatch
        .memory
        .iter()
        .map(|(slot, words)| (*slot, words.iter().copied().map(AtomicU32::new).collect()))
        .collect();
    let buffers: Option<Vec<_>> = kernel
        .resources()
        .iter()
        .map(|resource| {
            // Programs with textures and arrays are covered by the cases.
            if matches!(resource.kind, ResourceKind::Texture(_))
                || resource.elements != Elements::Single
            {
                return None;
            }
            let slot = Slot {
                group: resource.group,
                binding: resource.binding,
            };
            let (_, words) = memory.iter().find(|(at, _)| *at == slot)?;
            Some(BufferView { words })
        })
        .collect();
    let arguments = Arguments {
        buffers: &buffers?,
        immediates: &dispatch.immediates,
        textures: &[],
        arrays: &[],
        workgroup_count: dispatch.workgroups,
    };
    let limits = Limits {
        iterations: 100_000,
        ..Limits::default()
    };
    let mut worker = Worker::new(&kernel);
    let [width, height, depth] = dispatch.workgroups;
    for index in 0..width * height * depth {
        let workgroup = [
            index % width,
            index / width % height,
            index / width / height,
        ];
        worker.run(&arguments, workgroup, &limits).ok()?;
    }
    let words = |words: &Vec<AtomicU32>| {
        words
            .iter()
            .map(|word| word.load(Ordering::Relaxed))
            .collect()
    };
    Some(
        memory
            .iter()
            .map(|(slot, buffer)| (*slot, words(buffer)))
            .collect(),
    )
}

#[test]
fn programs_from_spirv_do_the_same_when_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance");
    let mut found = Vec::new();
    crate::repository::files(&folder, &mut found);
    found.sort();
    let (mut compared, mut faults) = (0, Vec::new());
    // The SPIR-V from naga's writer constructs a value of a type that only builtin functions may return.
    found.retain(|path| !path.to_string_lossy().contains("atomics/compare_exchange"));
    for path in &found {
        let name = path.strip_prefix(&folder).unwrap().display().to_string();
        let text = std::fs::read_to_string(path).unwrap();
        let dispatch = Case::parse(&name, &text).unwrap().dispatch();
        let Some(program) = through_spirv(&Program::from_wgsl(&text).unwrap()) else {
            continue;
        };
        let options = WgslOptions::new(Dialect::Naga);
        let written = match write_wgsl(&program, &options) {
            Ok(written) => written,
            Err(error) => {
                faults.push(format!("{name}: not written: {error}"));
                continue;
            }
        };
        let again = match Program::from_wgsl(&written) {
            Ok(again) => again,
            Err(error) => {
                faults.push(format!("{name}: not read: {error}\n{written}"));
                continue;
            }
        };
        match write_wgsl(&again, &options) {
            Ok(second) if second == written => {}
            Ok(second) => faults.push(format!("{name}: changes\n{written}\n---\n{second}")),
            Err(error) => faults.push(format!("{name}: not written again: {error}")),
        }
        let Some(before) = run(&program, &dispatch) else {
            continue;
        };
        compared += 1;
        if run(&again, &dispatch) != Some(before) {
            faults.push(format!("{name}: does something else\n{written}"));
        }
    }
    assert!(
        faults.is_empty(),
        "{} of {compared}\n{}",
        faults.len(),
        faults.join("\n\n")
    );
    assert!(compared > 150, "only {compared} programs");
}

/// SPIR-V with constants given by their bits: scalars and vectors, finite numbers, infinities and NaN.
const CONSTANTS: &str = "
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %floats ArrayStride 4
OpDecorate %Out BufferBlock
OpMemberDecorate %Out 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%nothing = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%v2uint = OpTypeVector %uint 2
%v2float = OpTypeVector %float 2
%number = OpConstant %uint 1066401792
%none = OpConstant %uint 2143289344
%ones = OpConstant %uint 4294967295
%both = OpConstantComposite %v2uint %number %none
%i0 = OpConstant %int 0
%floats = OpTypeRuntimeArray %float
%Out = OpTypeStruct %floats
%to_out = OpTypePointer Uniform %Out
%to_float = OpTypePointer Uniform %float
%out = OpVariable %to_out Uniform
%main = OpFunction %void None %nothing
%body = OpLabel
%a = OpBitcast %float %number
%b = OpBitcast %float %none
%c = OpBitcast %int %ones
%d = OpBitcast %float %c
%e = OpBitcast %v2float %both
%f = OpCompositeExtract %float %e 0
%g = OpConvertSToF %float %c
%h = OpFAdd %float %f %g
%place = OpAccessChain %to_float %out %i0 %i0
OpStore %place %a
OpStore %place %b
OpStore %place %d
OpStore %place %h
OpReturn
OpFunctionEnd";

#[test]
fn bits_of_constants_are_written_the_same_again() {
    let words = anywarp_spirv::assemble(CONSTANTS).unwrap();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let read = anywarp_spirv::read(&bytes, &anywarp_spirv::ReadOptions::default()).unwrap();
    let options = WgslOptions::default();
    let first = write_wgsl(&read.program, &options).unwrap();
    assert!(first.contains("[0] = 1.125;"), "{first}");
    let again = write_wgsl(&Program::from_wgsl(&first).unwrap(), &options).unwrap();
    assert_eq!(first, again);
}
