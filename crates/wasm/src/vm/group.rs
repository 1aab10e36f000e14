//! A workgroup: its threads, which take turns on one OS thread.
//!
//! Threads begin one after the other, and most run to their end at once; only those that wait are
//! kept. A workgroup is data like its threads: where none of them can go on without work from outside,
//! it can be put aside.

use std::sync::Arc;

use crate::bytecode::TrapCode;
use crate::machine::End;

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
}

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
        }
    }

    /// Runs until all threads have ended, or none can go on.
    pub(super) fn run(
        &mut self,
        setup: &Setup<M>,
        pool: &mut Pool<M>,
        after_each: impl Fn(),
    ) -> Progress {
        loop {
            let members = std::mem::take(&mut self.members);
            for mut member in members {
                match member.state {
                    State::Ready => {
                        self.turn(member.thread, setup, pool);
                        after_each();
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
                    let thread = setup.thread(place, &self.memory, pool);
                    self.turn(thread, setup, pool);
                    after_each();
                }
            }
            if let Some(progress) = self.settle(setup) {
                return progress;
            }
        }
    }

    /// Runs a thread for its turn.
    fn turn(&mut self, mut thread: Box<Thread<M>>, setup: &Setup<M>, pool: &mut Pool<M>) {
        let end = match thread.resume(&setup.program) {
            Stop::Done => End::Done(setup.results(thread.results())),
            Stop::Trapped(trap) => End::Trapped(trap),
            Stop::Slice => {
                let state = State::Ready;
                return self.members.push(Member { thread, state });
            }
            Stop::Waits(wait) => {
                let state = State::Waits(wait);
                return self.members.push(Member { thread, state });
            }
        };
        self.ends.push((thread.state.place.number, end));
        pool.push(thread);
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
