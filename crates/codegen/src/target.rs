//! Targets: the instruction sets of all back ends, and which of them this CPU supports.

use std::fmt;

use crate::backend::Backend as _;
use crate::x64;

/// An instruction set that code is generated for, with its number of lanes per vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target(pub(crate) Architecture);

/// The back ends, each with its instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Architecture {
    X64(x64::InstructionSet),
}

impl Target {
    /// The best target that this CPU supports; `None` where no code generator supports the CPU or the operating system.
    pub fn detect() -> Option<Self> {
        Self::all().next()
    }

    /// Every target that this CPU supports, the best first.
    pub fn all() -> impl Iterator<Item = Self> {
        x64::InstructionSet::supported().map(|isa| Self(Architecture::X64(isa)))
    }

    /// The target with a name, if this CPU supports it.
    ///
    /// ```
    /// use anywarp_codegen::Target;
    ///
    /// for target in Target::all() {
    ///     assert_eq!(Target::named(target.name()), Some(target));
    /// }
    /// assert_eq!(Target::named("quill"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|target| target.name() == name)
    }

    /// The name of the target in options: `avx512` or `avx2`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Architecture::X64(isa) => isa.name(),
        }
    }

    /// The same instruction set without optional extensions, so that tests cover the code of CPUs without them.
    pub fn plain(self) -> Self {
        Self(match self.0 {
            Architecture::X64(isa) => Architecture::X64(isa.plain()),
        })
    }

    /// The number of lanes of a vector.
    pub fn lanes(self) -> u32 {
        match self.0 {
            Architecture::X64(isa) => isa.lanes(),
        }
    }

    /// Disassembles the instructions from `entry` on, one per line.
    pub(crate) fn disassemble(self, bytes: &[u8], entry: usize) -> String {
        match self.0 {
            Architecture::X64(isa) => isa.disassemble(bytes, entry),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Architecture::X64(isa) => isa.fmt(f),
        }
    }
}
