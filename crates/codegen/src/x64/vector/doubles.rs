//! `f64` operations, where a value is two vectors: the low and the high words of all lanes.
//!
//! The words are interleaved into two registers of values, in an order for which there are unpack instructions, and
//! separated again after the operation.

use anywarp_lanes::ir::{DoubleOp, Half, Value};
use regalloc2::VReg;

use super::super::group::Operand;
use super::super::select::Select;
use super::{VectorIsa, rounding, vector};

impl<V: VectorIsa> Select<'_, V> {
    pub(super) fn double(&mut self, op: DoubleOp, half: Half, operands: &[Value], result: VReg) {
        if op == DoubleOp::FromF {
            return V::float_to_double(self, half, operands[0], result);
        }
        let numbers = self.numbers(operands);
        let [first, second] = numbers.map(|of| self.on_doubles(op, &of));
        self.halves(half, first, second, result);
    }

    /// The low or high words of two registers of values.
    pub(crate) fn halves(&mut self, half: Half, first: Operand, second: Operand, result: VReg) {
        let selector = match half {
            Half::Low => 0x88,
            Half::High => 0xdd,
        };
        let args = [
            Operand::Def(vector::<V>(result)),
            first,
            second,
            Operand::Imm8(selector),
        ];
        self.op(V::INSTRUCTIONS.shuffle, &args);
    }

    /// The values of each operand in two registers: the first two of each four, and the others.
    pub(crate) fn numbers(&mut self, operands: &[Value]) -> [Vec<Operand>; 2] {
        let halves: Vec<Operand> = operands.iter().map(|value| self.lanes(*value)).collect();
        V::INSTRUCTIONS.unpack.map(|code| {
            let pairs = halves.chunks_exact(2);
            pairs
                .map(|pair| self.computed(code, pair[0], pair[1]))
                .collect()
        })
    }

    fn on_doubles(&mut self, op: DoubleOp, of: &[Operand]) -> Operand {
        let codes = V::INSTRUCTIONS.double;
        let code = match op {
            DoubleOp::Add => codes.add,
            DoubleOp::Sub => codes.sub,
            DoubleOp::Mul => codes.mul,
            DoubleOp::Div => codes.div,
            DoubleOp::Sqrt => return self.converted(codes.sqrt, of[0]),
            DoubleOp::Fma => return self.double_fma(of),
            DoubleOp::Round => return self.round_doubles(of[0], rounding::NEAREST),
            DoubleOp::Floor => return self.round_doubles(of[0], rounding::DOWN),
            DoubleOp::Ceil => return self.round_doubles(of[0], rounding::UP),
            DoubleOp::Trunc | DoubleOp::FromF => {
                return self.round_doubles(of[0], rounding::TO_ZERO);
            }
        };
        self.computed(code, of[0], of[1])
    }

    fn round_doubles(&mut self, a: Operand, mode: u8) -> Operand {
        self.computed(V::INSTRUCTIONS.double.round, a, Operand::Imm8(mode))
    }

    fn double_fma(&mut self, of: &[Operand]) -> Operand {
        let result = self.new_lanes();
        if let Operand::Use(first) = of[0] {
            let args = [Operand::Tied(vector::<V>(result), first.0), of[1], of[2]];
            self.op(V::INSTRUCTIONS.double.fma213, &args);
        }
        Operand::Use(vector::<V>(result))
    }
}
