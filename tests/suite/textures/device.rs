//! A device of either adapter, with the operations that the comparison performs on both.

use anywarp_tests::wgpu_format;
use anywarp_texture::Format;
use wgpu::TextureUsages as Usage;

/// An opened adapter.
pub(crate) struct Device {
    adapter: wgpu::Adapter,
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Device {
    pub(crate) fn open(adapter: &wgpu::Adapter) -> Self {
        let optional = wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES
            | wgpu::Features::TEXTURE_FORMAT_16BIT_NORM
            | wgpu::Features::BGRA8UNORM_STORAGE;
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            required_features: adapter.features() & optional,
            ..Default::default()
        });
        let (device, queue) = pollster::block_on(request).unwrap();
        Self {
            adapter: adapter.clone(),
            device,
            queue,
        }
    }

    fn allows(&self, format: Format, usage: Usage) -> bool {
        let format = wgpu_format(format);
        let features = self.adapter.get_texture_format_features(format);
        self.device.features().contains(format.required_features())
            && features.allowed_usages.contains(usage)
    }

    /// Whether textures of a format can be copied and loaded.
    pub(crate) fn has(&self, format: Format) -> bool {
        self.allows(
            format,
            Usage::COPY_SRC | Usage::COPY_DST | Usage::TEXTURE_BINDING,
        )
    }

    /// Whether textures of a format can be stored to.
    pub(crate) fn stores(&self, format: Format) -> bool {
        let features = self
            .adapter
            .get_texture_format_features(wgpu_format(format));
        let writes = wgpu::TextureFormatFeatureFlags::STORAGE_WRITE_ONLY;
        self.allows(format, Usage::STORAGE_BINDING | Usage::COPY_SRC)
            && features.flags.contains(writes)
    }

    fn empty(
        &self,
        format: wgpu::TextureFormat,
        size: wgpu::Extent3d,
        usage: Usage,
    ) -> wgpu::Texture {
        self.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage,
            view_formats: &[],
        })
    }

    /// A texture with these bytes.
    pub(crate) fn texture(&self, format: Format, size: [u32; 2], bytes: &[u8]) -> wgpu::Texture {
        let usage = Usage::COPY_SRC | Usage::COPY_DST | Usage::TEXTURE_BINDING;
        let texture = self.empty(wgpu_format(format), extent(size), usage);
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(size[0] * format.bytes()),
            rows_per_image: None,
        };
        self.queue
            .write_texture(texture.as_image_copy(), bytes, layout, extent(size));
        texture
    }

    /// A copy of a texture.
    pub(crate) fn copied(&self, source: &wgpu::Texture) -> wgpu::Texture {
        let target = self.empty(source.format(), source.size(), source.usage());
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_texture_to_texture(
            source.as_image_copy(),
            target.as_image_copy(),
            source.size(),
        );
        self.queue.submit([encoder.finish()]);
        target
    }

    /// The bytes of a texture.
    pub(crate) fn read(&self, texture: &wgpu::Texture) -> Vec<u8> {
        let size = texture.size();
        let row = size.width * texture.format().block_copy_size(None).unwrap();
        let padded = row.next_multiple_of(256);
        let buffer = self.buffer(u64::from(padded * size.height));
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let target = wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(padded),
                rows_per_image: None,
            },
        };
        encoder.copy_texture_to_buffer(texture.as_image_copy(), target, size);
        self.queue.submit([encoder.finish()]);
        let bytes = self.map(&buffer);
        let rows = bytes.chunks_exact(padded as usize);
        rows.flat_map(|padded| padded[..row as usize].to_vec())
            .collect()
    }

    fn buffer(&self, size: u64) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    fn map(&self, buffer: &wgpu::Buffer) -> Vec<u8> {
        buffer.map_async(wgpu::MapMode::Read, .., |_| {});
        let wait = wgpu::PollType::wait_indefinitely();
        self.device.poll(wait).unwrap();
        buffer.get_mapped_range(..).unwrap().to_vec()
    }

    /// The values that a shader loads from all texels.
    pub(crate) fn loaded(&self, texture: &wgpu::Texture, scalar: &str) -> Vec<u32> {
        let wgpu::Extent3d { width, height, .. } = texture.size();
        let wgsl = format!(
            "@group(0) @binding(0) var t: texture_2d<{scalar}>;
             @group(0) @binding(1) var<storage, read_write> out: array<vec4<{scalar}>>;
             @compute @workgroup_size(16)
             fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                 out[id.y * {width}u + id.x] = textureLoad(t, id.xy, 0);
             }}"
        );
        let size = u64::from(width * height * 16);
        let out = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        self.dispatch(&wgsl, texture, Some(&out));
        let download = self.buffer(size);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&out, 0, &download, 0, size);
        self.queue.submit([encoder.finish()]);
        bytemuck::pod_collect_to_vec(&self.map(&download))
    }

    /// A texture into which a shader has stored a value that depends on the texel's number `i`.
    pub(crate) fn stored(
        &self,
        format: Format,
        size: [u32; 2],
        scalar: &str,
        value: &str,
    ) -> wgpu::Texture {
        let usage = Usage::COPY_SRC | Usage::STORAGE_BINDING;
        let texture = self.empty(wgpu_format(format), extent(size), usage);
        let (name, width) = (format.name(), size[0]);
        let wgsl = format!(
            "@group(0) @binding(0) var t: texture_storage_2d<{name}, write>;
             @compute @workgroup_size(16)
             fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                 let i = id.y * {width}u + id.x;
                 textureStore(t, id.xy, vec4<{scalar}>({value}));
             }}"
        );
        self.dispatch(&wgsl, &texture, None);
        texture
    }

    fn dispatch(&self, wgsl: &str, texture: &wgpu::Texture, out: Option<&wgpu::Buffer>) {
        let module = self
            .device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Wgsl(wgsl.into()),
            });
        let pipeline = self
            .device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: None,
                layout: None,
                module: &module,
                entry_point: None,
                compilation_options: Default::default(),
                cache: None,
            });
        let view = texture.create_view(&Default::default());
        let mut entries = vec![wgpu::BindGroupEntry {
            binding: 0,
            resource: wgpu::BindingResource::TextureView(&view),
        }];
        entries.extend(out.map(|buffer| wgpu::BindGroupEntry {
            binding: 1,
            resource: buffer.as_entire_binding(),
        }));
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        let size = texture.size();
        pass.dispatch_workgroups(size.width / 16, size.height, 1);
        drop(pass);
        self.queue.submit([encoder.finish()]);
    }
}

fn extent([width, height]: [u32; 2]) -> wgpu::Extent3d {
    wgpu::Extent3d {
        width,
        height,
        depth_or_array_layers: 1,
    }
}
