//! What kernels read and write: buffers, state, input, a picture, files, and the work queue.
//!
//! In: data of the caller. Out: [`Resources`], which every way to run a kernel takes: `gpu_sdk::host::Launch` natively,
//! `anywarp_wasm::Kernel` on the virtual machine and on the GPU interpreter. A launch takes them by a mutable reference
//! and leaves what its threads have written. The fields are open: tools build them as they need; [`Resources::new`] and
//! its methods are shorter.
//!
//! ```
//! use anywarp_resources::Resources;
//!
//! let data = Resources::new().buffer(0, 0, &[1.0f32, 2.0]).buffer(0, 1, &[7u32; 4]);
//! assert_eq!(data.read::<f32>(0, 0)?, [1.0, 2.0]);
//! # Ok::<(), anywarp_resources::ReadError>(())
//! ```

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use bytemuck::Pod;

/// What kernels read and write; updated by a launch.
///
/// ```
/// use anywarp_resources::Resources;
///
/// let data = Resources::new().buffer(0, 0, &[1.0f32, 2.0]).buffer(0, 1, &[7u32; 4]);
/// assert_eq!(data.read::<f32>(0, 0)?, [1.0, 2.0]);
/// let error = data.read::<f32>(1, 5).unwrap_err().to_string();
/// assert_eq!(error, "no buffer at group 1, binding 5: 0:0, 0:1 are bound");
/// # Ok::<(), anywarp_resources::ReadError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Resources {
    /// `read_state`, `write_state`, `atomic_add`.
    pub state: Vec<u32>,
    /// `read_input`.
    pub input: Vec<u32>,
    /// `get_time`.
    pub clock: f32,
    /// `set_pixel`.
    pub picture: Option<Picture>,
    /// `buffer_load` and the like, by group and binding: the words of each buffer.
    pub buffers: BTreeMap<(u16, u16), Vec<u32>>,
    /// Folders that `read_file` and `write_file` may reach.
    pub folders: Vec<PathBuf>,
    /// Work for `queue_pop`.
    pub queue: Vec<u32>,
}

/// An image: four floats for each pixel, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue, alpha.
    pub pixels: Vec<[f32; 4]>,
}

/// Why a buffer could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// There is no such buffer.
    #[error("no buffer at group {group}, binding {binding}: {}", bindings_text(.bound))]
    NoBuffer {
        /// The requested group.
        group: u16,
        /// The requested binding.
        binding: u16,
        /// Group and binding of the buffers that there are.
        bound: Vec<(u16, u16)>,
    },
    /// The buffer is not a whole number of elements.
    #[error(
        "the buffer at group {group}, binding {binding} has {bytes} bytes, which are not a whole \
         number of elements of {element} bytes"
    )]
    Size {
        /// The requested group.
        group: u16,
        /// The requested binding.
        binding: u16,
        /// Bytes of the buffer.
        bytes: usize,
        /// Bytes of an element.
        element: usize,
    },
}

impl Picture {
    /// A picture of transparent black pixels.
    #[must_use]
    pub fn new(width: u32, height: u32) -> Self {
        Self {
            width,
            height,
            pixels: vec![[0.0; 4]; width as usize * height as usize],
        }
    }
}

/// The groups and bindings that there are, for messages.
#[doc(hidden)]
#[must_use]
pub fn bindings_text(bound: &[(u16, u16)]) -> String {
    let places: Vec<String> = bound
        .iter()
        .map(|(group, binding)| format!("{group}:{binding}"))
        .collect();
    match places.as_slice() {
        [] => "no buffer is bound".to_owned(),
        [only] => format!("only {only} is bound"),
        [..] => format!("{} are bound", places.join(", ")),
    }
}

/// The words of elements; the last word is filled up with zeros.
fn words<T: Pod>(elements: &[T]) -> Vec<u32> {
    bytemuck::pod_collect_to_vec(elements)
}

impl Resources {
    /// No resources.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a buffer, or replaces the one with the same group and binding. Its length in bytes is
    /// rounded up to a multiple of four.
    #[must_use]
    pub fn buffer<T: Pod>(mut self, group: u16, binding: u16, elements: &[T]) -> Self {
        self.buffers.insert((group, binding), words(elements));
        self
    }

    /// Sets the words that `read_state`, `write_state` and `atomic_add` access.
    #[must_use]
    pub fn state<T: Pod>(mut self, elements: &[T]) -> Self {
        self.state = words(elements);
        self
    }

    /// Sets the words that `read_input` reads.
    #[must_use]
    pub fn input<T: Pod>(mut self, elements: &[T]) -> Self {
        self.input = words(elements);
        self
    }

    /// Sets the time in seconds that `get_time` returns.
    #[must_use]
    pub fn clock(mut self, seconds: f32) -> Self {
        self.clock = seconds;
        self
    }

    /// Sets an empty picture for `set_pixel`.
    #[must_use]
    pub fn picture(mut self, width: u32, height: u32) -> Self {
        self.picture = Some(Picture::new(width, height));
        self
    }

    /// Allows `read_file` and `write_file` to access a folder.
    #[must_use]
    pub fn folder(mut self, path: impl Into<PathBuf>) -> Self {
        self.folders.push(path.into());
        self
    }

    /// Sets the items for `queue_pop`, each below 2^31.
    #[must_use]
    pub fn queue(mut self, items: &[u32]) -> Self {
        self.queue = items.to_vec();
        self
    }

    /// The elements of a buffer.
    ///
    /// # Errors
    ///
    /// If there is no such buffer, or it is not a whole number of elements.
    pub fn read<T: Pod>(&self, group: u16, binding: u16) -> Result<Vec<T>, ReadError> {
        let words = self
            .buffers
            .get(&(group, binding))
            .ok_or_else(|| ReadError::NoBuffer {
                group,
                binding,
                bound: self.buffers.keys().copied().collect(),
            })?;
        let (bytes, element) = (words.len() * 4, size_of::<T>());
        if element == 0 || !bytes.is_multiple_of(element) {
            return Err(ReadError::Size {
                group,
                binding,
                bytes,
                element,
            });
        }
        Ok(bytemuck::pod_collect_to_vec(words))
    }
}

/// The example of README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::Resources;

    #[test]
    fn elements_of_every_size_come_back() {
        let data = Resources::new()
            .buffer(0, 0, &[1u64 << 40, 2])
            .buffer(0, 1, &[1u8, 2, 3])
            .buffer(0, 2, &[[1.0f32, 2.0, 3.0]; 2])
            .buffer::<u32>(0, 3, &[]);
        assert_eq!(data.read::<u64>(0, 0), Ok(vec![1 << 40, 2]));
        assert_eq!(data.read::<u8>(0, 1), Ok(vec![1, 2, 3, 0]));
        assert_eq!(data.read::<[f32; 3]>(0, 2), Ok(vec![[1.0, 2.0, 3.0]; 2]));
        assert_eq!(data.read::<f32>(0, 3), Ok(vec![]));
        let error = data.read::<u64>(0, 1).unwrap_err().to_string();
        let expected = "the buffer at group 0, binding 1 has 4 bytes, which are not a whole number \
                        of elements of 8 bytes";
        assert_eq!(error, expected);
        assert!(data.read::<[u8; 0]>(0, 0).is_err());
    }
}
