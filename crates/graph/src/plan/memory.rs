//! Distributes memory among queues (water filling).
//!
//! In: the minimum and the maximum useful size of each queue. Out: capacities and offsets in the
//! arena. Every queue gets its minimum. The rest is distributed evenly, in bytes, up to each
//! queue's maximum.

use super::{PlanError, Queue};
use crate::model::Graph;

/// Options of a plan.
///
/// ```
/// use anywarp_graph::plan::PlanOptions;
///
/// let options = PlanOptions::default().memory(16 << 20).input_records(1000);
/// assert_eq!(options.memory, 16 << 20);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanOptions {
    /// The maximum size in bytes of records and of the prefix sums of dynamic grids. The limits of
    /// the device may lower it.
    pub memory: u64,
    /// The expected number of records of each entry in a run. More records are accepted, in more
    /// sweeps.
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

impl PlanOptions {
    /// Sets the maximum size in bytes of records and prefix sums.
    #[must_use]
    pub fn memory(self, memory: u64) -> Self {
        Self { memory, ..self }
    }

    /// Sets the expected number of records of each entry in a run.
    #[must_use]
    pub fn input_records(self, input_records: u64) -> Self {
        Self {
            input_records,
            ..self
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
    // Memory beyond the range of a 32-bit word index cannot be used.
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

/// The largest number of bytes per queue that fits, where each queue takes no more than it needs
/// (the water level).
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

/// The size of a queue in bytes.
fn bytes(queue: &Queue) -> u64 {
    u64::from(queue.bytes_per_record()) * u64::from(queue.capacity)
}
