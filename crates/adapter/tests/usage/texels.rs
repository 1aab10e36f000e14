//! Helpers for tests of textures: they create, write and read textures, and run shaders on views.

use wgpu::TextureUsages as Usage;

use crate::usage::program::Gpu;

/// What tests do with most textures.
pub(crate) const ALL: Usage = Usage::COPY_SRC
    .union(Usage::COPY_DST)
    .union(Usage::TEXTURE_BINDING);

pub(crate) fn extent(width: u32, height: u32, depth: u32) -> wgpu::Extent3d {
    wgpu::Extent3d {
        width,
        height,
        depth_or_array_layers: depth,
    }
}

pub(crate) fn flat(
    format: wgpu::TextureFormat,
    size: wgpu::Extent3d,
) -> wgpu::TextureDescriptor<'static> {
    wgpu::TextureDescriptor {
        label: None,
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: ALL,
        view_formats: &[],
    }
}

impl Gpu {
    /// Writes a whole level, tightly packed.
    pub(crate) fn write_level(
        &self,
        texture: &wgpu::Texture,
        level: u32,
        bytes: &[u8],
        size: wgpu::Extent3d,
    ) {
        let texel = texture.format().block_copy_size(None).unwrap();
        self.queue.write_texture(
            wgpu::TexelCopyTextureInfo {
                mip_level: level,
                ..texture.as_image_copy()
            },
            bytes,
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(size.width * texel),
                rows_per_image: Some(size.height),
            },
            size,
        );
    }

    /// The texels of a part, tightly packed.
    pub(crate) fn read_texels(
        &self,
        from: wgpu::TexelCopyTextureInfo<'_>,
        size: wgpu::Extent3d,
    ) -> Vec<u8> {
        let texel = from
            .texture
            .format()
            .block_copy_size(Some(from.aspect))
            .unwrap();
        let row = size.width * texel;
        let padded = row.next_multiple_of(256);
        let rows = u64::from(size.height) * u64::from(size.depth_or_array_layers);
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
        let buffer = self.buffer(u64::from(padded) * rows, usage);
        self.submit(|encoder| {
            let target = wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(padded),
                    rows_per_image: Some(size.height),
                },
            };
            encoder.copy_texture_to_buffer(from, target, size);
        });
        let words = self.read(&buffer);
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        let rows = bytes.chunks_exact(padded as usize);
        rows.flat_map(|padded| &padded[..row as usize])
            .copied()
            .collect()
    }

    /// The first level of a texture.
    pub(crate) fn read_texture(&self, texture: &wgpu::Texture) -> Vec<u8> {
        self.read_texels(texture.as_image_copy(), texture.size())
    }

    /// Runs one workgroup of a shader with views at bindings 0, 1, ... and a buffer behind them.
    pub(crate) fn run_with_views(
        &self,
        wgsl: &str,
        views: &[&wgpu::TextureView],
        words: usize,
    ) -> Vec<u32> {
        let pipeline = self.pipeline(wgsl);
        let out = self.storage(&vec![0; words]);
        let mut entries: Vec<_> = (0..)
            .zip(views)
            .map(|(binding, view)| wgpu::BindGroupEntry {
                binding,
                resource: wgpu::BindingResource::TextureView(view),
            })
            .collect();
        entries.push(wgpu::BindGroupEntry {
            binding: views.len() as u32,
            resource: out.as_entire_binding(),
        });
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        self.pass(|pass| {
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(1, 1, 1);
        });
        self.read(&out)
    }
}
