//! AVX2 and FMA: 8 lanes in a `ymm` register, masks as vectors.
//!
//! A mask has all bits of its active lanes set. An operation without a masked instruction is computed in all lanes and
//! then blended.

mod arithmetic;
mod coalesce;
mod convert;
mod divide;
mod doubles;
mod instructions;
mod masks;
mod memory;
mod scale;
mod shuffle;
mod ternary;

use anywarp_lanes::ir::{F64Half, Inst, LaneBinary, LaneCompare, LaneUnary, MaskBinary, Op, Value};
use iced_x86::{Code, Register};
use regalloc2::{RegClass, VReg};

use super::atomic;
use super::group_builder::{Base, Memory, Operand, r32, xmm};
use super::machine_inst::{Condition, Label, RegView, Slot};
use super::run_time_row::TestedLanes;
use super::select::Select;
use super::vector::{Folding, Instructions, VectorIsa};

/// AVX2 and FMA.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2;

/// Scratch registers: free inside a group.
const YMM15: Operand = Operand::Fixed(Register::YMM15);
const XMM15: Operand = Operand::Fixed(Register::XMM15);

/// The sign bit of an integer or a float.
const SIGN: u32 = 0x8000_0000;

impl VectorIsa for Avx2 {
    const VECTOR: RegView = RegView::Ymm;
    const MASK: (RegClass, RegView) = (RegClass::Float, RegView::Ymm);
    const INSTRUCTIONS: Instructions = instructions::INSTRUCTIONS;
    const FOLDING: Folding = Folding {
        broadcasts: false,
        coalesces: true,
    };

    fn binary_code(op: LaneBinary) -> Option<Code> {
        instructions::binary_code(op)
    }

    fn unary_code(self, op: LaneUnary) -> Option<Code> {
        instructions::unary_code(op)
    }

    fn splat_operand(s: &mut Select<'_, Self>, word: u32) -> Memory {
        Memory::at(Base::Pool, s.pool.vector(&[word; 8]))
    }

    fn folded_operand(s: &mut Select<'_, Self>, inst: &Inst) -> Option<Memory> {
        match inst.op {
            Op::Mask(mask) => {
                let words = masks::words_of(mask);
                Some(Memory::at(Base::Pool, s.pool.vector(&words)))
            }
            _ => None,
        }
    }

    fn set_all_bits(s: &mut Select<'_, Self>, register: Operand) {
        let code = Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256;
        s.item(code, &[register, register, register]);
    }

    fn broadcast(s: &mut Select<'_, Self>, word: Value, result: VReg) {
        s.broadcast_word(word, result);
    }

    fn expand_binary(s: &mut Select<'_, Self>, op: LaneBinary, a: Value, b: Value, result: VReg) {
        match op {
            LaneBinary::Int(op) => s.divide(op, a, b, result),
            _ => s.scale(a, b, result),
        }
    }

    fn expand_unary(s: &mut Select<'_, Self>, op: LaneUnary, a: Value, result: VReg) {
        s.expand_unary(op, a, result);
    }

    fn shift_by(s: &mut Select<'_, Self>, op: Op, a: Value, result: VReg) {
        s.shift_by(op, a, result);
    }

    fn shift_amount(s: &mut Select<'_, Self>, amount: Value) -> Operand {
        let (amount, limit) = (s.lanes(amount), s.word_operand(31));
        s.computed(instructions::INSTRUCTIONS.and, amount, limit)
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

    fn quarter(s: &mut Select<'_, Self>, lanes: VReg, _: u8) -> VReg {
        s.upper_half(lanes)
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
        s.ballot(mask, result);
    }

    fn mask_of_ballot(s: &mut Select<'_, Self>, word: Value, result: VReg) {
        s.mask_of_ballot(word, result);
    }

    fn store_mask(s: &mut Select<'_, Self>, memory: Operand, mask: VReg) {
        s.store_mask(memory, mask);
    }

    fn load_mask(s: &mut Select<'_, Self>, memory: Operand, result: VReg) {
        s.load_mask(memory, result);
    }

    fn masked_load(s: &mut Select<'_, Self>, result: Operand, memory: Operand, mask: Operand) {
        s.item(memory::MASKED_LOAD, &[result, mask, memory]);
    }

    fn masked_store(s: &mut Select<'_, Self>, memory: Operand, values: Operand, mask: Operand) {
        s.masked_store(memory, mask, values);
    }

    fn bounds_mask(s: &mut Select<'_, Self>, limit: Memory, mask: Option<Operand>) -> Operand {
        s.bounds_mask(limit, mask)
    }

    fn masked_splat(s: &mut Select<'_, Self>, result: Operand, memory: Operand, mask: Operand) {
        s.item(instructions::INSTRUCTIONS.load_splat, &[result, memory]);
        s.item(instructions::INSTRUCTIONS.and, &[result, result, mask]);
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

    fn scatter(s: &mut Select<'_, Self>, inst: &Inst, _: i32) {
        atomic::atomic(s, inst, None);
    }
}

impl Select<'_, Avx2> {
    /// A word from a general register in every lane.
    fn broadcast_word(&mut self, word: Value, result: VReg) {
        let word = Operand::Use(r32(self.reg(word)));
        let single = self.new_lanes();
        self.op(Code::VEX_Vmovd_xmm_rm32, &[Operand::Def(xmm(single)), word]);
        let single = Operand::Use(xmm(single));
        self.unary_op(Code::VEX_Vpbroadcastd_ymm_xmmm32, single, result);
    }
}
