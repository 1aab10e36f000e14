//! What lives across barriers, and where it is kept.
//!
//! In: a function with barriers. Out: what each barrier needs behind it, and for each value that has to be kept the
//! block at whose end it is. What is needed only behind a later barrier stays in the frame at an earlier one. Each value
//! is followed backwards from its uses until its definition; values in the reverse order of their definitions, so that a
//! value which is made again can ask for its operands. The time is that of all values times the blocks that they are
//! followed through, which a meter limits.

use anywarp_program::work::{Meter, OverBudget};
use smallvec::SmallVec;

use crate::ir::{BlockId, Function, Terminator, Value};
use crate::pass::graph::Graph;
use crate::pass::lists::Lists;
use crate::pass::loops::Loops;
use crate::pass::origin::{Origin, definition, origins};

/// How a value comes behind a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::pass) enum Way {
    /// It is kept in the frame.
    Kept,
    /// It is made again of its operands.
    MadeAgain,
    /// It stays a value. Then it is needed behind every barrier on the way.
    Passed,
}

/// A barrier, by its number less one.
#[derive(Clone, Debug)]
pub(in crate::pass) struct Site {
    /// Where it goes on.
    pub(in crate::pass) target: BlockId,
    /// The block that ends with it, if one does.
    pub(in crate::pass) from: Option<BlockId>,
    /// What is needed behind it, operands before what is made of them.
    pub(in crate::pass) needs: Vec<Value>,
    /// Which walk has crossed it last.
    seen: u32,
}

/// What lives across barriers.
#[derive(Debug)]
pub(in crate::pass) struct Across {
    /// The barriers, by their number less one.
    pub(in crate::pass) sites: Vec<Site>,
    /// What is kept in the frame, and the block at whose end it is.
    pub(in crate::pass) kept: Vec<(Value, BlockId)>,
}

/// What lives across the barriers of a function whose blocks can all be reached. What is made again is the result of an
/// instruction without effect that does not read what changes.
pub(in crate::pass) fn across(
    function: &Function,
    graph: &Graph,
    way: impl Fn(Value) -> Way,
    meter: &Meter,
) -> Result<Across, OverBudget> {
    let loops = Loops::new(graph, function.blocks.len());
    let origins = origins(function);
    let uses = uses(function, graph, &origins);
    let mut walk = Walk {
        function,
        graph,
        meter,
        origins: &origins,
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
        let block = walk.follow(&loops, value, way(value), uses.of(value.index()))?;
        kept.extend(block.map(|it| (value, it)));
    }
    kept.reverse();
    let mut sites = walk.sites;
    sites.iter_mut().for_each(|it| it.needs.reverse());
    Ok(Across { sites, kept })
}

/// All values, each behind those that it is made of.
fn definitions(function: &Function, graph: &Graph) -> Vec<Value> {
    let mut values = Vec::with_capacity(function.types.len());
    for &block in graph.order() {
        let block = function.block(block);
        values.extend_from_slice(&block.parameters);
        values.extend(block.insts.iter().filter_map(|it| it.result));
    }
    values
}

/// For each value the blocks that use it, but for the one that defines it.
fn uses(function: &Function, graph: &Graph, origins: &[Origin]) -> Lists<BlockId> {
    let mut last: Vec<_> = origins.iter().map(|it| it.block()).collect();
    let mut pairs = Vec::new();
    for &id in graph.order() {
        let block = function.block(id);
        let operands = block
            .insts
            .iter()
            .flat_map(|it| it.operands.iter().copied());
        for value in operands.chain(block.terminator.uses()) {
            if origins[value.index()].block() != Some(id)
                && last[value.index()].replace(id) != Some(id)
            {
                pairs.push((value.0, id));
            }
        }
    }
    Lists::new(function.types.len(), &pairs)
}

/// By block: whether there is a way to it from a barrier.
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

/// By block: whether there is a way from it to a barrier.
fn before_barriers(function: &Function, graph: &Graph) -> Vec<bool> {
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
    graph: &'a Graph,
    meter: &'a Meter,
    origins: &'a [Origin],
    sites: Vec<Site>,
    /// By value: the barriers behind which something is made again of it.
    wanted: Vec<SmallVec<[u32; 1]>>,
    /// By block: which walk has come there last.
    seen: Vec<u32>,
    /// By block: whether a barrier leads to it. Walks need not go to others, as none will be found there.
    is_behind: Vec<bool>,
    /// By block: whether it leads to a barrier. What others define lives across none.
    is_before: Vec<bool>,
    age: u32,
    open: Vec<BlockId>,
}

impl Walk<'_> {
    /// Follows a value from its uses. Gives the block at whose end it has to be kept, if it has to be.
    fn follow(
        &mut self,
        loops: &Loops,
        value: Value,
        way: Way,
        uses: &[BlockId],
    ) -> Result<Option<BlockId>, OverBudget> {
        let origin = self.origins[value.index()];
        if !origin.block().is_some_and(|it| self.is_before[it.index()]) {
            return Ok(None);
        }
        let mut wanted = std::mem::take(&mut self.wanted[value.index()]).into_vec();
        wanted.sort_unstable();
        wanted.dedup();
        let mut crossed = self.walk(origin, uses, wanted, way)?;
        let keeper = match way {
            Way::MadeAgain => {
                let inst = definition(self.function, self.origins, value);
                for operand in inst.into_iter().flat_map(|it| &it.operands) {
                    self.wanted[operand.index()].extend_from_slice(&crossed);
                }
                None
            }
            Way::Passed => None,
            Way::Kept => self.keeper(loops, origin, &mut crossed)?,
        };
        for number in crossed {
            self.sites[number as usize].needs.push(value);
        }
        Ok(keeper)
    }

    /// The block at whose end a value has to be kept that is needed behind some barriers. There may be others between
    /// the definition and that block, if they are in a cycle that is no loop.
    fn keeper(
        &mut self,
        loops: &Loops,
        origin: Origin,
        crossed: &mut Vec<u32>,
    ) -> Result<Option<BlockId>, OverBudget> {
        let Some(mut before) = self.before(crossed)? else {
            return Ok(None);
        };
        loop {
            let keeper = self.keeper_above(loops, origin, before)?;
            let between = self.walk(origin, &[keeper], crossed.clone(), Way::Kept)?;
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

    /// The nearest block that is on every way to some barriers.
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

    /// The nearest block that dominates both.
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

    /// The block at whose end a value is kept: as near to the barriers as possible, but not in a loop that does not
    /// contain the definition. It dominates the barriers at which the value is live.
    fn keeper_above(
        &self,
        loops: &Loops,
        origin: Origin,
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

    /// Goes from blocks at whose beginning a value is needed back to its definition or to barriers, behind which it is
    /// got from the frame; across them if it is passed. Gives these barriers, behind those that are known.
    fn walk(
        &mut self,
        origin: Origin,
        from: &[BlockId],
        known: Vec<u32>,
        way: Way,
    ) -> Result<Vec<u32>, OverBudget> {
        self.meter.tick((1 + from.len() + known.len()) as u64)?;
        self.age += 1;
        let is_passed = way == Way::Passed;
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
