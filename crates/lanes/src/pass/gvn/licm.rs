//! Loop-invariant code motion: the block to which an instruction is hoisted.
//!
//! In: the loops of a function with their preheaders, and what each loop writes. Out: for an instruction, the preheader of
//! the outermost loop in which it is invariant: its operands are defined outside the loop, and the loop does not write what
//! it reads. What always holds: that block dominates the block of the instruction.

use crate::ir::{BlockId, Function, LaneBinary, LaneUnary, Op, Terminator, WordBinary};
use crate::pass::alias::{AliasAnalysis, AliasRegions};
use crate::pass::cfg::Cfg;
use crate::pass::loops::{LoopId, Loops};
use crate::pass::preheader;

/// The loops, and what prevents hoisting out of them.
pub(super) struct InvariantMotion<'a> {
    graph: &'a Cfg,
    loops: &'a Loops,
    /// By loop: its preheader.
    preheaders: Vec<Option<BlockId>>,
    /// By loop: the alias regions that it writes.
    pub(super) written: Vec<AliasRegions>,
    /// By loop: whether it contains a barrier.
    suspends: Vec<bool>,
}

impl<'a> InvariantMotion<'a> {
    pub(super) fn new(
        function: &Function,
        graph: &'a Cfg,
        loops: &'a Loops,
        memory: &AliasAnalysis,
    ) -> Self {
        let count = loops.all().len();
        let preheaders = loops
            .all()
            .iter()
            .map(|inner| preheader::find(function, graph, inner.header))
            .collect();
        let (mut written, mut suspends) = (vec![0; count], vec![false; count]);
        for &id in graph.order() {
            let Some(innermost) = loops.innermost(id) else {
                continue;
            };
            let block = function.block(id);
            let own = &mut written[innermost.0 as usize];
            *own |= memory.written_at(&block.terminator);
            for inst in &block.insts {
                *own |= memory.written_by(inst);
            }
            suspends[innermost.0 as usize] |= matches!(block.terminator, Terminator::Suspend(..));
        }
        // Inner loops come first.
        for (index, inner) in loops.all().iter().enumerate() {
            if let Some(parent) = inner.parent {
                written[parent.0 as usize] |= written[index];
                suspends[parent.0 as usize] |= suspends[index];
            }
        }
        Self {
            graph,
            loops,
            preheaders,
            written,
            suspends,
        }
    }

    /// The block to which an instruction can be hoisted, given its block, the alias regions that it reads, and the
    /// blocks that define its operands.
    pub(super) fn target(
        &self,
        op: Op,
        block: BlockId,
        reads: AliasRegions,
        operands: &[BlockId],
    ) -> BlockId {
        let mut target = block;
        let mut around = self.loops.innermost(block);
        while let Some(id) = around {
            match self.preheaders[id.0 as usize] {
                Some(preheader) if self.can_hoist(op, id, reads, operands) => target = preheader,
                _ => break,
            }
            around = self.loops.get(id).parent;
        }
        target
    }

    fn can_hoist(&self, op: Op, id: LoopId, reads: AliasRegions, operands: &[BlockId]) -> bool {
        let header = self.loops.get(id).header;
        let index = id.0 as usize;
        reads & self.written[index] == 0
            && (!self.suspends[index] || is_expensive(op))
            && !operands
                .iter()
                .any(|home| self.graph.dominates(header, *home))
    }
}

/// Whether an instruction is much slower than a load from the frame.
fn is_expensive(op: Op) -> bool {
    use WordBinary::{DivS, DivU, RemS, RemU};
    match op {
        Op::WordBinary(op) | Op::Binary(LaneBinary::Int(op)) => {
            matches!(op, DivU | DivS | RemU | RemS)
        }
        Op::Binary(LaneBinary::DivF) | Op::Unary(LaneUnary::Sqrt) | Op::Gather(_) => true,
        _ => false,
    }
}
