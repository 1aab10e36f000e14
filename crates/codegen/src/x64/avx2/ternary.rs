//! Bitwise functions of three operands by truth table (`vpternlogd`), composed of two-operand instructions as
//! `anywarp_lanes::ternary` splits them.

use anywarp_lanes::ir::Value;
use anywarp_lanes::ternary::{Split, Table, split};
use iced_x86::Code;
use regalloc2::VReg;

use super::super::group_builder::{Operand, ymm};
use super::super::select::Select;
use super::Avx2;

const AND: Code = Code::VEX_Vpand_ymm_ymm_ymmm256;
const XOR: Code = Code::VEX_Vpxor_ymm_ymm_ymmm256;
const OR: Code = Code::VEX_Vpor_ymm_ymm_ymmm256;
/// `!first & second`.
const AND_NOT: Code = Code::VEX_Vpandn_ymm_ymm_ymmm256;

/// The order of operands of an instruction.
#[derive(Clone, Copy)]
enum OperandOrder {
    Same,
    Swapped,
}

impl OperandOrder {
    fn of(self, x: Operand, y: Operand) -> (Operand, Operand) {
        match self {
            Self::Same => (x, y),
            Self::Swapped => (y, x),
        }
    }
}

/// The instruction for a truth table of two operands, if there is one.
fn instruction(table: Table) -> Option<(Code, OperandOrder)> {
    match table {
        0b1000 => Some((AND, OperandOrder::Same)),
        0b1110 => Some((OR, OperandOrder::Same)),
        0b0110 => Some((XOR, OperandOrder::Same)),
        0b0010 => Some((AND_NOT, OperandOrder::Same)),
        0b0100 => Some((AND_NOT, OperandOrder::Swapped)),
        _ => None,
    }
}

impl Select<'_, Avx2> {
    pub(super) fn ternary(&mut self, table: u8, operands: &[Value], result: VReg) {
        let [a, b, c] = *operands else { return };
        let values = [a, b, c].map(|value| self.lanes(value));
        let Split { taken, p, q } = split(table);
        let (x, y) = match taken {
            0 => (values[1], values[2]),
            1 => (values[0], values[2]),
            _ => (values[0], values[1]),
        };
        let c = values[taken];
        match (p, q) {
            (p, 0) => match instruction(p) {
                Some((code, order)) => {
                    let (x, y) = order.of(x, y);
                    self.binary_op(code, x, y, result);
                }
                None => {
                    let p = self.of_two(p, x, y);
                    self.unary_op(Code::VEX_Vmovdqa_ymm_ymmm256, p, result);
                }
            },
            (p, 0b1111) => {
                let p = self.of_two(p, x, y);
                self.binary_op(XOR, p, c, result);
            }
            (0, q) => {
                let q = self.of_two(q, x, y);
                self.binary_op(AND, q, c, result);
            }
            (p, q) => {
                let (p, q) = (self.of_two(p, x, y), self.of_two(q, x, y));
                let q = self.computed(AND, q, c);
                self.binary_op(XOR, p, q, result);
            }
        }
    }

    /// A bitwise function of two operands.
    fn of_two(&mut self, table: Table, x: Operand, y: Operand) -> Operand {
        match table {
            0b0000 => self.all_bits(0),
            0b1111 => self.all_bits(u32::MAX),
            0b1100 => x,
            0b1010 => y,
            table => match instruction(table) {
                Some((code, order)) => {
                    let (x, y) = order.of(x, y);
                    self.computed(code, x, y)
                }
                None => {
                    let opposite = self.of_two(!table & 0b1111, x, y);
                    let ones = self.word_operand(u32::MAX);
                    self.computed(XOR, opposite, ones)
                }
            },
        }
    }

    fn all_bits(&mut self, word: u32) -> Operand {
        let result = self.new_lanes();
        self.splat(result, word);
        Operand::Use(ymm(result))
    }
}
