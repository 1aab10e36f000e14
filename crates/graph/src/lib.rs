//! Work graphs on any wgpu device.
#![forbid(unsafe_code)]

mod code;
mod device;
mod model;
mod oracle;
mod plan;
mod value;

pub use code::{CodeError, NodeCode};
pub use device::{
    Clock, CpuRecords, DeviceFault, DeviceFaults, DeviceRule, GraphError, GraphOptions,
    GraphRunner, Input, LocalArguments, Report, SharedMemory, Span, StageCounts, StageStep, Step,
    Steps, Trace,
};
pub use model::{
    Access, Budget, Fault, Field, FieldType, Graph, GraphBuilder, Grid, Launch, MAX_LEVELS,
    MAX_RECORD_BYTES, Node, NodeId, NodeIndex, NodeOverride, Output, RecordType, Resolved,
    ResolvedOutput, Rule, Scalar, Stage, Target,
};
pub use oracle::{Oracle, OracleError, OracleFault, OracleLaunch, OracleRecord};
pub use plan::{Edge, Plan, PlanError, PlanOptions, PlannedStage, Queue};
pub use value::{Record, Value};
