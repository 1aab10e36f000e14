//! A workgroup: its threads, which take turns on one OS thread.
//!
//! Threads begin one after the other, and most run to their end at once; only those that wait are
//! kept. A workgroup is data like its threads: where none of them can go on without work from outside,
//! or all have run for long, it can be put aside.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::bytecode::TrapCode;
use crate::machine::{End, LaunchError};

use super::clock;
use super::memory::Memory;
use super::run::Setup;
use super::thread::{Stop, Thread, Wait};
use super::world::GroupMemory;

/// Why a workgroup came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// All threads have ended.
    Finished,
    /// All that are left wait for work items, or for threads that do.
    NeedsWork,
    /// It can go on, but others should have their turn.
    Pauses,
    /// The launch has failed.
    GivenUp,
}

/// Slices of its threads after which a workgroup pauses, when each of them has had its turn.
const SLICES: u32 = 8;

/// What a thread is kept for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ready,
    Waits(Wait),
}

struct Member<M: Memory> {
    /// Boxed, as members move when others end.
    thread: Box<Thread<M>>,
    state: State,
    watch: Watch,
}

/// A workgroup.
pub(super) struct Group<M: Memory> {
    number: u32,
    memory: Arc<GroupMemory>,
    /// The thread that begins next.
    next: u32,
    members: Vec<Member<M>>,
    /// How threads ended, by their numbers.
    pub(super) ends: Vec<(u32, End)>,
    /// Slices of its threads since it paused.
    slices: u32,
    /// The clock when a slice of the workgroup last ended, or when it was taken up.
    since: Duration,
}

/// How long a thread has run while no thread of the launch ended.
#[derive(Clone, Copy, Default)]
struct Watch {
    took: Duration,
    /// Threads of the launch that had ended when it last ran.
    ended: u64,
}

impl Watch {
    /// The thread has run for some time more.
    fn add(&mut self, time: Duration, ended: u64) {
        if ended == self.ended {
            self.took += time;
        } else {
            self.took = Duration::ZERO;
            self.ended = ended;
        }
    }
}

/// What is wrong with a thread that runs while no other ends.
pub(super) fn still_running<M: Memory>(thread: &mut Thread<M>, limit: Duration) -> LaunchError {
    let at = thread.trap(TrapCode::FuelExhausted);
    LaunchError::Watchdog {
        thread: thread.state.place.number,
        function: at.function,
        offset: at.offset,
        limit,
    }
}

/// A core that works at a launch.
pub(super) struct Core<M: Memory> {
    /// Threads that have ended and can become others.
    pub(super) pool: Vec<Box<Thread<M>>>,
    /// What its clock said when it began.
    pub(super) begun: Duration,
}

impl<M: Memory> Group<M> {
    pub(super) fn new(number: u32, setup: &Setup<M>) -> Self {
        let memory = GroupMemory::new(setup.program.source.statics, setup.growth.share());
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

    /// Its number in the grid.
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// Runs until all threads have ended, none can go on, or others should have their turn.
    pub(super) fn run(&mut self, setup: &Setup<M>, core: &mut Core<M>) -> Progress {
        self.since = clock::now();
        self.rounds(setup, core).unwrap_or_else(|error| {
            setup.fail(error);
            Progress::GivenUp
        })
    }

    /// Gives all threads their turn, again and again.
    fn rounds(&mut self, setup: &Setup<M>, core: &mut Core<M>) -> Result<Progress, LaunchError> {
        loop {
            let slices = self.slices;
            let members = std::mem::take(&mut self.members);
            for mut member in members {
                match member.state {
                    State::Ready => {
                        self.turn(member.thread, member.watch, setup, core)?;
                        if setup.look() {
                            return Ok(Progress::GivenUp);
                        }
                    }
                    State::Waits(_) => self.members.push(Member {
                        state: self.answer(&mut member, setup),
                        ..member
                    }),
                }
            }
            while self.next < setup.grid.group_threads() {
                let place = setup.grid.place(self.number, self.next);
                self.next += 1;
                if place.number < setup.grid.threads {
                    let thread = setup.thread(place, &self.memory, core)?;
                    self.turn(thread, Watch::default(), setup, core)?;
                    if setup.look() {
                        return Ok(Progress::GivenUp);
                    }
                }
            }
            if self.favour_oldest(self.slices - slices, setup, core)? {
                return Ok(Progress::GivenUp);
            }
            if let Some(progress) = self.settle(setup) {
                return Ok(progress);
            }
            if self.slices >= SLICES {
                self.slices = 0;
                return Ok(Progress::Pauses);
            }
        }
    }

    /// Gives the oldest thread as many slices as all had in this round. So it ends, or is found to be endless, within
    /// twice its own time, however many threads take turns. Whether the launch is given up.
    fn favour_oldest(
        &mut self,
        slices: u32,
        setup: &Setup<M>,
        core: &mut Core<M>,
    ) -> Result<bool, LaunchError> {
        let mut left = slices.saturating_sub(1);
        while left > 0 && self.members.len() > 1 && self.members[0].state == State::Ready {
            left -= 1;
            let live = self.members.len();
            let oldest = self.members.remove(0);
            self.turn(oldest.thread, oldest.watch, setup, core)?;
            if setup.look() {
                return Ok(true);
            }
            if self.members.len() < live {
                break;
            }
            // It keeps its place in front.
            self.members.rotate_right(1);
        }
        Ok(false)
    }

    /// Runs a thread for its turn.
    fn turn(
        &mut self,
        mut thread: Box<Thread<M>>,
        mut watch: Watch,
        setup: &Setup<M>,
        core: &mut Core<M>,
    ) -> Result<(), LaunchError> {
        let end = match thread.resume(&setup.program) {
            Stop::Done => End::Done(setup.results(thread.results())),
            Stop::Trapped(trap) => End::Trapped(trap),
            Stop::Slice => {
                self.slices += 1;
                self.check_time(&mut thread, &mut watch, setup, core)?;
                let state = State::Ready;
                self.members.push(Member {
                    thread,
                    state,
                    watch,
                });
                return Ok(());
            }
            Stop::Waits(wait) => {
                let state = State::Waits(wait);
                self.members.push(Member {
                    thread,
                    state,
                    watch,
                });
                return Ok(());
            }
        };
        self.ends.push((thread.state.place.number, end));
        setup.ended.fetch_add(1, Ordering::Relaxed);
        // A workgroup may end on another core than it began on, so threads would gather on one.
        if core.pool.len() < setup.grid.group_threads() as usize {
            core.pool.push(thread);
        }
        Ok(())
    }

    /// An error if a thread at the end of its slice is over a limit. Time of other threads of the workgroup, which did
    /// not use up a slice before they waited, counts as this one's.
    fn check_time(
        &mut self,
        thread: &mut Thread<M>,
        watch: &mut Watch,
        setup: &Setup<M>,
        core: &Core<M>,
    ) -> Result<(), LaunchError> {
        let now = clock::now();
        watch.add(
            now.saturating_sub(self.since),
            setup.ended.load(Ordering::Relaxed),
        );
        self.since = now;
        match setup.options.watchdog {
            Some(limit) if watch.took > limit => Err(still_running(thread, limit)),
            _ => setup.check_limit(core),
        }
    }

    /// Gives a thread what it waits for, if that is there.
    fn answer(&self, member: &mut Member<M>, setup: &Setup<M>) -> State {
        match member.state {
            State::Waits(Wait::File) => member.thread.serve_file(),
            State::Waits(Wait::Work) => match setup.world.queue.pop() {
                Some(item) => member.thread.answer(item),
                None if setup.queue_is_closed() => member.thread.answer(u32::MAX),
                None => return member.state,
            },
            state => return state,
        }
        State::Ready
    }

    /// Looks at those that wait when all have had their turn. Gives something if none can go on.
    fn settle(&mut self, setup: &Setup<M>) -> Option<Progress> {
        if self.members.is_empty() {
            return Some(Progress::Finished);
        }
        let waits = |member: &Member<M>| match member.state {
            State::Ready | State::Waits(Wait::File) => None,
            State::Waits(wait) => Some(wait),
        };
        let waits: Option<Vec<Wait>> = self.members.iter().map(waits).collect();
        let waits = waits?;
        if waits.contains(&Wait::Work) {
            let can_answer = setup.queue_is_closed() || !setup.world.queue.is_empty();
            return (!can_answer).then_some(Progress::NeedsWork);
        }
        if self.ends.is_empty() {
            for member in &mut self.members {
                member.state = State::Ready;
            }
            return None;
        }
        for mut member in self.members.drain(..) {
            let trap = member.thread.trap_before(TrapCode::Barrier);
            self.ends
                .push((member.thread.state.place.number, End::Trapped(trap)));
        }
        Some(Progress::Finished)
    }
}
