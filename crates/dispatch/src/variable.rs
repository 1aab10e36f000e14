//! Workgroup variables: one value for each workgroup, zero-initialized when it starts.
//!
//! A variable is a static that names a slot; its bytes belong to the group that the thread is
//! running. So two concurrent workgroups never share a value, and a nested dispatch has its own. No
//! function returns a reference that could outlive the group.

use std::cell::{Cell, RefCell, UnsafeCell};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};

use bytemuck::Zeroable;

use crate::barrier::UniformLoad;
use crate::group::{Group, GroupKind};

/// Declares workgroup variables.
///
/// ```
/// anywarp_dispatch::workgroup! {
///     static TILE: [f32; 256];
///     pub static COUNT: u32;
/// }
/// ```
#[macro_export]
macro_rules! workgroup {
    ($($(#[$attribute:meta])* $visibility:vis static $name:ident: $ty:ty;)*) => {
        $(
            $(#[$attribute])*
            $visibility static $name: $crate::Workgroup<$ty> =
                $crate::Workgroup::new(stringify!($name));
        )*
    };
}

/// A variable in the workgroup address space. Declare it with [`workgroup!`](crate::workgroup!).
///
/// `T` is plain data for which all-zero bits are a valid value.
#[derive(Debug)]
pub struct Workgroup<T> {
    name: &'static str,
    /// The variable's slot, plus one; zero while no slot is assigned.
    slot: AtomicU32,
    value: PhantomData<fn() -> T>,
}

static SLOTS: AtomicU32 = AtomicU32::new(0);

/// The storage of all variables that a group uses.
#[derive(Default)]
pub(crate) struct Variables {
    slots: RefCell<Vec<VariableStorage>>,
}

/// The storage of one variable.
#[derive(Default)]
struct VariableStorage {
    /// The group that the value belongs to.
    epoch: u64,
    value: AlignedBytes,
    kept: AlignedBytes,
}

/// Storage that is aligned for every plain type and never moves.
#[derive(Default)]
struct AlignedBytes(Box<[UnsafeCell<AlignedBlock>]>);

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct AlignedBlock([u8; 64]);

impl AlignedBlock {
    const ZERO: Self = Self([0; 64]);
}

impl AlignedBytes {
    fn reserve(&mut self, size: usize) {
        let blocks = size.div_ceil(size_of::<AlignedBlock>()).max(1);
        if self.0.len() < blocks {
            self.0 = (0..blocks)
                .map(|_| UnsafeCell::new(AlignedBlock::ZERO))
                .collect();
        }
    }

    fn zero(&mut self) {
        for block in &mut self.0 {
            *block.get_mut() = AlignedBlock::ZERO;
        }
    }

    fn pointer(&self) -> *mut u8 {
        // `raw_get` of the slice's first element keeps the provenance of the whole slice.
        UnsafeCell::raw_get(self.0.as_ptr()).cast()
    }
}

impl<T: Zeroable + Copy + 'static> Workgroup<T> {
    const FITS: () = assert!(
        align_of::<T>() <= align_of::<AlignedBlock>(),
        "a workgroup variable is aligned to at most 64 bytes"
    );

    /// Creates a variable with this name; [`workgroup!`](crate::workgroup!) calls it.
    pub const fn new(name: &'static str) -> Self {
        let () = Self::FITS;
        Self {
            name,
            slot: AtomicU32::new(0),
            value: PhantomData,
        }
    }

    /// The index of the variable's slot. The address of the static is not unique: statics with the
    /// same content may share one.
    fn slot(&self) -> usize {
        let slot = self.slot.load(Ordering::Relaxed);
        if slot != 0 {
            return slot as usize - 1;
        }
        // A number is never used twice: otherwise the bytes of one type would be read as another.
        let fresh = SLOTS
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_add(1))
            .expect("there are fewer than 2^32 workgroup variables")
            + 1;
        let taken = self
            .slot
            .compare_exchange(0, fresh, Ordering::Relaxed, Ordering::Relaxed);
        taken.err().unwrap_or(fresh) as usize - 1
    }

    /// Calls `f` with the addresses of the current workgroup's value and of its snapshot.
    #[inline]
    #[track_caller]
    fn bytes<R>(&self, f: impl FnOnce(*mut T, *mut T) -> R) -> R {
        let found = Group::with_current(|group| {
            if group.kind != GroupKind::Workgroup {
                return None;
            }
            let index = self.slot();
            let mut slots = group.variables.slots.borrow_mut();
            if slots.len() <= index {
                slots.resize_with(index + 1, VariableStorage::default);
            }
            let slot = &mut slots[index];
            if slot.epoch != group.epoch() {
                slot.epoch = group.epoch();
                slot.value.reserve(size_of::<T>());
                slot.kept.reserve(size_of::<T>());
                slot.value.zero();
            }
            Some((slot.value.pointer().cast(), slot.kept.pointer().cast()))
        });
        match found.flatten() {
            // The boxed storage does not move when the list of slots grows.
            Some((value, kept)) => f(value, kept),
            None => panic!(
                "workgroup variable `{}` exists only inside of a compute dispatch",
                self.name
            ),
        }
    }

    /// Reads the value.
    #[inline]
    #[track_caller]
    pub fn get(&self) -> T {
        // SAFETY: The bytes are large and aligned enough, and hold a `T`: they began as zeros, and
        // only `T`s are written. Nobody else uses them, because the workgroup is on this thread.
        self.bytes(|value, _| unsafe { value.read() })
    }

    /// Sets the value.
    #[inline]
    #[track_caller]
    pub fn set(&self, new: T) {
        // SAFETY: As in `get`; no reference to the bytes exists except to `Cell`s.
        self.bytes(|value, _| unsafe { value.write(new) });
    }

    /// Calls `f` with the value as a cell, for many reads and writes.
    #[inline]
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(&Cell<T>) -> R) -> R {
        // SAFETY: As in `get`. A cell may be shared on its thread; it cannot leave the closure, and
        // the bytes live at least as long as the invocation that runs it.
        self.bytes(|value, _| f(unsafe { &*value.cast::<Cell<T>>() }))
    }
}

impl<T: Zeroable + Copy + 'static> UniformLoad for Workgroup<T> {
    type Value = T;

    #[track_caller]
    fn read(&self) -> T {
        self.get()
    }

    #[inline]
    fn snapshot(&self) {
        // SAFETY: As in `get`; the kept bytes are as large, and apart from the value.
        self.bytes(|value, kept| unsafe { kept.write(value.read()) });
    }

    #[inline]
    fn kept(&self) -> T {
        // SAFETY: As in `get`; `snapshot` wrote a `T` before anybody came here.
        self.bytes(|_, kept| unsafe { kept.read() })
    }
}

impl<E: Zeroable + Copy + 'static, const N: usize> Workgroup<[E; N]> {
    #[inline]
    #[track_caller]
    fn element(&self, index: usize) -> *mut E {
        assert!(
            index < N,
            "index {index} is outside of workgroup variable `{}`, which has {N} elements",
            self.name
        );
        // SAFETY: The index was just checked.
        self.bytes(|value, _| unsafe { value.cast::<E>().add(index) })
    }

    /// Reads element `index`.
    ///
    /// # Panics
    ///
    /// If there is no such element.
    #[inline]
    #[track_caller]
    pub fn load(&self, index: usize) -> E {
        // SAFETY: As in `get`, for one element.
        unsafe { self.element(index).read() }
    }

    /// Sets element `index`.
    ///
    /// # Panics
    ///
    /// If there is no such element.
    #[inline]
    #[track_caller]
    pub fn store(&self, index: usize, new: E) {
        // SAFETY: As in `set`, for one element.
        unsafe { self.element(index).write(new) };
    }

    /// Calls `f` with the elements as cells, for many reads and writes.
    #[inline]
    #[track_caller]
    pub fn with_elements<R>(&self, f: impl FnOnce(&[Cell<E>]) -> R) -> R {
        self.with(|cell| f(cell.as_array_of_cells()))
    }

    /// WGSL's atomic read-modify-write on element `index`: returns the old value and stores the
    /// result of `change`.
    ///
    /// The invocations of a workgroup run on one thread and switch only at barriers, so the
    /// operation is atomic for all of them.
    ///
    /// # Panics
    ///
    /// If there is no such element.
    #[inline]
    #[track_caller]
    pub fn atomic_update(&self, index: usize, change: impl FnOnce(E) -> E) -> E {
        let old = self.load(index);
        self.store(index, change(old));
        old
    }
}

/// Integers that have WGSL's atomic operations.
pub trait WorkgroupInteger: Zeroable + Copy + Ord + 'static {
    /// Wrapping sum.
    fn plus(self, other: Self) -> Self;
    /// Wrapping difference.
    fn minus(self, other: Self) -> Self;
    /// Bitwise AND.
    fn and(self, other: Self) -> Self;
    /// Bitwise OR.
    fn or(self, other: Self) -> Self;
    /// Bitwise XOR.
    fn xor(self, other: Self) -> Self;
}

macro_rules! workgroup_integer {
    ($($ty:ty),*) => {$(
        impl WorkgroupInteger for $ty {
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            fn and(self, other: Self) -> Self {
                self & other
            }
            fn or(self, other: Self) -> Self {
                self | other
            }
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
        }
    )*};
}
workgroup_integer!(u32, i32);

/// WGSL's atomic operations on arrays of integers. Every function returns the old value.
impl<E: WorkgroupInteger, const N: usize> Workgroup<[E; N]> {
    /// `atomicAdd`.
    #[track_caller]
    pub fn atomic_add(&self, index: usize, value: E) -> E {
        self.atomic_update(index, |old| old.plus(value))
    }

    /// `atomicSub`.
    #[track_caller]
    pub fn atomic_sub(&self, index: usize, value: E) -> E {
        self.atomic_update(index, |old| old.minus(value))
    }

    /// `atomicMin`.
    #[track_caller]
    pub fn atomic_min(&self, index: usize, value: E) -> E {
        self.atomic_update(index, |old| old.min(value))
    }

    /// `atomicMax`.
    #[track_caller]
    pub fn atomic_max(&self, index: usize, value: E) -> E {
        self.atomic_update(index, |old| old.max(value))
    }

    /// `atomicAnd`.
    #[track_caller]
    pub fn atomic_and(&self, index: usize, value: E) -> E {
        self.atomic_update(index, |old| old.and(value))
    }

    /// `atomicOr`.
    #[track_caller]
    pub fn atomic_or(&self, index: usize, value: E) -> E {
        self.atomic_update(index, |old| old.or(value))
    }

    /// `atomicXor`.
    #[track_caller]
    pub fn atomic_xor(&self, index: usize, value: E) -> E {
        self.atomic_update(index, |old| old.xor(value))
    }

    /// `atomicExchange`.
    #[track_caller]
    pub fn atomic_exchange(&self, index: usize, value: E) -> E {
        self.atomic_update(index, |_| value)
    }

    /// `atomicCompareExchangeWeak`: the old value, and whether the exchange happened.
    #[track_caller]
    pub fn atomic_compare_exchange_weak(&self, index: usize, compare: E, value: E) -> (E, bool) {
        let old = self.atomic_update(index, |old| if old == compare { value } else { old });
        (old, old == compare)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use glam::{UVec3, Vec3};

    use super::*;
    use crate::group::GroupShape;
    use crate::options::Schedule;
    use crate::watchdog::Progress;

    workgroup! {
        static NUMBER: u32;
        static TILE: [u16; 200];
        static LATE: [Option<std::num::NonZeroU8>; 3];
        static VECTOR: Vec3;
        static NOTHING: [u64; 0];
    }

    /// A group without a fiber, which is enough for variables.
    fn group() -> Group {
        let shape = GroupShape {
            kind: GroupKind::Workgroup,
            size: UVec3::ONE,
            count: UVec3::ONE,
            dispatched_at: Location::caller(),
        };
        let group = Group::new(shape, Schedule::InOrder, 0, Progress::default());
        group.begin(UVec3::ZERO);
        group
    }

    #[test]
    fn a_new_workgroup_finds_zeros() {
        let group = group();
        let _entered = group.enter();
        for round in 1..4 {
            assert_eq!((NUMBER.get(), TILE.load(199)), (0, 0));
            NUMBER.set(round);
            TILE.store(199, 7);
            VECTOR.set(Vec3::ONE);
            assert_eq!((NUMBER.get(), TILE.load(199)), (round, 7));
            group.begin(UVec3::X * round);
        }
        assert_eq!(VECTOR.get(), Vec3::ZERO);
    }

    #[test]
    fn cells_stay_valid_while_variables_are_added() {
        let group = group();
        let _entered = group.enter();
        TILE.with_elements(|tile| {
            tile[0].set(1);
            NUMBER.with(|number| {
                // More variables that have no slot yet, enough to make the list of slots
                // reallocate.
                let others: [Workgroup<u64>; 9] = std::array::from_fn(|_| Workgroup::new("other"));
                for (i, other) in others.iter().enumerate() {
                    other.set(i as u64);
                }
                LATE.store(1, std::num::NonZeroU8::new(5));
                number.set(3);
                // By value, not through the cells.
                TILE.store(0, TILE.load(0) + 1);
                assert_eq!((tile[0].get(), number.get()), (2, 3));
                assert!((0..).zip(&others).all(|(i, other)| other.get() == i));
            });
        });
        assert_eq!(LATE.get().map(|n| n.map_or(0, |n| n.get())), [0, 5, 0]);
        NOTHING.set([]);
        assert_eq!(NOTHING.get(), []);
    }

    #[test]
    fn an_inner_group_has_variables_of_its_own() {
        let outer = group();
        let _entered = outer.enter();
        NUMBER.set(1);
        {
            let inner = group();
            let _entered = inner.enter();
            assert_eq!(NUMBER.get(), 0);
            NUMBER.set(2);
        }
        assert_eq!(NUMBER.get(), 1);
    }

    #[test]
    fn what_was_kept_is_apart_from_the_value() {
        let group = group();
        let _entered = group.enter();
        NUMBER.set(4);
        NUMBER.snapshot();
        NUMBER.set(5);
        assert_eq!((NUMBER.kept(), NUMBER.read()), (4, 5));
    }

    #[test]
    fn every_variable_has_a_slot_of_its_own() {
        let variables: Vec<_> = (0..20).map(|_| Workgroup::<u8>::new("one")).collect();
        let slots: std::collections::BTreeSet<_> = std::thread::scope(|scope| {
            let all = || variables.iter().map(Workgroup::slot).collect::<Vec<_>>();
            let threads = [scope.spawn(all), scope.spawn(all)];
            threads
                .into_iter()
                .flat_map(|t| t.join().unwrap())
                .collect()
        });
        assert_eq!(slots.len(), 20, "also if several threads ask at once");
    }
}
