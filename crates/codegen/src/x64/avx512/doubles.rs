//! `f64` operations, where a value is two vectors: the low and the high words of all lanes.
//!
//! The words are interleaved into two registers of eight values each, in an order for which there are unpack
//! instructions, and separated again after the operation.

use anywarp_lanes::ir::{F64Half, F64Op, Value};
use iced_x86::Code;
use regalloc2::VReg;

use super::super::build::{Base, Memory, Part, ymm, zmm};
use super::Avx512;

/// Rounding modes of `vrndscalepd`, with the inexact exception suppressed.
const NEAREST: u8 = 0x8;
const DOWN: u8 = 0x9;
const UP: u8 = 0xa;
const TO_ZERO: u8 = 0xb;

/// Shuffle controls that select the low or high words of two registers.
const LOW: u8 = 0x88;
const HIGH: u8 = 0xdd;

impl Avx512<'_, '_> {
    pub(super) fn double(&mut self, op: F64Op, half: F64Half, operands: &[Value], result: VReg) {
        if op == F64Op::FromF32 {
            return self.float_to_double(half, operands[0], result);
        }
        let numbers = self.numbers(operands);
        let [first, second] = numbers.map(|of| self.on_doubles(op, &of));
        let which = match half {
            F64Half::Low => LOW,
            F64Half::High => HIGH,
        };
        let parts = [
            Part::Def(zmm(result)),
            Part::Use(zmm(first)),
            Part::Use(zmm(second)),
            Part::Imm8(which),
        ];
        self.op(Code::EVEX_Vshufps_zmm_k1z_zmm_zmmm512b32_imm8, &parts);
    }

    /// The values of each operand in two registers: the first two of each four, and the others.
    fn numbers(&mut self, operands: &[Value]) -> [Vec<VReg>; 2] {
        let halves: Vec<VReg> = operands.iter().map(|it| self.reg(*it)).collect();
        [
            Code::EVEX_Vpunpckldq_zmm_k1z_zmm_zmmm512b32,
            Code::EVEX_Vpunpckhdq_zmm_k1z_zmm_zmmm512b32,
        ]
        .map(|code| {
            let pairs = halves.chunks_exact(2);
            pairs
                .map(|pair| self.made(code, &[zmm(pair[0]), zmm(pair[1])]))
                .collect()
        })
    }

    /// The result of an instruction on registers, in a new one.
    fn made(&mut self, code: Code, of: &[super::super::build::Reg]) -> VReg {
        let result = self.new_lanes();
        let mut parts = vec![Part::Def(zmm(result))];
        parts.extend(of.iter().map(|it| Part::Use(*it)));
        self.op(code, &parts);
        result
    }

    fn on_doubles(&mut self, op: F64Op, of: &[VReg]) -> VReg {
        let code = match op {
            F64Op::Add => Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er,
            F64Op::Sub => Code::EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er,
            F64Op::Mul => Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er,
            F64Op::Div => Code::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er,
            F64Op::Sqrt => Code::EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er,
            F64Op::Fma => return self.double_fma(of),
            F64Op::Round => return self.round_doubles(of[0], NEAREST),
            F64Op::Floor => return self.round_doubles(of[0], DOWN),
            F64Op::Ceil => return self.round_doubles(of[0], UP),
            F64Op::Trunc | F64Op::FromF32 => return self.round_doubles(of[0], TO_ZERO),
        };
        let of: Vec<_> = of.iter().map(|it| zmm(*it)).collect();
        self.made(code, &of)
    }

    fn round_doubles(&mut self, a: VReg, how: u8) -> VReg {
        let result = self.new_lanes();
        let parts = [Part::Def(zmm(result)), Part::Use(zmm(a)), Part::Imm8(how)];
        self.op(Code::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae, &parts);
        result
    }

    fn double_fma(&mut self, of: &[VReg]) -> VReg {
        let result = self.new_lanes();
        let parts = [
            Part::Tied(zmm(result), of[0]),
            Part::Use(zmm(of[1])),
            Part::Use(zmm(of[2])),
        ];
        self.op(Code::EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er, &parts);
        result
    }

    /// Values in lane order; their halves are every other word.
    fn float_to_double(&mut self, half: F64Half, a: Value, result: VReg) {
        let a = self.reg(a);
        let upper = self.upper_half(a);
        let code = Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae;
        let [first, second] = [a, upper].map(|it| self.made(code, &[ymm(it)]));
        let from = match half {
            F64Half::Low => 0,
            F64Half::High => 1,
        };
        let places: Vec<u32> = (0..16).map(|lane| 2 * lane + from).collect();
        let places = Memory::at(Base::Pool, self.pool.vector(&places));
        let index = self.new_lanes();
        let parts = [Part::Def(zmm(index)), Part::Memory(places)];
        self.op(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, &parts);
        let parts = [
            Part::Tied(zmm(result), index),
            Part::Use(zmm(first)),
            Part::Use(zmm(second)),
        ];
        self.op(Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32, &parts);
    }

    pub(super) fn double_to_float(&mut self, operands: &[Value], result: VReg) {
        let code = Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er;
        let [first, second] = self.numbers(operands).map(|of| {
            let floats = self.new_lanes();
            let parts = [Part::Def(ymm(floats)), Part::Use(zmm(of[0]))];
            self.op(code, &parts);
            floats
        });
        let both = self.new_lanes();
        let parts = [
            Part::Def(zmm(both)),
            Part::Use(zmm(first)),
            Part::Use(ymm(second)),
            Part::Imm8(1),
        ];
        self.op(Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8, &parts);
        // The first two of each four lie in the first half.
        let places = (0..16).map(|lane| lane % 4 / 2 * 8 + lane / 4 * 2 + lane % 2);
        let places: Vec<u32> = places.collect();
        let places = Memory::at(Base::Pool, self.pool.vector(&places));
        let index = self.new_lanes();
        let parts = [Part::Def(zmm(index)), Part::Memory(places)];
        self.op(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, &parts);
        let parts = [
            Part::Def(zmm(result)),
            Part::Use(zmm(index)),
            Part::Use(zmm(both)),
        ];
        self.op(Code::EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32, &parts);
    }
}
