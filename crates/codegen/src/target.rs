//! Which machine code this machine can run.

use std::fmt;

/// A kind of machine code, and how many lanes a vector has there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target(pub(crate) Level);

/// What of x86-64 may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    not(all(unix, target_arch = "x86_64")),
    expect(dead_code, reason = "other machines have none of it")
)]
pub(crate) enum Level {
    /// AVX-512 F, BW, CD, DQ and VL: 16 lanes, mask registers.
    Avx512 {
        /// Whether bits can be counted by one instruction.
        counts_bits: bool,
    },
    /// AVX2 and FMA: 8 lanes, masks are vectors.
    Avx2,
}

impl Target {
    /// The best that this machine can run; none where there is no code generator for it.
    pub fn detect() -> Option<Self> {
        Self::avx512().or_else(Self::avx2)
    }

    /// AVX-512 with 16 lanes, if this machine has it.
    pub fn avx512() -> Option<Self> {
        detect::avx512().map(Self)
    }

    /// AVX2 with 8 lanes, if this machine has it.
    pub fn avx2() -> Option<Self> {
        detect::avx2().map(Self)
    }

    /// Every target that this machine can run, the best first.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::avx512().into_iter().chain(Self::avx2())
    }

    /// The same without what only some machines of its kind have, so that tests see what others run.
    pub fn plain(self) -> Self {
        Self(match self.0 {
            Level::Avx512 { .. } => Level::Avx512 { counts_bits: false },
            Level::Avx2 => Level::Avx2,
        })
    }

    /// Lanes of a vector.
    pub fn lanes(self) -> u32 {
        match self.0 {
            Level::Avx512 { .. } => 16,
            Level::Avx2 => 8,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Level::Avx512 { .. } => "AVX-512",
            Level::Avx2 => "AVX2",
        })
    }
}

#[cfg(all(target_arch = "x86_64", unix))]
mod detect {
    use std::arch::is_x86_feature_detected as has;

    use super::Level;

    pub(super) fn avx512() -> Option<Level> {
        let is_there = has!("avx512f")
            && has!("avx512bw")
            && has!("avx512cd")
            && has!("avx512dq")
            && has!("avx512vl");
        (is_there && avx2().is_some()).then(|| Level::Avx512 {
            counts_bits: has!("avx512vpopcntdq"),
        })
    }

    pub(super) fn avx2() -> Option<Level> {
        let is_there = has!("avx2")
            && has!("fma")
            && has!("f16c")
            && has!("bmi1")
            && has!("bmi2")
            && has!("popcnt");
        is_there.then_some(Level::Avx2)
    }
}

#[cfg(not(all(target_arch = "x86_64", unix)))]
mod detect {
    use super::Level;

    pub(super) fn avx512() -> Option<Level> {
        None
    }

    pub(super) fn avx2() -> Option<Level> {
        None
    }
}
