//! Creates the resources of a graph file on a device.
//!
//! In: the declarations of a file. Out: [`FileResources`]: buffers, textures and bind groups. What
//! always holds: an error about an unsupported resource names the resource and its line.

use std::collections::BTreeMap;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::GraphFile;
use super::binding_point::BindingPoint;
use super::buffers::{BufferKind, FileBuffer};
use super::error::FileError;
use super::textures::{FileSampler, FileTexture, TextureAccess, format_name};
use crate::wgpu_error::ErrorScopes;

/// The number of storage bindings that the runtime uses in every node: plan, records and counters;
/// it also uses one uniform.
const RUNTIME_STORAGE: u32 = 3;
const RUNTIME_UNIFORM: u32 = 1;

/// The resources of a graph file on a device.
#[derive(Clone, Debug)]
pub struct FileResources {
    /// The buffers, in the order of [`GraphFile::buffers`].
    pub buffers: Vec<wgpu::Buffer>,
    /// The textures, in the order of [`GraphFile::textures`].
    pub textures: Vec<wgpu::Texture>,
    /// Bind group layouts from group 0 on, for [`GraphOptions`](crate::GraphOptions).
    pub layouts: Vec<wgpu::BindGroupLayout>,
    /// The bind groups for these layouts.
    pub bind_groups: Vec<wgpu::BindGroup>,
}

/// A resource with its binding and layout.
struct Bound {
    binding: u32,
    ty: wgpu::BindingType,
    resource: Resource,
}

enum Resource {
    Buffer(wgpu::Buffer),
    Texture(wgpu::TextureView),
    Sampler(wgpu::Sampler),
}

impl Resource {
    fn binding(&self) -> wgpu::BindingResource<'_> {
        match self {
            Self::Buffer(buffer) => buffer.as_entire_binding(),
            Self::Texture(view) => wgpu::BindingResource::TextureView(view),
            Self::Sampler(sampler) => wgpu::BindingResource::Sampler(sampler),
        }
    }
}

impl GraphFile {
    /// Creates the buffers, textures and bind groups of a file.
    pub fn resources(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
    ) -> Result<FileResources, FileError> {
        self.check_counts(&device.limits())?;
        let mut groups = BTreeMap::<u32, Vec<Bound>>::new();
        let mut bind = |binding_point: BindingPoint, ty, resource| {
            groups.entry(binding_point.group).or_default().push(Bound {
                binding: binding_point.binding,
                ty,
                resource,
            });
        };
        let mut buffers = Vec::new();
        for declared in &self.buffers {
            let buffer = self.buffer(device, queue, declared)?;
            let ty = buffer_type(declared.kind);
            bind(declared.binding_point, ty, Resource::Buffer(buffer.clone()));
            buffers.push(buffer);
        }
        let mut textures = Vec::new();
        for declared in &self.textures {
            let (texture, view) = self.texture(device, queue, declared)?;
            let ty = texture_type(declared, device.features());
            bind(declared.binding_point, ty, Resource::Texture(view));
            textures.push(texture);
        }
        for declared in &self.samplers {
            let (ty, sampler) = sampler(device, declared);
            bind(declared.binding_point, ty, Resource::Sampler(sampler));
        }
        let mut made = FileResources {
            buffers,
            textures,
            layouts: Vec::new(),
            bind_groups: Vec::new(),
        };
        let count = groups.keys().last().map_or(0, |last| last + 1);
        for group in 0..count {
            let members = groups.remove(&group).unwrap_or_default();
            self.bind(device, &members, &mut made)?;
        }
        Ok(made)
    }

    /// Checks binding counts; the runtime has further bindings in every node.
    fn check_counts(&self, limits: &wgpu::Limits) -> Result<(), FileError> {
        let buffers = |uniform: bool| {
            let kinds = self.buffers.iter().map(|buffer| buffer.kind);
            kinds
                .filter(|kind| (*kind == BufferKind::Uniform) == uniform)
                .count()
        };
        let textures = |sampled: bool| {
            let accesses = self.textures.iter().map(|texture| texture.access);
            accesses
                .filter(|access| (*access == TextureAccess::Sampled) == sampled)
                .count()
        };
        let storage = limits.max_storage_buffers_per_shader_stage;
        let uniform = limits.max_uniform_buffers_per_shader_stage;
        let counts = [
            (
                "storage buffers",
                buffers(false),
                storage.saturating_sub(RUNTIME_STORAGE),
            ),
            (
                "uniform buffers",
                buffers(true),
                uniform.saturating_sub(RUNTIME_UNIFORM),
            ),
            (
                "sampled textures",
                textures(true),
                limits.max_sampled_textures_per_shader_stage,
            ),
            (
                "storage textures",
                textures(false),
                limits.max_storage_textures_per_shader_stage,
            ),
            (
                "samplers",
                self.samplers.len(),
                limits.max_samplers_per_shader_stage,
            ),
        ];
        for (kind, found, max) in counts {
            if found > max as usize {
                let message = format!(
                    "has {found} {kind}, but this device has only {max} left besides those of the graph"
                );
                return Err(FileError::of_file(&self.name, message));
            }
        }
        Ok(())
    }

    fn error(&self, binding_point: BindingPoint, message: String) -> FileError {
        FileError::of_line(&self.name, binding_point.line, None, message)
    }

    fn buffer(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        declared: &FileBuffer,
    ) -> Result<wgpu::Buffer, FileError> {
        use wgpu::BufferUsages as Usage;
        let limits = device.limits();
        let (max, usage) = match declared.kind {
            BufferKind::Uniform => (limits.max_uniform_buffer_binding_size, Usage::UNIFORM),
            BufferKind::Read | BufferKind::ReadWrite => {
                (limits.max_storage_buffer_binding_size, Usage::STORAGE)
            }
        };
        let max = max.min(limits.max_buffer_size);
        if declared.size > max {
            let message = format!(
                "the buffer `{}` has {} bytes, but this device binds at most {max}",
                declared.name, declared.size
            );
            return Err(self.error(declared.binding_point, message));
        }
        let scopes = ErrorScopes::new(device);
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(&declared.name),
            size: declared.size,
            usage: usage | Usage::COPY_SRC | Usage::COPY_DST,
            mapped_at_creation: false,
        });
        queue.write_buffer(&buffer, 0, &declared.contents);
        match at_once(scopes.end()) {
            None => Ok(buffer),
            Some(error) => {
                let message = format!(
                    "this device cannot create the buffer `{}` with {} bytes",
                    declared.name, declared.size
                );
                let refused = self.error(declared.binding_point, message);
                Err(refused.caused_by(error))
            }
        }
    }

    fn texture(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        declared: &FileTexture,
    ) -> Result<(wgpu::Texture, wgpu::TextureView), FileError> {
        use wgpu::TextureUsages as Usage;
        let (name, width, height) = (&declared.name, declared.width, declared.height);
        let max = device.limits().max_texture_dimension_2d;
        if width.max(height) > max {
            let message = format!(
                "the texture `{name}` has {width}x{height} pixels, but this device allows at most {max}x{max}"
            );
            return Err(self.error(declared.binding_point, message));
        }
        let usage = match declared.access {
            TextureAccess::Sampled => Usage::TEXTURE_BINDING,
            TextureAccess::Read | TextureAccess::Write | TextureAccess::ReadWrite => {
                Usage::STORAGE_BINDING
            }
        };
        let size = wgpu::Extent3d {
            width,
            height,
            depth_or_array_layers: 1,
        };
        let scopes = ErrorScopes::new(device);
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some(name),
            size,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: declared.format,
            usage: usage | Usage::COPY_SRC | Usage::COPY_DST,
            view_formats: &[],
        });
        if !declared.contents.is_empty() {
            let bytes = declared.format.block_copy_size(None).unwrap_or(4);
            let layout = wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(bytes * width),
                rows_per_image: None,
            };
            queue.write_texture(texture.as_image_copy(), &declared.contents, layout, size);
        }
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        if let Some(error) = at_once(scopes.end()) {
            let message = format!(
                "this device cannot create the texture `{name}` ({}, {})",
                format_name(declared.format),
                access_name(declared.access)
            );
            let refused = self.error(declared.binding_point, message);
            return Err(refused.caused_by(error));
        }
        Ok((texture, view))
    }

    fn bind(
        &self,
        device: &wgpu::Device,
        members: &[Bound],
        made: &mut FileResources,
    ) -> Result<(), FileError> {
        let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let label = Some(self.graph.name());
        let entry = |bound: &Bound| wgpu::BindGroupLayoutEntry {
            binding: bound.binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: bound.ty,
            count: None,
        };
        let entries: Vec<_> = members.iter().map(entry).collect();
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label,
            entries: &entries,
        });
        let entries = members.iter().map(|bound| wgpu::BindGroupEntry {
            binding: bound.binding,
            resource: bound.resource.binding(),
        });
        let entries: Vec<_> = entries.collect();
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label,
            layout: &layout,
            entries: &entries,
        });
        if let Some(error) = at_once(scope.pop()) {
            let message = "this device cannot bind its resources";
            return Err(FileError::of_file(&self.name, message).caused_by(error));
        }
        made.layouts.push(layout);
        made.bind_groups.push(group);
        Ok(())
    }
}

fn buffer_type(kind: BufferKind) -> wgpu::BindingType {
    use wgpu::BufferBindingType as Type;
    wgpu::BindingType::Buffer {
        ty: match kind {
            BufferKind::Uniform => Type::Uniform,
            BufferKind::Read => Type::Storage { read_only: true },
            BufferKind::ReadWrite => Type::Storage { read_only: false },
        },
        has_dynamic_offset: false,
        min_binding_size: None,
    }
}

fn texture_type(texture: &FileTexture, features: wgpu::Features) -> wgpu::BindingType {
    use wgpu::StorageTextureAccess as Access;
    let view_dimension = wgpu::TextureViewDimension::D2;
    let storage = |access| wgpu::BindingType::StorageTexture {
        access,
        format: texture.format,
        view_dimension,
    };
    match texture.access {
        TextureAccess::Sampled => wgpu::BindingType::Texture {
            sample_type: texture
                .format
                .sample_type(None, Some(features))
                .unwrap_or(wgpu::TextureSampleType::Float { filterable: true }),
            view_dimension,
            multisampled: false,
        },
        TextureAccess::Read => storage(Access::ReadOnly),
        TextureAccess::Write => storage(Access::WriteOnly),
        TextureAccess::ReadWrite => storage(Access::ReadWrite),
    }
}

fn access_name(access: TextureAccess) -> &'static str {
    match access {
        TextureAccess::Sampled => "sampled",
        TextureAccess::Read => "read",
        TextureAccess::Write => "written",
        TextureAccess::ReadWrite => "read and written",
    }
}

fn sampler(device: &wgpu::Device, declared: &FileSampler) -> (wgpu::BindingType, wgpu::Sampler) {
    // 32-bit float formats can be sampled only without filtering.
    let kind = match declared.filter {
        wgpu::FilterMode::Nearest => wgpu::SamplerBindingType::NonFiltering,
        wgpu::FilterMode::Linear => wgpu::SamplerBindingType::Filtering,
    };
    let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("graph sampler"),
        address_mode_u: declared.address,
        address_mode_v: declared.address,
        mag_filter: declared.filter,
        min_filter: declared.filter,
        ..Default::default()
    });
    (wgpu::BindingType::Sampler(kind), sampler)
}

/// The result of a future if it is ready (`now_or_never`). Native devices report errors
/// immediately; browsers report them later, with the first use of the texture.
fn at_once<T>(future: impl Future<Output = Option<T>>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(found) => found,
        Poll::Pending => None,
    }
}
