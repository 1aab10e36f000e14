//! Stepwise execution of a submission, for the reordering queue.
//!
//! In: the recordings of one submission. Out: one step per call, in the order of the commands. A step is one workgroup,
//! or one command with an effect of its own; commands that only set state are not steps.

use std::sync::Arc;

use anywarp_cpu::{Executor, Random, Shuffle, SpuriousFailures};

use crate::command::{Command, Recording};
use crate::error::CommandError;
use crate::execute::{CommandRunner, Uploads};

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepOutcome {
    /// There may be more steps.
    Continues,
    /// The submission has ended; nothing was done.
    Ended,
}

/// A submission and its position.
pub(crate) struct Submission<'w> {
    /// Borrows from `recordings`, despite its lifetime. It is the first field, so that it is dropped first.
    runner: CommandRunner<'w>,
    recordings: Vec<Arc<Recording>>,
    /// The next command: the index of the recording, and the index in it.
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
        max_workgroups: u32,
        recordings: Vec<Arc<Recording>>,
    ) -> Self {
        Self {
            runner: CommandRunner::new(executor, max_workgroups, Uploads::Copied),
            recordings,
            next: (0, 0),
            dispatch: None,
        }
    }

    /// Makes one step, or returns that none is left.
    pub(crate) fn step(
        &mut self,
        random: &mut Random,
        failures: &SpuriousFailures,
    ) -> Result<StepOutcome, CommandError> {
        loop {
            if let Some(dispatch) = &mut self.dispatch {
                if dispatch.done < dispatch.total {
                    let number = dispatch.order.at(dispatch.done);
                    dispatch.done += 1;
                    let count = dispatch.count;
                    self.runner.run_workgroup(count, number, failures)?;
                    return Ok(StepOutcome::Continues);
                }
                self.dispatch = None;
            }
            let Some((recording, command)) = self.next_command() else {
                return Ok(StepOutcome::Ended);
            };
            if let Some(count) = self.runner.apply(recording, command) {
                let total = self.runner.workgroups(count)?;
                self.dispatch = Some(Dispatch {
                    count,
                    order: Shuffle::new(total, random),
                    total,
                    done: 0,
                });
            } else if is_step(command) {
                return Ok(StepOutcome::Continues);
            }
        }
    }

    fn next_command(&mut self) -> Option<(&'w Recording, &'w Command)> {
        loop {
            let (index, position) = self.next;
            let recording = Arc::as_ptr(self.recordings.get(index)?);
            // SAFETY: the recording stays at its address, unchanged, while `self.recordings` owns it, which is until
            // the drop. Only `self.runner` keeps references to it, and passes none of them on; it is dropped before.
            let recording: &'w Recording = unsafe { &*recording };
            if let Some(command) = recording.commands.get(position) {
                self.next.1 += 1;
                return Some((recording, command));
            }
            self.next = (index + 1, 0);
        }
    }
}

/// Whether a command other than a dispatch has an effect that others can observe.
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
