//! The native host of kernels: implements the functions of module `gpu`.
//!
//! In: [`Resources`], which are those of the engines for WebAssembly too, and a kernel. Out: the
//! kernel's writes. A [`Launch`] runs a kernel over a grid, with the methods of
//! `anywarp_wasm::Kernel`; a [`Host`] also runs single calls and fragments. The current host is thread-local: an invocation never changes its thread, all
//! invocations of a dispatch have the same host, and a nested dispatch runs on its invocation's
//! thread and restores the outer host when it is done. Tasks that a kernel spawns on other threads,
//! such as rayon's, have no host.
//!
//! ```
//! use gpu_sdk::host::{Launch, Resources};
//! use gpu_sdk::{Binding, global_invocation_id};
//!
//! static NUMBERS: Binding<u32> = Binding::new(0, 0);
//!
//! #[gpu_sdk::kernel]
//! fn scale(factor: u32) {
//!     let i = global_invocation_id().x;
//!     NUMBERS.store(i, NUMBERS.load(i) * factor);
//! }
//!
//! let mut data = Resources::new().buffer(0, 0, &[1u32, 2, 3, 4]);
//! Launch::new().workgroups([2, 1, 1]).workgroup_size([2, 1, 1]).run(&mut data, || scale(2))?;
//! assert_eq!(data.read::<u32>(0, 0)?, [2, 4, 6, 8]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```
//! use gpu_sdk::host::Host;
//! use gpu_sdk::{atomic_add, set_pixel, thread_id, vec4f};
//!
//! #[gpu_sdk::kernel]
//! fn gradient(width: i32) {
//!     let (x, y) = (thread_id() % width, thread_id() / width);
//!     set_pixel(x, y, x as f32 / width as f32, 0.0, 0.0, 1.0);
//!     atomic_add(0, 1);
//! }
//!
//! let host = Host::builder().pixels(8, 4).state(&[0]).build();
//! host.dispatch(32, || gradient(8));
//! assert_eq!(host.pixel(4, 3), Some(vec4f(0.5, 0.0, 0.0, 1.0)));
//! assert_eq!(host.state(), [32]);
//! ```

mod current;
mod dispatch;
mod files;
pub(crate) mod intrinsics;
mod launch;
mod shareable;

use std::boxed::Box;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

pub use anywarp_resources::{Picture, ReadError, Resources};
pub use launch::Launch;
pub use shareable::ShareableResources;

use crate::buffer::HostBuffer;
use crate::layout::HostShareable;
use crate::types::Vec4f;

/// The state that kernels act on. Clones are the same host.
#[derive(Clone)]
pub struct Host {
    shared: Arc<Shared>,
}

type OnPrint = Box<dyn Fn(&str) + Send + Sync>;

struct Shared {
    image: Image,
    state: HostBuffer<i32>,
    input: Vec<i32>,
    time: f32,
    folders: Vec<PathBuf>,
    on_print: Option<OnPrint>,
    /// Key: `group << 16 | binding`.
    buffers: BTreeMap<u32, HostBuffer<u32>>,
    queue: Mutex<VecDeque<u32>>,
}

/// The pixels in row-major order.
#[derive(Default)]
struct Image {
    width: u32,
    height: u32,
    pixels: Option<HostBuffer<Vec4f>>,
}

impl Image {
    fn new(picture: &Picture) -> Self {
        let pixels = picture.pixels.iter().copied().map(Vec4f::from_array);
        Self {
            width: picture.width,
            height: picture.height,
            pixels: Some(pixels.collect()),
        }
    }

    fn picture(&self) -> Option<Picture> {
        let pixels = self.pixels.as_ref()?.to_vec();
        let mut picture = Picture::new(0, 0);
        picture.width = self.width;
        picture.height = self.height;
        picture.pixels = pixels.into_iter().map(|pixel| pixel.to_array()).collect();
        Some(picture)
    }

    /// The index of a pixel; `None` if it is out of bounds.
    fn position(&self, x: i32, y: i32) -> Option<usize> {
        let (x, y) = (u32::try_from(x).ok()?, u32::try_from(y).ok()?);
        let is_inside = x < self.width && y < self.height;
        is_inside.then(|| y as usize * self.width as usize + x as usize)
    }
}

impl Host {
    /// A host with these resources. Text that kernels print goes to standard output.
    #[must_use]
    pub fn new(resources: &Resources) -> Self {
        Self::with(resources, None)
    }

    fn with(resources: &Resources, on_print: Option<OnPrint>) -> Self {
        let buffers = resources.buffers.iter();
        let buffers = buffers.map(|(&(group, binding), words)| {
            (place(group, binding), HostBuffer::from_words(words))
        });
        let input = resources.input.iter();
        Self {
            shared: Arc::new(Shared {
                image: resources
                    .picture
                    .as_ref()
                    .map(Image::new)
                    .unwrap_or_default(),
                state: HostBuffer::from_words(&resources.state),
                input: input.map(|&word| word as i32).collect(),
                time: resources.clock,
                folders: resources.folders.clone(),
                on_print,
                buffers: buffers.collect(),
                queue: Mutex::new(resources.queue.iter().copied().collect()),
            }),
        }
    }

    /// What kernels have written until now, with the rest of the resources.
    #[must_use]
    pub fn resources(&self) -> Resources {
        let shared = &*self.shared;
        let buffers = shared.buffers.iter();
        let buffers = buffers
            .map(|(&place, buffer)| (((place >> 16) as u16, place as u16), buffer.to_words()));
        let mut resources = Resources::new().clock(shared.time);
        resources.state = shared.state.to_words();
        resources.input = shared.input.iter().map(|&word| word as u32).collect();
        resources.picture = shared.image.picture();
        resources.buffers = buffers.collect();
        resources.folders.clone_from(&shared.folders);
        resources.queue = self.queue().iter().copied().collect();
        resources
    }

    /// A builder of a host that has nothing yet.
    #[must_use]
    pub fn builder() -> HostBuilder {
        HostBuilder::default()
    }

    /// A pixel of the image: red, green, blue, alpha.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> Option<Vec4f> {
        let image = &self.shared.image;
        let position = image.position(x.try_into().ok()?, y.try_into().ok()?)?;
        image.pixels.as_ref().map(|pixels| pixels.load(position))
    }

    /// All pixels in row-major order.
    #[must_use]
    pub fn pixels(&self) -> Vec<Vec4f> {
        let pixels = self.shared.image.pixels.as_ref();
        pixels.map(HostBuffer::to_vec).unwrap_or_default()
    }

    /// The image in 8 bits per channel, as RGBA.
    #[must_use]
    pub fn rgba8(&self) -> Vec<u8> {
        let packed = self.pixels().into_iter().map(crate::math::pack4x8unorm);
        packed.flat_map(u32::to_le_bytes).collect()
    }

    /// The current contents of a buffer; empty if there is none.
    #[must_use]
    pub fn buffer<T: HostShareable>(&self, group: u16, binding: u16) -> Vec<T> {
        let words = self.buffer_words(group, binding);
        HostBuffer::from_words(&words).to_vec()
    }

    /// The current contents of a buffer as words.
    #[must_use]
    pub fn buffer_words(&self, group: u16, binding: u16) -> Vec<u32> {
        let buffer = self.shared.buffers.get(&place(group, binding));
        buffer.map(HostBuffer::to_words).unwrap_or_default()
    }

    /// Locks the work queue.
    fn queue(&self) -> MutexGuard<'_, VecDeque<u32>> {
        let queue = self.shared.queue.lock();
        // No code panics while it is locked.
        queue.unwrap_or_else(PoisonError::into_inner)
    }

    /// The current state.
    #[must_use]
    pub fn state(&self) -> Vec<i32> {
        self.shared.state.to_vec()
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shared = &*self.shared;
        f.debug_struct("Host")
            .field("pixels", &(shared.image.width, shared.image.height))
            .field("state", &shared.state.len())
            .field("input", &shared.input.len())
            .field("time", &shared.time)
            .field("folders", &shared.folders)
            .finish_non_exhaustive()
    }
}

/// Packs a buffer's group and binding into one number.
fn place(group: u16, binding: u16) -> u32 {
    u32::from(group) << 16 | u32::from(binding)
}

/// Builder of a [`Host`]: [`Resources`] with WGSL's layout of elements, and an action for printed text.
#[derive(Default)]
pub struct HostBuilder {
    resources: Resources,
    on_print: Option<OnPrint>,
}

impl HostBuilder {
    fn map(self, change: impl FnOnce(Resources) -> Resources) -> Self {
        Self {
            resources: change(self.resources),
            ..self
        }
    }

    /// Sets the size of the image for `set_pixel`, transparent black at first.
    #[must_use]
    pub fn pixels(self, width: u32, height: u32) -> Self {
        self.map(|resources| resources.picture(width, height))
    }

    /// Sets the initial state for `read_state`, `write_state` and `atomic_add`.
    #[must_use]
    pub fn state(self, words: &[i32]) -> Self {
        self.map(|resources| resources.state(words))
    }

    /// Sets the input for `read_input`.
    #[must_use]
    pub fn input(self, words: &[i32]) -> Self {
        self.map(|resources| resources.input(words))
    }

    /// Sets the result of `time`, in seconds.
    #[must_use]
    pub fn clock(self, seconds: f32) -> Self {
        self.map(|resources| resources.clock(seconds))
    }

    /// Adds a folder in which `read_file` and `write_file` may access files. Without one no file
    /// can be accessed.
    #[must_use]
    pub fn files(self, folder: impl Into<PathBuf>) -> Self {
        self.map(|resources| resources.folder(folder))
    }

    /// Sets the function that `print` calls. Without it text goes to standard output.
    #[must_use]
    pub fn on_print(self, action: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self {
            on_print: Some(Box::new(action)),
            ..self
        }
    }

    /// Adds the buffer for a [`Binding`](crate::Binding) with this group and binding.
    #[must_use]
    pub fn buffer<T: HostShareable>(self, group: u16, binding: u16, elements: &[T]) -> Self {
        self.map(|resources| resources.shareable(group, binding, elements))
    }

    /// Adds a buffer by its words, in the layout of a GPU buffer.
    #[must_use]
    pub fn buffer_words(self, group: u16, binding: u16, words: &[u32]) -> Self {
        self.map(|resources| resources.buffer(group, binding, words))
    }

    /// Sets the items for `queue_pop`, in order, each below 2^31.
    ///
    /// Unlike on the engines that run modules, an invocation that finds the queue empty does not
    /// wait for others to push items: an invocation of a dispatch can wait only at barriers, and
    /// those that have not started could not start meanwhile. All items are processed as long as
    /// the invocations that push items pop afterwards.
    #[must_use]
    pub fn queue(self, items: &[u32]) -> Self {
        self.map(|resources| resources.queue(items))
    }

    /// Creates the host.
    #[must_use]
    pub fn build(self) -> Host {
        Host::with(&self.resources, self.on_print)
    }
}

impl fmt::Debug for HostBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostBuilder")
            .field("resources", &self.resources)
            .finish_non_exhaustive()
    }
}
