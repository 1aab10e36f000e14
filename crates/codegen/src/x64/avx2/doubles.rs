//! `f64` operations, where a value is two vectors: the low and the high words of all lanes.
//!
//! The words are interleaved into two registers of four values each, in an order for which there are unpack
//! instructions, and separated again after the operation.

use anywarp_lanes::ir::{DoubleOp, Half, Value};
use iced_x86::Code;
use regalloc2::VReg;

use super::super::group::{Operand, xmm, ymm};
use super::Avx2;

/// Rounding modes of `vroundpd`, with the inexact exception suppressed.
const NEAREST: u8 = 0x8;
const DOWN: u8 = 0x9;
const UP: u8 = 0xa;
const TO_ZERO: u8 = 0xb;

impl Avx2<'_, '_> {
    pub(super) fn double(&mut self, op: DoubleOp, half: Half, operands: &[Value], result: VReg) {
        if op == DoubleOp::FromF {
            return self.float_to_double(half, operands[0], result);
        }
        let numbers = self.numbers(operands);
        let [first, second] = numbers.map(|of| self.on_doubles(op, &of));
        self.halves(half, first, second, result);
    }

    /// The low or high words of two registers of values.
    fn halves(&mut self, half: Half, first: Operand, second: Operand, result: VReg) {
        let which = match half {
            Half::Low => 0x88,
            Half::High => 0xdd,
        };
        let args = [
            Operand::Def(ymm(result)),
            first,
            second,
            Operand::Imm8(which),
        ];
        self.op(Code::VEX_Vshufps_ymm_ymm_ymmm256_imm8, &args);
    }

    /// The values of each operand in two registers: the first two of each four, and the others.
    fn numbers(&mut self, operands: &[Value]) -> [Vec<Operand>; 2] {
        let halves: Vec<Operand> = operands.iter().map(|it| self.lanes(*it)).collect();
        [
            Code::VEX_Vpunpckldq_ymm_ymm_ymmm256,
            Code::VEX_Vpunpckhdq_ymm_ymm_ymmm256,
        ]
        .map(|code| {
            let pairs = halves.chunks_exact(2);
            pairs
                .map(|pair| self.computed(code, pair[0], pair[1]))
                .collect()
        })
    }

    fn on_doubles(&mut self, op: DoubleOp, of: &[Operand]) -> Operand {
        let code = match op {
            DoubleOp::Add => Code::VEX_Vaddpd_ymm_ymm_ymmm256,
            DoubleOp::Sub => Code::VEX_Vsubpd_ymm_ymm_ymmm256,
            DoubleOp::Mul => Code::VEX_Vmulpd_ymm_ymm_ymmm256,
            DoubleOp::Div => Code::VEX_Vdivpd_ymm_ymm_ymmm256,
            DoubleOp::Sqrt => return self.converted(Code::VEX_Vsqrtpd_ymm_ymmm256, of[0]),
            DoubleOp::Fma => return self.double_fma(of),
            DoubleOp::Round => return self.round_doubles(of[0], NEAREST),
            DoubleOp::Floor => return self.round_doubles(of[0], DOWN),
            DoubleOp::Ceil => return self.round_doubles(of[0], UP),
            DoubleOp::Trunc | DoubleOp::FromF => return self.round_doubles(of[0], TO_ZERO),
        };
        self.computed(code, of[0], of[1])
    }

    fn round_doubles(&mut self, a: Operand, how: u8) -> Operand {
        self.computed(Code::VEX_Vroundpd_ymm_ymmm256_imm8, a, Operand::Imm8(how))
    }

    fn double_fma(&mut self, of: &[Operand]) -> Operand {
        let result = self.new_lanes();
        if let Operand::Use(first) = of[0] {
            let args = [Operand::Tied(ymm(result), first.0), of[1], of[2]];
            self.op(Code::VEX_Vfmadd213pd_ymm_ymm_ymmm256, &args);
        }
        Operand::Use(ymm(result))
    }

    fn float_to_double(&mut self, half: Half, a: Value, result: VReg) {
        let a = self.reg(a);
        let upper = self.new_lanes();
        let args = [
            Operand::Def(xmm(upper)),
            Operand::Use(ymm(a)),
            Operand::Imm8(1),
        ];
        self.op(Code::VEX_Vextractf128_xmmm128_ymm_imm8, &args);
        let code = Code::VEX_Vcvtps2pd_ymm_xmmm128;
        let [first, second] = [a, upper].map(|it| self.converted(code, Operand::Use(xmm(it))));
        let mixed = self.new_lanes();
        self.halves(half, first, second, mixed);
        // Swaps the middle two pairs.
        const ORDER: u8 = 0b1101_1000;
        let args = [
            Operand::Def(ymm(result)),
            Operand::Use(ymm(mixed)),
            Operand::Imm8(ORDER),
        ];
        self.op(Code::VEX_Vpermq_ymm_ymmm256_imm8, &args);
    }

    pub(super) fn double_to_float(&mut self, operands: &[Value], result: VReg) {
        let [first, second] = self.numbers(operands).map(|of| {
            let floats = self.new_lanes();
            let args = [Operand::Def(xmm(floats)), of[0]];
            self.op(Code::VEX_Vcvtpd2ps_xmm_ymmm256, &args);
            Operand::Use(xmm(floats))
        });
        // Pairs of values: the first of both registers, then the second.
        let [low, high] = [
            Code::VEX_Vunpcklpd_xmm_xmm_xmmm128,
            Code::VEX_Vunpckhpd_xmm_xmm_xmmm128,
        ]
        .map(|code| {
            let pairs = self.new_lanes();
            self.op(code, &[Operand::Def(xmm(pairs)), first, second]);
            pairs
        });
        let args = [
            Operand::Def(ymm(result)),
            Operand::Use(ymm(low)),
            Operand::Use(xmm(high)),
            Operand::Imm8(1),
        ];
        self.op(Code::VEX_Vinsertf128_ymm_ymm_xmmm128_imm8, &args);
    }
}
