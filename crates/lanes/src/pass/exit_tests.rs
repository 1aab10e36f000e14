//! Canonical exit tests of loops (LLVM: LinearFunctionTestReplace in IndVarSimplify).
//!
//! In: any function. Out: the same function, where a branch out of a loop on a comparison of words stays in the loop if
//! the comparison holds, and the comparison is `counter < limit`, unsigned, where that is the same. So the passes that
//! look for counted loops see those that are tested at the end (`break if i >= 16u`) or with `<=`, `!=` or signed
//! numbers, too.
//!
//! `counter != limit` is `counter < limit` only if the counter reaches the limit exactly and does not wrap: it starts at
//! a constant and each iteration adds a constant, which divides the distance to a constant limit; or it starts at 0, is
//! tested before it is stepped, and each iteration adds 1. The test must be executed in every iteration.

use super::cfg::Cfg;
use super::loops::{LoopId, Loops};
use super::value_def::{ValueDef, definition, value_defs};
use crate::ir::{
    BlockId, Edge, Function, Inst, Op, Terminator, Type, Value, WordBinary, WordCompare,
};

/// Constants are below this, so that sums do not wrap, and signed and unsigned order agree.
const MAX_CONSTANT: u32 = 1 << 30;

/// Runs the pass.
pub fn run(function: &mut Function) {
    let graph = Cfg::new(function);
    let loops = Loops::new(&graph, function.blocks.len());
    if loops.all().is_empty() {
        return;
    }
    let search = Search {
        function,
        graph: &graph,
        loops: &loops,
        value_defs: value_defs(function),
    };
    let blocks = graph.order().iter();
    let found: Vec<_> = blocks
        .filter_map(|block| search.exit_test(*block))
        .collect();
    for test in found {
        test.apply(function);
    }
}

/// The right side of a comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Limit {
    Value(Value),
    Constant(u32),
}

/// The comparison that holds where control stays in a loop.
#[derive(Clone, Copy)]
struct Comparison {
    op: WordCompare,
    left: Value,
    right: Limit,
}

/// A branch out of a loop that changes.
struct ExitTest {
    block: BlockId,
    comparison: Comparison,
    stay: Edge,
    exit: Edge,
}

impl ExitTest {
    fn apply(self, function: &mut Function) {
        let Comparison { op, left, right } = self.comparison;
        let right = match right {
            Limit::Value(value) => value,
            Limit::Constant(bits) => add(function, self.block, Op::Word(bits), &[]),
        };
        let condition = add(function, self.block, Op::WordCompare(op), &[left, right]);
        function.block_mut(self.block).terminator =
            Terminator::Branch(condition, self.stay, self.exit);
    }
}

/// Appends an instruction with a word as result to a block.
fn add(function: &mut Function, block: BlockId, op: Op, operands: &[Value]) -> Value {
    let result = function.add_value(Type::Word);
    function.block_mut(block).insts.push(Inst {
        op,
        operands: operands.into(),
        result: Some(result),
    });
    result
}

struct Search<'a> {
    function: &'a Function,
    graph: &'a Cfg,
    loops: &'a Loops,
    value_defs: Vec<ValueDef>,
}

impl Search<'_> {
    /// The branch at the end of a block, if it is an exit test that changes.
    fn exit_test(&self, block: BlockId) -> Option<ExitTest> {
        let id = self.loops.innermost(block)?;
        let Terminator::Branch(condition, yes, no) = &self.function.block(block).terminator else {
            return None;
        };
        let stays = |edge: &Edge| self.loops.contains(id, edge.block);
        let (stay, exit) = match (stays(yes), stays(no)) {
            (true, false) => (yes, no),
            (false, true) => (no, yes),
            _ => return None,
        };
        let inst = definition(self.function, &self.value_defs, *condition)?;
        let (Op::WordCompare(op), &[left, right]) = (inst.op, &inst.operands[..]) else {
            return None;
        };
        let is_plain = std::ptr::eq(stay, yes);
        let staying = if is_plain {
            Comparison {
                op,
                left,
                right: Limit::Value(right),
            }
        } else {
            negated(op, left, right)
        };
        let counted = self.counted(id, block, staying);
        let is_order = !matches!(op, WordCompare::Eq | WordCompare::Ne);
        if counted.is_none() && (is_plain || !is_order) {
            return None;
        }
        Some(ExitTest {
            block,
            comparison: counted.unwrap_or(staying),
            stay: stay.clone(),
            exit: exit.clone(),
        })
    }

    /// The comparison as `counter < limit`, if it is the same and another one.
    fn counted(&self, id: LoopId, block: BlockId, staying: Comparison) -> Option<Comparison> {
        use WordCompare::{LeS, LeU, LtS, LtU, Ne};
        let Comparison { op, left, right } = staying;
        let Limit::Value(limit) = right else {
            return None;
        };
        let constant = self.constant(limit);
        let right = match (op, constant) {
            (LeU, Some(limit)) => Limit::Constant(limit + 1),
            (LtS | LeS, Some(limit)) => {
                self.counter(id, left)
                    .filter(|_| self.is_always_executed(id, block))?;
                Limit::Constant(limit + u32::from(op == LeS))
            }
            (Ne, constant) => {
                let counter = self.counter(id, left)?;
                let is_exact = match constant {
                    Some(limit) => counter.reaches(limit),
                    None => counter.reaches_any() && self.is_invariant(id, limit),
                };
                (is_exact && self.is_always_executed(id, block)).then_some(right)?
            }
            _ => return None,
        };
        Some(Comparison {
            op: LtU,
            left,
            right,
        })
    }

    /// A value as the counter of a loop, before or after its step.
    fn counter(&self, id: LoopId, value: Value) -> Option<Counter> {
        let header = self.loops.get(id).header;
        let (parameter, is_stepped) = match self.sum(value) {
            Some((parameter, _)) => (parameter, true),
            None => (value, false),
        };
        let ValueDef::Parameter(block, place) = self.value_defs[parameter.index()] else {
            return None;
        };
        let mut counter = Counter {
            starts: Vec::new(),
            step: None,
            is_stepped,
        };
        for &before in self
            .graph
            .predecessors(header)
            .iter()
            .filter(|_| block == header)
        {
            let edges = self.function.block(before).terminator.edges();
            for edge in edges.filter(|edge| edge.block == header) {
                let given = edge.arguments[place as usize];
                if !self.graph.dominates(header, before) {
                    counter.starts.push(self.constant(given)?);
                    continue;
                }
                let (_, step) = self.sum(given).filter(|(from, _)| *from == parameter)?;
                if is_stepped && given != value || *counter.step.get_or_insert(step) != step {
                    return None;
                }
            }
        }
        counter.step.is_some().then_some(counter)
    }

    /// A value as the sum of another one and a positive constant.
    fn sum(&self, value: Value) -> Option<(Value, u32)> {
        let inst = definition(self.function, &self.value_defs, value)?;
        match (inst.op, &inst.operands[..]) {
            (Op::WordBinary(WordBinary::Add), &[from, step]) => {
                let step = self.constant(step).filter(|step| *step > 0)?;
                Some((from, step))
            }
            _ => None,
        }
    }

    fn constant(&self, value: Value) -> Option<u32> {
        match definition(self.function, &self.value_defs, value)?.op {
            Op::Word(bits) if bits < MAX_CONSTANT => Some(bits),
            _ => None,
        }
    }

    fn is_invariant(&self, id: LoopId, value: Value) -> bool {
        let block = self.value_defs[value.index()].block();
        block.is_some_and(|block| !self.loops.contains(id, block))
    }

    /// Whether each iteration that begins another one has executed a block.
    fn is_always_executed(&self, id: LoopId, block: BlockId) -> bool {
        let header = self.loops.get(id).header;
        let latches = self.graph.predecessors(header).iter();
        let mut latches = latches.filter(|before| self.graph.dominates(header, **before));
        latches.all(|latch| self.graph.dominates(block, *latch))
    }
}

/// A counter that is tested.
struct Counter {
    /// Its constant values in the first iteration.
    starts: Vec<u32>,
    /// What each iteration adds.
    step: Option<u32>,
    /// Whether the value after the step is tested.
    is_stepped: bool,
}

impl Counter {
    /// Whether the tested value is equal to a limit before it exceeds it.
    fn reaches(&self, limit: u32) -> bool {
        let reaches = |start: &u32| {
            let distance = limit.checked_sub(*start);
            distance.is_some_and(|distance| {
                distance >= u32::from(self.is_stepped)
                    && self.step.is_some_and(|step| distance.is_multiple_of(step))
            })
        };
        self.starts.iter().all(reaches)
    }

    /// Whether the tested value is equal to any limit before it exceeds it.
    fn reaches_any(&self) -> bool {
        let is_from_zero = self.starts.iter().all(|start| *start == 0);
        is_from_zero && self.step == Some(1) && !self.is_stepped
    }
}

/// The comparison that holds where another one does not.
fn negated(op: WordCompare, left: Value, right: Value) -> Comparison {
    use WordCompare::{Eq, LeS, LeU, LtS, LtU, Ne};
    let (op, left, right) = match op {
        Eq => (Ne, left, right),
        Ne => (Eq, left, right),
        LtU => (LeU, right, left),
        LeU => (LtU, right, left),
        LtS => (LeS, right, left),
        LeS => (LtS, right, left),
    };
    let right = Limit::Value(right);
    Comparison { op, left, right }
}
