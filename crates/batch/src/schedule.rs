//! The runner's scheduling decisions, without a device: which batch goes to which slot with which
//! ticket.
//!
//! In: batches submitted, slots that were read back, batches cancelled (by the user, a timeout or a
//! reset). Out: batches to launch.
//! What always holds:
//! - A slot is reused only after its last batch has been read back.
//! - A batch is launched again if and only if it was skipped and has not been cancelled.
//! - Tickets: let `applied` be the number of applied batches, and let the others form a queue. The
//!   batch at position `i` carries, while it is in flight, a ticket of at least `applied + i`,
//!   because positions only decrease. The device runs only ticket `applied`, hence only the first
//!   batch of the queue can run. A cancelled batch stays in the queue until it is read back; if it
//!   was skipped, it is removed and the positions after it decrease.
//! - The first batch of an epoch is in flight alone. So the work that wgpu does once at the start
//!   of a submission (pending uploads, zero initialization of buffers) is done before a second
//!   batch begins, even on a device that overlaps submissions.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

/// Identifies one batch of a runner. Later batches compare as greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BatchId(u64);

impl BatchId {
    /// How many batches the runner accepted before this one.
    pub fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for BatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A batch that has no final outcome yet.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    pub(crate) id: BatchId,
    pub(crate) params: Vec<u8>,
    pub(crate) epoch: u32,
    pub(crate) retries: u32,
    deadline: Option<Duration>,
    slot: Option<usize>,
    is_cancelled: bool,
}

/// A batch to launch, with its slot and ticket.
pub(crate) struct Launch<'a> {
    pub(crate) slot: usize,
    pub(crate) ticket: u32,
    pub(crate) batch: &'a Batch,
}

/// The result of reading back a slot.
pub(crate) enum SlotResult {
    /// The batch was applied and is done.
    Applied(Batch),
    /// It was skipped and will be launched again.
    Retry,
    /// The batch was cancelled.
    Cancelled,
}

#[derive(Debug)]
pub(crate) struct Schedule {
    order: VecDeque<Batch>,
    slots: usize,
    next: u64,
    applied: u32,
    epoch: u32,
    /// The last epoch of which a batch was read back.
    read_back_epoch: Option<u32>,
}

impl Schedule {
    pub(crate) fn new(slots: usize) -> Self {
        Self {
            order: VecDeque::new(),
            slots,
            next: 0,
            applied: 0,
            epoch: 0,
            read_back_epoch: None,
        }
    }

    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Whether there are as many pending batches as slots. Cancelled batches do not count: a new
    /// batch whose slot is still used by a cancelled one is launched when that one is read back.
    pub(crate) fn is_full(&self) -> bool {
        self.pending() >= self.slots
    }

    /// The number of batches that are not cancelled.
    pub(crate) fn pending(&self) -> usize {
        self.order
            .iter()
            .filter(|batch| !batch.is_cancelled)
            .count()
    }

    /// The first batch that is not cancelled.
    pub(crate) fn first_pending(&self) -> Option<BatchId> {
        let mut waited_for = self.order.iter().filter(|batch| !batch.is_cancelled);
        waited_for.next().map(|batch| batch.id)
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.order
            .iter()
            .filter(|batch| batch.slot.is_some())
            .count()
    }

    pub(crate) fn push(&mut self, params: Vec<u8>, deadline: Option<Duration>) -> BatchId {
        let id = BatchId(self.next);
        self.next += 1;
        self.order.push_back(Batch {
            id,
            params,
            epoch: self.epoch,
            retries: 0,
            deadline,
            slot: None,
            is_cancelled: false,
        });
        id
    }

    /// Assigns a slot to the next batch that can be launched, if there is one.
    pub(crate) fn launch(&mut self) -> Option<Launch<'_>> {
        let place = self.order.iter().position(|batch| batch.slot.is_none())?;
        let epoch = self.order[place].epoch;
        let mut flying = self.order.iter().filter(|batch| batch.slot.is_some());
        let must_wait = match self.read_back_epoch {
            Some(read_back) if read_back == epoch => flying.any(|batch| batch.epoch != epoch),
            _ => flying.next().is_some(),
        };
        if must_wait {
            return None;
        }
        let is_free = |slot: &usize| self.order.iter().all(|batch| batch.slot != Some(*slot));
        let slot = (0..self.slots).find(is_free)?;
        let ticket = self.applied.wrapping_add(place as u32);
        let batch = &mut self.order[place];
        batch.slot = Some(slot);
        Some(Launch {
            slot,
            ticket,
            batch,
        })
    }

    /// Handles the readback of a slot's batch.
    pub(crate) fn returned(&mut self, slot: usize, is_applied: bool) -> SlotResult {
        let of_slot = |batch: &Batch| batch.slot == Some(slot);
        let Some(place) = self.order.iter().position(of_slot) else {
            return SlotResult::Cancelled;
        };
        self.read_back_epoch = Some(self.order[place].epoch);
        if is_applied {
            self.applied = self.applied.wrapping_add(1);
        }
        let batch = &mut self.order[place];
        match (is_applied, batch.is_cancelled) {
            (false, false) => {
                batch.slot = None;
                batch.retries += 1;
                SlotResult::Retry
            }
            (true, false) => match self.order.remove(place) {
                Some(batch) => SlotResult::Applied(batch),
                None => SlotResult::Cancelled,
            },
            (_, true) => {
                self.order.remove(place);
                SlotResult::Cancelled
            }
        }
    }

    /// Removes the batch of a slot that the device refused. Returns it unless it was cancelled.
    pub(crate) fn refused(&mut self, slot: usize) -> Option<BatchId> {
        let place = (self.order.iter()).position(|batch| batch.slot == Some(slot))?;
        let batch = self.order.remove(place)?;
        (!batch.is_cancelled).then_some(batch.id)
    }

    /// Cancels the batches that match a predicate and returns them.
    fn cancel_where(&mut self, is_meant: impl Fn(&Batch) -> bool) -> Vec<BatchId> {
        let mut cancelled = Vec::new();
        self.order.retain_mut(|batch| {
            if batch.is_cancelled || !is_meant(batch) {
                return true;
            }
            cancelled.push(batch.id);
            batch.is_cancelled = true;
            batch.slot.is_some()
        });
        cancelled
    }

    /// Cancels one batch; false if it has an outcome or is cancelled already.
    pub(crate) fn cancel(&mut self, id: BatchId) -> bool {
        !self.cancel_where(|batch| batch.id == id).is_empty()
    }

    /// Cancels the batches whose deadline has passed.
    pub(crate) fn expire(&mut self, now: Duration) -> Vec<BatchId> {
        self.cancel_where(|batch| batch.deadline.is_some_and(|deadline| deadline <= now))
    }

    /// The earliest deadline of a batch that is not cancelled.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn deadline(&self) -> Option<Duration> {
        let waited_for = self.order.iter().filter(|batch| !batch.is_cancelled);
        waited_for.filter_map(|batch| batch.deadline).min()
    }

    /// Cancels all batches and begins the next epoch.
    pub(crate) fn reset(&mut self) -> Vec<BatchId> {
        self.epoch = self.epoch.wrapping_add(1);
        self.cancel_where(|_| true)
    }

    /// Removes all batches, including those in flight: the device is lost.
    pub(crate) fn abandon(&mut self) -> Vec<BatchId> {
        let pending = self.cancel_where(|_| true);
        self.order.clear();
        pending
    }
}

#[cfg(test)]
mod tests {
    use super::{Schedule, SlotResult};

    fn with(slots: usize, batches: usize) -> Schedule {
        let mut schedule = Schedule::new(slots);
        for _ in 0..batches {
            schedule.push(Vec::new(), None);
        }
        schedule
    }

    /// Launches all that can be; slots and tickets.
    fn launch_all(schedule: &mut Schedule) -> Vec<(usize, u32)> {
        std::iter::from_fn(|| schedule.launch().map(|launch| (launch.slot, launch.ticket)))
            .collect()
    }

    /// A schedule whose first batch is done, so that the others may overlap.
    fn settled(slots: usize, batches: usize) -> Schedule {
        let mut schedule = with(slots, 1);
        assert_eq!(launch_all(&mut schedule), [(0, 0)]);
        assert!(matches!(schedule.returned(0, true), SlotResult::Applied(_)));
        for _ in 0..batches {
            schedule.push(Vec::new(), None);
        }
        schedule
    }

    #[test]
    fn the_first_batch_of_an_epoch_travels_alone() {
        let mut schedule = with(3, 3);
        assert_eq!(launch_all(&mut schedule), [(0, 0)]);
        assert!(matches!(schedule.returned(0, true), SlotResult::Applied(_)));
        assert_eq!(launch_all(&mut schedule), [(0, 1), (1, 2)]);
        schedule.reset();
        schedule.push(Vec::new(), None);
        assert_eq!(
            launch_all(&mut schedule),
            [],
            "the old epoch is still there"
        );
        assert!(matches!(schedule.returned(0, true), SlotResult::Cancelled));
        assert!(matches!(schedule.returned(1, false), SlotResult::Cancelled));
        schedule.push(Vec::new(), None);
        assert_eq!(launch_all(&mut schedule), [(0, 2)]);
    }

    #[test]
    fn a_skipped_batch_goes_again_in_its_place() {
        let mut schedule = settled(2, 2);
        assert_eq!(launch_all(&mut schedule), [(0, 1), (1, 2)]);
        assert!(matches!(schedule.returned(1, false), SlotResult::Retry));
        assert_eq!(launch_all(&mut schedule), [(1, 2)]);
        let SlotResult::Applied(batch) = schedule.returned(0, true) else {
            panic!("it was applied");
        };
        assert_eq!((batch.id.number(), batch.retries), (1, 0));
    }

    #[test]
    fn the_place_of_a_cancelled_batch_closes_when_it_was_skipped() {
        let mut schedule = settled(3, 3);
        assert_eq!(launch_all(&mut schedule), [(0, 1), (1, 2), (2, 3)]);
        assert!(schedule.cancel(super::BatchId(1)));
        assert!(!schedule.cancel(super::BatchId(1)));
        assert!(!schedule.is_full());
        schedule.push(Vec::new(), None);
        assert_eq!(
            launch_all(&mut schedule),
            [],
            "its slot is still on the device"
        );
        assert!(matches!(schedule.returned(1, false), SlotResult::Retry));
        assert_eq!(
            launch_all(&mut schedule),
            [(1, 2)],
            "its place is still taken"
        );
        assert!(matches!(schedule.returned(0, false), SlotResult::Cancelled));
        assert!(matches!(schedule.returned(1, false), SlotResult::Retry));
        assert_eq!(launch_all(&mut schedule), [(0, 1), (1, 3)]);
    }

    #[test]
    fn a_batch_that_never_left_is_gone_at_once() {
        let mut schedule = with(2, 2);
        assert_eq!(launch_all(&mut schedule), [(0, 0)]);
        assert!(schedule.cancel(super::BatchId(1)));
        assert_eq!((schedule.pending(), schedule.in_flight()), (1, 1));
    }
}
