//! Loads, stores, and the memory as a whole.

use crate::bytecode::{Op, TrapCode};

use super::super::window::Slot;
use super::{Exit, Handler, Ins, Memory, Thread, Window, handlers, lead, next, trap};

const OUTSIDE: TrapCode = TrapCode::OutOfBoundsMemory;

/// An address with its offset; past all memory where the computer cannot count so far.
#[inline(always)]
fn place(address: u32, offset: u32) -> usize {
    usize::try_from(u64::from(address) + u64::from(offset)).unwrap_or(usize::MAX)
}

/// A memory by number.
#[inline(always)]
fn memory<M: Memory>(thread: &mut Thread<M>, number: usize) -> Result<&mut M, TrapCode> {
    match number.checked_sub(1) {
        None => Ok(&mut thread.memory),
        Some(number) => thread.memories.get_mut(number).ok_or(OUTSIDE),
    }
}

/// Loads and stores, of memory 0 and of any other.
macro_rules! accesses {
    (loads { $($load:ident($bytes:ident as $raw:ident) -> $to:ty = $loaded:expr;)* }
     stores { $($store:ident($value:ident: $from:ty) = $stored:expr;)* }) => {
        accesses! {
            @with zero (|_ins, thread| &mut thread.memory);
            loads { $($load($bytes as $raw) -> $to = $loaded;)* }
            stores { $($store($value: $from) = $stored;)* }
        }
        accesses! {
            @with other (|ins, thread| memory(thread, usize::from(ins.c))?);
            loads { $($load($bytes as $raw) -> $to = $loaded;)* }
            stores { $($store($value: $from) = $stored;)* }
        }
    };
    (@with $find:ident (|$ins:ident, $thread:ident| $memory:expr);
     loads { $($load:ident($bytes:ident as $raw:ident) -> $to:ty = $loaded:expr;)* }
     stores { $($store:ident($value:ident: $from:ty) = $stored:expr;)* }) => {
        handlers! {
            fn $find;
            $($load |ins, w, thread| {
                let at = place(u32::get(w, ins.b), ins.imm);
                let ($ins, $thread) = (ins, thread);
                let _ = &$ins;
                let $bytes = $raw::from_le_bytes($memory.load(at).ok_or(OUTSIDE)?);
                <$to>::set(w, ins.a, $loaded);
            };)*
            $($store |ins, w, thread| {
                let at = place(u32::get(w, ins.a), ins.imm);
                let $value = <$from>::get(w, ins.b);
                let ($ins, $thread) = (ins, thread);
                let _ = &$ins;
                $memory.store(at, $stored.to_le_bytes()).ok_or(OUTSIDE)?;
            };)*
        }
    };
}

accesses! {
    loads {
        I32Load(x as u32) -> u32 = x;
        I32Load8S(x as i8) -> i32 = i32::from(x);
        I32Load8U(x as u8) -> u32 = u32::from(x);
        I32Load16S(x as i16) -> i32 = i32::from(x);
        I32Load16U(x as u16) -> u32 = u32::from(x);
        I64Load(x as u64) -> u64 = x;
        I64Load8S(x as i8) -> i64 = i64::from(x);
        I64Load8U(x as u8) -> u64 = u64::from(x);
        I64Load16S(x as i16) -> i64 = i64::from(x);
        I64Load16U(x as u16) -> u64 = u64::from(x);
        I64Load32S(x as i32) -> i64 = i64::from(x);
        I64Load32U(x as u32) -> u64 = u64::from(x);
    }
    stores {
        Store8(x: u32) = (x as u8);
        Store16(x: u32) = (x as u16);
        Store32(x: u32) = x;
        Store64(x: u64) = x;
    }
}

handlers! {
    fn whole;
    MemorySize |ins, w, t| u32::set(w, ins.a, memory(t, ins.number())?.pages());
    MemoryGrow |ins, w, t| {
        let grown = memory(t, ins.imm as usize)?.grow(u32::get(w, ins.b));
        u32::set(w, ins.a, grown.unwrap_or(u32::MAX));
    };
    MemoryFill |ins, w, t| {
        let [to, value, count] = operands(ins, w);
        let [number, _] = spaces(ins);
        memory(t, number)?.fill(to as usize, value as u8, count as usize).ok_or(OUTSIDE)?;
        finish(ins, w);
    };
    MemoryCopy |ins, w, t| {
        let [to, from, count] = operands(ins, w).map(|word| word as usize);
        match spaces(ins) {
            [one, other] if one == other => memory(t, one)?.copy(to, from, count).ok_or(OUTSIDE)?,
            [one, other] => {
                let bytes = memory(t, other)?.read(from, count).ok_or(OUTSIDE)?;
                memory(t, one)?.write(to, &bytes).ok_or(OUTSIDE)?;
            }
        }
        finish(ins, w);
    };
    MemoryInit |ins, w, t| {
        let [to, from, count] = operands(ins, w).map(|word| word as usize);
        let [number, segment] = spaces(ins);
        init(t, number, segment, to, from, count).ok_or(OUTSIDE)?;
        finish(ins, w);
    };
    DataDrop |ins, _w, t| {
        if let Some(dropped) = t.store.dropped_data.get_mut(ins.number()) {
            *dropped = true;
        }
    };
}

/// Copies a part of a data segment.
fn init<M: Memory>(
    thread: &mut Thread<M>,
    number: usize,
    segment: usize,
    to: usize,
    from: usize,
    count: usize,
) -> Option<()> {
    let Thread {
        program,
        store,
        memory,
        memories,
        ..
    } = thread;
    let bytes = match store.dropped_data.get(segment) {
        Some(false) => program.source.data.get(segment)?.as_slice(),
        _ => &[],
    };
    let bytes = bytes.get(from..)?.get(..count)?;
    match number.checked_sub(1) {
        None => memory.write(to, bytes),
        Some(number) => memories.get_mut(number)?.write(to, bytes),
    }
}

/// The three slots of a bulk instruction.
pub(super) fn operands<M: Memory>(ins: &Ins<M>, window: &Window) -> [u32; 3] {
    [ins.a, ins.b, ins.c].map(|slot| u32::get(window, slot))
}

/// What is written and what is read by a bulk instruction.
pub(super) fn spaces<M: Memory>(ins: &Ins<M>) -> [usize; 2] {
    [ins.imm as u16, (ins.imm >> 16) as u16].map(usize::from)
}

/// A bulk instruction leaves its count at zero, as one that stops in the middle would in the end.
pub(super) fn finish<M: Memory>(ins: &Ins<M>, window: &mut Window) {
    u32::set(window, ins.c, 0);
}

/// The handler of an opcode, for memory 0.
pub(super) fn of<M: Memory>(op: Op) -> Option<Handler<M>> {
    zero::<M, 0>(op).or_else(|| whole::<M, 0>(op))
}

/// The handler of an access to another memory.
pub(in super::super) fn of_other<M: Memory>(op: Op) -> Option<Handler<M>> {
    other::<M, 0>(op)
}
