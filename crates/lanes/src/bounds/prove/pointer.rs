//! The memory that a pointer points into, and its size.
//!
//! In: a pointer. Out: its base, the distances from there in words, and the words that are guaranteed to exist where
//! some facts hold.

use smallvec::SmallVec;

use crate::ir::{BlockId, Op, Space, Value};

use crate::bounds::extent::{BufferExtent, ENTRY_WORDS, Extent, LEVEL_WORDS, Length, TABLE_WORDS};
use crate::bounds::fact::{Fact, Facts};
use crate::bounds::linear::Linear;

use super::length::{MAX_DEPTH, Start};
use super::search::{BOUND_KINDS, MAX_SHIFTS};
use super::{MAX_CHAIN, Prover, lanes_of};

/// The memory that a pointer points into.
#[derive(Clone, Debug)]
pub(super) enum MemoryRoot {
    Space(Space),
    /// The buffer of the entry that begins at a word of a table, by the table's number.
    Entry(u32, Linear),
    /// The table of a texture level.
    Table,
    /// Memory of the frame that a caller passes a pointer to: at least this many words.
    Passed(u64),
}

/// The target of a pointer.
#[derive(Clone, Debug)]
pub(super) struct PointerTarget {
    pub(super) root: MemoryRoot,
    /// Words from the beginning of the memory; each is an unsigned integer, and their sum does not wrap.
    pub(super) distances: SmallVec<[Linear; 3]>,
    /// The word that decides whether the target exists; if it is 0, the pointer is to the page of zeros.
    pub(super) exists: Option<Value>,
}

impl Prover<'_, '_> {
    /// Follows a pointer to the memory it points into.
    pub(super) fn target(&self, pointer: Value) -> Option<PointerTarget> {
        let flow = self.flow;
        let (mut at, mut distances) = (pointer, SmallVec::<[Linear; 3]>::new());
        let mut exists = None;
        for _ in 0..MAX_CHAIN {
            let inst = flow.definition(at)?;
            match (inst.op, &inst.operands[..]) {
                (Op::Base(space), _) => {
                    return Some(PointerTarget {
                        root: MemoryRoot::Space(space),
                        distances,
                        exists,
                    });
                }
                (Op::Advance, &[from, by]) => {
                    distances.push(self.forms.linear(by));
                    at = from;
                }
                // Only the last step may lead to zeros, since offsets from there are checked.
                (Op::AdvanceOrZeros, &[from, by, condition])
                    if distances.is_empty() && exists.is_none() =>
                {
                    exists = Some(condition);
                    distances.push(self.forms.linear(by));
                    at = from;
                }
                (Op::LoadPointer(offset), &[from]) => {
                    let root = self.root_of_loaded(from, offset)?;
                    return Some(PointerTarget {
                        root,
                        distances,
                        exists,
                    });
                }
                (Op::FrameLoad(slot), _) => {
                    return Some(PointerTarget {
                        root: MemoryRoot::Passed(self.slots.passed_words(slot)?),
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
    fn root_of_loaded(&self, from: Value, offset: i32) -> Option<MemoryRoot> {
        let target = self.target(from)?;
        let MemoryRoot::Space(Space::Buffer(number)) = target.root else {
            return None;
        };
        match self.extents.buffers.get(number as usize)? {
            BufferExtent::Level => Some(MemoryRoot::Table),
            BufferExtent::Entries(_) => {
                let entry = self.entry_form(&target, offset);
                Some(MemoryRoot::Entry(number, entry))
            }
            BufferExtent::Words(_) => None,
        }
    }

    /// The word at which an entry begins.
    pub(super) fn entry_form(&self, target: &PointerTarget, offset: i32) -> Linear {
        let start = self.forms.constant(offset.cast_unsigned());
        target
            .distances
            .iter()
            .fold(start, |sum, distance| sum.sum(distance))
    }

    /// Whether a pointer is to memory that code may write: not to constants, to zeros or to entries.
    pub(super) fn is_writable(&self, target: &PointerTarget) -> bool {
        let is_writable = match target.root {
            MemoryRoot::Space(Space::Workgroup | Space::Frame(_)) => true,
            MemoryRoot::Space(Space::Buffer(number)) => {
                let buffer = self.extents.buffers.get(number as usize);
                matches!(buffer, Some(BufferExtent::Words(_)))
            }
            MemoryRoot::Space(Space::Immediates | Space::Constants) | MemoryRoot::Table => false,
            MemoryRoot::Entry(..) | MemoryRoot::Passed(_) => true,
        };
        is_writable && target.exists.is_none()
    }

    pub(super) fn extent(
        &self,
        root: &MemoryRoot,
        facts: &Facts,
        block: BlockId,
    ) -> Option<Extent> {
        let words = |count: u32| Extent::words(count.into());
        Some(match root {
            MemoryRoot::Table => words(TABLE_WORDS),
            MemoryRoot::Passed(words) => Extent::words(*words),
            MemoryRoot::Space(Space::Workgroup) => words(self.extents.workgroup_words),
            MemoryRoot::Space(Space::Immediates) => words(self.extents.immediate_words),
            MemoryRoot::Space(Space::Constants) => words(self.extents.constant_words),
            MemoryRoot::Space(Space::Frame(offset)) => Extent::words(
                self.slots
                    .words_from(*offset, self.flow.function.frame_bytes),
            ),
            MemoryRoot::Space(Space::Buffer(number)) => {
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
            MemoryRoot::Entry(table, form) => {
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
                        .map(|start| u64::from(start) + u64::from(ENTRY_WORDS));
                    start.is_some_and(|start| start <= self.guaranteed(&entries, facts, lane))
                };
                let is_bound = lanes_of(facts).all(exists)
                    || BOUND_KINDS.into_iter().any(|kind| {
                        let bound = self.largest_of(form, facts, block, kind, MAX_SHIFTS);
                        bound.is_some_and(|bound| {
                        matches!(bound.length, Some((Length::Buffer(number), 1)) if number == *table)
                            && bound.constant <= -i64::from(ENTRY_WORDS)
                    })
                    });
                Extent {
                    at_least: if is_bound { (*least).into() } else { 0 },
                    length: Some((Length::Entry(*table, form.clone()), 0)),
                }
            }
        })
    }

    /// The words that a memory has at least where facts hold in a lane: an index that exists shows that those below it do.
    pub(super) fn guaranteed(&self, extent: &Extent, facts: &Facts, lane: usize) -> u64 {
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

    pub(super) fn is_same_length(&self, a: &Length, b: &Length, facts: &Facts) -> bool {
        match (a, b) {
            (Length::Buffer(a), Length::Buffer(b)) => a == b,
            (Length::Entry(table, a), Length::Entry(other, b)) => {
                let difference = a.clone().difference(b);
                let is_multiple = |equal: &Linear| {
                    let Some(&(value, coefficient)) = equal.terms.first() else {
                        return false;
                    };
                    let ratio = difference.coefficient(value).checked_div(coefficient);
                    let mut remainder = difference.clone();
                    remainder.add(equal, ratio.unwrap_or(0).wrapping_neg());
                    remainder.is_zero()
                };
                let is_equal = |fact: &Fact| matches!(fact, Fact::Equal(form) if is_multiple(form));
                table == other && (difference.is_zero() || facts.list.iter().any(is_equal))
            }
            _ => false,
        }
    }
}
