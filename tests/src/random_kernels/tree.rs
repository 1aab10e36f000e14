//! The syntax tree of a kernel: the generator builds it, the printer prints it and the minimiser reduces it.
//!
//! What always holds: a printed tree has no data race, terminates, accesses no array out of bounds and computes no
//! inexact float. The printer brings indices and floats into range, loops count by themselves, and there are barriers
//! between the barrier regions of the entry point. So the minimiser may remove any node; the validator rejects the
//! result if a name is missing.

use super::types::{Scalar, Structs, Type};
use crate::texture::TextureSpec;

/// An expression and its type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expr {
    pub(crate) ty: Type,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A scalar; floats have integral values too.
    Literal(i64),
    /// `T()`.
    Zero,
    /// Something with a value that never changes.
    Name(String, Constness),
    Load(Reference),
    /// A part of a value.
    Access(Box<Expr>, Accessor),
    Swizzle(Box<Expr>, Vec<u32>),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// Text in which `$0` stands for the first argument.
    Builtin(&'static str, Growth, Vec<Expr>),
    /// `T(a, b)` of parts.
    Construct(Vec<Expr>),
    /// `T(a)` of another scalar type.
    Convert(Box<Expr>),
    Bitcast(Box<Expr>),
    /// A function that uses subgroup operations and returns its argument.
    Lanes(&'static str, Box<Expr>),
    /// A function by its index.
    Call(usize, Vec<Argument>),
    /// A function that belongs to a texture, by name.
    Named(String, Vec<Expr>),
}

/// Whether a name is a constant expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Constness {
    Constant,
    Runtime,
}

/// Whether a result can exceed the range of exact floats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Growth {
    Grows,
    Stays,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    Value(Expr),
    Pointer(Reference),
}

/// A variable, the target of a pointer, or a part of one of these.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reference {
    pub(crate) root: String,
    pub(crate) path: Vec<Accessor>,
    pub(crate) ty: Type,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Accessor {
    Member(usize),
    Component(u32),
    /// Into this number of elements; the index is taken modulo that, or clamped to it.
    Index(u32, Box<Expr>),
}

pub(crate) type Block = Vec<Statement>;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Statement {
    Let(String, Expr),
    Var(String, Type, Option<Expr>),
    /// `let p = &place;`
    Pointer(String, Reference),
    /// With `=`, or a compound assignment of integers.
    Assign(Reference, &'static str, Expr),
    /// `++` or `--`.
    Step(Reference, &'static str),
    If(Expr, Block, Block),
    Switch(Expr, Vec<Case>),
    Loop(Loop),
    Block(Block),
    Break,
    Continue,
    Return(Option<Expr>),
    Call(usize, Vec<Argument>),
    /// `_ = e`.
    Phony(Expr),
    /// An atomic operation, its place, and its operand.
    Atomic(&'static str, Reference, Expr),
    /// A function that stores to a texture, and the value.
    Store(String, Expr),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) values: Vec<i64>,
    pub(crate) is_default: bool,
    pub(crate) body: Block,
}

/// A loop with its own counter, which the body cannot change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Loop {
    pub(crate) form: LoopForm,
    pub(crate) counter: String,
    pub(crate) count: u32,
    pub(crate) body: Block,
    /// Only of [`LoopForm::BreakIf`] and [`LoopForm::Continuing`].
    pub(crate) continuing: Block,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LoopForm {
    For,
    CountDown,
    While,
    BreakIf,
    Continuing,
    /// Each invocation of a workgroup begins with its own number.
    Strided,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Function {
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) result: Option<Type>,
    pub(crate) body: Block,
    /// The largest number of statements that a call executes.
    pub(crate) cost: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) passing: Passing,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Passing {
    Value,
    FunctionPointer,
    PrivatePointer,
}

/// A declaration at module scope that is not a buffer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Global {
    pub(crate) name: String,
    /// The whole declaration.
    pub(crate) text: String,
}

/// A buffer, or a texture, with its contents.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Buffer {
    pub(crate) name: String,
    /// Empty for a texture.
    pub(crate) space: &'static str,
    pub(crate) declared: String,
    /// The type of the contents.
    pub(crate) leaves: Vec<(u32, Scalar)>,
    pub(crate) words: Vec<u32>,
    pub(crate) texture: Option<TextureSpec>,
}

/// A barrier region of the entry point: in uniform control flow, with a barrier before each body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Phase {
    Body(Block),
    When(Expr, Vec<Phase>),
    Repeat(String, u32, Vec<Phase>),
    /// The name of a value, and the place that `workgroupUniformLoad` reads.
    UniformLoad(String, Reference),
}

/// A program with its input.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The types of numbers that it may use.
    pub(crate) scalars: Vec<Scalar>,
    /// The device features that it needs.
    pub(crate) features: Vec<&'static str>,
    pub(crate) structs: Structs,
    pub(crate) globals: Vec<Global>,
    pub(crate) overrides: Vec<(String, f64)>,
    pub(crate) immediates: Vec<u32>,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) functions: Vec<Function>,
    /// Declarations of the entry point.
    pub(crate) locals: Block,
    pub(crate) phases: Vec<Phase>,
    pub(crate) workgroup_size: [u32; 3],
    pub(crate) workgroups: [u32; 3],
}

impl Expr {
    pub(crate) fn new(ty: Type, kind: Kind) -> Self {
        Self { ty, kind }
    }

    /// Whether it is a WGSL constant expression.
    pub(crate) fn is_constant(&self) -> bool {
        match &self.kind {
            Kind::Literal(_) | Kind::Zero => true,
            Kind::Name(_, constness) => *constness == Constness::Constant,
            Kind::Construct(parts) => parts.iter().all(Self::is_constant),
            Kind::Access(value, Accessor::Index(_, index)) => {
                value.is_constant() && index.is_constant()
            }
            Kind::Access(value, _) | Kind::Swizzle(value, _) => value.is_constant(),
            // The printer ensures that no operator has constant operands only.
            _ => false,
        }
    }
}
