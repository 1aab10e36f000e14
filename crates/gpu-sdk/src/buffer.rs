//! Storage buffers: memory that all invocations share.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use crate::atomic::{self, AtomicWord, CompareExchange};
use crate::index::Index;
use crate::layout::HostShareable;

/// WGSL's `var<storage, read_write> name: array<T>`.
///
/// Any number of invocations may read and write it at once. Elements lie as WGSL has them
/// ([`HostShareable`]), so the words are what a GPU buffer would hold. As in WGSL, reading outside of
/// the array gives zero, and writing there does nothing.
///
/// An element of several words is not read or written in one step: invocations that race for it may
/// see some words of one write and some of another. Single words are never torn.
///
/// On wasm32 this is memory of one instance of the kernel's module, and needs the feature `alloc`.
///
/// ```
/// use gpu_sdk::{StorageBuffer, Vec3f, vec3f};
///
/// let points = StorageBuffer::<Vec3f>::new(2);
/// points.store(1, vec3f(1.0, 2.0, 3.0));
/// points.store(9, Vec3f::ONE);
/// assert_eq!(points.to_vec(), [Vec3f::ZERO, vec3f(1.0, 2.0, 3.0)]);
/// assert_eq!(points.load(-1), Vec3f::ZERO);
/// assert_eq!(points.words().len(), 8);
/// ```
pub struct StorageBuffer<T> {
    words: Box<[AtomicU32]>,
    len: usize,
    of: PhantomData<fn() -> T>,
}

impl<T: HostShareable> StorageBuffer<T> {
    /// A buffer of so many elements, all zero.
    ///
    /// # Panics
    ///
    /// If there is no memory for it.
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

    /// A buffer with these words, as a GPU's buffer holds them. What is left after the last whole
    /// element is not reachable.
    #[must_use]
    pub fn from_words(words: &[u32]) -> Self {
        Self {
            words: words.iter().map(|&word| AtomicU32::new(word)).collect(),
            len: words.len() * 4 / T::STRIDE,
            of: PhantomData,
        }
    }

    /// WGSL's `arrayLength`.
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

    /// The words of an element, if it exists.
    #[inline]
    fn element(&self, index: impl Index) -> Option<&[AtomicU32]> {
        let index = index.position().filter(|&index| index < self.len)?;
        self.words.get(index * T::STRIDE / 4..)
    }

    /// An element; zero if it does not exist.
    #[inline]
    #[must_use]
    pub fn load(&self, index: impl Index) -> T {
        self.element(index)
            .map_or_else(T::zero, |words| T::read(words))
    }

    /// Stores an element; does nothing if it does not exist.
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

    /// All words, as a GPU's buffer holds them.
    #[must_use]
    pub fn to_words(&self) -> Vec<u32> {
        self.words.iter().map(|word| word.load(Relaxed)).collect()
    }

    /// The memory itself.
    #[inline]
    #[must_use]
    pub fn words(&self) -> &[AtomicU32] {
        &self.words
    }
}

impl<T: HostShareable + fmt::Debug> fmt::Debug for StorageBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries((0..self.len).map(|i| self.load(i)))
            .finish()
    }
}

impl<T: HostShareable> From<&[T]> for StorageBuffer<T> {
    fn from(elements: &[T]) -> Self {
        Self::from_slice(elements)
    }
}

impl<T: HostShareable> FromIterator<T> for StorageBuffer<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        Self::from_slice(&elements.into_iter().collect::<Vec<_>>())
    }
}

macro_rules! atomics {
    ($( $(#[$doc:meta])* $name:ident = $operation:ident; )*) => {
        /// WGSL's `var<storage, read_write> name: array<atomic<T>>`. Each gives the old value; outside
        /// of the array that is zero, and nothing is stored.
        impl<T: HostShareable + AtomicWord> StorageBuffer<T> { $(
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
    /// Adds, wrapping around.
    atomic_add = add;
    /// Subtracts, wrapping around.
    atomic_sub = sub;
    /// Stores the larger value.
    atomic_max = max;
    /// Stores the smaller value.
    atomic_min = min;
    /// Keeps the bits that both have.
    atomic_and = and;
    /// Sets the bits that the value has.
    atomic_or = or;
    /// Flips the bits that the value has.
    atomic_xor = xor;
    /// Stores a value.
    atomic_exchange = exchange;
}

impl<T: HostShareable + AtomicWord> StorageBuffer<T> {
    /// The value.
    #[inline]
    #[must_use]
    pub fn atomic_load(&self, index: impl Index) -> T {
        self.load(index)
    }

    /// Stores a value.
    #[inline]
    pub fn atomic_store(&self, index: impl Index, value: T) {
        self.store(index, value);
    }

    /// Stores `value` if the old value is `compare`. It may fail to do so without a reason, even
    /// with that old value: look at `exchanged` and try again. Outside of the array nothing is
    /// exchanged.
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
