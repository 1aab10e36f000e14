//! One memory for the records of all graphs on a device.
//!
//! In: how much a graph needs. Out: a [`Turn`] with a buffer of at least that size, which no other graph
//! touches until the turn ends. The memory is made on demand, grows to the largest graph, and is gone
//! when the last graph of its device is. What always holds: there is at most one turn on a device.

use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

/// The memory of a device.
pub(crate) struct Arena {
    device: wgpu::Device,
    buffer: async_lock::Mutex<Option<Memory>>,
}

/// A buffer and which one it is, so that bind groups of an earlier one are made again.
pub(crate) struct Memory {
    pub(crate) buffer: wgpu::Buffer,
    pub(crate) generation: u64,
}

/// The arena while one graph runs.
pub(crate) type Turn<'a> = async_lock::MutexGuard<'a, Option<Memory>>;

static ARENAS: LazyLock<Mutex<Vec<Weak<Arena>>>> = LazyLock::new(Mutex::default);

impl Arena {
    /// The arena of a device: the one that other graphs have, or a new one.
    pub(crate) fn of(device: &wgpu::Device) -> Arc<Self> {
        let mut arenas = ARENAS.lock().unwrap_or_else(PoisonError::into_inner);
        arenas.retain(|arena| arena.strong_count() > 0);
        let mut alive = arenas.iter().filter_map(Weak::upgrade);
        if let Some(found) = alive.find(|arena| arena.device == *device) {
            return found;
        }
        let arena = Arc::new(Self {
            device: device.clone(),
            buffer: async_lock::Mutex::new(None),
        });
        arenas.push(Arc::downgrade(&arena));
        arena
    }

    /// Waits until no other graph runs, and makes room.
    pub(crate) async fn turn(&self, bytes: u64) -> Turn<'_> {
        let mut memory = self.buffer.lock().await;
        let is_enough = memory
            .as_ref()
            .is_some_and(|memory| memory.buffer.size() >= bytes);
        if !is_enough {
            let generation = memory.take().map_or(0, |old| old.generation + 1);
            let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("graph records"),
                // No binding is empty.
                size: bytes.max(4),
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            *memory = Some(Memory { buffer, generation });
        }
        memory
    }
}
