//! Textures in kernels: the resources that a kernel declares, and unsupported features.

use std::sync::atomic::{AtomicU32, Ordering};

use anywarp_interpret::{
    Access, Arguments, Elements, Kernel, Limits, Multisampling, Resource, ResourceKind,
    TextureBinding, TextureView, Worker,
};
use anywarp_program::Program;
use anywarp_texture::{Dimension, Format, Kind, Layout, TextureShape};

fn kernel(wgsl: &str) -> Kernel {
    Kernel::new(&Program::from_wgsl(wgsl).unwrap(), "main").unwrap()
}

fn refusal(wgsl: &str) -> String {
    let program = Program::from_wgsl(wgsl).unwrap();
    Kernel::new(&program, "main").unwrap_err().to_string()
}

fn resource(wgsl: &str) -> Resource {
    kernel(wgsl).resources()[0].clone()
}

#[test]
fn resources_say_what_they_want() {
    let found = resource(
        "@group(1) @binding(2) var t: texture_depth_multisampled_2d;
         var<private> x: f32;
         @compute @workgroup_size(1) fn main() { x = textureLoad(t, vec2(0), 0); }",
    );
    let wanted = TextureBinding {
        dimension: Dimension::D2,
        kind: Kind::Depth,
        multisampling: Multisampling::Multiple,
        storage: None,
    };
    assert_eq!((found.group, found.binding), (1, 2));
    assert_eq!(found.kind, ResourceKind::Texture(wanted));
    assert_eq!(
        (found.access, found.elements),
        (Access::Read, Elements::Single)
    );

    let found = resource(
        "enable wgpu_binding_array;
         @group(0) @binding(0) var t: binding_array<texture_storage_3d<rgba16sint, write>, 5>;
         @compute @workgroup_size(1) fn main() { textureStore(t[3], vec3(0), vec4(1)); }",
    );
    let wanted = TextureBinding {
        dimension: Dimension::D3,
        kind: Kind::Sint,
        multisampling: Multisampling::Single,
        storage: Some(Format::Rgba16Sint),
    };
    assert_eq!(found.kind, ResourceKind::Texture(wanted));
    assert_eq!(
        (found.access, found.elements),
        (Access::ReadWrite, Elements::Exactly(5))
    );
}

#[test]
fn what_is_absent_is_named_with_its_place() {
    let message = refusal(
        "@group(0) @binding(0) var t: texture_2d<f32>;
         @group(0) @binding(1) var s: sampler;
         var<private> x: vec4<f32>;
         @compute @workgroup_size(1) fn main() {
             x = textureSampleLevel(t, s, vec2(0.0), 0.0);
         }",
    );
    assert!(message.contains(":5:"), "{message}");
    assert!(
        message.contains("texture sampling is not supported"),
        "{message}"
    );
    let message = refusal(
        "@group(0) @binding(0) var t: texture_external;
         var<private> x: vec2<u32>;
         @compute @workgroup_size(1) fn main() { x = textureDimensions(t); }",
    );
    assert!(
        message.contains("`t`: an external texture is not supported"),
        "{message}"
    );
}

/// An unused sampler is supported.
#[test]
fn samplers_are_parameters_of_functions_that_do_not_sample() {
    kernel(
        "@group(0) @binding(0) var t: texture_2d<f32>;
         @group(0) @binding(1) var s: sampler;
         var<private> x: vec4<f32>;
         fn load(t: texture_2d<f32>, s: sampler) -> vec4<f32> { return textureLoad(t, vec2(0), 0); }
         @compute @workgroup_size(1) fn main() { x = load(t, s); }",
    );
}

#[test]
fn views_that_do_not_fit_are_described() {
    let wanted = TextureBinding {
        dimension: Dimension::D2,
        kind: Kind::Float,
        multisampling: Multisampling::Single,
        storage: None,
    };
    let view = |format, shape, dimension| Layout::new(format, shape).unwrap().view(dimension);
    let flat = TextureShape::new_2d(4, 4);
    assert_eq!(
        wanted.check(&view(Format::Rgba8Unorm, flat, Dimension::D2)),
        Ok(())
    );
    assert_eq!(
        wanted.check(&view(Format::Depth32Float, flat, Dimension::D2)),
        Ok(())
    );
    let message = |view| wanted.check(&view).unwrap_err().to_string();
    assert_eq!(
        message(view(Format::R8Unorm, flat, Dimension::D2Array)),
        "a 2d texture, not a 2d-array one"
    );
    assert_eq!(
        message(view(Format::R8Uint, flat, Dimension::D2)),
        "float texels, which r8uint has not"
    );
    let samples = TextureShape { samples: 4, ..flat };
    assert_eq!(
        message(view(Format::R8Unorm, samples, Dimension::D2)),
        "a texture that is not multisampled"
    );
    let stored = TextureBinding {
        storage: Some(Format::R32Float),
        ..wanted
    };
    assert_eq!(
        stored
            .check(&view(Format::R16Float, flat, Dimension::D2))
            .map_err(|mismatch| mismatch.to_string()),
        Err("texels of r32float, not of r16float".to_owned())
    );
}

/// Memory that is too small for its layout reads as zero; nothing panics.
#[test]
fn missing_memory_is_harmless() {
    let kernel = kernel(
        "@group(0) @binding(0) var t: texture_storage_2d<r32uint, read_write>;
         @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {
             textureStore(t, vec2(i % 4u, i / 4u), textureLoad(t, vec2(i / 4u, i % 4u)) + 1u);
         }",
    );
    let layout = Layout::new(Format::R32Uint, TextureShape::new_2d(4, 4)).unwrap();
    let view = layout.view(Dimension::D2);
    let words = [AtomicU32::new(7), AtomicU32::new(8)];
    let arguments = Arguments {
        buffers: &[],
        textures: &[TextureView {
            words: &words,
            view: &view,
        }],
        arrays: &[],
        immediates: &[],
        workgroup_count: [1; 3],
    };
    let mut worker = Worker::new(&kernel);
    worker.run(&arguments, [0; 3], &Limits::default()).unwrap();
    assert_eq!(words[0].load(Ordering::Relaxed), 8);
    assert_eq!(words[1].load(Ordering::Relaxed), 1);
}
