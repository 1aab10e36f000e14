//! Functions of three bits by a table, from functions of two.
//!
//! With `f(a, b, 0) = p(a, b)` and `f(a, b, 0) ^ f(a, b, 1) = q(a, b)`, it is `f(a, b, c) = p ^ (c & q)`. Any of the three operands
//! can be the one that is taken out; the cheapest is.

use anywarp_lanes::ir::Value;
use iced_x86::Code;
use regalloc2::VReg;

use super::super::build::{Part, ymm};
use super::Avx2;

const AND: Code = Code::VEX_Vpand_ymm_ymm_ymmm256;
const XOR: Code = Code::VEX_Vpxor_ymm_ymm_ymmm256;
const OR: Code = Code::VEX_Vpor_ymm_ymm_ymmm256;
/// `!first & second`.
const AND_NOT: Code = Code::VEX_Vpandn_ymm_ymm_ymmm256;

/// A function of two bits: bit `2x + y`.
type Table = u8;

/// The parts of a table when an operand is taken out: `p` and `q` as functions of the other two, in their order.
fn parts(table: u8, taken: usize) -> (Table, Table) {
    let bit = |values: [u8; 3]| table >> (4 * values[0] + 2 * values[1] + values[2]) & 1;
    let (mut p, mut q) = (0, 0);
    for index in 0..4u8 {
        let (x, y) = (index >> 1, index & 1);
        let at = |value: u8| match taken {
            0 => [value, x, y],
            1 => [x, value, y],
            _ => [x, y, value],
        };
        p |= bit(at(0)) << index;
        q |= (bit(at(0)) ^ bit(at(1))) << index;
    }
    (p, q)
}

/// How many instructions a function of two bits takes.
fn cost(table: Table) -> u32 {
    match table {
        0b1100 | 0b1010 => 0,
        0b0000 | 0b1111 | 0b1000 | 0b1110 | 0b0110 | 0b0100 | 0b0010 | 0b0011 | 0b0101 => 1,
        _ => 2,
    }
}

fn whole_cost(table: u8, taken: usize) -> u32 {
    match parts(table, taken) {
        (p, 0) => cost(p),
        (p, 0b1111) => cost(p) + 1,
        (0, q) => cost(q) + 1,
        (p, q) => cost(p) + cost(q) + 2,
    }
}

impl Avx2<'_, '_> {
    pub(super) fn ternary(&mut self, table: u8, operands: &[Value], result: VReg) {
        let [a, b, c] = *operands else { return };
        let values = [a, b, c].map(|it| self.lanes(it));
        let taken = (0..3).min_by_key(|it| whole_cost(table, *it)).unwrap_or(2);
        let (x, y) = match taken {
            0 => (values[1], values[2]),
            1 => (values[0], values[2]),
            _ => (values[0], values[1]),
        };
        let c = values[taken];
        match parts(table, taken) {
            (p, 0) => {
                let p = self.of_two(p, x, y);
                self.unary_op(Code::VEX_Vmovdqa_ymm_ymmm256, p, result);
            }
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

    /// A function of two bits.
    fn of_two(&mut self, table: Table, x: Part, y: Part) -> Part {
        match table {
            0b0000 => self.all_bits(0),
            0b1111 => self.all_bits(u32::MAX),
            0b1100 => x,
            0b1010 => y,
            0b1000 => self.computed(AND, x, y),
            0b1110 => self.computed(OR, x, y),
            0b0110 => self.computed(XOR, x, y),
            0b0100 => self.computed(AND_NOT, y, x),
            0b0010 => self.computed(AND_NOT, x, y),
            table => {
                let opposite = self.of_two(!table & 0b1111, x, y);
                let ones = self.word_operand(u32::MAX);
                self.computed(XOR, opposite, ones)
            }
        }
    }

    fn all_bits(&mut self, word: u32) -> Part {
        let result = self.new_lanes();
        self.splat(result, word);
        Part::Use(ymm(result))
    }
}
