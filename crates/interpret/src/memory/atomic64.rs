//! 64-bit atomic operations.
//!
//! Memory consists of 32-bit words, so an operation holds a lock: one of a few per process, chosen by address, so
//! that all threads and all bindings of a buffer agree. That is sufficient: WGSL accesses an atomic variable only
//! by atomic operations, loads and stores included, and all of these come here; buffer copies and mappings happen
//! before or after the whole dispatch. A program that concurrently accesses the same bytes by another type has a
//! data race, and may read words of different age.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use super::{Memory, words};
use crate::AtomicOp;
use crate::bytecode::{Address, Reg, Space};

static LOCKS: [Mutex<()>; 64] = [const { Mutex::new(()) }; 64];

/// The value of two words, the low one first.
fn join([low, high]: [u32; 2]) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

fn split(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

/// The value after an operation.
fn changed(op: AtomicOp, old: u64, value: u64, compare: u64) -> u64 {
    match op {
        AtomicOp::Add => old.wrapping_add(value),
        AtomicOp::Sub => old.wrapping_sub(value),
        AtomicOp::And => old & value,
        AtomicOp::Or => old | value,
        AtomicOp::Xor => old ^ value,
        AtomicOp::MinI32 => (old as i64).min(value as i64) as u64,
        AtomicOp::MaxI32 => (old as i64).max(value as i64) as u64,
        AtomicOp::MinU32 => old.min(value),
        AtomicOp::MaxU32 => old.max(value),
        AtomicOp::Exchange => value,
        AtomicOp::CompareExchange if old == compare => value,
        // Float atomics exist for 32 bits only.
        AtomicOp::CompareExchange | AtomicOp::Load | AtomicOp::AddF32 | AtomicOp::SubF32 => old,
    }
}

/// An atomic operation on two words shared by threads; returns the old value.
fn shared(pair: &[AtomicU32], change: impl Fn(u64) -> u64) -> u64 {
    let pair_number = std::ptr::from_ref(&pair[0]).addr() / size_of::<u64>();
    let lock = &LOCKS[pair_number % LOCKS.len()];
    // The lock guards no state, so poisoning is irrelevant.
    let _guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
    let old = join([pair[0].load(Relaxed), pair[1].load(Relaxed)]);
    let [low, high] = split(change(old));
    pair[0].store(low, Relaxed);
    pair[1].store(high, Relaxed);
    old
}

/// An atomic operation on two words shared by threads, as one number.
pub(crate) fn change_pair(pair: &[AtomicU32], op: AtomicOp, value: [u32; 2]) {
    let value = join(value);
    shared(pair, |old| changed(op, old, value, 0));
}

impl Memory<'_> {
    /// An atomic operation on two words; out of bounds it reads as zero.
    #[inline(never)]
    pub(crate) fn atomic64(
        &mut self,
        r: &mut [u32],
        op: AtomicOp,
        at: Address,
        dst: Reg,
        [value, compare]: [Reg; 2],
    ) {
        let unit = at.unit(r);
        let [value, compare] =
            [value, compare].map(|reg| join([r[reg as usize], r[reg as usize + 1]]));
        let exchanges = op == AtomicOp::CompareExchange;
        let fails = exchanges && self.spurious_failures.is_some_and(|f| f.strikes());
        // A spurious failure is a load: the old value, and no exchange.
        let op = if fails { AtomicOp::Load } else { op };
        let change = |old| changed(op, old, value, compare);
        let old = match at.space {
            Space::Buffer(_) | Space::Element(_) => {
                let memory = self.buffer(r, at.space);
                words(memory.unwrap_or(&[]), unit.map(|unit| unit / 4), 2)
                    .map(|pair| shared(pair, change))
            }
            // A workgroup runs on one thread, so its atomics need no atomic instruction.
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
