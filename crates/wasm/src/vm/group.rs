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
    watch: Watch,
}

/// How long a workgroup has run while no thread of the launch ended.
#[derive(Default)]
struct Watch {
    took: Duration,
    /// What the clock said when `took` was last brought up to date.
    since: Duration,
    /// Threads of the launch that had ended then.
    ended: u64,
}

impl Watch {
    /// The workgroup runs from now on.
    fn begin(&mut self) {
        self.since = clock::now();
    }

    /// It has run until now.
    fn update(&mut self, ended: u64) {
        let now = clock::now();
        self.took += now.saturating_sub(self.since);
        self.since = now;
        if ended != self.ended {
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

/// Threads that have ended and can become others.
pub(super) type Pool<M> = Vec<Box<Thread<M>>>;

impl<M: Memory> Group<M> {
    pub(super) fn new(number: u32, setup: &Setup<M>) -> Self {
        Self {
            number,
            memory: Arc::new(GroupMemory::new(setup.program.source.statics)),
            next: 0,
            members: Vec::new(),
            ends: Vec::new(),
            slices: 0,
            watch: Watch::default(),
        }
    }

    /// Runs until all threads have ended, none can go on, or others should have their turn.
    pub(super) fn run(&mut self, setup: &Setup<M>, pool: &mut Pool<M>) -> Progress {
        if setup.options.watchdog.is_some() {
            self.watch.begin();
        }
        match self.rounds(setup, pool) {
            Ok(progress) => {
                if progress == Progress::Pauses && setup.options.watchdog.is_some() {
                    self.watch.update(setup.ended.load(Ordering::Relaxed));
                }
                progress
            }
            Err(error) => {
                setup.fail(error);
                Progress::GivenUp
            }
        }
    }

    /// Gives all threads their turn, again and again.
    fn rounds(&mut self, setup: &Setup<M>, pool: &mut Pool<M>) -> Result<Progress, LaunchError> {
        loop {
            let members = std::mem::take(&mut self.members);
            for mut member in members {
                match member.state {
                    State::Ready => {
                        self.turn(member.thread, setup, pool)?;
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
                    let thread = setup.thread(place, &self.memory, pool)?;
                    self.turn(thread, setup, pool)?;
                    if setup.look() {
                        return Ok(Progress::GivenUp);
                    }
                }
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

    /// Runs a thread for its turn.
    fn turn(
        &mut self,
        mut thread: Box<Thread<M>>,
        setup: &Setup<M>,
        pool: &mut Pool<M>,
    ) -> Result<(), LaunchError> {
        let end = match thread.resume(&setup.program) {
            Stop::Done => End::Done(setup.results(thread.results())),
            Stop::Trapped(trap) => End::Trapped(trap),
            Stop::Slice => {
                self.slices += 1;
                if let Some(limit) = setup.options.watchdog {
                    self.watch.update(setup.ended.load(Ordering::Relaxed));
                    if self.watch.took > limit {
                        return Err(still_running(&mut thread, limit));
                    }
                }
                let state = State::Ready;
                self.members.push(Member { thread, state });
                return Ok(());
            }
            Stop::Waits(wait) => {
                let state = State::Waits(wait);
                self.members.push(Member { thread, state });
                return Ok(());
            }
        };
        self.ends.push((thread.state.place.number, end));
        setup.ended.fetch_add(1, Ordering::Relaxed);
        pool.push(thread);
        Ok(())
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
