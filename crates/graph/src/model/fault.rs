//! Which rule a graph breaks, and where.
//!
//! What always holds: a message names the node or record, the output if it is about one, and the
//! rule, in the user's own words.

use std::fmt;

use super::node::NodeId;

/// A broken rule and its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Fault {
    place: Place,
    output: Option<Box<str>>,
    /// In a box, since results carry it along every path.
    rule: Box<Rule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Graph,
    Record(String),
    Node(NodeId),
}

impl Fault {
    pub(crate) fn of_graph(rule: Rule) -> Self {
        Self::new(Place::Graph, rule)
    }

    pub(crate) fn of_record(name: &str, rule: Rule) -> Self {
        Self::new(Place::Record(name.to_owned()), rule)
    }

    pub(crate) fn of_node(id: &NodeId, rule: Rule) -> Self {
        Self::new(Place::Node(id.clone()), rule)
    }

    pub(crate) fn of_output(id: &NodeId, output: &str, rule: Rule) -> Self {
        Self {
            output: Some(output.into()),
            ..Self::of_node(id, rule)
        }
    }

    fn new(place: Place, rule: Rule) -> Self {
        Self {
            place,
            output: None,
            rule: Box::new(rule),
        }
    }

    /// The rule.
    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// The node, where it is about one.
    pub fn node(&self) -> Option<&NodeId> {
        match &self.place {
            Place::Node(id) => Some(id),
            Place::Graph | Place::Record(_) => None,
        }
    }

    /// The output, where it is about one.
    pub fn output(&self) -> Option<&str> {
        self.output.as_deref()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Graph => {}
            Place::Record(name) => write!(f, "record `{name}`: ")?,
            Place::Node(id) => write!(f, "node `{id}`: ")?,
        }
        if let Some(output) = &self.output {
            write!(f, "output `{output}`: ")?;
        }
        self.rule.fmt(f)
    }
}

/// The rules of a graph, each as what was found against it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum Rule {
    #[error(
        "`{0}` is no name: letters, digits and single underscores, a letter first, at most 255"
    )]
    Name(String),

    #[error("has no fields; leave the record out for inputs that are only counted")]
    RecordWithoutFields,
    #[error("has more than the 1073741824 bytes of the largest record")]
    RecordTooLarge,
    #[error("field `{0}` is there twice")]
    FieldTwice(String),
    #[error("field `{0}` must have one to four components and, as an array, at least one element")]
    FieldType(String),
    #[error(
        "field `{0}` cannot be a grid: that is one to three components of u32 or u16, no array"
    )]
    GridFieldType(String),
    #[error("has two grid fields, `{0}` and `{1}`")]
    TwoGrids(String, String),
    #[error("is there twice")]
    RecordTwice,
    #[error("there is no record `{0}`")]
    UnknownRecord(String),

    #[error("is there twice")]
    NodeTwice,
    #[error("there is no node `{0}` to override")]
    UnknownOverride(NodeId),
    #[error("an override gives a grid or a budget where there is none: {0}")]
    OverrideMismatch(&'static str),
    #[error("a grid of {}x{}x{} is not between 1 and 65535 in each direction", .0[0], .0[1], .0[2])]
    GridSide([u32; 3]),
    #[error("a grid of {}x{}x{} has more than 16777215 workgroups", .0[0], .0[1], .0[2])]
    GridTotal([u32; 3]),
    #[error("a dynamic grid needs a record with a grid field")]
    NoGridField,
    #[error("a workgroup of {}x{}x{} is not between 1 and 1024 invocations", .0[0], .0[1], .0[2])]
    WorkgroupSize([u32; 3]),
    #[error("asks for {0} records a workgroup; between 1 and 256 are allowed")]
    Coalesced(u32),
    #[error("only broadcasting nodes have tracked inputs")]
    TrackedLaunch,
    #[error("an empty input cannot be written")]
    EmptyInputWritten,
    #[error("has more than 1024 outputs")]
    TooManyOutputs,
    #[error("nothing feeds it, and it is no entry")]
    Unfed,
    #[error("row {0} of local arguments is not below 1048576")]
    LocalRow(u32),

    #[error("is there twice")]
    OutputTwice,
    #[error("`input` is the name of the input")]
    OutputNamedInput,
    #[error("there is no node `{0}`")]
    UnknownTarget(NodeId),
    #[error("there is no node array `{0}`")]
    UnknownArray(String),
    #[error("member {index} of the array `{name}` is missing, and the target is not sparse")]
    Hole { name: String, index: u32 },
    #[error("an array of {0} members is not between 1 and 4096")]
    ArraySize(u32),
    #[error("sends {output}, but the input of `{target}` is {input}")]
    RecordMismatch {
        output: String,
        target: NodeId,
        input: String,
    },
    #[error(
        "sends `{record}`, which has {bytes} bytes; records made inside the graph have at most 32768"
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
    #[error("shares the budget of `{0}`, which is no output before it")]
    SharedBudget(String),
    #[error("shares the budget of `{0}`, which shares another one's")]
    SharedBudgetTwice(String),
    #[error("its outputs add up to {found} records a launch; at most {most} are allowed{}", sharing(.shared))]
    OutputRecords { found: u64, most: u32, shared: bool },
    #[error("its outputs add up to {found} bytes a launch; at most {most} are allowed{}", sharing(.shared))]
    OutputBytes { found: u64, most: u32, shared: bool },

    #[error("shares the input of `{0}`, which is no node")]
    UnknownOwner(NodeId),
    #[error("shares its own input")]
    OwnSharer,
    #[error("shares the input of `{0}`, which shares another one's")]
    SharedTwice(NodeId),
    #[error("feeds `{0}`, whose input it shares")]
    SharerFeedsOwner(NodeId),
    #[error("shares an input and cannot recurse")]
    SharerRecurses,
    #[error("shares an input and cannot be an entry")]
    SharerIsEntry,
    #[error("shares the input of `{0}`, but the two do not read the same record")]
    SharerRecord(NodeId),
    #[error("an input that is written cannot be shared")]
    SharedWritten,
    #[error("{0} nodes read its input, itself included; at most 256 are allowed")]
    TooManyReaders(usize),

    #[error("the nodes {0} feed each other in a circle; only a node's edge to itself may")]
    Cycle(String),
    #[error("sends to itself, but its recursion is 0")]
    SelfEdge,
    #[error("has a recursion of {0}, but no output to itself")]
    NoSelfEdge(u32),
    #[error(
        "the longest chain that ends here has {0} levels, recursion included; at most 32 are allowed"
    )]
    TooDeep(u64),
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
