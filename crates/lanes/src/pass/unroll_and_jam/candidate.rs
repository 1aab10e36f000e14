//! Finds the loop over subgroups, and decides whether two of its iterations are better executed together.

use crate::ir::{BlockId, Function, Inst, Op, Terminator, Type, Value, WordBinary, WordCompare};
use crate::pass::cfg::Cfg;
use crate::pass::loops::{LoopId, Loops};
use crate::pass::value_def::{ValueDef, definition, value_defs};

use super::critical_path;

/// The loop over the subgroups of a workgroup.
pub(super) struct SubgroupLoop {
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
pub(super) fn find_subgroup_loop(function: &Function, subgroups: u32) -> Option<SubgroupLoop> {
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
    let predecessors = graph.predecessors(header).iter().copied();
    let mut back = predecessors.filter(|block| *block != Function::ENTRY);
    let (latch, None) = (back.next()?, back.next()) else {
        return None;
    };
    let value_defs = value_defs(function);
    let next = next(function, &value_defs, header, latch, number, subgroups)?;
    let is_start = word(function, &value_defs, first) == Some(0);
    let blocks: Vec<_> = graph
        .order()
        .iter()
        .copied()
        .filter(|block| loops.contains(id, *block))
        .collect();
    let mut is_inside = vec![false; function.blocks.len()];
    blocks
        .iter()
        .for_each(|block| is_inside[block.index()] = true);
    let subgroup_loop = SubgroupLoop {
        header,
        latch,
        number,
        next,
        blocks,
        is_inside,
        loops,
    };
    (is_start
        && subgroups.is_multiple_of(2)
        && subgroup_loop.has_single_exit(function, &value_defs))
    .then_some(subgroup_loop)
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

impl SubgroupLoop {
    /// Whether only the latch exits the loop, and no value of the loop is used after it.
    fn has_single_exit(&self, function: &Function, value_defs: &[ValueDef]) -> bool {
        let is_inside = |block: &BlockId| self.is_inside[block.index()];
        let stays = |block: &BlockId| {
            let next = function.block(*block).terminator.successors();
            *block == self.latch || !next.is_empty() && next.iter().all(is_inside)
        };
        let numbers = (0..function.blocks.len() as u32).map(BlockId);
        let mut uses_after = numbers.filter(|block| !is_inside(block)).flat_map(|id| {
            let block = function.block(id);
            let operands = block
                .insts
                .iter()
                .flat_map(|inst| inst.operands.iter().copied());
            operands.chain(block.terminator.uses())
        });
        let is_defined_outside = |value: Value| {
            value_defs[value.index()]
                .block()
                .is_some_and(|block| !is_inside(&block))
        };
        self.blocks.iter().all(stays) && uses_after.all(is_defined_outside)
    }
}

/// How the instructions of two subgroups are interleaved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interleaving {
    /// Instruction by instruction.
    ByInstruction,
    /// Block by block, which needs fewer registers for temporaries.
    ByBlock,
}

/// The most instructions of a loop that is interleaved block by block, to limit compile time.
const MAX_INSTS: usize = 3000;

/// The interleaving, if it is profitable: all inner loops carry few values and only load what both subgroups share, and
/// at least one is limited by latency, or all are short and some branch varies.
pub(super) fn interleaving(
    function: &Function,
    subgroup_loop: &SubgroupLoop,
    varying: &[bool],
) -> Option<Interleaving> {
    let outer = subgroup_loop.loops.innermost(subgroup_loop.header);
    let all = (0..subgroup_loop.loops.all().len() as u32).map(LoopId);
    let inner = all.filter(|id| {
        Some(*id) != outer && subgroup_loop.is_inside[subgroup_loop.loops.get(*id).header.index()]
    });
    let graph = Cfg::new(function);
    let (mut has_masks, mut all_short, mut is_latency_bound) = (false, true, false);
    for id in inner {
        let header = subgroup_loop.loops.get(id).header;
        let ids: Vec<_> = subgroup_loop
            .blocks
            .iter()
            .copied()
            .filter(|block| subgroup_loop.loops.contains(id, *block))
            .collect();
        let blocks: Vec<_> = ids.iter().map(|block| function.block(*block)).collect();
        let size = RegisterDemand::of(function, varying, function.block(header), &blocks);
        if !size.is_narrow(function.capabilities.vector_registers) {
            return None;
        }
        all_short &= size.is_short(function.capabilities.vector_registers);
        let cost = critical_path::iteration_cost(function, &graph, header, &ids);
        is_latency_bound |= 2 * cost.latency >= 3 * cost.throughput;
        let mut conditions = blocks
            .iter()
            .filter_map(|block| block.terminator.condition());
        has_masks |= conditions.any(|condition| varying[condition.index()]);
    }
    let insts = subgroup_loop
        .blocks
        .iter()
        .map(|block| function.block(*block).insts.len());
    if all_short && (has_masks || is_latency_bound) {
        Some(Interleaving::ByInstruction)
    } else if is_latency_bound && insts.sum::<usize>() <= MAX_INSTS {
        Some(Interleaving::ByBlock)
    } else {
        None
    }
}

/// The register demand of a loop.
struct RegisterDemand {
    /// Loop-carried vectors.
    carried: usize,
    /// Instructions that compute vectors.
    computed: usize,
    /// Whether it accesses memory for each subgroup.
    touches_memory: bool,
}

impl RegisterDemand {
    fn of(
        function: &Function,
        varying: &[bool],
        header: &crate::ir::Block,
        blocks: &[&crate::ir::Block],
    ) -> Self {
        let is_lanes = |value: &Value| function.type_of(*value) == Type::Lanes;
        let insts = || blocks.iter().flat_map(|block| &block.insts);
        let computed =
            insts().filter(|inst| !inst.op.is_cheap() && inst.result.iter().any(is_lanes));
        // What does not vary is loaded once for both.
        let is_varying = |inst: &Inst| inst.result.is_none_or(|result| varying[result.index()]);
        let touches = |inst: &Inst| {
            inst.op.reads_memory() && is_varying(inst)
                || inst.op.has_effect() && !matches!(inst.op, Op::Poll(_))
        };
        Self {
            carried: header
                .parameters
                .iter()
                .filter(|parameter| is_lanes(parameter))
                .count(),
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
