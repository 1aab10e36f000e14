//! The tables of instructions of AVX-512.

use anywarp_lanes::ir::{LaneBinary, LaneUnary, WordBinary};
use iced_x86::Code;

use super::super::fma::FmaForms;
use super::super::vector::{DoubleInstructions, Instructions, ScalarInstructions};

pub(super) const INSTRUCTIONS: Instructions = Instructions {
    load_aligned: Code::EVEX_Vmovaps_zmm_k1z_zmmm512,
    store_aligned: Code::EVEX_Vmovaps_zmmm512_k1z_zmm,
    load_constant: Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512,
    load: Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512,
    store: Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm,
    store_non_temporal: Code::EVEX_Vmovntdq_m512_zmm,
    load_splat: Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32,
    and: Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
    xor: Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
    shifts: [
        Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32,
        Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32,
        Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32,
    ],
    fma: [
        FmaForms {
            f132: Code::EVEX_Vfmadd132ps_zmm_k1z_zmm_zmmm512b32_er,
            f213: Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er,
            f231: Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er,
        },
        FmaForms {
            f132: Code::EVEX_Vfmsub132ps_zmm_k1z_zmm_zmmm512b32_er,
            f213: Code::EVEX_Vfmsub213ps_zmm_k1z_zmm_zmmm512b32_er,
            f231: Code::EVEX_Vfmsub231ps_zmm_k1z_zmm_zmmm512b32_er,
        },
        FmaForms {
            f132: Code::EVEX_Vfnmadd132ps_zmm_k1z_zmm_zmmm512b32_er,
            f213: Code::EVEX_Vfnmadd213ps_zmm_k1z_zmm_zmmm512b32_er,
            f231: Code::EVEX_Vfnmadd231ps_zmm_k1z_zmm_zmmm512b32_er,
        },
        FmaForms {
            f132: Code::EVEX_Vfnmsub132ps_zmm_k1z_zmm_zmmm512b32_er,
            f213: Code::EVEX_Vfnmsub213ps_zmm_k1z_zmm_zmmm512b32_er,
            f231: Code::EVEX_Vfnmsub231ps_zmm_k1z_zmm_zmmm512b32_er,
        },
    ],
    round: Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae,
    permute: Code::EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32,
    unpack: [
        Code::EVEX_Vpunpckldq_zmm_k1z_zmm_zmmm512b32,
        Code::EVEX_Vpunpckhdq_zmm_k1z_zmm_zmmm512b32,
    ],
    shuffle: Code::EVEX_Vshufps_zmm_k1z_zmm_zmmm512b32_imm8,
    multiply_wide: Code::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64,
    shift_wide_right: Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8,
    double: DoubleInstructions {
        add: Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er,
        sub: Code::EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er,
        mul: Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er,
        div: Code::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er,
        sqrt: Code::EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er,
        fma213: Code::EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er,
        round: Code::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae,
    },
    scalar: ScalarInstructions {
        from_word: Code::EVEX_Vmovd_xmm_rm32,
        to_word: Code::EVEX_Vmovd_rm32_xmm,
        extract: Code::EVEX_Vpextrd_rm32_xmm_imm8,
        add_float: Code::EVEX_Vaddss_xmm_k1z_xmm_xmmm32_er,
    },
};

/// The instruction of a unary operation, if it is a single one without an immediate.
pub(super) fn unary_code(op: LaneUnary, counts_bits: bool) -> Option<Code> {
    Some(match op {
        LaneUnary::Sqrt => Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er,
        LaneUnary::InverseSqrtEstimate => Code::EVEX_Vrsqrt14ps_zmm_k1z_zmmm512b32,
        LaneUnary::FromU => Code::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er,
        LaneUnary::FromS => Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er,
        LaneUnary::LeadingZeros => Code::EVEX_Vplzcntd_zmm_k1z_zmmm512b32,
        LaneUnary::CountOnes if counts_bits => Code::EVEX_Vpopcntd_zmm_k1z_zmmm512b32,
        _ => return None,
    })
}

/// The instruction of an operation, if it is a single one.
pub(super) fn binary_code(op: LaneBinary) -> Option<Code> {
    use WordBinary as W;
    Some(match op {
        LaneBinary::AddF => Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er,
        LaneBinary::SubF => Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er,
        LaneBinary::MulF => Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er,
        LaneBinary::DivF => Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er,
        LaneBinary::MinF => Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae,
        LaneBinary::MaxF => Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae,
        LaneBinary::ScaleF => Code::EVEX_Vscalefps_zmm_k1z_zmm_zmmm512b32_er,
        LaneBinary::Int(op) => match op {
            W::Add => Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
            W::Sub => Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32,
            W::Mul => Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32,
            W::And => Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
            W::Or => Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32,
            W::Xor => Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
            W::MinU => Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32,
            W::MaxU => Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32,
            W::MinS => Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32,
            W::MaxS => Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32,
            W::Shl | W::ShrU | W::ShrS | W::DivU | W::DivS | W::RemU | W::RemS | W::MulHighU => {
                return None;
            }
        },
    })
}
