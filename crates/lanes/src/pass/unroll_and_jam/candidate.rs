//! Finds the loop over subgroups, and decides whether two of its iterations are better executed together.

use crate::ir::{BlockId, Function, Inst, Op, Terminator, Type, Value, WordBinary, WordCompare};
use crate::pass::cfg::Cfg;
use crate::pass::loops::{LoopId, Loops};
use crate::pass::value_def::{ValueDef, definition, value_defs};

use super::critical_path;

/// The loop over the subgroups of a workgroup.
pub(super) struct Turns {
    /// The loop header.
    pub(super) header: BlockId,
    /// The latch: the block with the back edge and the exit test.
    pub(super) latch: BlockId,
    /// The number of the subgroup: the induction variable.
    pub(super) number: Value,
    /// The number of the next subgroup.
    pub(super) next: Value,
    /// The blocks of the loop, in reverse postorder.
    pub(super) blocks: Vec<BlockId>,
    /// By block: whether it is in the loop.
    pub(super) is_inside: Vec<bool>,
    /// All loops of the function.
    pub(super) loops: Loops,
}

/// Finds the loop: it counts from 0 to the number of subgroups, which is even, and the exit test is its only exit.
pub(super) fn turns(function: &Function, subgroups: u32) -> Option<Turns> {
    let Terminator::Jump(edge) = &function.block(Function::ENTRY).terminator else {
        return None;
    };
    let header = edge.block;
    let (&[number], &[first]) = (&function.block(header).parameters[..], &edge.arguments[..])
    else {
        return None;
    };
    let graph = Cfg::new(function);
    let loops = Loops::new(&graph, function.blocks.len());
    let id = loops.innermost(header)?;
    let ways = graph.predecessors(header).iter().copied();
    let mut back = ways.filter(|it| *it != Function::ENTRY);
    let (latch, None) = (back.next()?, back.next()) else {
        return None;
    };
    let value_defs = value_defs(function);
    let next = next(function, &value_defs, header, latch, number, subgroups)?;
    let is_start = word(function, &value_defs, first) == Some(0);
    let blocks = graph.order().iter().copied();
    let blocks: Vec<_> = blocks.filter(|it| loops.contains(id, *it)).collect();
    let mut is_inside = vec![false; function.blocks.len()];
    blocks.iter().for_each(|it| is_inside[it.index()] = true);
    let turns = Turns {
        header,
        latch,
        number,
        next,
        blocks,
        is_inside,
        loops,
    };
    (is_start && subgroups.is_multiple_of(2) && turns.is_closed(function, &value_defs))
        .then_some(turns)
}

/// The number of the next subgroup, if the latch continues while it is below the number of subgroups.
fn next(
    function: &Function,
    value_defs: &[ValueDef],
    header: BlockId,
    latch: BlockId,
    number: Value,
    subgroups: u32,
) -> Option<Value> {
    let Terminator::Branch(condition, yes, _) = &function.block(latch).terminator else {
        return None;
    };
    let (WordCompare::LtU, &[next, limit]) =
        compare(definition(function, value_defs, *condition)?)?
    else {
        return None;
    };
    let sum = definition(function, value_defs, next)?;
    let (Op::WordBinary(WordBinary::Add), &[counter, step]) = (sum.op, &sum.operands[..]) else {
        return None;
    };
    let is_count = counter == number
        && word(function, value_defs, step) == Some(1)
        && word(function, value_defs, limit) == Some(subgroups)
        && yes.block == header
        && yes.arguments == [next];
    is_count.then_some(next)
}

fn compare(inst: &Inst) -> Option<(WordCompare, &[Value])> {
    match inst.op {
        Op::WordCompare(op) => Some((op, &inst.operands)),
        _ => None,
    }
}

fn word(function: &Function, value_defs: &[ValueDef], value: Value) -> Option<u32> {
    match definition(function, value_defs, value)?.op {
        Op::Word(bits) => Some(bits),
        _ => None,
    }
}

impl Turns {
    /// Whether only the latch exits the loop, and no value of the loop is used after it.
    fn is_closed(&self, function: &Function, value_defs: &[ValueDef]) -> bool {
        let is_inside = |it: &BlockId| self.is_inside[it.index()];
        let stays = |it: &BlockId| {
            let next = function.block(*it).terminator.successors();
            *it == self.latch || !next.is_empty() && next.iter().all(is_inside)
        };
        let numbers = (0..function.blocks.len() as u32).map(BlockId);
        let mut behind = numbers.filter(|it| !is_inside(it)).flat_map(|it| {
            let block = function.block(it);
            let operands = block
                .insts
                .iter()
                .flat_map(|it| it.operands.iter().copied());
            operands.chain(block.terminator.uses())
        });
        let is_foreign = |it: Value| {
            value_defs[it.index()]
                .block()
                .is_some_and(|it| !is_inside(&it))
        };
        self.blocks.iter().all(stays) && behind.all(is_foreign)
    }
}

/// How the instructions of two subgroups are interleaved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Instruction by instruction.
    Mixed,
    /// Block by block, which needs fewer registers for temporaries.
    Blocks,
}

/// The most instructions of a loop that is interleaved block by block, to limit compile time.
const MAX_INSTS: usize = 500;

/// The interleaving, if it is profitable: all inner loops carry few values and do not access memory, and at least one
/// is limited by latency, or all are short and some branch varies.
pub(super) fn order(function: &Function, turns: &Turns, differs: &[bool]) -> Option<Order> {
    let outer = turns.loops.innermost(turns.header);
    let all = (0..turns.loops.all().len() as u32).map(LoopId);
    let inner =
        all.filter(|it| Some(*it) != outer && turns.is_inside[turns.loops.get(*it).header.index()]);
    let graph = Cfg::new(function);
    let (mut has_masks, mut all_short, mut waits) = (false, true, false);
    for id in inner {
        let header = turns.loops.get(id).header;
        let ids = turns.blocks.iter().copied();
        let ids: Vec<_> = ids.filter(|it| turns.loops.contains(id, *it)).collect();
        let blocks: Vec<_> = ids.iter().map(|it| function.block(*it)).collect();
        let size = Size::of(function, function.block(header), &blocks);
        if !size.is_narrow(function.capabilities.vector_registers) {
            return None;
        }
        all_short &= size.is_short(function.capabilities.vector_registers);
        let turn = critical_path::turn(function, &graph, header, &ids);
        waits |= 2 * turn.chain >= 3 * turn.work;
        let mut conditions = blocks.iter().filter_map(|it| it.terminator.condition());
        has_masks |= conditions.any(|it| differs[it.index()]);
    }
    let insts = turns
        .blocks
        .iter()
        .map(|it| function.block(*it).insts.len());
    if all_short && (has_masks || waits) {
        Some(Order::Mixed)
    } else if waits && insts.sum::<usize>() <= MAX_INSTS {
        Some(Order::Blocks)
    } else {
        None
    }
}

/// The register demand of a loop.
struct Size {
    /// Loop-carried vectors.
    carried: usize,
    /// Instructions that compute vectors.
    computed: usize,
    touches_memory: bool,
}

impl Size {
    fn of(function: &Function, header: &crate::ir::Block, blocks: &[&crate::ir::Block]) -> Self {
        let is_lanes = |it: &Value| function.type_of(*it) == Type::Lanes;
        let insts = || blocks.iter().flat_map(|it| &it.insts);
        let computed = insts().filter(|it| !it.op.is_cheap() && it.result.iter().any(is_lanes));
        let touches =
            |it: &Inst| it.op.reads_memory() || it.op.has_effect() && !matches!(it.op, Op::Poll(_));
        Self {
            carried: header.parameters.iter().filter(|it| is_lanes(it)).count(),
            computed: computed.count(),
            touches_memory: insts().any(touches),
        }
    }

    /// Whether the loop-carried vectors of two subgroups fit into registers, with registers left for loop invariants.
    fn is_narrow(&self, registers: u32) -> bool {
        let max = if registers >= 32 { 6 } else { 3 };
        self.carried <= max && !self.touches_memory
    }

    /// Whether the loop body is short enough for the instructions of a second subgroup.
    fn is_short(&self, registers: u32) -> bool {
        self.computed <= if registers >= 32 { 32 } else { 24 }
    }
}
