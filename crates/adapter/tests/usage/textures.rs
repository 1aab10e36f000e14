//! Textures: made, written, viewed, loaded, stored to, cleared, read back.

use wgpu::TextureUsages as Usage;

use crate::usage::program::Gpu;
use crate::usage::texels::{ALL, extent, flat};

#[test]
fn textures_begin_as_zeros() {
    let gpu = Gpu::new();
    for usage in [ALL, ALL | Usage::RENDER_ATTACHMENT] {
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            usage,
            ..flat(wgpu::TextureFormat::Rgba8Unorm, extent(5, 3, 2))
        });
        assert_eq!(gpu.read_texture(&texture), [0; 5 * 3 * 2 * 4]);
    }
}

/// Zeros come for every way to initialise: through the shader's own use, too.
#[test]
fn a_shader_sees_zeros_in_a_fresh_texture() {
    let gpu = Gpu::new();
    for usage in [
        Usage::TEXTURE_BINDING,
        Usage::TEXTURE_BINDING | Usage::COPY_DST,
        Usage::TEXTURE_BINDING | Usage::RENDER_ATTACHMENT,
    ] {
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            usage,
            ..flat(wgpu::TextureFormat::R32Uint, extent(2, 2, 1))
        });
        let view = texture.create_view(&Default::default());
        let out = gpu.run_with_views(
            "@group(0) @binding(0) var t: texture_2d<u32>;
             @group(0) @binding(1) var<storage, read_write> out: array<u32, 2>;
             @compute @workgroup_size(1) fn main() {
                 out[0] = textureLoad(t, vec2(1, 1), 0).x;
                 out[1] = 7u;
             }",
            &[&view],
            2,
        );
        assert_eq!(out, [0, 7]);
    }
}

#[test]
fn views_of_levels_and_layers() {
    let gpu = Gpu::new();
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        mip_level_count: 2,
        ..flat(wgpu::TextureFormat::R32Uint, extent(2, 2, 6))
    });
    let first: Vec<u32> = (0..24).collect();
    let second: Vec<u32> = (100..106).collect();
    gpu.write_level(&texture, 0, bytemuck::cast_slice(&first), extent(2, 2, 6));
    gpu.write_level(&texture, 1, bytemuck::cast_slice(&second), extent(1, 1, 6));
    let part = texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::D2Array),
        base_mip_level: 1,
        base_array_layer: 2,
        array_layer_count: Some(3),
        ..Default::default()
    });
    let one = texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::D2),
        base_array_layer: 4,
        array_layer_count: Some(1),
        ..Default::default()
    });
    let cube = texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::Cube),
        ..Default::default()
    });
    let faces = texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::D2Array),
        ..Default::default()
    });
    let out = gpu.run_with_views(
        "@group(0) @binding(0) var part: texture_2d_array<u32>;
         @group(0) @binding(1) var one: texture_2d<u32>;
         @group(0) @binding(2) var cube: texture_cube<u32>;
         @group(0) @binding(3) var faces: texture_2d_array<u32>;
         @group(0) @binding(4) var<storage, read_write> out: array<u32, 9>;
         @compute @workgroup_size(1) fn main() {
             out[0] = textureNumLayers(part) * 10u + textureNumLevels(part);
             out[1] = textureLoad(part, vec2(0), 0, 0).x;
             out[2] = textureLoad(part, vec2(0), 2, 0).x;
             out[3] = textureLoad(part, vec2(0), 3, 0).x;
             out[4] = textureLoad(one, vec2(1, 1), 0).x;
             out[5] = textureLoad(one, vec2(0, 0), 1).x;
             out[6] = textureDimensions(cube).x * 10u + textureNumLevels(cube);
             out[7] = textureLoad(faces, vec2(0, 1), 5, 0).x;
             out[8] = textureNumLayers(faces);
         }",
        &[&part, &one, &cube, &faces],
        9,
    );
    assert_eq!(out, [31, 102, 104, 0, 19, 104, 22, 22, 6]);
}

/// The same bytes, with and without the curve.
#[test]
fn views_of_another_format() {
    let gpu = Gpu::new();
    let (plain, curved) = (
        wgpu::TextureFormat::Rgba8Unorm,
        wgpu::TextureFormat::Rgba8UnormSrgb,
    );
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        view_formats: &[curved],
        ..flat(plain, extent(1, 1, 1))
    });
    gpu.write_level(&texture, 0, &[128, 0, 255, 128], extent(1, 1, 1));
    let view = |format| {
        texture.create_view(&wgpu::TextureViewDescriptor {
            format: Some(format),
            ..Default::default()
        })
    };
    let out = gpu.run_with_views(
        "@group(0) @binding(0) var a: texture_2d<f32>;
         @group(0) @binding(1) var b: texture_2d<f32>;
         @group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>, 2>;
         @compute @workgroup_size(1) fn main() {
             out[0] = textureLoad(a, vec2(0), 0);
             out[1] = textureLoad(b, vec2(0), 0);
         }",
        &[&view(plain), &view(curved)],
        8,
    );
    let floats: Vec<f32> = out.into_iter().map(f32::from_bits).collect();
    let half = 128.0 / 255.0;
    assert_eq!(floats, [half, 0.0, 1.0, half, 0.215_860_5, 0.0, 1.0, half]);
}

/// A storage view of one level and layer of many.
#[test]
fn stores_go_to_the_viewed_part() {
    let gpu = Gpu::new();
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        mip_level_count: 2,
        usage: ALL | Usage::STORAGE_BINDING,
        ..flat(wgpu::TextureFormat::R32Uint, extent(4, 4, 3))
    });
    let view = texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::D2),
        base_mip_level: 1,
        mip_level_count: Some(1),
        base_array_layer: 1,
        array_layer_count: Some(1),
        ..Default::default()
    });
    gpu.run_with_views(
        "@group(0) @binding(0) var t: texture_storage_2d<r32uint, write>;
         @group(0) @binding(1) var<storage, read_write> out: u32;
         @compute @workgroup_size(1) fn main() {
             out = 0u;
             textureStore(t, vec2(1, 0), vec4(9u));
             textureStore(t, vec2(2, 0), vec4(8u));
         }",
        &[&view],
        1,
    );
    let level = wgpu::TexelCopyTextureInfo {
        mip_level: 1,
        ..texture.as_image_copy()
    };
    let words = gpu.read_texels(level, extent(2, 2, 3));
    let words: &[u32] = bytemuck::cast_slice(&words);
    assert_eq!(words, [0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0]);
    assert!(gpu.read_texture(&texture).iter().all(|byte| *byte == 0));
}

/// Depth and stencil of one texture are seen apart.
#[test]
fn views_of_aspects() {
    let gpu = Gpu::full();
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        usage: Usage::TEXTURE_BINDING
            | Usage::RENDER_ATTACHMENT
            | Usage::COPY_SRC
            | Usage::COPY_DST,
        ..flat(wgpu::TextureFormat::Depth32FloatStencil8, extent(2, 1, 1))
    });
    let whole = texture.create_view(&Default::default());
    gpu.submit(|encoder| {
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &whole,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.75),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(300),
                    store: wgpu::StoreOp::Store,
                }),
            }),
            ..Default::default()
        });
    });
    let aspect = |aspect| {
        texture.create_view(&wgpu::TextureViewDescriptor {
            aspect,
            ..Default::default()
        })
    };
    let out = gpu.run_with_views(
        "@group(0) @binding(0) var d: texture_depth_2d;
         @group(0) @binding(1) var s: texture_2d<u32>;
         @group(0) @binding(2) var<storage, read_write> out: array<u32, 2>;
         @compute @workgroup_size(1) fn main() {
             out[0] = bitcast<u32>(textureLoad(d, vec2(1, 0), 0));
             out[1] = textureLoad(s, vec2(1, 0), 0).x;
         }",
        &[
            &aspect(wgpu::TextureAspect::DepthOnly),
            &aspect(wgpu::TextureAspect::StencilOnly),
        ],
        2,
    );
    // Only the low bits of a stencil value count.
    assert_eq!(out, [0.75f32.to_bits(), 300 & 0xff]);
    for (aspect, expected) in [
        (
            wgpu::TextureAspect::DepthOnly,
            0.75f32.to_le_bytes().repeat(2),
        ),
        (wgpu::TextureAspect::StencilOnly, vec![44, 44]),
    ] {
        let from = wgpu::TexelCopyTextureInfo {
            aspect,
            ..texture.as_image_copy()
        };
        assert_eq!(gpu.read_texels(from, extent(2, 1, 1)), expected);
    }
}

/// A sampler may be bound; only sampling is absent.
#[test]
fn samplers_are_bound_and_unused() {
    let gpu = Gpu::new();
    let texture = gpu
        .device
        .create_texture(&flat(wgpu::TextureFormat::Rgba8Unorm, extent(1, 1, 1)));
    gpu.write_level(&texture, 0, &[255, 0, 0, 255], extent(1, 1, 1));
    let layout = gpu
        .device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[
                entry(
                    0,
                    wgpu::BindingType::Texture {
                        sample_type: wgpu::TextureSampleType::Float { filterable: true },
                        view_dimension: wgpu::TextureViewDimension::D2,
                        multisampled: false,
                    },
                ),
                entry(
                    1,
                    wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
                ),
                entry(
                    2,
                    wgpu::BindingType::Buffer {
                        ty: wgpu::BufferBindingType::Storage { read_only: false },
                        has_dynamic_offset: false,
                        min_binding_size: None,
                    },
                ),
            ],
        });
    let module = gpu.shader(
        "@group(0) @binding(0) var t: texture_2d<f32>;
         @group(0) @binding(1) var s: sampler;
         @group(0) @binding(2) var<storage, read_write> out: vec4<f32>;
         @compute @workgroup_size(1) fn main() { out = textureLoad(t, vec2(0), 0); }",
    );
    let pipeline_layout = gpu
        .device
        .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
    let pipeline = gpu
        .device
        .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            cache: None,
        });
    let out = gpu.storage(&[0; 4]);
    let view = texture.create_view(&Default::default());
    let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        compare: None,
        ..Default::default()
    });
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &layout,
        entries: &[
            wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::TextureView(&view),
            },
            wgpu::BindGroupEntry {
                binding: 1,
                resource: wgpu::BindingResource::Sampler(&sampler),
            },
            wgpu::BindGroupEntry {
                binding: 2,
                resource: out.as_entire_binding(),
            },
        ],
    });
    gpu.pass(|pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    });
    assert_eq!(gpu.read(&out), [1.0, 0.0, 0.0, 1.0].map(f32::to_bits));
}

fn entry(binding: u32, ty: wgpu::BindingType) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty,
        count: None,
    }
}

/// Views and bind groups outlive the handle of their texture, and pending work outlives all of them.
#[test]
fn textures_live_as_long_as_they_are_used() {
    let gpu = Gpu::new();
    let texture = gpu
        .device
        .create_texture(&flat(wgpu::TextureFormat::R32Uint, extent(1, 1, 1)));
    gpu.write_level(&texture, 0, &7u32.to_le_bytes(), extent(1, 1, 1));
    let view = texture.create_view(&Default::default());
    drop(texture);
    let out = gpu.run_with_views(
        "@group(0) @binding(0) var t: texture_2d<u32>;
         @group(0) @binding(1) var<storage, read_write> out: u32;
         @compute @workgroup_size(1) fn main() { out = textureLoad(t, vec2(0), 0).x; }",
        &[&view],
        1,
    );
    assert_eq!(out, [7]);
}

#[test]
fn absurd_sizes_are_errors() {
    let gpu = Gpu::full();
    let message = gpu.error_of(|| {
        gpu.device
            .create_texture(&flat(wgpu::TextureFormat::R8Unorm, extent(20000, 1, 1)))
    });
    assert!(message.contains("20000"), "{message}");
    // Some 8 TiB.
    let message = gpu.error_of(|| {
        gpu.device.create_texture(&flat(
            wgpu::TextureFormat::Rgba32Float,
            extent(16384, 16384, 2048),
        ))
    });
    assert!(message.to_lowercase().contains("memory"), "{message}");
    assert_eq!(gpu.read(&gpu.storage(&[5])), [5], "the device is fine");
}

#[test]
fn the_wrong_kind_of_texture_is_refused() {
    let gpu = Gpu::new();
    let texture = gpu
        .device
        .create_texture(&flat(wgpu::TextureFormat::R32Uint, extent(1, 1, 1)));
    let view = texture.create_view(&Default::default());
    let message = gpu.error_of(|| {
        gpu.run_with_views(
            "@group(0) @binding(0) var t: texture_2d<f32>;
             @group(0) @binding(1) var<storage, read_write> out: f32;
             @compute @workgroup_size(1) fn main() { out = textureLoad(t, vec2(0), 0).x; }",
            &[&view],
            1,
        )
    });
    assert!(
        message.contains("R32Uint") || message.contains("Uint"),
        "{message}"
    );
}
