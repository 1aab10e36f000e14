//! Induction variables of lanes become uniform: a word that is stepped, plus a constant pattern (compare LLVM's
//! IndVarSimplify and ispc's linear vectors).
//!
//! In: any function. Out: the same function, where a loop parameter that starts as a uniform word plus a constant
//! pattern, and to which every back edge adds a uniform word, is a word; the loop header adds the pattern. Values that
//! are computed from it and indices become sums of a word and a pattern, too, so that gathers and scatters of strided
//! loops (`for (var i = start + lane; i < end; i += 64u)`) are rows for `fuse`.
//!
//! Lanes that have left the loop count on with the others. This is what the parameter does in the source of the
//! function as well: a value that such lanes keep is selected by a mask, and is not an induction variable.
//!
//! Only parameters that index a gather or scatter are rewritten: elsewhere, a vector sum is cheaper than a word that is
//! broadcast. The time is linear in the size of the function.

mod affine;
mod candidates;

use smallvec::SmallVec;

use super::cfg::Cfg;
use super::value_def::value_defs;
use crate::ir::{BlockId, Edge, Function, Inst, LaneBinary, Op, Type, Value, WordBinary};
pub(super) use affine::AffineRules;
use candidates::{AffineForm, Candidate, CandidateFinder};

/// Runs the pass.
pub fn run(function: &mut Function) {
    if !has_candidates(function) {
        return;
    }
    let graph = Cfg::new(function);
    let headers: Vec<_> = graph.order().to_vec();
    let mut is_affine = vec![false; function.types.len()];
    let mut found = false;
    let finder = CandidateFinder::new(function, &graph, value_defs(function));
    let candidates: Vec<Candidate> = headers
        .iter()
        .flat_map(|header| finder.candidates(*header))
        .collect();
    for candidate in &candidates {
        is_affine[candidate.parameter.index()] = true;
        rewrite(function, candidate);
        found = true;
    }
    if found {
        super::peephole::run(function, &mut AffineRules::new(is_affine));
    }
}

/// Whether the function has gathers or scatters in loops at all, which is cheap to check.
fn has_candidates(function: &Function) -> bool {
    let mut blocks = function.blocks.iter();
    let has_lanes = blocks.any(|block| {
        let mut parameters = block.parameters.iter();
        parameters.any(|parameter| function.type_of(*parameter) == Type::Lanes)
    });
    let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
    has_lanes && insts.any(|inst| matches!(inst.op, Op::Gather(_) | Op::Scatter(_)))
}

/// Replaces a parameter by a word, and defines it in its block as the sum of the word and the pattern.
fn rewrite(function: &mut Function, candidate: &Candidate) {
    let word = function.add_value(Type::Word);
    let header = candidate.header;
    let place = function
        .block(header)
        .parameters
        .iter()
        .position(|parameter| *parameter == candidate.parameter);
    let Some(place) = place else { return };
    function.block_mut(header).parameters[place] = word;
    for (block, form) in &candidate.entries {
        let start = materialize(function, *block, form, None);
        set_argument(function, (*block, header), place, start);
    }
    for (block, step) in &candidate.steps {
        let next = materialize(function, *block, step, Some(word));
        set_argument(function, (*block, header), place, next);
    }
    let first = function.add_value(Type::Lanes);
    let mut insts = vec![inst(Op::Broadcast, &[word], first)];
    if candidate.pattern.iter().all(|offset| *offset == 0) {
        insts[0].result = Some(candidate.parameter);
    } else {
        let pattern = Op::Pattern(function.pattern(&candidate.pattern));
        let offsets = function.add_value(Type::Lanes);
        insts.push(inst(pattern, &[], offsets));
        let sum = Op::Binary(LaneBinary::Int(WordBinary::Add));
        insts.push(inst(sum, &[first, offsets], candidate.parameter));
    }
    function.block_mut(header).insts.splice(0..0, insts);
}

fn inst(op: Op, operands: &[Value], result: Value) -> Inst {
    Inst {
        op,
        operands: SmallVec::from_slice(operands),
        result: Some(result),
    }
}

/// Appends to a block the sum of the words of a form, its constant and `more`.
fn materialize(
    function: &mut Function,
    block: BlockId,
    form: &AffineForm,
    more: Option<Value>,
) -> Value {
    let mut sum = more;
    for (word, is_negative) in &form.words {
        sum = Some(match (sum, is_negative) {
            (None, false) => *word,
            (Some(sum), false) => append(function, block, WordBinary::Add, sum, *word),
            (sum, true) => {
                let from = sum.unwrap_or_else(|| constant(function, block, 0));
                append(function, block, WordBinary::Sub, from, *word)
            }
        });
    }
    match (sum, form.constant) {
        (Some(sum), 0) => sum,
        (None, bits) => constant(function, block, bits),
        (Some(sum), bits) => {
            let bits = constant(function, block, bits);
            append(function, block, WordBinary::Add, sum, bits)
        }
    }
}

fn append(function: &mut Function, block: BlockId, op: WordBinary, a: Value, b: Value) -> Value {
    let result = function.add_value(Type::Word);
    let sum = inst(Op::WordBinary(op), &[a, b], result);
    function.block_mut(block).insts.push(sum);
    result
}

fn constant(function: &mut Function, block: BlockId, bits: u32) -> Value {
    let result = function.add_value(Type::Word);
    let word = inst(Op::Word(bits), &[], result);
    function.block_mut(block).insts.push(word);
    result
}

/// Sets the argument of a parameter on the edges between two blocks. Both edges of a branch to the same block had the
/// same argument.
fn set_argument(
    function: &mut Function,
    (from, to): (BlockId, BlockId),
    place: usize,
    value: Value,
) {
    let edges = function.block_mut(from).terminator.edges_mut();
    let edges: Vec<&mut Edge> = edges.filter(|edge| edge.block == to).collect();
    for edge in edges {
        edge.arguments[place] = value;
    }
}
