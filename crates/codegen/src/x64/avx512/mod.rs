//! AVX-512: 16 lanes in a `zmm` register, masks in mask registers.
//!
//! All instructions have EVEX encodings, because VEX encodings cannot name registers beyond the sixteenth.

mod arithmetic;
mod coalesce;
mod convert;
mod divide;
mod doubles;
mod instructions;
mod masks;
mod memory;
mod shuffle;

use anywarp_lanes::ir::{F64Half, Inst, LaneBinary, LaneCompare, LaneUnary, MaskBinary, Op, Value};
use iced_x86::{Code, Register};
use regalloc2::{RegClass, VReg};

use super::group_builder::{Base, Masking, Memory, Operand, k, r32, zmm};
use super::machine_inst::{Condition, Label, RegView, Slot};
use super::run_time_row::TestedLanes;
use super::select::Select;
use super::vector::{Folding, Instructions, VectorIsa};

/// AVX-512 F, BW, CD, DQ and VL.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512 {
    /// Whether AVX512_VPOPCNTDQ is present.
    pub(crate) counts_bits: bool,
}

/// Scratch registers: free inside a group.
const ZMM31: Operand = Operand::Fixed(Register::ZMM31);
const K7: Operand = Operand::Fixed(Register::K7);

impl VectorIsa for Avx512 {
    const VECTOR: RegView = RegView::Zmm;
    const MASK: (RegClass, RegView) = (RegClass::Vector, RegView::K);
    const INSTRUCTIONS: Instructions = instructions::INSTRUCTIONS;
    const FOLDING: Folding = Folding {
        broadcasts: true,
        coalesces: true,
    };

    fn binary_code(op: LaneBinary) -> Option<Code> {
        instructions::binary_code(op)
    }

    fn unary_code(self, op: LaneUnary) -> Option<Code> {
        instructions::unary_code(op, self.counts_bits)
    }

    fn splat_operand(s: &mut Select<'_, Self>, word: u32) -> Memory {
        Memory::at(Base::Pool, s.pool.word(word)).broadcast()
    }

    fn folded_operand(s: &mut Select<'_, Self>, inst: &Inst) -> Option<Memory> {
        match inst.op {
            Op::LoadSplat(offset) => Some(s.pointed(inst.operands[0], offset.into()).broadcast()),
            _ => None,
        }
    }

    fn set_all_bits(s: &mut Select<'_, Self>, register: Operand) {
        let code = Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
        s.item(code, &[register, register, register, Operand::Imm8(0xff)]);
    }

    fn broadcast(s: &mut Select<'_, Self>, word: Value, result: VReg) {
        let word = Operand::Use(r32(s.reg(word)));
        s.unary_op(Code::EVEX_Vpbroadcastd_zmm_k1z_r32, word, result);
    }

    fn expand_binary(s: &mut Select<'_, Self>, op: LaneBinary, a: Value, b: Value, result: VReg) {
        if let LaneBinary::Int(op) = op {
            s.divide(op, a, b, result);
        }
    }

    fn expand_unary(s: &mut Select<'_, Self>, op: LaneUnary, a: Value, result: VReg) {
        s.expand_unary(op, a, result);
    }

    fn shift_by(s: &mut Select<'_, Self>, op: Op, a: Value, result: VReg) {
        s.shift_by(op, a, result);
    }

    fn shift_amount(s: &mut Select<'_, Self>, amount: Value) -> Operand {
        let result = s.new_lanes();
        let (amount, limit) = (s.lanes(amount), s.word_operand(31));
        s.binary_op(instructions::INSTRUCTIONS.and, amount, limit, result);
        Operand::Use(zmm(result))
    }

    fn merge_even_odd(s: &mut Select<'_, Self>, even: VReg, odd: VReg, result: VReg) {
        s.merge_even_odd(even, odd, result);
    }

    fn masked_binary(s: &mut Select<'_, Self>, op: LaneBinary, operands: &[Value], result: VReg) {
        s.masked_binary(op, operands, result);
    }

    fn masked_fma(s: &mut Select<'_, Self>, operands: &[Value], result: VReg) {
        s.masked_fma(operands, result);
    }

    fn ternary(s: &mut Select<'_, Self>, table: u8, operands: &[Value], result: VReg) {
        s.ternary(table, operands, result);
    }

    fn select_lanes(s: &mut Select<'_, Self>, operands: &[Value], result: VReg) {
        s.select_lanes(operands, result);
    }

    fn compare(
        s: &mut Select<'_, Self>,
        op: LaneCompare,
        operands: [Value; 2],
        mask: Option<Value>,
        result: VReg,
    ) {
        s.compare(op, operands, mask, result);
    }

    fn float_to_double(s: &mut Select<'_, Self>, half: F64Half, a: Value, result: VReg) {
        s.float_to_double(half, a, result);
    }

    fn double_to_float(s: &mut Select<'_, Self>, operands: &[Value], result: VReg) {
        s.double_to_float(operands, result);
    }

    fn quarter(s: &mut Select<'_, Self>, lanes: VReg, number: u8) -> VReg {
        s.quarter(lanes, number)
    }

    fn mask_constant(s: &mut Select<'_, Self>, mask: u32, result: VReg) {
        s.mask_constant(mask, result);
    }

    fn mask_binary(s: &mut Select<'_, Self>, op: MaskBinary, a: Value, b: Value, result: VReg) {
        s.mask_binary(op, a, b, result);
    }

    fn mask_bits(s: &mut Select<'_, Self>, mask: VReg, bits: Slot) {
        masks::mask_bits(s, mask, bits);
    }

    fn test_mask(s: &mut Select<'_, Self>, mask: VReg) -> Condition {
        masks::test_mask(s, mask)
    }

    fn ballot(s: &mut Select<'_, Self>, mask: Value, result: VReg) {
        let mask = Operand::Use(k(s.reg(mask)));
        s.op(Code::VEX_Kmovw_r32_kr, &[Operand::Def(r32(result)), mask]);
    }

    fn mask_of_ballot(s: &mut Select<'_, Self>, word: Value, result: VReg) {
        let word = Operand::Use(r32(s.reg(word)));
        s.op(Code::VEX_Kmovw_kr_r32, &[Operand::Def(k(result)), word]);
    }

    fn store_mask(s: &mut Select<'_, Self>, memory: Operand, mask: VReg) {
        s.op(Code::VEX_Kmovw_m16_kr, &[memory, Operand::Use(k(mask))]);
    }

    fn load_mask(s: &mut Select<'_, Self>, memory: Operand, result: VReg) {
        s.op(Code::VEX_Kmovw_kr_km16, &[Operand::Def(k(result)), memory]);
    }

    fn masked_load(s: &mut Select<'_, Self>, result: Operand, memory: Operand, mask: Operand) {
        let code = instructions::INSTRUCTIONS.load;
        s.masked_item(code, &[result, memory], Masking::Zero(mask));
    }

    fn masked_store(s: &mut Select<'_, Self>, memory: Operand, values: Operand, mask: Operand) {
        let code = instructions::INSTRUCTIONS.store;
        s.masked_item(code, &[memory, values], Masking::Merge(mask));
    }

    fn bounds_mask(s: &mut Select<'_, Self>, limit: Memory, mask: Option<Operand>) -> Operand {
        s.bounds_mask(limit, mask)
    }

    fn masked_splat(s: &mut Select<'_, Self>, result: Operand, memory: Operand, mask: Operand) {
        let code = instructions::INSTRUCTIONS.load_splat;
        s.masked_item(code, &[result, memory], Masking::Zero(mask));
    }

    fn load_pairs(s: &mut Select<'_, Self>, result: Operand, memory: Memory) {
        s.load_pairs(result, memory);
    }

    fn test_lanes(s: &mut Select<'_, Self>, lanes: TestedLanes, far: Label) {
        s.test_lanes(lanes, far);
    }

    fn gather_lanes(s: &mut Select<'_, Self>, result: Operand, memory: Memory, mask: Operand) {
        s.gather_lanes(result, memory, mask);
    }

    fn gather(s: &mut Select<'_, Self>, offset: i32, operands: &[Value], result: VReg) {
        s.gather(offset, operands, result);
    }

    fn scatter(s: &mut Select<'_, Self>, inst: &Inst, offset: i32) {
        s.scatter(offset, &inst.operands);
    }
}
