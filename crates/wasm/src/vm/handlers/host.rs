//! What a kernel asks its host for.
//!
//! Arguments lie in consecutive slots from `a`, and the result takes the place of the first. A call
//! that cannot be answered at once makes the thread wait.

use crate::bytecode::{AtomicOp, Host, Op, TrapCode};
use crate::machine::{MOST_PATH, MOST_TEXT, Request, path_before_zero, shown};

use super::super::thread::{Asked, Wait};
use super::super::window::Slot;
use super::{Exit, Handler, Ins, Memory, Thread, Window, handlers, lead, leave, next, trap};

const OUTSIDE: TrapCode = TrapCode::OutOfBoundsMemory;

handlers! {
    /// The handler of an opcode.
    pub(super) fn op;
    Gid |ins, w, t| u32::set(w, ins.a, t.place.number);
    Time |ins, w, t| f32::set(w, ins.a, t.world.clock);
    StOut |ins, w, t| {
        let colour = [0, 1, 2, 3].map(|part| w[usize::from(ins.b) + part]);
        t.world.set_pixel(u32::get(w, ins.a), colour);
    };
    LdIn |ins, w, t| {
        let word = t.world.input.get(u32::get(w, ins.b) as usize);
        u32::set(w, ins.a, word.copied().unwrap_or(0));
    };
    AtomicAdd |ins, w, t| {
        let [index, value] = [ins.b, ins.c].map(|slot| u32::get(w, slot));
        u32::set(w, ins.a, t.world.state.atomic(0, index, value));
    };
}

/// What a host function gives.
enum Given {
    Nothing,
    Value(u32),
    /// The answer comes later.
    Wait(Wait),
}

/// Declares the handlers of host functions.
macro_rules! calls {
    ($($host:ident($($arg:pat),*) |$t:ident| $body:expr;)*) => {
        /// The handler of a host function.
        pub(in super::super) fn of<M: Memory>(host: Host) -> Handler<M> {
            $(
                #[expect(non_snake_case, reason = "the function's name")]
                fn $host<M: Memory>(
                    ins: &Ins<M>,
                    code: &[Ins<M>],
                    pc: usize,
                    window: &mut Window,
                    thread: &mut Thread<M>,
                ) -> Exit {
                    #[inline(always)]
                    fn body<M: Memory>(
                        [$($arg,)* ..]: [u32; 4],
                        $t: &mut Thread<M>,
                    ) -> Result<Given, TrapCode> {
                        let _unused = &$t;
                        Ok($body)
                    }
                    let args = [0, 1, 2, 3].map(|argument| window[usize::from(ins.a) + argument]);
                    match body(args, thread) {
                        Ok(Given::Nothing) => {}
                        Ok(Given::Value(value)) => u32::set(window, ins.a, value),
                        Ok(Given::Wait(wait)) => {
                            thread.answer = ins.a;
                            return leave(pc + 1, thread, Exit::Wait(wait));
                        }
                        Err(code) => return trap(pc, thread, code),
                    }
                    next(code, pc + 1, window, thread)
                }
            )*
            match host { $(Host::$host => $host::<M>,)* }
        }
    };
}

calls! {
    PixelIndex(x, y) |t| Given::Value(t.world.pixel_index(x, y));
    ReadState(index) |t| Given::Value(t.world.state.load(index));
    WriteState(index, value) |t| {
        t.world.state.store(index, value);
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
        let text = said(t, at, length)?;
        t.world.print(t.place.number, text.as_bytes());
        Given::Nothing
    };
    Panic(at, length) |t| {
        t.message = Some(said(t, at, length)?);
        Err(TrapCode::Panic)?
    };
    GlobalId(axis) |t| Given::Value(component(t.place.global, axis));
    LocalId(axis) |t| Given::Value(component(t.place.local, axis));
    WorkgroupId(axis) |t| Given::Value(component(t.place.workgroup, axis));
    NumWorkgroups(axis) |t| Given::Value(component(t.world.grid.workgroups, axis));
    WorkgroupSize(axis) |t| Given::Value(component(t.world.grid.size, axis));
    LocalIndex() |t| Given::Value(t.place.local_index);
    WorkgroupBarrier() |t| Given::Wait(Wait::Barrier);
    StorageBarrier() |t| Given::Wait(Wait::Barrier);
    WorkgroupLoad(at) |t| {
        let (words, word) = t.group.words(at)?;
        Given::Value(words.load(word))
    };
    WorkgroupStore(at, value) |t| {
        let (words, word) = t.group.words(at)?;
        words.store(word, value);
        Given::Nothing
    };
    WorkgroupAtomic(op, at, value) |t| {
        let (words, word) = t.group.words(at)?;
        Given::Value(words.atomic(op, word, value))
    };
    WorkgroupCompareExchange(at, expected, new) |t| {
        let (words, word) = t.group.words(at)?;
        Given::Value(words.compare_exchange(word, expected, new))
    };
    BufferLen(binding) |t| Given::Value(t.world.buffer(binding).len());
    BufferLoad(binding, word) |t| Given::Value(t.world.buffer(binding).load(word));
    BufferStore(binding, word, value) |t| {
        t.world.buffer(binding).store(word, value);
        Given::Nothing
    };
    BufferAtomic(op, binding, word, value) |t| {
        Given::Value(t.world.buffer(binding).atomic(op, word, value))
    };
    BufferCompareExchange(binding, word, expected, new) |t| {
        Given::Value(t.world.buffer(binding).compare_exchange(word, expected, new))
    };
    QueuePop() |t| match t.world.queue.pop() {
        Some(item) => Given::Value(item),
        None => Given::Wait(Wait::Work),
    };
    QueuePush(item) |t| Given::Value(u32::from(t.world.queue.push(item)));
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

/// What an operation of [`AtomicOp`] makes of a word. A number that means nothing changes nothing.
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

/// A component of a place; 0 where there is no such axis.
fn component(place: [u32; 3], axis: u32) -> u32 {
    place.get(axis as usize).copied().unwrap_or(0)
}

/// Bytes of memory 0.
fn text<M: Memory>(thread: &Thread<M>, at: u32, length: u32) -> Result<Vec<u8>, TrapCode> {
    let bytes = thread.memory.read(at as usize, length as usize);
    bytes.ok_or(OUTSIDE)
}

/// A print or a panic, which may be longer than what is shown.
fn said<M: Memory>(thread: &Thread<M>, at: u32, length: u32) -> Result<String, TrapCode> {
    let is_there = thread.memory.holds(at as usize, length as usize);
    is_there.ok_or(OUTSIDE)?;
    let bytes = text(thread, at, length.min(MOST_TEXT))?;
    Ok(shown(&bytes, length))
}

/// A path that ends in a zero byte.
fn path_at<M: Memory>(thread: &Thread<M>, at: u32) -> Result<Vec<u8>, TrapCode> {
    let end = u64::from(thread.memory.pages()) << 16;
    let room = end.saturating_sub(at.into()).min(u64::from(MOST_PATH) + 1);
    let bytes = text(thread, at, room as u32)?;
    path_before_zero(&bytes).map(<[u8]>::to_vec).ok_or(OUTSIDE)
}

/// Asks for a file's bytes.
fn read<M: Memory>(
    thread: &mut Thread<M>,
    path: Vec<u8>,
    buffer: u32,
    room: u32,
) -> Result<Given, TrapCode> {
    // The buffer must be there before anything is read.
    thread
        .memory
        .holds(buffer as usize, room as usize)
        .ok_or(OUTSIDE)?;
    let request = Request::Read { path, room };
    thread.asked = Some(Asked { request, buffer });
    Ok(Given::Wait(Wait::File))
}

/// Asks to write a file.
fn write<M: Memory>(
    thread: &mut Thread<M>,
    path: Vec<u8>,
    buffer: u32,
    length: u32,
) -> Result<Given, TrapCode> {
    let bytes = text(thread, buffer, length)?;
    let request = Request::Write { path, bytes };
    thread.asked = Some(Asked { request, buffer });
    Ok(Given::Wait(Wait::File))
}
