//! Proves that an access is in bounds.
//!
//! In: an access and the facts that hold where it takes place. Out: whether the largest position it can have is inside.
//!
//! The position is a sum of linear forms. Each fact `form < limit` removes a multiple of its form from the sum and adds
//! that multiple of the limit to the bound; the terms that are left add the largest value of their range. A bound is a
//! constant, or a run-time length less a constant. Positions are computed modulo 2^32; they equal the sum of the parts
//! because the bound shows that the sum does not wrap.

mod length;
mod path_facts;
mod pointer;
mod search;

use std::cell::Cell;

use anywarp_program::work::Meter;
use smallvec::SmallVec;

use crate::ir::{BlockId, Context, LaneBinary, Op, Space, Value, WordBinary};

use super::access::{Access, Index};
use super::extent::{BufferExtent, ENTRY_WORDS, Extent, Extents, LEVEL_TABLE};
use super::fact::{Fact, Facts};
use super::flow::Flow;
use super::frame_slots::FrameSlots;
use super::linear::{Linear, LinearForms};
use super::value_ranges::Ranges;

use pointer::MemoryRoot;
use search::{BOUND_KINDS, Bound};

/// Words of the zeros that an address without memory points to.
const ZERO_WORDS: u64 = Context::ZEROS as u64 / 4;

/// Steps of all searches for one access.
const MAX_STEPS: u32 = 2_000;

/// The cost of each fact that a step considers, in units of the work meter.
const STEP_COST: u64 = 4;

/// Instructions between a pointer and the memory it comes from.
const MAX_CHAIN: usize = 16;

/// A part of the position of an access: a multiple of the integer that a form is.
#[derive(Clone, Debug)]
struct ScaledForm {
    form: Linear,
    factor: u32,
}

/// A claim about an access.
enum Claim {
    /// It needs no search.
    Decided(bool),
    Open(Box<OpenClaim>),
}

/// The position of an access, and the facts that hold where it takes place.
struct OpenClaim {
    root: MemoryRoot,
    parts: SmallVec<[ScaledForm; 4]>,
    facts: Facts,
}

/// Counts the steps of proofs.
pub(super) struct ProofBudget<'m> {
    meter: &'m Meter,
    /// Steps that are left for the proof of one access, so that few hard ones do not use up the meter.
    left: Cell<u32>,
}

impl<'m> ProofBudget<'m> {
    pub(super) fn new(meter: &'m Meter) -> Self {
        let left = Cell::new(0);
        Self { meter, left }
    }

    /// Takes a step that looks at some facts; `false` if the access or the kernel has taken too many.
    fn step(&self, facts: usize) -> bool {
        let Some(left) = self.left.get().checked_sub(1) else {
            return false;
        };
        self.left.set(left);
        self.meter.tick(STEP_COST * (1 + facts as u64)).is_ok()
    }
}

#[derive(Clone, Copy)]
pub(super) struct Prover<'a, 'f> {
    pub(super) flow: &'a Flow<'f>,
    pub(super) forms: &'a LinearForms<'a, 'f>,
    pub(super) ranges: &'a Ranges<'a, 'f>,
    pub(super) extents: &'a Extents,
    pub(super) slots: &'a FrameSlots,
    pub(super) budget: &'a ProofBudget<'a>,
}

impl Prover<'_, '_> {
    /// Whether an access of a block stays inside its memory.
    pub(super) fn holds(&self, access: &Access, block: BlockId) -> bool {
        self.budget.left.set(MAX_STEPS);
        match self.claim(access, block) {
            Claim::Decided(holds) => holds,
            Claim::Open(mut claim) => {
                if self.is_inside(access, &claim, block) {
                    return true;
                }
                self.add_surroundings(&mut claim.facts, &claim.parts, block);
                let OpenClaim { facts, parts, .. } = &mut *claim;
                facts.substitute(parts.iter_mut().map(|part| &mut part.form));
                self.is_inside(access, &claim, block)
                    || self.holds_by_compared(access, &claim.facts, block)
            }
        }
    }

    /// Tries once more with the compared values as terms. Where an index is the sum of several checked indices that
    /// share terms, this keeps them apart.
    fn holds_by_compared(&self, access: &Access, facts: &Facts, block: BlockId) -> bool {
        let terms = facts
            .compared
            .iter()
            .filter_map(|value| self.varying_part(*value));
        let forms = self.forms.with_terms(terms);
        let prover = Prover {
            forms: &forms,
            ..*self
        };
        match prover.claim(access, block) {
            Claim::Decided(holds) => holds,
            Claim::Open(mut claim) => {
                prover.add_surroundings(&mut claim.facts, &claim.parts, block);
                prover.is_inside(access, &claim, block)
            }
        }
    }

    /// The word of a vector that is a word plus a constant for each lane; of other vectors the part without constants.
    fn varying_part(&self, value: Value) -> Option<Value> {
        let flow = self.flow;
        let is_constant = |value: Value| {
            let definition = flow.definition(value);
            definition.is_some_and(|inst| matches!(inst.op, Op::Pattern(_) | Op::Splat(_)))
        };
        let mut value = flow.resolve(value);
        for _ in 0..MAX_CHAIN {
            let Some(inst) = flow.definition(value) else {
                break;
            };
            value = match (inst.op, &inst.operands[..]) {
                (Op::Broadcast, &[word]) => flow.resolve(word),
                (Op::Binary(LaneBinary::Int(WordBinary::Add)), &[a, b]) if is_constant(b) => {
                    flow.resolve(a)
                }
                (Op::Binary(LaneBinary::Int(WordBinary::Add)), &[a, b]) if is_constant(a) => {
                    flow.resolve(b)
                }
                (Op::Word(_) | Op::Splat(_) | Op::Pattern(_), _) => return None,
                _ => break,
            };
        }
        Some(value)
    }

    /// The claim about an access, with the facts of its own mask, limit and address.
    fn claim(&self, access: &Access, block: BlockId) -> Claim {
        let (flow, forms) = (self.flow, self.forms);
        let Some(target) = self.target(access.pointer) else {
            return Claim::Decided(false);
        };
        if access.is_write && !self.is_writable(&target) {
            return Claim::Decided(false);
        }
        let mut facts = Facts::new(flow.function.all_lanes());
        if let Some(mask) = access.mask {
            facts.add_mask(forms, mask);
        }
        let index = match access.index {
            Index::None => None,
            Index::Row(word) => Some(forms.linear(word).sum(&forms.iota())),
            Index::Lanes(lanes) => Some(forms.linear(lanes)),
        };
        if let (Some(limit), Some(index)) = (access.limit, &index) {
            facts.add_word(forms, limit);
            if let Index::Row(value) | Index::Lanes(value) = access.index {
                facts.compared.push(value);
            }
            facts.list.push(Fact::Below {
                form: index.clone(),
                limit: flow.resolve(limit),
                is_strict: true,
            });
        }
        if let Some(exists) = target.exists {
            // Without memory it reads the page of zeros, whose size limits the offset.
            let end = access.offset + i64::from(access.width);
            if index.is_some() || access.offset < 0 || end > ZERO_WORDS as i64 {
                return Claim::Decided(false);
            }
            if flow.bits(exists) == Some(0) {
                return Claim::Decided(true);
            }
            facts.add_word(forms, exists);
        }
        self.drop_impossible(&mut facts, block);
        // No lane takes part.
        if facts.lanes == 0
            || access
                .limit
                .is_some_and(|limit| flow.bits(limit) == Some(0))
        {
            return Claim::Decided(true);
        }
        // Pointers are words apart, whatever the unit of the index is.
        let per_word = access.unit.per_word();
        let distances = target.distances.into_iter().map(|form| ScaledForm {
            form,
            factor: per_word,
        });
        let index = index.map(|form| ScaledForm { form, factor: 1 });
        Claim::Open(Box::new(OpenClaim {
            parts: distances.chain(index).collect(),
            root: target.root,
            facts,
        }))
    }

    /// Drops the lanes in which a fact about constants does not hold.
    fn drop_impossible(&self, facts: &mut Facts, block: BlockId) {
        for fact in &facts.list {
            if let Fact::Below {
                form,
                limit,
                is_strict,
            } = fact
                && form.terms.is_empty()
            {
                let max = self.ranges.of(*limit, block).max;
                for (lane, constant) in form.constants.iter().enumerate() {
                    if *constant > max || (*is_strict && *constant == max) {
                        facts.lanes &= !(1 << lane);
                    }
                }
            }
        }
    }

    /// Whether the entry that a pointer is loaded from is one.
    pub(super) fn is_entry(&self, pointer: Value, offset: i32, block: BlockId) -> bool {
        let Some(target) = self
            .target(pointer)
            .filter(|target| target.exists.is_none())
        else {
            return false;
        };
        let MemoryRoot::Space(Space::Buffer(number)) = target.root else {
            return false;
        };
        match self.extents.buffers.get(number as usize) {
            Some(BufferExtent::Level) => {
                target.distances.is_empty() && u32::try_from(offset) == Ok(LEVEL_TABLE)
            }
            Some(BufferExtent::Entries(_)) => {
                let is_aligned = |form: &Linear| {
                    let numbers = form
                        .terms
                        .iter()
                        .map(|term| term.1)
                        .chain(form.constants.iter().copied());
                    numbers
                        .into_iter()
                        .all(|number| number.is_multiple_of(ENTRY_WORDS))
                };
                let access = Access {
                    pointer,
                    index: Index::None,
                    offset: i64::from(offset),
                    unit: super::access::Unit::Words,
                    width: ENTRY_WORDS,
                    limit: None,
                    mask: None,
                    is_write: false,
                };
                offset.unsigned_abs().is_multiple_of(ENTRY_WORDS)
                    && target.distances.iter().all(is_aligned)
                    && self.holds(&access, block)
            }
            _ => false,
        }
    }

    fn is_inside(&self, access: &Access, claim: &OpenClaim, block: BlockId) -> bool {
        let OpenClaim { root, parts, facts } = claim;
        let Some(extent) = self.extent(root, facts, block) else {
            return false;
        };
        let extent_of = |lane| Extent {
            at_least: self.guaranteed(&extent, facts, lane),
            length: extent.length.clone(),
        };
        let least = lanes_of(facts).map(extent_of);
        let Some(least) = least.min_by_key(|extent| extent.at_least) else {
            return true;
        };
        // Where facts differ between lanes by their constants alone, each lane is a case of its own.
        let differs = |fact: &Fact| match fact {
            Fact::Below { form, .. } => form.terms.is_empty() && form.as_constant().is_none(),
            _ => false,
        };
        self.is_bounded(access, &least, parts, facts, block)
            || facts.list.iter().any(differs)
                && lanes_of(facts).all(|lane| {
                    let alone = Facts {
                        lanes: 1 << lane,
                        ..facts.clone()
                    };
                    self.is_bounded(access, &extent_of(lane), parts, &alone, block)
                })
    }

    fn is_bounded(
        &self,
        access: &Access,
        extent: &Extent,
        parts: &[ScaledForm],
        facts: &Facts,
        block: BlockId,
    ) -> bool {
        BOUND_KINDS.into_iter().any(|kind| {
            self.some_bound(parts, facts, (block, kind), |bound| {
                self.fits(access, bound, extent, facts)
            })
        })
    }

    /// Whether units up to a bound are inside, with the offset and the width of an access.
    fn fits(&self, access: &Access, bound: &Bound, extent: &Extent, facts: &Facts) -> bool {
        let per_word = i64::from(access.unit.per_word());
        if access.offset < 0 {
            return false;
        }
        let end = bound.constant + access.offset + i64::from(access.width);
        match (&bound.length, &extent.length) {
            (None, _) => end <= per_word * extent.at_least as i64,
            (Some((length, scale)), Some((whole, more))) => {
                i64::from(*scale) <= per_word
                    && self.is_same_length(length, whole, facts)
                    && end <= per_word * i64::from(*more)
            }
            (Some(_), None) => false,
        }
    }
}

/// The lanes that take part.
fn lanes_of(facts: &Facts) -> impl Iterator<Item = usize> {
    let lanes = facts.lanes;
    (0..32).filter(move |lane| lanes >> lane & 1 == 1)
}
