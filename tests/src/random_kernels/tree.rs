//! A kernel as a tree: what the generator makes, the printer prints and the minimiser cuts.
//!
//! Whatever tree is printed cannot race, loop for ever, leave an array or compute an inexact float:
//! the printer brings indices into range and floats back into theirs, loops count by themselves, and
//! the parts of the entry point have a barrier between them. So the minimiser may cut anywhere; what
//! it breaks (a name that is gone) the validator notices.

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
    /// A scalar; floats are whole numbers too.
    Literal(i64),
    /// `T()`.
    Zero,
    /// Something with a value that never changes.
    Name(String, Constness),
    Load(Place),
    /// A part of a value.
    Access(Box<Expr>, Access),
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
    /// A function that asks the subgroup and gives its argument back.
    Lanes(&'static str, Box<Expr>),
    /// A function by its index.
    Call(usize, Vec<Argument>),
    /// A function that belongs to a texture, by its name.
    Named(String, Vec<Expr>),
}

/// Whether a name stands for a constant expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Constness {
    Constant,
    Runtime,
}

/// Whether a result can leave the range of floats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Growth {
    Grows,
    Stays,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    Value(Expr),
    Pointer(Place),
}

/// A variable, or what a pointer points to, or a part of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) root: String,
    pub(crate) path: Vec<Access>,
    pub(crate) ty: Type,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Access {
    Member(usize),
    Component(u32),
    /// Of so many elements; the index is taken modulo that.
    Index(u32, Box<Expr>),
}

pub(crate) type Block = Vec<Statement>;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Statement {
    Let(String, Expr),
    Var(String, Type, Option<Expr>),
    /// `let p = &place;`
    Pointer(String, Place),
    /// With `=`, or an operator of integers.
    Assign(Place, &'static str, Expr),
    /// `++` or `--`.
    Step(Place, &'static str),
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
    Atomic(&'static str, Place, Expr),
    /// A function that stores to a texture, and the value.
    Store(String, Expr),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) values: Vec<i64>,
    pub(crate) is_default: bool,
    pub(crate) body: Block,
}

/// A loop that counts to its end whatever its body does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Loop {
    pub(crate) form: Form,
    pub(crate) counter: String,
    pub(crate) count: u32,
    pub(crate) body: Block,
    /// Only of [`Form::BreakIf`] and [`Form::Continuing`].
    pub(crate) continuing: Block,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    For,
    CountDown,
    While,
    BreakIf,
    Continuing,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Function {
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) result: Option<Type>,
    pub(crate) body: Block,
    /// Statements that a call carries out at most.
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

/// Something declared at module scope that is no buffer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Global {
    pub(crate) name: String,
    /// All of its declaration.
    pub(crate) text: String,
}

/// A buffer, or a texture, with its content.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Buffer {
    pub(crate) name: String,
    /// None of a texture.
    pub(crate) space: &'static str,
    pub(crate) declared: String,
    /// Of what it holds.
    pub(crate) leaves: Vec<(u32, Scalar)>,
    pub(crate) words: Vec<u32>,
    pub(crate) texture: Option<TextureSpec>,
}

/// Parts of the entry point, in uniform control flow and with a barrier before each body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Phase {
    Body(Block),
    When(Expr, Vec<Phase>),
    Repeat(String, u32, Vec<Phase>),
    /// The name of a value, and from where `workgroupUniformLoad` takes it.
    UniformLoad(String, Place),
}

/// A whole program with its input.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The types of numbers that it may use.
    pub(crate) scalars: Vec<Scalar>,
    /// What a device must have for it.
    pub(crate) features: Vec<&'static str>,
    pub(crate) structs: Structs,
    pub(crate) globals: Vec<Global>,
    pub(crate) overrides: Vec<(String, f64)>,
    pub(crate) immediates: Vec<u32>,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) functions: Vec<Function>,
    /// What the entry point declares.
    pub(crate) locals: Block,
    pub(crate) phases: Vec<Phase>,
    pub(crate) workgroup_size: [u32; 3],
    pub(crate) workgroups: [u32; 3],
}

impl Expr {
    pub(crate) fn new(ty: Type, kind: Kind) -> Self {
        Self { ty, kind }
    }

    /// Whether WGSL evaluates it when the program is made.
    pub(crate) fn is_constant(&self) -> bool {
        match &self.kind {
            Kind::Literal(_) | Kind::Zero => true,
            Kind::Name(_, constness) => *constness == Constness::Constant,
            Kind::Construct(parts) => parts.iter().all(Self::is_constant),
            Kind::Access(value, Access::Index(_, index)) => {
                value.is_constant() && index.is_constant()
            }
            Kind::Access(value, _) | Kind::Swizzle(value, _) => value.is_constant(),
            // The printer lets no operator see constants alone.
            _ => false,
        }
    }
}
