//! Loop peeling of short loops whose counter selects elements of arrays in registers.
//!
//! In: any function. Out: the same function, where copies of the first iterations of some loops precede them. The lowering
//! selects an element of a small array by comparisons of the index with each number. Where the index is the counter of
//! a loop that starts at a constant and adds a constant, the index is a constant in each copy, and the comparisons are
//! too. All iterations that a comparison of the counter with a constant allows are copied, so that the loop that remains
//! is most often unreachable once constants are folded; where it is not, it is executed as before.
//!
//! Correct for every number of copies: a copy is left by the edges by which the loop is left, and its back edges lead to
//! the next copy, those of the last to the loop. Uses after the loop get block parameters (`ssa_repair`).
//!
//! Each loop takes time for its own blocks and copies, so that the time is linear except for `ssa_repair`.

use anywarp_program::work::{Meter, OverBudget};

use super::cfg::Cfg;
use super::hash::Map;
use super::loops::{LoopId, LoopTree, Loops};
use super::remove_blocks;
use super::ssa_repair::{self, Redefined};
use super::value_def::{ValueDef, definition, value_defs};
use crate::arithmetic::{word_binary, word_compare};
use crate::ir::{
    BlockId, Function, Inst, LaneBinary, LaneCompare, Op, Terminator, Type, Value, WordBinary,
    WordCompare,
};

/// The most iterations that are copied.
const MAX_COPIES: u32 = 9;

/// The most instructions of all copies, without constants.
const MAX_INSTS: usize = 1500;

/// The least comparisons of the counter with constants: elements of an array that are selected by it.
const MIN_SELECTIONS: usize = 4;

/// The most counters of a loop that are analyzed, each of which takes time for the whole loop.
const MAX_COUNTERS: usize = 16;

/// Runs the pass.
pub fn run(function: &mut Function) {
    // An unlimited meter does not return errors.
    let _ = run_within(function, &Meter::unlimited());
}

/// Runs the pass within limits. Returns whether it changed the function.
pub(super) fn run_within(function: &mut Function, meter: &Meter) -> Result<bool, OverBudget> {
    if !has_selections(function) {
        return Ok(false);
    }
    remove_blocks::unreachable(function);
    let graph = Cfg::new(function);
    let loops = Loops::new(&graph, function.blocks.len());
    let tree = LoopTree::new(&graph, &loops);
    let value_defs = value_defs(function);
    let ids = (0..loops.all().len() as u32).map(LoopId);
    let found: Vec<_> = ids
        .filter(|id| tree.inner(*id).is_empty())
        .filter_map(|id| {
            let (header, blocks) = (loops.get(id).header, tree.blocks(&graph, id));
            PeeledLoop::new(function, &graph, &value_defs, (header, blocks))
        })
        .collect();
    let mut redefined = Vec::new();
    for peeled in &found {
        meter.tick(peeled.insts as u64 * u64::from(peeled.copies))?;
        peeled.peel(function, &graph, &mut redefined);
    }
    if !redefined.is_empty() {
        ssa_repair::run(function, &redefined, meter)?;
    }
    Ok(!found.is_empty())
}

/// Whether there are enough comparisons for a loop to be peeled, which is cheap to check.
fn has_selections(function: &Function) -> bool {
    let insts = function.blocks.iter().flat_map(|block| &block.insts);
    insts.filter(|inst| is_equality(inst.op)).count() >= MIN_SELECTIONS
}

fn is_equality(op: Op) -> bool {
    matches!(
        op,
        Op::WordCompare(WordCompare::Eq) | Op::Compare(LaneCompare::Int(WordCompare::Eq))
    )
}

/// A loop to be peeled.
struct PeeledLoop {
    header: BlockId,
    blocks: Vec<BlockId>,
    copies: u32,
    /// The instructions of an iteration, without constants.
    insts: usize,
}

impl PeeledLoop {
    fn new(
        function: &Function,
        graph: &Cfg,
        value_defs: &[ValueDef],
        (header, blocks): (BlockId, Vec<BlockId>),
    ) -> Option<Self> {
        let insts = blocks
            .iter()
            .flat_map(|block| &function.block(*block).insts);
        let insts = insts.filter(|inst| !inst.op.is_cheap()).count();
        let suspends =
            |id: &BlockId| matches!(function.block(*id).terminator, Terminator::Suspend(..));
        if blocks.iter().any(suspends) || insts > MAX_INSTS {
            return None;
        }
        let parameters = 0..function.block(header).parameters.len();
        let counters = parameters
            .filter_map(|place| Counter::new(function, graph, value_defs, (header, place)))
            .take(MAX_COUNTERS);
        let copies = counters
            .filter_map(|counter| counter.iterations(function, &blocks))
            .min()?;
        (insts * copies as usize <= MAX_INSTS).then_some(Self {
            header,
            blocks,
            copies,
            insts,
        })
    }

    /// Inserts the copies before the loop.
    fn peel(&self, function: &mut Function, graph: &Cfg, redefined: &mut Vec<Redefined>) {
        let latches = graph.predecessors(self.header).iter().copied();
        let mut sources: Vec<_> = latches
            .filter(|block| !graph.dominates(self.header, *block))
            .collect();
        let first = redefined.len();
        let mut places = Map::default();
        for id in &self.blocks {
            let block = function.block(*id);
            let results = block.insts.iter().filter_map(|inst| inst.result);
            for value in block.parameters.iter().copied().chain(results) {
                places.insert(value, redefined.len() - first);
                redefined.push(Redefined {
                    value,
                    definitions: Vec::new(),
                });
            }
        }
        for _ in 0..self.copies {
            let names = self.copy(function, &mut redefined[first..], &places);
            let header = names[&self.header];
            for source in &sources {
                let name = |target| {
                    if target == self.header {
                        header
                    } else {
                        target
                    }
                };
                remove_blocks::rename(&mut function.block_mut(*source).terminator, name);
            }
            let latches = graph.predecessors(self.header).iter();
            let latches = latches.filter(|block| graph.dominates(self.header, **block));
            sources = latches.map(|latch| names[latch]).collect();
        }
    }

    /// Appends a copy of the loop whose back edges lead to the loop itself. Returns the names of its blocks.
    fn copy(
        &self,
        function: &mut Function,
        redefined: &mut [Redefined],
        places: &Map<Value, usize>,
    ) -> Map<BlockId, BlockId> {
        let blocks = self.blocks.iter();
        let names: Map<_, _> = blocks.map(|id| (*id, function.add_block())).collect();
        let mut values = Map::default();
        for id in &self.blocks {
            let mut block = function.block(*id).clone();
            let results = block
                .insts
                .iter_mut()
                .filter_map(|inst| inst.result.as_mut());
            for value in block.parameters.iter_mut().chain(results) {
                let new = function.add_value(function.type_of(*value));
                let entry = &mut redefined[places[value]];
                entry.definitions.push((names[id], new));
                values.insert(*value, new);
                *value = new;
            }
            *function.block_mut(names[id]) = block;
        }
        let renamed = |value: Value| values.get(&value).copied().unwrap_or(value);
        for id in &self.blocks {
            let copy = function.block_mut(names[id]);
            let operands = copy.insts.iter_mut().flat_map(|inst| &mut inst.operands);
            operands.for_each(|operand| *operand = renamed(*operand));
            copy.terminator.map_uses(renamed);
            remove_blocks::rename(&mut copy.terminator, |target| match target {
                header if header == self.header => header,
                other => names.get(&other).copied().unwrap_or(other),
            });
        }
        names
    }
}

/// A loop counter: a word that starts at a constant, and to which every back edge adds a constant.
struct Counter<'a> {
    function: &'a Function,
    value_defs: &'a [ValueDef],
    parameter: Value,
    start: u32,
    step: u32,
}

impl<'a> Counter<'a> {
    fn new(
        function: &'a Function,
        graph: &Cfg,
        value_defs: &'a [ValueDef],
        (header, place): (BlockId, usize),
    ) -> Option<Self> {
        let parameter = function.block(header).parameters[place];
        if function.type_of(parameter) != Type::Word {
            return None;
        }
        let mut counter = Self {
            function,
            value_defs,
            parameter,
            start: 0,
            step: 0,
        };
        let (mut start, mut step) = (None, None);
        for &from in graph.predecessors(header) {
            let edges = function.block(from).terminator.edges();
            for edge in edges.filter(|edge| edge.block == header) {
                let argument = edge.arguments[place];
                let (known, word) = if graph.dominates(header, from) {
                    (&mut step, counter.step_of(argument)?)
                } else {
                    (&mut start, counter.word(argument)?)
                };
                if *known.get_or_insert(word) != word {
                    return None;
                }
            }
        }
        (counter.start, counter.step) = (start?, step?);
        Some(counter)
    }

    fn definition(&self, value: Value) -> Option<&'a Inst> {
        definition(self.function, self.value_defs, value)
    }

    fn word(&self, value: Value) -> Option<u32> {
        match self.definition(value)?.op {
            Op::Word(bits) | Op::Splat(bits) => Some(bits),
            Op::Pattern(id) => {
                let words = &self.function.patterns[id.0 as usize];
                words
                    .iter()
                    .all(|word| *word == words[0])
                    .then_some(words[0])
            }
            _ => None,
        }
    }

    /// The constant that is added to the counter.
    fn step_of(&self, value: Value) -> Option<u32> {
        let inst = self.definition(value)?;
        match (inst.op, &inst.operands[..]) {
            (Op::WordBinary(WordBinary::Add), &[a, b]) if a == self.parameter => self.word(b),
            _ => None,
        }
    }

    /// The word that a value is in an iteration with this counter, if it is computed from the counter alone.
    fn value(&self, value: Value, counter: u32, depth: u32) -> Option<u32> {
        if value == self.parameter {
            return Some(counter);
        }
        if let Some(word) = self.word(value) {
            return Some(word);
        }
        let depth = depth.checked_sub(1)?;
        let inst = self.definition(value)?;
        match (inst.op, &inst.operands[..]) {
            (Op::Broadcast, &[word]) => self.value(word, counter, depth),
            (Op::WordBinary(op) | Op::Binary(LaneBinary::Int(op)), &[a, b]) => {
                let (a, b) = (
                    self.value(a, counter, depth)?,
                    self.value(b, counter, depth)?,
                );
                Some(word_binary(op, a, b))
            }
            _ => None,
        }
    }

    /// A comparison of the counter with a constant, in an iteration with this counter.
    fn compare(&self, inst: &Inst, counter: u32) -> Option<bool> {
        let (Op::WordCompare(op) | Op::Compare(LaneCompare::Int(op))) = inst.op else {
            return None;
        };
        let &[a, b] = &inst.operands[..] else {
            return None;
        };
        let is_constant = self.word(a).is_some() && self.word(b).is_some();
        let (a, b) = (self.value(a, counter, 4)?, self.value(b, counter, 4)?);
        (!is_constant).then(|| word_compare(op, a, b))
    }

    /// The number of iterations to copy: until a comparison that is not an equality becomes false. `None` if there is
    /// none, or too few equalities.
    fn iterations(&self, function: &Function, blocks: &[BlockId]) -> Option<u32> {
        let insts = || {
            blocks
                .iter()
                .flat_map(|block| &function.block(*block).insts)
        };
        let selections =
            insts().filter(|inst| is_equality(inst.op) && self.compare(inst, self.start).is_some());
        if self.step == 0 || selections.count() < MIN_SELECTIONS {
            return None;
        }
        let tests = insts()
            .filter(|inst| !is_equality(inst.op) && self.compare(inst, self.start) == Some(true));
        let counts = tests.filter_map(|inst| {
            (1..MAX_COPIES).find(|iteration| {
                let counter = self.start.wrapping_add(self.step.wrapping_mul(*iteration));
                self.compare(inst, counter) == Some(false)
            })
        });
        counts.min().map(|count| count + 1)
    }
}
