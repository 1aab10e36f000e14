//! Inputs that the host writes to their queues directly, without an input pass.
//!
//! In: checked inputs and a plan. Out: the writes, and the initial number of records of each queue;
//! `None` if a queue has no room for all records, so that the input passes must copy them in
//! parts.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::input::CheckedInput;
use crate::plan::Plan;

/// The maximum size in bytes to which a repeated record is expanded.
const MAX_REPEATED: u64 = 1 << 20;

/// The records that the host writes to the arena.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HostInput<'a> {
    /// For each queue, by its index in the plan, the number of records in it.
    pub(super) tails: BTreeMap<usize, u32>,
    /// Byte offsets relative to the records of all queues, in ascending order, and the bytes.
    pub(super) writes: Vec<(u64, Cow<'a, [u8]>)>,
}

impl<'a> HostInput<'a> {
    pub(super) fn new(plan: &Plan, inputs: &[CheckedInput<'a>]) -> Option<Self> {
        let mut source = Self {
            tails: BTreeMap::new(),
            writes: Vec::new(),
        };
        for input in inputs {
            let place = plan.entry_queue(input.node)?;
            let queue = plan.queues().get(place)?;
            let tail = source.tails.entry(place).or_default();
            let first = *tail;
            *tail = first.checked_add(input.count)?;
            if *tail > queue.capacity {
                return None;
            }
            if input.count > 0 && input.record_bytes > 0 {
                let stride = 4 * queue.stride as usize;
                let at = 4 * u64::from(queue.base) + u64::from(first) * stride as u64;
                source.writes.push((at, records(input, stride)?));
            }
        }
        source.writes.sort_by_key(|(at, _)| *at);
        Some(source)
    }
}

/// The records in the layout of a queue. The word of a tracked record that counts workgroups is
/// zero.
fn records<'a>(input: &CheckedInput<'a>, stride: usize) -> Option<Cow<'a, [u8]>> {
    let (count, bytes) = (input.count as usize, input.record_bytes as usize);
    let all = count.checked_mul(stride)?;
    if input.stride == 0 && all as u64 > MAX_REPEATED {
        return None;
    }
    if input.stride == bytes && stride == bytes {
        return Some(Cow::Borrowed(input.bytes.get(..all)?));
    }
    let mut packed = Vec::with_capacity(all);
    for index in 0..count {
        packed.extend_from_slice(input.record(index));
        packed.resize((index + 1) * stride, 0);
    }
    Some(Cow::Owned(packed))
}
