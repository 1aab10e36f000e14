//! Handlers of host calls.
//!
//! Arguments lie in consecutive slots from `a`, and the result replaces the first. A call that
//! cannot complete at once suspends the thread. The next instruction always runs from the thread's
//! loop.

use crate::bytecode::{AtomicOp, Host, Op, TrapCode};
use crate::runtime::{
    FileRequest, MAX_PATH_BYTES, MAX_TEXT_BYTES, path_before_zero, truncated_text,
};

use super::super::thread::{PendingFile, ThreadState, Wait};
use super::{
    Executor, Exit, Handler, Ins, InstructionStream, Memory, OperandForm, Slot, Window, handlers,
    leave, step, trap,
};

handlers! {
    /// The handler of an opcode.
    pub(super) fn op;
    Gid |ins, w, t| u32::set(w, ins.a, t.state.ids.number);
    Time |ins, w, t| f32::set(w, ins.a, t.state.resources.clock);
    StOut |ins, w, t| {
        let colour = [0, 1, 2, 3].map(|part| w[usize::from(ins.b) + part]);
        t.state.resources.set_pixel(u32::get(w, ins.a), colour);
    };
    LdIn |ins, w, t| {
        let word = t.state.resources.input.get(u32::get(w, ins.b) as usize);
        u32::set(w, ins.a, word.copied().unwrap_or(0));
    };
    AtomicAdd |ins, w, t| {
        let [index, value] = [ins.b, ins.c].map(|slot| u32::get(w, slot));
        u32::set(w, ins.a, t.state.resources.state.atomic(0, index, value));
    };
}

/// The cost of a file operation apart from its bytes, in bytes that take about as long.
const FILE_REQUEST: u32 = 1 << 20;

/// The result of a host call.
enum HostResult {
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
                    rest: InstructionStream<'a, M>,
                    window: &mut Window,
                    run: &mut Executor<'a, M>,
                    _: u64,
                    _: f32,
                    _: f64,
                ) -> Exit {
                    #[inline(always)]
                    fn body<M: Memory>(
                        [$($arg,)* ..]: [u32; 4],
                        $t: &mut Executor<'_, M>,
                    ) -> Result<HostResult, TrapCode> {
                        let _unused = &$t;
                        Ok($body)
                    }
                    let args = [0, 1, 2, 3].map(|argument| window[usize::from(ins.a) + argument]);
                    match body(args, run) {
                        Ok(HostResult::Nothing) => {}
                        Ok(HostResult::Value(value)) => u32::set(window, ins.a, value),
                        Ok(HostResult::Wait(wait)) => {
                            run.state.result_slot = ins.a;
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
    PixelIndex(x, y) |t| HostResult::Value(t.state.resources.pixel_index(x, y));
    ReadState(index) |t| HostResult::Value(t.state.resources.state.load(index));
    WriteState(index, value) |t| {
        t.state.resources.state.store(index, value);
        HostResult::Nothing
    };
    ReadFile(path, length, buffer, max_bytes) |t| {
        let path = text(t, path, length)?;
        read(t, path, buffer, max_bytes)?
    };
    WriteFile(path, length, buffer, bytes) |t| {
        let path = text(t, path, length)?;
        write(t, path, buffer, bytes)?
    };
    ReadFileZ(path, buffer, max_bytes) |t| {
        let path = path_at(t, path)?;
        read(t, path, buffer, max_bytes)?
    };
    WriteFileZ(path, buffer, bytes) |t| {
        let path = path_at(t, path)?;
        write(t, path, buffer, bytes)?
    };
    Print(at, length) |t| {
        t.charge(length);
        print(t, at, length)?
    };
    Panic(at, length) |t| {
        let message = read_text(t, at, length)?;
        t.state.message = t.state.resources.keeps_panic(&message).then_some(message);
        Err(TrapCode::Panic)?
    };
    GlobalId(axis) |t| HostResult::Value(component(t.state.ids.global, axis));
    LocalId(axis) |t| HostResult::Value(component(t.state.ids.local, axis));
    WorkgroupId(axis) |t| HostResult::Value(component(t.state.ids.workgroup, axis));
    NumWorkgroups(axis) |t| HostResult::Value(component(t.state.resources.grid.workgroups, axis));
    WorkgroupSize(axis) |t| HostResult::Value(component(t.state.resources.grid.size, axis));
    LocalIndex() |t| HostResult::Value(t.state.ids.local_index);
    WorkgroupBarrier() |t| HostResult::Wait(Wait::Barrier);
    StorageBarrier() |t| HostResult::Wait(Wait::Barrier);
    WorkgroupLoad(at) |t| {
        let (words, word) = t.state.group.words(at)?;
        HostResult::Value(words.load(word))
    };
    WorkgroupStore(at, value) |t| {
        let (words, word) = t.state.group.words(at)?;
        words.store(word, value);
        HostResult::Nothing
    };
    WorkgroupAtomic(op, at, value) |t| {
        let (words, word) = t.state.group.words(at)?;
        HostResult::Value(words.atomic(op, word, value))
    };
    WorkgroupCompareExchange(at, expected, new) |t| {
        let (words, word) = t.state.group.words(at)?;
        HostResult::Value(words.compare_exchange(word, expected, new))
    };
    BufferLen(binding) |t| HostResult::Value(t.state.resources.buffer(binding).len());
    BufferLoad(binding, word) |t| HostResult::Value(t.state.resources.buffer(binding).load(word));
    BufferStore(binding, word, value) |t| {
        t.state.resources.buffer(binding).store(word, value);
        HostResult::Nothing
    };
    BufferAtomic(op, binding, word, value) |t| {
        HostResult::Value(t.state.resources.buffer(binding).atomic(op, word, value))
    };
    BufferCompareExchange(binding, word, expected, new) |t| {
        HostResult::Value(t.state.resources.buffer(binding).compare_exchange(word, expected, new))
    };
    QueuePop() |t| match t.state.resources.queue.pop() {
        Some(item) => HostResult::Value(item),
        None => HostResult::Wait(Wait::Work),
    };
    QueuePush(item) |t| HostResult::Value(u32::from(t.state.resources.queue.push(item)));
    MemoryAtomic(op, at, value) |t| {
        let old = t.memory.update(at as usize, |old| changed(op, old, value));
        HostResult::Value(old?)
    };
    MemoryCompareExchange(at, expected, new) |t| {
        let changed = |old| if old == expected { new } else { old };
        let old = t.memory.update(at as usize, changed);
        HostResult::Value(old?)
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
fn component(ids: [u32; 3], axis: u32) -> u32 {
    ids.get(axis as usize).copied().unwrap_or(0)
}

/// Bytes of memory 0.
fn text<M: Memory>(run: &Executor<'_, M>, at: u32, length: u32) -> Result<Vec<u8>, TrapCode> {
    Ok(run.memory.read(at as usize, length as usize)?)
}

/// The text of a print or a panic, truncated if it is long.
fn read_text<M: Memory>(run: &Executor<'_, M>, at: u32, length: u32) -> Result<String, TrapCode> {
    run.memory.check(at as usize, length as usize)?;
    let bytes = text(run, at, length.min(MAX_TEXT_BYTES))?;
    Ok(truncated_text(&bytes, length))
}

/// A null-terminated path.
fn path_at<M: Memory>(run: &Executor<'_, M>, at: u32) -> Result<Vec<u8>, TrapCode> {
    let end = u64::from(run.memory.pages()) << 16;
    let length = end
        .saturating_sub(at.into())
        .min(u64::from(MAX_PATH_BYTES) + 1);
    let bytes = text(run, at, length as u32)?;
    path_before_zero(&bytes)
        .map(<[u8]>::to_vec)
        .ok_or(TrapCode::OutOfBoundsMemory)
}

/// Prints a text; one that would be dropped is not even read.
fn print<M: Memory>(run: &Executor<'_, M>, at: u32, length: u32) -> Result<HostResult, TrapCode> {
    run.memory.check(at as usize, length as usize)?;
    let ThreadState { resources, ids, .. } = &*run.state;
    let mut printed = resources.printed();
    if printed.has_room(length.min(MAX_TEXT_BYTES) as usize) {
        printed.add(ids.number, read_text(run, at, length)?.as_bytes());
    } else {
        printed.count_dropped(ids.number);
    }
    Ok(HostResult::Nothing)
}

/// Requests to read a file.
fn read<M: Memory>(
    run: &mut Executor<'_, M>,
    path: Vec<u8>,
    buffer: u32,
    max_bytes: u32,
) -> Result<HostResult, TrapCode> {
    // The buffer is checked before the file is read.
    run.memory.check(buffer as usize, max_bytes as usize)?;
    run.charge(FILE_REQUEST.saturating_add(max_bytes));
    let request = FileRequest::Read { path, max_bytes };
    run.state.pending_file = Some(PendingFile { request, buffer });
    Ok(HostResult::Wait(Wait::File))
}

/// Requests to write a file.
fn write<M: Memory>(
    run: &mut Executor<'_, M>,
    path: Vec<u8>,
    buffer: u32,
    length: u32,
) -> Result<HostResult, TrapCode> {
    let bytes = text(run, buffer, length)?;
    run.charge(FILE_REQUEST.saturating_add(length));
    let request = FileRequest::Write { path, bytes };
    run.state.pending_file = Some(PendingFile { request, buffer });
    Ok(HostResult::Wait(Wait::File))
}
