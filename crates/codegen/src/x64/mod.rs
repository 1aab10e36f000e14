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

use iced_x86::{Code, Decoder, DecoderOptions, Formatter, IntelFormatter};

use crate::target::InstructionSet;

pub(crate) use emit::emit;
pub(crate) use registers::registers;
pub(crate) use scan::scan;
pub(crate) use select::select;

/// The instructions that copy, load and store a whole vector register.
#[derive(Clone, Copy, Debug)]
struct VectorMoves {
    copy: Code,
    load: Code,
    store: Code,
    view: item::View,
}

fn vector_moves(isa: InstructionSet) -> VectorMoves {
    match isa {
        InstructionSet::Avx512 { .. } => VectorMoves {
            copy: Code::EVEX_Vmovaps_zmm_k1z_zmmm512,
            load: Code::EVEX_Vmovaps_zmm_k1z_zmmm512,
            store: Code::EVEX_Vmovaps_zmmm512_k1z_zmm,
            view: item::View::Zmm,
        },
        InstructionSet::Avx2 => VectorMoves {
            copy: Code::VEX_Vmovaps_ymm_ymmm256,
            load: Code::VEX_Vmovaps_ymm_ymmm256,
            store: Code::VEX_Vmovaps_ymmm256_ymm,
            view: item::View::Ymm,
        },
    }
}

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
