//! Recorded commands that copy, fill or resolve textures, and their execution.

use anywarp_cpu::{BufferRows, Executor, TexelBox, ViewedTexture};
use anywarp_texture::Extent;
use wgpu::hal;

use crate::resources::Buffer;
use crate::texture::Texture;

/// A recorded texture command.
#[derive(Debug)]
pub(crate) enum TextureCommand {
    FromBuffer {
        source: Buffer,
        target: Texture,
        region: hal::BufferTextureCopy,
    },
    ToBuffer {
        source: Texture,
        target: Buffer,
        region: hal::BufferTextureCopy,
    },
    Copy {
        source: Texture,
        target: Texture,
        region: hal::TextureCopy,
    },
    /// Sets every texel of a view, or of one slice of it, to a value.
    Fill {
        view: ViewedTexture,
        slice: Option<u32>,
        value: [u32; 4],
    },
    /// A multisample resolve: the mean of the samples.
    Resolve {
        source: ViewedTexture,
        target: ViewedTexture,
    },
}

impl TextureCommand {
    /// Executes the command. Only the queue's thread calls this.
    pub(crate) fn run(&self, executor: &Executor) {
        match self {
            Self::FromBuffer {
                source,
                target,
                region,
            } => {
                for (texels, rows) in boxes(target, region) {
                    // SAFETY: this is the only thread that runs commands of the device, dispatches
                    // have joined their threads before the next command, and wgpu-core submits
                    // nothing that uses a mapped buffer.
                    unsafe {
                        target
                            .memory
                            .copy_from_buffer(executor, &texels, &source.memory, rows);
                    };
                }
            }
            Self::ToBuffer {
                source,
                target,
                region,
            } => {
                for (texels, rows) in boxes(source, region) {
                    // SAFETY: as above.
                    unsafe {
                        source
                            .memory
                            .copy_to_buffer(executor, &texels, &target.memory, rows);
                    };
                }
            }
            Self::Copy {
                source,
                target,
                region,
            } => copy(executor, source, target, region),
            // SAFETY: as above.
            Self::Fill { view, slice, value } => unsafe { view.fill(*slice, *value) },
            Self::Resolve { source, target } => target.resolve_from(source),
        }
    }
}

fn copy(executor: &Executor, source: &Texture, target: &Texture, region: &hal::TextureCopy) {
    let from = source.planes(region.src_base.aspect);
    let to = target.planes(region.dst_base.aspect);
    for ((_, from), (_, to)) in from.zip(to) {
        let from = texels(&region.src_base, region.size, from);
        let to = texels(&region.dst_base, region.size, to);
        // SAFETY: as in `run`.
        unsafe {
            target
                .memory
                .copy_from(executor, &to, &source.memory, &from);
        };
    }
}

/// The texel boxes of a copy, one per plane, and their layout in the buffer.
fn boxes(
    texture: &Texture,
    region: &hal::BufferTextureCopy,
) -> impl Iterator<Item = (TexelBox, BufferRows)> {
    let layout = &region.buffer_layout;
    texture
        .planes(region.texture_base.aspect)
        .map(move |(_, plane)| {
            let texel = texture.memory.layout().planes()[plane].format.bytes();
            let tight = region.size.width * texel;
            let row = u64::from(layout.bytes_per_row.unwrap_or(tight));
            let rows = u64::from(layout.rows_per_image.unwrap_or(region.size.height));
            let rows = BufferRows {
                offset: layout.offset,
                row,
                slice: row * rows,
            };
            (texels(&region.texture_base, region.size, plane), rows)
        })
}

fn texels(base: &hal::TextureCopyBase, size: hal::CopyExtent, plane: usize) -> TexelBox {
    TexelBox {
        plane,
        level: base.mip_level,
        layer: base.array_layer,
        origin: Extent {
            x: base.origin.x,
            y: base.origin.y,
            z: base.origin.z,
        },
        size: Extent {
            x: size.width,
            y: size.height,
            z: size.depth,
        },
    }
}
