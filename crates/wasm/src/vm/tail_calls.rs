//! Tests that the compiler makes every handler end in a tail call, so that long programs do not
//! overflow the native stack.
//!
//! A handler calls the next one, and Rust does not guarantee that this becomes a jump. Each test
//! runs a handler many times in a row, in every form, with both kinds of memory; the handler at the
//! end must find the native stack at the same depth as without them. The result holds for the build
//! profile and target on which the test runs.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;

use crate::bytecode::{Bytecode, Host, Op};
use crate::runtime::{Files, Grid, Resources, ThreadIds};

use super::budget::MemoryBudget;
use super::handlers::{self, OperandForm, Source};
use super::memory::{Memory, PrivateMemory, SharedMemory};
use super::program::{FunctionEntry, Handler, Ins, InstructionStream, Program};
use super::resources::{GroupMemory, SharedResources};
use super::thread::{Executor, Exit, StopReason, Store, Table, Thread, ThreadParts, stack};
use super::window::Window;

thread_local! {
    /// The address of the native stack at the end of the program.
    static BOTTOM: Cell<Option<usize>> = const { Cell::new(None) };
}

/// A handler that records the address of the native stack.
fn probe<'a, M: Memory>(
    _: &'a Ins<M>,
    rest: InstructionStream<'a, M>,
    _: &mut Window,
    run: &mut Executor<'a, M>,
    _: u64,
    _: f32,
    _: f64,
) -> Exit {
    let here = 0_u8;
    BOTTOM.set(Some(std::ptr::from_ref(black_box(&here)).addr()));
    run.position.pc = run.code.len() - rest.len();
    Exit::Done
}

/// How often a handler runs in a row.
const ROWS: u32 = 64;

/// Entries of a row: the handler's own, and some that can be its data or be run.
const ROW: u32 = 4;

fn entry<M: Memory>(handler: Handler<M>, imm: u32) -> Ins<M> {
    let [a, b, c, d] = [4, 6, 1, 2];
    Ins {
        handler,
        a,
        b,
        c,
        d,
        imm,
    }
}

/// A program that runs a handler again and again, each time with the next row as a jump target.
fn program<M: Memory>(handler: Option<Handler<M>>) -> Program<M> {
    let of = |op| handlers::of::<M>(op, OperandForm::default()).expect("a handler");
    let mut code = vec![entry(of(Op::End), 0)];
    // A result for the handler to hold in a register.
    code.extend([Op::Move, Op::F32Abs, Op::F64Abs].map(|op| entry(of(op), 0)));
    for handler in handler.iter().cycle().take(ROWS as usize) {
        let target = code.len() as u32 + ROW;
        code.push(entry(*handler, target));
        code.extend([Op::Move, Op::Nop, Op::Nop].map(|op| entry(of(op), target)));
    }
    code.push(entry(probe::<M>, 0));
    Program {
        slice: u64::MAX,
        words: vec![0; code.len()],
        code,
        functions: vec![FunctionEntry {
            pc: 1,
            frame: 256,
            type_index: 0,
        }],
        source: Arc::new(Bytecode {
            data: vec![vec![0; 1 << 9]],
            elements: vec![vec![0; 1 << 9]],
            ..Bytecode::default()
        }),
    }
}

/// The address of the native stack at the end of a program, if it is reached.
fn bottom<M: Memory>(
    program: &Arc<Program<M>>,
    memory: impl Fn() -> M,
    slots: fn(u32) -> u32,
) -> Option<usize> {
    let grid = Grid {
        workgroups: [1; 3],
        size: [1; 3],
        threads: 1,
    };
    let table = || Table {
        elements: vec![0; 2],
        maximum: 2,
    };
    let mut thread = Thread::new(ThreadParts {
        memory: memory(),
        memories: vec![memory()],
        store: Store {
            tables: std::iter::repeat_with(table).take(1 << 9).collect(),
            globals: vec![0; 1 << 9],
            dropped_data: vec![false],
            dropped_elements: vec![false],
            growth: MemoryBudget::default(),
        },
        program: Arc::clone(program),
        resources: Arc::new(SharedResources::new(
            grid,
            Files::default(),
            &mut Resources::default(),
        )),
        group: Arc::new(GroupMemory::new([0, 1 << 9], MemoryBudget::new(1 << 9))),
        ids: ThreadIds::default(),
        stack: stack(512).expect("memory"),
        fuel: None,
    });
    thread.enter(0, (0..64).map(slots));
    BOTTOM.set(None);
    // Each return to the loop below starts at the same depth.
    while thread.resume(program) == StopReason::Slice {}
    BOTTOM.take()
}

/// All handlers, by a description of the instruction.
fn all<M: Memory>() -> BTreeMap<String, Handler<M>> {
    use Source::{Immediate, NextEntry, Register, Slot};
    let sources = [Slot, Register, Immediate, NextEntry];
    let pairs =
        sources.map(|x| sources.map(|y| [false, true].map(|back| OperandForm { x, y, back })));
    let forms = pairs.as_flattened().as_flattened();
    let mut all = BTreeMap::new();
    let mut add = |name: String, handler: Option<Handler<M>>| {
        if let Some(handler) = handler {
            all.insert(name, handler);
        }
    };
    for &op in Op::ALL.iter().filter(|&&op| op != Op::Host) {
        for &form in forms {
            let name = format!("{} {form:?}", op.name());
            add(name.clone(), handlers::of(op, form));
            add(
                format!("{name} elsewhere"),
                handlers::of_other_memory(op, form),
            );
            add(format!("{name} and jump"), handlers::op_and_jump(op, form));
            for when in [false, true] {
                let handler = handlers::compare_and_branch(op, form, when);
                add(format!("{name} and branch if {when}"), handler);
            }
            for &by in Op::ALL {
                let handler = handlers::indexed_access(by, op, form);
                add(format!("{} and {name}", by.name()), handler);
            }
        }
        for source in sources {
            let handler = handlers::count_and_branch(op, source);
            add(format!("count and {} {source:?}", op.name()), handler);
            for &shift in Op::ALL {
                for same in [false, true] {
                    let handler = handlers::shift_then(shift, op, source, same);
                    let name = format!("{} and {} {source:?} {same}", shift.name(), op.name());
                    add(name, handler);
                }
            }
        }
    }
    for &host in Host::ALL {
        add(format!("host {host:?}"), Some(handlers::host(host)));
    }
    all
}

/// Slot values with which every branch is taken and not taken, and no address is out of bounds.
const SLOTS: [fn(u32) -> u32; 5] = [|_| 0, |_| 1, |slot| slot, |slot| 100 - slot, |_| u32::MAX];

/// Handlers that end, wait, call, or need a memory that does not exist: they return to the thread's
/// loop and never reach the end here.
const COME_BACK: &[&str] = &[
    "call ",
    "call_indirect ",
    "end ",
    "host Panic",
    "host QueuePop",
    "host ReadFile",
    "host StorageBarrier",
    "host WorkgroupBarrier",
    "host WriteFile",
    "memory.",
    "return ",
    "unreachable ",
];

fn check<M: Memory>(memory: impl Fn() -> M) {
    let nothing = Arc::new(program::<M>(None));
    let expected = SLOTS.map(|slots| bottom(&nothing, &memory, slots));
    let handlers = all::<M>();
    assert!(handlers.len() > 4000, "{}", handlers.len());
    let (mut deeper, mut not_run) = (Vec::new(), Vec::new());
    for (name, &handler) in &handlers {
        let program = Arc::new(program(Some(handler)));
        let found = SLOTS.map(|slots| bottom(&program, &memory, slots));
        let comes_back = COME_BACK.iter().any(|begin| name.starts_with(begin));
        if !comes_back && found.iter().all(Option::is_none) {
            not_run.push(name);
        }
        let mut pairs = found.iter().zip(&expected);
        if pairs.any(|(found, expected)| found.is_some() && found != expected) {
            deeper.push(name);
        }
    }
    assert!(deeper.is_empty(), "{} go deeper: {deeper:#?}", deeper.len());
    assert!(not_run.is_empty(), "never got to the end: {not_run:#?}");
}

#[test]
fn no_handler_makes_the_stack_deeper() {
    check(|| PrivateMemory::new(1, 1, MemoryBudget::default()).expect("memory"));
    check(|| SharedMemory::new(1, 1).expect("memory"));
}
