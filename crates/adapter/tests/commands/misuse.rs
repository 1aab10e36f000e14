//! Calls that are always invalid, and must give an error without any effect.

use wgpu::BufferUsages as Usage;

use crate::commands::device::{AFFINE, Intent, layout, pipeline};
use crate::commands::model::State;
use crate::commands::stream::Stream;

impl Stream {
    pub(crate) fn misuse(&mut self) {
        match self.random.below(11) {
            0 => self.absurd_buffer(),
            1 => self.bad_pipeline(),
            2 => self.foreign_group(),
            3 => self.absurd_queries(),
            4 => self.destroyed_binding(),
            5 => self.bad_shader(),
            6 => self.nested_scopes(),
            7 => self.twice_the_same_binding(),
            8 => self.absurd_texture(),
            9 => self.destroyed_texture(),
            _ => self.queries(),
        }
    }

    fn buffer(&self, size: u64, usage: Usage) -> wgpu::Buffer {
        self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        })
    }

    fn absurd_buffer(&mut self) {
        let (size, usage) = self.random.pick(&[
            (1 << 41, Usage::STORAGE),
            (u64::MAX, Usage::STORAGE),
            (64, Usage::empty()),
        ]);
        let create = || self.buffer(size, usage);
        self.gpu
            .call(("create_buffer", size), Intent::Invalid, create);
    }

    /// Inside every limit, and more than most machines have.
    fn absurd_texture(&mut self) {
        let limits = self.gpu.device.limits();
        let side = limits.max_texture_dimension_2d;
        let descriptor = wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d {
                width: side,
                height: side,
                depth_or_array_layers: limits.max_texture_array_layers,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: self.random.pick(&[
                wgpu::TextureFormat::Rgba32Float,
                wgpu::TextureFormat::Depth32FloatStencil8,
            ]),
            usage: wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        };
        let create = || self.gpu.device.create_texture(&descriptor);
        self.gpu.call(&descriptor, Intent::Either, create);
    }

    /// A view, a write or a clear of what was destroyed.
    fn destroyed_texture(&mut self) {
        let Some(image) = self.images.iter().find(|image| image.is_destroyed) else {
            return;
        };
        let texture = &image.texture;
        let choice = self.random.below(3);
        let misuse = || match choice {
            0 => drop(texture.create_view(&Default::default())),
            1 => {
                let layout = wgpu::TexelCopyBufferLayout::default();
                let size = wgpu::Extent3d::default();
                let texels = texture.as_image_copy();
                self.gpu.queue.write_texture(texels, &[0; 16], layout, size);
            }
            _ => {
                let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
                encoder.clear_texture(texture, &Default::default());
                self.gpu.queue.submit([encoder.finish()]);
            }
        };
        self.gpu
            .call("a destroyed texture", Intent::Invalid, misuse);
    }

    fn bad_pipeline(&mut self) {
        let other = "@group(0) @binding(5) var<storage, read_write> x: u32;
            @compute @workgroup_size(1) fn main() { x = 1u; }";
        let large = "@compute @workgroup_size(2048) fn main() { }";
        let (wgsl, entry) =
            self.random
                .pick(&[(AFFINE, "nothing"), (other, "main"), (large, "main")]);
        let create = || pipeline(&self.gpu.device, &self.gpu.layout, wgsl, entry);
        self.gpu
            .call("create_compute_pipeline", Intent::Invalid, create);
    }

    fn bad_shader(&mut self) {
        let wgsl = self.random.pick(&[
            "fn",
            "@compute @workgroup_size(1) fn main() { let x: u32 = 1.0f; }",
            "var<workgroup> a: array<u32>;",
            "",
        ]);
        let intent = Intent::valid_if(wgsl.is_empty());
        let device = &self.gpu.device;
        let create = || {
            device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Wgsl(wgsl.into()),
            })
        };
        self.gpu
            .call(("create_shader_module", wgsl), intent, create);
    }

    /// A bind group of another layout.
    fn foreign_group(&mut self) {
        let device = &self.gpu.device;
        let entries = &[];
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries,
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &[],
        });
        let encode = || {
            let mut encoder = device.create_command_encoder(&Default::default());
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&self.gpu.pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(1, 1, 1);
            drop(pass);
            encoder.finish()
        };
        self.gpu
            .call("a foreign bind group", Intent::Invalid, encode);
    }

    fn twice_the_same_binding(&mut self) {
        let buffer = self.buffer(64, Usage::STORAGE | Usage::UNIFORM);
        let entry = || wgpu::BindGroupEntry {
            binding: 0,
            resource: buffer.as_entire_binding(),
        };
        let create = || {
            self.gpu
                .device
                .create_bind_group(&wgpu::BindGroupDescriptor {
                    label: None,
                    layout: &layout(&self.gpu.device),
                    entries: &[entry(), entry()],
                })
        };
        self.gpu
            .call("a binding given twice", Intent::Invalid, create);
    }

    fn destroyed_binding(&mut self) {
        let Some(index) = self.choose(|tracked| tracked.state == State::Destroyed) else {
            return;
        };
        let buffer = &self.buffers[index].buffer;
        let target = self.buffer(64, Usage::COPY_DST);
        let encode = || {
            let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(buffer, 0, &target, 0, 4);
            self.gpu.queue.submit([encoder.finish()]);
        };
        self.gpu.call("a destroyed buffer", Intent::Invalid, encode);
    }

    fn query_set(&self, count: u32) -> wgpu::QuerySet {
        self.gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: None,
            ty: wgpu::QueryType::Timestamp,
            count,
        })
    }

    fn absurd_queries(&mut self) {
        let count = self.random.pick(&[0, 5000, u32::MAX]);
        let create = || self.query_set(count);
        self.gpu
            .call(("create_query_set", count), Intent::Invalid, create);
    }

    /// Timestamps, at places that exist or not.
    fn queries(&mut self) {
        let count = 1 + self.random.below(4) as u32;
        let at = self.random.below(6) as u32;
        let end = self.random.below(6) as u32;
        let offset: u64 = self.random.pick(&[0, 0, 256, 8]);
        let target = self.buffer(512, Usage::QUERY_RESOLVE | Usage::COPY_SRC);
        let queries = self.query_set(count);
        let is_fine = at < count && end <= count && offset.is_multiple_of(256);
        let encode = || {
            let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
            encoder.write_timestamp(&queries, at);
            encoder.resolve_query_set(&queries, 0..end, &target, offset);
            self.gpu.queue.submit([encoder.finish()]);
        };
        let what = ("queries", count, at, end, offset);
        self.gpu.call(what, Intent::valid_if(is_fine), encode);
    }

    /// The inner scope sees the error, the outer one does not.
    fn nested_scopes(&mut self) {
        let inside = || {
            let create = || self.buffer(64, Usage::empty());
            self.gpu.call("an error inside", Intent::Invalid, create)
        };
        self.gpu.call("nothing outside", Intent::Valid, inside);
    }
}
