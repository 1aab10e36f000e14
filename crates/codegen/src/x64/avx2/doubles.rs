//! `f64` operations, where a value is two vectors: the low and the high words of all lanes.
//!
//! The words are interleaved into two registers of four values each, in an order for which there are unpack
//! instructions, and separated again after the operation.

use anywarp_lanes::ir::{F64Half, F64Op, Value};
use iced_x86::Code;
use regalloc2::VReg;

use super::super::build::{Part, xmm, ymm};
use super::Avx2;

/// Rounding modes of `vroundpd`, with the inexact exception suppressed.
const NEAREST: u8 = 0x8;
const DOWN: u8 = 0x9;
const UP: u8 = 0xa;
const TO_ZERO: u8 = 0xb;

impl Avx2<'_, '_> {
    pub(super) fn double(&mut self, op: F64Op, half: F64Half, operands: &[Value], result: VReg) {
        if op == F64Op::FromF32 {
            return self.float_to_double(half, operands[0], result);
        }
        let numbers = self.numbers(operands);
        let [first, second] = numbers.map(|of| self.on_doubles(op, &of));
        self.halves(half, first, second, result);
    }

    /// The low or high words of two registers of values.
    fn halves(&mut self, half: F64Half, first: Part, second: Part, result: VReg) {
        let which = match half {
            F64Half::Low => 0x88,
            F64Half::High => 0xdd,
        };
        let parts = [Part::Def(ymm(result)), first, second, Part::Imm8(which)];
        self.op(Code::VEX_Vshufps_ymm_ymm_ymmm256_imm8, &parts);
    }

    /// The values of each operand in two registers: the first two of each four, and the others.
    fn numbers(&mut self, operands: &[Value]) -> [Vec<Part>; 2] {
        let halves: Vec<Part> = operands.iter().map(|it| self.lanes(*it)).collect();
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

    fn on_doubles(&mut self, op: F64Op, of: &[Part]) -> Part {
        let code = match op {
            F64Op::Add => Code::VEX_Vaddpd_ymm_ymm_ymmm256,
            F64Op::Sub => Code::VEX_Vsubpd_ymm_ymm_ymmm256,
            F64Op::Mul => Code::VEX_Vmulpd_ymm_ymm_ymmm256,
            F64Op::Div => Code::VEX_Vdivpd_ymm_ymm_ymmm256,
            F64Op::Sqrt => return self.converted(Code::VEX_Vsqrtpd_ymm_ymmm256, of[0]),
            F64Op::Fma => return self.double_fma(of),
            F64Op::Round => return self.round_doubles(of[0], NEAREST),
            F64Op::Floor => return self.round_doubles(of[0], DOWN),
            F64Op::Ceil => return self.round_doubles(of[0], UP),
            F64Op::Trunc | F64Op::FromF32 => return self.round_doubles(of[0], TO_ZERO),
        };
        self.computed(code, of[0], of[1])
    }

    fn round_doubles(&mut self, a: Part, how: u8) -> Part {
        self.computed(Code::VEX_Vroundpd_ymm_ymmm256_imm8, a, Part::Imm8(how))
    }

    fn double_fma(&mut self, of: &[Part]) -> Part {
        let result = self.new_lanes();
        if let Part::Use(first) = of[0] {
            let parts = [Part::Tied(ymm(result), first.0), of[1], of[2]];
            self.op(Code::VEX_Vfmadd213pd_ymm_ymm_ymmm256, &parts);
        }
        Part::Use(ymm(result))
    }

    fn float_to_double(&mut self, half: F64Half, a: Value, result: VReg) {
        let a = self.reg(a);
        let upper = self.new_lanes();
        let parts = [Part::Def(xmm(upper)), Part::Use(ymm(a)), Part::Imm8(1)];
        self.op(Code::VEX_Vextractf128_xmmm128_ymm_imm8, &parts);
        let code = Code::VEX_Vcvtps2pd_ymm_xmmm128;
        let [first, second] = [a, upper].map(|it| self.converted(code, Part::Use(xmm(it))));
        let mixed = self.new_lanes();
        self.halves(half, first, second, mixed);
        // Swaps the middle two pairs.
        const ORDER: u8 = 0b1101_1000;
        let parts = [
            Part::Def(ymm(result)),
            Part::Use(ymm(mixed)),
            Part::Imm8(ORDER),
        ];
        self.op(Code::VEX_Vpermq_ymm_ymmm256_imm8, &parts);
    }

    pub(super) fn double_to_float(&mut self, operands: &[Value], result: VReg) {
        let [first, second] = self.numbers(operands).map(|of| {
            let floats = self.new_lanes();
            let parts = [Part::Def(xmm(floats)), of[0]];
            self.op(Code::VEX_Vcvtpd2ps_xmm_ymmm256, &parts);
            Part::Use(xmm(floats))
        });
        // Pairs of values: the first of both registers, then the second.
        let [low, high] = [
            Code::VEX_Vunpcklpd_xmm_xmm_xmmm128,
            Code::VEX_Vunpckhpd_xmm_xmm_xmmm128,
        ]
        .map(|code| {
            let pairs = self.new_lanes();
            self.op(code, &[Part::Def(xmm(pairs)), first, second]);
            pairs
        });
        let parts = [
            Part::Def(ymm(result)),
            Part::Use(ymm(low)),
            Part::Use(xmm(high)),
            Part::Imm8(1),
        ];
        self.op(Code::VEX_Vinsertf128_ymm_ymm_xmmm128_imm8, &parts);
    }
}
