//! Targets: the machines that code can be generated for.

use std::fmt;

use crate::x64::InstructionSet;

/// A machine that code is generated for: an instruction set and its number of lanes per vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target(pub(crate) InstructionSet);

impl Target {
    /// The best target that this CPU supports; `None` where no code generator supports the CPU or the operating system.
    pub fn detect() -> Option<Self> {
        Self::all().next()
    }

    /// Every target that this CPU supports, the best first.
    pub fn all() -> impl Iterator<Item = Self> {
        InstructionSet::supported().map(Self)
    }

    /// AVX-512 with 16 lanes, if this CPU supports it.
    pub fn avx512() -> Option<Self> {
        Self::all().find(|target| matches!(target.0, InstructionSet::Avx512 { .. }))
    }

    /// AVX2 with 8 lanes, if this CPU supports it.
    pub fn avx2() -> Option<Self> {
        Self::all().find(|target| target.0 == InstructionSet::Avx2)
    }

    /// The same instruction set without optional extensions (VPOPCNTDQ), so that tests cover the code of CPUs without
    /// them.
    pub fn plain(self) -> Self {
        Self(self.0.plain())
    }

    /// The number of lanes of a vector.
    pub fn lanes(self) -> u32 {
        self.0.lanes()
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
