//! The scheduler: assigns workgroups to cores.
//!
//! Every core takes a workgroup, runs it until it ends, needs work items or has used up its time,
//! and takes the next. A workgroup whose threads all wait for work items is set aside. When every
//! workgroup has started and none is running, no one can add items: the queue is closed, and the
//! waiting threads get -1.
//!
//! A suspended workgroup is scheduled after those that have not started, as it may wait for one of
//! them in a spin loop. It keeps its memory meanwhile, so the number of started workgroups is
//! limited ([`WorkgroupLimits`]). On every second pick the oldest suspended workgroup continues: so
//! it ends, or is found to be endless, in a time that does not depend on how many there are.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::runtime::{LaunchError, WorkQueue};

use super::group::Group;
use super::memory::Memory;

/// The workgroups of a launch, and the cores that wait.
pub(super) struct Schedule<M: Memory> {
    groups: u32,
    state: Mutex<SchedulerState<M>>,
    changed: Condvar,
    /// Number of idle cores.
    idle: AtomicUsize,
    closed: AtomicBool,
    limits: WorkgroupLimits,
    failure: OnceLock<LaunchError>,
}

/// How many workgroups of a launch may have started and not ended.
#[derive(Clone, Debug)]
pub(super) struct WorkgroupLimits {
    /// Maximum running or suspended workgroups, without those that wait for work items.
    pub(super) active: usize,
    /// Maximum started workgroups in total.
    pub(super) resident: usize,
    /// The error if workgroups wait for items that only workgroups without memory could add.
    pub(super) out_of_memory: LaunchError,
}

struct SchedulerState<M: Memory> {
    /// The next workgroup to start.
    next: u32,
    ready: Vec<Group<M>>,
    waiting_for_work: Vec<Group<M>>,
    /// Workgroups whose time was used up.
    paused: VecDeque<Group<M>>,
    /// Whether the oldest of those comes next.
    favours_oldest: bool,
    running: usize,
}

impl<M: Memory> SchedulerState<M> {
    /// The oldest suspended workgroup, on every second call.
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

/// What a core runs next.
pub(super) enum Task<M: Memory> {
    /// Start a workgroup, by linear index.
    Begin(u32),
    /// Resume a workgroup.
    Continue(Group<M>),
}

impl<M: Memory> Schedule<M> {
    pub(super) fn new(groups: u32, limits: WorkgroupLimits) -> Self {
        Self {
            groups,
            state: Mutex::new(SchedulerState {
                next: 0,
                ready: Vec::new(),
                waiting_for_work: Vec::new(),
                paused: VecDeque::new(),
                favours_oldest: false,
                running: 0,
            }),
            changed: Condvar::new(),
            idle: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
            limits,
            failure: OnceLock::new(),
        }
    }

    /// Whether no one can add work items any more.
    pub(super) fn queue_is_closed(&self) -> bool {
        self.closed.load(SeqCst)
    }

    /// The next workgroup to run; blocks while there may be one. Each call that returns a task is
    /// followed by one of [`Schedule::finished`], [`Schedule::needs_work`] or [`Schedule::paused`].
    pub(super) fn next(&self, queue: &WorkQueue) -> Option<Task<M>> {
        self.idle.fetch_add(1, SeqCst);
        let mut state = self.lock();
        let task = loop {
            if self.has_failed() {
                break None;
            }
            if let Some(group) = state.oldest() {
                break Some(Task::Continue(group));
            }
            if let Some(group) = state.ready.pop() {
                break Some(Task::Continue(group));
            }
            let under_way = state.running + state.paused.len();
            let has_room = under_way < self.limits.active
                && under_way + state.waiting_for_work.len() < self.limits.resident;
            if state.next < self.groups && has_room {
                state.next += 1;
                break Some(Task::Begin(state.next - 1));
            }
            if under_way == 0 && state.waiting_for_work.is_empty() {
                break None;
            }
            if under_way == 0 && queue.is_empty() {
                if state.next < self.groups {
                    // The first error wins, and there was none.
                    let _set = self.failure.set(self.limits.out_of_memory.clone());
                    self.changed.notify_all();
                    break None;
                }
                self.closed.store(true, SeqCst);
            }
            let go_on = self.queue_is_closed() || !queue.is_empty();
            if go_on && !state.waiting_for_work.is_empty() {
                let waiting_for_work = std::mem::take(&mut state.waiting_for_work);
                state.ready.extend(waiting_for_work);
                self.changed.notify_all();
                continue;
            }
            if let Some(group) = state.paused.pop_front() {
                break Some(Task::Continue(group));
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        };
        state.running += usize::from(task.is_some());
        self.idle.fetch_sub(1, SeqCst);
        task
    }

    /// A workgroup has ended.
    pub(super) fn finished(&self) {
        self.lock().running -= 1;
        self.changed.notify_all();
    }

    /// A workgroup cannot continue without work items.
    pub(super) fn needs_work(&self, group: Group<M>) {
        let mut state = self.lock();
        state.running -= 1;
        state.waiting_for_work.push(group);
        self.changed.notify_all();
    }

    /// A workgroup has used up its time.
    pub(super) fn paused(&self, group: Group<M>) {
        let mut state = self.lock();
        state.running -= 1;
        state.paused.push_back(group);
        self.changed.notify_all();
    }

    /// Wakes idle cores if there is work for them.
    pub(super) fn wake_idle(&self, queue: &WorkQueue) {
        if self.idle.load(SeqCst) > 0 && !queue.is_empty() {
            let _guard = self.lock();
            self.changed.notify_all();
        }
    }

    /// Aborts the launch. The first error wins.
    pub(super) fn fail(&self, error: LaunchError) {
        let _guard = self.lock();
        // Another core may have set an error already.
        let _second = self.failure.set(error);
        self.changed.notify_all();
    }

    /// Whether the launch was aborted.
    pub(super) fn has_failed(&self) -> bool {
        self.failure.get().is_some()
    }

    /// The error, if it was aborted.
    pub(super) fn failure(self) -> Option<LaunchError> {
        self.failure.into_inner()
    }

    fn lock(&self) -> MutexGuard<'_, SchedulerState<M>> {
        // Every operation leaves the state consistent, so a poisoned lock is harmless.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
