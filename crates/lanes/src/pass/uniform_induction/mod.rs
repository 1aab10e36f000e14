//! Induction variables of lanes become uniform: a word that is stepped, plus a constant pattern (compare LLVM's
//! IndVarSimplify and ispc's linear vectors).
//!
//! In: any function. Out: the same function, where a loop parameter that starts as a uniform word plus a constant
//! pattern, and to which every back edge adds a uniform word, is a word; the loop header adds the pattern. Values that
//! are computed from it and indices become sums of a word and a pattern, too, so that gathers and scatters of strided
//! loops (`for (var i = start + lane; i < end; i += 64u)`) are rows for `fuse`.
//!
//! Where every lane is stepped, lanes that have left the loop count on with the others. Where a mask selects the lanes
//! that are stepped, and the others keep what they left with, the parameter stays, and the word is a second parameter:
//! it is used instead in instructions of which only lanes in the loop are observed (`active_lanes`).
//!
//! Only parameters that index a gather, a scatter or an array in registers are rewritten: elsewhere, a vector sum is cheaper than a word that is
//! broadcast. The time is linear in the size of the function.

mod active_lanes;
mod affine;
mod candidates;

use smallvec::SmallVec;

use super::cfg::Cfg;
use super::value_def::value_defs;
use crate::ir::{BlockId, Edge, Function, Inst, LaneBinary, Op, Type, Value, WordBinary};
use active_lanes::ObservedLanes;
pub(super) use affine::AffineRules;
use candidates::{AffineForm, Candidate, CandidateFinder};

/// The most parameters of lanes in a loop that are rewritten, as each takes time that is linear in the size of the
/// function.
const MAX_ACTIVE: usize = 8;

/// Runs the pass.
pub fn run(function: &mut Function) {
    if !has_candidates(function) {
        return;
    }
    let graph = Cfg::new(function);
    let headers: Vec<_> = graph.order().to_vec();
    let mut is_affine = vec![false; function.types.len()];
    let finder = CandidateFinder::new(function, &graph, value_defs(function));
    let candidates: Vec<Candidate> = headers
        .iter()
        .flat_map(|header| finder.candidates(*header))
        .collect();
    let (mut found, mut active) = (false, 0);
    for candidate in &candidates {
        let affine = match candidate.active {
            None => {
                rewrite(function, candidate);
                candidate.parameter
            }
            Some(mask) if active < MAX_ACTIVE => {
                active += 1;
                rewrite_active(function, candidate, mask)
            }
            Some(_) => continue,
        };
        is_affine.resize(function.types.len(), false);
        is_affine[affine.index()] = true;
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
    count(function, candidate, word, &mut |edge, value| {
        edge.arguments[place] = value;
    });
    define(function, candidate, word, candidate.parameter);
}

/// Adds a word as a parameter, and uses the sum of the word and the pattern instead of the candidate where only lanes
/// of a mask are observed. Returns the sum.
fn rewrite_active(function: &mut Function, candidate: &Candidate, mask: Value) -> Value {
    let observed = ObservedLanes::new(function, mask);
    let sum = function.add_value(Type::Lanes);
    for block in &mut function.blocks {
        for inst in &mut block.insts {
            for place in 0..inst.operands.len() {
                if inst.operands[place] == candidate.parameter
                    && !observed.observes_others(inst, place)
                {
                    inst.operands[place] = sum;
                }
            }
        }
    }
    let word = function.add_parameter(candidate.header, Type::Word);
    count(function, candidate, word, &mut |edge, value| {
        edge.arguments.push(value);
    });
    define(function, candidate, word, sum);
    sum
}

/// Computes the start and the next value of a word, and passes them with `pass` on the edges to the header.
fn count(
    function: &mut Function,
    candidate: &Candidate,
    word: Value,
    pass: &mut dyn FnMut(&mut Edge, Value),
) {
    let starts = candidate.entries.iter().map(|entry| (entry, None));
    let steps = candidate.steps.iter().map(|step| (step, Some(word)));
    for ((block, form), more) in starts.chain(steps) {
        let value = materialize(function, *block, form, more);
        // Both edges of a branch to the header had the same argument.
        let edges = function.block_mut(*block).terminator.edges_mut();
        let edges = edges.filter(|edge| edge.block == candidate.header);
        edges.for_each(|edge| pass(edge, value));
    }
}

/// Defines a value in the header as the sum of a word and the pattern.
fn define(function: &mut Function, candidate: &Candidate, word: Value, sum: Value) {
    let mut insts = Vec::with_capacity(3);
    if candidate.pattern.iter().all(|offset| *offset == 0) {
        insts.push(inst(Op::Broadcast, &[word], sum));
    } else {
        let first = function.add_value(Type::Lanes);
        insts.push(inst(Op::Broadcast, &[word], first));
        let pattern = Op::Pattern(function.pattern(&candidate.pattern));
        let offsets = function.add_value(Type::Lanes);
        insts.push(inst(pattern, &[], offsets));
        let add = Op::Binary(LaneBinary::Int(WordBinary::Add));
        insts.push(inst(add, &[first, offsets], sum));
    }
    let block = function.block_mut(candidate.header);
    block.insts.splice(0..0, insts);
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
