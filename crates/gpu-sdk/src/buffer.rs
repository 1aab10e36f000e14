//! Buffers in the memory of the process, shared by all invocations of a native dispatch.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use crate::atomic::{self, AtomicWord, CompareExchange};
use crate::index::Index;
use crate::layout::HostShareable;

/// Memory of the host that the invocations of a native dispatch share, with the layout and the
/// access rules of WGSL's `var<storage, read_write> name: array<T>`.
///
/// It never reaches a GPU: kernels that run on one use [`Binding`](crate::Binding).
///
/// Any number of invocations may read and write it concurrently. Elements have WGSL's layout
/// ([`HostShareable`]), so the words are those of a GPU buffer. As in WGSL, out-of-bounds reads
/// return zero and out-of-bounds writes do nothing.
///
/// Elements of several words are not read or written atomically: invocations that race may see some
/// words of one write and some of another. Single words are never torn.
///
/// On wasm32 this is memory of one instance of the kernel's module, and needs the feature `alloc`.
///
/// ```
/// use gpu_sdk::{HostBuffer, Vec3f, vec3f};
///
/// let points = HostBuffer::<Vec3f>::new(2);
/// points.store(1, vec3f(1.0, 2.0, 3.0));
/// points.store(9, Vec3f::ONE);
/// assert_eq!(points.to_vec(), [Vec3f::ZERO, vec3f(1.0, 2.0, 3.0)]);
/// assert_eq!(points.load(-1), Vec3f::ZERO);
/// assert_eq!(points.words().len(), 8);
/// ```
pub struct HostBuffer<T> {
    words: Box<[AtomicU32]>,
    len: usize,
    of: PhantomData<fn() -> T>,
}

/// The former name of [`HostBuffer`].
#[deprecated = "named `HostBuffer` now: it never reaches a GPU; `Binding` does"]
pub type StorageBuffer<T> = HostBuffer<T>;

impl<T: HostShareable> HostBuffer<T> {
    /// A zero-initialized buffer with this number of elements.
    ///
    /// # Panics
    ///
    /// If the allocation fails.
    #[must_use]
    pub fn new(len: usize) -> Self {
        let bytes = len.checked_mul(T::STRIDE).expect("the buffer's size fits");
        Self {
            words: (0..bytes / 4).map(|_| AtomicU32::new(0)).collect(),
            len,
            of: PhantomData,
        }
    }

    /// A buffer with these elements.
    #[must_use]
    pub fn from_slice(elements: &[T]) -> Self {
        let buffer = Self::new(elements.len());
        for (i, element) in elements.iter().enumerate() {
            buffer.store(i, *element);
        }
        buffer
    }

    /// A buffer with these words, in the layout of a GPU buffer. Words after the last whole element
    /// are not accessible.
    #[must_use]
    pub fn from_words(words: &[u32]) -> Self {
        Self {
            words: words.iter().map(|&word| AtomicU32::new(word)).collect(),
            len: words.len() * 4 / T::STRIDE,
            of: PhantomData,
        }
    }

    /// The number of elements: WGSL's `arrayLength`.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The words of an element; `None` if it is out of bounds.
    #[inline]
    fn element(&self, index: impl Index) -> Option<&[AtomicU32]> {
        let index = index.position().filter(|&index| index < self.len)?;
        self.words.get(index * T::STRIDE / 4..)
    }

    /// Reads an element; zero if it is out of bounds.
    #[inline]
    #[must_use]
    pub fn load(&self, index: impl Index) -> T {
        self.element(index)
            .map_or_else(T::zero, |words| T::read(words))
    }

    /// Stores an element; does nothing if it is out of bounds.
    #[inline]
    pub fn store(&self, index: impl Index, value: T) {
        if let Some(words) = self.element(index) {
            value.write(words);
        }
    }

    /// All elements.
    #[must_use]
    pub fn to_vec(&self) -> Vec<T> {
        (0..self.len).map(|i| self.load(i)).collect()
    }

    /// All words, in the layout of a GPU buffer.
    #[must_use]
    pub fn to_words(&self) -> Vec<u32> {
        self.words.iter().map(|word| word.load(Relaxed)).collect()
    }

    /// The underlying atomic words.
    #[inline]
    #[must_use]
    pub fn words(&self) -> &[AtomicU32] {
        &self.words
    }
}

impl<T: HostShareable + fmt::Debug> fmt::Debug for HostBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries((0..self.len).map(|i| self.load(i)))
            .finish()
    }
}

impl<T: HostShareable> From<&[T]> for HostBuffer<T> {
    fn from(elements: &[T]) -> Self {
        Self::from_slice(elements)
    }
}

impl<T: HostShareable> FromIterator<T> for HostBuffer<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        Self::from_slice(&elements.into_iter().collect::<Vec<_>>())
    }
}

macro_rules! atomics {
    ($( $(#[$doc:meta])* $name:ident = $operation:ident; )*) => {
        /// WGSL's atomic operations on `array<atomic<T>>`. Each returns the old value; out of
        /// bounds it returns zero and stores nothing.
        impl<T: HostShareable + AtomicWord> HostBuffer<T> { $(
            $(#[$doc])*
            #[inline]
            pub fn $name(&self, index: impl Index, value: T) -> T {
                self.element(index)
                    .map_or_else(T::default, |words| atomic::$operation(&words[0], value))
            }
        )* }
    };
}

atomics! {
    /// Wrapping addition.
    atomic_add = add;
    /// Wrapping subtraction.
    atomic_sub = sub;
    /// Stores the maximum.
    atomic_max = max;
    /// Stores the minimum.
    atomic_min = min;
    /// Bitwise AND.
    atomic_and = and;
    /// Bitwise OR.
    atomic_or = or;
    /// Bitwise XOR.
    atomic_xor = xor;
    /// Stores a value and returns the old one.
    atomic_exchange = exchange;
}

impl<T: HostShareable + AtomicWord> HostBuffer<T> {
    /// Atomically reads an element.
    #[inline]
    #[must_use]
    pub fn atomic_load(&self, index: impl Index) -> T {
        self.load(index)
    }

    /// Atomically stores an element.
    #[inline]
    pub fn atomic_store(&self, index: impl Index, value: T) {
        self.store(index, value);
    }

    /// Stores `value` if the old value is `compare`. It may fail spuriously, even if the values are
    /// equal, so check `exchanged` and retry. Out of bounds nothing is exchanged.
    #[inline]
    pub fn atomic_compare_exchange_weak(
        &self,
        index: impl Index,
        compare: T,
        value: T,
    ) -> CompareExchange<T> {
        self.element(index)
            .map(|words| atomic::compare_exchange_weak(&words[0], compare, value))
            .unwrap_or_default()
    }
}
