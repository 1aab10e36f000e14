//! The x86-64 instruction-set extensions that code is generated for, and their detection with CPUID.

use std::fmt;

/// A set of instruction-set extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum InstructionSet {
    /// AVX-512 F, BW, CD, DQ and VL: 16 lanes, and mask registers (`k0` to `k7`).
    Avx512 {
        /// Whether AVX512_VPOPCNTDQ is present: a population count of lanes in one instruction.
        counts_bits: bool,
    },
    /// AVX2 and FMA: 8 lanes, masks are vectors.
    Avx2,
}

impl InstructionSet {
    /// The instruction sets that this CPU supports, the best first.
    pub(crate) fn supported() -> impl Iterator<Item = Self> {
        detect::avx512().into_iter().chain(detect::avx2())
    }

    /// The same instruction set without optional extensions.
    pub(crate) fn plain(self) -> Self {
        match self {
            Self::Avx512 { .. } => Self::Avx512 { counts_bits: false },
            Self::Avx2 => Self::Avx2,
        }
    }

    /// The name in options.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Avx512 { .. } => "avx512",
            Self::Avx2 => "avx2",
        }
    }
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Avx512 { .. } => "AVX-512",
            Self::Avx2 => "AVX2",
        })
    }
}

#[cfg(all(target_arch = "x86_64", unix))]
mod detect {
    use std::arch::is_x86_feature_detected as has;

    use super::InstructionSet;

    pub(super) fn avx512() -> Option<InstructionSet> {
        let is_there = has!("avx512f")
            && has!("avx512bw")
            && has!("avx512cd")
            && has!("avx512dq")
            && has!("avx512vl");
        (is_there && avx2().is_some()).then(|| InstructionSet::Avx512 {
            counts_bits: has!("avx512vpopcntdq"),
        })
    }

    pub(super) fn avx2() -> Option<InstructionSet> {
        let is_there = has!("avx2")
            && has!("fma")
            && has!("f16c")
            && has!("bmi1")
            && has!("bmi2")
            && has!("popcnt");
        is_there.then_some(InstructionSet::Avx2)
    }
}

#[cfg(not(all(target_arch = "x86_64", unix)))]
mod detect {
    use super::InstructionSet;

    pub(super) fn avx512() -> Option<InstructionSet> {
        None
    }

    pub(super) fn avx2() -> Option<InstructionSet> {
        None
    }
}
