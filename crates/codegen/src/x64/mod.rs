//! The x86-64 back end: instruction selection, encoding and translation validation.
//!
//! `select` turns vector IR into groups of machine instructions over virtual registers (`group`, `item`). Scalars,
//! conditions, rows with limits and atomics are the same on each instruction set; lanes and masks are in `avx512` and
//! `avx2`. `emit` encodes the groups after register allocation, and `scan` validates the bytes.

mod atomic;
mod atomic_wide;
mod avx2;
mod avx512;
mod coalesce;
mod condition;
mod divide_scalar;
mod emit;
mod fma;
mod group;
mod instruction_set;
mod item;
mod multiply_high;
mod non_temporal;
mod pool;
mod registers;
mod row;
mod scalar;
mod scan;
mod select;
mod stack;
mod update;
mod value_info;
mod vector;

use iced_x86::{Decoder, DecoderOptions, Formatter, IntelFormatter};

pub(crate) use emit::emit;
pub(crate) use instruction_set::InstructionSet;
pub(crate) use registers::registers;
pub(crate) use scan::scan;
pub(crate) use select::select;

/// Disassembles the instructions from `entry` on in Intel syntax, one per line.
pub(crate) fn disassemble(bytes: &[u8], entry: usize) -> String {
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
