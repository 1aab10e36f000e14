//! What a body says about an input, and what was measured meanwhile.

use serde::{Deserialize, Serialize};

use super::finding::Finding;

/// What came of an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// It was valid, and everything that could be done with it was done.
    Accepted,
    /// It was refused with an error for the user.
    Refused,
    /// Something is wrong with Anywarp.
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
    /// What came of the input.
    pub verdict: Verdict,
    /// Processor seconds of the longest stage.
    pub seconds: f64,
    /// Bytes that the largest stage held at once, above those held before it.
    pub bytes: u64,
}
