//! The IR between WebAssembly and programs: a control-flow graph in SSA form.
//!
//! A [`Function`] is one kernel with all its calls inlined, for one invocation. It has basic blocks
//! with block parameters; each value has one definition, which dominates every use
//! ([`verify`](verify::verify) checks this).
//!
//! - A value is a block parameter or an instruction ([`Op`]). Instructions without a result have
//!   the type [`Type::Unit`].
//! - *Floating* values ([`Op::is_floating`]: constants, arguments, addresses of objects, ids) belong
//!   to no block and are available everywhere. Equal ones are one value.
//! - A trap ends the invocation. [`Op::TrapIf`] traps under a condition without being a branch, so
//!   checks do not split blocks; [`Terminator::Trap`] always traps.
//! - `build` creates [`Op::Load`] and [`Op::Store`], which address linear memory. `memory` replaces
//!   each of them by accesses to an [`Object`], by word index.
//! - Integers are bits without a sign; floats follow IEEE 754 and are not reordered.

mod cfg;
mod display;
mod dominators;
#[cfg(test)]
pub(crate) mod evaluate;
mod function;
mod loops;
mod object;
mod op;
#[cfg(test)]
mod parse;
mod verify;

pub(crate) use cfg::Cfg;
pub(crate) use dominators::Dominators;
pub(crate) use function::{Argument, Block, Edge, Function, Terminator, Trap, TrapSite, Value};
pub(crate) use loops::{Loop, Loops};
pub(crate) use object::{Element, Object, ObjectData, ObjectKind};
pub(crate) use op::{Access, Binary, Builtin, Op, Type, Unary, Width};
#[cfg(test)]
pub(crate) use parse::parse;
pub(crate) use verify::verify;
