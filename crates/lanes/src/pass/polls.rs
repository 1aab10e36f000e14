//! Loops that end soon by themselves need not ask whether the run is cancelled.
//!
//! In: any function. Out: the same, without [`Op::Poll`] in loops that count from a constant up to a constant, if all
//! turns of such loops inside of each other are not more than 2^16, and no function is called in them. So a call still
//! asks often enough: behind so many turns it has ended, or has come to a loop that asks.

use super::graph::Graph;
use super::loops::{LoopId, Loops};
use super::origin::{Origin, definition, origins};
use crate::ir::{BlockId, Edge, Function, Inst, Op, Terminator, Value, WordBinary, WordCompare};

/// The most turns without asking.
const MOST: u64 = 1 << 16;

/// Constants from here on are not followed: below, signed and unsigned numbers are the same, and sums do not wrap.
const FAR: u32 = 1 << 24;

/// Runs the pass.
pub fn run(function: &mut Function) {
    let polls = |it: &Inst| matches!(it.op, Op::Poll(_));
    if !function.blocks.iter().any(|it| it.insts.iter().any(polls)) {
        return;
    }
    let graph = Graph::new(function);
    let loops = Loops::new(&graph, function.blocks.len());
    let is_silent = silent(function, &graph, &loops);
    for &block in graph.order() {
        if let Some(id) = loops.innermost(block)
            && is_silent[id.0 as usize]
        {
            function.block_mut(block).insts.retain(|it| !polls(it));
        }
    }
}

/// Which loops need not ask.
fn silent(function: &Function, graph: &Graph, loops: &Loops) -> Vec<bool> {
    let counter = Counter {
        function,
        graph,
        origins: origins(function),
    };
    let mut inside = vec![0u64; loops.all().len()];
    let mut is_silent = vec![false; loops.all().len()];
    let calls = |it: &Inst| matches!(it.op, Op::Call(..));
    for &block in graph.order() {
        if let Some(id) = loops.innermost(block)
            && function.block(block).insts.iter().any(calls)
        {
            inside[id.0 as usize] = u64::MAX;
        }
    }
    // Loops inside of others come first.
    for (index, it) in loops.all().iter().enumerate() {
        let turns = counter.turns(loops, LoopId(index as u32));
        let all = turns.map(|it| inside[index].saturating_add(1).saturating_mul(it));
        let all = all.filter(|it| *it <= MOST);
        is_silent[index] = all.is_some();
        if let (Some(all), Some(parent)) = (all, it.parent) {
            let sum = &mut inside[parent.0 as usize];
            *sum = sum.saturating_add(all);
        }
    }
    is_silent
}

struct Counter<'a> {
    function: &'a Function,
    graph: &'a Graph,
    origins: Vec<Origin>,
}

impl Counter<'_> {
    /// The most turns that a loop takes, if it counts them.
    fn turns(&self, loops: &Loops, id: LoopId) -> Option<u64> {
        let header = loops.get(id).header;
        let places = 0..self.function.block(header).parameters.len();
        let counted = places.filter_map(|it| self.counted(loops, id, header, it));
        counted.min()
    }

    /// The most turns that a parameter of a loop's head allows.
    fn counted(&self, loops: &Loops, id: LoopId, header: BlockId, place: usize) -> Option<u64> {
        let parameter = self.function.block(header).parameters[place];
        let tested = self.head_limit(loops, id, header, parameter);
        let (mut first, mut limit) = (u32::MAX, tested.unwrap_or(0));
        for &before in self.graph.predecessors(header) {
            let terminator = &self.function.block(before).terminator;
            for edge in terminator.edges().filter(|it| it.block == header) {
                let given = edge.arguments[place];
                if !self.graph.dominates(header, before) {
                    first = first.min(self.word(given)?);
                    continue;
                }
                self.step(given, parameter)?;
                if tested.is_none() {
                    limit = limit.max(self.latch_limit(terminator, edge, given)?);
                }
            }
        }
        Some(u64::from(limit.saturating_sub(first)) + 1)
    }

    /// What the head compares a parameter with before every turn.
    fn head_limit(
        &self,
        loops: &Loops,
        id: LoopId,
        header: BlockId,
        parameter: Value,
    ) -> Option<u32> {
        let Terminator::Branch(condition, yes, no) = &self.function.block(header).terminator else {
            return None;
        };
        let is_test = loops.contains(id, yes.block) && !loops.contains(id, no.block);
        is_test.then(|| self.limit(*condition, parameter))?
    }

    /// What the end of a turn compares a parameter's next value with.
    fn latch_limit(&self, terminator: &Terminator, edge: &Edge, next: Value) -> Option<u32> {
        match terminator {
            Terminator::Branch(condition, yes, no) if yes == edge && no.block != edge.block => {
                self.limit(*condition, next)
            }
            _ => None,
        }
    }

    /// The constant that a value is not above where a condition holds.
    fn limit(&self, condition: Value, value: Value) -> Option<u32> {
        use WordCompare::{LeS, LeU, LtS, LtU};
        let inst = definition(self.function, &self.origins, condition)?;
        match (inst.op, &inst.operands[..]) {
            (Op::WordCompare(LtU | LtS | LeU | LeS), &[a, b]) if a == value => self.word(b),
            _ => None,
        }
    }

    /// A sum of a parameter and a constant above 0.
    fn step(&self, value: Value, parameter: Value) -> Option<u32> {
        let inst = definition(self.function, &self.origins, value)?;
        match (inst.op, &inst.operands[..]) {
            (Op::WordBinary(WordBinary::Add), &[a, b]) if a == parameter => {
                self.word(b).filter(|it| *it > 0)
            }
            _ => None,
        }
    }

    /// A constant that is not too large.
    fn word(&self, value: Value) -> Option<u32> {
        match definition(self.function, &self.origins, value)?.op {
            Op::Word(bits) => Some(bits).filter(|it| *it < FAR),
            _ => None,
        }
    }
}
