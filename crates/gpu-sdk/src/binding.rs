//! Storage buffers of the host, by group and binding.
//!
//! Elements have WGSL's layout, so a kernel and a WGSL shader can use the same buffer. On wasm32
//! they are accessed through the imports of module `gpu`, natively they belong to the
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

/// WGSL's `@group(G) @binding(B) var<storage, read_write> name: array<T>`, in the host's memory.
/// Out-of-bounds reads return zero and out-of-bounds writes do nothing. A buffer that the host does
/// not have has no elements.
///
/// Elements of several words are not read or written atomically, and padding is never written.
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
    binding: BindingIndex,
    of: PhantomData<fn() -> T>,
}

/// Group and binding in one word: `group << 16 | binding`.
#[derive(Clone, Copy)]
struct BindingIndex(u32);

/// The words of a buffer from an index on.
#[derive(Clone, Copy)]
struct BufferWords {
    binding: BindingIndex,
    first: u32,
}

impl Words for BufferWords {
    #[inline]
    fn load(self, index: usize) -> u32 {
        backend::buffer_load(self.binding.0, self.first + index as u32)
    }

    #[inline]
    fn store(self, index: usize, value: u32) {
        backend::buffer_store(self.binding.0, self.first + index as u32, value);
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
    /// The buffer at this group and binding of the host.
    #[must_use]
    pub const fn new(group: u16, binding: u16) -> Self {
        Self {
            binding: BindingIndex((group as u32) << 16 | binding as u32),
            of: PhantomData,
        }
    }
}

impl<T> fmt::Debug for Binding<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BindingIndex(index) = self.binding;
        write!(f, "Binding({}:{})", index >> 16, index & 0xffff)
    }
}

impl<T: HostShareable> Binding<T> {
    /// The number of elements: WGSL's `arrayLength`.
    #[inline]
    #[must_use]
    #[cfg_attr(not(target_arch = "wasm32"), track_caller)]
    pub fn len(&self) -> u32 {
        backend::buffer_len(self.binding.0) / (T::STRIDE / 4) as u32
    }

    /// Whether there are no elements.
    #[inline]
    #[must_use]
    #[cfg_attr(not(target_arch = "wasm32"), track_caller)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The words of an element; `None` if it is out of bounds.
    #[inline]
    #[cfg_attr(not(target_arch = "wasm32"), track_caller)]
    fn element(&self, index: impl Index) -> Option<BufferWords> {
        let words = (T::STRIDE / 4) as u32;
        let index = u32::try_from(index.position()?).ok()?;
        let first = index.checked_mul(words)?;
        // The host checks the bounds of words, which is enough for elements of one word.
        let exists = words == 1 || index < self.len();
        exists.then_some(BufferWords {
            binding: self.binding,
            first,
        })
    }

    /// Reads an element; zero if it is out of bounds.
    #[inline]
    #[must_use]
    #[cfg_attr(not(target_arch = "wasm32"), track_caller)]
    pub fn load(&self, index: impl Index) -> T {
        self.element(index)
            .map_or_else(T::zero, |words| T::read(words))
    }

    /// Stores an element; does nothing if it is out of bounds.
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
        /// WGSL's atomic operations on `array<atomic<T>>`. Each returns the old value; out of
        /// bounds it returns zero and stores nothing.
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
    /// Wrapping addition.
    atomic_add = AtomicOp::Add;
    /// Wrapping subtraction.
    atomic_sub = AtomicOp::Sub;
    /// Stores the maximum.
    atomic_max = AtomicOp::max::<T>();
    /// Stores the minimum.
    atomic_min = AtomicOp::min::<T>();
    /// Bitwise AND.
    atomic_and = AtomicOp::And;
    /// Bitwise OR.
    atomic_or = AtomicOp::Or;
    /// Bitwise XOR.
    atomic_xor = AtomicOp::Xor;
    /// Stores a value and returns the old one.
    atomic_exchange = AtomicOp::Exchange;
}

impl<T: HostShareable + AtomicWord> Binding<T> {
    #[inline]
    #[cfg_attr(not(target_arch = "wasm32"), track_caller)]
    fn atomic(&self, operation: AtomicOp, index: impl Index, value: T) -> T {
        self.element(index).map_or_else(T::default, |at| {
            let value = value.to_word();
            T::from_word(backend::buffer_atomic(
                operation,
                at.binding.0,
                at.first,
                value,
            ))
        })
    }

    /// Atomically reads an element.
    #[inline]
    #[must_use]
    #[cfg_attr(not(target_arch = "wasm32"), track_caller)]
    pub fn atomic_load(&self, index: impl Index) -> T {
        self.load(index)
    }

    /// Atomically stores an element.
    #[inline]
    #[cfg_attr(not(target_arch = "wasm32"), track_caller)]
    pub fn atomic_store(&self, index: impl Index, value: T) {
        self.store(index, value);
    }

    /// Stores `value` if the old value is `compare`. It may fail spuriously, so check `exchanged`
    /// and retry. Out of bounds nothing is exchanged.
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
        // An element that is out of bounds never compares equal.
        let exists = at.first < backend::buffer_len(at.binding.0);
        let (compare, value) = (compare.to_word(), value.to_word());
        let old = backend::buffer_compare_exchange(at.binding.0, at.first, compare, value);
        CompareExchange {
            old_value: T::from_word(old),
            exchanged: exists && old == compare,
        }
    }
}
