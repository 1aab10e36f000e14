//! The arena: one record buffer for many graphs.
//!
//! In: the size that a graph needs. Out: an [`ArenaGuard`] with a buffer of at least that size,
//! which no other graph uses until the guard is dropped. The buffer is allocated on demand and
//! grows to the largest graph. What always holds: there is at most one guard at a time, and a
//! thread never waits for a guard that it holds itself by [`Steps`](crate::device::Steps), since that would
//! be a deadlock.
//!
//! A runner gets its arena explicitly instead of by its device, because devices of two wgpu
//! instances can compare as equal.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex as Lock, PoisonError};
use std::thread::{self, ThreadId};

use async_lock::Mutex;

use super::error::GraphError;
use super::options::GraphOptions;
use super::runner::GraphRunner;
use crate::model::Graph;

/// A record buffer that several graphs share. Graphs of one device should share one: a queue runs
/// their submissions one after the other anyway.
#[derive(Clone)]
pub struct SharedArena {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    shared: Arc<Shared>,
}

impl fmt::Debug for SharedArena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedArena")
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}

/// The state that all clones share.
#[derive(Default)]
struct Shared {
    memory: Mutex<Option<ArenaBuffer>>,
    /// The thread and graph of the [`Steps`](crate::device::Steps) that hold the guard, if it is held by
    /// steps.
    stepping: Lock<Option<SteppingGraph>>,
}

/// Steps hold the guard until the user ends them, unlike runs.
struct SteppingGraph {
    thread: ThreadId,
    graph: String,
}

/// A buffer and its generation number, by which stale bind groups are recognized.
pub(super) struct ArenaBuffer {
    pub(super) buffer: wgpu::Buffer,
    pub(super) generation: u64,
}

/// Exclusive use of the arena while one graph runs.
pub(super) struct ArenaGuard<'a> {
    shared: &'a Shared,
    memory: async_lock::MutexGuard<'a, Option<ArenaBuffer>>,
}

impl Deref for ArenaGuard<'_> {
    type Target = Option<ArenaBuffer>;

    fn deref(&self) -> &Self::Target {
        &self.memory
    }
}

impl DerefMut for ArenaGuard<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.memory
    }
}

impl ArenaGuard<'_> {
    /// Marks the guard as held by steps on this thread.
    pub(super) fn hold_for_steps(&self, graph: &str) {
        self.shared.set_stepping(Some(SteppingGraph {
            thread: thread::current().id(),
            graph: graph.to_owned(),
        }));
    }
}

impl Drop for ArenaGuard<'_> {
    fn drop(&mut self) {
        self.shared.set_stepping(None);
    }
}

impl Shared {
    fn set_stepping(&self, stepping: Option<SteppingGraph>) {
        *self.stepping.lock().unwrap_or_else(PoisonError::into_inner) = stepping;
    }

    /// The graph whose steps this thread holds.
    fn stepped_here(&self) -> Option<String> {
        let stepping = self.stepping.lock().unwrap_or_else(PoisonError::into_inner);
        let here = thread::current().id();
        let stepping = stepping.as_ref().filter(|it| it.thread == here);
        stepping.map(|stepping| stepping.graph.clone())
    }
}

/// Source of generation numbers, unique across arenas.
static GENERATION: AtomicU64 = AtomicU64::new(0);

impl ArenaBuffer {
    pub(super) fn new(device: &wgpu::Device, bytes: u64) -> Self {
        Self {
            buffer: device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("graph records"),
                size: bytes,
                usage: wgpu::BufferUsages::STORAGE
                    | wgpu::BufferUsages::COPY_SRC
                    | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
            generation: GENERATION.fetch_add(1, Ordering::Relaxed),
        }
    }
}

impl SharedArena {
    /// An arena on this device, without a buffer yet.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        Self {
            device: device.clone(),
            queue: queue.clone(),
            shared: Arc::default(),
        }
    }

    /// Creates a runner of a graph with its records in this arena.
    pub async fn load(
        &self,
        graph: &Graph,
        options: GraphOptions<'_>,
    ) -> Result<GraphRunner, GraphError> {
        GraphRunner::in_arena(self.clone(), graph, options).await
    }

    /// Waits until no other graph runs.
    pub(super) async fn lock(&self, graph: &str) -> Result<ArenaGuard<'_>, GraphError> {
        let shared = &*self.shared;
        let memory = match shared.memory.try_lock() {
            Some(memory) => memory,
            None => {
                if let Some(holder) = shared.stepped_here() {
                    return Err(GraphError::ArenaInUse {
                        graph: graph.to_owned(),
                        holder,
                    });
                }
                shared.memory.lock().await
            }
        };
        Ok(ArenaGuard { shared, memory })
    }

    /// Grows the buffer to at least this size.
    pub(super) fn grow<'t>(&self, guard: &'t mut ArenaGuard<'_>, bytes: u64) -> &'t ArenaBuffer {
        if guard
            .as_ref()
            .is_some_and(|memory| memory.buffer.size() < bytes)
        {
            self.release(guard);
        }
        guard.get_or_insert_with(|| ArenaBuffer::new(&self.device, bytes))
    }

    /// Frees the buffer. It is destroyed explicitly, because bind groups of idle graphs would keep
    /// it alive.
    pub(super) fn release(&self, guard: &mut ArenaGuard<'_>) {
        if let Some(memory) = guard.take() {
            memory.buffer.destroy();
        }
    }
}
