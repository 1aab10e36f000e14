//! The stack of a kernel: the deepest chain of nested calls.

use anywarp_codegen::Code;
use anywarp_lanes::Callee;
use anywarp_lanes::ir::{Function, Op};

/// The largest stack of a kernel, called functions included: a thread may not have more.
pub(crate) const MAX_STACK: usize = 512 * 1024;

/// Saved registers and alignment of one stack frame.
const FRAME_OVERHEAD: usize = 256;

/// A generous bound for the handler of a host call.
const HOST_CALL: usize = 16 * 1024;

/// Bytes of stack of a kernel, called functions included. `codes` has the code of the callees that are functions, in
/// their order. A callee calls only functions with a smaller number.
pub(crate) fn stack_bytes(entry: (&Function, &Code), callees: &[Callee], codes: &[Code]) -> usize {
    let mut by_callee: Vec<usize> = Vec::with_capacity(callees.len());
    let mut codes = codes.iter();
    for callee in callees {
        let bytes = match callee.function() {
            Some(function) => codes
                .next()
                .map_or(0, |code| own(function, code, &by_callee)),
            None => HOST_CALL,
        };
        by_callee.push(bytes);
    }
    own(entry.0, entry.1, &by_callee)
}

/// Bytes of stack of a function and its deepest callee.
fn own(function: &Function, code: &Code, by_callee: &[usize]) -> usize {
    let insts = function.blocks.iter().flat_map(|block| &block.insts);
    let callees = insts.filter_map(|inst| match inst.op {
        Op::Call(number, _) => by_callee.get(number as usize).copied(),
        _ => None,
    });
    code.size().spill_bytes + FRAME_OVERHEAD + callees.max().unwrap_or(0)
}
