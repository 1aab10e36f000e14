//! Compute programs as vector code: one subgroup is one vector of lanes.
//!
//! In: a compute entry point of a [`Program`](anywarp_program::Program). Out: a [`Function`](ir::Function) for one
//! subgroup, and those that it calls, ready for a code generator. This page is the specification of that form.
//!
//! # Values
//!
//! A value is a *word* (32 bits, the same for every lane), a *pointer* (an address, the same for every lane), *lanes*
//! (32 bits for each lane) or a *mask* (one bit for each lane). Words and lanes have no other type: instructions say
//! whether the bits are a float, a signed or an unsigned integer. Vectors, matrices and structures of the source are
//! several values, and so is a number of 64 bits: its low half, then its high one. Integers of 16 bits are extended to
//! 32, an `f16` is the `f32` that it equals. There are 8 or 16 lanes.
//!
//! # Control
//!
//! A function is a graph of blocks with parameters, in static single assignment: a value is defined once, before
//! every use on every way from the first block. Branches are the same for every lane. What only some lanes do is
//! done under a mask, which is a value like others; an instruction that has no mask is done by every lane, also by
//! those whose invocation has ended or does not exist.
//!
//! A barrier ends the call with its number ([`Terminator::Suspend`](ir::Terminator::Suspend)); whoever runs the workgroup calls again with that number
//! when every subgroup has come there. [`pass::phases`] makes functions of them that go over all subgroups themselves,
//! from barrier to barrier. Polls ([`Op::Poll`](ir::Op::Poll)) let a run be ended; [`pass::polls`] bounds the work between two of them.
//!
//! # Calls
//!
//! A function may call others by number ([`Op::Call`](ir::Op::Call)), each for some lanes, which it is told
//! ([`Op::Participants`](ir::Op::Participants)). All of them have one frame, of which each function has a part of its
//! own: what a function is given and gives lies there. Who calls does so in the order of the numbers, so that no function
//! comes back to itself. A call that does not finish ends its caller in the same way.
//!
//! Textures are not part of the form: whoever runs a kernel is called for them, and finds what is asked in the frame
//! ([`Requests`]). For most formats an entry that lies in a buffer ([`LevelEntry`](ir::LevelEntry)) says where texels are and
//! how they are kept, and gathers and scatters do the rest.
//!
//! # Memory
//!
//! Memory is words, addressed by a pointer and an index that counts words. Instructions never leave what they are
//! given: every index that is not known to exist is checked, by a limit, by a mask or by [`Op::Address`](ir::Op::Address). Reads
//! of what does not exist give 0, writes vanish. An array of buffers is itself a buffer, of entries that say where the
//! others begin ([`Op::LoadPointer`](ir::Op::LoadPointer)).
//!
//! # Floats
//!
//! Arithmetic is that of IEEE 754 with rounding to nearest even; subnormal numbers are kept. Nothing is reordered,
//! and nothing is fused that the form does not fuse. Which NaN an operation gives is not defined.
//!
//! # Around the form
//!
//! [`build`] appends instructions, [`verify`] checks the rules, [`text`] prints and reads functions, [`evaluate`] runs
//! them slowly and checks every access, [`arithmetic`] says what operations do to bits, [`ternary`] what functions of three
//! bits cost where there are none, and [`math`] has sine, power and their like as instructions.

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

/// Limits of the work for a kernel.
pub use anywarp_program::work;
pub use lower::{
    Bound, Callee, Calls, DoubleRequest, Level, LowerError, Lowered, Operand, Request, Requests,
    TextureAtomic, TextureOperation, TextureRequest, lower, lower_with, lower_within,
};
