//! A Vulkan device that draws a full-screen triangle.

use std::borrow::Cow;

use anywarp_program::Program;
use anywarp_spirv::{BindingPoint, Bindings, MappedBinding};

use crate::images::tools::report_skip;

/// Width and height of the target in pixels.
const SIDE: u32 = 32;
/// Width and height of mip level 0 of a texture in texels.
const TEXELS: u32 = 16;
const TEXTURES: u32 = 7;

/// The vertex shader.
const VERTEX: &str = "
struct Vertex { @builtin(position) position: vec4<f32>, @location(0) uv: vec4<f32> }
@vertex fn main(@builtin(vertex_index) index: u32) -> Vertex {
    let at = vec2<f32>(f32(index & 1u), f32(index >> 1u)) * 2.0;
    let uv = vec4<f32>(at, at.x * 0.3 + at.y * 0.4, 0.9 - at.x * 0.2);
    return Vertex(vec4<f32>(at * 2.0 - 1.0, 0.0, 1.0), uv);
}";

pub(crate) struct Device {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    layout: wgpu::BindGroupLayout,
    group: wgpu::BindGroup,
}

/// The binding map of the samplers, independent of what a shader uses.
pub(crate) fn bindings() -> Bindings {
    let bindings = (0..TEXTURES).map(|binding| {
        let place = |binding| Some(BindingPoint { group: 0, binding });
        MappedBinding {
            binding,
            sampler: place(binding + TEXTURES),
            comparison: place(binding + TEXTURES),
            ..MappedBinding::default()
        }
    });
    Bindings {
        bindings: bindings.collect(),
    }
}

impl Device {
    /// A Vulkan device with SPIR-V passthrough, if there is one.
    pub(crate) fn vulkan() -> Option<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
        let features = wgpu::Features::PASSTHROUGH_SHADERS
            | wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES;
        let adapter = adapters.iter().find(|it| it.features().contains(features));
        if adapter.is_none() {
            report_skip("images of SPIR-V: no Vulkan device takes shaders as they are");
        }
        Some(Self::open(adapter?, features))
    }

    fn open(adapter: &wgpu::Adapter, features: wgpu::Features) -> Self {
        // SAFETY: the experimental feature is passing shaders to the driver unchecked, and these
        // come from glslang.
        let experimental_features = unsafe { wgpu::ExperimentalFeatures::enabled() };
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            required_features: features,
            required_limits: adapter.limits(),
            experimental_features,
            ..Default::default()
        });
        let (device, queue) = pollster::block_on(request).unwrap();
        let (layout, group) = resources(&device, &queue);
        Self {
            device,
            queue,
            layout,
            group,
        }
    }

    /// Draws with the words of a fragment shader, unchanged.
    pub(crate) fn render_spirv(&self, bytes: &[u8]) -> Vec<[f32; 4]> {
        let words = bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|it| u32::from_le_bytes(*it));
        let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
            spirv: Some(Cow::Owned(words.collect())),
            entry_points: Cow::Owned(vec![wgpu::PassthroughShaderEntryPoint {
                name: "main".into(),
                workgroup_size: (0, 0, 0),
            }]),
            ..Default::default()
        };
        // SAFETY: the words come from glslang, and spirv-val accepts them.
        let module = unsafe { self.device.create_shader_module_passthrough(descriptor) };
        self.draw(&module)
    }

    /// Draws with the fragment shader of a program.
    pub(crate) fn render(&self, program: &Program) -> Vec<[f32; 4]> {
        let module = self
            .device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Naga(Cow::Owned(program.module().clone())),
            });
        self.draw(&module)
    }

    fn draw(&self, fragment: &wgpu::ShaderModule) -> Vec<[f32; 4]> {
        let device = &self.device;
        let target = device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: extent(SIDE, 1),
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba32Float,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let pipeline = self.pipeline(fragment);
        let view = target.create_view(&Default::default());
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations::default(),
            })],
            ..Default::default()
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.draw(0..3, 0..1);
        drop(pass);
        let row = SIDE * 16;
        let back = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(row * SIDE),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let copy = wgpu::TexelCopyBufferInfo {
            buffer: &back,
            layout: rows(row, SIDE),
        };
        encoder.copy_texture_to_buffer(target.as_image_copy(), copy, extent(SIDE, 1));
        self.queue.submit([encoder.finish()]);
        back.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
        device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        let view = back.get_mapped_range(..).unwrap();
        bytemuck::pod_collect_to_vec(&view)
    }

    fn pipeline(&self, fragment: &wgpu::ShaderModule) -> wgpu::RenderPipeline {
        let device = &self.device;
        let vertex = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(VERTEX.into()),
        });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(&self.layout)],
            ..Default::default()
        });
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &vertex,
                entry_point: Some("main"),
                compilation_options: Default::default(),
                buffers: &[],
            },
            primitive: Default::default(),
            depth_stencil: None,
            multisample: Default::default(),
            fragment: Some(wgpu::FragmentState {
                module: fragment,
                entry_point: Some("main"),
                compilation_options: Default::default(),
                targets: &[Some(wgpu::TextureFormat::Rgba32Float.into())],
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

pub(super) fn extent(side: u32, layers: u32) -> wgpu::Extent3d {
    wgpu::Extent3d {
        width: side,
        height: side,
        depth_or_array_layers: layers,
    }
}

pub(super) fn rows(bytes: u32, count: u32) -> wgpu::TexelCopyBufferLayout {
    wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(bytes),
        rows_per_image: Some(count),
    }
}

/// The type of a test texture.
struct Kind {
    dimension: wgpu::TextureDimension,
    view: wgpu::TextureViewDimension,
    layers: u32,
    format: wgpu::TextureFormat,
    sampled: wgpu::TextureSampleType,
}

fn kinds() -> [Kind; TEXTURES as usize] {
    use wgpu::{TextureDimension, TextureFormat, TextureSampleType, TextureViewDimension};
    let colors = |dimension, view, layers| Kind {
        dimension,
        view,
        layers,
        format: TextureFormat::Rgba8Unorm,
        sampled: TextureSampleType::Float { filterable: true },
    };
    let (d2, d3) = (TextureDimension::D2, TextureDimension::D3);
    let flat = || colors(d2, TextureViewDimension::D2, 1);
    [
        flat(),
        colors(d2, TextureViewDimension::D2Array, 4),
        colors(d3, TextureViewDimension::D3, TEXELS),
        colors(d2, TextureViewDimension::Cube, 6),
        Kind {
            format: TextureFormat::Depth16Unorm,
            sampled: TextureSampleType::Depth,
            ..flat()
        },
        Kind {
            format: TextureFormat::Rgba32Sint,
            sampled: TextureSampleType::Sint,
            ..flat()
        },
        colors(d2, TextureViewDimension::CubeArray, 12),
    ]
}

/// The textures at the first bindings, followed by their samplers.
fn resources(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
) -> (wgpu::BindGroupLayout, wgpu::BindGroup) {
    let kinds = kinds();
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::FRAGMENT,
        ty,
        count: None,
    };
    let mut entries = Vec::new();
    let (mut views, mut samplers) = (Vec::new(), Vec::new());
    for (binding, kind) in (0..).zip(&kinds) {
        entries.push(entry(
            binding,
            wgpu::BindingType::Texture {
                sample_type: kind.sampled,
                view_dimension: kind.view,
                multisampled: false,
            },
        ));
        let compares = kind.sampled == wgpu::TextureSampleType::Depth;
        entries.push(entry(
            binding + TEXTURES,
            wgpu::BindingType::Sampler(match compares {
                true => wgpu::SamplerBindingType::Comparison,
                false if kind.sampled == wgpu::TextureSampleType::Sint => {
                    wgpu::SamplerBindingType::NonFiltering
                }
                false => wgpu::SamplerBindingType::Filtering,
            }),
        ));
        views.push(
            texture(device, queue, kind).create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(kind.view),
                ..Default::default()
            }),
        );
        samplers.push(sampler(device, kind));
    }
    let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &entries,
    });
    let textures = (0..)
        .zip(&views)
        .map(|(binding, view)| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::TextureView(view),
        });
    let samplers = (TEXTURES..)
        .zip(&samplers)
        .map(|(binding, it)| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Sampler(it),
        });
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &layout,
        entries: &textures.chain(samplers).collect::<Vec<_>>(),
    });
    (layout, group)
}

fn sampler(device: &wgpu::Device, kind: &Kind) -> wgpu::Sampler {
    let is_nearest = kind.sampled == wgpu::TextureSampleType::Sint;
    let filter = if is_nearest {
        wgpu::FilterMode::Nearest
    } else {
        wgpu::FilterMode::Linear
    };
    device.create_sampler(&wgpu::SamplerDescriptor {
        address_mode_u: wgpu::AddressMode::Repeat,
        address_mode_v: wgpu::AddressMode::MirrorRepeat,
        mag_filter: filter,
        min_filter: filter,
        mipmap_filter: if is_nearest {
            wgpu::MipmapFilterMode::Nearest
        } else {
            wgpu::MipmapFilterMode::Linear
        },
        compare: (kind.sampled == wgpu::TextureSampleType::Depth)
            .then_some(wgpu::CompareFunction::LessEqual),
        ..Default::default()
    })
}

/// A noise texture with three mip levels.
fn texture(device: &wgpu::Device, queue: &wgpu::Queue, kind: &Kind) -> wgpu::Texture {
    const LEVELS: u32 = 3;
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: extent(TEXELS, kind.layers),
        mip_level_count: LEVELS,
        sample_count: 1,
        dimension: kind.dimension,
        format: kind.format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let size = kind.format.block_copy_size(None).unwrap();
    let mut seed = 0x2545_f491_u32;
    for level in 0..LEVELS {
        let side = TEXELS >> level;
        let layers = match kind.dimension {
            wgpu::TextureDimension::D3 => kind.layers >> level,
            _ => kind.layers,
        };
        let bytes: Vec<u8> = (0..side * side * layers * size)
            .map(|_| noise(&mut seed))
            .collect();
        let to = wgpu::TexelCopyTextureInfo {
            mip_level: level,
            ..texture.as_image_copy()
        };
        queue.write_texture(to, &bytes, rows(side * size, side), extent(side, layers));
    }
    texture
}

pub(super) fn noise(seed: &mut u32) -> u8 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    *seed as u8
}
