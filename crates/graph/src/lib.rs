//! Work graphs on any wgpu device.
#![forbid(unsafe_code)]

mod model;

pub use model::{
    Access, Budget, Fault, Field, FieldType, Graph, GraphBuilder, Grid, Launch, MAX_LEVELS,
    MAX_RECORD_BYTES, Node, NodeId, NodeIndex, NodeOverride, Output, RecordType, Resolved,
    ResolvedOutput, Rule, Scalar, Stage, Target,
};
