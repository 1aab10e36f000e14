//! Handlers of instructions on tables of references.

use crate::bytecode::{Op, TrapCode};

use super::super::alloc::copied;
use super::super::thread::Table;
use super::memory::{finish, operands, spaces};
use super::{
    Executor, Exit, Handler, Ins, InstructionStream, Memory, OperandForm, Slot, Window, handlers,
    step, trap,
};

const OUT_OF_BOUNDS: TrapCode = TrapCode::OutOfBoundsTable;

fn table<'r, M: Memory>(
    run: &'r mut Executor<'_, M>,
    number: usize,
) -> Result<&'r mut Table, TrapCode> {
    run.state.store.tables.get_mut(number).ok_or(OUT_OF_BOUNDS)
}

handlers! {
    /// The handler of an opcode.
    pub(super) fn of;
    TableSize |ins, w, t| u32::set(w, ins.a, table(t, ins.number())?.elements.len() as u32);
    TableGrow |ins, w, t| {
        let [value, count] = [ins.b, ins.c].map(|slot| u32::get(w, slot));
        let grown = t.state.store.grow_table(ins.imm as usize, count, value);
        t.charge(if grown.is_some() { count.saturating_mul(4) } else { 0 });
        u32::set(w, ins.a, grown.unwrap_or(u32::MAX));
    };
    TableGet |ins, w, t| {
        let index = u32::get(w, ins.b) as usize;
        let element = table(t, ins.imm as usize)?.elements.get(index);
        u32::set(w, ins.a, *element.ok_or(OUT_OF_BOUNDS)?);
    };
    TableSet |ins, w, t| {
        let [index, value] = [ins.a, ins.b].map(|slot| u32::get(w, slot));
        let element = table(t, ins.imm as usize)?.elements.get_mut(index as usize);
        *element.ok_or(OUT_OF_BOUNDS)? = value;
    };
    TableFill |ins, w, t| {
        let [to, value, count] = operands(ins, w);
        let [number, _] = spaces(ins);
        table(t, number)?.part(to, count)?.fill(value);
        t.charge(count.saturating_mul(4));
        finish(ins, w);
    };
    TableCopy |ins, w, t| {
        let [to, from, count] = operands(ins, w);
        let [one, other] = spaces(ins);
        let part = copied(table(t, other)?.part(from, count)?, "a copy");
        table(t, one)?.part(to, count)?.copy_from_slice(&part.map_err(|_| OUT_OF_BOUNDS)?);
        t.charge(count.saturating_mul(4));
        finish(ins, w);
    };
    TableInit |ins, w, t| {
        let [to, from, count] = operands(ins, w);
        let [number, segment] = spaces(ins);
        init(t, number, segment, [to, from, count])?;
        t.charge(count.saturating_mul(4));
        finish(ins, w);
    };
    ElemDrop |ins, _w, t| {
        if let Some(dropped) = t.state.store.dropped_elements.get_mut(ins.number()) {
            *dropped = true;
        }
    };
}

/// Copies a part of an element segment.
fn init<M: Memory>(
    run: &mut Executor<'_, M>,
    number: usize,
    segment: usize,
    [to, from, count]: [u32; 3],
) -> Result<(), TrapCode> {
    let state = &mut *run.state;
    let elements = match state.store.dropped_elements.get(segment) {
        Some(false) => {
            let elements = state.program.source.elements.get(segment);
            elements.ok_or(OUT_OF_BOUNDS)?.as_slice()
        }
        _ => &[],
    };
    let elements = elements
        .get(from as usize..)
        .and_then(|rest| rest.get(..count as usize));
    let elements = elements.ok_or(OUT_OF_BOUNDS)?;
    let table = state.store.tables.get_mut(number).ok_or(OUT_OF_BOUNDS)?;
    table.part(to, count)?.copy_from_slice(elements);
    Ok(())
}

impl Table {
    fn part(&mut self, at: u32, count: u32) -> Result<&mut [u32], TrapCode> {
        let rest = self.elements.get_mut(at as usize..);
        rest.and_then(|rest| rest.get_mut(..count as usize))
            .ok_or(OUT_OF_BOUNDS)
    }
}
