//! Runs compute shaders on storage textures.

use std::borrow::Cow;

use anywarp_program::Program;

use super::device::{Device, extent, noise, rows};

/// Width and height of a texture in texels.
const SIDE: u32 = 16;

/// For each binding: format, dimension, number of layers, and access.
fn kinds() -> [(
    wgpu::TextureFormat,
    wgpu::TextureViewDimension,
    u32,
    wgpu::StorageTextureAccess,
); 6] {
    use wgpu::{StorageTextureAccess as Access, TextureFormat, TextureViewDimension};
    let flat = TextureViewDimension::D2;
    [
        (TextureFormat::Rgba8Unorm, flat, 1, Access::ReadOnly),
        (
            TextureFormat::Rgba16Float,
            TextureViewDimension::D2Array,
            2,
            Access::WriteOnly,
        ),
        (TextureFormat::R32Uint, flat, 1, Access::ReadWrite),
        (
            TextureFormat::Rgba32Sint,
            TextureViewDimension::D3,
            2,
            Access::WriteOnly,
        ),
        (TextureFormat::Rgba32Float, flat, 1, Access::WriteOnly),
        (TextureFormat::Rgba32Float, flat, 1, Access::ReadOnly),
    ]
}

impl Device {
    /// Runs the words of a compute shader unchanged, and returns the contents of all textures.
    pub(crate) fn compute_spirv(&self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let words = bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|it| u32::from_le_bytes(*it));
        let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
            spirv: Some(Cow::Owned(words.collect())),
            entry_points: Cow::Owned(vec![wgpu::PassthroughShaderEntryPoint {
                name: "main".into(),
                workgroup_size: (8, 8, 1),
            }]),
            ..Default::default()
        };
        // SAFETY: the words come from glslang, and spirv-val accepts them.
        let module = unsafe { self.device.create_shader_module_passthrough(descriptor) };
        self.dispatch(&module)
    }

    /// Runs a program, and returns the contents of all textures.
    pub(crate) fn compute(&self, program: &Program) -> Vec<Vec<u8>> {
        let module = self
            .device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Naga(Cow::Owned(program.module().clone())),
            });
        self.dispatch(&module)
    }

    /// The initial content of a texture.
    pub(crate) fn storage_before(&self, binding: usize) -> Vec<u8> {
        let (format, _, layers, _) = kinds()[binding];
        let mut seed = 0x1234_5678 + binding as u32;
        let count = SIDE * SIDE * layers * format.block_copy_size(None).unwrap();
        let bytes = (0..count).map(|_| noise(&mut seed));
        match format {
            // Arbitrary bits include signaling NaNs and subnormal floats, which devices may change.
            wgpu::TextureFormat::Rgba32Float => {
                let floats: Vec<f32> = bytes.step_by(4).map(f32::from).collect();
                bytemuck::cast_slice(&floats).to_vec()
            }
            _ => bytes.collect(),
        }
    }

    fn dispatch(&self, module: &wgpu::ShaderModule) -> Vec<Vec<u8>> {
        let device = &self.device;
        let textures: Vec<_> = (0..kinds().len()).map(|it| self.storage(it)).collect();
        let entries = (0..)
            .zip(kinds())
            .map(
                |(binding, (format, view_dimension, _, access))| wgpu::BindGroupLayoutEntry {
                    binding,
                    visibility: wgpu::ShaderStages::COMPUTE,
                    ty: wgpu::BindingType::StorageTexture {
                        access,
                        format,
                        view_dimension,
                    },
                    count: None,
                },
            );
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &entries.collect::<Vec<_>>(),
        });
        let views = textures
            .iter()
            .zip(kinds())
            .map(|(texture, (_, dimension, ..))| {
                texture.create_view(&wgpu::TextureViewDescriptor {
                    dimension: Some(dimension),
                    ..Default::default()
                })
            });
        let views: Vec<_> = views.collect();
        let entries = (0..)
            .zip(&views)
            .map(|(binding, view)| wgpu::BindGroupEntry {
                binding,
                resource: wgpu::BindingResource::TextureView(view),
            });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &entries.collect::<Vec<_>>(),
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(&layout)],
            ..Default::default()
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&pipeline_layout),
            module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        });
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(SIDE / 8, SIDE / 8, 1);
        drop(pass);
        self.queue.submit([encoder.finish()]);
        let textures = textures.iter().zip(kinds());
        textures
            .map(|(texture, (.., layers, _))| self.download(texture, layers))
            .collect()
    }

    fn storage(&self, binding: usize) -> wgpu::Texture {
        let (format, dimension, layers, _) = kinds()[binding];
        let texture = self.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: extent(SIDE, layers),
            mip_level_count: 1,
            sample_count: 1,
            dimension: match dimension {
                wgpu::TextureViewDimension::D3 => wgpu::TextureDimension::D3,
                _ => wgpu::TextureDimension::D2,
            },
            format,
            usage: wgpu::TextureUsages::STORAGE_BINDING
                | wgpu::TextureUsages::COPY_DST
                | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let row = SIDE * format.block_copy_size(None).unwrap();
        let bytes = self.storage_before(binding);
        let to = texture.as_image_copy();
        self.queue
            .write_texture(to, &bytes, rows(row, SIDE), extent(SIDE, layers));
        texture
    }

    /// Reads a texture; rows of the copy are padded, which is removed.
    fn download(&self, texture: &wgpu::Texture, layers: u32) -> Vec<u8> {
        let row = SIDE * texture.format().block_copy_size(None).unwrap();
        let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let back = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(padded * SIDE * layers),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let copy = wgpu::TexelCopyBufferInfo {
            buffer: &back,
            layout: rows(padded, SIDE),
        };
        encoder.copy_texture_to_buffer(texture.as_image_copy(), copy, extent(SIDE, layers));
        self.queue.submit([encoder.finish()]);
        back.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .unwrap();
        let view = back.get_mapped_range(..).unwrap();
        view.chunks(padded as usize)
            .flat_map(|it| &it[..row as usize])
            .copied()
            .collect()
    }
}
