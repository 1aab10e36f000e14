//! The verdict of a body about an input, and the measurements.

use serde::{Deserialize, Serialize};

use super::finding::Finding;

/// The verdict about an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The input was valid, and all stages ran.
    Accepted,
    /// The input was rejected with a user error.
    Refused,
    /// A bug of Anywarp.
    Wrong(Finding),
}

impl Verdict {
    /// A finding of a body's own check.
    pub fn wrong(stage: &str, text: impl Into<String>) -> Self {
        Self::Wrong(Finding::wrong(stage, text))
    }

    /// The finding, if there is one.
    pub fn finding(&self) -> Option<&Finding> {
        match self {
            Self::Wrong(finding) => Some(finding),
            _ => None,
        }
    }
}

/// A verdict with the largest measurements of any stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The verdict about the input.
    pub verdict: Verdict,
    /// Processor seconds of the slowest stage.
    pub seconds: f64,
    /// The memory peak of the largest stage, in addition to what was allocated before.
    pub bytes: u64,
}
