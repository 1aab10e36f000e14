//! Which workgroup runs next, and where.
//!
//! Every core asks for a workgroup, runs it until it ends or needs work, and asks again. A workgroup
//! whose threads all wait for work items is put aside; the cores go on with others. When every
//! workgroup has begun and none runs any more, nobody can add items: the queue is closed, and those
//! put aside go on with -1.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::machine::WorkQueue;

use super::group::Group;
use super::memory::Memory;

/// The workgroups of a launch.
pub(super) struct Schedule<M: Memory> {
    groups: u32,
    places: Mutex<Places<M>>,
    changed: Condvar,
    /// Cores that wait for work.
    idle: AtomicUsize,
    closed: AtomicBool,
}

struct Places<M: Memory> {
    /// The first workgroup that has not begun.
    next: u32,
    ready: Vec<Group<M>>,
    aside: Vec<Group<M>>,
    running: usize,
}

/// What a core is to run.
pub(super) enum Task<M: Memory> {
    /// A workgroup that begins, by number.
    Begin(u32),
    /// One that goes on.
    Continue(Group<M>),
}

impl<M: Memory> Schedule<M> {
    pub(super) fn new(groups: u32) -> Self {
        Self {
            groups,
            places: Mutex::new(Places {
                next: 0,
                ready: Vec::new(),
                aside: Vec::new(),
                running: 0,
            }),
            changed: Condvar::new(),
            idle: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
        }
    }

    /// Whether nobody can add work items any more.
    pub(super) fn queue_is_closed(&self) -> bool {
        self.closed.load(SeqCst)
    }

    /// The next workgroup to run; waits for one while there may be one. Each is followed by a call of
    /// [`Schedule::finished`] or [`Schedule::needs_work`].
    pub(super) fn next(&self, queue: &WorkQueue) -> Option<Task<M>> {
        self.idle.fetch_add(1, SeqCst);
        let mut places = self.places();
        let task = loop {
            if let Some(group) = places.ready.pop() {
                break Some(Task::Continue(group));
            }
            if places.next < self.groups {
                places.next += 1;
                break Some(Task::Begin(places.next - 1));
            }
            if places.running == 0 && places.aside.is_empty() {
                break None;
            }
            if places.running == 0 && queue.is_empty() {
                self.closed.store(true, SeqCst);
            }
            let go_on = self.queue_is_closed() || !queue.is_empty();
            if go_on && !places.aside.is_empty() {
                let aside = std::mem::take(&mut places.aside);
                places.ready.extend(aside);
                self.changed.notify_all();
                continue;
            }
            let waited = self.changed.wait(places);
            places = waited.unwrap_or_else(PoisonError::into_inner);
        };
        places.running += usize::from(task.is_some());
        self.idle.fetch_sub(1, SeqCst);
        task
    }

    /// A workgroup has ended.
    pub(super) fn finished(&self) {
        self.places().running -= 1;
        self.changed.notify_all();
    }

    /// A workgroup cannot go on without work.
    pub(super) fn needs_work(&self, group: Group<M>) {
        let mut places = self.places();
        places.running -= 1;
        places.aside.push(group);
        self.changed.notify_all();
    }

    /// Wakes cores that wait, if there is work for them.
    pub(super) fn look(&self, queue: &WorkQueue) {
        if self.idle.load(SeqCst) > 0 && !queue.is_empty() {
            let _places = self.places();
            self.changed.notify_all();
        }
    }

    fn places(&self) -> MutexGuard<'_, Places<M>> {
        // What it holds is whole after every operation.
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
