//! Finds induction variables of lanes: loop parameters that start affine and are stepped by uniform words, in every lane
//! or in the lanes that stay in the loop.

use smallvec::SmallVec;

use super::active_lanes::is_subset;
use crate::ir::{
    BlockId, Function, Inst, LaneBinary, LaneCompare, Op, Type, Value, WordBinary, WordCompare,
};
use crate::pass::cfg::Cfg;
use crate::pass::csr::CsrLists;
use crate::pass::value_def::{ValueDef, definition};

/// The maximum depth of starts, steps and indices that are analyzed.
const MAX_DEPTH: u32 = 8;
/// The most words of a start or a step.
const MAX_WORDS: usize = 4;
/// The most uses that are searched for an index.
const MAX_USES: usize = 64;
/// The least comparisons of an index that selects an element of an array in registers.
const MIN_SELECTIONS: u32 = 4;

/// The sum of words, each added or subtracted, and a constant.
#[derive(Clone, Debug, Default)]
pub(super) struct AffineForm {
    pub(super) words: SmallVec<[(Value, bool); 2]>,
    pub(super) constant: u32,
}

/// An induction variable.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) header: BlockId,
    pub(super) parameter: Value,
    /// The difference of each lane from the word.
    pub(super) pattern: Vec<u32>,
    /// The predecessors of the header outside the loop, and the word with which each enters.
    pub(super) entries: Vec<(BlockId, AffineForm)>,
    /// The sources of back edges, and the word that each adds.
    pub(super) steps: Vec<(BlockId, AffineForm)>,
    /// The mask parameter of the lanes in which it is the word plus the pattern; `None` for all lanes.
    pub(super) active: Option<Value>,
}

/// The lanes to which a back edge adds a step.
#[derive(Clone, Copy)]
enum SteppedLanes {
    All,
    /// Those of a mask; the others keep their value.
    Of(Value),
}

/// An affine form with its pattern.
type FormAndPattern = (AffineForm, Vec<u32>);

pub(super) struct CandidateFinder<'a> {
    function: &'a Function,
    graph: &'a Cfg,
    value_defs: Vec<ValueDef>,
    /// By value: the values that are computed from it; itself where it indexes an access.
    users: CsrLists<Value>,
    /// By value: how many comparisons for equality it is in.
    selections: Vec<u32>,
}

impl<'a> CandidateFinder<'a> {
    pub(super) fn new(function: &'a Function, graph: &'a Cfg, value_defs: Vec<ValueDef>) -> Self {
        let mut users = Vec::new();
        let mut selections = vec![0; function.types.len()];
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            match (inst.op, inst.result) {
                (Op::Gather(_) | Op::Scatter(_), _) => {
                    users.push((inst.operands[1].0, inst.operands[1]));
                }
                (Op::Compare(LaneCompare::Int(WordCompare::Eq)), _) => {
                    for operand in &inst.operands {
                        selections[operand.index()] += 1;
                    }
                }
                (op, Some(result)) if is_affine(op) => {
                    users.extend(inst.operands.iter().map(|operand| (operand.0, result)));
                }
                _ => {}
            }
        }
        Self {
            function,
            graph,
            value_defs,
            users: CsrLists::new(function.types.len(), &users),
            selections,
        }
    }

    /// The induction variables of the loop with a header.
    pub(super) fn candidates(&self, header: BlockId) -> Vec<Candidate> {
        let parameters = self.function.block(header).parameters.iter().enumerate();
        let lanes =
            parameters.filter(|(_, parameter)| self.function.type_of(**parameter) == Type::Lanes);
        lanes
            .filter_map(|(place, parameter)| self.candidate(header, place, *parameter))
            .collect()
    }

    fn candidate(&self, header: BlockId, place: usize, parameter: Value) -> Option<Candidate> {
        let (mut entries, mut steps) = (Vec::new(), Vec::new());
        let (mut stepped, mut pattern) = (Vec::new(), None);
        for &from in self.graph.predecessors(header) {
            let argument = self.argument(from, header, place)?;
            if self.graph.dominates(header, from) {
                let (lanes, step) = self.masked_step(argument, parameter)?;
                steps.push((from, step));
                stepped.push((from, lanes));
            } else {
                let (form, own) = self.form(argument, MAX_DEPTH)?;
                if pattern.get_or_insert_with(|| own.clone()) != &own {
                    return None;
                }
                entries.push((from, form));
            }
        }
        if steps.is_empty() || !self.is_index(parameter) {
            return None;
        }
        let is_all = |(_, lanes): &(_, SteppedLanes)| matches!(lanes, SteppedLanes::All);
        let active = if stepped.iter().all(is_all) {
            None
        } else {
            Some(self.active_mask(header, &stepped)?)
        };
        Some(Candidate {
            header,
            parameter,
            pattern: pattern?,
            entries,
            steps,
            active,
        })
    }

    /// What is added to a parameter, and in which lanes.
    fn masked_step(&self, argument: Value, parameter: Value) -> Option<(SteppedLanes, AffineForm)> {
        if let Some(step) = self.step(argument, parameter, MAX_DEPTH) {
            return Some((SteppedLanes::All, step));
        }
        let inst = self.definition(argument)?;
        match (inst.op, &inst.operands[..]) {
            (Op::Select, &[mask, next, kept]) if kept == parameter => {
                let step = self.step(next, parameter, MAX_DEPTH)?;
                Some((SteppedLanes::Of(mask), step))
            }
            _ => None,
        }
    }

    /// The mask parameter of a header whose lanes have been stepped by every back edge that was taken so far. Each back
    /// edge passes a subset of it and of the lanes that it steps.
    fn active_mask(&self, header: BlockId, stepped: &[(BlockId, SteppedLanes)]) -> Option<Value> {
        let parameters = self.function.block(header).parameters.iter().enumerate();
        let mut masks =
            parameters.filter(|(_, parameter)| self.function.type_of(**parameter) == Type::Mask);
        let is_subset = |mask, of| is_subset(self.function, &self.value_defs, mask, of);
        let found = masks.find(|&(place, &mask)| {
            stepped.iter().all(|&(from, lanes)| {
                let next = self.argument(from, header, place);
                next.is_some_and(|next| {
                    let is_stepped = match lanes {
                        SteppedLanes::All => true,
                        SteppedLanes::Of(lanes) => is_subset(next, lanes),
                    };
                    is_stepped && is_subset(next, mask)
                })
            })
        });
        found.map(|(_, mask)| *mask)
    }

    /// The argument for a parameter, if it is the same on all edges between two blocks.
    fn argument(&self, from: BlockId, to: BlockId, place: usize) -> Option<Value> {
        let edges = self.function.block(from).terminator.edges();
        let mut given = edges
            .filter(|edge| edge.block == to)
            .map(|edge| edge.arguments[place]);
        let first = given.next()?;
        given.all(|other| other == first).then_some(first)
    }

    fn definition(&self, value: Value) -> Option<&Inst> {
        definition(self.function, &self.value_defs, value)
    }

    /// What is added to a parameter.
    fn step(&self, value: Value, parameter: Value, depth: u32) -> Option<AffineForm> {
        if value == parameter {
            return Some(AffineForm::default());
        }
        let depth = depth.checked_sub(1)?;
        let inst = self.definition(value)?;
        let &[a, b] = &inst.operands[..] else {
            return None;
        };
        let uniform = |value| {
            let (form, pattern) = self.form(value, depth)?;
            pattern.iter().all(|offset| *offset == 0).then_some(form)
        };
        match inst.op {
            Op::Binary(LaneBinary::Int(WordBinary::Add)) => {
                match (self.step(a, parameter, depth), uniform(b)) {
                    (Some(step), Some(more)) => plus(step, &more, false),
                    _ => plus(self.step(b, parameter, depth)?, &uniform(a)?, false),
                }
            }
            Op::Binary(LaneBinary::Int(WordBinary::Sub)) => {
                plus(self.step(a, parameter, depth)?, &uniform(b)?, true)
            }
            _ => None,
        }
    }

    /// The affine form and the pattern of lanes.
    fn form(&self, value: Value, depth: u32) -> Option<FormAndPattern> {
        let depth = depth.checked_sub(1)?;
        let inst = self.definition(value)?;
        let lanes = self.function.lanes as usize;
        match (inst.op, &inst.operands[..]) {
            (Op::Splat(constant), _) => {
                let words = SmallVec::new();
                Some((AffineForm { words, constant }, vec![0; lanes]))
            }
            (Op::Pattern(id), _) => {
                let words = &self.function.patterns[id.0 as usize];
                Some((AffineForm::default(), words.clone()))
            }
            (Op::Broadcast, &[word]) => {
                let words = SmallVec::from_slice(&[(word, false)]);
                let constant = 0;
                Some((AffineForm { words, constant }, vec![0; lanes]))
            }
            (Op::Binary(LaneBinary::Int(op @ (WordBinary::Add | WordBinary::Sub))), &[a, b]) => {
                let (a, p) = self.form(a, depth)?;
                let (b, q) = self.form(b, depth)?;
                let pattern = p
                    .iter()
                    .zip(&q)
                    .map(|(p, q)| crate::arithmetic::word_binary(op, *p, *q));
                Some((plus(a, &b, op == WordBinary::Sub)?, pattern.collect()))
            }
            _ => None,
        }
    }

    /// Whether a value, or a sum or product with it, is the index of an access, or selects an element of an array.
    fn is_index(&self, value: Value) -> bool {
        let mut open = vec![(value, 0)];
        let mut searched = 0;
        while let Some((value, depth)) = open.pop() {
            if self.selections[value.index()] >= MIN_SELECTIONS {
                return true;
            }
            for &user in self.users.of(value.index()) {
                searched += 1;
                if user == value {
                    return true;
                }
                if searched > MAX_USES {
                    return false;
                }
                if depth < MAX_DEPTH {
                    open.push((user, depth + 1));
                }
            }
        }
        false
    }
}

fn plus(mut form: AffineForm, other: &AffineForm, is_negative: bool) -> Option<AffineForm> {
    let words = other.words.iter();
    form.words
        .extend(words.map(|(word, sign)| (*word, *sign != is_negative)));
    form.constant = if is_negative {
        form.constant.wrapping_sub(other.constant)
    } else {
        form.constant.wrapping_add(other.constant)
    };
    (form.words.len() <= MAX_WORDS).then_some(form)
}

/// Whether an operation on affine lanes and constants or words may be affine.
pub(super) fn is_affine(op: Op) -> bool {
    matches!(
        op,
        Op::ShlBy(_)
            | Op::Binary(LaneBinary::Int(
                WordBinary::Add | WordBinary::Sub | WordBinary::Mul
            ))
    )
}
