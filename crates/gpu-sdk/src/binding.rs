//! Storage buffers of the host, by group and binding.
//!
//! Elements lie as WGSL has them, so the same buffer serves a kernel here and a shader in WGSL. On
//! wasm32 they are reached through the imports of module `gpu`, natively they are those of the
//! [`Host`](crate::host::Host) that runs the kernel.

use core::fmt;
use core::marker::PhantomData;

#[cfg(target_arch = "wasm32")]
use crate::imports as backend;

#[cfg(not(target_arch = "wasm32"))]
use crate::host::intrinsics as backend;

use crate::atomic::{AtomicOp, AtomicWord, CompareExchange};
use crate::index::Index;
use crate::layout::{HostShareable, Words};

/// WGSL's `@group(G) @binding(B) var<storage, read_write> name: array<T>`, whose memory is the
/// host's. Reading outside of the array gives zero, and writing there does nothing; where the host
/// has no such buffer it has no elements.
///
/// An element of several words is not read or written in one step, and padding is never written.
///
/// ```
/// use gpu_sdk::{Binding, global_invocation_id};
/// use gpu_sdk::host::Host;
///
/// static NUMBERS: Binding<f32> = Binding::new(0, 0);
///
/// #[gpu_sdk::kernel]
/// fn double() {
///     let i = global_invocation_id().x;
///     NUMBERS.store(i, NUMBERS.load(i) * 2.0);
/// }
///
/// let host = Host::builder().buffer(0, 0, &[0.5f32, 1.0, 1.5]).build();
/// host.dispatch(4, double);
/// assert_eq!(host.buffer::<f32>(0, 0), [1.0, 2.0, 3.0]);
/// ```
pub struct Binding<T> {
    place: Place,
    of: PhantomData<fn() -> T>,
}

/// `group << 16 | binding`.
#[derive(Clone, Copy)]
struct Place(u32);

/// The words of a buffer from one on.
#[derive(Clone, Copy)]
struct At {
    place: Place,
    first: u32,
}

impl Words for At {
    #[inline]
    fn load(self, index: usize) -> u32 {
        backend::buffer_load(self.place.0, self.first + index as u32)
    }

    #[inline]
    fn store(self, index: usize, value: u32) {
        backend::buffer_store(self.place.0, self.first + index as u32, value);
    }

    #[inline]
    fn from(self, first: usize) -> Self {
        Self {
            first: self.first + first as u32,
            ..self
        }
    }

    #[inline]
    fn first(self, _: usize) -> Self {
        self
    }
}

impl<T> Binding<T> {
    /// The buffer at this group and binding.
    #[must_use]
    pub const fn new(group: u16, binding: u16) -> Self {
        Self {
            place: Place((group as u32) << 16 | binding as u32),
            of: PhantomData,
        }
    }
}

impl<T> fmt::Debug for Binding<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place(place) = self.place;
        write!(f, "Binding({}:{})", place >> 16, place & 0xffff)
    }
}

impl<T: HostShareable> Binding<T> {
    /// WGSL's `arrayLength`.
    #[inline]
    #[must_use]
    #[cfg_attr(not(target_arch = "wasm32"), track_caller)]
    pub fn len(&self) -> u32 {
        backend::buffer_len(self.place.0) / (T::STRIDE / 4) as u32
    }

    /// Whether there are no elements.
    #[inline]
    #[must_use]
    #[cfg_attr(not(target_arch = "wasm32"), track_caller)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The words of an element, if it exists.
    #[inline]
    #[cfg_attr(not(target_arch = "wasm32"), track_caller)]
    fn element(&self, index: impl Index) -> Option<At> {
        let words = (T::STRIDE / 4) as u32;
        let index = u32::try_from(index.position()?).ok()?;
        let first = index.checked_mul(words)?;
        // The host looks at the bounds of words, which is enough for elements of one.
        let exists = words == 1 || index < self.len();
        exists.then_some(At {
            place: self.place,
            first,
        })
    }

    /// An element; zero if it does not exist.
    #[inline]
    #[must_use]
    #[cfg_attr(not(target_arch = "wasm32"), track_caller)]
    pub fn load(&self, index: impl Index) -> T {
        self.element(index)
            .map_or_else(T::zero, |words| T::read(words))
    }

    /// Stores an element; does nothing if it does not exist.
    #[inline]
    #[cfg_attr(not(target_arch = "wasm32"), track_caller)]
    pub fn store(&self, index: impl Index, value: T) {
        if let Some(words) = self.element(index) {
            value.write(words);
        }
    }
}

macro_rules! atomics {
    ($( $(#[$doc:meta])* $name:ident = $operation:expr; )*) => {
        /// WGSL's `array<atomic<T>>`. Each gives the old value; outside of the array that is zero, and
        /// nothing is stored.
        impl<T: HostShareable + AtomicWord> Binding<T> { $(
            $(#[$doc])*
            #[inline]
            #[cfg_attr(not(target_arch = "wasm32"), track_caller)]
            pub fn $name(&self, index: impl Index, value: T) -> T {
                self.atomic($operation, index, value)
            }
        )* }
    };
}

atomics! {
    /// Adds, wrapping around.
    atomic_add = AtomicOp::Add;
    /// Subtracts, wrapping around.
    atomic_sub = AtomicOp::Sub;
    /// Stores the larger value.
    atomic_max = AtomicOp::max::<T>();
    /// Stores the smaller value.
    atomic_min = AtomicOp::min::<T>();
    /// Keeps the bits that both have.
    atomic_and = AtomicOp::And;
    /// Sets the bits that the value has.
    atomic_or = AtomicOp::Or;
    /// Flips the bits that the value has.
    atomic_xor = AtomicOp::Xor;
    /// Stores a value.
    atomic_exchange = AtomicOp::Exchange;
}

impl<T: HostShareable + AtomicWord> Binding<T> {
    #[inline]
    #[cfg_attr(not(target_arch = "wasm32"), track_caller)]
    fn atomic(&self, operation: AtomicOp, index: impl Index, value: T) -> T {
        self.element(index).map_or_else(T::default, |at| {
            let value = value.to_word();
            T::from_word(backend::buffer_atomic(
                operation, at.place.0, at.first, value,
            ))
        })
    }

    /// The value.
    #[inline]
    #[must_use]
    #[cfg_attr(not(target_arch = "wasm32"), track_caller)]
    pub fn atomic_load(&self, index: impl Index) -> T {
        self.load(index)
    }

    /// Stores a value.
    #[inline]
    #[cfg_attr(not(target_arch = "wasm32"), track_caller)]
    pub fn atomic_store(&self, index: impl Index, value: T) {
        self.store(index, value);
    }

    /// Stores `value` if the old value is `compare`. It may fail to do so without a reason: look at
    /// `exchanged` and try again. Outside of the array nothing is exchanged.
    #[inline]
    #[cfg_attr(not(target_arch = "wasm32"), track_caller)]
    pub fn atomic_compare_exchange_weak(
        &self,
        index: impl Index,
        compare: T,
        value: T,
    ) -> CompareExchange<T> {
        let Some(at) = self.element(index) else {
            return CompareExchange::default();
        };
        // An element that is not there never compares equal to what is stored.
        let exists = at.first < backend::buffer_len(at.place.0);
        let (compare, value) = (compare.to_word(), value.to_word());
        let old = backend::buffer_compare_exchange(at.place.0, at.first, compare, value);
        CompareExchange {
            old_value: T::from_word(old),
            exchanged: exists && old == compare,
        }
    }
}
