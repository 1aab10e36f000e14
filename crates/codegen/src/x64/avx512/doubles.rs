//! `f64` operations, where a value is two vectors: the low and the high words of all lanes.
//!
//! The words are interleaved into two registers of eight values each, in an order for which there are unpack
//! instructions, and separated again after the operation.

use anywarp_lanes::ir::{DoubleOp, Half, Value};
use iced_x86::Code;
use regalloc2::VReg;

use super::super::group::{Base, Memory, Operand, ymm, zmm};
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
    pub(super) fn double(&mut self, op: DoubleOp, half: Half, operands: &[Value], result: VReg) {
        if op == DoubleOp::FromF {
            return self.float_to_double(half, operands[0], result);
        }
        let numbers = self.numbers(operands);
        let [first, second] = numbers.map(|of| self.on_doubles(op, &of));
        let which = match half {
            Half::Low => LOW,
            Half::High => HIGH,
        };
        let args = [
            Operand::Def(zmm(result)),
            Operand::Use(zmm(first)),
            Operand::Use(zmm(second)),
            Operand::Imm8(which),
        ];
        self.op(Code::EVEX_Vshufps_zmm_k1z_zmm_zmmm512b32_imm8, &args);
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
    fn made(&mut self, code: Code, of: &[super::super::group::Reg]) -> VReg {
        let result = self.new_lanes();
        let mut args = vec![Operand::Def(zmm(result))];
        args.extend(of.iter().map(|it| Operand::Use(*it)));
        self.op(code, &args);
        result
    }

    fn on_doubles(&mut self, op: DoubleOp, of: &[VReg]) -> VReg {
        let code = match op {
            DoubleOp::Add => Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er,
            DoubleOp::Sub => Code::EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er,
            DoubleOp::Mul => Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er,
            DoubleOp::Div => Code::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er,
            DoubleOp::Sqrt => Code::EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er,
            DoubleOp::Fma => return self.double_fma(of),
            DoubleOp::Round => return self.round_doubles(of[0], NEAREST),
            DoubleOp::Floor => return self.round_doubles(of[0], DOWN),
            DoubleOp::Ceil => return self.round_doubles(of[0], UP),
            DoubleOp::Trunc | DoubleOp::FromF => return self.round_doubles(of[0], TO_ZERO),
        };
        let of: Vec<_> = of.iter().map(|it| zmm(*it)).collect();
        self.made(code, &of)
    }

    fn round_doubles(&mut self, a: VReg, how: u8) -> VReg {
        let result = self.new_lanes();
        let args = [
            Operand::Def(zmm(result)),
            Operand::Use(zmm(a)),
            Operand::Imm8(how),
        ];
        self.op(Code::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae, &args);
        result
    }

    fn double_fma(&mut self, of: &[VReg]) -> VReg {
        let result = self.new_lanes();
        let args = [
            Operand::Tied(zmm(result), of[0]),
            Operand::Use(zmm(of[1])),
            Operand::Use(zmm(of[2])),
        ];
        self.op(Code::EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er, &args);
        result
    }

    /// Values in lane order; their halves are every other word.
    fn float_to_double(&mut self, half: Half, a: Value, result: VReg) {
        let a = self.reg(a);
        let upper = self.upper_half(a);
        let code = Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae;
        let [first, second] = [a, upper].map(|it| self.made(code, &[ymm(it)]));
        let from = match half {
            Half::Low => 0,
            Half::High => 1,
        };
        let indices: Vec<u32> = (0..16).map(|lane| 2 * lane + from).collect();
        let indices = Memory::at(Base::Pool, self.pool.vector(&indices));
        let index = self.new_lanes();
        let args = [Operand::Def(zmm(index)), Operand::Memory(indices)];
        self.op(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, &args);
        let args = [
            Operand::Tied(zmm(result), index),
            Operand::Use(zmm(first)),
            Operand::Use(zmm(second)),
        ];
        self.op(Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32, &args);
    }

    pub(super) fn double_to_float(&mut self, operands: &[Value], result: VReg) {
        let code = Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er;
        let [first, second] = self.numbers(operands).map(|of| {
            let floats = self.new_lanes();
            let args = [Operand::Def(ymm(floats)), Operand::Use(zmm(of[0]))];
            self.op(code, &args);
            floats
        });
        let both = self.new_lanes();
        let args = [
            Operand::Def(zmm(both)),
            Operand::Use(zmm(first)),
            Operand::Use(ymm(second)),
            Operand::Imm8(1),
        ];
        self.op(Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8, &args);
        // The first two of each four lie in the first half.
        let indices = (0..16).map(|lane| lane % 4 / 2 * 8 + lane / 4 * 2 + lane % 2);
        let indices: Vec<u32> = indices.collect();
        let indices = Memory::at(Base::Pool, self.pool.vector(&indices));
        let index = self.new_lanes();
        let args = [Operand::Def(zmm(index)), Operand::Memory(indices)];
        self.op(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, &args);
        let args = [
            Operand::Def(zmm(result)),
            Operand::Use(zmm(index)),
            Operand::Use(zmm(both)),
        ];
        self.op(Code::EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32, &args);
    }
}
