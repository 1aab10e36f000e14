//! Proves that an access stays inside its memory.
//!
//! In: an access and the facts that hold where it takes place. Out: whether the largest position it can have is inside.
//!
//! The position is a sum of linear forms. Each fact `form < limit` removes a multiple of its form from the sum and adds
//! that multiple of the limit to the bound; the terms that are left add the largest value of their range. A bound is a
//! constant, or a run-time length less a constant. Positions are computed modulo 2^32; they equal the sum of the parts
//! because the bound shows that the sum does not wrap.

use smallvec::SmallVec;

use crate::ir::{BlockId, Context, LaneBinary, Op, Space, Value, WordBinary};
use crate::pass::origin::Origin;

use super::access::{Access, Index};
use super::extent::{
    BufferExtent, ENTRY_LENGTH, ENTRY_WORDS, Extent, Extents, LEVEL_TABLE, LEVEL_WORDS, Length,
    TABLE_WORDS,
};
use super::fact::{Fact, Facts};
use super::flow::Flow;
use super::known::Ranges;
use super::linear::Linear;
use super::slots::Slots;

/// Words of the zeros that an address without memory points to.
const ZERO_WORDS: u64 = Context::ZEROS as u64 / 4;

/// Instructions between a pointer and the memory it comes from.
const MAX_CHAIN: usize = 16;

/// Recognises run-time lengths in expressions of at most this depth.
const MAX_DEPTH: u32 = 8;

/// Nested right shifts of an index that are followed: from halves to words.
const MAX_SHIFTS: u32 = 2;

/// Steps of one search, so that the time stays linear.
const MAX_STEPS: u32 = 200;

/// The largest multiple of a fact: elements are smaller.
const MAX_FACTOR: u32 = 1 << 24;

/// Facts that each step of a search tries.
const MAX_FACTS: usize = 6;

/// The memory that a pointer points into.
#[derive(Clone, Debug)]
enum Root {
    Space(Space),
    /// The buffer of the entry that begins at a word of a table, by the table's number.
    Entry(u32, Linear),
    /// The table of a texture level.
    Table,
    /// Memory of the frame that a caller passes a pointer to: at least this many words.
    Passed(u64),
}

/// Where a pointer points.
#[derive(Clone, Debug)]
struct Target {
    root: Root,
    /// Words from the beginning of the memory; each is an unsigned integer, and their sum does not wrap.
    distances: SmallVec<[Linear; 3]>,
    /// The word that says whether the place exists; else the pointer is one to zeros.
    exists: Option<Value>,
}

/// A part of the position of an access: a multiple of the integer that a form is.
#[derive(Clone, Debug)]
struct Part {
    form: Linear,
    factor: u32,
}

/// An upper bound: `constant`, plus a multiple of a length, less the integer that a form is.
#[derive(Clone, Debug)]
struct Bound {
    constant: i64,
    length: Option<(Length, u32)>,
    less: Option<Linear>,
}

/// A value that is at most `(scale * length - start) / stride`, rounded down, or 0.
#[derive(Clone, Debug)]
struct Count {
    length: Length,
    scale: u32,
    start: Start,
    stride: u32,
}

/// Where elements begin that are counted.
#[derive(Clone, Debug)]
enum Start {
    At(u32),
    /// At a place that is known at run time.
    Form(Linear),
}

/// Which bounds are used for terms.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prefer {
    /// Facts, first those whose limit is a run-time length.
    Lengths,
    /// Facts whose limit is a constant.
    Constants,
    /// Ranges alone.
    Ranges,
}

const PREFERENCES: [Prefer; 3] = [Prefer::Lengths, Prefer::Constants, Prefer::Ranges];

/// A search for the bounds of a form.
struct Search<'x> {
    facts: &'x Facts,
    block: BlockId,
    prefer: Prefer,
    shifts: u32,
    fuel: u32,
    /// The facts on the path to here, by number. None helps twice.
    used: SmallVec<[usize; 4]>,
    is_enough: &'x mut dyn FnMut(Bound) -> bool,
}

/// A fact that shares a term with a form.
struct Useful<'x> {
    /// How much is left without it: terms, and more for negative ones.
    left: usize,
    number: usize,
    form: &'x Linear,
    factor: u32,
    /// The bound of this multiple.
    bound: Bound,
}

pub(super) struct Prover<'a, 'f> {
    pub(super) flow: &'a Flow<'f>,
    pub(super) ranges: &'a Ranges<'a, 'f>,
    pub(super) extents: &'a Extents,
    pub(super) slots: &'a Slots,
}

impl Prover<'_, '_> {
    /// Whether an access of a block stays inside its memory.
    pub(super) fn holds(&self, access: &Access, block: BlockId) -> bool {
        let flow = self.flow;
        let Some(target) = self.target(access.pointer) else {
            return false;
        };
        if access.is_write && !self.is_writable(&target) {
            return false;
        }
        let mut facts = Facts::new(flow.function.all_lanes());
        if let Some(mask) = access.mask {
            facts.add_mask(flow, mask);
        }
        let index = match access.index {
            Index::None => None,
            Index::Row(word) => Some(flow.linear(word).sum(&flow.iota())),
            Index::Lanes(lanes) => Some(flow.linear(lanes)),
        };
        if let (Some(limit), Some(index)) = (access.limit, &index) {
            facts.add_word(flow, limit);
            facts.list.push(Fact::Below {
                form: index.clone(),
                limit: flow.resolve(limit),
                is_strict: true,
            });
        }
        if let Some(exists) = target.exists {
            // Without memory it reads zeros, as far as there are any.
            let end = access.offset + i64::from(access.width);
            if index.is_some() || access.offset < 0 || end > ZERO_WORDS as i64 {
                return false;
            }
            if flow.bits(exists) == Some(0) {
                return true;
            }
            facts.add_word(flow, exists);
        }
        self.drop_impossible(&mut facts, block);
        // No lane takes part.
        if facts.lanes == 0 || access.limit.is_some_and(|it| flow.bits(it) == Some(0)) {
            return true;
        }
        // Pointers are words apart, whatever the unit of the index is.
        let per_word = access.unit.per_word();
        let distances = target.distances.iter().map(|it| Part {
            form: it.clone(),
            factor: per_word,
        });
        let index = index.map(|form| Part { form, factor: 1 });
        let mut parts: SmallVec<[Part; 4]> = distances.chain(index).collect();
        self.is_inside(access, &target.root, &parts, &facts, block) || {
            self.add_surroundings(&mut facts, &parts, block);
            facts.substitute(parts.iter_mut().map(|it| &mut it.form));
            self.is_inside(access, &target.root, &parts, &facts, block)
        }
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

    /// Whether a pointer is to memory that code may write: not to constants, to zeros or to entries.
    fn is_writable(&self, target: &Target) -> bool {
        let is_writable = match target.root {
            Root::Space(Space::Workgroup | Space::Frame(_)) => true,
            Root::Space(Space::Buffer(number)) => {
                let buffer = self.extents.buffers.get(number as usize);
                matches!(buffer, Some(BufferExtent::Words(_)))
            }
            Root::Space(Space::Immediates | Space::Constants) | Root::Table => false,
            Root::Entry(..) | Root::Passed(_) => true,
        };
        is_writable && target.exists.is_none()
    }

    /// Whether the entry that a pointer is loaded from is one.
    pub(super) fn is_entry(&self, pointer: Value, offset: i32, block: BlockId) -> bool {
        let Some(target) = self.target(pointer).filter(|it| it.exists.is_none()) else {
            return false;
        };
        let Root::Space(Space::Buffer(number)) = target.root else {
            return false;
        };
        match self.extents.buffers.get(number as usize) {
            Some(BufferExtent::Level) => {
                target.distances.is_empty() && u32::try_from(offset) == Ok(LEVEL_TABLE)
            }
            Some(BufferExtent::Entries(_)) => {
                let is_aligned = |it: &Linear| {
                    let numbers = it
                        .terms
                        .iter()
                        .map(|it| it.1)
                        .chain(it.constants.iter().copied());
                    numbers.into_iter().all(|it| it.is_multiple_of(ENTRY_WORDS))
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

    fn is_inside(
        &self,
        access: &Access,
        root: &Root,
        parts: &[Part],
        facts: &Facts,
        block: BlockId,
    ) -> bool {
        let Some(extent) = self.extent(root, facts, block) else {
            return false;
        };
        let extent_of = |lane| Extent {
            at_least: self.guaranteed(&extent, facts, lane),
            length: extent.length.clone(),
        };
        let least = lanes_of(facts).map(extent_of);
        let Some(least) = least.min_by_key(|it| it.at_least) else {
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

    /// The words that a memory has at least where facts hold in a lane: an index that exists shows that those below it do.
    fn guaranteed(&self, extent: &Extent, facts: &Facts, lane: usize) -> u64 {
        let Some((length, _)) = &extent.length else {
            return extent.at_least;
        };
        let words = facts.list.iter().filter_map(|fact| {
            let (index, limit, more) = match fact {
                Fact::Below {
                    form,
                    limit,
                    is_strict,
                } if form.terms.is_empty() => (form.constants[lane], *limit, u64::from(*is_strict)),
                Fact::Nonzero(limit) => (0, *limit, 1),
                _ => return None,
            };
            let count = self.count(limit, MAX_DEPTH)?;
            let Start::At(start) = count.start else {
                return None;
            };
            let elements = u64::from(index) + more;
            let units = u64::from(start) + u64::from(count.stride) * elements;
            let is_same = elements > 0 && self.is_same_length(&count.length, length, facts);
            is_same.then(|| units.div_ceil(count.scale.into()))
        });
        words.max().unwrap_or(0).max(extent.at_least)
    }

    fn is_bounded(
        &self,
        access: &Access,
        extent: &Extent,
        parts: &[Part],
        facts: &Facts,
        block: BlockId,
    ) -> bool {
        PREFERENCES.into_iter().any(|prefer| {
            self.some_bound(parts, facts, (block, prefer), |it| {
                self.fits(access, it, extent, facts)
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

    fn is_same_length(&self, a: &Length, b: &Length, facts: &Facts) -> bool {
        match (a, b) {
            (Length::Buffer(a), Length::Buffer(b)) => a == b,
            (Length::Entry(table, a), Length::Entry(other, b)) => {
                let difference = a.clone().difference(b);
                let is_multiple = |equal: &Linear| {
                    let Some(&(value, coefficient)) = equal.terms.first() else {
                        return false;
                    };
                    let ratio = difference.coefficient(value).checked_div(coefficient);
                    let mut rest = difference.clone();
                    rest.add(equal, ratio.unwrap_or(0).wrapping_neg());
                    rest.is_zero()
                };
                let is_equal = |it: &Fact| matches!(it, Fact::Equal(form) if is_multiple(form));
                table == other && (difference.is_zero() || facts.list.iter().any(is_equal))
            }
            _ => false,
        }
    }

    /// Follows a pointer to the memory it points into.
    fn target(&self, pointer: Value) -> Option<Target> {
        let flow = self.flow;
        let (mut at, mut distances) = (pointer, SmallVec::<[Linear; 3]>::new());
        let mut exists = None;
        for _ in 0..MAX_CHAIN {
            let inst = flow.definition(at)?;
            match (inst.op, &inst.operands[..]) {
                (Op::Base(space), _) => {
                    return Some(Target {
                        root: Root::Space(space),
                        distances,
                        exists,
                    });
                }
                (Op::Advance, &[from, by]) => {
                    distances.push(flow.linear(by));
                    at = from;
                }
                // Only the last step may lead to zeros, since offsets from there are checked.
                (Op::Address, &[from, by, condition])
                    if distances.is_empty() && exists.is_none() =>
                {
                    exists = Some(condition);
                    distances.push(flow.linear(by));
                    at = from;
                }
                (Op::LoadPointer(offset), &[from]) => {
                    let root = self.loaded(from, offset)?;
                    return Some(Target {
                        root,
                        distances,
                        exists,
                    });
                }
                (Op::Recall(slot), _) => {
                    return Some(Target {
                        root: Root::Passed(self.slots.passed_words(slot)?),
                        distances,
                        exists,
                    });
                }
                _ => return None,
            }
        }
        None
    }

    /// The memory of a pointer that is loaded from an entry.
    fn loaded(&self, from: Value, offset: i32) -> Option<Root> {
        let target = self.target(from)?;
        let Root::Space(Space::Buffer(number)) = target.root else {
            return None;
        };
        match self.extents.buffers.get(number as usize)? {
            BufferExtent::Level => Some(Root::Table),
            BufferExtent::Entries(_) => {
                let entry = self.entry_form(&target, offset);
                Some(Root::Entry(number, entry))
            }
            BufferExtent::Words(_) => None,
        }
    }

    /// The word at which an entry begins.
    fn entry_form(&self, target: &Target, offset: i32) -> Linear {
        let start = self.flow.constant(offset.cast_unsigned());
        target.distances.iter().fold(start, |sum, it| sum.sum(it))
    }

    fn extent(&self, root: &Root, facts: &Facts, block: BlockId) -> Option<Extent> {
        let words = |it: u32| Extent::words(it.into());
        Some(match root {
            Root::Table => words(TABLE_WORDS),
            Root::Passed(words) => Extent::words(*words),
            Root::Space(Space::Workgroup) => words(self.extents.workgroup_words),
            Root::Space(Space::Immediates) => words(self.extents.immediate_words),
            Root::Space(Space::Constants) => words(self.extents.constant_words),
            Root::Space(Space::Frame(offset)) => Extent::words(
                self.slots
                    .words_from(*offset, self.flow.function.frame_bytes),
            ),
            Root::Space(Space::Buffer(number)) => {
                match self.extents.buffers.get(*number as usize)? {
                    BufferExtent::Words(at_least) => Extent {
                        at_least: (*at_least).into(),
                        length: Some((Length::Buffer(*number), 0)),
                    },
                    BufferExtent::Entries(_) => Extent {
                        at_least: ENTRY_WORDS.into(),
                        length: Some((Length::Buffer(*number), ENTRY_WORDS)),
                    },
                    BufferExtent::Level => words(LEVEL_WORDS),
                }
            }
            Root::Entry(table, form) => {
                let BufferExtent::Entries(least) = self.extents.buffers.get(*table as usize)?
                else {
                    return None;
                };
                // Only the entries below the length are of buffers that are bound.
                let entries = Extent {
                    at_least: 0,
                    length: Some((Length::Buffer(*table), 0)),
                };
                let exists = |lane| {
                    let start = form
                        .as_constant()
                        .map(|it| u64::from(it) + u64::from(ENTRY_WORDS));
                    start.is_some_and(|it| it <= self.guaranteed(&entries, facts, lane))
                };
                let is_bound = lanes_of(facts).all(exists)
                    || PREFERENCES.into_iter().any(|prefer| {
                        let bound = self.largest_of(form, facts, block, prefer, MAX_SHIFTS);
                        bound.is_some_and(|it| {
                        matches!(it.length, Some((Length::Buffer(number), 1)) if number == *table)
                            && it.constant <= -i64::from(ENTRY_WORDS)
                    })
                    });
                Extent {
                    at_least: if is_bound { (*least).into() } else { 0 },
                    length: Some((Length::Entry(*table, form.clone()), 0)),
                }
            }
        })
    }

    /// Whether an upper bound of the sum of some forms passes a test.
    fn some_bound(
        &self,
        parts: &[Part],
        facts: &Facts,
        (block, prefer): (BlockId, Prefer),
        is_enough: impl Fn(&Bound) -> bool,
    ) -> bool {
        let Some((index, distances)) = parts.split_last() else {
            return is_enough(&Bound::ZERO);
        };
        let around = (block, prefer);
        let context = (block, prefer, MAX_SHIFTS);
        self.has_bound(&index.form, facts, context, &mut |bound| {
            let sum = bound.times(index.factor);
            let sum = sum.and_then(|it| self.with_distances(it, distances, facts, around));
            sum.is_some_and(|it| is_enough(&it))
        })
    }

    /// Adds upper bounds of distances. A form that the sum is less than a length by is gone with the distance that it is.
    fn with_distances(
        &self,
        mut sum: Bound,
        distances: &[Part],
        facts: &Facts,
        (block, prefer): (BlockId, Prefer),
    ) -> Option<Bound> {
        for Part { form, factor } in distances.iter().rev() {
            if sum.less.as_ref() == Some(form) && *factor == 1 {
                sum.less = None;
                continue;
            }
            let bound = self.largest_of(form, facts, block, prefer, MAX_SHIFTS)?;
            let bound = bound.times(*factor)?;
            sum.constant = sum.constant.checked_add(bound.constant)?;
            sum.less = sum.less.or(bound.less);
            sum.length = match (sum.length, bound.length) {
                (None, it) | (it, None) => it,
                (Some(_), Some(_)) => return None,
            };
        }
        Some(sum)
    }

    /// Finds an upper bound of a form that is enough, and shows that the form's parts do not wrap.
    fn has_bound(
        &self,
        form: &Linear,
        facts: &Facts,
        (block, prefer, shifts): (BlockId, Prefer, u32),
        is_enough: &mut dyn FnMut(Bound) -> bool,
    ) -> bool {
        let mut search = Search {
            facts,
            block,
            prefer,
            shifts,
            fuel: MAX_STEPS,
            used: SmallVec::new(),
            is_enough,
        };
        self.remove_facts(&mut search, form, Bound::ZERO, true)
    }

    /// Removes multiples of facts from a form, depth first, until the bound of what is left is enough.
    fn remove_facts(
        &self,
        search: &mut Search<'_>,
        form: &Linear,
        bound: Bound,
        is_first: bool,
    ) -> bool {
        let Some(fuel) = search.fuel.checked_sub(1) else {
            return false;
        };
        search.fuel = fuel;
        // Constants alone are worth a fact only if there was nothing else.
        if is_first || !form.terms.is_empty() {
            for useful in self.useful_facts(search, form) {
                let more = useful.bound;
                if bound.length.is_some() && more.length.is_some() {
                    continue;
                }
                let mut rest = form.clone();
                rest.add(useful.form, useful.factor.wrapping_neg());
                let Some(constant) = bound.constant.checked_add(more.constant) else {
                    continue;
                };
                let sum = Bound {
                    constant,
                    length: bound.length.clone().or(more.length),
                    less: bound.less.clone().or(more.less),
                };
                search.used.push(useful.number);
                if self.remove_facts(search, &rest, sum, false) {
                    return true;
                }
                search.used.pop();
            }
        }
        let bound = self.with_ranges(search, form, bound);
        bound.is_some_and(|it| (search.is_enough)(it))
    }

    /// Adds the largest values of the terms and constants that are left.
    fn with_ranges(&self, search: &Search<'_>, rest: &Linear, mut bound: Bound) -> Option<Bound> {
        let &Search {
            facts,
            block,
            prefer,
            shifts,
            ..
        } = search;
        for &(value, coefficient) in &rest.terms {
            let max = self.ranges.of(value, block).max;
            let shifted = self.largest_shifted(value, facts, block, prefer, shifts);
            if let Some(shifted) = shifted.filter(|it| it.is_better(max)) {
                if shifted.length.is_some() && (bound.length.is_some() || coefficient != 1) {
                    return None;
                }
                let most = shifted.constant.checked_mul(coefficient.into())?;
                bound.constant = bound.constant.checked_add(most)?;
                bound.length = bound.length.or(shifted.length);
                continue;
            }
            let most = i64::from(max).checked_mul(coefficient.into())?;
            bound.constant = bound.constant.checked_add(most)?;
        }
        let constant = active(rest, facts.lanes).max();
        bound.constant = bound.constant.checked_add(constant.unwrap_or(0).into())?;
        // Lengths are at most 2^31 words, which are 2^32 halves.
        let does_not_wrap = match bound.length {
            None => bound.constant <= i64::from(u32::MAX),
            Some(_) => bound.constant <= 0,
        };
        does_not_wrap.then_some(bound)
    }

    /// The best of the upper bounds of a form.
    fn largest_of(
        &self,
        form: &Linear,
        facts: &Facts,
        block: BlockId,
        prefer: Prefer,
        shifts: u32,
    ) -> Option<Bound> {
        let mut best: Option<Bound> = None;
        let key = |it: &Bound| (it.length.is_none(), it.constant);
        self.has_bound(form, facts, (block, prefer, shifts), &mut |bound| {
            if best.as_ref().is_none_or(|it| key(&bound) < key(it)) {
                best = Some(bound);
            }
            false
        });
        best
    }

    /// An upper bound of a value that is shifted to the right, by that of the value before.
    fn largest_shifted(
        &self,
        value: Value,
        facts: &Facts,
        block: BlockId,
        prefer: Prefer,
        shifts: u32,
    ) -> Option<Bound> {
        let shifts = shifts.checked_sub(1)?;
        let inst = self.flow.definition(value)?;
        let (inner, by) = match (inst.op, &inst.operands[..]) {
            (Op::ShrBy(by), &[inner]) => (inner, u32::from(by)),
            (
                Op::WordBinary(WordBinary::ShrU) | Op::Binary(LaneBinary::Int(WordBinary::ShrU)),
                &[inner, by],
            ) => (inner, self.flow.bits(by).filter(|it| *it < 32)?),
            _ => return None,
        };
        let form = self.flow.linear(inner);
        let bound = self.largest_of(&form, facts, block, prefer, shifts)?;
        let length = match bound.length {
            None => None,
            Some((length, scale)) if scale.is_multiple_of(1 << by) => Some((length, scale >> by)),
            Some(_) => return None,
        };
        // An arithmetic shift rounds down, as the shift of the sum does.
        bound.less.is_none().then_some(Bound {
            constant: bound.constant >> by,
            length,
            less: None,
        })
    }

    /// The facts that share a term with a form. Those that remove the most terms come first.
    fn useful_facts<'x>(&self, search: &Search<'x>, form: &Linear) -> SmallVec<[Useful<'x>; 4]> {
        let &Search {
            facts,
            block,
            prefer,
            ..
        } = search;
        let mut useful: SmallVec<[Useful<'x>; 4]> = SmallVec::new();
        if prefer == Prefer::Ranges {
            return SmallVec::new();
        }
        for (number, fact) in facts.list.iter().enumerate() {
            let Fact::Below {
                form: below,
                limit,
                is_strict,
            } = fact
            else {
                continue;
            };
            if search.used.contains(&number) {
                continue;
            }
            for factor in factors_of(form, below, facts.lanes) {
                let Some(bound) = self.multiple(*limit, *is_strict, factor, block, prefer) else {
                    continue;
                };
                let mut rest = form.clone();
                rest.add(below, factor.wrapping_neg());
                // A negative coefficient is left where the multiple is too large.
                let is_negative = |it: &u32| *it > i32::MAX as u32;
                let coefficients = rest.terms.iter().map(|it| it.1);
                let negative = coefficients.filter(is_negative).count()
                    + active(&rest, facts.lanes)
                        .filter(is_negative)
                        .count()
                        .min(1);
                useful.push(Useful {
                    left: 4 * negative + rest.terms.len(),
                    number,
                    form: below,
                    factor,
                    bound,
                });
            }
        }
        useful.sort_by_key(|it| (it.left, it.bound.length.is_none(), it.bound.constant));
        useful.truncate(MAX_FACTS);
        useful
    }

    /// The bound of a multiple of a form that is below a limit.
    fn multiple(
        &self,
        limit: Value,
        is_strict: bool,
        factor: u32,
        block: BlockId,
        prefer: Prefer,
    ) -> Option<Bound> {
        if prefer == Prefer::Lengths
            && let Some(count) = self.count(limit, MAX_DEPTH)
            && let Some(count) = count.scaled(factor)
            // An inclusive bound of 0 stays 0, which a start would make negative.
            && (is_strict || matches!(count.start, Start::At(0)))
        {
            let below = if is_strict { i64::from(factor) } else { 0 };
            let (start, less) = match count.start {
                Start::At(start) => (i64::from(start), None),
                Start::Form(form) => (0, Some(form)),
            };
            return Some(Bound {
                constant: -start - below,
                length: Some((count.length, count.scale)),
                less,
            });
        }
        let max = self.ranges.of(limit, block).max;
        let largest = i64::from(max) - i64::from(is_strict);
        (max < u32::MAX).then(|| {
            Some(Bound {
                constant: largest.checked_mul(factor.into())?,
                ..Bound::ZERO
            })
        })?
    }

    /// Recognises the number of elements that fit into a length.
    fn count(&self, value: Value, depth: u32) -> Option<Count> {
        let flow = self.flow;
        let depth = depth.checked_sub(1)?;
        let inst = flow.definition(value)?;
        let of = |it: Value| self.count(it, depth);
        match (inst.op, &inst.operands[..]) {
            (Op::Length(number), _) => Some(Count::all(Length::Buffer(number))),
            (Op::LoadWord(offset) | Op::LoadSplat(offset), &[pointer]) => {
                self.entry_length(pointer, None, offset)
            }
            (Op::Gather(offset), &[pointer, index, _]) => {
                self.entry_length(pointer, Some(index), offset)
            }
            (Op::Broadcast, &[a]) => of(a),
            (Op::ShrBy(by), &[a]) => of(a)?.divided(1 << by),
            (Op::ShlBy(1), &[a]) => of(a)?.doubled(),
            (Op::WordSelect, &[_, a, b]) | (Op::Select, &[_, a, b]) if flow.bits(b) == Some(0) => {
                of(a)
            }
            (Op::WordBinary(op) | Op::Binary(LaneBinary::Int(op)), &[a, b]) => match op {
                WordBinary::DivU => of(a)?.divided(flow.bits(b)?),
                WordBinary::ShrU => of(a)?.divided(1u32.checked_shl(flow.bits(b)?)?),
                WordBinary::Shl if flow.bits(b) == Some(1) => of(a)?.doubled(),
                WordBinary::Add if flow.resolve(a) == flow.resolve(b) => of(a)?.doubled(),
                WordBinary::MinU => of(a).or_else(|| of(b)),
                WordBinary::Add | WordBinary::Sub => self.rest(value, depth),
                _ => None,
            },
            _ => None,
        }
    }

    /// Recognises `max(a, start) - start`.
    fn rest(&self, value: Value, depth: u32) -> Option<Count> {
        let flow = self.flow;
        let form = flow.linear(value);
        let largest = |value: Value| {
            let inst = flow.definition(value)?;
            match (inst.op, &inst.operands[..]) {
                (
                    Op::WordBinary(WordBinary::MaxU)
                    | Op::Binary(LaneBinary::Int(WordBinary::MaxU)),
                    &[a, b],
                ) => Some((a, b)),
                _ => None,
            }
        };
        form.terms.iter().find_map(|&(term, coefficient)| {
            let (a, b) = largest(term).filter(|_| coefficient == 1)?;
            let start = flow.linear(b);
            let mut rest = form.clone();
            rest.add(&start, 1);
            let is_rest = rest.is_term(term);
            let count = self.count(a, depth)?;
            let is_whole = matches!(count.start, Start::At(0)) && count.stride == 1;
            let start = match start.as_constant() {
                Some(start) => Start::At(start),
                None => Start::Form(start),
            };
            (is_rest && is_whole).then_some(Count { start, ..count })
        })
    }

    /// The length in an entry of an array of bindings.
    fn entry_length(&self, pointer: Value, index: Option<Value>, offset: i32) -> Option<Count> {
        let target = self.target(pointer).filter(|it| it.exists.is_none())?;
        let Root::Space(Space::Buffer(number)) = target.root else {
            return None;
        };
        let BufferExtent::Entries(_) = self.extents.buffers.get(number as usize)? else {
            return None;
        };
        let mut form = self.entry_form(&target, offset);
        if let Some(index) = index {
            form.add(&self.flow.linear(index), 1);
        }
        form.add(&self.flow.constant(ENTRY_LENGTH), u32::MAX);
        let is_start = |it: u32| it.is_multiple_of(ENTRY_WORDS);
        let is_aligned = form.terms.iter().all(|it| is_start(it.1))
            && form.constants.iter().all(|it| is_start(*it));
        is_aligned.then(|| Count::all(Length::Entry(number, form)))
    }

    /// Adds the facts of the conditions around an access, of parameters that every edge bounds alike, and of minimums.
    fn add_surroundings(&self, facts: &mut Facts, parts: &[Part], block: BlockId) {
        let mut around = Facts::new(u32::MAX);
        for condition in self.flow.conditions(block) {
            around.add_condition(self.flow, condition);
        }
        facts.list.extend(around.list);
        for part in parts {
            for &(value, _) in &part.form.terms {
                self.add_parameter(facts, value);
                self.add_minimum(facts, value);
            }
        }
    }

    /// Adds that a minimum is at most each of its operands.
    fn add_minimum(&self, facts: &mut Facts, value: Value) {
        let Some(inst) = self.flow.definition(value) else {
            return;
        };
        if let (
            Op::WordBinary(WordBinary::MinU) | Op::Binary(LaneBinary::Int(WordBinary::MinU)),
            &[a, b],
        ) = (inst.op, &inst.operands[..])
        {
            facts.list.extend([a, b].map(|limit| Fact::Below {
                form: self.flow.linear(value),
                limit: self.flow.resolve(limit),
                is_strict: false,
            }));
        }
    }

    /// Adds the bounds that every edge into a block gives to a parameter.
    fn add_parameter(&self, facts: &mut Facts, value: Value) {
        let flow = self.flow;
        let Origin::Parameter(block, place) = flow.origin(value) else {
            return;
        };
        let mut limits: Option<SmallVec<[(Value, bool); 4]>> = None;
        for edge in flow.incoming(block, place as usize) {
            if flow.resolve(edge.argument) == flow.resolve(value) {
                continue;
            }
            let mut there = Facts::new(u32::MAX);
            if let Some(condition) = edge.condition {
                there.add_condition(flow, condition);
            }
            for condition in flow.conditions(edge.from) {
                there.add_condition(flow, condition);
            }
            let form = flow.linear(edge.argument);
            let bounds = |limit: Value, is_strict: bool| {
                there.list.iter().any(|fact| match fact {
                    Fact::Below {
                        form: below,
                        limit: other,
                        is_strict: strictly,
                    } => *below == form && *other == limit && (*strictly || !is_strict),
                    Fact::Nonzero(other) => form.is_zero() && *other == limit,
                    Fact::Equal(_) => false,
                }) || form
                    .as_constant()
                    .is_some_and(|it| self.ranges.of(limit, edge.from).min > it)
            };
            match &mut limits {
                Some(known) => known.retain(|(limit, strict)| bounds(*limit, *strict)),
                None => {
                    let found = there.list.iter().filter_map(|fact| match fact {
                        Fact::Below {
                            form: below,
                            limit,
                            is_strict,
                        } if *below == form => Some((*limit, *is_strict)),
                        Fact::Nonzero(limit) if form.is_zero() => Some((*limit, true)),
                        _ => None,
                    });
                    limits = Some(found.collect());
                }
            }
        }
        for (limit, is_strict) in limits.unwrap_or_default() {
            facts.list.push(Fact::Below {
                form: flow.linear(value),
                limit,
                is_strict,
            });
        }
    }
}

/// The lanes that take part.
fn lanes_of(facts: &Facts) -> impl Iterator<Item = usize> {
    let lanes = facts.lanes;
    (0..32).filter(move |lane| lanes >> lane & 1 == 1)
}

/// The constants of the lanes that take part.
fn active(form: &Linear, lanes: u32) -> impl Iterator<Item = u32> {
    let constants = form.constants.iter().enumerate();
    let active = constants.filter(move |(lane, _)| lanes >> lane & 1 == 1);
    active.map(|(_, constant)| *constant)
}

/// Multiples of a form that may remove one of its terms, or its first constant, from another, or a part of it.
fn factors_of(form: &Linear, below: &Linear, lanes: u32) -> SmallVec<[u32; 2]> {
    let factor = |wanted: u32, found: u32| {
        // Two negative coefficients have a positive ratio.
        let are_negative = wanted.cast_signed() < 0 && found.cast_signed() < 0;
        let factor = if are_negative {
            wanted.wrapping_neg() / found.wrapping_neg()
        } else {
            wanted / found
        };
        (1..=MAX_FACTOR).contains(&factor).then_some(factor)
    };
    let mut factors: SmallVec<[u32; 2]> = SmallVec::new();
    if below.terms.is_empty() && form.terms.is_empty() {
        let mut pairs = active(form, lanes).zip(active(below, lanes));
        factors.extend(match pairs.find(|it| it.1 != 0) {
            Some((wanted, found)) => factor(wanted, found),
            // Only the first lane takes part, or all are at 0.
            None => Some(1),
        });
    }
    for &(value, found) in &below.terms {
        let known = factor(form.coefficient(value), found);
        // A part of the coefficient may belong to another fact.
        let known = known.into_iter().flat_map(|it| [it, 1]);
        for factor in known {
            if !factors.contains(&factor) {
                factors.push(factor);
            }
        }
    }
    factors
}

impl Bound {
    const ZERO: Self = Self {
        constant: 0,
        length: None,
        less: None,
    };

    /// A multiple of it.
    fn times(self, factor: u32) -> Option<Self> {
        Some(Self {
            constant: self.constant.checked_mul(factor.into())?,
            length: self.length.map(|(length, scale)| (length, scale * factor)),
            less: self.less.filter(|_| factor == 1),
        })
    }

    /// Whether it says more than a constant.
    fn is_better(&self, max: u32) -> bool {
        self.length.is_some() || self.constant < i64::from(max)
    }
}

impl Count {
    fn all(length: Length) -> Self {
        Self {
            length,
            scale: 1,
            start: Start::At(0),
            stride: 1,
        }
    }

    /// With a stride of at least a factor: the same elements in halves, if need be.
    fn scaled(self, factor: u32) -> Option<Self> {
        if factor <= self.stride {
            return Some(self);
        }
        let is_double = factor <= self.stride.checked_mul(2)? && self.scale == 1;
        let start = match self.start {
            Start::At(start) => Start::At(start.checked_mul(2)?),
            Start::Form(_) => return None,
        };
        is_double.then_some(Self {
            scale: 2,
            stride: 2 * self.stride,
            start,
            ..self
        })
    }

    fn divided(self, by: u32) -> Option<Self> {
        let stride = self.stride.checked_mul(by)?;
        (by > 0).then_some(Self { stride, ..self })
    }

    fn doubled(self) -> Option<Self> {
        let is_whole = matches!(self.start, Start::At(0)) && self.stride == 1 && self.scale == 1;
        is_whole.then_some(Self { scale: 2, ..self })
    }
}
