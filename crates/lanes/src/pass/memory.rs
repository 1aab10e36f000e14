//! What memory instructions read and change.
//!
//! In: a function. Out: for each instruction the areas that it reads and those that it changes, as sets. Two
//! instructions whose sets have nothing in common can change places. Memory of the workgroup, of the frame and of buffers
//! never overlap; whether buffers overlap each other is said by [`Overlap`]. Immediate data never change and are in no
//! area.

use super::graph::Graph;
use crate::ir::{Function, Inst, Kind, Op, Reach, Space, Terminator, Type, Value};

/// Which buffers may be the same memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlap {
    /// Any of them.
    #[default]
    Any,
    /// Those that the function writes. Those that it only reads do not change while it runs.
    Written,
    /// Those that the function writes, and those of these areas, which other functions of its kernel write: they may change
    /// while it runs, as other workgroups run those.
    WrittenElsewhere(Areas),
    /// None of them.
    None,
}

/// A set of areas, a bit for each.
pub type Areas = u64;

const WORKGROUP: Areas = 1;
const FRAME: Areas = 2;
const KEPT: Areas = 4;
const FIRST_BUFFER: u32 = 3;
/// The bit that all buffers share which may overlap, and those that have too high a number for one of their own.
const SHARED_BUFFERS: Areas = 1 << 63;
const EVERYTHING: Areas = Areas::MAX;

/// What memory instructions read and change.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    /// By value: what a pointer points into.
    areas: Vec<Areas>,
    /// What other subgroups may change while a barrier is waited at.
    barrier: Areas,
    /// What other workgroups may change at any time, so that a loop which waits for it must look again.
    shared: Areas,
    /// What the function changes anywhere.
    written: Areas,
    /// What the function reads or changes itself, anywhere.
    touched: Areas,
}

impl Memory {
    /// What a function does to memory.
    pub(crate) fn new(function: &Function, graph: &Graph, overlap: Overlap) -> Self {
        let mut memory = Self {
            // A pointer that is a parameter may point anywhere.
            areas: vec![EVERYTHING; function.types.len()],
            barrier: 0,
            shared: 0,
            written: 0,
            touched: EVERYTHING,
        };
        for inst in instructions(function, graph) {
            memory.learn(inst);
        }
        for inst in instructions(function, graph) {
            memory.written |= memory.written_by(inst);
        }
        let elsewhere = match overlap {
            Overlap::WrittenElsewhere(areas) => areas,
            Overlap::Any | Overlap::Written | Overlap::None => 0,
        };
        let (named, share) = (memory.written | elsewhere, SHARED_BUFFERS);
        let own = EVERYTHING & !(WORKGROUP | FRAME | KEPT | share);
        for areas in memory.areas.iter_mut().filter(|it| **it & own != 0) {
            match overlap {
                Overlap::None => {}
                Overlap::Any => *areas = *areas & !own | share,
                _ if *areas & named != 0 => *areas = *areas & !own | share,
                Overlap::Written | Overlap::WrittenElsewhere(_) => *areas &= !own,
            }
        }
        memory.touched = KEPT;
        for inst in instructions(function, graph) {
            memory.touched |= memory.pointed_by(inst);
        }
        memory.written = 0;
        for inst in instructions(function, graph) {
            memory.written |= memory.written_by(inst);
        }
        if elsewhere != 0 {
            memory.written |= memory.touched & share;
        }
        memory.barrier = memory.written & !(FRAME | KEPT);
        memory.shared = memory.barrier & !WORKGROUP;
        memory
    }

    fn learn(&mut self, inst: &Inst) {
        let Some(result) = inst.result else { return };
        self.areas[result.index()] = match inst.op {
            Op::Base(space) => area(space),
            Op::Advance | Op::Address => self.of(inst.operands[0]),
            // Any buffer.
            Op::LoadPointer(_) => EVERYTHING & !(WORKGROUP | FRAME | KEPT),
            _ => return,
        };
    }

    fn of(&self, pointer: Value) -> Areas {
        self.areas[pointer.index()]
    }

    /// What the function changes anywhere.
    pub(crate) fn written(&self) -> Areas {
        self.written
    }

    /// What a function that is called may change, as far as this function sees it.
    fn reached(&self, reach: Reach) -> Areas {
        match reach {
            Reach::Frame => FRAME | KEPT,
            Reach::Everything => self.touched,
        }
    }

    /// What an instruction reads and the function changes somewhere.
    pub(crate) fn read_by(&self, inst: &Inst) -> Areas {
        let areas = match inst.op {
            Op::Recall(_) | Op::RecallAt(_) => KEPT,
            Op::Call(..) => self.touched,
            op if op.reads_memory() => self.pointed_by(inst),
            _ => 0,
        };
        areas & self.written
    }

    /// What an instruction changes.
    pub(crate) fn written_by(&self, inst: &Inst) -> Areas {
        match inst.op {
            Op::Keep(_) | Op::KeepAt(_) => KEPT,
            Op::Call(_, reach) => self.reached(reach),
            // A loop asks once a turn: what it reads in a turn, it reads again in the next.
            Op::Poll(_) => self.shared,
            Op::AtomicWide(..) | Op::CompareExchangeWide(..) => {
                self.of(inst.operands[0]) | self.of(inst.operands[1])
            }
            op if op.has_effect() => self.pointed_by(inst),
            _ => 0,
        }
    }

    /// What an instruction touches through its pointer, if it has one and touches memory.
    fn pointed_by(&self, inst: &Inst) -> Areas {
        let touches = inst.op.reads_memory() || inst.op.has_effect();
        match inst.op.signature().operands.first() {
            Some(Kind::Of(Type::Pointer)) if touches => self.of(inst.operands[0]),
            _ => 0,
        }
    }

    /// What may have changed when a block has ended.
    pub(crate) fn written_at(&self, terminator: &Terminator) -> Areas {
        match terminator {
            Terminator::Suspend(..) => self.barrier,
            _ => 0,
        }
    }
}

/// The buffers that a function writes itself.
pub(crate) fn written_buffers(function: &Function) -> Areas {
    let graph = Graph::new(function);
    let memory = Memory::new(function, &graph, Overlap::None);
    let writes = |it: &&Inst| !matches!(it.op, Op::Call(..) | Op::Poll(_));
    let written = instructions(function, &graph).filter(writes);
    let written = written.fold(0, |all, it| all | memory.written_by(it));
    written & !(WORKGROUP | FRAME | KEPT)
}

fn instructions<'a>(function: &'a Function, graph: &'a Graph) -> impl Iterator<Item = &'a Inst> {
    let blocks = graph.order().iter().map(|it| function.block(*it));
    blocks.flat_map(|it| &it.insts)
}

fn area(space: Space) -> Areas {
    match space {
        Space::Immediates | Space::Constants => 0,
        Space::Workgroup => WORKGROUP,
        Space::Frame(_) => FRAME,
        Space::Buffer(number) if number < 63 - FIRST_BUFFER => 1 << (FIRST_BUFFER + number),
        Space::Buffer(_) => SHARED_BUFFERS,
    }
}
