//! Unsupported features are refused by wgpu itself, by name, and the device remains usable.

use wgpu::TextureFormat;

use crate::usage::program::Gpu;
use crate::usage::texels::{extent, flat};

#[test]
fn texture_formats() {
    let gpu = Gpu::full();
    for (format, feature) in [
        (TextureFormat::Bc1RgbaUnorm, "TEXTURE_COMPRESSION_BC"),
        (TextureFormat::Etc2Rgb8Unorm, "TEXTURE_COMPRESSION_ETC2"),
        (TextureFormat::NV12, "TEXTURE_FORMAT_NV12"),
    ] {
        let size = extent(4, 4, 1);
        let message = gpu.error_of(|| gpu.device.create_texture(&flat(format, size)));
        assert!(message.contains(feature), "{message}");
    }
    assert_eq!(gpu.read(&gpu.storage(&[5])), [5], "the device is fine");
}

/// A supported format may still not have every usage.
#[test]
fn texture_uses() {
    let gpu = Gpu::full();
    for (format, usage) in [
        (
            TextureFormat::Rgba8UnormSrgb,
            wgpu::TextureUsages::STORAGE_BINDING,
        ),
        (
            TextureFormat::Rgb9e5Ufloat,
            wgpu::TextureUsages::RENDER_ATTACHMENT,
        ),
        (
            TextureFormat::Rgba8Uint,
            wgpu::TextureUsages::STORAGE_ATOMIC,
        ),
    ] {
        let message = gpu.error_of(|| {
            gpu.device.create_texture(&wgpu::TextureDescriptor {
                usage,
                ..flat(format, extent(4, 4, 1))
            })
        });
        assert!(message.contains(&format!("{format:?}")), "{message}");
    }
}

#[test]
fn render_pipelines() {
    let gpu = Gpu::full();
    let shader = gpu.shader(
        "@vertex fn vertex() -> @builtin(position) vec4<f32> { return vec4(0.0); }
         @fragment fn fragment() {}",
    );
    let message = gpu.error_of(|| {
        gpu.device
            .create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: None,
                layout: None,
                vertex: wgpu::VertexState {
                    module: &shader,
                    entry_point: None,
                    compilation_options: Default::default(),
                    buffers: &[],
                },
                primitive: Default::default(),
                depth_stencil: None,
                multisample: Default::default(),
                fragment: Some(wgpu::FragmentState {
                    module: &shader,
                    entry_point: None,
                    compilation_options: Default::default(),
                    targets: &[Some(wgpu::ColorTargetState {
                        format: TextureFormat::Rgba8Unorm,
                        blend: None,
                        write_mask: wgpu::ColorWrites::empty(),
                    })],
                }),
                multiview_mask: None,
                cache: None,
            })
    });
    assert!(
        message.contains("Rgba8Unorm") || message.contains("rendering"),
        "{message}"
    );
}

#[test]
fn render_passes() {
    let gpu = Gpu::full();
    let message = gpu.error_of(|| {
        gpu.submit(|encoder| {
            encoder.begin_render_pass(&Default::default());
        });
    });
    assert!(message.contains("attachment"), "{message}");
}

#[test]
fn statistics_queries() {
    let gpu = Gpu::full();
    let message = gpu.error_of(|| {
        gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: None,
            ty: wgpu::QueryType::PipelineStatistics(wgpu::PipelineStatisticsTypes::all()),
            count: 1,
        })
    });
    assert!(message.contains("PIPELINE_STATISTICS_QUERY"), "{message}");
}

/// A device has the types that its program asked for, and no others.
#[test]
fn shader_features_that_nobody_asked_for() {
    let gpu = Gpu::new();
    for (wgsl, name) in [
        ("enable f16; var<private> x: f16;", "f16"),
        ("enable wgpu_int16; var<private> x: i16;", "int16"),
        ("var<private> x: f64;", "f64"),
        ("var<private> x: i64;", "i64"),
    ] {
        let wgsl = format!("{wgsl} @compute @workgroup_size(1) fn main() {{ _ = x; }}");
        let message = gpu.error_of(|| {
            gpu.pipeline(&wgsl);
        });
        assert!(message.to_lowercase().contains(name), "{message}");
    }
}

/// Samplers can be made and bound; a pipeline that samples cannot be made.
#[test]
fn shaders_that_sample() {
    let gpu = Gpu::full();
    drop(gpu.device.create_sampler(&Default::default()));
    let message = gpu.error_of(|| {
        gpu.pipeline(
            "@group(0) @binding(0) var t: texture_2d<f32>;
             @group(0) @binding(1) var s: sampler;
             @group(0) @binding(2) var<storage, read_write> out: vec4<f32>;
             @compute @workgroup_size(1) fn main() {
                 out = textureSampleLevel(t, s, vec2(0.0), 0.0);
             }",
        );
    });
    assert!(
        message.contains("texture sampling is not supported on the CPU device")
            && message.contains("test.wgsl:"),
        "{message}"
    );
}
