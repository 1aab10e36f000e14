//! Errors of the oracle: rules that a node's body violates, and other reasons to stop a run.

use std::fmt;

use crate::layout::DeviceRule;
use crate::model::NodeId;

/// A rule that a body violated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct OracleFault {
    /// The rule.
    pub rule: DeviceRule,
    /// The node, if it is known.
    pub node: Option<NodeId>,
    /// The name of the output or field.
    pub name: Option<String>,
    /// The value that was found.
    pub found: u32,
    /// The value that is allowed.
    pub allowed: u32,
}

impl OracleFault {
    pub(super) fn of(rule: DeviceRule, found: u32, allowed: u32) -> Self {
        Self {
            rule,
            node: None,
            name: None,
            found,
            allowed,
        }
    }

    pub(super) fn named(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }
}

impl fmt::Display for OracleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(node) = &self.node {
            write!(f, "node `{node}`: ")?;
        }
        if let Some(name) = &self.name {
            write!(f, "`{name}`: ")?;
        }
        let message = self.rule.message();
        write!(
            f,
            "{message} (found {}, allowed {})",
            self.found, self.allowed
        )
    }
}

/// Why the oracle stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OracleError {
    /// A body violated a rule.
    #[error(transparent)]
    Fault(#[from] OracleFault),
    /// There is no node with this id.
    #[error("there is no node `{0}`")]
    UnknownNode(NodeId),
    /// A node without a body received records.
    #[error("node `{0}` has no body")]
    NoBody(NodeId),
    /// The input is for a node that is not an entry.
    #[error("node `{0}` is not an entry")]
    NoEntry(NodeId),
    /// An input has fewer bytes than its records need, or a stride below a record's size.
    #[error("the input of node `{0}` is shorter than its records")]
    ShortInput(NodeId),
    /// There were more launches than allowed.
    #[error("there are more than {0} launches")]
    TooLong(u64),
}
