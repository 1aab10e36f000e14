//! Compute builtin values, barriers and workgroup variables on wasm32.
//!
//! Natively the same names come from `anywarp-dispatch`.

use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::AtomicU32;

use crate::atomic::{AtomicOp, AtomicWord};
use crate::imports;
use crate::layout::{HostShareable, Words};
use crate::types::{Vec3u, vec3u};

/// A vector of three components, each from an import.
#[inline]
fn components(component: impl Fn(u32) -> u32) -> Vec3u {
    vec3u(component(0), component(1), component(2))
}

/// Position of the invocation in the whole grid.
#[inline]
#[must_use]
pub fn global_invocation_id() -> Vec3u {
    components(|i| imports::global_invocation_id(i))
}

/// Position of the invocation in its workgroup.
#[inline]
#[must_use]
pub fn local_invocation_id() -> Vec3u {
    components(|i| imports::local_invocation_id(i))
}

/// Index of the invocation in its workgroup: x first, then y, then z.
#[inline]
#[must_use]
pub fn local_invocation_index() -> u32 {
    imports::local_invocation_index()
}

/// Position of the workgroup in the grid of workgroups.
#[inline]
#[must_use]
pub fn workgroup_id() -> Vec3u {
    components(|i| imports::workgroup_id(i))
}

/// Number of workgroups along x, y and z.
#[inline]
#[must_use]
pub fn num_workgroups() -> Vec3u {
    components(|i| imports::num_workgroups(i))
}

/// Workgroup size along x, y and z.
#[inline]
#[must_use]
pub fn workgroup_size() -> Vec3u {
    components(|i| imports::workgroup_size(i))
}

/// `workgroupBarrier`: waits for all invocations of the workgroup. Writes to workgroup memory
/// before it are visible after it.
#[inline]
pub fn workgroup_barrier() {
    imports::workgroup_barrier();
}

/// `storageBarrier`: the same for storage buffers.
#[inline]
pub fn storage_barrier() {
    imports::storage_barrier();
}

/// `workgroupUniformLoad`: a barrier, a read and a barrier, so that the value is uniform.
#[inline]
pub fn workgroup_uniform_load<T: HostShareable>(variable: &Workgroup<T>) -> T {
    workgroup_barrier();
    let value = variable.get();
    workgroup_barrier();
    value
}

/// Declares workgroup variables, zero-initialized for each workgroup.
#[macro_export]
macro_rules! workgroup {
    ($($(#[$attribute:meta])* $visibility:vis static $name:ident: $ty:ty;)*) => {
        $(
            $(#[$attribute])*
            $visibility static $name: $crate::Workgroup<$ty> = {
                // Its address identifies the variable; the host keeps the values.
                static WORDS: [::core::sync::atomic::AtomicU32;
                    <$ty as $crate::HostShareable>::SIZE / 4] =
                    [const { ::core::sync::atomic::AtomicU32::new(0) };
                        <$ty as $crate::HostShareable>::SIZE / 4];
                $crate::Workgroup::new(&WORDS)
            };
        )*
    };
}

/// A variable in the workgroup address space. Declare it with [`workgroup!`](crate::workgroup!).
pub struct Workgroup<T> {
    words: &'static [AtomicU32],
    of: PhantomData<fn() -> T>,
}

/// Words of a workgroup variable, identified by the address of its static.
#[derive(Clone, Copy)]
struct WordAddress(u32);

impl WordAddress {
    fn word(self, index: usize) -> u32 {
        self.0 + 4 * index as u32
    }
}

impl Words for WordAddress {
    #[inline]
    fn load(self, index: usize) -> u32 {
        imports::workgroup_load(self.word(index))
    }

    #[inline]
    fn store(self, index: usize, value: u32) {
        imports::workgroup_store(self.word(index), value);
    }

    #[inline]
    fn from(self, first: usize) -> Self {
        Self(self.word(first))
    }

    #[inline]
    fn first(self, _: usize) -> Self {
        self
    }
}

impl<T> Workgroup<T> {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(words: &'static [AtomicU32]) -> Self {
        Self {
            words,
            of: PhantomData,
        }
    }

    #[inline]
    fn at(&self) -> WordAddress {
        WordAddress(self.words.as_ptr() as u32)
    }
}

impl<T> fmt::Debug for Workgroup<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workgroup").finish_non_exhaustive()
    }
}

impl<T: HostShareable> Workgroup<T> {
    /// Reads the value.
    #[inline]
    #[must_use]
    pub fn get(&self) -> T {
        T::read(self.at())
    }

    /// Sets the value.
    #[inline]
    pub fn set(&self, new: T) {
        new.write(self.at());
    }
}

impl<E: HostShareable, const N: usize> Workgroup<[E; N]> {
    #[inline]
    #[track_caller]
    fn element(&self, index: usize) -> WordAddress {
        // The message omits the index, which would need number formatting code.
        assert!(index < N, "an index is outside of a workgroup variable");
        self.at().from(index * (E::STRIDE / 4))
    }

    /// Reads element `index`.
    ///
    /// # Panics
    ///
    /// If there is no such element.
    #[inline]
    #[track_caller]
    #[must_use]
    pub fn load(&self, index: usize) -> E {
        E::read(self.element(index))
    }

    /// Sets element `index`.
    ///
    /// # Panics
    ///
    /// If there is no such element.
    #[inline]
    #[track_caller]
    pub fn store(&self, index: usize, new: E) {
        new.write(self.element(index));
    }
}

macro_rules! atomics {
    ($( $(#[$doc:meta])* $name:ident = $operation:expr; )*) => {
        /// WGSL's atomic operations on arrays of integers. Every function returns the old value.
        impl<E: HostShareable + AtomicWord, const N: usize> Workgroup<[E; N]> { $(
            $(#[$doc])*
            #[inline]
            #[track_caller]
            pub fn $name(&self, index: usize, value: E) -> E {
                let WordAddress(address) = self.element(index);
                E::from_word(imports::workgroup_atomic($operation, address, value.to_word()))
            }
        )* }
    };
}

atomics! {
    /// `atomicAdd`.
    atomic_add = AtomicOp::Add;
    /// `atomicSub`.
    atomic_sub = AtomicOp::Sub;
    /// `atomicMin`.
    atomic_min = AtomicOp::min::<E>();
    /// `atomicMax`.
    atomic_max = AtomicOp::max::<E>();
    /// `atomicAnd`.
    atomic_and = AtomicOp::And;
    /// `atomicOr`.
    atomic_or = AtomicOp::Or;
    /// `atomicXor`.
    atomic_xor = AtomicOp::Xor;
    /// `atomicExchange`.
    atomic_exchange = AtomicOp::Exchange;
}

impl<E: HostShareable + AtomicWord, const N: usize> Workgroup<[E; N]> {
    /// `atomicCompareExchangeWeak`: the old value, and whether the exchange happened.
    #[inline]
    #[track_caller]
    pub fn atomic_compare_exchange_weak(&self, index: usize, compare: E, value: E) -> (E, bool) {
        let WordAddress(address) = self.element(index);
        let (old, new) = (compare.to_word(), value.to_word());
        let old = imports::workgroup_compare_exchange(address, old, new);
        (E::from_word(old), old == compare.to_word())
    }
}
