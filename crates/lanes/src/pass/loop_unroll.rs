//! Loop unrolling that removes rotations of loop parameters.
//!
//! In: any function. Out: the same function, where some single-block loops are unrolled. If the back edge passes
//! parameter `b` as `a`, `c` as `b` and so on, each iteration copies every value to another register. After as many
//! iterations as the longest chain of such parameters, all of them have been recomputed, or are back in their places; a
//! loop that is unrolled by that factor needs no copies.
//!
//! Only loops that count from a constant to a constant are unrolled, and only by a divisor of their trip count, so that
//! no exit test is needed between the copies. Uses after all loops are renamed together, in linear time.

use super::cfg::Cfg;
use super::hash::Map;
use super::value_def::{ValueDef, definition, value_defs};
use crate::ir::{BlockId, Edge, Function, Inst, Op, Terminator, Value, WordBinary, WordCompare};

/// The largest unroll factor.
const MAX_FACTOR: usize = 8;

/// The most instructions of an unrolled loop.
const MAX_INSTS: usize = 256;

/// The limit on constants that are analyzed, so that sums do not wrap.
const MAX_CONSTANT: u32 = 1 << 24;

/// Runs the pass.
pub fn run(function: &mut Function) {
    let is_loop = |id: &BlockId| back_edge(function, *id).is_some();
    let all = (0..function.blocks.len() as u32).map(BlockId);
    let loops: Vec<_> = all.filter(is_loop).collect();
    if loops.is_empty() {
        return;
    }
    let finder = UnrollAnalysis {
        function,
        graph: Cfg::new(function),
        value_defs: value_defs(function),
    };
    let found = loops.into_iter().filter_map(|id| finder.times(id));
    let found: Vec<_> = found.collect();
    let mut names: Vec<_> = (0..function.types.len() as u32).map(Value).collect();
    let mut last = LastCopies::default();
    for unrolled in found {
        unroll(function, unrolled, &mut names, &mut last);
    }
    if !last.0.is_empty() {
        last.rename_uses(function, &mut names);
    }
}

/// The back edge of a single-block loop, if it is taken when the condition holds.
fn back_edge(function: &Function, id: BlockId) -> Option<&Edge> {
    match &function.block(id).terminator {
        Terminator::Branch(_, yes, no) if yes.block == id && no.block != id => Some(yes),
        _ => None,
    }
}

struct UnrollAnalysis<'a> {
    function: &'a Function,
    graph: Cfg,
    value_defs: Vec<ValueDef>,
}

impl UnrollAnalysis<'_> {
    /// The loop and its unroll factor, if unrolling is profitable.
    fn times(&self, id: BlockId) -> Option<(BlockId, usize)> {
        let block = self.function.block(id);
        let back = back_edge(self.function, id)?;
        let places = 0..block.parameters.len();
        let times = places
            .map(|place| chain(&block.parameters, back, place))
            .max()?;
        let insts = block
            .insts
            .iter()
            .filter(|inst| !inst.op.is_cheap())
            .count();
        let is_worth = (2..=MAX_FACTOR).contains(&times) && times * insts <= MAX_INSTS;
        let is_divided = is_worth && self.trip_count(id, back)?.is_multiple_of(times as u32);
        is_divided.then_some((id, times))
    }

    /// The trip count of a loop, if it is a constant.
    fn trip_count(&self, id: BlockId, back: &Edge) -> Option<u32> {
        let condition = self.function.block(id).terminator.condition()?;
        let (next, limit) = match self.parts(condition)? {
            (Op::WordCompare(WordCompare::LtU), &[a, b]) => (a, self.word(b)?),
            _ => return None,
        };
        let place = back
            .arguments
            .iter()
            .position(|argument| *argument == next)?;
        let step = match self.parts(next)? {
            (Op::WordBinary(WordBinary::Add), &[a, b])
                if a == self.function.block(id).parameters[place] =>
            {
                self.word(b).filter(|step| *step > 0)?
            }
            _ => return None,
        };
        let first = self.first(id, place)?;
        let distance = limit.checked_sub(first).filter(|distance| *distance > 0)?;
        Some(distance.div_ceil(step))
    }

    /// The constant that a loop parameter has in the first iteration.
    fn first(&self, id: BlockId, place: usize) -> Option<u32> {
        let before = self
            .graph
            .predecessors(id)
            .iter()
            .filter(|block| **block != id);
        let edges = before.flat_map(|block| self.function.block(*block).terminator.edges());
        let given = edges.filter(|edge| edge.block == id);
        let mut words = given.map(|edge| self.word(edge.arguments[place]));
        let first = words.next()??;
        words.all(|word| word == Some(first)).then_some(first)
    }

    fn parts(&self, value: Value) -> Option<(Op, &[Value])> {
        let inst = definition(self.function, &self.value_defs, value)?;
        Some((inst.op, &inst.operands))
    }

    fn word(&self, value: Value) -> Option<u32> {
        match self.parts(value)?.0 {
            Op::Word(bits) => Some(bits).filter(|bits| *bits < MAX_CONSTANT),
            _ => None,
        }
    }
}

/// The number of iterations after which a parameter is no longer a copy of an earlier parameter, or is itself again.
fn chain(parameters: &[Value], back: &Edge, place: usize) -> usize {
    let mut at = place;
    for trip_count in 1..=MAX_FACTOR {
        match parameters
            .iter()
            .position(|parameter| *parameter == back.arguments[at])
        {
            Some(before) if before != place => at = before,
            _ => return trip_count,
        }
    }
    MAX_FACTOR + 1
}

/// Unrolls a loop. Adds to `last` its parameters with their values in the last copy, to which uses after the loop must refer.
/// `names` has an entry for each value that was there before the pass, and is the identity, also afterwards.
fn unroll(
    function: &mut Function,
    (id, times): (BlockId, usize),
    names: &mut [Value],
    last: &mut LastCopies,
) {
    let Some(back) = back_edge(function, id).map(|edge| edge.arguments.clone()) else {
        return;
    };
    let insts = std::mem::take(&mut function.block_mut(id).insts);
    let (constants, insts): (Vec<_>, Vec<_>) =
        insts.into_iter().partition(|inst| inst.op.is_cheap());
    let mut all = constants;
    all.reserve(insts.len() * times);
    let parameters = function.block(id).parameters.clone();
    for iteration in 1..=times {
        for inst in &insts {
            let mut inst = rename(inst, names);
            // Uses after the loop refer to the results of the last copy.
            if let Some(result) = inst.result {
                let own = if iteration == times {
                    result
                } else {
                    function.add_value(function.type_of(result))
                };
                names[result.index()] = own;
                inst.result = Some(own);
            }
            all.push(inst);
        }
        if iteration < times {
            let next: Vec<_> = back
                .iter()
                .map(|argument| names[argument.index()])
                .collect();
            for (parameter, next) in parameters.iter().zip(next) {
                names[parameter.index()] = next;
            }
        }
    }
    let block = function.block_mut(id);
    block.insts = all;
    for parameter in parameters {
        let value = std::mem::replace(&mut names[parameter.index()], parameter);
        last.0.insert(parameter, (id, value));
    }
}

/// The parameters of unrolled loops, each with its loop and its value in the last copy.
#[derive(Default)]
struct LastCopies(Map<Value, (BlockId, Value)>);

impl LastCopies {
    /// Makes uses after the loops, and their back edges, refer to the parameters of the last copies. `names` is the
    /// identity before.
    fn rename_uses(&self, function: &mut Function, names: &mut [Value]) {
        let mut resolved = Map::default();
        for &parameter in self.0.keys() {
            names[parameter.index()] = self.resolve(parameter, &mut resolved);
        }
        let name = |names: &[Value], value: Value| *names.get(value.index()).unwrap_or(&value);
        for block in &mut function.blocks {
            block.terminator.map_uses(|value| name(names, value));
            // Instructions of a loop refer to its own parameters, those of the first copy.
            let parameters = block.parameters.iter();
            let own: Vec<_> = parameters
                .filter(|parameter| self.0.contains_key(parameter))
                .map(|parameter| (*parameter, names[parameter.index()]))
                .collect();
            for (parameter, _) in &own {
                names[parameter.index()] = *parameter;
            }
            let operands = block.insts.iter_mut().flat_map(|inst| &mut inst.operands);
            operands.for_each(|operand| *operand = name(names, *operand));
            for (parameter, value) in own {
                names[parameter.index()] = value;
            }
        }
    }

    /// The value to which uses of a parameter after its loop must refer. If the loop passes itself a parameter of a loop
    /// before it, that is the value of the latter.
    fn resolve(&self, parameter: Value, resolved: &mut Map<Value, Value>) -> Value {
        let mut path = Vec::new();
        let mut found = parameter;
        while let Some((id, value)) = self.0.get(&found) {
            if let Some(known) = resolved.get(&found) {
                found = *known;
                break;
            }
            path.push(found);
            found = *value;
            if self.0.get(value).is_some_and(|(other, _)| other == id) {
                break;
            }
        }
        for parameter in path {
            resolved.insert(parameter, found);
        }
        found
    }
}

fn rename(inst: &Inst, names: &[Value]) -> Inst {
    let operands = inst.operands.iter().map(|operand| names[operand.index()]);
    Inst {
        op: inst.op,
        operands: operands.collect(),
        result: inst.result,
    }
}
