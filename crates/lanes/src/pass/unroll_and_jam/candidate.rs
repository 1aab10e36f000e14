//! Finds the loop over subgroups, and decides whether two of its iterations are better executed together.

use crate::ir::{Function, Inst, Op, Terminator, Type, Value};
use anywarp_program::work::{Meter, OverBudget};

use super::counted_loop::{CountedLoop, LoopTables};
use super::critical_path;
use super::interleave::Interleaving;

/// Finds the loop over subgroups: it counts to the number of subgroups, which is even. Returns the tables of all loops, too.
pub(super) fn find_subgroup_loop(
    function: &Function,
    subgroups: u32,
) -> Option<(CountedLoop, LoopTables)> {
    let Terminator::Jump(edge) = &function.block(Function::ENTRY).terminator else {
        return None;
    };
    let tables = LoopTables::new(function);
    let id = tables.loops.innermost(edge.block)?;
    let found = CountedLoop::new(function, &tables, id)?;
    let is_over_subgroups = found.header == edge.block && found.trip_count == subgroups;
    (is_over_subgroups && subgroups.is_multiple_of(2)).then_some((found, tables))
}

/// The most instructions of a loop that is interleaved block by block, to limit compile time.
const MAX_INSTS: usize = 3000;

/// The interleaving, if it is profitable: all inner loops carry few values and only load what both subgroups share, and
/// at least one is limited by latency, or all are short and some branch varies.
pub(super) fn interleaving(
    function: &Function,
    (subgroup_loop, tables): (&CountedLoop, &LoopTables),
    varying: &[bool],
    meter: &Meter,
) -> Result<Option<Interleaving>, OverBudget> {
    let outer = tables.loops.innermost(subgroup_loop.header);
    let inner = outer.map_or_else(Vec::new, |outer| tables.tree.descendants(outer));
    let (mut has_masks, mut all_short, mut is_latency_bound) = (false, true, false);
    for id in inner {
        let header = tables.loops.get(id).header;
        let ids = tables.blocks(id);
        let blocks: Vec<_> = ids.iter().map(|block| function.block(*block)).collect();
        let insts = blocks.iter().map(|block| 1 + block.insts.len());
        meter.tick(insts.sum::<usize>() as u64)?;
        let size = RegisterDemand::of(function, varying, function.block(header), &blocks);
        if !size.is_narrow(function.capabilities.vector_registers) {
            return Ok(None);
        }
        all_short &= size.is_short(function.capabilities.vector_registers);
        let cost = critical_path::iteration_cost(function, &tables.graph, header, &ids);
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
    let interleaving = if all_short && (has_masks || is_latency_bound) {
        Some(Interleaving::ByInstruction)
    } else if is_latency_bound && insts.sum::<usize>() <= MAX_INSTS {
        Some(Interleaving::ByBlock)
    } else {
        None
    };
    Ok(interleaving)
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
