//! How memory is divided among queues.
//!
//! In: what each queue needs at least and at most. Out: capacities and places in the arena. Every
//! queue gets its minimum; what is left is poured over all of them evenly, in bytes, each up to what
//! it could ever need.

use super::{PlanError, Queue};
use crate::model::Graph;

/// What a plan may count on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanOptions {
    /// The most bytes of records and prefix sums of dynamic grids. The limits of the device lower it further.
    pub memory: u64,
    /// How many records each entry is expected to get in a run. More are taken, in more sweeps.
    pub input_records: u64,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            memory: 128 << 20,
            input_records: 1 << 16,
        }
    }
}

pub(super) struct Sizes {
    pub(super) minimum: u64,
    pub(super) recommended: u64,
    pub(super) given: u64,
    pub(super) arena: u64,
}

pub(super) fn share(
    graph: &Graph,
    queues: &mut [Queue],
    needs: &[u64],
    options: &PlanOptions,
) -> Result<Sizes, PlanError> {
    // What lies beyond the reach of a 32-bit word index is of no use.
    let given = options.memory.min(4 << 32);
    let minimum = total(queues, needs, 0);
    if minimum > given {
        return Err(PlanError::TooSmall {
            graph: graph.name().to_owned(),
            minimum,
            given,
        });
    }
    let level = water_level(queues, needs, given);
    let mut base = 0;
    for (queue, &need) in queues.iter_mut().zip(needs) {
        queue.capacity = capacity(queue, need, level) as u32;
        queue.base = base as u32;
        base += u64::from(queue.capacity) * u64::from(queue.stride);
    }
    Ok(Sizes {
        minimum,
        recommended: total(queues, needs, u64::MAX),
        given: queues.iter().map(bytes).sum(),
        arena: 4 * base,
    })
}

/// The largest number of bytes that every queue can have, where it needs them.
fn water_level(queues: &[Queue], needs: &[u64], given: u64) -> u64 {
    let (mut fits, mut too_much) = (0, given.saturating_add(1));
    while fits + 1 < too_much {
        let middle = fits + (too_much - fits) / 2;
        if total(queues, needs, middle) <= given {
            fits = middle;
        } else {
            too_much = middle;
        }
    }
    fits
}

fn total(queues: &[Queue], needs: &[u64], level: u64) -> u64 {
    let bytes = queues.iter().zip(needs).map(|(queue, &need)| {
        u64::from(queue.bytes_per_record()).saturating_mul(capacity(queue, need, level))
    });
    bytes.fold(0, u64::saturating_add)
}

fn capacity(queue: &Queue, need: u64, level: u64) -> u64 {
    match queue.bytes_per_record() {
        // Empty records take no memory.
        0 => need,
        bytes => (level / u64::from(bytes)).clamp(queue.minimum.into(), need),
    }
}

/// What a queue takes.
fn bytes(queue: &Queue) -> u64 {
    u64::from(queue.bytes_per_record()) * u64::from(queue.capacity)
}
