//! Resources of a case in wgpu: buffers, textures, and arrays of them; filled from words and read back to words.

use std::num::NonZeroU32;

use anywarp_program::naga;
use anywarp_texture::{Dimension, Kind};

use crate::executor::Slot;
use crate::texture::TextureSpec;

/// The alignment of rows in a buffer that texels are copied to.
const ROW_ALIGNMENT: u64 = wgpu::COPY_BYTES_PER_ROW_ALIGNMENT as u64;

/// A binding that a program declares.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) slot: Slot,
    pub(super) ty: wgpu::BindingType,
    pub(super) is_array: bool,
}

impl Declared {
    pub(super) fn layout_entry(&self, elements: usize) -> wgpu::BindGroupLayoutEntry {
        let count = NonZeroU32::new(elements as u32);
        wgpu::BindGroupLayoutEntry {
            binding: self.slot.binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: self.ty,
            count: count.filter(|_| self.is_array),
        }
    }
}

/// The bindings that a program declares, in order. `format` gives the format of a storage texture.
pub(super) fn declared(
    module: &naga::Module,
    format: impl Fn(Slot) -> Option<wgpu::TextureFormat>,
) -> Vec<Declared> {
    let variables = module.global_variables.iter();
    let mut declared: Vec<_> = variables
        .filter_map(|(_, variable)| {
            let binding = variable.binding?;
            let slot = Slot {
                group: binding.group,
                binding: binding.binding,
            };
            let (inner, is_array) = match &module.types[variable.ty].inner {
                naga::TypeInner::BindingArray { base, .. } => (&module.types[*base].inner, true),
                inner => (inner, false),
            };
            let ty = binding_type(variable.space, inner, format(slot))?;
            Some(Declared { slot, ty, is_array })
        })
        .collect();
    declared.sort_by_key(|declared| declared.slot);
    declared
}

fn binding_type(
    space: naga::AddressSpace,
    inner: &naga::TypeInner,
    format: Option<wgpu::TextureFormat>,
) -> Option<wgpu::BindingType> {
    let ty = match space {
        naga::AddressSpace::Uniform => wgpu::BufferBindingType::Uniform,
        naga::AddressSpace::Storage { access } => wgpu::BufferBindingType::Storage {
            read_only: !access.contains(naga::StorageAccess::STORE),
        },
        naga::AddressSpace::Handle => return texture_type(inner, format),
        _ => return None,
    };
    Some(wgpu::BindingType::Buffer {
        ty,
        has_dynamic_offset: false,
        min_binding_size: None,
    })
}

fn texture_type(
    inner: &naga::TypeInner,
    format: Option<wgpu::TextureFormat>,
) -> Option<wgpu::BindingType> {
    let naga::TypeInner::Image {
        dim,
        arrayed,
        class,
    } = *inner
    else {
        return None;
    };
    let view_dimension = match (dim, arrayed) {
        (naga::ImageDimension::D1, _) => wgpu::TextureViewDimension::D1,
        (naga::ImageDimension::D2, false) => wgpu::TextureViewDimension::D2,
        (naga::ImageDimension::D2, true) => wgpu::TextureViewDimension::D2Array,
        (naga::ImageDimension::D3, _) => wgpu::TextureViewDimension::D3,
        (naga::ImageDimension::Cube, false) => wgpu::TextureViewDimension::Cube,
        (naga::ImageDimension::Cube, true) => wgpu::TextureViewDimension::CubeArray,
    };
    let sampled = |sample_type, multisampled| wgpu::BindingType::Texture {
        sample_type,
        view_dimension,
        multisampled,
    };
    Some(match class {
        naga::ImageClass::Sampled { kind, multi } => {
            let sample_type = match kind {
                naga::ScalarKind::Sint => wgpu::TextureSampleType::Sint,
                naga::ScalarKind::Uint => wgpu::TextureSampleType::Uint,
                _ => wgpu::TextureSampleType::Float { filterable: false },
            };
            sampled(sample_type, multi)
        }
        naga::ImageClass::Depth { multi } => sampled(wgpu::TextureSampleType::Depth, multi),
        naga::ImageClass::Storage { access, .. } => {
            use naga::StorageAccess as In;
            use wgpu::StorageTextureAccess as Out;
            let access = match access {
                _ if access.contains(In::ATOMIC) => Out::Atomic,
                _ if access.contains(In::LOAD | In::STORE) => Out::ReadWrite,
                _ if access.contains(In::STORE) => Out::WriteOnly,
                _ => Out::ReadOnly,
            };
            wgpu::BindingType::StorageTexture {
                access,
                format: format?,
                view_dimension,
            }
        }
        naga::ImageClass::External => return None,
    })
}

/// One element of a binding.
pub(super) enum Bound {
    Buffer(wgpu::Buffer),
    Texture(Box<BoundTexture>),
}

/// A texture with its description in the case.
pub(super) struct BoundTexture {
    spec: TextureSpec,
    texture: wgpu::Texture,
    view: wgpu::TextureView,
}

impl Bound {
    /// The bytes of its download.
    pub(super) fn download_size(&self) -> u64 {
        match self {
            // Aligned, so that texels can be copied after it.
            Self::Buffer(buffer) => buffer.size().next_multiple_of(ROW_ALIGNMENT),
            Self::Texture(bound) if bound.spec.clear.is_some() => 0,
            Self::Texture(bound) => {
                let padded = bound.spec.levels().map(|(level, slices)| {
                    level.row.next_multiple_of(ROW_ALIGNMENT) * u64::from(level.extent.y) * slices
                });
                padded.sum()
            }
        }
    }

    /// Appends a copy of it to the staging buffer.
    pub(super) fn encode_download(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        staging: &wgpu::Buffer,
        mut offset: u64,
    ) {
        match self {
            Self::Buffer(buffer) => {
                encoder.copy_buffer_to_buffer(buffer, 0, staging, offset, buffer.size());
            }
            Self::Texture(bound) if bound.spec.clear.is_some() => {}
            Self::Texture(bound) => {
                let BoundTexture { spec, texture, .. } = &**bound;
                for (mip_level, (level, slices)) in (0..).zip(spec.levels()) {
                    let row = level.row.next_multiple_of(ROW_ALIGNMENT);
                    let layout = wgpu::TexelCopyBufferLayout {
                        offset,
                        bytes_per_row: Some(row as u32),
                        rows_per_image: Some(level.extent.y),
                    };
                    let target = wgpu::TexelCopyBufferInfo {
                        buffer: staging,
                        layout,
                    };
                    let source = wgpu::TexelCopyTextureInfo {
                        mip_level,
                        ..texture.as_image_copy()
                    };
                    encoder.copy_texture_to_buffer(source, target, size(level.extent, slices));
                    offset += row * u64::from(level.extent.y) * slices;
                }
            }
        }
    }

    /// The words in the downloaded bytes.
    pub(super) fn words(&self, bytes: &[u8]) -> Vec<u32> {
        let tight: Vec<u8> = match self {
            Self::Buffer(buffer) => bytes[..buffer.size() as usize].to_vec(),
            Self::Texture(bound) if bound.spec.clear.is_some() => Vec::new(),
            Self::Texture(bound) => {
                let spec = &bound.spec;
                let mut tight = Vec::new();
                let mut rest = bytes;
                for (level, slices) in spec.levels() {
                    let row = level.row.next_multiple_of(ROW_ALIGNMENT) as usize;
                    for _ in 0..u64::from(level.extent.y) * slices {
                        tight.extend_from_slice(&rest[..level.row as usize]);
                        rest = &rest[row..];
                    }
                }
                tight.resize(spec.words() * 4, 0);
                tight
            }
        };
        let words = tight.chunks_exact(4);
        words.map(bytemuck::pod_read_unaligned).collect()
    }
}

/// The resources of one binding in wgpu's types.
pub(super) enum Elements<'a> {
    Buffers(Vec<wgpu::BufferBinding<'a>>),
    Textures(Vec<&'a wgpu::TextureView>),
}

impl<'a> Elements<'a> {
    pub(super) fn of(bound: &'a [Bound]) -> Self {
        let buffers = bound.iter().filter_map(|element| match element {
            Bound::Buffer(buffer) => Some(buffer.as_entire_buffer_binding()),
            Bound::Texture(_) => None,
        });
        let buffers: Vec<_> = buffers.collect();
        if !buffers.is_empty() {
            return Self::Buffers(buffers);
        }
        let views = bound.iter().filter_map(|element| match element {
            Bound::Texture(bound) => Some(&bound.view),
            Bound::Buffer(_) => None,
        });
        Self::Textures(views.collect())
    }

    pub(super) fn resource(&'a self, is_array: bool) -> wgpu::BindingResource<'a> {
        match self {
            Self::Buffers(buffers) if is_array => wgpu::BindingResource::BufferArray(buffers),
            Self::Buffers(buffers) => wgpu::BindingResource::Buffer(buffers[0].clone()),
            Self::Textures(views) if is_array => wgpu::BindingResource::TextureViewArray(views),
            Self::Textures(views) => wgpu::BindingResource::TextureView(views[0]),
        }
    }
}

fn size(extent: anywarp_texture::Extent, slices: u64) -> wgpu::Extent3d {
    wgpu::Extent3d {
        width: extent.x,
        height: extent.y,
        depth_or_array_layers: slices as u32,
    }
}

/// Creates a texture with the contents of the case.
pub(super) fn texture(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    spec: &TextureSpec,
    words: &[u32],
    ty: Option<wgpu::BindingType>,
) -> Bound {
    use wgpu::TextureUsages as Usage;
    let format = wgpu_format(spec.format);
    let is_storage = matches!(ty, Some(wgpu::BindingType::StorageTexture { .. }));
    let atomic = matches!(
        ty,
        Some(wgpu::BindingType::StorageTexture {
            access: wgpu::StorageTextureAccess::Atomic,
            ..
        })
    );
    let mut usage = if is_storage {
        Usage::STORAGE_BINDING
    } else {
        Usage::TEXTURE_BINDING
    };
    usage |= match spec.clear {
        Some(_) => Usage::RENDER_ATTACHMENT,
        None => Usage::COPY_SRC | Usage::COPY_DST,
    };
    usage.set(Usage::STORAGE_ATOMIC, atomic);
    let (dimension, view) = dimensions(spec.dimension);
    let slices = spec.shape.extent.z.max(spec.shape.layers);
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: size(spec.shape.extent, slices.into()),
        mip_level_count: spec.shape.levels,
        sample_count: spec.shape.samples,
        dimension,
        format,
        usage,
        view_formats: &[],
    });
    match spec.clear {
        Some(color) => clear(device, queue, spec, &texture, color),
        None => upload(queue, spec, &texture, bytemuck::cast_slice(words)),
    }
    let view = texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(view),
        mip_level_count: is_storage.then_some(1),
        // Programs see the depth aspect.
        aspect: match spec.format.planes().len() {
            1 => wgpu::TextureAspect::All,
            _ => wgpu::TextureAspect::DepthOnly,
        },
        ..Default::default()
    });
    Bound::Texture(Box::new(BoundTexture {
        spec: spec.clone(),
        texture,
        view,
    }))
}

fn upload(queue: &wgpu::Queue, spec: &TextureSpec, texture: &wgpu::Texture, mut bytes: &[u8]) {
    for (mip_level, (level, slices)) in (0..).zip(spec.levels()) {
        let target = wgpu::TexelCopyTextureInfo {
            mip_level,
            ..texture.as_image_copy()
        };
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(level.row as u32),
            rows_per_image: Some(level.extent.y),
        };
        let all = (level.slice * slices) as usize;
        queue.write_texture(target, &bytes[..all], layout, size(level.extent, slices));
        bytes = &bytes[all..];
    }
}

fn clear(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    spec: &TextureSpec,
    texture: &wgpu::Texture,
    [r, g, b, a]: [f64; 4],
) {
    let mut encoder = device.create_command_encoder(&Default::default());
    let layers = (0..spec.shape.levels)
        .flat_map(|level| (0..spec.shape.layers).map(move |layer| (level, layer)));
    for (base_mip_level, base_array_layer) in layers {
        let view = texture.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(wgpu::TextureViewDimension::D2),
            base_mip_level,
            mip_level_count: Some(1),
            base_array_layer,
            array_layer_count: Some(1),
            ..Default::default()
        });
        let is_depth = spec.format.is_depth_or_stencil();
        let color = wgpu::RenderPassColorAttachment {
            view: &view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a }),
                store: wgpu::StoreOp::Store,
            },
        };
        let has_depth = spec.format.kind() == Kind::Depth;
        let has_stencil = spec.format.planes().len() > 1 || !has_depth;
        let depth_stencil = wgpu::RenderPassDepthStencilAttachment {
            view: &view,
            depth_ops: has_depth.then_some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(r as f32),
                store: wgpu::StoreOp::Store,
            }),
            stencil_ops: has_stencil.then_some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(r as u32),
                store: wgpu::StoreOp::Store,
            }),
        };
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[(!is_depth).then_some(color)][..usize::from(!is_depth)],
            depth_stencil_attachment: is_depth.then_some(depth_stencil),
            ..Default::default()
        });
    }
    queue.submit([encoder.finish()]);
}

fn dimensions(dimension: Dimension) -> (wgpu::TextureDimension, wgpu::TextureViewDimension) {
    use wgpu::TextureDimension as Texture;
    use wgpu::TextureViewDimension as View;
    match dimension {
        Dimension::D1 => (Texture::D1, View::D1),
        Dimension::D2 => (Texture::D2, View::D2),
        Dimension::D2Array => (Texture::D2, View::D2Array),
        Dimension::D3 => (Texture::D3, View::D3),
        Dimension::Cube => (Texture::D2, View::Cube),
        Dimension::CubeArray => (Texture::D2, View::CubeArray),
    }
}

macro_rules! same_names {
    ($($name:ident)*) => {
        /// wgpu's format of the same name.
        pub fn wgpu_format(format: anywarp_texture::Format) -> wgpu::TextureFormat {
            match format {
                $(anywarp_texture::Format::$name => wgpu::TextureFormat::$name,)*
            }
        }
    };
}

anywarp_texture::with_formats!(same_names);
