//! The machine that a function is compiled for, as far as the lowering and the passes choose by it.

/// The vectors of a machine. A number of lanes converts to the x86-64 CPU with such vectors: with AVX-512 for 16, with
/// AVX2 for 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorMachine {
    /// The number of lanes of a vector.
    pub lanes: u32,
    /// What its instructions can do.
    pub capabilities: Capabilities,
}

/// The properties by which equivalent code differs in speed. No result depends on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether one instruction multiplies by a power of two ([`LaneBinary::ScaleF`](super::LaneBinary::ScaleF)).
    pub scales_floats: bool,
    /// Whether one instruction computes any bitwise function of three operands ([`Op::Ternary`](super::Op::Ternary)).
    pub has_ternary_logic: bool,
    /// The number of vector registers.
    pub vector_registers: u32,
}

impl Capabilities {
    /// AVX-512.
    pub const AVX512: Self = Self {
        scales_floats: true,
        has_ternary_logic: true,
        vector_registers: 32,
    };
    /// AVX2.
    pub const AVX2: Self = Self {
        scales_floats: false,
        has_ternary_logic: false,
        vector_registers: 16,
    };
}

impl From<u32> for VectorMachine {
    fn from(lanes: u32) -> Self {
        Self {
            lanes,
            capabilities: match lanes {
                16 => Capabilities::AVX512,
                _ => Capabilities::AVX2,
            },
        }
    }
}
