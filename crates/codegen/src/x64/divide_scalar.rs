//! Division and remainder of words, without traps: WGSL defines the results for a zero divisor and for overflow.

use anywarp_lanes::ir::{Value, WordBinary};
use iced_x86::{Code, Register};
use regalloc2::VReg;

use super::group_builder::{Base, Memory, Operand, R11D, r32};
use super::machine_inst::{Condition, GroupItem, RegView};
use super::select::{RAX, RDX, Select};
use super::vector::VectorIsa;

const EAX: Operand = Operand::Fixed(Register::EAX);
const EDX: Operand = Operand::Fixed(Register::EDX);

/// A quotient or a remainder.
pub(crate) fn divide<V: VectorIsa>(
    s: &mut Select<'_, V>,
    op: WordBinary,
    a: Value,
    b: Value,
    result: VReg,
) {
    let (a, b) = (s.reg(a), s.reg(b));
    s.begin();
    s.fixed_use_slot(r32(a), RAX);
    // The divisor is a late use: it is read after `eax` and `edx` are written, so it must be in neither.
    let divisor = s.late_use_slot(r32(b));
    let (result_register, other) = match op {
        WordBinary::DivU | WordBinary::DivS => (RAX, RDX),
        _ => (RDX, RAX),
    };
    s.fixed_def_slot(r32(result), result_register);
    if other == RDX {
        s.fixed_temp_slot(RDX, RegView::R32);
    } else {
        let unused = s.machine.vreg(RAX.class());
        s.fixed_def_slot(r32(unused), RAX);
    }
    let divisor = Operand::Slot(divisor);
    match op {
        WordBinary::DivU | WordBinary::RemU => unsigned(s, divisor),
        _ => signed(s, divisor, op),
    }
    s.end();
}

/// For divisor 0, the quotient is the dividend, which is already in `eax`, and the remainder is 0.
fn unsigned<V: VectorIsa>(s: &mut Select<'_, V>, divisor: Operand) {
    let skip = s.label();
    s.item(Code::Xor_r32_rm32, &[EDX, EDX]);
    s.item(Code::Test_rm32_r32, &[divisor, divisor]);
    s.jump_if(Condition::Equal, skip);
    s.item(Code::Div_rm32, &[divisor]);
    s.bind(skip);
}

/// Divisors 0 and -1, for which `idiv` may trap, are handled in cold code.
fn signed<V: VectorIsa>(s: &mut Select<'_, V>, divisor: Operand, op: WordBinary) {
    let (special, done) = (s.label(), s.label());
    let Operand::Slot(slot) = divisor else { return };
    let above = Memory::at(Base::Slot(slot), 1);
    s.item(Code::Lea_r32_m, &[R11D, Operand::Memory(above)]);
    s.item(Code::Cmp_rm32_imm8, &[R11D, Operand::SignedImm8(1)]);
    s.jump_if(Condition::NotAbove, special);
    s.item(Code::Cdq, &[]);
    s.item(Code::Idiv_rm32, &[divisor]);
    s.bind(done);
    s.items.push(GroupItem::Cold);
    s.bind(special);
    if op == WordBinary::DivS {
        s.item(Code::Test_rm32_r32, &[divisor, divisor]);
        s.jump_if(Condition::Equal, done);
        s.item(Code::Neg_rm32, &[EAX]);
    } else {
        s.item(Code::Xor_r32_rm32, &[EDX, EDX]);
    }
    s.items.push(GroupItem::Jump(done));
    s.items.push(GroupItem::EndCold);
}
