//! The test scene: overlapping triangles of both windings, with perspective, drawn twice.
//!
//! In: two shaders, and the targets of a case. Out: all samples of all targets, as words. All resources that a shader
//! may use are always bound:
//!
//! | | |
//! |---|---|
//! | location 0 | `vec4`, positions |
//! | location 1 | `vec4`, values between -2 and 2 |
//! | location 2, 3 | `uvec4`, `ivec4` |
//! | locations 4 to 7 | `mat4`, values between -2 and 2 |
//! | binding 0 | uniform buffer: 64 floats between 0 and 2 |
//! | binding 1, 2 | a noise texture with mip levels, a sampler |
//! | binding 3, 4 | a depth texture, a comparison sampler |
//! | binding 5 | read-only storage buffer: 64 numbers |
//! | push constants | 16 floats between 0 and 2 |

use wgpu::{BufferUsages as Usage, TextureUsages};

use crate::common::gpu::{Gpu, Shader};
use crate::common::random::Random;

/// Width and height of the targets in pixels.
pub(crate) const SIDE: u32 = 24;
const TEXELS: u32 = 16;
const LEVELS: u32 = 3;
const VERTICES: u32 = 12;

/// The render targets of a case.
#[derive(Clone, Debug)]
pub(crate) struct Targets {
    pub(crate) colors: Vec<wgpu::TextureFormat>,
    pub(crate) samples: u32,
    pub(crate) depth: bool,
    pub(crate) points: bool,
}

impl Targets {
    /// Parses a description such as `rgba32float samples=4 depth points`.
    pub(crate) fn parse(text: &str) -> Self {
        let mut targets = Self {
            colors: Vec::new(),
            samples: 1,
            depth: false,
            points: false,
        };
        for word in text.split_whitespace() {
            use wgpu::TextureFormat as Format;
            match word {
                "depth" => targets.depth = true,
                "points" => targets.points = true,
                "samples=4" => targets.samples = 4,
                "rgba32float" => targets.colors.push(Format::Rgba32Float),
                "rgba32uint" => targets.colors.push(Format::Rgba32Uint),
                "rgba32sint" => targets.colors.push(Format::Rgba32Sint),
                "rg32float" => targets.colors.push(Format::Rg32Float),
                "r32float" => targets.colors.push(Format::R32Float),
                "r32uint" => targets.colors.push(Format::R32Uint),
                "rg32sint" => targets.colors.push(Format::Rg32Sint),
                "rgba16float" => targets.colors.push(Format::Rgba16Float),
                "none" => {}
                other => panic!("no target is called `{other}`"),
            }
        }
        targets
    }
}

pub(crate) struct Scene {
    gpu: Gpu,
    layout: wgpu::BindGroupLayout,
    group: wgpu::BindGroup,
    vertices: wgpu::Buffer,
}

/// The content of a target: its words, the number of words per texel, and whether they are floats.
#[derive(Clone, PartialEq)]
pub(crate) struct Image {
    pub(crate) words: Vec<u32>,
    pub(crate) is_float: bool,
    /// Number of words per texel.
    pub(crate) width: usize,
}

impl Scene {
    pub(crate) fn open() -> Option<Self> {
        let gpu = Gpu::vulkan()?;
        let (layout, group) = resources(&gpu);
        let vertices = gpu.filled(&vertices(), Usage::VERTEX);
        Some(Self {
            gpu,
            layout,
            group,
            vertices,
        })
    }

    /// Draws the scene. The last image is the depth target, if there is one.
    pub(crate) fn draw(
        &self,
        vertex: &Shader,
        fragment: &Shader,
        targets: &Targets,
    ) -> Result<Vec<Image>, String> {
        self.gpu
            .guarded(|| self.unguarded(vertex, fragment, targets))
    }

    fn unguarded(&self, vertex: &Shader, fragment: &Shader, targets: &Targets) -> Vec<Image> {
        let gpu = &self.gpu;
        let texture = |format| {
            gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: None,
                size: extent(SIDE, 1),
                mip_level_count: 1,
                sample_count: targets.samples,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING,
                view_formats: &[],
            })
        };
        let colors: Vec<_> = targets.colors.iter().map(|it| texture(*it)).collect();
        let depth = targets
            .depth
            .then(|| texture(wgpu::TextureFormat::Depth32Float));
        let views: Vec<_> = colors
            .iter()
            .chain(&depth)
            .map(|it| it.create_view(&Default::default()))
            .collect();
        let pipeline = self.pipeline(vertex, fragment, targets);
        let attachments: Vec<_> = views[..colors.len()]
            .iter()
            .map(|view| {
                Some(wgpu::RenderPassColorAttachment {
                    view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color {
                            r: 9.0,
                            g: 8.0,
                            b: 7.0,
                            a: 6.0,
                        }),
                        store: wgpu::StoreOp::Store,
                    },
                })
            })
            .collect();
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &attachments,
            depth_stencil_attachment: depth.as_ref().map(|_| {
                wgpu::RenderPassDepthStencilAttachment {
                    view: &views[colors.len()],
                    depth_ops: Some(wgpu::Operations {
                        load: wgpu::LoadOp::Clear(1.0),
                        store: wgpu::StoreOp::Store,
                    }),
                    stencil_ops: None,
                }
            }),
            ..Default::default()
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.set_immediates(0, bytemuck::cast_slice(&floats(77, 16, 0.0)));
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.draw(0..VERTICES, 0..2);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        let textures = colors.iter().chain(&depth);
        textures
            .zip(&views)
            .map(|(texture, view)| self.download(texture, view))
            .collect()
    }

    fn pipeline(
        &self,
        vertex: &Shader,
        fragment: &Shader,
        targets: &Targets,
    ) -> wgpu::RenderPipeline {
        let device = &self.gpu.device;
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(&self.layout)],
            immediate_size: 64,
            ..Default::default()
        });
        let formats: Vec<_> = targets.colors.iter().map(|it| Some((*it).into())).collect();
        use wgpu::VertexFormat::{Float32x4, Sint32x4, Uint32x4};
        let kinds = [
            Float32x4, Float32x4, Uint32x4, Sint32x4, Float32x4, Float32x4, Float32x4, Float32x4,
        ];
        let attributes: Vec<_> = (0..)
            .zip(kinds)
            .map(|(location, format)| wgpu::VertexAttribute {
                format,
                offset: u64::from(location) * 16,
                shader_location: location,
            })
            .collect();
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &self.gpu.shader(vertex, "main", (0, 0, 0)),
                entry_point: Some("main"),
                compilation_options: Default::default(),
                buffers: &[Some(wgpu::VertexBufferLayout {
                    array_stride: 128,
                    step_mode: wgpu::VertexStepMode::Vertex,
                    attributes: &attributes,
                })],
            },
            primitive: wgpu::PrimitiveState {
                topology: if targets.points {
                    wgpu::PrimitiveTopology::PointList
                } else {
                    wgpu::PrimitiveTopology::TriangleList
                },
                ..Default::default()
            },
            depth_stencil: targets.depth.then(|| wgpu::DepthStencilState {
                format: wgpu::TextureFormat::Depth32Float,
                depth_write_enabled: Some(true),
                depth_compare: Some(wgpu::CompareFunction::LessEqual),
                stencil: Default::default(),
                bias: Default::default(),
            }),
            multisample: wgpu::MultisampleState {
                count: targets.samples,
                ..Default::default()
            },
            fragment: Some(wgpu::FragmentState {
                module: &self.gpu.shader(fragment, "main", (0, 0, 0)),
                entry_point: Some("main"),
                compilation_options: Default::default(),
                targets: &formats,
            }),
            multiview_mask: None,
            cache: None,
        })
    }

    /// Reads all samples of a texture with a compute shader, because multisampled textures cannot be copied.
    fn download(&self, texture: &wgpu::Texture, view: &wgpu::TextureView) -> Image {
        let gpu = &self.gpu;
        let (kind, width) = match texture.format() {
            wgpu::TextureFormat::Rgba32Uint => ("u32", 4),
            wgpu::TextureFormat::R32Uint => ("u32", 1),
            wgpu::TextureFormat::Rgba32Sint => ("i32", 4),
            wgpu::TextureFormat::Rg32Sint => ("i32", 2),
            wgpu::TextureFormat::Rg32Float => ("f32", 2),
            wgpu::TextureFormat::R32Float => ("f32", 1),
            wgpu::TextureFormat::Depth32Float => ("depth", 1),
            _ => ("f32", 4),
        };
        let samples = texture.sample_count();
        let multisampled = if samples > 1 { "multisampled_" } else { "" };
        let (ty, load) = match kind {
            "depth" => (
                format!("texture_depth_{multisampled}2d"),
                "vec4<f32>(textureLoad(image, at, sample))",
            ),
            kind => (
                format!("texture_{multisampled}2d<{kind}>"),
                "textureLoad(image, at, sample)",
            ),
        };
        let text = format!(
            "@group(0) @binding(0) var image: {ty};
            @group(0) @binding(1) var<storage, read_write> words: array<u32>;
            @compute @workgroup_size({SIDE}) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                let at = id.xy;
                for (var sample = 0u; sample < {samples}u; sample++) {{
                    let texel = bitcast<vec4<u32>>({load});
                    for (var i = 0u; i < {width}u; i++) {{
                        words[((at.y * {SIDE}u + at.x) * {samples}u + sample) * {width}u + i] = texel[i];
                    }}
                }}
            }}"
        );
        let module = gpu.shader(&Shader::Wgsl(text), "main", (SIDE, 1, 1));
        let pipeline = gpu
            .device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: None,
                layout: None,
                module: &module,
                entry_point: Some("main"),
                compilation_options: Default::default(),
                cache: None,
            });
        let size = u64::from(SIDE * SIDE * samples * width * 4);
        let data = gpu.buffer(size, Usage::STORAGE | Usage::COPY_SRC);
        let back = gpu.buffer(size, Usage::MAP_READ | Usage::COPY_DST);
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry {
                    binding: 0,
                    resource: wgpu::BindingResource::TextureView(view),
                },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: data.as_entire_binding(),
                },
            ],
        });
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, SIDE, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&data, 0, &back, 0, size);
        gpu.queue.submit([encoder.finish()]);
        Image {
            words: gpu.words(&back),
            is_float: matches!(kind, "f32" | "depth"),
            width: (width * samples) as usize,
        }
    }
}

/// Floats in a range of length 2, with few mantissa bits, so that sums are exact.
fn floats(seed: u64, count: usize, least: f32) -> Vec<f32> {
    let mut random = Random(seed);
    (0..count)
        .map(|_| random.below(64) as f32 / 32.0 + least)
        .collect()
}

/// The vertex buffer: positions of triangles, and noise for the other attributes.
fn vertices() -> Vec<u8> {
    #[rustfmt::skip]
    let positions: [[f32; 4]; VERTICES as usize] = [
        // Covers all pixels, with perspective.
        [-1.0, -1.0, 0.5, 1.0], [3.0, -1.0, 0.5, 1.0], [-1.5, 4.5, 0.7, 1.5],
        // The opposite winding.
        [-0.9, -0.8, 0.2, 1.0], [-0.7, 0.9, 0.4, 1.0], [0.8, -0.3, 0.6, 1.0],
        // Strong perspective.
        [0.3, -0.9, 0.1, 1.0], [2.7, -2.4, 0.3, 3.0], [0.4, 0.5, 0.2, 0.5],
        // A small triangle.
        [-0.4, 0.4, 0.0, 1.0], [0.1, 0.3, 0.9, 1.0], [-0.2, 0.9, 0.3, 1.0],
    ];
    let mut random = Random(5);
    let mut bytes = Vec::new();
    for (number, position) in (0..).zip(&positions) {
        let words = |random: &mut Random| [(); 4].map(|()| random.next() as u32 >> 8);
        let mut add = |it: [u32; 4]| bytes.extend_from_slice(bytemuck::cast_slice(&it));
        add(position.map(f32::to_bits));
        let mut noise = floats(100 + number, 20, -1.0)
            .into_iter()
            .map(|it| (it * 2.0).to_bits());
        let mut four = || [(); 4].map(|()| noise.next().unwrap_or(0));
        add(four());
        add(words(&mut random));
        add(words(&mut random).map(|it| it.wrapping_sub(1 << 23)));
        for _ in 0..4 {
            add(four());
        }
    }
    bytes
}

fn extent(side: u32, layers: u32) -> wgpu::Extent3d {
    wgpu::Extent3d {
        width: side,
        height: side,
        depth_or_array_layers: layers,
    }
}

/// A noise texture with mip levels.
fn texture(gpu: &Gpu, format: wgpu::TextureFormat) -> wgpu::TextureView {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: extent(TEXELS, 1),
        mip_level_count: LEVELS,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let size = format.block_copy_size(None).unwrap();
    let mut random = Random(9);
    for mip_level in 0..LEVELS {
        let side = TEXELS >> mip_level;
        let bytes: Vec<u8> = (0..side * side * size)
            .map(|_| random.next() as u8)
            .collect();
        gpu.queue.write_texture(
            wgpu::TexelCopyTextureInfo {
                mip_level,
                ..texture.as_image_copy()
            },
            &bytes,
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(side * size),
                rows_per_image: Some(side),
            },
            extent(side, 1),
        );
    }
    texture.create_view(&Default::default())
}

fn resources(gpu: &Gpu) -> (wgpu::BindGroupLayout, wgpu::BindGroup) {
    let buffer = |ty| wgpu::BindingType::Buffer {
        ty,
        has_dynamic_offset: false,
        min_binding_size: None,
    };
    let sampled = |sample_type| wgpu::BindingType::Texture {
        sample_type,
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    let types = [
        buffer(wgpu::BufferBindingType::Uniform),
        sampled(wgpu::TextureSampleType::Float { filterable: true }),
        wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
        sampled(wgpu::TextureSampleType::Depth),
        wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison),
        buffer(wgpu::BufferBindingType::Storage { read_only: true }),
    ];
    let entries: Vec<_> = (0..)
        .zip(types)
        .map(|(binding, ty)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
            ty,
            count: None,
        })
        .collect();
    let layout = gpu
        .device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &entries,
        });
    let sampler = |compare| {
        gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            address_mode_u: wgpu::AddressMode::Repeat,
            address_mode_v: wgpu::AddressMode::MirrorRepeat,
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            mipmap_filter: wgpu::MipmapFilterMode::Linear,
            compare,
            ..Default::default()
        })
    };
    let uniform = gpu.filled(bytemuck::cast_slice(&floats(33, 64, 0.0)), Usage::UNIFORM);
    let mut random = Random(44);
    let numbers: Vec<u32> = (0..64).map(|_| random.next() as u32 >> 8).collect();
    let storage = gpu.filled(bytemuck::cast_slice(&numbers), Usage::STORAGE);
    let colors = texture(gpu, wgpu::TextureFormat::Rgba8Unorm);
    let depths = texture(gpu, wgpu::TextureFormat::Depth16Unorm);
    let (plain, compares) = (
        sampler(None),
        sampler(Some(wgpu::CompareFunction::LessEqual)),
    );
    let resources = [
        uniform.as_entire_binding(),
        wgpu::BindingResource::TextureView(&colors),
        wgpu::BindingResource::Sampler(&plain),
        wgpu::BindingResource::TextureView(&depths),
        wgpu::BindingResource::Sampler(&compares),
        storage.as_entire_binding(),
    ];
    let entries: Vec<_> = (0..)
        .zip(resources)
        .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
        .collect();
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &layout,
        entries: &entries,
    });
    (layout, group)
}
