//! The x86-64 back end: instruction selection, encoding and translation validation.
//!
//! `select` turns vector IR into groups of machine instructions over virtual registers (`group_builder`,
//! `machine_inst`). Scalars and conditions are the same on each instruction set. `vector` selects instructions on lanes
//! and masks, for any instruction set that implements `VectorIsa`: `avx512` and `avx2` contain only what differs. `emit`
//! encodes the groups after register allocation, and `scan` validates the bytes.

mod atomic;
mod atomic_update;
mod atomic_wide;
mod avx2;
mod avx512;
mod coalesce;
mod condition;
mod divide_scalar;
mod emit;
mod fma;
mod group_builder;
mod instruction_set;
mod lane_stride;
mod machine_inst;
mod multiply_high;
mod non_temporal;
mod pool;
mod registers;
mod row;
mod run_time_row;
mod scalar;
mod scan;
mod select;
mod stack;
mod value_info;
mod vector;

use anywarp_lanes::ir::{Capabilities, Function, VectorMachine};
use iced_x86::{Decoder, DecoderOptions, Formatter, IntelFormatter};
use regalloc2::{MachineEnv, Output};

use crate::CompileError;
use crate::backend::{self, Backend};
use crate::block_order::BlockOrder;
use crate::machine_function::MachineFunction;

pub(crate) use instruction_set::InstructionSet;
use scan::Trace;
use select::Selection;

/// Constants and code with the emitter's trace.
type EmittedCode = backend::EmittedCode<Trace>;

impl Backend for InstructionSet {
    type Selection<'f> = Selection<'f>;
    type Trace = Trace;

    /// `int3`.
    const TRAP: u8 = 0xcc;

    fn vectors(self) -> VectorMachine {
        match self {
            Self::Avx512 { .. } => VectorMachine {
                lanes: 16,
                capabilities: Capabilities::AVX512,
            },
            Self::Avx2 => VectorMachine {
                lanes: 8,
                capabilities: Capabilities::AVX2,
            },
        }
    }

    fn select<'f>(
        self,
        function: &'f Function,
        block_order: &'f BlockOrder,
    ) -> Result<Selection<'f>, CompileError> {
        select::select(function, block_order, self)
    }

    fn registers(self) -> MachineEnv {
        registers::registers(self)
    }

    fn emit(
        self,
        selection: &Selection<'_>,
        allocation: &Output,
    ) -> Result<EmittedCode, CompileError> {
        emit::emit(selection, allocation)
    }

    fn validate(
        self,
        function: &Function,
        block_order: &BlockOrder,
        selection: &Selection<'_>,
        allocation: &Output,
        code: &EmittedCode,
    ) -> Result<(), CompileError> {
        scan::scan(function, block_order, selection, allocation, code)
            .map_err(|error| CompileError::Internal(error.to_string()))
    }

    fn disassemble(self, bytes: &[u8], entry: usize) -> String {
        disassemble(bytes, entry)
    }
}

impl backend::Selection for Selection<'_> {
    fn machine_function(&self) -> &MachineFunction {
        &self.machine
    }

    fn frame_bytes(&self) -> u32 {
        self.frame_bytes
    }
}

/// Disassembles the instructions from `entry` on in Intel syntax, one per line.
fn disassemble(bytes: &[u8], entry: usize) -> String {
    let mut decoder = Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE);
    let mut formatter = IntelFormatter::new();
    let mut text = String::new();
    if decoder.set_position(entry).is_err() {
        return text;
    }
    decoder.set_ip(entry as u64);
    while decoder.can_decode() {
        let instruction = decoder.decode();
        text.push_str(&format!("{:6x}  ", instruction.ip()));
        formatter.format(&instruction, &mut text);
        text.push('\n');
    }
    text
}
