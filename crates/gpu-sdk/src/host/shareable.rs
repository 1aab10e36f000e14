//! Buffers of elements with WGSL's memory layout.

use std::vec::Vec;

use super::{ReadError, Resources};
use crate::buffer::HostBuffer;
use crate::layout::HostShareable;

/// Buffers whose elements have WGSL's layout. [`Resources::buffer`] and [`Resources::read`] take
/// elements as they lie in Rust's memory, which is the same for numbers, but not for [`Vec3f`](crate::Vec3f),
/// for example: as an element it has 12 bytes in Rust, and 16 in WGSL.
///
/// ```
/// use gpu_sdk::host::{Resources, ShareableResources};
/// use gpu_sdk::{Vec3f, vec3f};
///
/// let data = Resources::new().shareable(0, 0, &[Vec3f::ONE, vec3f(1.0, 2.0, 3.0)]);
/// assert_eq!(data.buffers[&(0, 0)].len(), 8);
/// assert_eq!(data.read_shareable::<Vec3f>(0, 0)?[1], vec3f(1.0, 2.0, 3.0));
/// # Ok::<(), gpu_sdk::host::ReadError>(())
/// ```
pub trait ShareableResources: Sized {
    /// Adds a buffer, or replaces the one with the same group and binding.
    #[must_use]
    fn shareable<T: HostShareable>(self, group: u16, binding: u16, elements: &[T]) -> Self;

    /// The elements of a buffer; a rest that is shorter than an element is left out.
    ///
    /// # Errors
    ///
    /// If there is no such buffer.
    fn read_shareable<T: HostShareable>(
        &self,
        group: u16,
        binding: u16,
    ) -> Result<Vec<T>, ReadError>;
}

impl ShareableResources for Resources {
    fn shareable<T: HostShareable>(self, group: u16, binding: u16, elements: &[T]) -> Self {
        let words = HostBuffer::from_slice(elements).to_words();
        self.buffer(group, binding, &words)
    }

    fn read_shareable<T: HostShareable>(
        &self,
        group: u16,
        binding: u16,
    ) -> Result<Vec<T>, ReadError> {
        let words = self.read::<u32>(group, binding)?;
        Ok(HostBuffer::from_words(&words).to_vec())
    }
}
