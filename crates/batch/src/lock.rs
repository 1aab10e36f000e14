//! The lock buffer, and the assignment of its slots to owners.
//!
//! What always holds: no two owners have a slot in common, and no batch is launched before the
//! zeros of a new lock have reached the device. Slots are never returned, because a batch in one of
//! them may still be in flight.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::BuildError;
use crate::layout::LockLayout;
use crate::outcome::OutcomeQueue;

/// A lock that batches share, with a flag for each slot. Clones are the same lock.
///
/// [`BatchSlots`](crate::BatchSlots) create one unless the descriptor has one. Owners of slots of
/// the same lock exclude each other, so it must be shared by all that work on the same state. Slots
/// are never returned, not even when their owner is dropped: the lock needs enough slots for all
/// owners over its lifetime.
#[derive(Clone, Debug)]
pub struct BatchLock {
    buffer: wgpu::Buffer,
    layout: LockLayout,
    taken: Arc<AtomicU32>,
    start: Arc<Mutex<Initialization>>,
}

/// Whether the initial zeros have reached the device.
#[derive(Debug)]
enum Initialization {
    /// Not yet; these outcome_queues are woken when they have.
    Pending(Vec<OutcomeQueue>),
    Done,
}

impl BatchLock {
    /// Creates a lock with this number of slots and submits its initial zeros.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue, slots: u32) -> Result<Self, BuildError> {
        if slots == 0 {
            return Err(BuildError::NoSlots);
        }
        let layout = LockLayout::new(slots);
        let limit = device.limits().max_storage_buffer_binding_size;
        if layout.size() > limit {
            return Err(BuildError::Limit {
                what: "lock",
                bytes: layout.size(),
                limit,
            });
        }
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("batch lock"),
            size: layout.size(),
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::COPY_SRC
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        // wgpu's implicit zero initialization would be part of the first batch, and another batch
        // that overlaps it could have taken the lock before.
        let mut encoder = device.create_command_encoder(&Default::default());
        encoder.clear_buffer(&buffer, 0, None);
        queue.submit([encoder.finish()]);
        let start = Arc::new(Mutex::new(Initialization::Pending(Vec::new())));
        let done = Arc::clone(&start);
        queue.on_submitted_work_done(move || {
            let mut start = done.lock().unwrap_or_else(PoisonError::into_inner);
            let before = std::mem::replace(&mut *start, Initialization::Done);
            drop(start);
            if let Initialization::Pending(outcome_queues) = before {
                outcome_queues.iter().for_each(OutcomeQueue::wake);
            }
        });
        Ok(Self {
            buffer,
            layout,
            taken: Arc::default(),
            start,
        })
    }

    /// The lock buffer, which can also be the source of a copy.
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// The byte offsets of its words.
    pub fn layout(&self) -> LockLayout {
        self.layout
    }

    /// Whether the initial zeros have reached the device. Natively this is noticed when the device
    /// is polled.
    pub fn is_ready(&self) -> bool {
        let start = self.start.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(*start, Initialization::Done)
    }

    /// Wakes the tasks of this outcome_queue when the lock is ready.
    pub(crate) fn wake_when_ready(&self, outcome_queue: &OutcomeQueue) {
        let mut start = self.start.lock().unwrap_or_else(PoisonError::into_inner);
        if let Initialization::Pending(outcome_queues) = &mut *start {
            outcome_queues.push(outcome_queue.clone());
        }
    }

    /// Reserves slots that have no owner.
    pub(crate) fn take(&self, asked: u32) -> Result<Range<u32>, BuildError> {
        let end = |taken: u32| {
            let end = taken.checked_add(asked)?;
            (end <= self.layout.slots()).then_some(end)
        };
        let taken = self
            .taken
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, end);
        match taken {
            Ok(taken) => Ok(taken..taken + asked),
            Err(taken) => Err(BuildError::TooFewSlots {
                asked,
                free: self.layout.slots() - taken,
            }),
        }
    }
}
