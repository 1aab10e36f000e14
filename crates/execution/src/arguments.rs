//! The arguments of a dispatch: views of the bound memory, in the order of the resources.

use std::ops::Range;
use std::sync::atomic::AtomicU32;

use anywarp_texture::View;

/// The bound range of a buffer: whole 32-bit words, little-endian as in WGSL.
#[derive(Clone, Copy, Debug)]
pub struct BufferView<'a> {
    /// The words of the range. A trailing part of less than four bytes is not reachable.
    pub words: &'a [AtomicU32],
}

/// A bound texture.
#[derive(Clone, Copy, Debug)]
pub struct TextureView<'a> {
    /// The memory of the whole texture.
    pub words: &'a [AtomicU32],
    /// The position and format of the texels in it.
    pub view: &'a View,
}

/// The arguments of a dispatch, shared by its workgroups.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a> {
    /// One view for each of [`Interface::resources`](crate::Interface::resources) that is a single buffer, in that order; then the elements of
    /// arrays of buffers.
    pub buffers: &'a [BufferView<'a>],
    /// One view for each resource that is a single texture; then the elements of arrays of textures.
    pub textures: &'a [TextureView<'a>],
    /// For each resource that is an array, in order: the range of its elements in `buffers` or `textures`.
    pub arrays: &'a [Range<u32>],
    /// Immediate data (push constants); words that are not given read as zero.
    pub immediates: &'a [u32],
    /// `num_workgroups`.
    pub workgroup_count: [u32; 3],
}
