//! A submission that is carried out step by step, for the queue that misbehaves.
//!
//! In: the recordings of one submission. Out: one step per call, in the order of the commands. A step
//! is one workgroup, or one command that does something by itself; commands that only set what a
//! later one uses are no steps of their own.

use std::sync::Arc;

use anywarp_cpu::{Executor, Random, Shuffle, SpuriousFailures};

use crate::command::{Command, Recording};
use crate::execute::{Session, Uploads};

/// Whether there is more to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Going,
    Ended,
}

/// A submission with how far it is.
pub(crate) struct Submission<'w> {
    /// Refers to `recordings`, whatever its lifetime says. It comes first, to be dropped first.
    session: Session<'w>,
    recordings: Vec<Arc<Recording>>,
    /// The next command: which recording, and where in it.
    next: (usize, usize),
    dispatch: Option<Dispatch>,
}

/// A dispatch that has begun.
struct Dispatch {
    count: [u32; 3],
    order: Shuffle,
    total: u64,
    done: u64,
}

impl<'w> Submission<'w> {
    pub(crate) fn new(
        executor: &'w Executor,
        most_workgroups: u32,
        recordings: Vec<Arc<Recording>>,
    ) -> Self {
        Self {
            session: Session::new(executor, most_workgroups, Uploads::Copied),
            recordings,
            next: (0, 0),
            dispatch: None,
        }
    }

    /// Makes one step, or finds that there is none left.
    pub(crate) fn step(
        &mut self,
        random: &mut Random,
        failures: &SpuriousFailures,
    ) -> Result<Progress, String> {
        loop {
            if let Some(dispatch) = &mut self.dispatch {
                if dispatch.done < dispatch.total {
                    let number = dispatch.order.at(dispatch.done);
                    dispatch.done += 1;
                    let count = dispatch.count;
                    self.session.run_workgroup(count, number, failures)?;
                    return Ok(Progress::Going);
                }
                self.dispatch = None;
            }
            let Some((recording, command)) = self.next_command() else {
                return Ok(Progress::Ended);
            };
            if let Some(count) = self.session.apply(recording, command) {
                let total = self.session.workgroups(count)?;
                self.dispatch = Some(Dispatch {
                    count,
                    order: Shuffle::new(total, random),
                    total,
                    done: 0,
                });
            } else if is_step(command) {
                return Ok(Progress::Going);
            }
        }
    }

    fn next_command(&mut self) -> Option<(&'w Recording, &'w Command)> {
        loop {
            let (index, position) = self.next;
            let recording = Arc::as_ptr(self.recordings.get(index)?);
            // SAFETY: the recording stays where it is, unchanged, while `self.recordings` has it,
            // which is until the drop. Only `self.session` keeps what refers to it, and hands out
            // nothing of it; it is dropped before.
            let recording: &'w Recording = unsafe { &*recording };
            if let Some(command) = recording.commands.get(position) {
                self.next.1 += 1;
                return Some((recording, command));
            }
            self.next = (index + 1, 0);
        }
    }
}

/// Whether a command other than a dispatch does something that others can see.
fn is_step(command: &Command) -> bool {
    match command {
        Command::ClearBuffer { .. }
        | Command::CopyBuffer { .. }
        | Command::Texture(_)
        | Command::WriteTimestamp { .. }
        | Command::ResetQueries { .. }
        | Command::CopyQueryResults { .. } => true,
        Command::BeginComputePass
        | Command::SetPipeline(_)
        | Command::SetBindGroup { .. }
        | Command::SetImmediates { .. }
        | Command::Dispatch(_)
        | Command::DispatchIndirect { .. }
        | Command::PushDebugGroup(_)
        | Command::PopDebugGroup => false,
    }
}
