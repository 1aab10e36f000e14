//! Which workgroup runs next, and where.
//!
//! Every core asks for a workgroup, runs it until it ends, needs work or has run for long, and asks
//! again. A workgroup whose threads all wait for work items is put aside; the cores go on with others.
//! When every workgroup has begun and none runs any more, nobody can add items: the queue is closed,
//! and those put aside go on with -1.
//!
//! One that has run for long comes after those that have not begun, as it may wait for one of them. It
//! keeps its memory meanwhile, so the number of those under way is limited: the others begin later. Every second
//! time the oldest of those that have run for long goes on: so it ends, or is found to be endless, in a time that does
//! not depend on how many there are.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::machine::{LaunchError, WorkQueue};

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
    room: Room,
    failure: OnceLock<LaunchError>,
}

/// How many workgroups of a launch may have begun and not ended.
#[derive(Clone, Debug)]
pub(super) struct Room {
    /// Those under way at once, apart from those that wait for work.
    pub(super) under_way: usize,
    /// Those that have memory, all together.
    pub(super) alive: usize,
    /// The error where workgroups wait for work that only those without memory could add.
    pub(super) too_few: LaunchError,
}

struct Places<M: Memory> {
    /// The first workgroup that has not begun.
    next: u32,
    ready: Vec<Group<M>>,
    aside: Vec<Group<M>>,
    /// Those that have run for long.
    paused: VecDeque<Group<M>>,
    /// Whether the oldest of those comes next.
    favours_oldest: bool,
    running: usize,
}

impl<M: Memory> Places<M> {
    /// The oldest workgroup that has run for long, every second time.
    fn oldest(&mut self) -> Option<Group<M>> {
        self.favours_oldest = !self.favours_oldest;
        if self.favours_oldest {
            return None;
        }
        let numbered = (0..).zip(&self.paused);
        let (at, _) = numbered.min_by_key(|(_, group)| group.number())?;
        self.paused.remove(at)
    }
}

/// What a core is to run.
pub(super) enum Task<M: Memory> {
    /// A workgroup that begins, by number.
    Begin(u32),
    /// One that goes on.
    Continue(Group<M>),
}

impl<M: Memory> Schedule<M> {
    pub(super) fn new(groups: u32, room: Room) -> Self {
        Self {
            groups,
            places: Mutex::new(Places {
                next: 0,
                ready: Vec::new(),
                aside: Vec::new(),
                paused: VecDeque::new(),
                favours_oldest: false,
                running: 0,
            }),
            changed: Condvar::new(),
            idle: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
            room,
            failure: OnceLock::new(),
        }
    }

    /// Whether nobody can add work items any more.
    pub(super) fn queue_is_closed(&self) -> bool {
        self.closed.load(SeqCst)
    }

    /// The next workgroup to run; waits for one while there may be one. Each is followed by a call of
    /// [`Schedule::finished`], [`Schedule::needs_work`] or [`Schedule::pauses`].
    pub(super) fn next(&self, queue: &WorkQueue) -> Option<Task<M>> {
        self.idle.fetch_add(1, SeqCst);
        let mut places = self.places();
        let task = loop {
            if self.has_failed() {
                break None;
            }
            if let Some(group) = places.oldest() {
                break Some(Task::Continue(group));
            }
            if let Some(group) = places.ready.pop() {
                break Some(Task::Continue(group));
            }
            let under_way = places.running + places.paused.len();
            let has_room =
                under_way < self.room.under_way && under_way + places.aside.len() < self.room.alive;
            if places.next < self.groups && has_room {
                places.next += 1;
                break Some(Task::Begin(places.next - 1));
            }
            if under_way == 0 && places.aside.is_empty() {
                break None;
            }
            if under_way == 0 && queue.is_empty() {
                if places.next < self.groups {
                    // The first reason counts, and there was none.
                    let _set = self.failure.set(self.room.too_few.clone());
                    self.changed.notify_all();
                    break None;
                }
                self.closed.store(true, SeqCst);
            }
            let go_on = self.queue_is_closed() || !queue.is_empty();
            if go_on && !places.aside.is_empty() {
                let aside = std::mem::take(&mut places.aside);
                places.ready.extend(aside);
                self.changed.notify_all();
                continue;
            }
            if let Some(group) = places.paused.pop_front() {
                break Some(Task::Continue(group));
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

    /// A workgroup has run for long.
    pub(super) fn pauses(&self, group: Group<M>) {
        let mut places = self.places();
        places.running -= 1;
        places.paused.push_back(group);
        self.changed.notify_all();
    }

    /// Wakes cores that wait, if there is work for them.
    pub(super) fn look(&self, queue: &WorkQueue) {
        if self.idle.load(SeqCst) > 0 && !queue.is_empty() {
            let _places = self.places();
            self.changed.notify_all();
        }
    }

    /// Gives the launch up. The first reason counts.
    pub(super) fn fail(&self, error: LaunchError) {
        let _places = self.places();
        // Another core may have come first.
        let _second = self.failure.set(error);
        self.changed.notify_all();
    }

    /// Whether the launch is given up.
    pub(super) fn has_failed(&self) -> bool {
        self.failure.get().is_some()
    }

    /// Why, if it is.
    pub(super) fn failure(self) -> Option<LaunchError> {
        self.failure.into_inner()
    }

    fn places(&self) -> MutexGuard<'_, Places<M>> {
        // What it holds is whole after every operation.
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
