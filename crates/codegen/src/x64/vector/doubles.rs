//! `f64` operations, where a value is two vectors: the low and the high words of all lanes.
//!
//! The words are interleaved into two registers of values, in an order for which there are unpack instructions, and
//! separated again after the operation.

use anywarp_lanes::ir::{F64Half, F64Op, Value};
use regalloc2::VReg;

use super::super::group_builder::Operand;
use super::super::select::Select;
use super::{VectorIsa, rounding, vector};

impl<V: VectorIsa> Select<'_, V> {
    pub(super) fn double(&mut self, op: F64Op, half: F64Half, operands: &[Value], result: VReg) {
        if op == F64Op::FromF32 {
            return V::float_to_double(self, half, operands[0], result);
        }
        let numbers = self.numbers(operands);
        let [first, second] = numbers.map(|of| self.on_doubles(op, &of));
        self.halves(half, first, second, result);
    }

    /// The low or high words of two registers of values.
    pub(crate) fn halves(&mut self, half: F64Half, first: Operand, second: Operand, result: VReg) {
        let selector = match half {
            F64Half::Low => 0x88,
            F64Half::High => 0xdd,
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

    fn on_doubles(&mut self, op: F64Op, of: &[Operand]) -> Operand {
        let codes = V::INSTRUCTIONS.double;
        let code = match op {
            F64Op::Add => codes.add,
            F64Op::Sub => codes.sub,
            F64Op::Mul => codes.mul,
            F64Op::Div => codes.div,
            F64Op::Sqrt => return self.converted(codes.sqrt, of[0]),
            F64Op::Fma => return self.double_fma(of),
            F64Op::Round => return self.round_doubles(of[0], rounding::NEAREST),
            F64Op::Floor => return self.round_doubles(of[0], rounding::DOWN),
            F64Op::Ceil => return self.round_doubles(of[0], rounding::UP),
            F64Op::Trunc | F64Op::FromF32 => {
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
