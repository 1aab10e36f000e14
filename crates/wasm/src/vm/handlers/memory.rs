//! Handlers of loads, stores, and instructions on whole memories.

use crate::bytecode::{Op, TrapCode};

use super::super::memory::{Access, OutOfBounds};
use super::super::thread::ThreadState;
use super::operand::{DirectSource, FromRegister, FromSlot};
use super::{
    Executor, Exit, Handler, Ins, InstructionStream, Memory, OperandForm, OperandKinds, Slot,
    Source, StackCache, Window, handlers, next, step, trap,
};

/// The effective address; out of bounds of any memory if it overflows.
#[inline(always)]
fn effective_address(address: u32, offset: u32) -> usize {
    usize::try_from(u64::from(address) + u64::from(offset)).unwrap_or(usize::MAX)
}

/// A memory by index.
#[inline(always)]
fn memory<'r, M: Memory>(run: &'r mut Executor<'_, M>, number: usize) -> Access<&'r mut M> {
    match number.checked_sub(1) {
        None => Ok(run.memory),
        Some(number) => run.state.memories.get_mut(number).ok_or(OutOfBounds),
    }
}

/// A load instruction.
trait Load {
    type To: Slot;
    const KINDS: OperandKinds = OperandKinds {
        x: Some(u32::KIND),
        y: None,
        to: Some(Self::To::KIND),
    };
    fn load<M: Memory>(memory: &M, at: usize) -> Access<Self::To>;
}

/// A store instruction.
trait Store {
    type From: Slot;
    const KINDS: OperandKinds = OperandKinds {
        x: Some(u32::KIND),
        y: Some(Self::From::KIND),
        to: None,
    };
    fn store<M: Memory>(memory: &mut M, at: usize, value: Self::From) -> Access;
}

fn run_load<'a, M: Memory, O: Load, X: DirectSource, const OTHER: bool>(
    ins: &'a Ins<M>,
    rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let cache = StackCache::new(integer, single, double);
    let at = effective_address(X::read::<M, u32>(ins, ins.b, window, cache), ins.imm);
    let number = if OTHER { usize::from(ins.c) } else { 0 };
    match memory(run, number).and_then(|memory| O::load(memory, at)) {
        Ok(value) => {
            O::To::set(window, ins.a, value);
            next(rest, window, run, value.into_cache(cache))
        }
        Err(error) => trap(rest, run, error.into()),
    }
}

fn run_store<'a, M: Memory, O: Store, X: DirectSource, Y: DirectSource, const OTHER: bool>(
    ins: &'a Ins<M>,
    rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let cache = StackCache::new(integer, single, double);
    let at = effective_address(X::read::<M, u32>(ins, ins.a, window, cache), ins.imm);
    let value = Y::read::<M, O::From>(ins, ins.b, window, cache);
    let number = if OTHER { usize::from(ins.c) } else { 0 };
    match memory(run, number).and_then(|memory| O::store(memory, at, value)) {
        Ok(()) => next(rest, window, run, cache),
        Err(error) => trap(rest, run, error.into()),
    }
}

/// An address computation that is fused with an access: its operands are a slot's value and a byte.
trait Index {
    fn apply(window: &Window, x: u32, second: u8) -> u32;
}

/// The value shifted left by the byte.
struct Shifted;

impl Index for Shifted {
    #[inline(always)]
    fn apply(_: &Window, x: u32, second: u8) -> u32 {
        x.wrapping_shl(u32::from(second))
    }
}

/// The value plus the slot that the byte names.
struct Sum;

impl Index for Sum {
    #[inline(always)]
    fn apply(window: &Window, x: u32, second: u8) -> u32 {
        x.wrapping_add(u32::get(window, second))
    }
}

/// Computes an address from `b` and `c`, keeps it in slot `d`, and loads `a` from there.
fn run_indexed_load<'a, M: Memory, O: Load, I: Index, X: DirectSource>(
    ins: &'a Ins<M>,
    rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let cache = StackCache::new(integer, single, double);
    let address = I::apply(window, X::read::<M, u32>(ins, ins.b, window, cache), ins.c);
    u32::set(window, ins.d, address);
    match O::load(run.memory, effective_address(address, ins.imm)) {
        Ok(value) => {
            O::To::set(window, ins.a, value);
            next(rest, window, run, value.into_cache(cache))
        }
        Err(error) => trap(rest, run, error.into()),
    }
}

/// Computes an address from `c` and `d`, keeps it in slot `a`, and stores `b` there.
fn run_indexed_store<'a, M: Memory, O: Store, I: Index, X: DirectSource, Y: DirectSource>(
    ins: &'a Ins<M>,
    rest: InstructionStream<'a, M>,
    window: &mut Window,
    run: &mut Executor<'a, M>,
    integer: u64,
    single: f32,
    double: f64,
) -> Exit {
    let cache = StackCache::new(integer, single, double);
    let address = I::apply(window, X::read::<M, u32>(ins, ins.c, window, cache), ins.d);
    u32::set(window, ins.a, address);
    let value = Y::read::<M, O::From>(ins, ins.b, window, cache);
    match O::store(run.memory, effective_address(address, ins.imm), value) {
        Ok(()) => next(rest, window, run, cache),
        Err(error) => trap(rest, run, error.into()),
    }
}

fn indexed_load<M: Memory, O: Load, I: Index>(form: OperandForm) -> Handler<M> {
    match form.x {
        Source::Register => run_indexed_load::<M, O, I, FromRegister>,
        _ => run_indexed_load::<M, O, I, FromSlot>,
    }
}

fn indexed_store<M: Memory, O: Store, I: Index>(form: OperandForm) -> Handler<M> {
    match (form.x, form.y) {
        (Source::Register, _) => run_indexed_store::<M, O, I, FromRegister, FromSlot>,
        (_, Source::Register) => run_indexed_store::<M, O, I, FromSlot, FromRegister>,
        _ => run_indexed_store::<M, O, I, FromSlot, FromSlot>,
    }
}

fn load<M: Memory, O: Load, const OTHER: bool>(form: OperandForm) -> Handler<M> {
    match form.x {
        Source::Register => run_load::<M, O, FromRegister, OTHER>,
        _ => run_load::<M, O, FromSlot, OTHER>,
    }
}

fn store<M: Memory, O: Store, const OTHER: bool>(form: OperandForm) -> Handler<M> {
    match (form.x, form.y) {
        (Source::Register, _) => run_store::<M, O, FromRegister, FromSlot, OTHER>,
        (_, Source::Register) => run_store::<M, O, FromSlot, FromRegister, OTHER>,
        _ => run_store::<M, O, FromSlot, FromSlot, OTHER>,
    }
}

/// Declares loads and stores, and the functions that look up their handlers.
macro_rules! accesses {
    (loads { $($load:ident($loaded:ident: $raw:ident) -> $to:ty = $result:expr;)* }
     stores { $($store:ident($value:ident: $from:ty) = $stored:expr;)* }) => {
        $(
            struct $load;

            impl Load for $load {
                type To = $to;

                #[inline(always)]
                fn load<M: Memory>(memory: &M, at: usize) -> Access<$to> {
                    let $loaded = $raw::from_le_bytes(memory.load(at)?);
                    Ok($result)
                }
            }
        )*
        $(
            struct $store;

            impl Store for $store {
                type From = $from;

                #[inline(always)]
                fn store<M: Memory>(memory: &mut M, at: usize, $value: $from) -> Access {
                    memory.store(at, $stored.to_le_bytes())
                }
            }
        )*

        fn access<M: Memory, const OTHER: bool>(op: Op, form: OperandForm) -> Option<Handler<M>> {
            match op {
                $(Op::$load => Some(load::<M, $load, OTHER>(form)),)*
                $(Op::$store => Some(store::<M, $store, OTHER>(form)),)*
                _ => None,
            }
        }

        fn indexed_access_by<M: Memory, I: Index>(op: Op, form: OperandForm) -> Option<Handler<M>> {
            match op {
                $(Op::$load => Some(indexed_load::<M, $load, I>(form)),)*
                $(Op::$store => Some(indexed_store::<M, $store, I>(form)),)*
                _ => None,
            }
        }

        /// The operand kinds of an opcode.
        pub(super) fn kinds(op: Op) -> Option<OperandKinds> {
            match op {
                $(Op::$load => Some($load::KINDS),)*
                $(Op::$store => Some($store::KINDS),)*
                _ => None,
            }
        }
    };
}

accesses! {
    loads {
        I32Load(x: u32) -> u32 = x;
        I32Load8S(x: i8) -> i32 = i32::from(x);
        I32Load8U(x: u8) -> u32 = u32::from(x);
        I32Load16S(x: i16) -> i32 = i32::from(x);
        I32Load16U(x: u16) -> u32 = u32::from(x);
        I64Load(x: u64) -> u64 = x;
        I64Load8S(x: i8) -> i64 = i64::from(x);
        I64Load8U(x: u8) -> u64 = u64::from(x);
        I64Load16S(x: i16) -> i64 = i64::from(x);
        I64Load16U(x: u16) -> u64 = u64::from(x);
        I64Load32S(x: i32) -> i64 = i64::from(x);
        I64Load32U(x: u32) -> u64 = u64::from(x);
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
    MemorySize |ins, w, t| {
        let pages = memory(t, ins.number())?.pages();
        u32::set(w, ins.a, pages);
    };
    MemoryGrow |ins, w, t| {
        let grown = memory(t, ins.imm as usize)?.grow(u32::get(w, ins.b));
        u32::set(w, ins.a, grown.unwrap_or(u32::MAX));
    };
    MemoryFill |ins, w, t| {
        let [to, value, count] = operands(ins, w);
        t.charge(count);
        let [number, _] = spaces(ins);
        memory(t, number)?.fill(to as usize, value as u8, count as usize)?;
        finish(ins, w);
    };
    MemoryCopy |ins, w, t| {
        let [to, from, count] = operands(ins, w).map(|word| word as usize);
        t.charge(count as u32);
        match spaces(ins) {
            [one, other] if one == other => memory(t, one)?.copy(to, from, count)?,
            [one, other] => {
                let bytes = memory(t, other)?.read(from, count)?;
                memory(t, one)?.write(to, &bytes)?;
            }
        }
        finish(ins, w);
    };
    MemoryInit |ins, w, t| {
        let [to, from, count] = operands(ins, w).map(|word| word as usize);
        t.charge(count as u32);
        let [number, segment] = spaces(ins);
        init(t, number, segment, to, from, count)?;
        finish(ins, w);
    };
    DataDrop |ins, _w, t| {
        if let Some(dropped) = t.state.store.dropped_data.get_mut(ins.number()) {
            *dropped = true;
        }
    };
}

/// Copies a part of a data segment.
fn init<M: Memory>(
    run: &mut Executor<'_, M>,
    number: usize,
    segment: usize,
    to: usize,
    from: usize,
    count: usize,
) -> Access {
    let ThreadState {
        program,
        store,
        memories,
        ..
    } = &mut *run.state;
    let bytes = match store.dropped_data.get(segment) {
        Some(false) => {
            let data = program.source.data.get(segment);
            data.ok_or(OutOfBounds)?.as_slice()
        }
        _ => &[],
    };
    let bytes = bytes.get(from..).and_then(|bytes| bytes.get(..count));
    let bytes = bytes.ok_or(OutOfBounds)?;
    match number.checked_sub(1) {
        None => run.memory.write(to, bytes),
        Some(number) => {
            let memory = memories.get_mut(number).ok_or(OutOfBounds)?;
            memory.write(to, bytes)
        }
    }
}

/// The three operands of a bulk instruction.
pub(super) fn operands<M: Memory>(ins: &Ins<M>, window: &Window) -> [u32; 3] {
    [ins.a, ins.b, ins.c].map(|slot| u32::get(window, slot))
}

/// The destination and the source index of a bulk instruction.
pub(super) fn spaces<M: Memory>(ins: &Ins<M>) -> [usize; 2] {
    [ins.imm as u16, (ins.imm >> 16) as u16].map(usize::from)
}

/// Sets the count of a bulk instruction to zero, as if it had been suspended and resumed.
pub(super) fn finish<M: Memory>(ins: &Ins<M>, window: &mut Window) {
    u32::set(window, ins.c, 0);
}

/// The handler of an access to memory 0.
pub(super) fn of<M: Memory>(op: Op, form: OperandForm) -> Option<Handler<M>> {
    access::<M, false>(op, form).or_else(|| whole(op, form))
}

/// The handler of an access to memory 0, fused with the address computation.
pub(in super::super) fn indexed_access<M: Memory>(
    by: Op,
    op: Op,
    form: OperandForm,
) -> Option<Handler<M>> {
    match by {
        Op::I32ShlConst => indexed_access_by::<M, Shifted>(op, form),
        Op::I32Add => indexed_access_by::<M, Sum>(op, form),
        _ => None,
    }
}

/// The handler of an access to another memory.
pub(in super::super) fn of_other<M: Memory>(op: Op, form: OperandForm) -> Option<Handler<M>> {
    access::<M, true>(op, form)
}
