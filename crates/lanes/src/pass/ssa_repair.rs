//! SSA repair: inserts block parameters for values that have got further definitions (LLVM: SSAUpdater).
//!
//! In: a function whose blocks are all reachable, and for some values further blocks that define them. Out: every use
//! refers to the definition that reaches it; where several definitions reach a block, it gets a parameter. Parameters
//! are placed at iterated dominance frontiers (Cytron et al., "Efficiently Computing Static Single Assignment Form"),
//! where the value is live (pruned SSA).
//!
//! A block that redefines a value must not use the old one. The time is the number of values times the blocks in which
//! they are live, which a meter limits.

use anywarp_program::work::{Meter, OverBudget};

use super::cfg::Cfg;
use super::csr::CsrLists;
use super::value_def::value_defs;
use crate::ir::{BlockId, Function, Value};

const NONE: u32 = u32::MAX;

/// A value with further definitions.
#[derive(Clone, Debug)]
pub(crate) struct Redefined {
    /// The value.
    pub(crate) value: Value,
    /// The blocks that redefine it, and its value at their ends.
    pub(crate) definitions: Vec<(BlockId, Value)>,
}

/// Runs the repair.
pub(crate) fn run(
    function: &mut Function,
    redefined: &[Redefined],
    meter: &Meter,
) -> Result<(), OverBudget> {
    let graph = Cfg::new(function);
    let frontiers = graph.frontiers(meter)?;
    let own = own_definitions(function, redefined);
    let uses = uses(function, &graph, redefined, &own);
    let mut reach = ReachingDefs::new(function.blocks.len());
    let mut renames = Vec::new();
    for (number, one) in redefined.iter().enumerate() {
        reach.begin();
        reach.define(own[number], one.value);
        for &(block, value) in &one.definitions {
            reach.define(block, value);
        }
        reach.find_live(&graph, uses.of(number), meter)?;
        reach.add_parameters(function, &frontiers, one.value);
        reach.resolve(&graph);
        reach.add_arguments(function, &graph);
        let used = uses.of(number).iter();
        renames.extend(used.map(|at| (at.0, (one.value, reach.at_start(*at)))));
    }
    rename(function, &CsrLists::new(function.blocks.len(), &renames));
    Ok(())
}

/// The blocks of the original definitions.
fn own_definitions(function: &Function, redefined: &[Redefined]) -> Vec<BlockId> {
    let value_defs = value_defs(function);
    let blocks = redefined
        .iter()
        .map(|redefined| value_defs[redefined.value.index()].block());
    blocks
        .map(|block| block.unwrap_or(Function::ENTRY))
        .collect()
}

/// By redefined value: the blocks that use it, except its defining block.
fn uses(
    function: &Function,
    graph: &Cfg,
    redefined: &[Redefined],
    own: &[BlockId],
) -> CsrLists<BlockId> {
    let mut numbers = vec![NONE; function.types.len()];
    for (number, one) in redefined.iter().enumerate() {
        numbers[one.value.index()] = number as u32;
    }
    let mut last = own.to_vec();
    let mut pairs = Vec::new();
    for &id in graph.order() {
        let block = function.block(id);
        let operands = block
            .insts
            .iter()
            .flat_map(|inst| inst.operands.iter().copied());
        for value in operands.chain(block.terminator.uses()) {
            let number = numbers[value.index()];
            if number != NONE && last[number as usize] != id && own[number as usize] != id {
                last[number as usize] = id;
                pairs.push((number, id));
            }
        }
    }
    CsrLists::new(redefined.len(), &pairs)
}

/// The definitions that reach each block, for one value at a time. The generation distinguishes entries of earlier
/// values, so that the tables need not be cleared.
struct ReachingDefs {
    age: u32,
    /// By block: the definition at its end.
    defined: Vec<(u32, Value)>,
    /// By block: the generation in which the value is live-in.
    live: Vec<u32>,
    /// By block: the value at its start.
    start: Vec<Value>,
    live_blocks: Vec<BlockId>,
    definitions: Vec<BlockId>,
    joins: Vec<BlockId>,
    open: Vec<BlockId>,
}

impl ReachingDefs {
    fn new(blocks: usize) -> Self {
        Self {
            age: 0,
            defined: vec![(0, Value(NONE)); blocks],
            live: vec![0; blocks],
            start: vec![Value(NONE); blocks],
            live_blocks: Vec::new(),
            definitions: Vec::new(),
            joins: Vec::new(),
            open: Vec::new(),
        }
    }

    fn begin(&mut self) {
        self.age += 1;
        self.live_blocks.clear();
        self.definitions.clear();
        self.joins.clear();
    }

    fn define(&mut self, block: BlockId, value: Value) {
        self.defined[block.index()] = (self.age, value);
        self.definitions.push(block);
    }

    fn is_defined(&self, block: BlockId) -> bool {
        self.defined[block.index()].0 == self.age
    }

    fn find_live(
        &mut self,
        graph: &Cfg,
        uses: &[BlockId],
        meter: &Meter,
    ) -> Result<(), OverBudget> {
        self.open.extend_from_slice(uses);
        while let Some(block) = self.open.pop() {
            if self.is_defined(block) || self.live[block.index()] == self.age {
                continue;
            }
            self.live[block.index()] = self.age;
            self.live_blocks.push(block);
            meter.tick(1 + graph.predecessors(block).len() as u64)?;
            self.open.extend_from_slice(graph.predecessors(block));
        }
        Ok(())
    }

    fn add_parameters(
        &mut self,
        function: &mut Function,
        frontiers: &CsrLists<BlockId>,
        value: Value,
    ) {
        let ty = function.type_of(value);
        self.open.append(&mut self.definitions);
        while let Some(block) = self.open.pop() {
            for &join in frontiers.of(block.index()) {
                if self.live[join.index()] == self.age && !self.is_defined(join) {
                    let parameter = function.add_parameter(join, ty);
                    self.define(join, parameter);
                    self.start[join.index()] = parameter;
                    self.joins.push(join);
                    self.open.push(join);
                }
            }
        }
    }

    fn resolve(&mut self, graph: &Cfg) {
        self.live_blocks
            .sort_unstable_by_key(|block| graph.position(*block));
        for place in 0..self.live_blocks.len() {
            let block = self.live_blocks[place];
            if !self.is_defined(block) {
                // A live block that is not a join has the value at the end of its immediate dominator.
                let above = graph.dominator(block).unwrap_or(block);
                self.start[block.index()] = self.at_end(above);
            }
        }
    }

    fn at_start(&self, block: BlockId) -> Value {
        self.start[block.index()]
    }

    fn at_end(&self, block: BlockId) -> Value {
        match self.defined[block.index()] {
            (age, value) if age == self.age => value,
            _ => self.at_start(block),
        }
    }

    fn add_arguments(&self, function: &mut Function, graph: &Cfg) {
        for &join in &self.joins {
            let mut done = None;
            for &predecessor in graph.predecessors(join) {
                // A branch with both edges to the join is listed twice in a row.
                if done.replace(predecessor) == Some(predecessor) {
                    continue;
                }
                let value = self.at_end(predecessor);
                let terminator = &mut function.block_mut(predecessor).terminator;
                for edge in terminator.edges_mut().filter(|edge| edge.block == join) {
                    edge.arguments.push(value);
                }
            }
        }
    }
}

fn rename(function: &mut Function, renames: &CsrLists<(Value, Value)>) {
    let mut names: Vec<_> = (0..function.types.len() as u32).map(Value).collect();
    for (number, block) in function.blocks.iter_mut().enumerate() {
        let changes = renames.of(number);
        if changes.is_empty() {
            continue;
        }
        for (old, new) in changes {
            names[old.index()] = *new;
        }
        for inst in &mut block.insts {
            inst.operands
                .iter_mut()
                .for_each(|operand| *operand = names[operand.index()]);
        }
        block.terminator.map_uses(|value| names[value.index()]);
        for (old, _) in changes {
            names[old.index()] = *old;
        }
    }
}
