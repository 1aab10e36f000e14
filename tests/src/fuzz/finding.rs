//! A finding: its kind, the stage in which it occurred, and a description.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// A check of the body failed: an internal error, a difference between engines.
    Wrong,
    /// An uncaught panic.
    Panic,
    /// Too much processor time.
    Time,
    /// Too much memory.
    Memory,
    /// The process was killed: an access to a guard page, a stack overflow, out of memory.
    Crash,
    /// The process did not answer although it used little processor time.
    Hang,
}

/// A bug of Anywarp.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The kind.
    pub kind: Kind,
    /// The stage of the body that was running.
    pub stage: String,
    /// The description.
    pub text: String,
}

impl Finding {
    /// A failed check.
    pub fn wrong(stage: &str, text: impl Into<String>) -> Self {
        Self::new(Kind::Wrong, stage, text)
    }

    pub(crate) fn new(kind: Kind, stage: &str, text: impl Into<String>) -> Self {
        Self {
            kind,
            stage: stage.to_owned(),
            text: text.into(),
        }
    }

    /// A key that findings with the same cause usually share: kind, stage, and the beginning of the text without
    /// numbers.
    pub fn signature(&self) -> String {
        let first = self.text.lines().next().unwrap_or_default();
        let letters = first.chars().filter(|letter| !letter.is_ascii_digit());
        let text: String = match self.kind {
            Kind::Time | Kind::Memory | Kind::Hang => String::new(),
            _ => letters.take(100).collect(),
        };
        format!("{:?} in {}: {text}", self.kind, self.stage)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            Kind::Wrong => "wrong",
            Kind::Panic => "panic",
            Kind::Time => "too much time",
            Kind::Memory => "too much memory",
            Kind::Crash => "crash",
            Kind::Hang => "hang",
        };
        write!(f, "{what} in stage `{}`: {}", self.stage, self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_with_other_numbers_have_one_signature() {
        let one = Finding::wrong("run", "word 3 is 17");
        let two = Finding::wrong("run", "word 25 is 9");
        assert_eq!(one.signature(), two.signature());
        assert_ne!(
            one.signature(),
            Finding::wrong("read", "word 3 is 17").signature()
        );
    }
}
