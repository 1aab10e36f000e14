//! The types of values, functions, memories and tables.

/// A value type of WebAssembly. The list is complete for the features that are supported, so that
/// matches need no other arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A 32-bit integer.
    I32,
    /// A 64-bit integer.
    I64,
    /// A 32-bit float.
    F32,
    /// A 64-bit float.
    F64,
    /// A function reference, or null.
    FuncRef,
    /// An opaque host reference, or null.
    ExternRef,
}

impl Type {
    /// How many 32-bit slots a value of this type takes.
    pub const fn slots(self) -> u32 {
        match self {
            Self::I64 | Self::F64 => 2,
            Self::I32 | Self::F32 | Self::FuncRef | Self::ExternRef => 1,
        }
    }

    /// The name of the type in the WebAssembly text format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::FuncRef => "funcref",
            Self::ExternRef => "externref",
        }
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A function signature.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// Parameter types.
    pub params: Vec<Type>,
    /// Result types.
    pub results: Vec<Type>,
}

impl std::fmt::Display for FunctionType {
    /// As `(i32, f32) -> (i64)`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |types: &[Type]| {
            let names: Vec<_> = types.iter().map(|ty| ty.name()).collect();
            names.join(", ")
        };
        write!(f, "({}) -> ({})", list(&self.params), list(&self.results))
    }
}

/// The size of a memory in pages of 64 KiB, or of a table in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Initial size.
    pub initial: u32,
    /// Maximum size, if there is one.
    pub maximum: Option<u32>,
}
