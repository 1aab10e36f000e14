//! One memory for the records of many graphs.
//!
//! In: how much a graph needs. Out: a [`Turn`] with a buffer of at least that size, which no other graph
//! touches until the turn ends. The memory is made on demand and grows to the largest graph. What
//! always holds: there is at most one turn at a time; nobody waits for a turn that the same thread holds
//! with [`Steps`](crate::Steps), which it could not end while it waits.
//!
//! Runners are made from a memory, instead of a memory being found by its device: devices of two
//! instances of wgpu can compare as equal.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex as Lock, PoisonError};
use std::thread::{self, ThreadId};

use async_lock::Mutex;

use super::error::GraphError;
use super::runner::{GraphOptions, GraphRunner};
use crate::model::Graph;

/// The memory for records of all graphs that share it. Graphs of one device should share one: they take
/// turns anyway, since a queue runs one submission after the other.
#[derive(Clone)]
pub struct SharedMemory {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    shared: Arc<Shared>,
}

/// What all clones of a memory have in common.
#[derive(Default)]
struct Shared {
    memory: Mutex<Option<Memory>>,
    /// The steps that have the turn, if it is steps that have it.
    stepping: Lock<Option<Stepping>>,
}

/// Steps last until the user ends them, unlike runs.
struct Stepping {
    thread: ThreadId,
    graph: String,
}

/// A buffer and which one it is, so that bind groups of an earlier one are made again.
pub(super) struct Memory {
    pub(super) buffer: wgpu::Buffer,
    pub(super) generation: u64,
}

/// The memory while one graph runs.
pub(super) struct Turn<'a> {
    shared: &'a Shared,
    memory: async_lock::MutexGuard<'a, Option<Memory>>,
}

impl Deref for Turn<'_> {
    type Target = Option<Memory>;

    fn deref(&self) -> &Self::Target {
        &self.memory
    }
}

impl DerefMut for Turn<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.memory
    }
}

impl Turn<'_> {
    /// The turn is that of steps, which this thread goes on with.
    pub(super) fn step(&self, graph: &str) {
        self.shared.set_stepping(Some(Stepping {
            thread: thread::current().id(),
            graph: graph.to_owned(),
        }));
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.shared.set_stepping(None);
    }
}

impl Shared {
    fn set_stepping(&self, stepping: Option<Stepping>) {
        *self.stepping.lock().unwrap_or_else(PoisonError::into_inner) = stepping;
    }

    /// The graph whose steps this thread has in hand.
    fn stepped_here(&self) -> Option<String> {
        let stepping = self.stepping.lock().unwrap_or_else(PoisonError::into_inner);
        let here = thread::current().id();
        let stepping = stepping.as_ref().filter(|it| it.thread == here);
        stepping.map(|stepping| stepping.graph.clone())
    }
}

/// Every buffer of any memory has a number of its own.
static GENERATION: AtomicU64 = AtomicU64::new(0);

impl Memory {
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

impl SharedMemory {
    /// No memory yet, on this device.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        Self {
            device: device.clone(),
            queue: queue.clone(),
            shared: Arc::default(),
        }
    }

    /// Puts a graph on the device, with its records in this memory.
    pub async fn load(
        &self,
        graph: &Graph,
        options: GraphOptions<'_>,
    ) -> Result<GraphRunner, GraphError> {
        GraphRunner::with_memory(self.clone(), graph, options).await
    }

    /// Waits until no other graph runs.
    pub(super) async fn turn(&self, graph: &str) -> Result<Turn<'_>, GraphError> {
        let shared = &*self.shared;
        let memory = match shared.memory.try_lock() {
            Some(memory) => memory,
            None => {
                if let Some(holder) = shared.stepped_here() {
                    return Err(GraphError::Held {
                        graph: graph.to_owned(),
                        holder,
                    });
                }
                shared.memory.lock().await
            }
        };
        Ok(Turn { shared, memory })
    }

    /// Makes room.
    pub(super) fn grow<'t>(&self, turn: &'t mut Turn<'_>, bytes: u64) -> &'t Memory {
        if turn
            .as_ref()
            .is_some_and(|memory| memory.buffer.size() < bytes)
        {
            self.release(turn);
        }
        turn.get_or_insert_with(|| Memory::new(&self.device, bytes))
    }

    /// Gives the memory back. Bind groups of idle graphs would keep it alive, so it is destroyed.
    pub(super) fn release(&self, turn: &mut Turn<'_>) {
        if let Some(memory) = turn.take() {
            memory.buffer.destroy();
        }
    }
}
