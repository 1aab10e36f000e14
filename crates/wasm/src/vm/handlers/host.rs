//! Handlers of host calls.
//!
//! Arguments lie in consecutive slots from `a`, and the result replaces the first. A call that
//! cannot complete at once suspends the thread. The next instruction always runs from the thread's
//! loop.

use crate::bytecode::{AtomicOp, Host, Op, TrapCode};
use crate::machine::{MOST_PATH, MOST_TEXT, Request, path_before_zero, shown};

use super::super::thread::{Asked, State, Wait};
use super::{
    Exit, Form, Handler, Ins, Memory, Rest, Run, Slot, Window, handlers, leave, step, trap,
};

const OUTSIDE: TrapCode = TrapCode::OutOfBoundsMemory;

handlers! {
    /// The handler of an opcode.
    pub(super) fn op;
    Gid |ins, w, t| u32::set(w, ins.a, t.state.place.number);
    Time |ins, w, t| f32::set(w, ins.a, t.state.world.clock);
    StOut |ins, w, t| {
        let colour = [0, 1, 2, 3].map(|part| w[usize::from(ins.b) + part]);
        t.state.world.set_pixel(u32::get(w, ins.a), colour);
    };
    LdIn |ins, w, t| {
        let word = t.state.world.input.get(u32::get(w, ins.b) as usize);
        u32::set(w, ins.a, word.copied().unwrap_or(0));
    };
    AtomicAdd |ins, w, t| {
        let [index, value] = [ins.b, ins.c].map(|slot| u32::get(w, slot));
        u32::set(w, ins.a, t.state.world.state.atomic(0, index, value));
    };
}

/// The cost of a file operation apart from its bytes, in bytes that take about as long.
const FILE_REQUEST: u32 = 1 << 20;

/// The result of a host call.
enum Given {
    Nothing,
    Value(u32),
    /// The thread waits; the result comes later.
    Wait(Wait),
}

/// Declares the handlers of host functions.
macro_rules! calls {
    ($($host:ident($($arg:pat),*) |$t:ident| $body:expr;)*) => {
        /// The handler of a host function.
        pub(in super::super) fn of<M: Memory>(host: Host) -> Handler<M> {
            $(
                #[expect(non_snake_case, reason = "the function's name")]
                fn $host<'a, M: Memory>(
                    ins: &'a Ins<M>,
                    rest: Rest<'a, M>,
                    window: &mut Window,
                    run: &mut Run<'a, M>,
                    _: u64,
                    _: f32,
                    _: f64,
                ) -> Exit {
                    #[inline(always)]
                    fn body<M: Memory>(
                        [$($arg,)* ..]: [u32; 4],
                        $t: &mut Run<'_, M>,
                    ) -> Result<Given, TrapCode> {
                        let _unused = &$t;
                        Ok($body)
                    }
                    let args = [0, 1, 2, 3].map(|argument| window[usize::from(ins.a) + argument]);
                    match body(args, run) {
                        Ok(Given::Nothing) => {}
                        Ok(Given::Value(value)) => u32::set(window, ins.a, value),
                        Ok(Given::Wait(wait)) => {
                            run.state.answer = ins.a;
                            run.wait = wait;
                            return leave(rest, run, Exit::Wait);
                        }
                        Err(code) => return trap(rest, run, code),
                    }
                    step(rest, run)
                }
            )*
            match host { $(Host::$host => $host::<M>,)* }
        }
    };
}

calls! {
    PixelIndex(x, y) |t| Given::Value(t.state.world.pixel_index(x, y));
    ReadState(index) |t| Given::Value(t.state.world.state.load(index));
    WriteState(index, value) |t| {
        t.state.world.state.store(index, value);
        Given::Nothing
    };
    ReadFile(path, length, buffer, room) |t| {
        let path = text(t, path, length)?;
        read(t, path, buffer, room)?
    };
    WriteFile(path, length, buffer, room) |t| {
        let path = text(t, path, length)?;
        write(t, path, buffer, room)?
    };
    ReadFileZ(path, buffer, room) |t| {
        let path = path_at(t, path)?;
        read(t, path, buffer, room)?
    };
    WriteFileZ(path, buffer, room) |t| {
        let path = path_at(t, path)?;
        write(t, path, buffer, room)?
    };
    Print(at, length) |t| {
        t.charge(length);
        print(t, at, length)?
    };
    Panic(at, length) |t| {
        let message = said(t, at, length)?;
        t.state.message = t.state.world.keeps_panic(&message).then_some(message);
        Err(TrapCode::Panic)?
    };
    GlobalId(axis) |t| Given::Value(component(t.state.place.global, axis));
    LocalId(axis) |t| Given::Value(component(t.state.place.local, axis));
    WorkgroupId(axis) |t| Given::Value(component(t.state.place.workgroup, axis));
    NumWorkgroups(axis) |t| Given::Value(component(t.state.world.grid.workgroups, axis));
    WorkgroupSize(axis) |t| Given::Value(component(t.state.world.grid.size, axis));
    LocalIndex() |t| Given::Value(t.state.place.local_index);
    WorkgroupBarrier() |t| Given::Wait(Wait::Barrier);
    StorageBarrier() |t| Given::Wait(Wait::Barrier);
    WorkgroupLoad(at) |t| {
        let (words, word) = t.state.group.words(at)?;
        Given::Value(words.load(word))
    };
    WorkgroupStore(at, value) |t| {
        let (words, word) = t.state.group.words(at)?;
        words.store(word, value);
        Given::Nothing
    };
    WorkgroupAtomic(op, at, value) |t| {
        let (words, word) = t.state.group.words(at)?;
        Given::Value(words.atomic(op, word, value))
    };
    WorkgroupCompareExchange(at, expected, new) |t| {
        let (words, word) = t.state.group.words(at)?;
        Given::Value(words.compare_exchange(word, expected, new))
    };
    BufferLen(binding) |t| Given::Value(t.state.world.buffer(binding).len());
    BufferLoad(binding, word) |t| Given::Value(t.state.world.buffer(binding).load(word));
    BufferStore(binding, word, value) |t| {
        t.state.world.buffer(binding).store(word, value);
        Given::Nothing
    };
    BufferAtomic(op, binding, word, value) |t| {
        Given::Value(t.state.world.buffer(binding).atomic(op, word, value))
    };
    BufferCompareExchange(binding, word, expected, new) |t| {
        Given::Value(t.state.world.buffer(binding).compare_exchange(word, expected, new))
    };
    QueuePop() |t| match t.state.world.queue.pop() {
        Some(item) => Given::Value(item),
        None => Given::Wait(Wait::Work),
    };
    QueuePush(item) |t| Given::Value(u32::from(t.state.world.queue.push(item)));
    MemoryAtomic(op, at, value) |t| {
        let old = t.memory.update(at as usize, |old| changed(op, old, value));
        Given::Value(old.ok_or(OUTSIDE)?)
    };
    MemoryCompareExchange(at, expected, new) |t| {
        let changed = |old| if old == expected { new } else { old };
        let old = t.memory.update(at as usize, changed);
        Given::Value(old.ok_or(OUTSIDE)?)
    };
}

/// The new value of an [`AtomicOp`]. An unknown operation changes nothing.
fn changed(op: u32, old: u32, value: u32) -> u32 {
    const ADD: u32 = AtomicOp::Add as u32;
    const SUB: u32 = AtomicOp::Sub as u32;
    const MIN_S: u32 = AtomicOp::MinS as u32;
    const MIN_U: u32 = AtomicOp::MinU as u32;
    const MAX_S: u32 = AtomicOp::MaxS as u32;
    const MAX_U: u32 = AtomicOp::MaxU as u32;
    const AND: u32 = AtomicOp::And as u32;
    const OR: u32 = AtomicOp::Or as u32;
    const XOR: u32 = AtomicOp::Xor as u32;
    const EXCHANGE: u32 = AtomicOp::Exchange as u32;
    match op {
        ADD => old.wrapping_add(value),
        SUB => old.wrapping_sub(value),
        MIN_S => (old as i32).min(value as i32) as u32,
        MIN_U => old.min(value),
        MAX_S => (old as i32).max(value as i32) as u32,
        MAX_U => old.max(value),
        AND => old & value,
        OR => old | value,
        XOR => old ^ value,
        EXCHANGE => value,
        _ => old,
    }
}

/// A component of a vector; 0 for an axis above 2.
fn component(place: [u32; 3], axis: u32) -> u32 {
    place.get(axis as usize).copied().unwrap_or(0)
}

/// Bytes of memory 0.
fn text<M: Memory>(run: &Run<'_, M>, at: u32, length: u32) -> Result<Vec<u8>, TrapCode> {
    let bytes = run.memory.read(at as usize, length as usize);
    bytes.ok_or(OUTSIDE)
}

/// The text of a print or a panic, truncated if it is long.
fn said<M: Memory>(run: &Run<'_, M>, at: u32, length: u32) -> Result<String, TrapCode> {
    let is_there = run.memory.holds(at as usize, length as usize);
    is_there.ok_or(OUTSIDE)?;
    let bytes = text(run, at, length.min(MOST_TEXT))?;
    Ok(shown(&bytes, length))
}

/// A null-terminated path.
fn path_at<M: Memory>(run: &Run<'_, M>, at: u32) -> Result<Vec<u8>, TrapCode> {
    let end = u64::from(run.memory.pages()) << 16;
    let room = end.saturating_sub(at.into()).min(u64::from(MOST_PATH) + 1);
    let bytes = text(run, at, room as u32)?;
    path_before_zero(&bytes).map(<[u8]>::to_vec).ok_or(OUTSIDE)
}

/// Prints a text; one that would be dropped is not even read.
fn print<M: Memory>(run: &Run<'_, M>, at: u32, length: u32) -> Result<Given, TrapCode> {
    let there = run.memory.holds(at as usize, length as usize);
    there.ok_or(OUTSIDE)?;
    let State { world, place, .. } = &*run.state;
    let mut printed = world.printed();
    match printed.has_room(length.min(MOST_TEXT) as usize) {
        true => printed.add(place.number, said(run, at, length)?.as_bytes()),
        false => printed.leave_out(place.number),
    }
    Ok(Given::Nothing)
}

/// Requests to read a file.
fn read<M: Memory>(
    run: &mut Run<'_, M>,
    path: Vec<u8>,
    buffer: u32,
    room: u32,
) -> Result<Given, TrapCode> {
    // The buffer is checked before the file is read.
    run.memory
        .holds(buffer as usize, room as usize)
        .ok_or(OUTSIDE)?;
    run.charge(FILE_REQUEST.saturating_add(room));
    let request = Request::Read { path, room };
    run.state.asked = Some(Asked { request, buffer });
    Ok(Given::Wait(Wait::File))
}

/// Requests to write a file.
fn write<M: Memory>(
    run: &mut Run<'_, M>,
    path: Vec<u8>,
    buffer: u32,
    length: u32,
) -> Result<Given, TrapCode> {
    let bytes = text(run, buffer, length)?;
    run.charge(FILE_REQUEST.saturating_add(length));
    let request = Request::Write { path, bytes };
    run.state.asked = Some(Asked { request, buffer });
    Ok(Given::Wait(Wait::File))
}
