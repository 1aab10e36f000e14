//! Targets: the instruction sets that code can be generated for, and their detection with CPUID.

use std::fmt;

/// An instruction set and its number of lanes per vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target(pub(crate) InstructionSet);

/// The x86-64 instruction-set extensions that generated code uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    not(all(unix, target_arch = "x86_64")),
    expect(dead_code, reason = "other machines have none of it")
)]
pub(crate) enum InstructionSet {
    /// AVX-512 F, BW, CD, DQ and VL: 16 lanes, and mask registers (`k0` to `k7`).
    Avx512 {
        /// Whether AVX512_VPOPCNTDQ is present: a population count of lanes in one instruction.
        counts_bits: bool,
    },
    /// AVX2 and FMA: 8 lanes, masks are vectors.
    Avx2,
}

impl Target {
    /// The best target that this CPU supports; `None` where no code generator supports the CPU or the operating system.
    pub fn detect() -> Option<Self> {
        Self::avx512().or_else(Self::avx2)
    }

    /// AVX-512 with 16 lanes, if this CPU supports it.
    pub fn avx512() -> Option<Self> {
        detect::avx512().map(Self)
    }

    /// AVX2 with 8 lanes, if this CPU supports it.
    pub fn avx2() -> Option<Self> {
        detect::avx2().map(Self)
    }

    /// Every target that this CPU supports, the best first.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::avx512().into_iter().chain(Self::avx2())
    }

    /// The same instruction set without optional extensions (VPOPCNTDQ), so that tests cover the code of CPUs without
    /// them.
    pub fn plain(self) -> Self {
        Self(match self.0 {
            InstructionSet::Avx512 { .. } => InstructionSet::Avx512 { counts_bits: false },
            InstructionSet::Avx2 => InstructionSet::Avx2,
        })
    }

    /// The number of lanes of a vector.
    pub fn lanes(self) -> u32 {
        match self.0 {
            InstructionSet::Avx512 { .. } => 16,
            InstructionSet::Avx2 => 8,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            InstructionSet::Avx512 { .. } => "AVX-512",
            InstructionSet::Avx2 => "AVX2",
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
