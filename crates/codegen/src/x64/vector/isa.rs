//! What a vector instruction set provides: tables of instructions that instruction sets have in common, and expansions
//! of the IR operations for which they differ.

use std::fmt;

use anywarp_lanes::ir::{F64Half, Inst, LaneBinary, LaneCompare, LaneUnary, MaskBinary, Op, Value};
use iced_x86::Code;
use regalloc2::{RegClass, VReg};

use super::super::fma::FmaForms;
use super::super::group_builder::{Memory, Operand};
use super::super::machine_inst::{Condition, Label, RegView, Slot};
use super::super::run_time_row::TestedLanes;
use super::super::select::Select;

/// Instructions with the same operands in every vector instruction set.
#[derive(Debug)]
pub(crate) struct Instructions {
    /// Aligned moves of whole registers.
    pub(crate) load_aligned: Code,
    pub(crate) store_aligned: Code,
    /// Loads a constant vector.
    pub(crate) load_constant: Code,
    pub(crate) load: Code,
    pub(crate) store: Code,
    pub(crate) store_non_temporal: Code,
    /// Loads a word into every lane.
    pub(crate) load_splat: Code,
    pub(crate) and: Code,
    pub(crate) xor: Code,
    /// Shifts by an amount per lane: left, right with zeros, right with the sign.
    pub(crate) shifts: [Code; 3],
    /// `fmadd`, `fmsub`, `fnmadd` and `fnmsub`.
    pub(crate) fma: [FmaForms; 4],
    /// Rounds floats to integers by the mode of an immediate.
    pub(crate) round: Code,
    /// Permutes lanes: indices, values.
    pub(crate) permute: Code,
    /// Interleave the lower or the upper two words of each four.
    pub(crate) unpack: [Code; 2],
    /// Selects two words of each four from both operands, by an immediate.
    pub(crate) shuffle: Code,
    /// Products of even words, as 64 bits.
    pub(crate) multiply_wide: Code,
    /// Shifts right by an immediate, in elements of 64 bits.
    pub(crate) shift_wide_right: Code,
    pub(crate) double: DoubleInstructions,
    pub(crate) scalar: ScalarInstructions,
}

/// Instructions on vectors of `f64`.
#[derive(Debug)]
pub(crate) struct DoubleInstructions {
    pub(crate) add: Code,
    pub(crate) sub: Code,
    pub(crate) mul: Code,
    pub(crate) div: Code,
    pub(crate) sqrt: Code,
    pub(crate) fma213: Code,
    /// Rounds to integers by the mode of an immediate.
    pub(crate) round: Code,
}

/// Instructions on the first lanes of a register.
#[derive(Debug)]
pub(crate) struct ScalarInstructions {
    /// Moves a word from a general register, or to one.
    pub(crate) from_word: Code,
    pub(crate) to_word: Code,
    /// Moves one of the first four lanes to a general register.
    pub(crate) extract: Code,
    /// Adds floats.
    pub(crate) add_float: Code,
}

/// Which values besides constants an instruction can have as memory operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Folding {
    /// Whether instructions broadcast a word in memory to all lanes (embedded broadcast).
    pub(crate) broadcasts: bool,
    /// Whether gathers and scatters are coalesced, so that they need no index vector.
    pub(crate) coalesces: bool,
}

/// A vector instruction set. Operands of methods are in the order of the IR.
pub(crate) trait VectorIsa: Copy + fmt::Debug + 'static {
    /// The name of a whole vector register.
    const VECTOR: RegView;
    /// The register class and the name of a mask.
    const MASK: (RegClass, RegView);
    const INSTRUCTIONS: Instructions;
    const FOLDING: Folding;

    /// The instruction of an operation, if there is one.
    fn binary_code(op: LaneBinary) -> Option<Code>;

    /// The instruction of an operation, if there is one.
    fn unary_code(self, op: LaneUnary) -> Option<Code>;

    /// A constant word in all lanes, as a memory operand.
    fn splat_operand(s: &mut Select<'_, Self>, word: u32) -> Memory;

    /// The memory operand of a folded value that only this instruction set folds.
    fn folded_operand(s: &mut Select<'_, Self>, inst: &Inst) -> Option<Memory>;

    /// Sets all bits of a register, inside a group.
    fn set_all_bits(s: &mut Select<'_, Self>, register: Operand);

    fn broadcast(s: &mut Select<'_, Self>, word: Value, result: VReg);

    /// A binary operation without an instruction, other than shifts and products.
    fn expand_binary(s: &mut Select<'_, Self>, op: LaneBinary, a: Value, b: Value, result: VReg);

    /// A unary operation without an instruction, other than rounding.
    fn expand_unary(s: &mut Select<'_, Self>, op: LaneUnary, a: Value, result: VReg);

    /// [`Op::ShlBy`], [`Op::ShrBy`], [`Op::SarBy`] and [`Op::RotateBy`].
    fn shift_by(s: &mut Select<'_, Self>, op: Op, a: Value, result: VReg);

    /// The amount of a shift modulo 32, as WGSL takes it; the instructions do not.
    fn shift_amount(s: &mut Select<'_, Self>, amount: Value) -> Operand;

    /// Even words of one vector and odd words of another.
    fn merge_even_odd(s: &mut Select<'_, Self>, even: VReg, odd: VReg, result: VReg);

    fn masked_binary(s: &mut Select<'_, Self>, op: LaneBinary, operands: &[Value], result: VReg);

    fn masked_fma(s: &mut Select<'_, Self>, operands: &[Value], result: VReg);

    fn ternary(s: &mut Select<'_, Self>, table: u8, operands: &[Value], result: VReg);

    fn select_lanes(s: &mut Select<'_, Self>, operands: &[Value], result: VReg);

    fn compare(
        s: &mut Select<'_, Self>,
        op: LaneCompare,
        operands: [Value; 2],
        mask: Option<Value>,
        result: VReg,
    );

    /// The low or the high words of floats as `f64`.
    fn float_to_double(s: &mut Select<'_, Self>, half: F64Half, a: Value, result: VReg);

    /// Values of `f64`, rounded to floats.
    fn double_to_float(s: &mut Select<'_, Self>, operands: &[Value], result: VReg);

    /// Four of the lanes in the first quarter of a new register; `number` is not 0.
    fn quarter(s: &mut Select<'_, Self>, lanes: VReg, number: u8) -> VReg;

    fn mask_constant(s: &mut Select<'_, Self>, mask: u32, result: VReg);

    fn mask_binary(s: &mut Select<'_, Self>, op: MaskBinary, a: Value, b: Value, result: VReg);

    /// Stores the mask as bits to a general register, inside a group.
    fn mask_bits(s: &mut Select<'_, Self>, mask: VReg, bits: Slot);

    /// Sets the flags inside a group: the returned condition holds if the mask is not empty.
    fn test_mask(s: &mut Select<'_, Self>, mask: VReg) -> Condition;

    fn ballot(s: &mut Select<'_, Self>, mask: Value, result: VReg);

    fn mask_of_ballot(s: &mut Select<'_, Self>, word: Value, result: VReg);

    fn store_mask(s: &mut Select<'_, Self>, memory: Operand, mask: VReg);

    fn load_mask(s: &mut Select<'_, Self>, memory: Operand, result: VReg);

    /// Loads active lanes inside a group; the others become 0.
    fn masked_load(s: &mut Select<'_, Self>, result: Operand, memory: Operand, mask: Operand);

    /// Stores active lanes inside a group.
    fn masked_store(s: &mut Select<'_, Self>, memory: Operand, values: Operand, mask: Operand);

    /// The mask of lanes with an index below the limit, from the index in `r11`, inside a group. It is a subset of
    /// `mask`, if there is one.
    fn bounds_mask(s: &mut Select<'_, Self>, limit: Memory, mask: Option<Operand>) -> Operand;

    /// Loads a word into the active lanes inside a group; the others become 0. At least one lane is active, or the
    /// instruction set suppresses faults.
    fn masked_splat(s: &mut Select<'_, Self>, result: Operand, memory: Operand, mask: Operand);

    /// Loads every second word into all lanes inside a group, from the word of the first lane on.
    fn load_pairs(s: &mut Select<'_, Self>, result: Operand, memory: Memory);

    /// Jumps to the label unless the guess holds for the active lanes, inside a group. After it, `r11` is the
    /// sign-extended index of the first lane.
    fn test_lanes(s: &mut Select<'_, Self>, lanes: TestedLanes, far: Label);

    /// The gather instruction inside a group: it clears its mask, and needs three different vector registers.
    fn gather_lanes(s: &mut Select<'_, Self>, result: Operand, memory: Memory, mask: Operand);

    fn gather(s: &mut Select<'_, Self>, offset: i32, operands: &[Value], result: VReg);

    fn scatter(s: &mut Select<'_, Self>, inst: &Inst, offset: i32);
}
