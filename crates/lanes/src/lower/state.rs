//! The state of a lowering, by concern: what is kept for the whole kernel, and what belongs to the function that is
//! being lowered ([`FunctionState`]) and is exchanged when another function is lowered.

use std::collections::HashMap;
use std::rc::Rc;

use anywarp_program::units::Bytes;
use naga::Span;

use super::arithmetic::scalar::Scalars;
use super::calls::callee::CallingConvention;
use super::calls::host_call::{HostCall, HostCalls};
use super::calls::inline::Call;
use super::memory::constant_table::TableLocals;
use super::memory::reference::{Extent, Lvalue};
use super::memory::variables::{UndoEntry, Variable};
use super::{BufferSource, Callee, Scope};
use crate::ir::{BlockId, Function, Value};

/// Where control is in the function.
pub(in crate::lower) struct ControlFlow {
    /// The current block.
    pub(in crate::lower) block: BlockId,
    /// The execution mask; `None` where all lanes are active.
    pub(in crate::lower) exec: Option<Value>,
    /// The execution mask at the start of the function.
    pub(in crate::lower) first_exec: Option<Value>,
    /// A mask that is known to be non-zero whenever control reaches the current block.
    pub(in crate::lower) nonempty_mask: Option<Value>,
    /// The block at the end of the entry point.
    pub(in crate::lower) exit: Option<BlockId>,
    /// The loops and switches around the current statement.
    pub(in crate::lower) scopes: Vec<Scope>,
    /// How many divergent branches of the entry point enclose the current statement.
    pub(in crate::lower) divergence_depth: u32,
}

impl ControlFlow {
    /// At the start of a function, with all lanes active.
    pub(in crate::lower) fn new() -> Self {
        Self {
            block: Function::ENTRY,
            exec: None,
            first_exec: None,
            nonempty_mask: None,
            exit: None,
            scopes: Vec::new(),
            divergence_depth: 0,
        }
    }
}

/// What is known in the function: SSA values belong to one function.
pub(in crate::lower) struct FunctionState<'a> {
    pub(in crate::lower) variables: Vec<Variable>,
    /// The changes of variables, in order, so that the values before a branch can be restored.
    pub(in crate::lower) log: Vec<UndoEntry>,
    /// The function, and the functions inlined around the current statement.
    pub(in crate::lower) calls: Vec<Call<'a>>,
    /// By module variable: its location, once it has been used.
    pub(in crate::lower) globals: Vec<Option<Lvalue>>,
    /// Lengths of runtime-sized arrays, by buffer, offset and stride.
    pub(in crate::lower) lengths: HashMap<(Extent, Bytes, Bytes), Value>,
    /// Host calls made once per function, in its first block, and their results.
    pub(in crate::lower) cached_host_calls: HashMap<HostCall, Scalars>,
}

impl FunctionState<'_> {
    /// The state of a function in a module with this many variables.
    pub(in crate::lower) fn new(globals: usize) -> Self {
        Self {
            variables: Vec::new(),
            log: Vec::new(),
            calls: Vec::new(),
            globals: vec![None; globals],
            lengths: HashMap::new(),
            cached_host_calls: HashMap::new(),
        }
    }
}

/// The memory of the kernel: buffers, workgroup memory, and module variables in the frame.
pub(in crate::lower) struct Resources {
    /// Where module variables begin: words into workgroup memory, or bytes into the frame.
    pub(in crate::lower) places: Vec<Option<u32>>,
    pub(in crate::lower) buffers: Vec<BufferSource>,
    /// The number of texel accesses that were lowered to instructions rather than host calls.
    pub(in crate::lower) texels: u32,
    pub(in crate::lower) workgroup_words: u32,
}

impl Resources {
    /// No memory, for a module with this many variables.
    pub(in crate::lower) fn new(globals: usize) -> Self {
        Self {
            places: vec![None; globals],
            buffers: Vec::new(),
            texels: 0,
            workgroup_words: 0,
        }
    }
}

/// Variables that are constant tables, and the constant data section.
#[derive(Default)]
pub(in crate::lower) struct ConstantTables {
    /// The constant data section.
    pub(in crate::lower) words: Vec<u32>,
    /// Where each table begins in it.
    pub(in crate::lower) offsets: HashMap<Box<[u32]>, u32>,
    /// By function: the local variables that are constant tables.
    pub(in crate::lower) locals: HashMap<*const naga::Function, TableLocals>,
    /// By module variable: whether it is a constant table.
    pub(in crate::lower) private: Vec<bool>,
}

/// The host calls of the kernel.
#[derive(Default)]
pub(in crate::lower) struct HostCallState {
    pub(in crate::lower) calls: HostCalls,
    /// The callee number of the host, once a host call has been made.
    pub(in crate::lower) callee: Option<u32>,
}

/// The functions that are compiled once and called.
pub(in crate::lower) struct CalleeState {
    /// By function and argument: whether the argument is uniform at every call.
    pub(in crate::lower) uniform_arguments: Vec<Vec<bool>>,
    /// By function: its calling convention, once it has been lowered.
    pub(in crate::lower) interfaces: Vec<Option<Rc<CallingConvention>>>,
    /// The number of SSA values of those functions.
    pub(in crate::lower) lowered_values: usize,
    /// The targets of calls, by number.
    pub(in crate::lower) list: Vec<Callee>,
}

impl CalleeState {
    /// No callees, for a module with this many functions.
    pub(in crate::lower) fn new(functions: usize) -> Self {
        Self {
            uniform_arguments: Vec::new(),
            interfaces: vec![None; functions],
            lowered_values: 0,
            list: Vec::new(),
        }
    }
}

/// Positions in the source.
pub(in crate::lower) struct SourcePositions {
    /// Of the current statement.
    pub(in crate::lower) span: Span,
    /// Of each numbered loop.
    pub(in crate::lower) loops: Vec<Span>,
    /// Of each barrier.
    pub(in crate::lower) barriers: Vec<Span>,
}

impl Default for SourcePositions {
    fn default() -> Self {
        Self {
            span: Span::UNDEFINED,
            loops: Vec::new(),
            barriers: Vec::new(),
        }
    }
}
