//! The data structures of the vector IR: types, instructions, blocks, functions, and the context that machine code
//! receives.
//!
//! Data only. The crate root and the instructions ([`Op`]) document the semantics. Printing, parsing, verifying,
//! optimizing and evaluating are modules of their own.

mod context;
mod function;
mod op;
mod signature;
mod vector_machine;

pub use context::{
    BufferEntry, CallOutcome, Context, ContextField, PollSite, Space, TexelEncoding,
    TextureLevelEntry,
};
pub use function::{Block, BlockId, Edge, Function, Inst, PatternId, Terminator, Value};
pub use op::{
    AtomicOp, AtomicScope, CalleeWrites, F64Half, F64Op, LaneBinary, LaneCompare, LaneUnary,
    MaskBinary, Op, Row, Type, WordBinary, WordCompare,
};
pub use signature::{Kind, Signature};
pub use vector_machine::{Capabilities, VectorMachine};
