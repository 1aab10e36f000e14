//! Which rule a node's body broke, and what else ends a run of the oracle.

use std::fmt;

use crate::device::DeviceRule;
use crate::model::NodeId;

/// A rule that a body broke.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct OracleFault {
    /// The rule.
    pub rule: DeviceRule,
    /// The node, where it is known.
    pub node: Option<NodeId>,
    /// The output or field.
    pub name: Option<String>,
    /// What was found.
    pub found: u32,
    /// What is allowed.
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
    /// A rule was broken.
    #[error(transparent)]
    Fault(#[from] OracleFault),
    /// There is no such node.
    #[error("there is no node `{0}`")]
    UnknownNode(NodeId),
    /// A node got records and has no body.
    #[error("node `{0}` has no body")]
    NoBody(NodeId),
    /// The host may not feed the node.
    #[error("node `{0}` is not an entry")]
    NoEntry(NodeId),
    /// An input has fewer bytes than its records need, or a stride below a record's size.
    #[error("the input of node `{0}` is shorter than its records")]
    ShortInput(NodeId),
    /// There were more launches than allowed.
    #[error("there are more than {0} launches")]
    TooLong(u64),
}
