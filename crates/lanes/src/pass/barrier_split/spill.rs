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
    pub(in crate::pass) needs: Vec<Value>,
    /// The generation of the last walk that crossed it.
    seen: u32,
}

/// The values that live across barriers.
#[derive(Debug)]
pub(in crate::pass) struct Across {
    /// The barriers, by their number minus one.
    pub(in crate::pass) sites: Vec<Site>,
    /// The spilled values, each with the block at whose end it is stored.
    pub(in crate::pass) kept: Vec<(Value, BlockId)>,
}

/// Finds the values that live across the barriers of a function whose blocks are all reachable. A rematerialized value
/// must be the result of an instruction without side effects that does not read memory that changes.
pub(in crate::pass) fn across(
    function: &Function,
    graph: &Cfg,
    preservation: impl Fn(Value) -> Preservation,
    meter: &Meter,
) -> Result<Across, OverBudget> {
    let loops = Loops::new(graph, function.blocks.len());
    let value_defs = value_defs(function);
    let uses = uses(function, graph, &value_defs);
    let mut walk = Walk {
        function,
        graph,
        meter,
        value_defs: &value_defs,
        sites: sites(function),
        wanted: vec![SmallVec::new(); function.types.len()],
        seen: vec![0; function.blocks.len()],
        is_behind: behind_barriers(function),
        is_before: before_barriers(function, graph),
        age: 0,
        open: Vec::new(),
    };
    let mut kept = Vec::new();
    for value in definitions(function, graph).into_iter().rev() {
        let block = walk.follow(&loops, value, preservation(value), uses.of(value.index()))?;
        kept.extend(block.map(|it| (value, it)));
    }
    kept.reverse();
    let mut sites = walk.sites;
    sites.iter_mut().for_each(|it| it.needs.reverse());
    Ok(Across { sites, kept })
}

/// All values, each after its operands.
fn definitions(function: &Function, graph: &Cfg) -> Vec<Value> {
    let mut values = Vec::with_capacity(function.types.len());
    for &block in graph.order() {
        let block = function.block(block);
        values.extend_from_slice(&block.parameters);
        values.extend(block.insts.iter().filter_map(|it| it.result));
    }
    values
}

/// By value: the blocks that use it, except its defining block.
fn uses(function: &Function, graph: &Cfg, value_defs: &[ValueDef]) -> CsrLists<BlockId> {
    let mut last: Vec<_> = value_defs.iter().map(|it| it.block()).collect();
    let mut pairs = Vec::new();
    for &id in graph.order() {
        let block = function.block(id);
        let operands = block
            .insts
            .iter()
            .flat_map(|it| it.operands.iter().copied());
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
fn behind_barriers(function: &Function) -> Vec<bool> {
    let mut is_behind = vec![false; function.blocks.len()];
    let ends = function.blocks.iter().map(|it| &it.terminator);
    let mut open: Vec<_> = ends
        .filter(|it| matches!(it, Terminator::Suspend(..)))
        .flat_map(Terminator::successors)
        .collect();
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut is_behind[block.index()], true) {
            open.extend(function.block(block).terminator.successors());
        }
    }
    is_behind
}

/// By block: whether a barrier is reachable from it.
fn before_barriers(function: &Function, graph: &Cfg) -> Vec<bool> {
    let mut is_before = vec![false; function.blocks.len()];
    let is_barrier = |it: &BlockId| {
        let terminator = &function.block(*it).terminator;
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
    let nowhere = Site {
        target: Function::ENTRY,
        from: None,
        needs: Vec::new(),
        seen: 0,
    };
    let mut sites = vec![nowhere.clone(); function.barriers as usize];
    for (from, block) in function.blocks.iter().enumerate() {
        if let Terminator::Suspend(number, target) = block.terminator {
            let index = number as usize - 1;
            if index >= sites.len() {
                sites.resize(index + 1, nowhere.clone());
            }
            sites[index].target = target;
            sites[index].from = Some(BlockId(from as u32));
        }
    }
    sites
}

struct Walk<'a> {
    function: &'a Function,
    graph: &'a Cfg,
    meter: &'a Meter,
    value_defs: &'a [ValueDef],
    sites: Vec<Site>,
    /// By value: the barriers after which a value is rematerialized from it.
    wanted: Vec<SmallVec<[u32; 1]>>,
    /// By block: the generation of the last walk that visited it.
    seen: Vec<u32>,
    /// By block: whether it is reachable from a barrier. Walks stop at other blocks, as no barrier precedes them.
    is_behind: Vec<bool>,
    /// By block: whether a barrier is reachable from it. Values of other blocks do not live across barriers.
    is_before: Vec<bool>,
    age: u32,
    open: Vec<BlockId>,
}

impl Walk<'_> {
    /// Follows a value from its uses. Returns the block at whose end it is spilled, if it must be.
    fn follow(
        &mut self,
        loops: &Loops,
        value: Value,
        preservation: Preservation,
        uses: &[BlockId],
    ) -> Result<Option<BlockId>, OverBudget> {
        let origin = self.value_defs[value.index()];
        if !origin.block().is_some_and(|it| self.is_before[it.index()]) {
            return Ok(None);
        }
        let mut wanted = std::mem::take(&mut self.wanted[value.index()]).into_vec();
        wanted.sort_unstable();
        wanted.dedup();
        let mut crossed = self.walk(origin, uses, wanted, preservation)?;
        let keeper = match preservation {
            Preservation::Rematerialized => {
                let inst = definition(self.function, self.value_defs, value);
                for operand in inst.into_iter().flat_map(|it| &it.operands) {
                    self.wanted[operand.index()].extend_from_slice(&crossed);
                }
                None
            }
            Preservation::Passed => None,
            Preservation::Spilled => self.keeper(loops, origin, &mut crossed)?,
        };
        for number in crossed {
            self.sites[number as usize].needs.push(value);
        }
        Ok(keeper)
    }

    /// The block at whose end a value is spilled that is live across some barriers. There may be further barriers
    /// between the definition and that block, if they are in an irreducible cycle.
    fn keeper(
        &mut self,
        loops: &Loops,
        origin: ValueDef,
        crossed: &mut Vec<u32>,
    ) -> Result<Option<BlockId>, OverBudget> {
        let Some(mut before) = self.before(crossed)? else {
            return Ok(None);
        };
        loop {
            let keeper = self.keeper_above(loops, origin, before)?;
            let between = self.walk(origin, &[keeper], crossed.clone(), Preservation::Spilled)?;
            let Some(above) = self.before(&between)? else {
                return Ok(None);
            };
            let above = self.common_dominator(before, above)?;
            if above == before {
                *crossed = between;
                return Ok(Some(keeper));
            }
            before = above;
        }
    }

    /// The nearest common dominator of some barriers.
    fn before(&self, crossed: &[u32]) -> Result<Option<BlockId>, OverBudget> {
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
    fn keeper_above(
        &self,
        loops: &Loops,
        origin: ValueDef,
        before: BlockId,
    ) -> Result<BlockId, OverBudget> {
        let mut best = before;
        let mut block = before;
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
        self.age += 1;
        let is_passed = preservation == Preservation::Passed;
        let mut crossed = known;
        for number in &crossed {
            let site = &mut self.sites[*number as usize];
            site.seen = self.age;
            self.open.extend(site.from.filter(|_| is_passed));
        }
        self.open.extend_from_slice(from);
        while let Some(block) = self.open.pop() {
            let is_end = origin.block() == Some(block) || !self.is_behind[block.index()];
            if is_end || std::mem::replace(&mut self.seen[block.index()], self.age) == self.age {
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
                if std::mem::replace(&mut site.seen, self.age) != self.age {
                    crossed.push(number - 1);
                    self.open.extend(is_passed.then_some(from));
                }
            }
        }
        Ok(crossed)
    }
}
