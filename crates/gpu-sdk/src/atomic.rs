//! WGSL's atomic operations, with relaxed ordering. Each returns the old value.

use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

#[cfg(target_arch = "wasm32")]
use crate::imports;
use crate::math::Word;

mod sealed {
    pub trait Sealed {}
    impl Sealed for i32 {}
    impl Sealed for u32 {}
}

/// The types that WGSL's atomics support: i32 and u32.
#[diagnostic::on_unimplemented(message = "WGSL has no atomic `{Self}`, only i32 and u32")]
pub trait AtomicWord: Word + Ord + Default + fmt::Debug + sealed::Sealed {}
impl AtomicWord for i32 {}
impl AtomicWord for u32 {}

/// The result of [`compare_exchange_weak`](Atomic::compare_exchange_weak).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompareExchange<T> {
    /// The value before.
    pub old_value: T,
    /// Whether the new value was stored.
    pub exchanged: bool,
}

/// An atomic word that is not part of a buffer, for a counter or a lock.
///
/// Invocations that share memory share it: where each has its own memory, each has its own word. A
/// compiler for wasm32 without threads lowers atomics to plain reads and writes, so there the host
/// performs the operations.
///
/// ```
/// use gpu_sdk::Atomic;
///
/// static HIGHEST: Atomic<i32> = Atomic::new_i32(-5);
///
/// assert_eq!(HIGHEST.max(3), -5);
/// assert_eq!(HIGHEST.load(), 3);
/// ```
#[derive(Default)]
pub struct Atomic<T> {
    word: AtomicU32,
    of: PhantomData<T>,
}

impl Atomic<u32> {
    /// An atomic u32 with this value.
    #[must_use]
    pub const fn new_u32(value: u32) -> Self {
        Self {
            word: AtomicU32::new(value),
            of: PhantomData,
        }
    }
}

impl Atomic<i32> {
    /// An atomic i32 with this value.
    #[must_use]
    pub const fn new_i32(value: i32) -> Self {
        Self {
            word: AtomicU32::new(value as u32),
            of: PhantomData,
        }
    }
}

impl<T: AtomicWord> Atomic<T> {
    /// An atomic with this value.
    #[must_use]
    pub fn new(value: T) -> Self {
        Self {
            word: AtomicU32::new(value.to_word()),
            of: PhantomData,
        }
    }

    /// Reads the value.
    #[inline]
    #[must_use]
    pub fn load(&self) -> T {
        load(&self.word)
    }

    /// Stores a value.
    #[inline]
    pub fn store(&self, value: T) {
        store(&self.word, value);
    }
}

impl<T: AtomicWord> fmt::Debug for Atomic<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.load().fmt(f)
    }
}

#[inline]
pub(crate) fn load<T: AtomicWord>(word: &AtomicU32) -> T {
    T::from_word(word.load(Relaxed))
}

#[inline]
pub(crate) fn store<T: AtomicWord>(word: &AtomicU32, value: T) {
    word.store(value.to_word(), Relaxed);
}

/// Defines atomic operations: a native instruction that works for signed and unsigned words, or a
/// compare-exchange loop; and the host function for wasm32.
macro_rules! operations {
    ($(
        $(#[$doc:meta])*
        $name:ident, $hosts:expr, |$word:ident, $value:ident| $operation:expr;
    )*) => {
        $(
            #[cfg(not(target_arch = "wasm32"))]
            #[inline]
            pub(crate) fn $name<T: AtomicWord>($word: &AtomicU32, $value: T) -> T {
                T::from_word($operation)
            }

            #[cfg(target_arch = "wasm32")]
            #[inline]
            fn $name<T: AtomicWord>(word: &AtomicU32, value: T) -> T {
                T::from_word(imports::memory_atomic($hosts, word, value.to_word()))
            }
        )*

        impl<T: AtomicWord> Atomic<T> { $(
            $(#[$doc])*
            #[inline]
            pub fn $name(&self, value: T) -> T {
                $name(&self.word, value)
            }
        )* }
    };
}

operations! {
    /// Wrapping addition.
    add, AtomicOp::Add, |word, value| word.fetch_add(value.to_word(), Relaxed);
    /// Wrapping subtraction.
    sub, AtomicOp::Sub, |word, value| word.fetch_sub(value.to_word(), Relaxed);
    /// Stores the maximum.
    max, AtomicOp::max::<T>(), |word, value| update(word, |old: T| old.max(value));
    /// Stores the minimum.
    min, AtomicOp::min::<T>(), |word, value| update(word, |old: T| old.min(value));
    /// Bitwise AND.
    and, AtomicOp::And, |word, value| word.fetch_and(value.to_word(), Relaxed);
    /// Bitwise OR.
    or, AtomicOp::Or, |word, value| word.fetch_or(value.to_word(), Relaxed);
    /// Bitwise XOR.
    xor, AtomicOp::Xor, |word, value| word.fetch_xor(value.to_word(), Relaxed);
    /// Stores a value and returns the old one.
    exchange, AtomicOp::Exchange, |word, value| word.swap(value.to_word(), Relaxed);
}

#[cfg(not(target_arch = "wasm32"))]
#[inline]
fn update<T: AtomicWord>(word: &AtomicU32, change: impl Fn(T) -> T) -> u32 {
    let mut old = word.load(Relaxed);
    loop {
        let new = change(T::from_word(old)).to_word();
        match word.compare_exchange_weak(old, new, Relaxed, Relaxed) {
            Ok(old) => return old,
            Err(other) => old = other,
        }
    }
}

#[inline]
pub(crate) fn compare_exchange_weak<T: AtomicWord>(
    word: &AtomicU32,
    compare: T,
    value: T,
) -> CompareExchange<T> {
    let (compare, value) = (compare.to_word(), value.to_word());
    #[cfg(not(target_arch = "wasm32"))]
    let (old, exchanged) = {
        let result = word.compare_exchange_weak(compare, value, Relaxed, Relaxed);
        let (Ok(old) | Err(old)) = result;
        (old, result.is_ok())
    };
    #[cfg(target_arch = "wasm32")]
    let (old, exchanged) = {
        let old = imports::memory_compare_exchange(word, compare, value);
        (old, old == compare)
    };
    CompareExchange {
        old_value: T::from_word(old),
        exchanged,
    }
}

impl<T: AtomicWord> Atomic<T> {
    /// Stores `value` if the old value is `compare`. It may fail spuriously, even if the values are
    /// equal, so check `exchanged` and retry.
    #[inline]
    pub fn compare_exchange_weak(&self, compare: T, value: T) -> CompareExchange<T> {
        compare_exchange_weak(&self.word, compare, value)
    }
}

/// The operation numbers of the imports `buffer_atomic`, `workgroup_atomic` and `memory_atomic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum AtomicOp {
    Add = 0,
    Sub = 1,
    MinS = 2,
    MinU = 3,
    MaxS = 4,
    MaxU = 5,
    And = 6,
    Or = 7,
    Xor = 8,
    Exchange = 9,
}

impl AtomicOp {
    /// The minimum, for the type's signedness.
    #[inline]
    pub(crate) fn min<T: AtomicWord>() -> Self {
        if is_signed::<T>() {
            Self::MinS
        } else {
            Self::MinU
        }
    }

    /// The maximum, for the type's signedness.
    #[inline]
    pub(crate) fn max<T: AtomicWord>() -> Self {
        if is_signed::<T>() {
            Self::MaxS
        } else {
            Self::MaxU
        }
    }

    /// Applies the operation to a word and returns the old value.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn apply(self, word: &AtomicU32, value: u32) -> u32 {
        match self {
            Self::Add => add(word, value),
            Self::Sub => sub(word, value),
            Self::MinS => min(word, value as i32) as u32,
            Self::MinU => min(word, value),
            Self::MaxS => max(word, value as i32) as u32,
            Self::MaxU => max(word, value),
            Self::And => and(word, value),
            Self::Or => or(word, value),
            Self::Xor => xor(word, value),
            Self::Exchange => exchange(word, value),
        }
    }
}

#[inline]
fn is_signed<T: AtomicWord>() -> bool {
    T::from_word(u32::MAX) < T::default()
}

#[cfg(test)]
mod tests {
    use anywarp_wasm::bytecode;

    use super::AtomicOp;

    #[test]
    fn hosts_have_the_same_numbers() {
        let pairs = [
            (AtomicOp::Add, bytecode::AtomicOp::Add),
            (AtomicOp::Sub, bytecode::AtomicOp::Sub),
            (AtomicOp::MinS, bytecode::AtomicOp::MinS),
            (AtomicOp::MinU, bytecode::AtomicOp::MinU),
            (AtomicOp::MaxS, bytecode::AtomicOp::MaxS),
            (AtomicOp::MaxU, bytecode::AtomicOp::MaxU),
            (AtomicOp::And, bytecode::AtomicOp::And),
            (AtomicOp::Or, bytecode::AtomicOp::Or),
            (AtomicOp::Xor, bytecode::AtomicOp::Xor),
            (AtomicOp::Exchange, bytecode::AtomicOp::Exchange),
        ];
        for (ours, theirs) in pairs {
            assert_eq!(ours as u32, theirs as u32, "{ours:?}");
        }
    }
}
