//! The tables of instructions of AVX2 and FMA.

use anywarp_lanes::ir::{LaneBinary, LaneUnary, WordBinary};
use iced_x86::Code;

use super::super::fma::FmaForms;
use super::super::vector::{DoubleInstructions, Instructions, ScalarInstructions};

pub(super) const INSTRUCTIONS: Instructions = Instructions {
    load_aligned: Code::VEX_Vmovaps_ymm_ymmm256,
    store_aligned: Code::VEX_Vmovaps_ymmm256_ymm,
    load_constant: Code::VEX_Vmovdqa_ymm_ymmm256,
    load: Code::VEX_Vmovdqu_ymm_ymmm256,
    store: Code::VEX_Vmovdqu_ymmm256_ymm,
    store_non_temporal: Code::VEX_Vmovntdq_m256_ymm,
    load_splat: Code::VEX_Vbroadcastss_ymm_m32,
    and: Code::VEX_Vpand_ymm_ymm_ymmm256,
    xor: Code::VEX_Vpxor_ymm_ymm_ymmm256,
    shifts: [
        Code::VEX_Vpsllvd_ymm_ymm_ymmm256,
        Code::VEX_Vpsrlvd_ymm_ymm_ymmm256,
        Code::VEX_Vpsravd_ymm_ymm_ymmm256,
    ],
    fma: [
        FmaForms {
            f132: Code::VEX_Vfmadd132ps_ymm_ymm_ymmm256,
            f213: Code::VEX_Vfmadd213ps_ymm_ymm_ymmm256,
            f231: Code::VEX_Vfmadd231ps_ymm_ymm_ymmm256,
        },
        FmaForms {
            f132: Code::VEX_Vfmsub132ps_ymm_ymm_ymmm256,
            f213: Code::VEX_Vfmsub213ps_ymm_ymm_ymmm256,
            f231: Code::VEX_Vfmsub231ps_ymm_ymm_ymmm256,
        },
        FmaForms {
            f132: Code::VEX_Vfnmadd132ps_ymm_ymm_ymmm256,
            f213: Code::VEX_Vfnmadd213ps_ymm_ymm_ymmm256,
            f231: Code::VEX_Vfnmadd231ps_ymm_ymm_ymmm256,
        },
        FmaForms {
            f132: Code::VEX_Vfnmsub132ps_ymm_ymm_ymmm256,
            f213: Code::VEX_Vfnmsub213ps_ymm_ymm_ymmm256,
            f231: Code::VEX_Vfnmsub231ps_ymm_ymm_ymmm256,
        },
    ],
    round: Code::VEX_Vroundps_ymm_ymmm256_imm8,
    permute: Code::VEX_Vpermd_ymm_ymm_ymmm256,
    unpack: [
        Code::VEX_Vpunpckldq_ymm_ymm_ymmm256,
        Code::VEX_Vpunpckhdq_ymm_ymm_ymmm256,
    ],
    shuffle: Code::VEX_Vshufps_ymm_ymm_ymmm256_imm8,
    multiply_wide: Code::VEX_Vpmuludq_ymm_ymm_ymmm256,
    shift_wide_right: Code::VEX_Vpsrlq_ymm_ymm_imm8,
    double: DoubleInstructions {
        add: Code::VEX_Vaddpd_ymm_ymm_ymmm256,
        sub: Code::VEX_Vsubpd_ymm_ymm_ymmm256,
        mul: Code::VEX_Vmulpd_ymm_ymm_ymmm256,
        div: Code::VEX_Vdivpd_ymm_ymm_ymmm256,
        sqrt: Code::VEX_Vsqrtpd_ymm_ymmm256,
        fma213: Code::VEX_Vfmadd213pd_ymm_ymm_ymmm256,
        round: Code::VEX_Vroundpd_ymm_ymmm256_imm8,
    },
    scalar: ScalarInstructions {
        from_word: Code::VEX_Vmovd_xmm_rm32,
        to_word: Code::VEX_Vmovd_rm32_xmm,
        extract: Code::VEX_Vpextrd_rm32_xmm_imm8,
        add_float: Code::VEX_Vaddss_xmm_xmm_xmmm32,
    },
};

/// The instruction of a unary operation, if it is a single one without an immediate.
pub(super) fn unary_code(op: LaneUnary) -> Option<Code> {
    Some(match op {
        LaneUnary::Sqrt => Code::VEX_Vsqrtps_ymm_ymmm256,
        LaneUnary::InverseSqrtEstimate => Code::VEX_Vrsqrtps_ymm_ymmm256,
        LaneUnary::FromS => Code::VEX_Vcvtdq2ps_ymm_ymmm256,
        _ => return None,
    })
}

/// The instruction of an operation, if it is a single one.
pub(super) fn binary_code(op: LaneBinary) -> Option<Code> {
    use WordBinary as W;
    Some(match op {
        LaneBinary::AddF => Code::VEX_Vaddps_ymm_ymm_ymmm256,
        LaneBinary::SubF => Code::VEX_Vsubps_ymm_ymm_ymmm256,
        LaneBinary::MulF => Code::VEX_Vmulps_ymm_ymm_ymmm256,
        LaneBinary::DivF => Code::VEX_Vdivps_ymm_ymm_ymmm256,
        LaneBinary::MinF => Code::VEX_Vminps_ymm_ymm_ymmm256,
        LaneBinary::MaxF => Code::VEX_Vmaxps_ymm_ymm_ymmm256,
        LaneBinary::ScaleF => return None,
        LaneBinary::Int(op) => match op {
            W::Add => Code::VEX_Vpaddd_ymm_ymm_ymmm256,
            W::Sub => Code::VEX_Vpsubd_ymm_ymm_ymmm256,
            W::Mul => Code::VEX_Vpmulld_ymm_ymm_ymmm256,
            W::And => Code::VEX_Vpand_ymm_ymm_ymmm256,
            W::Or => Code::VEX_Vpor_ymm_ymm_ymmm256,
            W::Xor => Code::VEX_Vpxor_ymm_ymm_ymmm256,
            W::MinU => Code::VEX_Vpminud_ymm_ymm_ymmm256,
            W::MaxU => Code::VEX_Vpmaxud_ymm_ymm_ymmm256,
            W::MinS => Code::VEX_Vpminsd_ymm_ymm_ymmm256,
            W::MaxS => Code::VEX_Vpmaxsd_ymm_ymm_ymmm256,
            W::Shl | W::ShrU | W::ShrS | W::DivU | W::DivS | W::RemU | W::RemS | W::MulHighU => {
                return None;
            }
        },
    })
}
