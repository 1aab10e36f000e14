//! Host calls of kernels with textures.

use anywarp_execution::{AtomicOp, TextureOp};
use anywarp_lanes::ir::{Function, Op};
use anywarp_lanes::verify::verify;
use anywarp_lanes::{
    BufferSource, Callee, HostCall, LoweredKernel, Operand, TextureHostCall, TextureLevel, lower,
};
use anywarp_program::Program;

fn lowered(wgsl: &str) -> LoweredKernel {
    let lowered = lower(&Program::from_wgsl(wgsl).unwrap(), "main", 16).unwrap();
    verify(&lowered.function).unwrap();
    lowered
}

fn textures(lowered: &LoweredKernel) -> Vec<&TextureHostCall> {
    let requests = lowered.host_calls.list.iter();
    let textures = requests.map(|request| match request {
        HostCall::Texture(request) => request,
        _ => panic!("{request:?} is not about a texture"),
    });
    textures.collect()
}

/// The blocks with calls, by number.
fn calls(function: &Function) -> Vec<usize> {
    let blocks = function.blocks.iter().enumerate();
    let calls = blocks.flat_map(|(number, block)| {
        let calls = block.insts.iter();
        let calls = calls.filter(|inst| matches!(inst.op, Op::Call(..)));
        calls.map(move |_| number)
    });
    calls.collect()
}

#[test]
fn accesses_say_where_and_what() {
    let lowered = lowered(
        "@group(1) @binding(2) var source: texture_2d_array<f32>;
         @group(0) @binding(5) var sink: texture_storage_3d<r32uint, atomic>;
         @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
             let texel = textureLoad(source, vec2(i, 3u), 4u, 1u);
             textureAtomicMax(sink, vec3(1u, i, i), u32(texel.y));
         }",
    );
    let [load, change] = textures(&lowered)[..] else {
        panic!("{:?}", lowered.host_calls);
    };
    assert_eq!(load.binding, (1, 2));
    assert_eq!(load.operation, TextureOp::Load { n: 4 });
    let known = Operand::Known;
    assert_eq!(load.position, [Operand::Row(1), known(3), known(0)]);
    assert_eq!(
        (load.layer, load.level, load.sample),
        (known(4), known(1), known(0))
    );
    assert_eq!((load.element, load.value), (known(0), 2));
    assert_eq!(change.binding, (0, 5));
    let is_max = TextureOp::Atomic(AtomicOp::MaxU32);
    assert_eq!(change.operation, is_max);
    assert_eq!(
        change.position,
        [known(1), Operand::Row(1), Operand::Row(2)]
    );
    assert_eq!(change.value, 3);
    assert!(matches!(lowered.callees[..], [Callee::HostCall]));
    assert_eq!(calls(&lowered.function).len(), 2);
}

#[test]
fn equal_questions_are_asked_once_in_the_first_block() {
    let lowered = lowered(
        "@group(0) @binding(0) var source: texture_2d<f32>;
         @group(0) @binding(1) var<storage, read_write> out: array<u32>;
         fn width() -> u32 { return textureDimensions(source).x; }
         @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
             for (var k = 0u; k < width(); k++) { out[i] += width() + textureNumLevels(source); }
         }",
    );
    let asked: Vec<_> = textures(&lowered)
        .iter()
        .map(|texture| texture.operation)
        .collect();
    assert_eq!(asked, [TextureOp::Size { n: 2 }, TextureOp::Levels]);
    assert_eq!(calls(&lowered.function), [0, 0]);
}

#[test]
fn questions_that_depend_on_something_are_asked_where_they_are() {
    let lowered = lowered(
        "@group(0) @binding(0) var source: texture_2d<f32>;
         @group(0) @binding(1) var<storage, read_write> out: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
             if i < 9u { out[i] = textureDimensions(source, i).x; }
         }",
    );
    let [question] = textures(&lowered)[..] else {
        panic!("{:?}", lowered.host_calls);
    };
    assert_eq!(question.level, Operand::Row(1));
    assert!(calls(&lowered.function)[0] > 0);
}

#[test]
fn elements_of_arrays_are_operands() {
    let lowered = lowered(
        "enable wgpu_binding_array;
         @group(0) @binding(0) var all: binding_array<texture_2d<u32>, 4>;
         @group(0) @binding(1) var<storage, read_write> out: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
             out[i] = textureLoad(all[3], vec2(0), 0).x + textureLoad(all[out[0]], vec2(0), 0).x;
         }",
    );
    let elements: Vec<_> = textures(&lowered)
        .iter()
        .map(|texture| texture.element)
        .collect();
    assert_eq!(elements, [Operand::Known(3), Operand::Row(1)]);
}

#[test]
fn kernels_without_textures_ask_for_nothing() {
    let lowered = lowered("@compute @workgroup_size(64) fn main() {}");
    assert_eq!(lowered.host_calls, Default::default());
    assert!(lowered.callees.is_empty());
}

#[test]
fn every_request_fits_its_rows() {
    let lowered = lowered(
        "enable wgpu_binding_array;
         @group(0) @binding(0) var all: binding_array<texture_2d_array<f32>, 4>;
         @group(0) @binding(1) var<storage, read_write> out: array<vec4f>;
         @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
             out[i] = textureLoad(all[i], vec2(i), i, i);
         }",
    );
    let [load] = textures(&lowered)[..] else {
        panic!("{:?}", lowered.host_calls);
    };
    assert!(load.value + 8 <= anywarp_lanes::HostCalls::ROWS);
    let rows = anywarp_lanes::HostCalls::ROWS * 16 * 4;
    assert!(lowered.host_calls.frame_offset + rows <= lowered.function.frame_bytes);
}

/// Each access, whether code can do it without a host call, and the words that it reads or writes.
#[test]
fn simple_texels_are_accessed_by_the_code() {
    let access = |ty: &str, statement: &str| {
        let wgsl = format!(
            "@group(0) @binding(0) var t: {ty};
            @group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;
            @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {{
                {statement}
            }}"
        );
        let lowered = lowered(&wgsl);
        let level = TextureLevel {
            group: 0,
            binding: 0,
            level: 0,
        };
        let has = |bound: BufferSource| lowered.buffers.contains(&bound);
        assert_eq!(
            has(BufferSource::Level(level)),
            has(BufferSource::Texels(level))
        );
        // The path with the host call always exists.
        assert_eq!(lowered.host_calls.list.len(), 1);
        has(BufferSource::Level(level))
    };
    let load = "out[i] = vec4<f32>(textureLoad(t, vec2(i, 3u), 0));";
    for ty in ["texture_2d<f32>", "texture_2d<i32>", "texture_depth_2d"] {
        assert!(access(ty, load), "{ty}");
    }
    assert!(!access("texture_multisampled_2d<f32>", load));
    assert!(!access(
        "texture_2d<f32>",
        "out[i] = textureLoad(t, vec2(4u, 3u), 0);"
    ));
    assert!(!access(
        "texture_2d<f32>",
        "out[i] = textureLoad(t, vec2(i, 3u), i);"
    ));
    let stored = "out[i] = vec4<f32>(textureLoad(t, vec2(i, 3u)));";
    assert!(access("texture_storage_2d<rgba8snorm, read>", stored));
    assert!(!access("texture_storage_2d<r32float, read_write>", stored));
    let store = "textureStore(t, vec2(i, 3u), vec4<f32>());";
    assert!(access("texture_storage_2d<rgba8unorm, write>", store));
    assert!(access("texture_storage_2d<r32float, read_write>", store));
    assert!(!access("texture_storage_2d<rgba8snorm, write>", store));
}
