//! The operations of instructions. Names say 32 bits; [`TypedOp`](super::TypedOp) uses them for other widths too.

/// Componentwise operations on one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    NegF32,
    NegI32,
    NotBool,
    NotBits,
    IsNan,
    IsInf,
    // Conversions by value.
    F32ToI32,
    F32ToU32,
    I32ToF32,
    U32ToF32,
    WordToBool,
    F32ToBool,
    BoolToF32,
    // Float functions.
    Abs,
    Saturate,
    Sign,
    Ceil,
    Floor,
    Round,
    Trunc,
    Fract,
    Sqrt,
    InverseSqrt,
    Radians,
    Degrees,
    QuantizeToF16,
    Cos,
    Sin,
    Tan,
    Acos,
    Asin,
    Atan,
    Cosh,
    Sinh,
    Tanh,
    Acosh,
    Asinh,
    Atanh,
    Exp,
    Exp2,
    Log,
    Log2,
    // Integer functions.
    AbsI32,
    SignI32,
    CountTrailingZeros,
    CountLeadingZeros,
    CountOneBits,
    ReverseBits,
    FirstTrailingBit,
    FirstLeadingBitU32,
    FirstLeadingBitI32,
}

/// Componentwise operations on two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    AddF32,
    SubF32,
    MulF32,
    DivF32,
    RemF32,
    AddInt,
    SubInt,
    MulInt,
    DivI32,
    DivU32,
    RemI32,
    RemU32,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRightI32,
    ShiftRightU32,
    EqualF32,
    NotEqualF32,
    LessF32,
    LessEqualF32,
    EqualWord,
    NotEqualWord,
    LessI32,
    LessEqualI32,
    LessU32,
    LessEqualU32,
    MinF32,
    MaxF32,
    MinI32,
    MaxI32,
    MinU32,
    MaxU32,
    Atan2,
    Pow,
    Step,
    Ldexp,
}

/// Componentwise operations on three operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ternary {
    /// `a` where `c` is set, else `b`.
    Select,
    Fma,
    Mix,
    SmoothStep,
    ClampF32,
    ClampI32,
    ClampU32,
    ExtractBitsI32,
    ExtractBitsU32,
}

/// Operations on whole vectors of `n` components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Geometric {
    All,
    Any,
    DotF32,
    DotInt,
    Length,
    Distance,
    Normalize,
    Cross,
    FaceForward,
    Reflect,
    Refract,
    /// Results: the fraction of every component, then the whole part of every component.
    Modf,
    /// Results: the fraction of every component, then the exponent of every component.
    Frexp,
}

/// Operations on matrices; the instruction carries their columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Matrix {
    /// `columns x rows` matrix times a vector of `columns`.
    TimesVector,
    /// A vector of `rows` times a `columns x rows` matrix.
    VectorTimes,
    /// `inner x rows` matrix times a `columns x inner` matrix; `inner` is a field of its own.
    Product {
        inner: u8,
    },
    /// Of a `columns x rows` matrix.
    Transpose,
    /// Column vector of `rows` times row vector of `columns`.
    Outer,
    Determinant,
    Inverse,
}

/// Operations between a vector and a word that packs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Pack4x8Snorm,
    Pack4x8Unorm,
    Pack2x16Snorm,
    Pack2x16Unorm,
    Pack2x16Float,
    Pack4xI8,
    Pack4xU8,
    Pack4xI8Clamp,
    Pack4xU8Clamp,
    Unpack4x8Snorm,
    Unpack4x8Unorm,
    Unpack2x16Snorm,
    Unpack2x16Unorm,
    Unpack2x16Float,
    Unpack4xI8,
    Unpack4xU8,
    /// Of two packed operands.
    Dot4I8,
    Dot4U8,
}
