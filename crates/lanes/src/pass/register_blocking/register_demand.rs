//! How many outer iterations of a nest fit into the vector registers.
//!
//! In: a nest. Out: the number of iterations to run together, or `None` if that is not profitable: if no inner loop
//! loads a vector that the iterations share, or consecutive rows under masks, or two iterations do not fit.

use crate::ir::{Block, BlockId, Function, Type, Value};
use crate::pass::hash::Map;
use crate::pass::loops::LoopId;
use crate::pass::unroll_and_jam::counted_loop::LoopTables;

use super::masked_loop;
use super::nest::Nest;
use super::periodicity::Periodicity;

/// The most instructions of the inner loops after blocking, without constants.
const MAX_INSTS: usize = 192;

/// Registers for temporary values.
const TEMPORARIES: usize = 3;

/// The number of iterations to run together: the largest that fits.
pub(super) fn iterations(
    function: &Function,
    tables: &LoopTables,
    periodicity: &Periodicity,
    nest: &Nest,
) -> Option<u32> {
    let demands: Vec<_> = nest
        .inner
        .iter()
        .map(|id| RegisterDemand::new(function, tables, periodicity, *id))
        .collect();
    let is_profitable = if nest.is_divergent {
        let mut inner = nest.inner.iter().map(|id| tables.loops.get(*id).header);
        nest.period == 1
            && demands.iter().any(|demand| demand.loads_rows)
            && inner.any(|id| masked_loop::loads_lines(function, tables, id))
    } else {
        demands.iter().any(|demand| demand.shares_load)
    };
    if !is_profitable {
        return None;
    }
    let registers = function.capabilities.vector_registers as usize;
    let fits = |iterations: &u32| {
        let copies = *iterations as usize;
        let is_divisor = nest
            .outer
            .trip_count
            .is_multiple_of(*iterations * nest.period);
        let vectors = demands.iter().map(|demand| demand.vectors(copies));
        let insts = demands.iter().map(|demand| demand.insts * copies);
        is_divisor
            && vectors.max().is_some_and(|vectors| vectors <= registers)
            && insts.sum::<usize>() <= MAX_INSTS
    };
    [4, 2].into_iter().find(fits)
}

/// The vectors that are live in an inner loop.
#[derive(Default)]
struct RegisterDemand {
    /// Vectors that each iteration has for itself: loop-carried and loop-invariant ones.
    own: usize,
    /// Vectors that the iterations share.
    shared: usize,
    /// Whether a vector load is shared, by instructions that are not.
    shares_load: bool,
    /// Whether iterations load rows at different indices.
    loads_rows: bool,
    /// Masks that each iteration has for itself.
    masks: usize,
    /// Instructions, without constants.
    insts: usize,
}

impl RegisterDemand {
    fn new(
        function: &Function,
        tables: &LoopTables,
        periodicity: &Periodicity,
        id: LoopId,
    ) -> Self {
        let is_in_loop = |block: BlockId| tables.loops.contains(id, block);
        let blocks = tables.blocks(id);
        let mut demand = Self::default();
        let mut counted = Map::default();
        for block in blocks.iter().map(|block| function.block(*block)) {
            let operands = block.insts.iter().flat_map(|inst| &inst.operands);
            let live_in = operands.copied().filter(|value| {
                let definition = tables.definition(function, *value);
                let is_cheap = definition.is_some_and(|inst| inst.op.is_cheap());
                !is_cheap && !tables.block_of(*value).is_some_and(is_in_loop)
            });
            for value in live_in.chain(block.parameters.iter().copied()) {
                if counted.insert(value, ()).is_none() {
                    demand.add_vector(function, periodicity, value);
                }
            }
            demand.add_insts(function, periodicity, block);
        }
        demand
    }

    fn add_vector(&mut self, function: &Function, periodicity: &Periodicity, value: Value) {
        match (function.type_of(value), periodicity.varies(value)) {
            (Type::Lanes, true) => self.own += 1,
            (Type::Lanes, false) => self.shared += 1,
            (Type::Mask, true) => self.masks += 1,
            _ => {}
        }
    }

    fn add_insts(&mut self, function: &Function, periodicity: &Periodicity, block: &Block) {
        for inst in block.insts.iter().filter(|inst| !inst.op.is_cheap()) {
            self.insts += 1;
            let Some(result) = inst.result else { continue };
            let is_shared = !periodicity.varies(result);
            if is_shared && function.type_of(result) == Type::Lanes {
                self.shared += 1;
                self.shares_load |= inst.op.reads_memory();
            }
            self.loads_rows |= masked_loop::is_row(inst) && periodicity.varies(inst.operands[1]);
        }
    }

    /// The vectors that are live if this many iterations run together.
    fn vectors(&self, iterations: usize) -> usize {
        iterations * (self.own + self.masks) + self.shared + TEMPORARIES
    }
}
