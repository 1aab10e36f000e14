//! Violations of the rules of graphs.
//!
//! What always holds: a message names the node or record, the output if there is one, and the rule,
//! in the user's terms.

use std::fmt;

use super::node::NodeId;
use super::record_difference::RecordDifference;

/// A violated rule, with the node, record or output that violates it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct RuleViolation {
    subject: Subject,
    output: Option<Box<str>>,
    /// Boxed, because results carry it along every path.
    rule: Box<Rule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Subject {
    Graph,
    Record(String),
    Node(NodeId),
}

impl RuleViolation {
    pub(crate) fn of_graph(rule: Rule) -> Self {
        Self::new(Subject::Graph, rule)
    }

    pub(crate) fn of_record(name: &str, rule: Rule) -> Self {
        Self::new(Subject::Record(name.to_owned()), rule)
    }

    pub(crate) fn of_node(id: &NodeId, rule: Rule) -> Self {
        Self::new(Subject::Node(id.clone()), rule)
    }

    pub(crate) fn of_output(id: &NodeId, output: &str, rule: Rule) -> Self {
        Self {
            output: Some(output.into()),
            ..Self::of_node(id, rule)
        }
    }

    fn new(subject: Subject, rule: Rule) -> Self {
        Self {
            subject,
            output: None,
            rule: Box::new(rule),
        }
    }

    /// The violated rule.
    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// The node, if the rule is about a node.
    pub fn node(&self) -> Option<&NodeId> {
        match &self.subject {
            Subject::Node(id) => Some(id),
            Subject::Graph | Subject::Record(_) => None,
        }
    }

    /// The output, if the rule is about an output.
    pub fn output(&self) -> Option<&str> {
        self.output.as_deref()
    }
}

impl fmt::Display for RuleViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.subject {
            Subject::Graph => {}
            Subject::Record(name) => write!(f, "record `{name}`: ")?,
            Subject::Node(id) => write!(f, "node `{id}`: ")?,
        }
        if let Some(output) = &self.output {
            write!(f, "output `{output}`: ")?;
        }
        self.rule.fmt(f)
    }
}

/// The rules of a graph; each variant carries the values for its message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum Rule {
    #[error(
        "`{0}` is not a valid name: use letters, digits and single underscores, a letter first, at most 255 characters"
    )]
    Name(String),

    #[error("has no fields; omit the record type for inputs that are only counted")]
    RecordWithoutFields,
    #[error("is larger than 1073741824 bytes, the maximum size of a record")]
    RecordTooLarge,
    #[error("has {0} fields; at most 1024 are allowed")]
    TooManyFields(usize),
    #[error("field `{0}` is declared twice")]
    DuplicateField(String),
    #[error("field `{0}` must have one to four components and, as an array, at least one element")]
    FieldType(String),
    #[error(
        "field `{0}` cannot be a grid: a grid has one to three components of u32 or u16 and is not an array"
    )]
    GridFieldType(String),
    #[error("has two grid fields, `{0}` and `{1}`")]
    MultipleGridFields(String, String),
    #[error("is declared twice")]
    DuplicateRecord,
    #[error("there is no record `{0}`")]
    UnknownRecord(String),
    #[error("is declared differently by another node: {0}")]
    RecordConflict(RecordDifference),

    #[error("is declared twice")]
    DuplicateNode,
    #[error("there is no node `{0}` to override")]
    UnknownOverride(NodeId),
    #[error("the override of a grid or a budget does not apply: {0}")]
    OverrideMismatch(&'static str),
    #[error("a grid of {}x{}x{} is not between 1 and 65535 in each dimension", .0[0], .0[1], .0[2])]
    GridSide([u32; 3]),
    #[error("a grid of {}x{}x{} has more than 16777215 workgroups", .0[0], .0[1], .0[2])]
    GridTotal([u32; 3]),
    #[error("a dynamic grid needs a record with a grid field")]
    NoGridField,
    #[error("a workgroup of {}x{}x{} does not have between 1 and 1024 invocations", .0[0], .0[1], .0[2])]
    WorkgroupSize([u32; 3]),
    #[error("requests {0} records per workgroup; between 1 and 256 are allowed")]
    CoalescingRecords(u32),
    #[error("only broadcasting nodes have tracked inputs")]
    TrackedLaunch,
    #[error("an empty input cannot be written")]
    EmptyInputWritten,
    #[error("has more than 1024 outputs")]
    TooManyOutputs,
    #[error("no node sends to it, and it is not an entry")]
    Unreachable,
    #[error("row {0} of local arguments is not below 1048576")]
    LocalRow(u32),

    #[error("is declared twice")]
    DuplicateOutput,
    #[error("the name `input` is reserved for the input")]
    OutputNamedInput,
    #[error("there is no node `{0}`")]
    UnknownTarget(NodeId),
    #[error("there is no node array `{0}`")]
    UnknownArray(String),
    #[error("member {index} of the array `{name}` is missing, and the target is not sparse")]
    Hole { name: String, index: u32 },
    #[error("an array of {0} members does not have between 1 and 4096")]
    ArraySize(u32),
    #[error("sends {output}, but the input of `{target}` is {input}")]
    RecordMismatch {
        output: String,
        target: NodeId,
        input: String,
    },
    #[error(
        "sends `{record}`, which has {bytes} bytes; records that nodes send have at most 32768"
    )]
    SentRecordTooLarge { record: String, bytes: u32 },
    #[error(
        "members `{0}` and `{1}` of an array differ in record type, launch mode or kind of grid"
    )]
    ArrayMembersDiffer(NodeId, NodeId),
    #[error("sends to `{0}`, which shares the input of another node and cannot be targeted")]
    SharerTargeted(NodeId),
    #[error("a budget of {0} records is not between 1 and 256")]
    Budget(u32),
    #[error("shares the budget of `{0}`, which is not an output declared before it")]
    SharedBudget(String),
    #[error("shares the budget of `{0}`, which itself shares a budget")]
    NestedSharedBudget(String),
    #[error("its outputs add up to {found} records per launch; at most {max} are allowed{}", sharing(.shared))]
    OutputRecords { found: u64, max: u32, shared: bool },
    #[error("its outputs add up to {found} bytes per launch; at most {max} are allowed{}", sharing(.shared))]
    OutputBytes { found: u64, max: u32, shared: bool },

    #[error("shares the input of `{0}`, which does not exist")]
    UnknownOwner(NodeId),
    #[error("shares its own input")]
    OwnSharer,
    #[error("shares the input of `{0}`, which itself shares an input")]
    NestedSharing(NodeId),
    #[error("feeds `{0}`, whose input it shares")]
    SharerFeedsOwner(NodeId),
    #[error("shares an input and cannot recurse")]
    SharerRecurses,
    #[error("shares an input and cannot be an entry")]
    SharerIsEntry,
    #[error("shares the input of `{0}`, but the two have different record types")]
    SharerRecord(NodeId),
    #[error("an input with write access cannot be shared")]
    SharedWritten,
    #[error("{0} nodes read its input, itself included; at most 256 are allowed")]
    TooManyReaders(usize),

    #[error("the nodes {0} form a cycle; only an edge from a node to itself is allowed")]
    Cycle(String),
    #[error("sends to itself, but its recursion is 0")]
    SelfEdge,
    #[error("has a recursion of {0}, but no output to itself")]
    NoSelfEdge(u32),
    #[error(
        "the longest chain that ends here has {0} levels, including recursion; at most 32 are allowed"
    )]
    TooDeep(u64),
    #[error(
        "the outputs up to this node have more than 1048576 targets in all; members of arrays and steps of recursion count"
    )]
    TooManyTargets,
    #[error("the graph has more than 65536 nodes")]
    TooManyNodes,
    #[error("{nodes} nodes with dynamic grids run at level {level}; at most 65534 are allowed")]
    TooManyDynamicGrids { nodes: usize, level: u32 },
}

fn sharing(shared: &bool) -> &'static str {
    if *shared {
        " (a target whose input is shared counts once for each of its readers)"
    } else {
        ""
    }
}
