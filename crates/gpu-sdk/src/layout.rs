//! Memory layout of host-shareable types: WGSL's rules for storage buffers.
//!
//! Memory is [`Words`]: natively [`AtomicU32`]s, accessed with relaxed ordering, so that any number
//! of invocations may access it concurrently without undefined behaviour. A value of several words
//! is read and written word by word: invocations that race may see a mixture, as on a GPU. Padding
//! is never written.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use crate::math::{Components, Word};
use crate::types::{
    Mat2x2f, Mat3x3f, Mat4x4f, Vec2f, Vec2i, Vec2u, Vec3f, Vec3i, Vec3u, Vec4f, Vec4i, Vec4u,
};

/// A range of memory words.
pub trait Words: Copy {
    /// Reads a word.
    fn load(self, index: usize) -> u32;

    /// Writes a word.
    fn store(self, index: usize, value: u32);

    /// The words from an index on.
    #[must_use]
    fn from(self, first: usize) -> Self;

    /// The first `count` words; no others will be accessed.
    #[must_use]
    fn first(self, count: usize) -> Self;
}

impl Words for &[AtomicU32] {
    #[inline]
    fn load(self, index: usize) -> u32 {
        self[index].load(Relaxed)
    }

    #[inline]
    fn store(self, index: usize, value: u32) {
        self[index].store(value, Relaxed);
    }

    #[inline]
    fn from(self, first: usize) -> Self {
        &self[first..]
    }

    #[inline]
    fn first(self, count: usize) -> Self {
        &self[..count]
    }
}

/// A type with WGSL's memory layout (a host-shareable type).
///
/// For f32, i32, u32, their vectors and matrices, arrays of these, and structs by
/// `#[derive(gpu_sdk::HostShareable)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot lie in a buffer that GPU and host share",
    note = "what can: f32, i32, u32, vectors and matrices of them, arrays of these, and structs with \
            `#[derive(gpu_sdk::HostShareable)]`; bool cannot"
)]
pub trait HostShareable: Copy {
    /// WGSL's `AlignOf`, in bytes.
    const ALIGN: usize;
    /// WGSL's `SizeOf`, in bytes.
    const SIZE: usize;
    /// Stride in bytes between the elements of an array.
    const STRIDE: usize = round_up(Self::ALIGN, Self::SIZE);

    /// Reads the value from the first [`SIZE`](Self::SIZE) bytes.
    ///
    /// # Panics
    ///
    /// If there are fewer words.
    fn read(words: impl Words) -> Self;

    /// Writes the value to the first [`SIZE`](Self::SIZE) bytes.
    ///
    /// # Panics
    ///
    /// If there are fewer words.
    fn write(self, words: impl Words);

    /// The zero value, which is the content of new memory.
    fn zero() -> Self;
}

/// A struct with WGSL's layout, by `#[derive(gpu_sdk::HostShareable)]`.
pub trait Struct: HostShareable {
    /// Its members in order.
    const MEMBERS: &'static [Member];
}

/// A member of a [`Struct`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name; for a tuple struct, its index.
    pub name: &'static str,
    /// Its offset in bytes from the beginning of the struct.
    pub offset: usize,
    /// Its alignment in bytes.
    pub align: usize,
    /// Its size in bytes.
    pub size: usize,
}

impl Member {
    /// A member of this type, at offset zero until [`place`] sets its offset.
    #[must_use]
    pub const fn of<T: HostShareable>(name: &'static str) -> Self {
        Self {
            name,
            offset: 0,
            align: T::ALIGN,
            size: T::SIZE,
        }
    }

    /// WGSL's attribute `@align`.
    ///
    /// # Panics
    ///
    /// If it is not a power of two, or less than what the type needs.
    #[must_use]
    pub const fn with_align(self, align: usize) -> Self {
        assert!(align.is_power_of_two(), "align is not a power of two");
        assert!(align >= self.align, "align is less than the type needs");
        Self { align, ..self }
    }

    /// WGSL's attribute `@size`.
    ///
    /// # Panics
    ///
    /// If it is less than what the type needs, or not a multiple of four.
    #[must_use]
    pub const fn with_size(self, size: usize) -> Self {
        assert!(size >= self.size, "size is less than the type needs");
        assert!(size.is_multiple_of(4), "size is not a multiple of four");
        Self { size, ..self }
    }
}

/// Rounds `bytes` up to the next multiple of `align`.
const fn round_up(align: usize, bytes: usize) -> usize {
    bytes.next_multiple_of(align)
}

/// Computes the offsets of members, in order.
#[must_use]
pub const fn place<const N: usize>(mut members: [Member; N]) -> [Member; N] {
    let (mut i, mut end) = (0, 0);
    while i < N {
        members[i].offset = round_up(members[i].align, end);
        end = members[i].offset + members[i].size;
        i += 1;
    }
    members
}

/// The alignment of a struct with these members.
#[must_use]
pub const fn align_of(members: &[Member]) -> usize {
    let (mut i, mut align) = (0, 1);
    while i < members.len() {
        if members[i].align > align {
            align = members[i].align;
        }
        i += 1;
    }
    align
}

/// The size of a struct with these members, whose offsets are set.
#[must_use]
pub const fn size_of(members: &[Member]) -> usize {
    match members.last() {
        Some(last) => round_up(align_of(members), last.offset + last.size),
        None => 0,
    }
}

macro_rules! scalars {
    ($($scalar:ty)*) => { $(
        impl HostShareable for $scalar {
            const ALIGN: usize = 4;
            const SIZE: usize = 4;

            #[inline]
            fn read(words: impl Words) -> Self {
                Self::from_word(words.load(0))
            }

            #[inline]
            fn write(self, words: impl Words) {
                words.store(0, self.to_word());
            }

            #[inline]
            fn zero() -> Self {
                Self::from_word(0)
            }
        }
    )* };
}

scalars! { f32 i32 u32 }

macro_rules! vectors {
    ($($align:literal: $($vector:ty)*;)*) => { $($(
        impl HostShareable for $vector {
            const ALIGN: usize = $align;
            const SIZE: usize = 4 * <Self as Components>::COUNT;

            #[inline]
            fn read(words: impl Words) -> Self {
                // One bounds check for all components.
                let words = words.first(Self::COUNT);
                Self::from_fn(|i| Word::from_word(words.load(i)))
            }

            #[inline]
            fn write(self, words: impl Words) {
                let words = words.first(Self::COUNT);
                for i in 0..Self::COUNT {
                    words.store(i, self.component(i).to_word());
                }
            }

            #[inline]
            fn zero() -> Self {
                Self::ZERO
            }
        }
    )*)* };
}

vectors! {
    8: Vec2f Vec2i Vec2u;
    16: Vec3f Vec3i Vec3u;
    16: Vec4f Vec4i Vec4u;
}

macro_rules! matrices {
    ($($matrix:ty = [$column:ty; $count:literal];)*) => { $(
        /// An array of its columns.
        impl HostShareable for $matrix {
            const ALIGN: usize = <$column>::ALIGN;
            const SIZE: usize = <[$column; $count]>::SIZE;

            #[inline]
            fn read(words: impl Words) -> Self {
                let columns = <[$column; $count]>::read(words);
                Self::from_cols_array_2d(&columns.map(Into::into))
            }

            #[inline]
            fn write(self, words: impl Words) {
                let columns: [$column; $count] = self.to_cols_array_2d().map(Into::into);
                columns.write(words);
            }

            #[inline]
            fn zero() -> Self {
                Self::ZERO
            }
        }
    )* };
}

matrices! {
    Mat2x2f = [Vec2f; 2];
    Mat3x3f = [Vec3f; 3];
    Mat4x4f = [Vec4f; 4];
}

impl<T: HostShareable, const N: usize> HostShareable for [T; N] {
    const ALIGN: usize = T::ALIGN;
    const SIZE: usize = N * T::STRIDE;

    #[inline]
    fn read(words: impl Words) -> Self {
        core::array::from_fn(|i| T::read(words.from(i * T::STRIDE / 4)))
    }

    #[inline]
    fn write(self, words: impl Words) {
        for (i, element) in self.into_iter().enumerate() {
            element.write(words.from(i * T::STRIDE / 4));
        }
    }

    #[inline]
    fn zero() -> Self {
        [T::zero(); N]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_of_three_leaves_its_padding_alone() {
        let words = [const { AtomicU32::new(7) }; 4];
        Vec3u::new(1, 2, 3).write(&words[..]);
        assert_eq!(words.map(AtomicU32::into_inner), [1, 2, 3, 7]);
        assert_eq!((Vec3u::ALIGN, Vec3u::SIZE, Vec3u::STRIDE), (16, 12, 16));
    }

    #[test]
    fn a_matrix_is_an_array_of_columns() {
        let words = [const { AtomicU32::new(0) }; 12];
        let matrix = Mat3x3f::from_cols_array(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        matrix.write(&words[..]);
        assert_eq!(Mat3x3f::read(&words[..]), matrix);
        let floats = words.map(|word| f32::from_bits(word.into_inner()));
        let expected = [1.0, 2.0, 3.0, 0.0, 4.0, 5.0, 6.0, 0.0, 7.0, 8.0, 9.0, 0.0];
        assert_eq!(floats, expected);
    }

    #[test]
    #[should_panic(expected = "align is less than the type needs")]
    fn an_attribute_cannot_lower_the_alignment() {
        let _ = Member::of::<Vec4f>("v").with_align(8);
    }
}
