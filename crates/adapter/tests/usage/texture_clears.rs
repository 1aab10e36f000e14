//! Clears: by the command, by render passes, and by wgpu itself before the first use.

use wgpu::{TextureFormat as Format, TextureUsages as Usage};

use crate::usage::program::Gpu;
use crate::usage::texels::{ALL, extent, flat};

fn color(r: f64, g: f64, b: f64, a: f64) -> wgpu::Color {
    wgpu::Color { r, g, b, a }
}

/// A pass that clears one attachment and does nothing else.
fn clear(
    gpu: &Gpu,
    view: &wgpu::TextureView,
    depth_slice: Option<u32>,
    resolve_target: Option<&wgpu::TextureView>,
    clear: wgpu::Color,
) {
    gpu.submit(|encoder| {
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice,
                resolve_target,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(clear),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
    });
}

#[test]
fn the_command_clears_levels_and_layers() {
    let gpu = Gpu::full();
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        mip_level_count: 2,
        ..flat(Format::R8Uint, extent(2, 2, 3))
    });
    gpu.write_level(&texture, 0, &[7; 12], extent(2, 2, 3));
    gpu.write_level(&texture, 1, &[8; 3], extent(1, 1, 3));
    gpu.submit(|encoder| {
        encoder.clear_texture(
            &texture,
            &wgpu::ImageSubresourceRange {
                base_mip_level: 0,
                mip_level_count: Some(1),
                base_array_layer: 1,
                array_layer_count: Some(1),
                ..Default::default()
            },
        );
        encoder.clear_texture(
            &texture,
            &wgpu::ImageSubresourceRange {
                base_mip_level: 1,
                base_array_layer: 2,
                ..Default::default()
            },
        );
    });
    assert_eq!(
        gpu.read_texture(&texture),
        [7, 7, 7, 7, 0, 0, 0, 0, 7, 7, 7, 7]
    );
    let level = wgpu::TexelCopyTextureInfo {
        mip_level: 1,
        ..texture.as_image_copy()
    };
    assert_eq!(gpu.read_texels(level, extent(1, 1, 3)), [8, 8, 0]);
}

#[test]
fn the_command_clears_depth_and_slices() {
    let gpu = Gpu::full();
    let depth = gpu
        .device
        .create_texture(&flat(Format::Depth16Unorm, extent(2, 1, 1)));
    gpu.write_level(&depth, 0, &[1; 4], extent(2, 1, 1));
    let deep = gpu.device.create_texture(&wgpu::TextureDescriptor {
        dimension: wgpu::TextureDimension::D3,
        ..flat(Format::R8Uint, extent(2, 2, 2))
    });
    gpu.write_level(&deep, 0, &[1; 8], extent(2, 2, 2));
    gpu.submit(|encoder| {
        encoder.clear_texture(&depth, &Default::default());
        encoder.clear_texture(&deep, &Default::default());
    });
    assert_eq!(gpu.read_texture(&depth), [0; 4]);
    assert_eq!(gpu.read_texture(&deep), [0; 8]);
}

#[test]
fn passes_clear_to_any_color() {
    let gpu = Gpu::new();
    for (format, clear_color, texel) in [
        (
            Format::Rgba8Unorm,
            color(1.0, 0.5, 0.0, 2.0),
            vec![255, 128, 0, 255],
        ),
        (
            Format::Bgra8Unorm,
            color(1.0, 0.5, 0.0, 0.2),
            vec![0, 128, 255, 51],
        ),
        (
            Format::Rgba8UnormSrgb,
            color(0.5, 0.0, 1.0, 0.5),
            vec![188, 0, 255, 128],
        ),
        (
            Format::Rgba8Uint,
            color(1.0, 255.0, 3.0, 4.0),
            vec![1, 255, 3, 4],
        ),
        (
            Format::Rg8Sint,
            color(-1.0, -128.0, 0.0, 0.0),
            vec![255, 128],
        ),
        (
            Format::R32Float,
            color(0.1, 0.0, 0.0, 0.0),
            0.1f32.to_le_bytes().to_vec(),
        ),
        (Format::R16Float, color(1.0, 0.0, 0.0, 0.0), vec![0, 0x3c]),
    ] {
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            usage: Usage::RENDER_ATTACHMENT | Usage::COPY_SRC,
            ..flat(format, extent(3, 2, 2))
        });
        let second = texture.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(wgpu::TextureViewDimension::D2),
            base_array_layer: 1,
            array_layer_count: Some(1),
            ..Default::default()
        });
        clear(&gpu, &second, None, None, clear_color);
        let zeros = vec![0; texel.len() * 6];
        let expected: Vec<u8> = zeros.into_iter().chain(texel.repeat(6)).collect();
        assert_eq!(gpu.read_texture(&texture), expected, "{format:?}");
    }
}

#[test]
fn passes_clear_one_slice() {
    let gpu = Gpu::new();
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        dimension: wgpu::TextureDimension::D3,
        usage: Usage::RENDER_ATTACHMENT | Usage::COPY_SRC,
        ..flat(Format::R8Uint, extent(2, 1, 3))
    });
    let view = texture.create_view(&Default::default());
    clear(&gpu, &view, Some(1), None, color(5.0, 0.0, 0.0, 0.0));
    assert_eq!(gpu.read_texture(&texture), [0, 0, 5, 5, 0, 0]);
}

#[test]
fn passes_resolve_samples() {
    let gpu = Gpu::new();
    let many = gpu.device.create_texture(&wgpu::TextureDescriptor {
        sample_count: 4,
        usage: Usage::RENDER_ATTACHMENT,
        ..flat(Format::Rgba8Unorm, extent(2, 2, 1))
    });
    let one = gpu.device.create_texture(&wgpu::TextureDescriptor {
        usage: Usage::RENDER_ATTACHMENT | Usage::COPY_SRC,
        ..flat(Format::Rgba8Unorm, extent(2, 2, 1))
    });
    let (many, target) = (
        many.create_view(&Default::default()),
        one.create_view(&Default::default()),
    );
    clear(&gpu, &many, None, Some(&target), color(0.2, 0.4, 0.6, 0.8));
    assert_eq!(gpu.read_texture(&one), [51, 102, 153, 204].repeat(4));
}

/// Layers with many samples are cleared, copied, resolved and loaded, each by itself.
#[test]
fn layers_have_samples() {
    let gpu = Gpu::full();
    let [many, other] = [(); 2].map(|()| {
        gpu.device.create_texture(&wgpu::TextureDescriptor {
            sample_count: 4,
            usage: Usage::RENDER_ATTACHMENT | ALL,
            ..flat(Format::Rgba8Unorm, extent(2, 2, 3))
        })
    });
    let layer = |texture: &wgpu::Texture, layer| {
        texture.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(wgpu::TextureViewDimension::D2),
            base_array_layer: layer,
            array_layer_count: Some(1),
            ..Default::default()
        })
    };
    let colors = [0.2, 0.4, 0.6];
    for (number, red) in (0..).zip(colors) {
        clear(
            &gpu,
            &layer(&many, number),
            None,
            None,
            color(red, 0.0, 0.0, 1.0),
        );
    }
    gpu.submit(|encoder| {
        let target = wgpu::TexelCopyTextureInfo {
            origin: wgpu::Origin3d { x: 0, y: 0, z: 1 },
            ..other.as_image_copy()
        };
        encoder.copy_texture_to_texture(many.as_image_copy(), target, extent(2, 2, 2));
    });
    let views = [
        layer(&many, 2),
        layer(&other, 0),
        layer(&other, 1),
        layer(&other, 2),
    ];
    let seen = gpu.run_with_views(
        "@group(0) @binding(0) var a: texture_multisampled_2d<f32>;
         @group(0) @binding(1) var b: texture_multisampled_2d<f32>;
         @group(0) @binding(2) var c: texture_multisampled_2d<f32>;
         @group(0) @binding(3) var d: texture_multisampled_2d<f32>;
         @group(0) @binding(4) var<storage, read_write> out: vec4<f32>;
         @compute @workgroup_size(1) fn main() {
             let p = vec2(1u, 1u);
             out.x = textureLoad(a, p, 3).x;
             out.y = textureLoad(b, p, 0).x;
             out.z = textureLoad(c, p, 1).x;
             out.w = textureLoad(d, p, 2).x;
         }",
        &views.each_ref(),
        4,
    );
    let reds = [153f32, 0.0, 51.0, 102.0].map(|byte| (byte / 255.0).to_bits());
    assert_eq!(seen, reds);
    let one = gpu.device.create_texture(&wgpu::TextureDescriptor {
        usage: Usage::RENDER_ATTACHMENT | Usage::COPY_SRC,
        ..flat(Format::Rgba8Unorm, extent(2, 2, 1))
    });
    let target = one.create_view(&Default::default());
    clear(
        &gpu,
        &views[2],
        None,
        Some(&target),
        color(1.0, 0.0, 0.0, 1.0),
    );
    assert_eq!(gpu.read_texture(&one), [255, 0, 0, 255].repeat(4));
}

/// A pass that loads leaves everything, and may set what only drawing would use.
#[test]
fn passes_without_a_clear_change_nothing() {
    let gpu = Gpu::full();
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        usage: ALL | Usage::RENDER_ATTACHMENT,
        ..flat(Format::R8Uint, extent(4, 1, 1))
    });
    gpu.write_level(&texture, 0, &[1, 2, 3, 4], extent(4, 1, 1));
    let view = texture.create_view(&Default::default());
    let usage = wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::INDEX;
    let buffer = gpu.buffer(64, usage);
    let queries = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
        label: None,
        ty: wgpu::QueryType::Occlusion,
        count: 1,
    });
    let results = gpu.storage(&[9, 9]);
    let resolved = gpu.buffer(
        8,
        wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
    );
    gpu.submit(|encoder| {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Load,
                    store: wgpu::StoreOp::Store,
                },
            })],
            occlusion_query_set: Some(&queries),
            ..Default::default()
        });
        pass.set_viewport(0.0, 0.0, 2.0, 1.0, 0.0, 1.0);
        pass.set_scissor_rect(0, 0, 1, 1);
        pass.set_blend_constant(wgpu::Color::WHITE);
        pass.set_stencil_reference(3);
        pass.set_vertex_buffer(0, buffer.slice(..));
        pass.set_index_buffer(buffer.slice(..), wgpu::IndexFormat::Uint16);
        pass.begin_occlusion_query(0);
        pass.end_occlusion_query();
        drop(pass);
        encoder.resolve_query_set(&queries, 0..1, &resolved, 0);
        encoder.copy_buffer_to_buffer(&resolved, 0, &results, 0, 8);
    });
    assert_eq!(gpu.read_texture(&texture), [1, 2, 3, 4]);
    assert_eq!(gpu.read(&results), [0, 0], "nothing was drawn");
}

/// What a pass discards reads as zeros afterwards.
#[test]
fn discarded_contents_are_zeros() {
    let gpu = Gpu::new();
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        usage: ALL | Usage::RENDER_ATTACHMENT,
        ..flat(Format::R8Uint, extent(4, 1, 1))
    });
    gpu.write_level(&texture, 0, &[1, 2, 3, 4], extent(4, 1, 1));
    let view = texture.create_view(&Default::default());
    gpu.submit(|encoder| {
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Load,
                    store: wgpu::StoreOp::Discard,
                },
            })],
            ..Default::default()
        });
    });
    assert_eq!(gpu.read_texture(&texture), [0; 4]);
}

#[test]
fn drawing_without_a_pipeline_is_refused() {
    let gpu = Gpu::new();
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        usage: Usage::RENDER_ATTACHMENT,
        ..flat(Format::Rgba8Unorm, extent(4, 4, 1))
    });
    let view = texture.create_view(&Default::default());
    let message = gpu.error_of(|| {
        gpu.submit(|encoder| {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: Default::default(),
                })],
                ..Default::default()
            });
            pass.draw(0..3, 0..1);
        });
    });
    assert!(message.contains("pipeline"), "{message}");
    assert_eq!(gpu.read(&gpu.storage(&[5])), [5]);
}
