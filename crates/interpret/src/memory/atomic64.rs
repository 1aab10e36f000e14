//! Atomic operations on 64 bits.
//!
//! Memory consists of 32-bit words, so an operation is a single step because it holds a lock: one of
//! a few for the whole process, chosen by the place in memory, so that all threads and all bindings
//! of a buffer agree. That is enough. WGSL reaches an atomic variable by atomic operations alone,
//! loads and stores of it included, and all of these come here; what copies or maps a buffer comes
//! before or after the whole dispatch. A program that reaches the same bytes by another type at the
//! same time races, and reads words of different age.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use super::{Memory, words};
use crate::code::{Address, Atomic, Reg, Space};

static LOCKS: [Mutex<()>; 64] = [const { Mutex::new(()) }; 64];

/// The value of two words, the low one first.
fn join([low, high]: [u32; 2]) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

fn split(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

/// The value after an operation.
fn changed(op: Atomic, old: u64, value: u64, compare: u64) -> u64 {
    match op {
        Atomic::Add => old.wrapping_add(value),
        Atomic::Sub => old.wrapping_sub(value),
        Atomic::And => old & value,
        Atomic::Or => old | value,
        Atomic::Xor => old ^ value,
        Atomic::MinI32 => (old as i64).min(value as i64) as u64,
        Atomic::MaxI32 => (old as i64).max(value as i64) as u64,
        Atomic::MinU32 => old.min(value),
        Atomic::MaxU32 => old.max(value),
        Atomic::Exchange => value,
        Atomic::CompareExchange if old == compare => value,
        // Floats have 32 bits.
        Atomic::CompareExchange | Atomic::Load | Atomic::AddF32 | Atomic::SubF32 => old,
    }
}

/// Changes two words that other threads use; gives the old value.
fn shared(pair: &[AtomicU32], change: impl Fn(u64) -> u64) -> u64 {
    let place = std::ptr::from_ref(&pair[0]).addr() / size_of::<u64>();
    let lock = &LOCKS[place % LOCKS.len()];
    // There is no state behind the lock that a panic could have spoilt.
    let _guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
    let old = join([pair[0].load(Relaxed), pair[1].load(Relaxed)]);
    let [low, high] = split(change(old));
    pair[0].store(low, Relaxed);
    pair[1].store(high, Relaxed);
    old
}

/// Changes two words that other threads use, as one number.
pub(crate) fn change_pair(pair: &[AtomicU32], op: Atomic, value: [u32; 2]) {
    let value = join(value);
    shared(pair, |old| changed(op, old, value, 0));
}

impl Memory<'_> {
    /// Reads, changes and writes two words as a single step; out of bounds gives zero.
    #[inline(never)]
    pub(crate) fn atomic64(
        &mut self,
        r: &mut [u32],
        op: Atomic,
        at: Address,
        dst: Reg,
        [value, compare]: [Reg; 2],
    ) {
        let unit = at.unit(r);
        let [value, compare] =
            [value, compare].map(|reg| join([r[reg as usize], r[reg as usize + 1]]));
        let exchanges = op == Atomic::CompareExchange;
        let fails = exchanges && self.spurious_failures.is_some_and(|f| f.strikes());
        // What a failure leaves is a load: the old value, and nothing exchanged.
        let op = if fails { Atomic::Load } else { op };
        let change = |old| changed(op, old, value, compare);
        let old = match at.space {
            Space::Buffer(_) | Space::Element(_) => {
                let memory = self.buffer(r, at.space);
                words(memory.unwrap_or(&[]), unit.map(|unit| unit / 4), 2)
                    .map(|pair| shared(pair, change))
            }
            // A workgroup stays on one thread, so its atomics are plain steps.
            Space::Workgroup => unit
                .and_then(|unit| self.workgroup.get_mut(unit..unit + 2))
                .map(|pair| {
                    let old = join([pair[0], pair[1]]);
                    pair.copy_from_slice(&split(change(old)));
                    old
                }),
            Space::Registers | Space::Immediates => None,
        };
        let dst = dst as usize;
        r[dst..dst + 2].copy_from_slice(&split(old.unwrap_or(0)));
        if exchanges {
            r[dst + 2] = u32::from(!fails && old == Some(compare));
        }
    }
}
