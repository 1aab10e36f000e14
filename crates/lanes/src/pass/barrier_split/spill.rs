//! Liveness across barriers, and where spilled values are stored.
//!
//! In: a function with barriers. Out: for each barrier the values that are live across it, and for each spilled value
//! the block at whose end it is stored. A value has one frame slot, and stays there from the first barrier to the last.
//!
//! Each value is followed backwards from its uses to its definition. Values are visited in reverse order of their
//! definitions, so that a rematerialized value can request its operands. The time is the number of values times the
//! blocks through which they are followed, which a meter limits.

use anywarp_program::work::{Meter, OverBudget};
use smallvec::SmallVec;

use crate::ir::{BlockId, Function, Terminator, Value};
use crate::pass::cfg::Cfg;
use crate::pass::csr::CsrLists;
use crate::pass::loops::Loops;
use crate::pass::value_def::{ValueDef, definition, value_defs};

/// How a value is preserved across a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::pass) enum Preservation {
    /// Spilled: stored to a frame slot before the barrier, and loaded after it.
    Spilled,
    /// Rematerialized from its operands after the barrier.
    Rematerialized,
    /// Passed on as a value. It is then live across every barrier on the path.
    Passed,
}

/// A barrier, by its number minus one.
#[derive(Clone, Debug)]
pub(in crate::pass) struct Site {
    /// The block that follows it.
    pub(in crate::pass) target: BlockId,
    /// The block that ends with it, if there is one.
    pub(in crate::pass) from: Option<BlockId>,
    /// The values that are live across it; operands before the values that are rematerialized from them.
    pub(in crate::pass) live_values: Vec<Value>,
    /// The generation of the last walk that crossed it.
    seen: u32,
}

/// The values that live across barriers.
#[derive(Debug)]
pub(in crate::pass) struct LiveAcross {
    /// The barriers, by their number minus one.
    pub(in crate::pass) sites: Vec<Site>,
    /// The spilled values, each with the block at whose end it is stored.
    pub(in crate::pass) spills: Vec<(Value, BlockId)>,
}

/// Finds the values that live across the barriers of a function whose blocks are all reachable. A rematerialized value
/// must be the result of an instruction without side effects that does not read memory that changes.
pub(in crate::pass) fn find_live_across(
    function: &Function,
    graph: &Cfg,
    preservation: impl Fn(Value) -> Preservation,
    meter: &Meter,
) -> Result<LiveAcross, OverBudget> {
    let loops = Loops::new(graph, function.blocks.len());
    let value_defs = value_defs(function);
    let uses = uses(function, graph, &value_defs);
    let mut walk = LivenessWalk {
        function,
        graph,
        meter,
        value_defs: &value_defs,
        sites: sites(function),
        rematerialized_after: vec![SmallVec::new(); function.types.len()],
        seen: vec![0; function.blocks.len()],
        is_after_barrier: reachable_from_barriers(function),
        is_before: reaching_barriers(function, graph),
        generation: 0,
        open: Vec::new(),
    };
    let mut spills = Vec::new();
    for value in definitions(function, graph).into_iter().rev() {
        let block = walk.follow(&loops, value, preservation(value), uses.of(value.index()))?;
        spills.extend(block.map(|block| (value, block)));
    }
    spills.reverse();
    let mut sites = walk.sites;
    sites.iter_mut().for_each(|site| site.live_values.reverse());
    Ok(LiveAcross { sites, spills })
}

/// All values, each after its operands.
fn definitions(function: &Function, graph: &Cfg) -> Vec<Value> {
    let mut values = Vec::with_capacity(function.types.len());
    for &block in graph.order() {
        let block = function.block(block);
        values.extend_from_slice(&block.parameters);
        values.extend(block.insts.iter().filter_map(|inst| inst.result));
    }
    values
}

/// By value: the blocks that use it, except its defining block.
fn uses(function: &Function, graph: &Cfg, value_defs: &[ValueDef]) -> CsrLists<BlockId> {
    let mut last: Vec<_> = value_defs
        .iter()
        .map(|definition| definition.block())
        .collect();
    let mut pairs = Vec::new();
    for &id in graph.order() {
        let block = function.block(id);
        let operands = block
            .insts
            .iter()
            .flat_map(|inst| inst.operands.iter().copied());
        for value in operands.chain(block.terminator.uses()) {
            if value_defs[value.index()].block() != Some(id)
                && last[value.index()].replace(id) != Some(id)
            {
                pairs.push((value.0, id));
            }
        }
    }
    CsrLists::new(function.types.len(), &pairs)
}

/// By block: whether it is reachable from a barrier.
fn reachable_from_barriers(function: &Function) -> Vec<bool> {
    let mut is_after_barrier = vec![false; function.blocks.len()];
    let ends = function.blocks.iter().map(|block| &block.terminator);
    let mut open: Vec<_> = ends
        .filter(|terminator| matches!(terminator, Terminator::Suspend(..)))
        .flat_map(Terminator::successors)
        .collect();
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut is_after_barrier[block.index()], true) {
            open.extend(function.block(block).terminator.successors());
        }
    }
    is_after_barrier
}

/// By block: whether a barrier is reachable from it.
fn reaching_barriers(function: &Function, graph: &Cfg) -> Vec<bool> {
    let mut is_before = vec![false; function.blocks.len()];
    let is_barrier = |block: &BlockId| {
        let terminator = &function.block(*block).terminator;
        matches!(terminator, Terminator::Suspend(..))
    };
    let mut open: Vec<_> = graph.order().iter().copied().filter(is_barrier).collect();
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut is_before[block.index()], true) {
            open.extend_from_slice(graph.predecessors(block));
        }
    }
    is_before
}

fn sites(function: &Function) -> Vec<Site> {
    let unused = Site {
        target: Function::ENTRY,
        from: None,
        live_values: Vec::new(),
        seen: 0,
    };
    let mut sites = vec![unused.clone(); function.barriers as usize];
    for (from, block) in function.blocks.iter().enumerate() {
        if let Terminator::Suspend(number, target) = block.terminator {
            let index = number as usize - 1;
            if index >= sites.len() {
                sites.resize(index + 1, unused.clone());
            }
            sites[index].target = target;
            sites[index].from = Some(BlockId(from as u32));
        }
    }
    sites
}

struct LivenessWalk<'a> {
    function: &'a Function,
    graph: &'a Cfg,
    meter: &'a Meter,
    value_defs: &'a [ValueDef],
    sites: Vec<Site>,
    /// By value: the barriers after which a value is rematerialized from it.
    rematerialized_after: Vec<SmallVec<[u32; 1]>>,
    /// By block: the generation of the last walk that visited it.
    seen: Vec<u32>,
    /// By block: whether it is reachable from a barrier. Walks stop at other blocks, as no barrier precedes them.
    is_after_barrier: Vec<bool>,
    /// By block: whether a barrier is reachable from it. Values of other blocks do not live across barriers.
    is_before: Vec<bool>,
    generation: u32,
    open: Vec<BlockId>,
}

impl LivenessWalk<'_> {
    /// Follows a value from its uses. Returns the block at whose end it is spilled, if it must be.
    fn follow(
        &mut self,
        loops: &Loops,
        value: Value,
        preservation: Preservation,
        uses: &[BlockId],
    ) -> Result<Option<BlockId>, OverBudget> {
        let origin = self.value_defs[value.index()];
        if !origin
            .block()
            .is_some_and(|block| self.is_before[block.index()])
        {
            return Ok(None);
        }
        let mut rematerialized_after =
            std::mem::take(&mut self.rematerialized_after[value.index()]).into_vec();
        rematerialized_after.sort_unstable();
        rematerialized_after.dedup();
        let mut crossed = self.walk(origin, uses, rematerialized_after, preservation)?;
        let spill_block = match preservation {
            Preservation::Rematerialized => {
                let inst = definition(self.function, self.value_defs, value);
                for operand in inst.into_iter().flat_map(|inst| &inst.operands) {
                    self.rematerialized_after[operand.index()].extend_from_slice(&crossed);
                }
                None
            }
            Preservation::Passed => None,
            Preservation::Spilled => self.spill_block(loops, origin, &mut crossed)?,
        };
        for number in crossed {
            self.sites[number as usize].live_values.push(value);
        }
        Ok(spill_block)
    }

    /// The block at whose end a value is spilled that is live across some barriers. There may be further barriers
    /// between the definition and that block, if they are in an irreducible cycle.
    fn spill_block(
        &mut self,
        loops: &Loops,
        origin: ValueDef,
        crossed: &mut Vec<u32>,
    ) -> Result<Option<BlockId>, OverBudget> {
        let Some(mut barrier_block) = self.dominator_of_barriers(crossed)? else {
            return Ok(None);
        };
        loop {
            let spill_block = self.hoisted_spill_block(loops, origin, barrier_block)?;
            let between = self.walk(
                origin,
                &[spill_block],
                crossed.clone(),
                Preservation::Spilled,
            )?;
            let Some(above) = self.dominator_of_barriers(&between)? else {
                return Ok(None);
            };
            let above = self.common_dominator(barrier_block, above)?;
            if above == barrier_block {
                *crossed = between;
                return Ok(Some(spill_block));
            }
            barrier_block = above;
        }
    }

    /// The nearest common dominator of some barriers.
    fn dominator_of_barriers(&self, crossed: &[u32]) -> Result<Option<BlockId>, OverBudget> {
        let mut nearest = None;
        for number in crossed {
            self.meter.tick(1)?;
            nearest = match (nearest, self.sites[*number as usize].from) {
                (Some(one), Some(other)) => Some(self.common_dominator(one, other)?),
                (one, other) => one.or(other),
            };
        }
        Ok(nearest)
    }

    /// The nearest common dominator of two blocks.
    fn common_dominator(&self, first: BlockId, second: BlockId) -> Result<BlockId, OverBudget> {
        let mut block = first;
        while !self.graph.dominates(block, second) {
            self.meter.tick(1)?;
            match self.graph.dominator(block) {
                Some(above) => block = above,
                None => break,
            }
        }
        Ok(block)
    }

    /// Hoists a spill out of the loops that do not contain the definition, and no further. The block dominates the
    /// barriers at which the value is live.
    fn hoisted_spill_block(
        &self,
        loops: &Loops,
        origin: ValueDef,
        barrier_block: BlockId,
    ) -> Result<BlockId, OverBudget> {
        let mut best = barrier_block;
        let mut block = barrier_block;
        while origin.block() != Some(block) {
            self.meter.tick(1)?;
            let Some(above) = self.graph.dominator(block) else {
                break;
            };
            block = above;
            if loops.depth(block) < loops.depth(best) {
                best = block;
            }
        }
        Ok(best)
    }

    /// Walks backwards from blocks where a value is live-in to its definition, or to barriers, after which it is
    /// reloaded; a value that is passed on is followed across barriers. Returns the known barriers and those that were
    /// found.
    fn walk(
        &mut self,
        origin: ValueDef,
        from: &[BlockId],
        known: Vec<u32>,
        preservation: Preservation,
    ) -> Result<Vec<u32>, OverBudget> {
        self.meter.tick((1 + from.len() + known.len()) as u64)?;
        self.generation += 1;
        let is_passed = preservation == Preservation::Passed;
        let mut crossed = known;
        for number in &crossed {
            let site = &mut self.sites[*number as usize];
            site.seen = self.generation;
            self.open.extend(site.from.filter(|_| is_passed));
        }
        self.open.extend_from_slice(from);
        while let Some(block) = self.open.pop() {
            let is_end = origin.block() == Some(block) || !self.is_after_barrier[block.index()];
            if is_end
                || std::mem::replace(&mut self.seen[block.index()], self.generation)
                    == self.generation
            {
                continue;
            }
            let predecessors = self.graph.predecessors(block);
            self.meter.tick(1 + predecessors.len() as u64)?;
            for &from in predecessors {
                let Terminator::Suspend(number, _) = self.function.block(from).terminator else {
                    self.open.push(from);
                    continue;
                };
                let site = &mut self.sites[number as usize - 1];
                if std::mem::replace(&mut site.seen, self.generation) != self.generation {
                    crossed.push(number - 1);
                    self.open.extend(is_passed.then_some(from));
                }
            }
        }
        Ok(crossed)
    }
}
