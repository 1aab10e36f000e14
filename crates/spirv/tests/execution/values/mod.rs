//! Generates compute shaders that use values of every type: operators, builtin functions, structs, arrays, matrices,
//! functions with `in`, `out` and `inout` parameters, shared memory.
//!
//! What always holds: every float that is used is a multiple of 1/4 between -64 and 64, so sums and products are exact
//! in any order of evaluation; shifts, divisors and indices are in the range that SPIR-V defines. Results that are
//! inexact by nature (`sin`, `sqrt`) go to a second buffer, and are compared with WGSL's tolerances.

use std::fmt::Write;

mod expressions;
mod program;
mod statements;
mod text;

use crate::common::random::Random;

/// Number of invocations.
pub(crate) const COUNT: usize = 64;
/// Words per invocation in the first buffer, both of input and of output.
pub(crate) const WORDS: usize = 48;
/// Floats per invocation in the second buffer.
pub(crate) const FLOATS: usize = 8;
/// Words of the third buffer.
pub(crate) const CELLS: usize = 128;

/// Optional features of a shader besides 32-bit types.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Extras {
    /// 8-bit and 16-bit integers.
    pub(crate) narrow: bool,
    /// 64-bit integers.
    pub(crate) wide: bool,
    pub(crate) doubles: bool,
    pub(crate) subgroups: bool,
    /// Specialization constants with values other than their defaults.
    pub(crate) constants: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Scalar {
    Bool,
    Int,
    Uint,
    Float,
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int64,
    Uint64,
    Double,
}

use Scalar::{Bool, Double, Float, Int, Int8, Int16, Int64, Uint, Uint8, Uint16, Uint64};

impl Scalar {
    pub(super) fn name(self) -> &'static str {
        match self {
            Bool => "bool",
            Int => "int",
            Uint => "uint",
            Float => "float",
            Int8 => "int8_t",
            Uint8 => "uint8_t",
            Int16 => "int16_t",
            Uint16 => "uint16_t",
            Int64 => "int64_t",
            Uint64 => "uint64_t",
            Double => "double",
        }
    }

    pub(super) fn letter(self) -> &'static str {
        match self {
            Bool => "b",
            Int => "i",
            Uint => "u",
            Float => "",
            Int8 => "i8",
            Uint8 => "u8",
            Int16 => "i16",
            Uint16 => "u16",
            Int64 => "i64",
            Uint64 => "u64",
            Double => "d",
        }
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, Float | Double)
    }

    pub(super) fn is_signed(self) -> bool {
        matches!(self, Int | Int8 | Int16 | Int64)
    }

    pub(super) fn bits(self) -> u32 {
        match self {
            Int8 | Uint8 => 8,
            Int16 | Uint16 => 16,
            Int64 | Uint64 | Double => 64,
            _ => 32,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Type {
    Vector(Scalar, u32),
    Matrix(u32, u32),
    Array(Box<Type>, u32),
    Struct(usize),
}

fn named(scalar: Scalar, width: u32) -> String {
    match width {
        1 => scalar.name().to_owned(),
        width => format!("{}vec{width}", scalar.letter()),
    }
}

fn declared(ty: &Type) -> (String, String) {
    match ty {
        Type::Vector(scalar, width) => (named(*scalar, *width), String::new()),
        Type::Matrix(columns, rows) => (format!("mat{columns}x{rows}"), String::new()),
        Type::Array(element, count) => {
            let (name, lengths) = declared(element);
            (name, format!("[{count}]{lengths}"))
        }
        Type::Struct(number) => (format!("S{number}"), String::new()),
    }
}

#[derive(Clone)]
struct Variable {
    name: String,
    ty: Type,
    is_constant: bool,
}

#[derive(Clone)]
struct Function {
    name: String,
    result: Type,
    /// The parameters with their qualifiers: `in`, `out` or `inout`.
    parameters: Vec<(&'static str, Type)>,
}

/// A specialization constant: its id, and the bits to set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constant {
    pub(crate) id: u32,
    pub(crate) bits: u32,
    /// The value as pipeline creation takes it.
    pub(crate) value: f64,
}

pub(crate) struct Made {
    pub(crate) source: String,
    pub(crate) constants: Vec<Constant>,
}

/// Generates a shader. The result depends on the seed and the features only.
pub(crate) fn shader(seed: u64, extras: Extras) -> Made {
    let generator = Generator {
        random: Random(seed ^ 0x7a1e5),
        extras,
        structs: Vec::new(),
        functions: Vec::new(),
        scope: Vec::new(),
        text: String::new(),
        depth: 0,
        budget: 0,
        loops: 0,
        next: 0,
    };
    generator.write()
}

struct Generator {
    random: Random,
    extras: Extras,
    structs: Vec<Vec<Type>>,
    functions: Vec<Function>,
    scope: Vec<Variable>,
    text: String,
    depth: usize,
    budget: u32,
    /// Number of enclosing loops.
    loops: u32,
    next: u32,
}

impl Generator {
    pub(super) fn scalar(&mut self) -> Scalar {
        let usual = [Int, Uint, Float, Int, Uint, Float, Bool];
        if self.extras.narrow && self.random.once_in(2) {
            return self.random.pick(&[Int8, Uint8, Int16, Uint16]);
        }
        if self.extras.wide && self.random.once_in(3) {
            return self.random.pick(&[Int64, Uint64]);
        }
        if self.extras.doubles && self.random.once_in(3) {
            return Double;
        }
        self.random.pick(&usual)
    }

    pub(super) fn vector(&mut self) -> Type {
        let scalar = self.scalar();
        let width = self.random.pick(&[1, 1, 1, 2, 3, 4]);
        Type::Vector(scalar, width)
    }

    pub(super) fn ty(&mut self, depth: u32) -> Type {
        match self.random.below(10) {
            0 | 1 if depth > 0 => {
                let element = self.ty(depth - 1);
                Type::Array(Box::new(element), 2 + self.random.below(3) as u32)
            }
            2 => Type::Matrix(
                2 + self.random.below(3) as u32,
                2 + self.random.below(3) as u32,
            ),
            3 if !self.structs.is_empty() => {
                Type::Struct(self.random.below(self.structs.len() as u64) as usize)
            }
            _ => self.vector(),
        }
    }

    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    pub(super) fn line(&mut self, line: &str) {
        let indent = "    ".repeat(self.depth + 1);
        let _ = writeln!(self.text, "{indent}{line}");
    }
}
