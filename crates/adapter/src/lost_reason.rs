//! The reason of a device loss, for programs that react to it.

use anywarp_cpu::{DispatchError, TimeLimit};

use crate::error::{CommandError, hint};

/// Why a device was lost. `Display` is the whole message: the pipeline, the place and the cause.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LostReason {
    /// No workgroup of a dispatch finished within [`AdapterOptions::watchdog`](crate::AdapterOptions::watchdog): a loop
    /// that does not end, or a barrier that is never reached by all invocations.
    #[error("{0}")]
    Endless(String),
    /// A dispatch took longer than [`AdapterOptions::dispatch_limit`](crate::AdapterOptions::dispatch_limit).
    #[error("{0}")]
    TooMuchWork(String),
    /// A dispatch exceeded another limit.
    #[error("{0}")]
    OverLimit(String),
    /// The shader did something that WGSL does not define.
    #[error("{0}")]
    Shader(String),
    /// A bug in Anywarp.
    #[error("{0}")]
    Internal(String),
}

impl LostReason {
    /// The message.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::Endless(message)
            | Self::TooMuchWork(message)
            | Self::OverLimit(message)
            | Self::Shader(message)
            | Self::Internal(message) => message,
        }
    }
}

impl LostReason {
    /// The reason for which a dispatch outside a device has failed.
    #[doc(hidden)]
    #[must_use]
    pub fn of_dispatch(error: &DispatchError) -> Self {
        Self::of(error, format!("{error}{}", hint(error)))
    }

    fn of(error: &DispatchError, message: String) -> Self {
        match (error.time_limit(), error) {
            (Some(TimeLimit::Progress(_)), _) => Self::Endless(message),
            (Some(TimeLimit::Total(_)), _) => Self::TooMuchWork(message),
            (None, DispatchError::Frames(_) | DispatchError::GridTooLarge(_)) => {
                Self::OverLimit(message)
            }
            (None, DispatchError::Execution(_)) => Self::Shader(message),
            (None, _) => Self::Internal(message),
        }
    }
}

impl From<&CommandError> for LostReason {
    fn from(error: &CommandError) -> Self {
        let message = error.to_string();
        match error {
            CommandError::Dispatch { source, .. } => Self::of(source, message),
            CommandError::Internal(_) => Self::Internal(message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_dispatches_have_a_kind() {
        let reason = |source| {
            LostReason::from(&CommandError::Dispatch {
                pipeline: "pipeline `p`".to_owned(),
                debug_group: None,
                source: Box::new(source),
            })
        };
        let limit = std::time::Duration::from_secs(1);
        let too_much = DispatchError::TooMuchWork {
            entry_point: "main".to_owned(),
            limit,
            finished: 1,
            total: 2,
        };
        assert!(matches!(reason(too_much), LostReason::TooMuchWork(_)));
        let large = reason(DispatchError::GridTooLarge([1; 3]));
        assert!(matches!(large, LostReason::OverLimit(_)));
        assert!(
            large.message().starts_with("pipeline `p`: a grid"),
            "{large}"
        );
        let internal = LostReason::from(&CommandError::Internal("oops".to_owned()));
        assert_eq!(
            internal,
            LostReason::Internal("internal error in a command: oops".to_owned())
        );
    }
}
