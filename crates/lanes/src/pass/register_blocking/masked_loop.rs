//! Divergent inner loops that several outer iterations can share.
//!
//! In: a single-block loop that continues while any lane of a mask is left. Out: whether iterations of the outer loop can
//! run it together, for as long as any of them would: whether an iteration in which no lane is left changes nothing that
//! is used after the loop. That holds if
//!
//! - the mask with which the loop continues is a subset of a mask parameter, and is passed for it, so that no lane comes
//!   back;
//! - values that are used after the loop are subsets of that mask, or are passed for a parameter from which they differ
//!   only in lanes of the mask parameter;
//! - accesses are within limits, or under subsets of the mask parameter, so that none depends on the condition with which
//!   the loop continues.
//!
//! It is profitable if the exit does not depend on loaded values, so that outer iterations take about as many steps, and
//! if the loop loads rows: a strided loop then loads consecutive rows together.

use smallvec::SmallVec;

use crate::ir::{BlockId, Function, Inst, MaskBinary, Op, Terminator, Type, Value, WordBinary};
use crate::pass::hash::Map;
use crate::pass::unroll_and_jam::counted_loop::{CountedLoop, LoopTables};

/// The size of a cache line.
const LINE_BYTES: u32 = 64;

/// The most parameters of a loop that is analyzed, as they are searched for each value that is used after the loop.
const MAX_PARAMETERS: usize = 64;

/// The most values that a query visits.
const MAX_VISITED: usize = 32;

/// A divergent single-block loop.
struct MaskedLoop<'a> {
    function: &'a Function,
    tables: &'a LoopTables,
    id: BlockId,
    /// The arguments of the back edge.
    next: &'a [Value],
    /// The mask with which the loop continues.
    continues: Value,
    /// The mask parameter that it is passed for.
    live: Value,
}

/// Whether blocks of a counted loop are loops that outer iterations can share, and load rows. Takes time for the blocks of
/// the outer loop.
pub(super) fn are_shareable(
    function: &Function,
    tables: &LoopTables,
    outer: &CountedLoop,
    ids: &[BlockId],
) -> bool {
    let loops = ids.iter().map(|id| {
        let found = MaskedLoop::new(function, tables, *id)?;
        found.is_shareable().then_some((*id, found))
    });
    let loops: Option<Map<_, _>> = loops.collect();
    let Some(loops) = loops.filter(|loops| !loops.is_empty()) else {
        return ids.is_empty();
    };
    // No value of the outer loop is used after it.
    outer.blocks.iter().all(|id| {
        let is_kept = |value: Value, user: Option<BlockId>| {
            let home = tables.block_of(value).filter(|home| Some(*home) != user);
            let left = home.and_then(|home| loops.get(&home));
            left.is_none_or(|left| left.is_kept(value))
        };
        let block = function.block(*id);
        let mut operands = block.insts.iter().flat_map(|inst| &inst.operands);
        let mut passed = block.terminator.edges().flat_map(|edge| {
            // A loop may change what it passes to itself.
            let user = Some(edge.block).filter(|block| block == id);
            let arguments = edge.arguments.iter();
            arguments.map(move |value| (*value, user))
        });
        let condition = block.terminator.condition();
        operands.all(|value| is_kept(*value, Some(*id)))
            && passed.all(|(value, user)| is_kept(value, user))
            && condition.is_none_or(|value| is_kept(value, Some(*id)))
    })
}

/// Whether an instruction loads a row.
pub(super) fn is_row(inst: &Inst) -> bool {
    matches!(inst.op, Op::LoadRow(_))
}

/// Whether a single-block loop that loads rows loads each cache line once: rows are lines, or are far apart, with a
/// step that is not constant. Otherwise the line that one iteration of the outer loop leaves in the cache is the next
/// one's, and to load both rows at once only means fewer lines in flight.
pub(super) fn loads_lines(function: &Function, tables: &LoopTables, id: BlockId) -> bool {
    let block = function.block(id);
    let mut edges = block.terminator.edges();
    let Some(back) = edges.find(|edge| edge.block == id) else {
        return false;
    };
    let mut pairs = block.parameters.iter().zip(&back.arguments);
    let is_far = pairs.any(|(parameter, next)| {
        let inst = tables.definition(function, *next);
        inst.is_some_and(|inst| {
            inst.op == Op::WordBinary(WordBinary::Add)
                && inst.operands[0] == *parameter
                && tables.word(function, inst.operands[1]).is_none()
        })
    });
    function.lanes * 4 >= LINE_BYTES || is_far
}

impl<'a> MaskedLoop<'a> {
    fn new(function: &'a Function, tables: &'a LoopTables, id: BlockId) -> Option<Self> {
        let block = function.block(id);
        let Terminator::Branch(continues, back, exit) = &block.terminator else {
            return None;
        };
        let is_masked = function.type_of(*continues) == Type::Mask;
        let is_small = block.parameters.len() <= MAX_PARAMETERS;
        if !is_masked || !is_small || back.block != id || exit.block == id {
            return None;
        }
        let mut found = Self {
            function,
            tables,
            id,
            next: &back.arguments,
            continues: *continues,
            live: *continues,
        };
        let mut masks = block.parameters.iter().zip(&back.arguments);
        let (live, _) = masks.find(|(parameter, next)| {
            **next == found.continues && found.is_subset(found.continues, **parameter)
        })?;
        found.live = *live;
        Some(found)
    }

    /// Whether an instruction accesses no memory out of bounds in an iteration without a lane.
    fn is_safe(&self, inst: &Inst) -> bool {
        let is_masked = || {
            let mask = inst.operands.last();
            mask.is_some_and(|mask| self.is_subset(*mask, self.live))
        };
        let is_outside = |value: &Value| self.tables.block_of(*value) != Some(self.id);
        match inst.op {
            Op::LoadRow(row) => row.is_limited || row.is_masked && is_masked(),
            Op::Gather(_) => is_masked(),
            op if op.reads_memory() => inst.operands.iter().all(is_outside),
            _ => true,
        }
    }

    /// Whether outer iterations can share the loop if it keeps what is used after it, and whether it loads rows.
    fn is_shareable(&self) -> bool {
        let insts = &self.function.block(self.id).insts;
        insts.iter().any(is_row)
            && insts.iter().all(|inst| self.is_safe(inst))
            && !self.exits_by_loads()
    }

    /// Whether a value keeps its value in an iteration without a lane, or is not of the loop.
    fn is_kept(&self, value: Value) -> bool {
        if self.tables.block_of(value) != Some(self.id) || self.is_subset(value, self.continues) {
            return true;
        }
        let parameters = &self.function.block(self.id).parameters;
        let mut pairs = parameters.iter().zip(self.next);
        pairs.any(|(parameter, next)| *next == value && self.is_masked(value, *parameter))
    }

    /// Whether a value differs from another one only in lanes of the mask parameter.
    fn is_masked(&self, mut value: Value, from: Value) -> bool {
        for _ in 0..MAX_VISITED {
            if value == from {
                return true;
            }
            let Some(inst) = self.tables.definition(self.function, value) else {
                return false;
            };
            let (old, mask) = match (inst.op, &inst.operands[..]) {
                (Op::Masked(_), &[old, _, _, mask]) => (old, mask),
                (Op::MaskedFma, &[old, _, _, _, mask]) => (old, mask),
                (Op::Select, &[mask, _, old]) => (old, mask),
                _ => return false,
            };
            if !self.is_subset(mask, self.live) {
                return false;
            }
            value = old;
        }
        false
    }

    /// Whether a mask is known to be a subset of another one.
    fn is_subset(&self, mask: Value, of: Value) -> bool {
        let mut open: SmallVec<[Value; 8]> = SmallVec::from_slice(&[mask]);
        for _ in 0..MAX_VISITED {
            let Some(value) = open.pop() else {
                return false;
            };
            if value == of {
                return true;
            }
            let Some(inst) = self.tables.definition(self.function, value) else {
                continue;
            };
            match (inst.op, &inst.operands[..]) {
                (Op::MaskBinary(MaskBinary::And), &[a, b]) => open.extend([a, b]),
                (Op::MaskBinary(MaskBinary::AndNot), &[a, _]) => open.push(a),
                (Op::MaskedCompare(_), &[_, _, within]) => open.push(within),
                _ => {}
            }
        }
        false
    }

    /// Whether the mask with which the loop continues depends on memory, or is not analyzed.
    fn exits_by_loads(&self) -> bool {
        let parameters = &self.function.block(self.id).parameters;
        let mut seen: SmallVec<[Value; MAX_VISITED]> = SmallVec::from_slice(&[self.continues]);
        let mut visited = 0;
        while let Some(&value) = seen.get(visited) {
            visited += 1;
            let next: SmallVec<[Value; 4]> = match self.tables.definition(self.function, value) {
                _ if self.tables.block_of(value) != Some(self.id) => continue,
                Some(inst) if inst.op.reads_memory() || inst.op.has_effect() => return true,
                Some(inst) => inst.operands.iter().copied().collect(),
                None => {
                    let pairs = parameters.iter().zip(self.next);
                    let passed = pairs.filter(|(parameter, _)| **parameter == value);
                    passed.map(|(_, next)| *next).collect()
                }
            };
            for value in next {
                if !seen.contains(&value) {
                    seen.push(value);
                }
            }
            if seen.len() > MAX_VISITED {
                return true;
            }
        }
        false
    }
}
