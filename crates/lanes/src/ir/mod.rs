//! The form itself: types, instructions, blocks.
//!
//! Data only. What it means is said at the root of the crate and at each instruction; who prints, reads,
//! checks, changes or evaluates it is elsewhere.

mod context;
mod function;
mod op;
mod signature;

pub use context::{BufferEntry, Coding, Context, Field, LevelEntry, Outcome, Site, Space};
pub use function::{Block, BlockId, Edge, Function, Inst, PatternId, Terminator, Value};
pub use op::{
    AtomicOp, DoubleOp, Half, LaneBinary, LaneCompare, LaneUnary, MaskBinary, Op, Reach, Row,
    Sharing, Type, WordBinary, WordCompare,
};
pub use signature::{Kind, Signature};
