//! The vector IR: compute programs in SSA form, where one subgroup is one vector of lanes.
//!
//! This crate is an internal part of `anywarp`: its interface changes in any release. Depend on `anywarp` instead.
//!
//! In: a compute entry point of a [`Program`](anywarp_program::Program). Out: a [`Function`](ir::Function) for one
//! subgroup, and the functions that it calls, ready for a code generator. This page is the specification of the IR.
//!
//! # Values
//!
//! A value has one of four types. A *word* (32 bits) and a *pointer* (an address) are uniform: the same for every lane.
//! *Lanes* (32 bits for each lane) and a *mask* (one bit for each lane) are varying. Words and lanes carry no integer
//! or float type: the instruction decides whether the bits are a float, a signed or an unsigned integer. Vectors,
//! matrices and structures of the source are several values. A 64-bit number is two values: its low word, then its high
//! word. 16-bit integers are extended to 32 bits, and an `f16` is the `f32` that it equals. A function has 8 or 16
//! lanes.
//!
//! # Control flow
//!
//! A function is a control-flow graph of basic blocks with block parameters, in static single assignment form (SSA):
//! each value has one definition, and the definition dominates every use. Branches are uniform: all lanes of a subgroup
//! take the same edge. Divergent code of the source is executed under a mask (predication). An execution mask is a
//! value like any other; an instruction without a mask operand executes in every lane, also in lanes whose invocation
//! has ended or does not exist.
//!
//! A barrier ends the call and returns the barrier's number ([`Terminator::Suspend`](ir::Terminator::Suspend)). The
//! caller runs the other subgroups of the workgroup to the same barrier, and then calls again with that number.
//! [`pass::subgroup_loops`] instead turns the code between barriers into loops over all subgroups. Polls
//! ([`Op::Poll`](ir::Op::Poll)) check a cancel flag, so that a run can be ended; [`pass::polls`] bounds the work
//! between two polls.
//!
//! # Calls
//!
//! A function calls others by number ([`Op::Call`](ir::Op::Call)), for a set of active lanes that the callee can read
//! ([`Op::ActiveLanes`](ir::Op::ActiveLanes)). All functions of a kernel share one frame, in which each function has
//! slots of its own; arguments and results are passed in these slots. A function calls only functions with lower
//! numbers, so that there is no recursion. A call that does not finish ends its caller with the same outcome.
//!
//! Texture accesses are not instructions of the IR. They are host calls: the code calls the host, which finds the
//! operation and its operands in the frame ([`HostCalls`]). For most formats a table entry in a buffer
//! ([`TextureLevelEntry`](ir::TextureLevelEntry)) describes where texels are and how they are encoded, and the code
//! reads and writes them with gathers and scatters.
//!
//! # Memory
//!
//! Memory consists of 32-bit words, addressed by a pointer and a word index. An access never leaves its memory: every
//! index that is not known to be in bounds is checked, by a limit, by a mask or by
//! [`Op::AdvanceOrZeros`](ir::Op::AdvanceOrZeros). Reads out of bounds give 0, writes out of bounds are dropped. An
//! array of buffers is itself a buffer, of entries with the addresses and lengths of the others
//! ([`Op::LoadPointer`](ir::Op::LoadPointer)).
//!
//! # Floats
//!
//! Arithmetic follows IEEE 754 with rounding to nearest even; subnormal numbers are kept. Operations are not reordered,
//! and only explicit instructions fuse a multiplication and an addition. The payload of a NaN result is not defined.
//!
//! # Modules
//!
//! [`build`] appends instructions, [`pass`] optimizes, [`verify`] checks the rules of the IR, [`bounds`] proves that
//! accesses stay in bounds, [`text`] prints and parses functions, and [`evaluate`] interprets them and checks every
//! access. [`arithmetic`] defines what each operation does to bits. [`ternary`] expands three-operand bitwise
//! operations into two-operand ones. [`math`] expands sine, power and similar functions into instructions.
//!
//! ```
//! use anywarp_lanes::{lower, text, verify};
//! use anywarp_program::Program;
//!
//! let program = Program::from_wgsl(
//!     "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
//!      @compute @workgroup_size(64)
//!      fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] += 1u; }",
//! )?;
//! let kernel = lower(&program, "main", 16)?;
//! assert_eq!((kernel.workgroup_size, kernel.buffers.len()), ([64, 1, 1], 1));
//! // The text of the function is a function again, which follows the rules of the IR.
//! let function = text::parse(&kernel.function.to_string())?;
//! verify::verify(&function)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod arithmetic;
pub mod bounds;
pub mod build;
pub mod evaluate;
pub mod ir;
mod lower;
pub mod math;
pub mod pass;
#[doc(hidden)]
pub mod random;
pub mod ternary;
pub mod text;
pub mod verify;

/// Limits on the work of compiling a kernel.
pub use anywarp_program::work;
pub use lower::{
    BufferSource, CallPolicy, Callee, F64HostCall, HostCall, HostCalls, LowerError, LoweredKernel,
    Operand, TextureHostCall, TextureLevel, lower, lower_with_policy, lower_within,
};
