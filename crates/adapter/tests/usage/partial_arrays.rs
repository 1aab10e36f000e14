//! Arrays of bindings with fewer elements than their layout has room for.

use std::num::NonZeroU32;

use wgpu::TextureFormat as Format;

use crate::usage::program::Gpu;
use crate::usage::texels::{extent, flat};

/// Reads and writes every element, and two more than there can be.
const SHADER: &str = "enable wgpu_binding_array;
    struct Cell { value: u32 }
    @group(0) @binding(0) var<storage, read_write> cells: binding_array<Cell, 4>;
    @group(0) @binding(1) var images: binding_array<texture_2d<u32>, 4>;
    @group(0) @binding(2) var<storage, read_write> out: array<vec3<u32>, 6>;
    @compute @workgroup_size(1) fn main() {
        for (var i = 0u; i < 6u; i++) {
            let texel = textureLoad(images[i], vec2(0), 0);
            out[i] = vec3(cells[i].value, texel.x, textureDimensions(images[i]).x);
            cells[i].value += 1u;
        }
    }";

fn layout_entry(binding: u32, ty: wgpu::BindingType, count: u32) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty,
        count: NonZeroU32::new(count),
    }
}

fn layout(gpu: &Gpu) -> wgpu::BindGroupLayout {
    let storage = wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Storage { read_only: false },
        has_dynamic_offset: false,
        min_binding_size: None,
    };
    let texture = wgpu::BindingType::Texture {
        sample_type: wgpu::TextureSampleType::Uint,
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    gpu.device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[
                layout_entry(0, storage, 4),
                layout_entry(1, texture, 4),
                layout_entry(2, storage, 0),
            ],
        })
}

/// Binds arrays of `cells` and `images`; each element holds its index plus ten or twenty.
fn run(gpu: &Gpu, cells: u32, images: u32) -> (Vec<u32>, Vec<Vec<u32>>) {
    let layout = layout(gpu);
    let buffers: Vec<_> = (0..cells).map(|i| gpu.storage(&[10 + i])).collect();
    let views: Vec<_> = (0..images)
        .map(|i| {
            let size = extent(2, 1, 1);
            let texture = gpu.device.create_texture(&flat(Format::R32Uint, size));
            let texels = [20 + i; 2];
            gpu.write_level(&texture, 0, bytemuck::cast_slice(&texels), size);
            texture.create_view(&Default::default())
        })
        .collect();
    let out = gpu.storage(&[99; 24]);
    let bound: Vec<_> = buffers
        .iter()
        .map(|buffer| buffer.as_entire_buffer_binding())
        .collect();
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &layout,
        entries: &[
            wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::BufferArray(&bound),
            },
            wgpu::BindGroupEntry {
                binding: 1,
                resource: wgpu::BindingResource::TextureViewArray(
                    &views.iter().collect::<Vec<_>>(),
                ),
            },
            wgpu::BindGroupEntry {
                binding: 2,
                resource: out.as_entire_binding(),
            },
        ],
    });
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
            module: &gpu.shader(SHADER),
            entry_point: None,
            compilation_options: Default::default(),
            cache: None,
        });
    gpu.pass(|pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    });
    let seen = gpu.read(&out);
    (
        seen,
        buffers.iter().map(|buffer| gpu.read(buffer)).collect(),
    )
}

/// What is not bound reads as zeros, is empty, and takes no writes.
#[test]
fn missing_elements_are_zeros() {
    let gpu = Gpu::full();
    for (cells, images) in [(1, 4), (2, 1), (4, 3), (4, 4)] {
        let (seen, buffers) = run(&gpu, cells, images);
        for (i, row) in (0..).zip(seen.chunks_exact(4)) {
            let cell = if i < cells { 10 + i } else { 0 };
            let [texel, width] = if i < images { [20 + i, 2] } else { [0, 0] };
            assert_eq!(
                row[..3],
                [cell, texel, width],
                "element {i} of {cells} and {images}"
            );
        }
        let after: Vec<_> = (0..cells).map(|i| vec![11 + i]).collect();
        assert_eq!(buffers, after);
    }
}

/// More than there is room for is an error, and so is nothing.
#[test]
fn too_many_elements_are_refused() {
    let gpu = Gpu::full();
    for cells in [0, 5] {
        let message = gpu.error_of(|| run(&gpu, cells, 1));
        let is_named = message.contains("5 items were provided") || message.contains("zero");
        assert!(is_named, "{message}");
    }
}

/// Who did not ask for it must fill an array.
#[test]
fn whole_arrays_are_the_rule() {
    let gpu = Gpu::with_features(
        wgpu::Features::BUFFER_BINDING_ARRAY
            | wgpu::Features::STORAGE_RESOURCE_BINDING_ARRAY
            | wgpu::Features::TEXTURE_BINDING_ARRAY
            | wgpu::Features::SAMPLED_TEXTURE_AND_STORAGE_BUFFER_ARRAY_NON_UNIFORM_INDEXING,
    );
    run(&gpu, 4, 4);
    let message = gpu.error_of(|| run(&gpu, 2, 4));
    assert!(message.contains('4') && message.contains('2'), "{message}");
}
