//! Alias analysis: the memory that each instruction reads and writes.
//!
//! In: a function. Out: for each instruction the alias regions that it reads and those that it writes, as bit sets. Two
//! instructions with disjoint sets can be reordered. Workgroup memory, the frame and buffers never alias; whether
//! buffers alias each other is given by [`BufferAliasing`]. Immediate data and constant tables are read-only and in no
//! region.

use super::cfg::Cfg;
use crate::ir::{CalleeWrites, Function, Inst, Kind, Op, Space, Terminator, Type, Value};

/// Which buffers may alias.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BufferAliasing {
    /// Any two buffers may alias.
    #[default]
    Any,
    /// Only buffers that the function writes may alias. Buffers that it only reads do not change while it runs.
    Written,
    /// Buffers that the function writes may alias, and so may these, which other functions of its kernel write: they
    /// may change while it runs, as other workgroups run those functions.
    WrittenElsewhere(AliasRegions),
    /// No two buffers alias.
    None,
}

/// A set of alias regions, one bit for each.
pub type AliasRegions = u64;

const WORKGROUP: AliasRegions = 1;
const FRAME: AliasRegions = 2;
const FRAME_SLOTS: AliasRegions = 4;
const FIRST_BUFFER: u32 = 3;
/// The region of all buffers that may alias, and of buffers with numbers too high for a region of their own.
const SHARED_BUFFERS: AliasRegions = 1 << 63;
const EVERYTHING: AliasRegions = AliasRegions::MAX;

/// The memory effects of the instructions of a function.
#[derive(Clone, Debug)]
pub(crate) struct AliasAnalysis {
    /// By value: the regions that a pointer may point into.
    regions: Vec<AliasRegions>,
    /// The regions that other subgroups may write during a barrier.
    barrier: AliasRegions,
    /// The regions that other workgroups may write at any time, so that a loop that waits for a change must reload
    /// them.
    shared: AliasRegions,
    /// The regions that the function writes anywhere.
    written: AliasRegions,
    /// The regions that the function itself reads or writes anywhere.
    touched: AliasRegions,
}

impl AliasAnalysis {
    /// Analyzes a function.
    pub(crate) fn new(function: &Function, graph: &Cfg, aliasing: BufferAliasing) -> Self {
        let mut memory = Self {
            // A pointer that is a parameter may point anywhere.
            regions: vec![EVERYTHING; function.types.len()],
            barrier: 0,
            shared: 0,
            written: 0,
            touched: EVERYTHING,
        };
        for inst in instructions(function, graph) {
            memory.add_inst(inst);
        }
        for inst in instructions(function, graph) {
            memory.written |= memory.written_by(inst);
        }
        let elsewhere = match aliasing {
            BufferAliasing::WrittenElsewhere(regions) => regions,
            BufferAliasing::Any | BufferAliasing::Written | BufferAliasing::None => 0,
        };
        let (named, share) = (memory.written | elsewhere, SHARED_BUFFERS);
        let own = EVERYTHING & !(WORKGROUP | FRAME | FRAME_SLOTS | share);
        for regions in memory
            .regions
            .iter_mut()
            .filter(|regions| **regions & own != 0)
        {
            match aliasing {
                BufferAliasing::None => {}
                BufferAliasing::Any => *regions = *regions & !own | share,
                _ if *regions & named != 0 => *regions = *regions & !own | share,
                BufferAliasing::Written | BufferAliasing::WrittenElsewhere(_) => *regions &= !own,
            }
        }
        memory.touched = FRAME_SLOTS;
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
        memory.barrier = memory.written & !(FRAME | FRAME_SLOTS);
        memory.shared = memory.barrier & !WORKGROUP;
        memory
    }

    fn add_inst(&mut self, inst: &Inst) {
        let Some(result) = inst.result else { return };
        self.regions[result.index()] = match inst.op {
            Op::Base(space) => area(space),
            Op::Advance | Op::AdvanceOrZeros => self.of(inst.operands[0]),
            // Any buffer.
            Op::LoadPointer(_) => EVERYTHING & !(WORKGROUP | FRAME | FRAME_SLOTS),
            _ => return,
        };
    }

    fn of(&self, pointer: Value) -> AliasRegions {
        self.regions[pointer.index()]
    }

    /// The regions that the function writes anywhere.
    pub(crate) fn written(&self) -> AliasRegions {
        self.written
    }

    /// The regions of this function that a callee may write.
    fn reached(&self, reach: CalleeWrites) -> AliasRegions {
        match reach {
            CalleeWrites::Frame => FRAME | FRAME_SLOTS,
            CalleeWrites::Everything => self.touched,
        }
    }

    /// The regions that an instruction reads and the function writes somewhere.
    pub(crate) fn read_by(&self, inst: &Inst) -> AliasRegions {
        let regions = match inst.op {
            Op::FrameLoad(_) | Op::FrameLoadAt(_) => FRAME_SLOTS,
            Op::Call(..) => self.touched,
            op if op.reads_memory() => self.pointed_by(inst),
            _ => 0,
        };
        regions & self.written
    }

    /// The regions that an instruction writes.
    pub(crate) fn written_by(&self, inst: &Inst) -> AliasRegions {
        match inst.op {
            Op::FrameStore(_) | Op::FrameStoreAt(_) => FRAME_SLOTS,
            Op::Call(_, reach) => self.reached(reach),
            // A loop polls once in each iteration, so that it reloads shared memory in each iteration.
            Op::Poll(_) => self.shared,
            Op::Atomic64(..) | Op::CompareExchange64(..) => {
                self.of(inst.operands[0]) | self.of(inst.operands[1])
            }
            op if op.has_effect() => self.pointed_by(inst),
            _ => 0,
        }
    }

    /// The regions that an instruction accesses through its pointer operand, if it has one.
    fn pointed_by(&self, inst: &Inst) -> AliasRegions {
        let touches = inst.op.reads_memory() || inst.op.has_effect();
        match inst.op.signature().operands.first() {
            Some(Kind::Of(Type::Pointer)) if touches => self.of(inst.operands[0]),
            _ => 0,
        }
    }

    /// The regions that may change at the end of a block.
    pub(crate) fn written_at(&self, terminator: &Terminator) -> AliasRegions {
        match terminator {
            Terminator::Suspend(..) => self.barrier,
            _ => 0,
        }
    }
}

/// The buffers that a function itself writes.
pub(crate) fn written_buffers(function: &Function) -> AliasRegions {
    let graph = Cfg::new(function);
    let memory = AliasAnalysis::new(function, &graph, BufferAliasing::None);
    let writes = |inst: &&Inst| !matches!(inst.op, Op::Call(..) | Op::Poll(_));
    let written = instructions(function, &graph)
        .filter(writes)
        .fold(0, |all, inst| all | memory.written_by(inst));
    written & !(WORKGROUP | FRAME | FRAME_SLOTS)
}

fn instructions<'a>(function: &'a Function, graph: &'a Cfg) -> impl Iterator<Item = &'a Inst> {
    let blocks = graph.order().iter().map(|block| function.block(*block));
    blocks.flat_map(|block| &block.insts)
}

fn area(space: Space) -> AliasRegions {
    match space {
        Space::Immediates | Space::Constants => 0,
        Space::Workgroup => WORKGROUP,
        Space::Frame(_) => FRAME,
        Space::Buffer(number) if number < 63 - FIRST_BUFFER => 1 << (FIRST_BUFFER + number),
        Space::Buffer(_) => SHARED_BUFFERS,
    }
}
