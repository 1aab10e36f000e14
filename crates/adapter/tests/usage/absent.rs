//! What the device does not have is refused by wgpu itself, by name, and the device lives on.

use wgpu::TextureFormat;

use crate::program::Gpu;

#[test]
fn textures() {
    let gpu = Gpu::full();
    for format in [
        TextureFormat::Rgba8Unorm,
        TextureFormat::R32Float,
        TextureFormat::Depth32Float,
    ] {
        for usage in [
            wgpu::TextureUsages::TEXTURE_BINDING,
            wgpu::TextureUsages::STORAGE_BINDING,
            wgpu::TextureUsages::COPY_DST,
            wgpu::TextureUsages::RENDER_ATTACHMENT,
        ] {
            let message = gpu.error_of(|| {
                gpu.device.create_texture(&wgpu::TextureDescriptor {
                    label: None,
                    size: wgpu::Extent3d {
                        width: 4,
                        height: 4,
                        depth_or_array_layers: 1,
                    },
                    mip_level_count: 1,
                    sample_count: 1,
                    dimension: wgpu::TextureDimension::D2,
                    format,
                    usage,
                    view_formats: &[],
                })
            });
            assert!(message.contains(&format!("{format:?}")), "{message}");
        }
    }
    assert_eq!(gpu.read(&gpu.storage(&[5])), [5], "the device is fine");
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

/// Samplers can be made, and layouts can speak of textures; a pipeline that uses them cannot.
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
        message.contains("not supported on the CPU device") && message.contains("test.wgsl:"),
        "{message}"
    );
}
