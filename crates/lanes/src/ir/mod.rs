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

pub use context::{BufferEntry, Coding, Context, Field, LevelEntry, Outcome, Site, Space};
pub use function::{Block, BlockId, Edge, Function, Inst, PatternId, Terminator, Value};
pub use op::{
    AtomicOp, DoubleOp, Half, LaneBinary, LaneCompare, LaneUnary, MaskBinary, Op, Reach, Row,
    Sharing, Type, WordBinary, WordCompare,
};
pub use signature::{Kind, Signature};
pub use vector_machine::{Capabilities, VectorMachine};
