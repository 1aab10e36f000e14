//! Textures: a buffer of texels, and the layout that maps texels to addresses.
//!
//! In: a format and a shape. Out: views for kernels, and copies, fills and resolves for commands. Copies and fills are
//! plain memory accesses, with the guarantee that the module `buffer` describes. A copy moves contiguous ranges at
//! once: a row, a whole layer, or all layers.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use anywarp_execution::{Access, TextureView};
use anywarp_texture::{
    Dimension, Extent, Format, Kind, Layout, Level, Subresource, TexelAddress, TextureShape, View,
};

use crate::{Buffer, Executor, OutOfMemory};

/// Texels in device memory. Clones refer to the same texels.
#[derive(Clone, Debug)]
pub struct Texture {
    memory: Buffer,
    layout: Arc<Layout>,
}

/// A box of texels of one plane: `size.z` layers from `layer` on, or slices from `origin.z` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelBox {
    /// The plane.
    pub plane: usize,
    /// The mip level.
    pub level: u32,
    /// The first layer.
    pub layer: u32,
    /// The first texel of the first layer.
    pub origin: Extent,
    /// Texels along each axis.
    pub size: Extent,
}

/// The layout of texels in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferRows {
    /// The first byte.
    pub offset: u64,
    /// Bytes from one row to the next.
    pub row: u64,
    /// Bytes from one layer, or slice, to the next.
    pub slice: u64,
}

/// A texture view: its memory and layout.
#[derive(Clone, Debug)]
pub struct ViewedTexture {
    memory: Buffer,
    view: Arc<View>,
}

impl ViewedTexture {
    /// The layout of the view.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The view for a kernel.
    pub fn for_kernel(&self, access: Access) -> TextureView<'_> {
        TextureView {
            words: self.words(access),
            view: &self.view,
        }
    }

    fn words(&self, access: Access) -> &[AtomicU32] {
        self.memory.words(0..self.memory.size(), access)
    }

    /// Sets every texel of the view's first level, or of slice `slice` of it, to a value.
    ///
    /// # Safety
    ///
    /// Nothing else accesses those texels at the same time.
    pub unsafe fn fill(&self, slice: Option<u32>, value: [u32; 4]) {
        let Some(level) = self.view.levels.first() else {
            return;
        };
        let all = match self.view.dimension {
            Dimension::D3 => level.extent.z,
            _ => self.view.layers,
        };
        let slices = match slice {
            Some(slice) => slice..slice.saturating_add(1).min(all),
            None => 0..all,
        };
        let texel = self.view.format.encode(value);
        for slice in slices {
            let start = level.offset + u64::from(slice) * level.slice;
            // SAFETY: the caller promises to be alone with the texels of the view.
            unsafe { self.fill_slice(level, start, texel) };
        }
    }

    /// # Safety
    ///
    /// Nothing else accesses the slice's bytes at the same time.
    unsafe fn fill_slice(&self, level: &Level, start: u64, texel: [u32; 4]) {
        if texel == [0; 4] {
            // SAFETY: as promised.
            unsafe { self.memory.clear(start..start + level.slice) };
            return;
        }
        let bytes = texel.map(u32::to_le_bytes);
        let texel = &bytes.as_flattened()[..self.view.format.bytes() as usize];
        let row = texel.repeat((level.row / texel.len() as u64) as usize);
        for y in 0..u64::from(level.extent.y) {
            // SAFETY: as promised.
            unsafe { self.memory.write(start + y * level.row, &row) };
        }
    }

    /// Multisample resolve: sets every texel to the mean of the samples of the same texel of another view; integers,
    /// which have no mean, to the first sample.
    pub fn resolve_from(&self, samples: &Self) {
        let (from, to) = (&samples.view, &self.view);
        let (source, target) = (samples.words(Access::Read), self.words(Access::ReadWrite));
        let Extent { x, y, .. } = to.extent(0);
        for (y, x) in (0..y).flat_map(|y| (0..x).map(move |x| (y, x))) {
            let address = TexelAddress {
                position: Extent { x, y, z: 0 },
                ..TexelAddress::default()
            };
            let values = (0..from.samples).map(|sample| {
                let address = TexelAddress { sample, ..address };
                from.load(source, address)
            });
            let value = match from.format.kind() {
                Kind::Float | Kind::Depth => mean(values, from.samples),
                Kind::Sint | Kind::Uint => from.load(source, address),
            };
            to.store(target, address, value);
        }
    }
}

fn mean(values: impl Iterator<Item = [u32; 4]>, count: u32) -> [u32; 4] {
    let mut sum = [0f64; 4];
    for value in values {
        for (sum, channel) in sum.iter_mut().zip(value) {
            *sum += f64::from(f32::from_bits(channel));
        }
    }
    sum.map(|sum| ((sum / f64::from(count.max(1))) as f32).to_bits())
}

impl Texture {
    /// A texture of zeros.
    pub fn new(format: Format, shape: TextureShape) -> Result<Self, OutOfMemory> {
        let layout = Layout::new(format, shape).ok_or(OutOfMemory { size: u64::MAX })?;
        Ok(Self {
            memory: Buffer::new(layout.bytes())?,
            layout: Arc::new(layout),
        })
    }

    /// The layout of its texels.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// A view of a subresource.
    pub fn view(&self, dimension: Dimension, format: Format, part: Subresource) -> ViewedTexture {
        ViewedTexture {
            memory: self.memory.clone(),
            view: Arc::new(self.layout.part(dimension, format, part)),
        }
    }

    /// The layout of a box in the texture's memory, and the bytes of one of its rows.
    fn rows(&self, texels: &TexelBox) -> (BufferRows, u64) {
        let plane = &self.layout.planes()[texels.plane];
        let level = &plane.levels[texels.level as usize];
        let texel = u64::from(plane.format.bytes()) * u64::from(self.layout.shape().samples);
        let Extent { x, y, z } = texels.origin;
        let offset = level.offset
            + (u64::from(texels.layer) + u64::from(z)) * level.slice
            + u64::from(y) * level.row
            + u64::from(x) * texel;
        let rows = BufferRows {
            offset,
            row: level.row,
            slice: level.slice,
        };
        (rows, u64::from(texels.size.x) * texel)
    }

    /// Copies texels out of a buffer.
    ///
    /// # Safety
    ///
    /// Nothing else accesses the texels or the bytes at the same time.
    ///
    /// # Panics
    ///
    /// If either leaves its memory.
    pub unsafe fn copy_from_buffer(
        &self,
        executor: &Executor,
        target: &TexelBox,
        source: &Buffer,
        from: BufferRows,
    ) {
        let (to, bytes) = self.rows(target);
        let shape = RowShape::new(bytes, target.size);
        // SAFETY: as promised.
        unsafe { copy_rows(executor, [&self.memory, source], [to, from], shape) };
    }

    /// Copies texels into a buffer.
    ///
    /// # Safety
    ///
    /// Nothing else accesses the texels or the bytes at the same time.
    ///
    /// # Panics
    ///
    /// If either leaves its memory.
    pub unsafe fn copy_to_buffer(
        &self,
        executor: &Executor,
        source: &TexelBox,
        target: &Buffer,
        to: BufferRows,
    ) {
        let (from, bytes) = self.rows(source);
        let shape = RowShape::new(bytes, source.size);
        // SAFETY: as promised.
        unsafe { copy_rows(executor, [target, &self.memory], [to, from], shape) };
    }

    /// Copies texels of another texture, or of this one; the boxes have one size.
    ///
    /// # Safety
    ///
    /// Nothing else accesses the texels at the same time.
    ///
    /// # Panics
    ///
    /// If a box leaves its texture.
    pub unsafe fn copy_from(
        &self,
        executor: &Executor,
        target: &TexelBox,
        texture: &Self,
        source: &TexelBox,
    ) {
        let (to, bytes) = self.rows(target);
        let (from, _) = texture.rows(source);
        let shape = RowShape::new(bytes, target.size);
        let memories = [&self.memory, &texture.memory];
        // SAFETY: as promised.
        unsafe { copy_rows(executor, memories, [to, from], shape) };
    }
}

/// The shape of a copy.
#[derive(Clone, Copy)]
struct RowShape {
    bytes: u64,
    rows: u64,
    slices: u64,
}

impl RowShape {
    fn new(bytes: u64, size: Extent) -> Self {
        Self {
            bytes,
            rows: size.y.into(),
            slices: size.z.into(),
        }
    }

    /// Merges rows, and then slices, that are contiguous on both sides.
    fn joined(mut self, to: BufferRows, from: BufferRows) -> Self {
        if self.rows == 1 || to.row == self.bytes && from.row == self.bytes {
            self.bytes *= self.rows;
            self.rows = 1;
            if to.slice == self.bytes && from.slice == self.bytes {
                self.bytes *= self.slices;
                self.slices = 1;
            }
        }
        self
    }
}

/// Copies rows to the first of two memories from the second; long rows on several threads.
///
/// # Safety
///
/// Nothing else accesses the bytes on either side at the same time.
unsafe fn copy_rows(
    executor: &Executor,
    [target, source]: [&Buffer; 2],
    [to, from]: [BufferRows; 2],
    shape: RowShape,
) {
    if shape.bytes == 0 {
        return;
    }
    let shape = shape.joined(to, from);
    for slice in 0..shape.slices {
        for row in 0..shape.rows {
            let at = |rows: BufferRows| rows.offset + slice * rows.slice + row * rows.row;
            // SAFETY: as promised.
            unsafe { executor.copy(target, at(to), source, at(from), shape.bytes) };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::ExecutorOptions;

    fn boxed(origin: [u32; 3], size: [u32; 3]) -> TexelBox {
        let extent = |[x, y, z]: [u32; 3]| Extent { x, y, z };
        TexelBox {
            plane: 0,
            level: 0,
            layer: 0,
            origin: extent(origin),
            size: extent(size),
        }
    }

    fn bytes(buffer: &Buffer) -> Vec<u8> {
        let words = buffer.words(0..buffer.size(), Access::Read);
        let words = words.iter().map(|word| word.load(Ordering::Relaxed));
        words.flat_map(u32::to_le_bytes).collect()
    }

    fn counting(size: u64) -> Buffer {
        let buffer = Buffer::new(size).unwrap();
        let numbers: Vec<u8> = (0..size).map(|number| number as u8 + 1).collect();
        // SAFETY: the buffer is local to this test and this thread.
        unsafe { buffer.write(0, &numbers) };
        buffer
    }

    #[test]
    fn boxes_move_row_by_row() {
        let executor = Executor::new(&ExecutorOptions::default());
        let texture = Texture::new(Format::R8Uint, TextureShape::new_2d(4, 4)).unwrap();
        let from = BufferRows {
            offset: 1,
            row: 5,
            slice: 0,
        };
        let buffer = counting(16);
        // SAFETY: the memory is local to this test and this thread, here and below.
        unsafe { texture.copy_from_buffer(&executor, &boxed([1, 2, 0], [2, 2, 1]), &buffer, from) };
        let out = Buffer::new(16).unwrap();
        let to = BufferRows {
            offset: 0,
            row: 4,
            slice: 16,
        };
        // SAFETY: as above.
        unsafe { texture.copy_to_buffer(&executor, &boxed([0; 3], [4, 4, 1]), &out, to) };
        let expected = [0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 3, 0, 0, 7, 8, 0];
        assert_eq!(bytes(&out), expected);
    }

    #[test]
    fn rows_are_joined_only_where_they_touch() {
        let rows = |row, slice| BufferRows {
            offset: 0,
            row,
            slice,
        };
        let size = Extent { x: 4, y: 3, z: 2 };
        let joined = |to, from| {
            let shape = RowShape::new(16, size).joined(to, from);
            (shape.bytes, shape.rows, shape.slices)
        };
        assert_eq!(joined(rows(16, 48), rows(16, 48)), (96, 1, 1));
        assert_eq!(joined(rows(16, 48), rows(16, 64)), (48, 1, 2));
        assert_eq!(joined(rows(16, 48), rows(20, 60)), (16, 3, 2));
    }

    #[test]
    fn fills_leave_the_other_slices_alone() {
        let shape = TextureShape {
            layers: 3,
            ..TextureShape::new_2d(3, 1)
        };
        let texture = Texture::new(Format::R8Uint, shape).unwrap();
        let part = Subresource {
            layer: 1,
            layers: 1,
            ..texture.layout().whole()
        };
        let view = texture.view(Dimension::D2, Format::R8Uint, part);
        // SAFETY: the texture is local to this test and this thread, here and below.
        unsafe { view.fill(None, [9, 0, 0, 0]) };
        assert_eq!(bytes(&texture.memory)[..9], [0, 0, 0, 9, 9, 9, 0, 0, 0]);
        // SAFETY: as above.
        unsafe { view.fill(Some(0), [0; 4]) };
        assert_eq!(bytes(&texture.memory)[..9], [0; 9]);
    }

    #[test]
    fn resolving_takes_the_mean() {
        let samples = TextureShape {
            samples: 4,
            ..TextureShape::new_2d(1, 1)
        };
        let many = Texture::new(Format::R32Float, samples).unwrap();
        let one = Texture::new(Format::R32Float, TextureShape::new_2d(1, 1)).unwrap();
        let whole = |texture: &Texture| {
            let part = texture.layout().whole();
            texture.view(Dimension::D2, Format::R32Float, part)
        };
        let numbers: Vec<u8> = [1f32, 2.0, 4.0, 9.0]
            .into_iter()
            .flat_map(f32::to_le_bytes)
            .collect();
        // SAFETY: the texture is local to this test and this thread.
        unsafe { many.memory.write(0, &numbers) };
        whole(&one).resolve_from(&whole(&many));
        assert_eq!(bytes(&one.memory)[..4], 4f32.to_le_bytes());
    }

    #[test]
    fn absurd_sizes_are_an_error() {
        let shape = TextureShape::new_2d(u32::MAX, u32::MAX);
        assert!(Texture::new(Format::Rgba32Float, shape).is_err());
    }
}
