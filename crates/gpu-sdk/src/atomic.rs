//! WGSL's atomic operations, with its relaxed order. Each gives the old value.

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

/// The types that WGSL has atomics of: i32 and u32.
#[diagnostic::on_unimplemented(message = "WGSL has no atomic `{Self}`, only i32 and u32")]
pub trait AtomicWord: Word + Ord + Default + fmt::Debug + sealed::Sealed {}
impl AtomicWord for i32 {}
impl AtomicWord for u32 {}

/// What [`compare_exchange_weak`](Atomic::compare_exchange_weak) gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompareExchange<T> {
    /// The value before.
    pub old_value: T,
    /// Whether the new value was stored.
    pub exchanged: bool,
}

/// One atomic word, for a counter or a lock that is no buffer.
///
/// Invocations that share memory share it: where each has memory of its own, each has a word of its own.
/// A compiler for wasm32 would make plain reads and writes of it, so the host does the operations there.
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

    /// The value.
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

/// An operation that the machine has for signed and unsigned words alike, or a loop for one that it
/// has not; and the host's operation for wasm32.
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
    /// Adds, wrapping around.
    add, AtomicOp::Add, |word, value| word.fetch_add(value.to_word(), Relaxed);
    /// Subtracts, wrapping around.
    sub, AtomicOp::Sub, |word, value| word.fetch_sub(value.to_word(), Relaxed);
    /// Stores the larger value.
    max, AtomicOp::max::<T>(), |word, value| update(word, |old: T| old.max(value));
    /// Stores the smaller value.
    min, AtomicOp::min::<T>(), |word, value| update(word, |old: T| old.min(value));
    /// Keeps the bits that both have.
    and, AtomicOp::And, |word, value| word.fetch_and(value.to_word(), Relaxed);
    /// Sets the bits that the value has.
    or, AtomicOp::Or, |word, value| word.fetch_or(value.to_word(), Relaxed);
    /// Flips the bits that the value has.
    xor, AtomicOp::Xor, |word, value| word.fetch_xor(value.to_word(), Relaxed);
    /// Stores a value.
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
    /// Stores `value` if the old value is `compare`. It may fail to do so without a reason, even
    /// with that old value: look at `exchanged` and try again.
    #[inline]
    pub fn compare_exchange_weak(&self, compare: T, value: T) -> CompareExchange<T> {
        compare_exchange_weak(&self.word, compare, value)
    }
}

/// The operations of the imports `buffer_atomic`, `workgroup_atomic` and `memory_atomic`, by number.
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
    /// The smaller of two values of a type.
    #[inline]
    pub(crate) fn min<T: AtomicWord>() -> Self {
        match is_signed::<T>() {
            true => Self::MinS,
            false => Self::MinU,
        }
    }

    /// The larger of two values of a type.
    #[inline]
    pub(crate) fn max<T: AtomicWord>() -> Self {
        match is_signed::<T>() {
            true => Self::MaxS,
            false => Self::MaxU,
        }
    }

    /// Does it to a word, and gives the old value.
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
