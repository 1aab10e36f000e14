//! The interface of back ends: the stages of compilation that depend on the machine.
//!
//! A back end is a type whose values are its instruction sets. [`compile`](crate::Compiler::compile) calls the stages in
//! the order of the methods, with register allocation between [`Backend::select`] and [`Backend::emit`].

use anywarp_lanes::ir::Function;
use regalloc2::{MachineEnv, Output};

use crate::CompileError;
use crate::block_order::BlockOrder;
use crate::code::Size;
use crate::machine_function::MachineFunction;

/// An instruction set that functions are compiled for.
pub(crate) trait Backend: Copy {
    /// Instructions over virtual registers.
    type Selection<'f>: Selection;
    /// What the emitter tells the validator about the code.
    type Trace;

    /// A byte that fills unused executable memory: the processor traps where it executes any number of them.
    const TRAP: u8;

    /// The number of lanes of a vector.
    fn lanes(self) -> u32;

    /// Instruction selection.
    fn select<'f>(
        self,
        function: &'f Function,
        block_order: &'f BlockOrder,
    ) -> Result<Self::Selection<'f>, CompileError>;

    /// The allocatable and scratch registers.
    fn registers(self) -> MachineEnv;

    /// Encodes the selected instructions with their allocated registers and stack slots.
    fn emit(
        self,
        selection: &Self::Selection<'_>,
        allocation: &Output,
    ) -> Result<EmittedCode<Self::Trace>, CompileError>;

    /// Translation validation: the code accesses memory and branches only as the function does. The error names the
    /// first instruction that breaks a rule.
    fn validate(
        self,
        function: &Function,
        block_order: &BlockOrder,
        selection: &Self::Selection<'_>,
        allocation: &Output,
        code: &EmittedCode<Self::Trace>,
    ) -> Result<(), CompileError>;

    /// Disassembles the instructions from `entry` on, one per line.
    fn disassemble(self, bytes: &[u8], entry: usize) -> String;
}

/// What register allocation and mapping use of a selection.
pub(crate) trait Selection {
    /// The function as the register allocator sees it.
    fn machine_function(&self) -> &MachineFunction;

    /// Bytes of the frame of a subgroup.
    fn frame_bytes(&self) -> u32;
}

/// Constants and code, ready to be mapped.
#[derive(Debug)]
pub(crate) struct EmittedCode<T> {
    /// Constants, padded to whole pages, then instructions.
    pub(crate) bytes: Vec<u8>,
    /// The offset of the first instruction.
    pub(crate) entry: usize,
    pub(crate) size: Size,
    pub(crate) trace: T,
}
