//! The slots of the frame that the functions of a kernel share.
//!
//! In: the functions of a kernel. Out: the slots, so that memory in the frame ends before the next slot; which slots
//! only one function uses; and the memory to which callers pass pointers.
//!
//! What always holds: no two slots overlap, and no slot overlaps the rows that host calls write.

use std::ops::Range;

use crate::ir::{Function, Op, Space, Type, Value};
use crate::pass::hash::Map;
use crate::pass::value_def::{ValueDef, definition, value_defs};

/// Calls through which a pointer is passed on.
const MAX_DEPTH: u32 = 16;

/// The slots of the frame of a kernel.
#[derive(Debug, Default)]
pub(super) struct FrameSlots {
    /// The bytes of each slot, in order. Empty where subgroups share the frame, and slots have offsets known only at
    /// run time.
    ranges: Vec<Range<u32>>,
    /// By slot: the function that uses it, unless several do.
    users: Map<u32, Option<usize>>,
    /// By slot of pointers: the words that exist after every pointer stored there, if all of them are known.
    passed_words: Map<u32, Option<u64>>,
}

/// A pointer that is passed to a function.
#[derive(Clone, Copy, Debug)]
enum PassedPointer {
    /// To memory of the frame, by its offset in bytes.
    Frame(u32),
    /// A pointer that was passed to the caller, plus a number of words.
    Further(u32, u32),
    Unknown,
}

impl FrameSlots {
    /// The slots of some functions, or two that overlap.
    pub(super) fn new(functions: &[&Function], host_rows: &Range<u32>) -> Result<Self, (u32, u32)> {
        let mut slots = Self::default();
        let mut pointers = Map::<u32, Vec<PassedPointer>>::default();
        let mut sizes = Map::<u32, u32>::default();
        let mut is_shared = false;
        for (number, function) in functions.iter().enumerate() {
            let value_defs = value_defs(function);
            for inst in function.blocks.iter().flat_map(|block| &block.insts) {
                let (slot, value) = match inst.op {
                    Op::FrameStore(slot) => (slot, Some(inst.operands[0])),
                    Op::FrameLoad(slot) => (slot, inst.result),
                    Op::FrameStoreAt(_) | Op::FrameLoadAt(_) => {
                        is_shared = true;
                        continue;
                    }
                    _ => continue,
                };
                let user = slots.users.entry(slot).or_insert(Some(number));
                *user = user.filter(|user| *user == number);
                let bytes = value.map_or(0, |value| function.type_of(value).bytes(function.lanes));
                let size = sizes.entry(slot).or_default();
                *size = bytes.max(*size);
                if matches!(inst.op, Op::FrameStore(_)) {
                    let passed_pointer = passed_pointer(function, &value_defs, inst.operands[0]);
                    pointers.entry(slot).or_default().push(passed_pointer);
                }
            }
        }
        if is_shared {
            // Frame memory may overlap a slot, so that no slot is known to keep its value.
            slots.users.clear();
            return Ok(slots);
        }
        let ranges = sizes
            .into_iter()
            .map(|(slot, size)| slot..slot.saturating_add(size));
        slots.ranges = ranges.collect();
        slots
            .ranges
            .sort_unstable_by_key(|range| (range.start, range.end));
        for (place, range) in slots.ranges.iter().enumerate() {
            let next = slots.ranges.get(place + 1);
            let mut others = next.into_iter().chain([host_rows]);
            let overlaps = |other: &&Range<u32>| other.start < range.end && range.start < other.end;
            if let Some(other) = others.find(overlaps) {
                return Err((range.start, other.start));
            }
        }
        let frame_bytes = functions.iter().map(|function| function.frame_bytes).min();
        for slot in pointers.keys() {
            slots.find_passed(*slot, &pointers, frame_bytes.unwrap_or(0), MAX_DEPTH);
        }
        Ok(slots)
    }

    /// Whether only one function uses a slot, by the function's number.
    pub(super) fn is_private(&self, slot: u32, function: usize) -> bool {
        self.users.get(&slot) == Some(&Some(function))
    }

    /// The words of memory from an offset of the frame up to the next slot, or to the end of the frame.
    pub(super) fn words_from(&self, offset: u32, frame_bytes: u32) -> u64 {
        let next = self.ranges.partition_point(|range| range.start <= offset);
        let is_slot = self.ranges[..next]
            .last()
            .is_some_and(|range| offset < range.end);
        if is_slot {
            return 0;
        }
        let end = self.ranges.get(next).map_or(u32::MAX, |range| range.start);
        u64::from(end.min(frame_bytes).saturating_sub(offset) / 4)
    }

    /// The words after every pointer in a slot, if all of them are known.
    pub(super) fn passed_words(&self, slot: u32) -> Option<u64> {
        self.passed_words.get(&slot).copied().flatten()
    }

    fn find_passed(
        &mut self,
        slot: u32,
        pointers: &Map<u32, Vec<PassedPointer>>,
        frame_bytes: u32,
        depth: u32,
    ) -> Option<u64> {
        if let Some(known) = self.passed_words.get(&slot) {
            return *known;
        }
        let depth = depth.checked_sub(1)?;
        // A slot that leads to itself has no words.
        self.passed_words.insert(slot, None);
        let stored = pointers.get(&slot)?.iter();
        let words = stored.map(|pointer| match *pointer {
            PassedPointer::Frame(offset) => Some(self.words_from(offset, frame_bytes)),
            PassedPointer::Further(from, words) => {
                let all = self.find_passed(from, pointers, frame_bytes, depth)?;
                all.checked_sub(words.into())
            }
            PassedPointer::Unknown => None,
        });
        let least = words.collect::<Option<Vec<_>>>()?.into_iter().min();
        self.passed_words.insert(slot, least);
        least
    }
}

/// The memory to which a stored pointer points.
fn passed_pointer(function: &Function, value_defs: &[ValueDef], value: Value) -> PassedPointer {
    if function.type_of(value) != Type::Pointer {
        return PassedPointer::Unknown;
    }
    let (mut at, mut words) = (value, 0u32);
    for _ in 0..MAX_DEPTH {
        let Some(inst) = definition(function, value_defs, at) else {
            return PassedPointer::Unknown;
        };
        match inst.op {
            Op::Base(Space::Frame(offset)) => {
                let further = words
                    .checked_mul(4)
                    .and_then(|bytes| bytes.checked_add(offset));
                return further.map_or(PassedPointer::Unknown, PassedPointer::Frame);
            }
            Op::FrameLoad(slot) => return PassedPointer::Further(slot, words),
            Op::Advance => {
                let by = definition(function, value_defs, inst.operands[1]).map(|inst| inst.op);
                let Some(Op::Word(by)) = by else {
                    return PassedPointer::Unknown;
                };
                let Some(sum) = words.checked_add(by) else {
                    return PassedPointer::Unknown;
                };
                words = sum;
                at = inst.operands[0];
            }
            _ => return PassedPointer::Unknown,
        }
    }
    PassedPointer::Unknown
}
