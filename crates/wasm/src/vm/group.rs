//! A workgroup: cooperative scheduling of its threads on one OS thread.
//!
//! Threads start one after the other, and most run to their end at once; only those that wait at a
//! barrier, for a file or for a work item are kept. A workgroup is plain data, as are its threads:
//! if none of them can continue without new work items, or all have used up their time slices, it
//! is suspended and may be resumed on another core.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::bytecode::TrapCode;
use crate::runtime::{LaunchError, ThreadEnd};

use super::clock;
use super::memory::Memory;
use super::resources::GroupMemory;
use super::run::LaunchState;
use super::thread::{StopReason, Thread, Wait};

/// Why a workgroup was suspended, or that it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// All threads have ended.
    Finished,
    /// All remaining threads wait for work items, or at a barrier for threads that do.
    NeedsWork,
    /// Its time is used up; it can continue after others.
    Paused,
    /// The launch was aborted.
    Aborted,
}

/// Thread slices after which a workgroup is suspended, at the end of a round.
const SLICES: u32 = 8;

/// The state of a suspended thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MemberState {
    Ready,
    Waits(Wait),
}

struct Member<M: Memory> {
    /// Boxed, as members move when others end.
    thread: Box<Thread<M>>,
    state: MemberState,
    watch: ProgressWatch,
}

/// A workgroup.
pub(super) struct Group<M: Memory> {
    number: u32,
    memory: Arc<GroupMemory>,
    /// The thread that starts next.
    next: u32,
    members: Vec<Member<M>>,
    /// How threads ended, with their linear indices.
    pub(super) ends: Vec<(u32, ThreadEnd)>,
    /// Thread slices since the workgroup was resumed.
    slices: u32,
    /// When the last slice of the workgroup ended, or when it was resumed.
    since: Duration,
}

/// How long a thread has run while no thread of the launch ended.
#[derive(Clone, Copy, Default)]
struct ProgressWatch {
    took: Duration,
    /// Number of ended threads of the launch when it last ran.
    ended: u64,
}

impl ProgressWatch {
    /// Adds running time; restarts if a thread of the launch has ended.
    fn add(&mut self, time: Duration, ended: u64) {
        if ended == self.ended {
            self.took += time;
        } else {
            self.took = Duration::ZERO;
            self.ended = ended;
        }
    }
}

/// The watchdog error for a thread that is still running.
pub(super) fn still_running<M: Memory>(thread: &mut Thread<M>, limit: Duration) -> LaunchError {
    let at = thread.trap(TrapCode::FuelExhausted);
    LaunchError::Watchdog {
        thread: thread.state.ids.number,
        function: at.function,
        offset: at.offset,
        limit,
    }
}

/// The state of a core that works at a launch.
pub(super) struct Worker<M: Memory> {
    /// Threads that have ended and can be reused.
    pub(super) pool: Vec<Box<Thread<M>>>,
    /// The CPU time when it began.
    pub(super) begun: Duration,
}

impl<M: Memory> Group<M> {
    pub(super) fn new(number: u32, launch: &LaunchState<M>) -> Self {
        let memory = GroupMemory::new(launch.program.source.statics, launch.growth.share());
        Self {
            number,
            memory: Arc::new(memory),
            next: 0,
            members: Vec::new(),
            ends: Vec::new(),
            slices: 0,
            since: Duration::ZERO,
        }
    }

    /// Its linear index in the grid.
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// Runs until all threads have ended, none can continue, or its time is used up.
    pub(super) fn run(&mut self, launch: &LaunchState<M>, worker: &mut Worker<M>) -> Progress {
        self.since = clock::now();
        self.rounds(launch, worker).unwrap_or_else(|error| {
            launch.fail(error);
            Progress::Aborted
        })
    }

    /// Runs the threads round-robin.
    fn rounds(
        &mut self,
        launch: &LaunchState<M>,
        worker: &mut Worker<M>,
    ) -> Result<Progress, LaunchError> {
        loop {
            let slices = self.slices;
            let members = std::mem::take(&mut self.members);
            for mut member in members {
                match member.state {
                    MemberState::Ready => {
                        self.run_slice(member.thread, member.watch, launch, worker)?;
                        if launch.wake_idle() {
                            return Ok(Progress::Aborted);
                        }
                    }
                    MemberState::Waits(_) => self.members.push(Member {
                        state: self.complete(&mut member, launch),
                        ..member
                    }),
                }
            }
            while self.next < launch.grid.group_threads() {
                let ids = launch.grid.thread_ids(self.number, self.next);
                self.next += 1;
                if ids.number < launch.grid.threads {
                    let thread = launch.thread(ids, &self.memory, worker)?;
                    self.run_slice(thread, ProgressWatch::default(), launch, worker)?;
                    if launch.wake_idle() {
                        return Ok(Progress::Aborted);
                    }
                }
            }
            if self.favour_oldest(self.slices - slices, launch, worker)? {
                return Ok(Progress::Aborted);
            }
            if let Some(progress) = self.release_barriers(launch) {
                return Ok(progress);
            }
            if self.slices >= SLICES {
                self.slices = 0;
                return Ok(Progress::Paused);
            }
        }
    }

    /// Gives the oldest thread as many slices as all threads had in this round. So it ends, or is
    /// found to be endless, within twice its own time, however many threads there are. Returns
    /// whether the launch was aborted.
    fn favour_oldest(
        &mut self,
        slices: u32,
        launch: &LaunchState<M>,
        worker: &mut Worker<M>,
    ) -> Result<bool, LaunchError> {
        let mut left = slices.saturating_sub(1);
        while left > 0 && self.members.len() > 1 && self.members[0].state == MemberState::Ready {
            left -= 1;
            let live = self.members.len();
            let oldest = self.members.remove(0);
            self.run_slice(oldest.thread, oldest.watch, launch, worker)?;
            if launch.wake_idle() {
                return Ok(true);
            }
            if self.members.len() < live {
                break;
            }
            // It stays the oldest.
            self.members.rotate_right(1);
        }
        Ok(false)
    }

    /// Runs a thread for one time slice.
    fn run_slice(
        &mut self,
        mut thread: Box<Thread<M>>,
        mut watch: ProgressWatch,
        launch: &LaunchState<M>,
        worker: &mut Worker<M>,
    ) -> Result<(), LaunchError> {
        let end = match thread.resume(&launch.program) {
            StopReason::Done => ThreadEnd::Done(launch.results(thread.results())),
            StopReason::Trapped(trap) => ThreadEnd::Trapped(trap),
            StopReason::Slice => {
                self.slices += 1;
                self.check_time(&mut thread, &mut watch, launch, worker)?;
                let state = MemberState::Ready;
                self.members.push(Member {
                    thread,
                    state,
                    watch,
                });
                return Ok(());
            }
            StopReason::Waits(wait) => {
                let state = MemberState::Waits(wait);
                self.members.push(Member {
                    thread,
                    state,
                    watch,
                });
                return Ok(());
            }
        };
        self.ends.push((thread.state.ids.number, end));
        launch.ended.fetch_add(1, Ordering::Relaxed);
        // A workgroup may end on another core than it began on, so threads would accumulate on one.
        if worker.pool.len() < launch.grid.group_threads() as usize {
            worker.pool.push(thread);
        }
        Ok(())
    }

    /// An error if a thread at the end of its slice exceeds a limit. Time of other threads of the
    /// workgroup, which waited before they used up a slice, is attributed to this one.
    fn check_time(
        &mut self,
        thread: &mut Thread<M>,
        watch: &mut ProgressWatch,
        launch: &LaunchState<M>,
        worker: &Worker<M>,
    ) -> Result<(), LaunchError> {
        let now = clock::now();
        watch.add(
            now.saturating_sub(self.since),
            launch.ended.load(Ordering::Relaxed),
        );
        self.since = now;
        match launch.options.watchdog {
            Some(limit) if watch.took > limit => Err(still_running(thread, limit)),
            _ => launch.check_limit(worker),
        }
    }

    /// Completes what a thread waits for, if possible.
    fn complete(&self, member: &mut Member<M>, launch: &LaunchState<M>) -> MemberState {
        match member.state {
            MemberState::Waits(Wait::File) => member.thread.serve_file(),
            MemberState::Waits(Wait::Work) => match launch.resources.queue.pop() {
                Some(item) => member.thread.complete(item),
                None if launch.queue_is_closed() => member.thread.complete(u32::MAX),
                None => return member.state,
            },
            state => return state,
        }
        MemberState::Ready
    }

    /// Releases barriers at the end of a round. Returns the reason if no thread can continue.
    fn release_barriers(&mut self, launch: &LaunchState<M>) -> Option<Progress> {
        if self.members.is_empty() {
            return Some(Progress::Finished);
        }
        let waits = |member: &Member<M>| match member.state {
            MemberState::Ready | MemberState::Waits(Wait::File) => None,
            MemberState::Waits(wait) => Some(wait),
        };
        let waits: Vec<Wait> = self.members.iter().map(waits).collect::<Option<_>>()?;
        if waits.contains(&Wait::Work) {
            let can_continue = launch.queue_is_closed() || !launch.resources.queue.is_empty();
            return (!can_continue).then_some(Progress::NeedsWork);
        }
        if self.ends.is_empty() {
            for member in &mut self.members {
                member.state = MemberState::Ready;
            }
            return None;
        }
        for mut member in self.members.drain(..) {
            let trap = member.thread.trap_before(TrapCode::Barrier);
            self.ends
                .push((member.thread.state.ids.number, ThreadEnd::Trapped(trap)));
        }
        Some(Progress::Finished)
    }
}
