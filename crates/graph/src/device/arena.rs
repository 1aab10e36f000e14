//! One memory for the records of many graphs.
//!
//! In: how much a graph needs. Out: a [`Turn`] with a buffer of at least that size, which no other graph
//! touches until the turn ends. The memory is made on demand and grows to the largest graph. What
//! always holds: there is at most one turn at a time.
//!
//! It is handed around by its user instead of being found by its device: devices of two instances of
//! wgpu can compare as equal.

use std::sync::Arc;

use async_lock::Mutex;

/// The memory for records of all graphs that share it. Graphs of one device should share one: they take
/// turns anyway, since a queue runs one submission after the other.
#[derive(Clone)]
pub struct SharedMemory {
    device: wgpu::Device,
    memory: Arc<Mutex<Option<Memory>>>,
}

/// A buffer and which one it is, so that bind groups of an earlier one are made again.
pub(super) struct Memory {
    pub(super) buffer: wgpu::Buffer,
    pub(super) generation: u64,
}

/// The memory while one graph runs.
pub(super) type Turn<'a> = async_lock::MutexGuard<'a, Option<Memory>>;

impl SharedMemory {
    /// No memory yet, on this device.
    pub fn new(device: &wgpu::Device) -> Self {
        Self {
            device: device.clone(),
            memory: Arc::default(),
        }
    }

    /// Waits until no other graph runs.
    pub(super) async fn turn(&self) -> Turn<'_> {
        self.memory.lock().await
    }

    /// Makes room.
    pub(super) fn grow<'t>(&self, turn: &'t mut Turn<'_>, bytes: u64) -> &'t Memory {
        let generation = match turn.as_ref() {
            Some(memory) if memory.buffer.size() >= bytes => memory.generation,
            Some(memory) => memory.generation + 1,
            None => 0,
        };
        if turn
            .as_ref()
            .is_some_and(|memory| memory.generation != generation)
        {
            // The old one goes first: both together may be too much.
            **turn = None;
        }
        turn.get_or_insert_with(|| Memory {
            buffer: self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("graph records"),
                // No binding is empty.
                size: bytes.max(4),
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            }),
            generation,
        })
    }
}
