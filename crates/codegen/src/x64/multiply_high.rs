//! The upper half of unsigned products of words (`mul`).

use anywarp_lanes::ir::Value;
use iced_x86::Code;
use regalloc2::VReg;

use super::group_builder::{Operand, r32};
use super::select::{RAX, RDX, Select};
use super::vector::VectorIsa;

/// The upper half of an unsigned product.
pub(crate) fn multiply_high<V: VectorIsa>(s: &mut Select<'_, V>, a: Value, b: Value, result: VReg) {
    let (a, b) = (s.reg(a), s.reg(b));
    s.begin();
    s.fixed_use_slot(r32(a), RAX);
    let b = s.use_slot(r32(b));
    s.fixed_def_slot(r32(result), RDX);
    // `mul` writes the lower half there.
    let unused = s.machine.vreg(RAX.class());
    s.fixed_def_slot(r32(unused), RAX);
    s.item(Code::Mul_rm32, &[Operand::Slot(b)]);
    s.end();
}
