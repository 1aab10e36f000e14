//! Errors of a run, and errors of preparing an entry point for one.

use std::fmt;
use std::time::Duration;

use anywarp_program::Location;
use anywarp_program::work::OverBudget;

use crate::TimeLimit;

/// A source position; `None` if it is unknown because the program came without source.
pub type SourceLocation = Option<Box<Location>>;

fn at(location: &SourceLocation) -> String {
    match location {
        Some(location) => location.to_string(),
        None => "an unknown place (the program came without source)".to_owned(),
    }
}

fn passed(location: &SourceLocation) -> String {
    let passed = location
        .as_ref()
        .map(|location| format!("; it had passed {location}"));
    passed.unwrap_or_default()
}

/// The budget that a workgroup exhausted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Loop iterations ([`Limits::iterations`](crate::Limits::iterations)).
    Iterations(u64),
    /// Time, as a watchdog measures it.
    Time(Duration),
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Iterations(count) => write!(f, "{count} iterations"),
            Self::Time(time) => write!(f, "{} s", time.as_secs_f64()),
        }
    }
}

/// Why a run of a workgroup ended early. Memory keeps what was written before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExecutionError {
    /// An invocation exhausted its budget in a loop.
    #[error(
        "endless loop: the loop at {} did not end within {limit} (invocation {invocation:?} of entry point `{entry_point}`)",
        at(.location)
    )]
    EndlessLoop {
        /// The entry point that ran.
        entry_point: String,
        /// The loop that was running.
        location: SourceLocation,
        /// `global_invocation_id` of the invocation.
        invocation: [u32; 3],
        /// The exhausted budget.
        limit: Budget,
    },
    /// An invocation exhausted its budget outside loops: on calls that double from function to function, or on
    /// copies of huge values.
    #[error(
        "too much work: the statement at {} was not passed within {limit} (invocation {invocation:?} of entry point `{entry_point}`)",
        at(.location)
    )]
    TooMuchWork {
        /// The entry point that ran.
        entry_point: String,
        /// The statement that was to be executed next.
        location: SourceLocation,
        /// `global_invocation_id` of the invocation.
        invocation: [u32; 3],
        /// The exhausted budget.
        limit: Budget,
    },
    /// Some invocations of a workgroup wait at a barrier that others never reach.
    #[error(
        "barrier not reached by the whole workgroup {workgroup:?} of entry point `{entry_point}`: invocation {waiting} waits at {}, but invocation {other} {other_state} at {}",
        at(.barrier),
        at(.other_location)
    )]
    BarrierDivergence {
        /// The entry point that ran.
        entry_point: String,
        /// `workgroup_id` of the workgroup.
        workgroup: [u32; 3],
        /// `local_invocation_index` of an invocation that waits.
        waiting: u32,
        /// The barrier it waits at.
        barrier: SourceLocation,
        /// `local_invocation_index` of an invocation that does not reach it.
        other: u32,
        /// What that invocation did instead: "ended" or "waits".
        other_state: &'static str,
        /// Where that invocation is.
        other_location: SourceLocation,
    },
    /// In machine code, no workgroup finished in time while this one executed a loop.
    #[error(
        "endless loop: the loop at {} did not end within {} s (workgroup {workgroup:?} of entry point `{entry_point}`)",
        at(.location),
        .limit.as_secs_f64()
    )]
    Endless {
        /// The entry point that ran.
        entry_point: String,
        /// `workgroup_id` of the workgroup.
        workgroup: [u32; 3],
        /// The loop that was running.
        location: SourceLocation,
        /// How long no workgroup had finished.
        limit: Duration,
    },
    /// In machine code, no workgroup finished in time while this one executed no loop of the source.
    #[error(
        "too much work: workgroup {workgroup:?} of entry point `{entry_point}` did not end within {} s{}",
        .limit.as_secs_f64(),
        passed(.location)
    )]
    Unfinished {
        /// The entry point that ran.
        entry_point: String,
        /// `workgroup_id` of the workgroup.
        workgroup: [u32; 3],
        /// The last loop that it had passed, or the function that it had entered; `None` if there is none.
        location: SourceLocation,
        /// How long no workgroup had finished.
        limit: Duration,
    },
    /// No workgroup finished in time; this one had not started.
    #[error(
        "endless: no workgroup of entry point `{entry_point}` has finished for {} s (workgroup {workgroup:?} had not begun)",
        .limit.as_secs_f64()
    )]
    NoProgress {
        /// The entry point that ran.
        entry_point: String,
        /// `workgroup_id` of the workgroup.
        workgroup: [u32; 3],
        /// How long no workgroup had finished.
        limit: Duration,
    },
    /// All workgroups of a dispatch together took too long.
    #[error(
        "too much work: the dispatch of entry point `{entry_point}` did not end within {} s (it had come to workgroup {workgroup:?})",
        .limit.as_secs_f64()
    )]
    OutOfTime {
        /// The entry point that ran.
        entry_point: String,
        /// `workgroup_id` of the workgroup.
        workgroup: [u32; 3],
        /// The time limit of the dispatch.
        limit: Duration,
    },
    /// In machine code, only some invocations of a workgroup reached a barrier.
    #[error(
        "barrier not reached by the whole workgroup {workgroup:?} of entry point `{entry_point}`: only some invocations wait at {}",
        at(.location)
    )]
    BarrierMissed {
        /// The entry point that ran.
        entry_point: String,
        /// `workgroup_id` of the workgroup.
        workgroup: [u32; 3],
        /// The barrier.
        location: SourceLocation,
    },
    /// The caller cancelled the run.
    #[error("entry point `{entry_point}` was cancelled")]
    Cancelled {
        /// The entry point that ran.
        entry_point: String,
    },
}

impl ExecutionError {
    /// The error of a workgroup that was never started because the dispatch exceeded a time limit.
    pub fn not_started(entry_point: &str, workgroup: [u32; 3], limit: TimeLimit) -> Self {
        let entry_point = entry_point.to_owned();
        match limit {
            TimeLimit::Progress(limit) => Self::NoProgress {
                entry_point,
                workgroup,
                limit,
            },
            TimeLimit::Total(limit) => Self::OutOfTime {
                entry_point,
                workgroup,
                limit,
            },
        }
    }

    /// The time limit that ended the run, if one did.
    pub fn time_limit(&self) -> Option<TimeLimit> {
        match *self {
            Self::EndlessLoop {
                limit: Budget::Time(limit),
                ..
            }
            | Self::TooMuchWork {
                limit: Budget::Time(limit),
                ..
            }
            | Self::Endless { limit, .. }
            | Self::Unfinished { limit, .. }
            | Self::NoProgress { limit, .. } => Some(TimeLimit::Progress(limit)),
            Self::OutOfTime { limit, .. } => Some(TimeLimit::Total(limit)),
            _ => None,
        }
    }
}

/// Why an entry point cannot be prepared for a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// There is no compute entry point of that name.
    #[error("no compute entry point named `{0}`")]
    NoEntryPoint(String),
    /// The program still has `override` declarations, which must be specialised first.
    #[error("overrides are not resolved, specialise the program first: {0}")]
    Unresolved(String),
    /// The CPU device does not support a feature that the program uses.
    #[error("{}: {feature} is not supported on the CPU device", at(.location))]
    Unsupported {
        /// What is missing, in words.
        feature: String,
        /// Where the program uses it.
        location: SourceLocation,
    },
    /// A work limit of the preparation was exceeded.
    #[error("preparing function `{function}` takes {limit}")]
    OverBudget {
        /// The function.
        function: String,
        /// The limit.
        limit: OverBudget,
    },
    /// A broadcast from a lane index that no subgroup, or no quad, has.
    #[error("{}: `{function}` from lane {lane}: it must be less than {end}", at(.location))]
    NoSuchLane {
        /// The builtin function.
        function: &'static str,
        /// The lane.
        lane: u32,
        /// The number of lanes that a subgroup, or a quad, has at most.
        end: u32,
        /// Where the program does so.
        location: SourceLocation,
    },
}
