//! Compute shaders by seed that compute with every type: operators, GLSL's functions, structs, arrays,
//! matrices, functions with parameters of all ways, memory that invocations share.
//!
//! What always holds: every float is a multiple of a quarter between -64 and 64 wherever it is used, so
//! that sums and products of them are exact in whatever order a compiler computes them; shifts, divisors
//! and indices stay where SPIR-V defines them. What is not exact by its nature (`sin`, `sqrt`) goes to a
//! second buffer and is compared within what WGSL allows.

use std::fmt::Write;

use crate::common::random::Random;

/// Invocations.
pub(crate) const COUNT: usize = 64;
/// Words of an invocation in the first buffer: as many go in as come out.
pub(crate) const WORDS: usize = 48;
/// Floats of an invocation in the second buffer.
pub(crate) const FLOATS: usize = 8;
/// Words of the third buffer.
pub(crate) const CELLS: usize = 128;

/// What a shader may use besides 32-bit types.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Extras {
    /// Integers of 8 and 16 bits.
    pub(crate) narrow: bool,
    /// Integers of 64 bits.
    pub(crate) wide: bool,
    pub(crate) doubles: bool,
    pub(crate) subgroups: bool,
    /// Specialisation constants, set to other values.
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
    fn name(self) -> &'static str {
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

    fn letter(self) -> &'static str {
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

    fn is_float(self) -> bool {
        matches!(self, Float | Double)
    }

    fn is_signed(self) -> bool {
        matches!(self, Int | Int8 | Int16 | Int64)
    }

    fn bits(self) -> u32 {
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
    /// Each with `in`, `out` or `inout`.
    parameters: Vec<(&'static str, Type)>,
}

/// A specialisation constant: its id, and the bits it may be set to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constant {
    pub(crate) id: u32,
    pub(crate) bits: u32,
    /// As a pipeline takes it.
    pub(crate) value: f64,
}

pub(crate) struct Made {
    pub(crate) source: String,
    pub(crate) constants: Vec<Constant>,
}

/// The same for the same seed.
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
    /// How many loops surround.
    loops: u32,
    next: u32,
}

impl Generator {
    fn scalar(&mut self) -> Scalar {
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

    fn vector(&mut self) -> Type {
        let scalar = self.scalar();
        let width = self.random.pick(&[1, 1, 1, 2, 3, 4]);
        Type::Vector(scalar, width)
    }

    fn ty(&mut self, depth: u32) -> Type {
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

    fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    fn line(&mut self, line: &str) {
        let indent = "    ".repeat(self.depth + 1);
        let _ = writeln!(self.text, "{indent}{line}");
    }

    // Expressions.

    /// Places of a type that the scope has.
    fn places(&self, wanted: &Type, writable: bool) -> Vec<String> {
        let mut found = Vec::new();
        for variable in &self.scope {
            if !(writable && variable.is_constant) {
                self.inside(&variable.ty, &variable.name, wanted, &mut found);
            }
        }
        found
    }

    fn inside(&self, ty: &Type, path: &str, wanted: &Type, found: &mut Vec<String>) {
        if ty == wanted {
            found.push(path.to_owned());
        }
        match ty {
            Type::Vector(scalar, width) if *width > 1 => {
                if *wanted == Type::Vector(*scalar, 1) {
                    let parts = ["x", "y", "z", "w"];
                    found.extend((0..*width).map(|it| format!("{path}.{}", parts[it as usize])));
                    found.push(format!("{path}[{} % {width}]", self.index()));
                }
            }
            Type::Vector(..) => {}
            Type::Matrix(columns, rows) => {
                let index = format!("{path}[{} % {columns}]", self.index());
                self.inside(&Type::Vector(Float, *rows), &index, wanted, found);
                let last = format!("{path}[{}]", columns - 1);
                self.inside(&Type::Vector(Float, *rows), &last, wanted, found);
            }
            Type::Array(element, count) => {
                let index = format!("{path}[{} % {count}]", self.index());
                self.inside(element, &index, wanted, found);
                self.inside(element, &format!("{path}[1]"), wanted, found);
            }
            Type::Struct(number) => {
                for (index, member) in self.structs[*number].iter().enumerate() {
                    self.inside(member, &format!("{path}.m{index}"), wanted, found);
                }
            }
        }
    }

    /// An index that is known only at run time.
    fn index(&self) -> &'static str {
        "turn"
    }

    fn constant(&mut self, scalar: Scalar) -> String {
        let number = self.random.next();
        match scalar {
            Bool => ["false", "true"][(number & 1) as usize].to_owned(),
            Float => format!("{:.2}", (number % 513) as f64 / 4.0 - 64.0),
            Double => format!("{:.2}LF", (number % 513) as f64 / 4.0 - 64.0),
            Int => match number % 5 {
                0 => "int(0x80000001u)".to_owned(),
                1 => format!("{}", (number >> 8) as i32 >> 1),
                _ => format!("{}", (number >> 8) % 200),
            },
            Uint => match number % 4 {
                0 => format!("0x{:x}u", (number >> 8) as u32),
                _ => format!("{}u", (number >> 8) % 200),
            },
            Int64 => format!("{}l", number as i64 >> (number % 63 + 1)),
            Uint64 => format!("{}ul", number >> (number % 63)),
            other => format!("{}({})", other.name(), (number >> 8) % 128),
        }
    }

    fn expression(&mut self, ty: &Type, depth: u32) -> String {
        let places = self.places(ty, false);
        if !places.is_empty() && (depth == 0 || self.random.once_in(4)) {
            let at = self.random.below(places.len() as u64) as usize;
            return places[at].clone();
        }
        match ty {
            Type::Vector(scalar, width) => self.number(*scalar, *width, depth),
            Type::Matrix(columns, rows) => self.matrix(*columns, *rows, depth),
            Type::Array(element, count) => {
                let (name, lengths) = declared(ty);
                let parts: Vec<_> = (0..*count)
                    .map(|_| self.expression(element, depth.saturating_sub(1)))
                    .collect();
                format!("{name}{lengths}({})", parts.join(", "))
            }
            Type::Struct(number) => {
                let members = self.structs[*number].clone();
                let parts: Vec<_> = members
                    .iter()
                    .map(|it| self.expression(it, depth.saturating_sub(1)))
                    .collect();
                format!("S{number}({})", parts.join(", "))
            }
        }
    }

    fn number(&mut self, scalar: Scalar, width: u32, depth: u32) -> String {
        if (depth == 0 && !self.random.once_in(5)) || self.random.once_in(4) {
            let places = self.places(&Type::Vector(scalar, width), false);
            if !places.is_empty() {
                let at = self.random.below(places.len() as u64) as usize;
                return places[at].clone();
            }
        }
        if depth == 0 {
            return match width {
                1 => self.constant(scalar),
                width => {
                    let count = if self.random.once_in(3) { 1 } else { width };
                    let parts: Vec<_> = (0..count).map(|_| self.constant(scalar)).collect();
                    format!("{}({})", named(scalar, width), parts.join(", "))
                }
            };
        }
        let depth = depth - 1;
        // What every type of numbers has.
        match self.random.below(12) {
            0 => {
                let condition = self.number(Bool, 1, depth);
                let (a, b) = self.two(scalar, width, depth);
                // lavapipe 22.3 chooses only the first component where all are constants.
                return match self.extras.constants {
                    true => format!("({condition} == (turn >= 0) ? {a} : {b})"),
                    false => format!("({condition} ? {a} : {b})"),
                };
            }
            1 if width > 1 => {
                let parts: Vec<_> = match width {
                    4 if self.random.once_in(2) => {
                        (0..2).map(|_| self.number(scalar, 2, depth)).collect()
                    }
                    width => (0..width).map(|_| self.number(scalar, 1, depth)).collect(),
                };
                return format!("{}({})", named(scalar, width), parts.join(", "));
            }
            2 => {
                // A swizzle of something longer.
                let from = 2 + self.random.below(3) as u32;
                let parts: String = (0..width)
                    .map(|_| self.random.pick(&["x", "y", "z", "w"][..from as usize]))
                    .collect();
                let inner = self.number(scalar, from, depth);
                return format!("({inner}).{parts}");
            }
            3 if width > 1 => {
                let condition = self.number(Bool, width, depth);
                let (a, b) = self.two(scalar, width, depth);
                if scalar.bits() == 32 || scalar == Double {
                    return format!("mix({a}, {b}, {condition})");
                }
            }
            _ => {}
        }
        match scalar {
            Bool => self.truth(width, depth),
            Float | Double => self.float(scalar, width, depth),
            _ => self.integer(scalar, width, depth),
        }
    }

    fn two(&mut self, scalar: Scalar, width: u32, depth: u32) -> (String, String) {
        let a = self.number(scalar, width, depth);
        let b = self.number(scalar, width, depth);
        (a, b)
    }

    /// Something of the same shape, or a single number, which operators take as well.
    fn other(&mut self, scalar: Scalar, width: u32, depth: u32) -> String {
        let width = if self.random.once_in(3) { 1 } else { width };
        self.number(scalar, width, depth)
    }

    fn truth(&mut self, width: u32, depth: u32) -> String {
        let scalar = match self.scalar() {
            Bool => Int,
            other => other,
        };
        if width > 1 {
            let (a, b) = self.two(scalar, width, depth);
            let function = self.random.pick(&[
                "lessThan",
                "lessThanEqual",
                "greaterThan",
                "greaterThanEqual",
                "equal",
                "notEqual",
                "not",
            ]);
            return match function {
                "not" => format!("not({})", self.number(Bool, width, depth)),
                function => format!("{function}({a}, {b})"),
            };
        }
        match self.random.below(7) {
            0 => {
                let wide = 2 + self.random.below(3) as u32;
                let function = self.random.pick(&["any", "all"]);
                format!("{function}({})", self.number(Bool, wide, depth))
            }
            1 => {
                let (a, b) = self.two(Bool, 1, depth);
                let operator = self.random.pick(&["&&", "||", "^^", "==", "!="]);
                format!("({a} {operator} {b})")
            }
            2 => format!("!({})", self.number(Bool, 1, depth)),
            3 => {
                // Whole vectors.
                let wide = 2 + self.random.below(3) as u32;
                let (a, b) = self.two(scalar, wide, depth);
                let operator = self.random.pick(&["==", "!="]);
                format!("({a} {operator} {b})")
            }
            _ => {
                let (a, b) = self.two(scalar, 1, depth);
                let operator = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({a} {operator} {b})")
            }
        }
    }

    fn integer(&mut self, scalar: Scalar, width: u32, depth: u32) -> String {
        let name = named(scalar, width);
        let a = self.number(scalar, width, depth);
        let bits = scalar.bits();
        let small = |this: &mut Self, end: u64| this.random.below(end);
        match self.random.below(if bits == 32 { 21 } else { 13 }) {
            0..=2 => {
                let b = self.other(scalar, width, depth);
                let operator = self.random.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({a} {operator} {b})")
            }
            3 => format!("(~({a}))"),
            4 => format!("(-({a}))"),
            5 => {
                let by = self.number(scalar, width, depth);
                let operator = self.random.pick(&["<<", ">>"]);
                format!("({a} {operator} ({by} & {}({})))", scalar.name(), bits - 1)
            }
            6 => {
                // Never zero, never -1.
                let by = self.number(scalar, width, depth);
                let operator = self.random.pick(&["/", "%"]);
                let by = format!("({by} & {}(15))", scalar.name());
                // lavapipe 22.3 gives what is left the sign of the dividend.
                let a = match scalar.is_signed() && operator == "%" {
                    true => format!(
                        "({a} & {}({:#x}))",
                        scalar.name(),
                        (1_u64 << (bits.min(32) - 1)) - 1
                    ),
                    false => a,
                };
                let is_negative = scalar.is_signed() && operator == "/" && self.random.once_in(2);
                match is_negative {
                    true => format!("({a} {operator} ({by} - {}(17)))", scalar.name()),
                    false => format!("({a} {operator} ({by} + {}(1)))", scalar.name()),
                }
            }
            7 => {
                let b = self.number(scalar, width, depth);
                let function = self.random.pick(&["min", "max"]);
                format!("{function}({a}, {b})")
            }
            8 => {
                let (low, more) = (small(self, 50), small(self, 50));
                let scalar = scalar.name();
                format!("clamp({a}, {scalar}({low}), {scalar}({}))", low + more)
            }
            9 if scalar.is_signed() => {
                format!("{}({a})", self.random.pick(&["abs", "sign"]))
            }
            10 | 11 => {
                // From another type.
                let from = match self.scalar() {
                    it if it.is_float() && !scalar.is_signed() => Int,
                    // Narrow types do not hold 64.
                    it if it.is_float() && bits < 16 => Int,
                    it => it,
                };
                format!("{name}({})", self.number(from, width, depth))
            }
            12 => format!("({a} + {})", self.constant(scalar)),
            13 => {
                let (offset, count) = (small(self, 20), small(self, 13));
                format!("bitfieldExtract({a}, {offset}, {count})")
            }
            14 => {
                let b = self.number(scalar, width, depth);
                let (offset, count) = (small(self, 20), small(self, 13));
                format!("bitfieldInsert({a}, {b}, {offset}, {count})")
            }
            15 => format!("bitfieldReverse({a})"),
            16 => {
                let function = self.random.pick(&["bitCount", "findLSB", "findMSB"]);
                format!("{name}({function}({a}))")
            }
            17 if scalar == Uint => {
                let b = self.number(scalar, width, depth);
                let function = self.random.pick(&["carried", "borrowed", "extended"]);
                format!("{function}({a}, {b})")
            }
            17 => {
                let b = self.number(scalar, width, depth);
                format!("extended({a}, {b})")
            }
            18 if scalar == Uint && width == 1 => {
                format!(
                    "packHalf2x16({} + 65.5 + float(turn & 1))",
                    self.number(Float, 2, depth)
                )
            }
            18 if scalar == Int => {
                format!("quarters({})", self.number(Float, width, depth))
            }
            19 if width == 1 => {
                let wide = 2 + self.random.below(3) as u32;
                let inner = self.number(scalar, wide, depth);
                format!("folded({inner})")
            }
            _ => {
                let b = self.other(scalar, width, depth);
                format!("({a} * {}(3) + {b})", scalar.name())
            }
        }
    }

    fn float(&mut self, scalar: Scalar, width: u32, depth: u32) -> String {
        let a = self.number(scalar, width, depth);
        let end = if scalar == Float { 22 } else { 14 };
        match self.random.below(end) {
            0..=3 => {
                let b = self.other(scalar, width, depth);
                let operator = self.random.pick(&["+", "-", "*"]);
                format!("q({a} {operator} {b})")
            }
            4 => format!("(-({a}))"),
            5 => format!("{}({a})", self.random.pick(&["abs", "sign"])),
            6 => {
                let function = self
                    .random
                    .pick(&["floor", "ceil", "trunc", "fract", "roundEven"]);
                format!("{function}({a})")
            }
            7 | 8 => {
                let b = self.other(scalar, width, depth);
                let function = self.random.pick(&["min", "max"]);
                format!("{function}({a}, {b})")
            }
            9 => {
                let (low, high) = (self.random.below(40), self.random.below(20));
                format!("clamp({a}, {0}(-{low}.0), {0}({high}.0))", scalar.name())
            }
            10 => {
                let b = self.number(scalar, width, depth);
                match self.random.once_in(2) {
                    true => format!("step({a}, {b})"),
                    false => format!("q(mix({a}, {b}, {}(0.5)))", scalar.name()),
                }
            }
            11 => {
                let divisor = self.random.pick(&["2.0", "4.0", "0.5", "-8.0"]);
                match self.random.once_in(2) {
                    true => format!("mod({a}, {}({divisor}))", scalar.name()),
                    false => format!("q({a} / {}({divisor}))", scalar.name()),
                }
            }
            12 if width == 1 => {
                let wide = 2 + self.random.below(3) as u32;
                let (x, y) = self.two(scalar, wide, depth);
                format!("q(dot({x}, {y}))")
            }
            13 => {
                let from = match self.scalar() {
                    it if it.bits() == 64 => Int,
                    it => it,
                };
                let inner = self.number(from, width, depth);
                match from {
                    Bool => format!("{}({inner})", named(scalar, width)),
                    from if from.is_float() => format!("q({}({inner}))", named(scalar, width)),
                    from => format!("{}({inner} & {}(63))", named(scalar, width), from.name()),
                }
            }
            14 if width == 3 => {
                let b = self.number(Float, 3, depth);
                format!("q(cross({a}, {b}))")
            }
            15 => {
                // A matrix and a vector.
                if width == 1 {
                    return format!("halved({a})");
                }
                let from = 2 + self.random.below(3) as u32;
                let vector = self.number(Float, from, depth);
                match self.random.once_in(2) {
                    true => format!("q({} * {vector})", self.matrix(from, width, depth)),
                    false => format!("q({vector} * {})", self.matrix(width, from, depth)),
                }
            }
            16 => format!("scaled({a}, {})", self.random.below(3)),
            17 => format!("whole({a})"),
            // Never of constants only: lavapipe 22.3 folds the second half away.
            18 if width == 2 => format!(
                "q(unpackHalf2x16(packHalf2x16({a} + float(turn & 1))) + vec2({}))",
                self.number(Float, 1, depth)
            ),
            19 => format!("q(uintBitsToFloat(floatBitsToUint({a})))"),
            20 if width == 1 => "length_()".to_owned(),
            21 => {
                let b = self.number(Float, width, depth);
                format!("q(faceforward({a}, {b}, {b}))")
            }
            _ => {
                let b = self.other(scalar, width, depth);
                format!("q({a} * {}(0.25) + {b})", scalar.name())
            }
        }
    }

    fn matrix(&mut self, columns: u32, rows: u32, depth: u32) -> String {
        let places = self.places(&Type::Matrix(columns, rows), false);
        if !places.is_empty() && (depth == 0 || self.random.once_in(3)) {
            let at = self.random.below(places.len() as u64) as usize;
            return places[at].clone();
        }
        if depth == 0 {
            return match self.random.once_in(2) {
                true => format!("mat{columns}x{rows}({})", self.constant(Float)),
                false => {
                    let parts: Vec<_> = (0..columns * rows).map(|_| self.constant(Float)).collect();
                    format!("mat{columns}x{rows}({})", parts.join(", "))
                }
            };
        }
        let depth = depth - 1;
        match self.random.below(8) {
            0 => {
                let parts: Vec<_> = (0..columns)
                    .map(|_| self.number(Float, rows, depth))
                    .collect();
                format!("mat{columns}x{rows}({})", parts.join(", "))
            }
            1 => format!("transpose({})", self.matrix(rows, columns, depth)),
            2 => {
                let (a, b) = (
                    self.number(Float, rows, depth),
                    self.number(Float, columns, depth),
                );
                format!("q(outerProduct({a}, {b}))")
            }
            3 => {
                let inner = 2 + self.random.below(3) as u32;
                let (a, b) = (
                    self.matrix(inner, rows, depth),
                    self.matrix(columns, inner, depth),
                );
                format!("q({a} * {b})")
            }
            4 => {
                let (a, b) = (
                    self.matrix(columns, rows, depth),
                    self.matrix(columns, rows, depth),
                );
                let operator = self.random.pick(&["+", "-"]);
                format!("q({a} {operator} {b})")
            }
            5 => {
                let (a, b) = (
                    self.matrix(columns, rows, depth),
                    self.matrix(columns, rows, depth),
                );
                format!("q(matrixCompMult({a}, {b}))")
            }
            6 => {
                // Another size: what is missing is that of the unit matrix.
                let (c, r) = (
                    2 + self.random.below(3) as u32,
                    2 + self.random.below(3) as u32,
                );
                format!("mat{columns}x{rows}({})", self.matrix(c, r, depth))
            }
            _ => {
                let a = self.matrix(columns, rows, depth);
                format!("q({a} * {})", self.number(Float, 1, depth))
            }
        }
    }

    // Statements.

    fn statements(&mut self, count: u64) {
        let scope = self.scope.len();
        for _ in 0..count {
            self.statement();
        }
        self.scope.truncate(scope);
    }

    fn inner(&mut self) {
        self.depth += 1;
        let count = 1 + self.random.below(3);
        self.statements(count);
        self.depth -= 1;
    }

    fn statement(&mut self) {
        let is_full = self.budget == 0 || self.depth > 3;
        self.budget = self.budget.saturating_sub(1);
        match self.random.below(16) {
            0 | 1 if !is_full => {
                let condition = self.number(Bool, 1, 2);
                self.line(&format!("if ({condition}) {{"));
                self.inner();
                if self.random.once_in(2) {
                    self.line("} else {");
                    self.inner();
                }
                self.line("}");
            }
            2 if !is_full && self.loops < 2 => {
                let i = self.fresh("i");
                let end = 2 + self.random.below(4);
                self.line(&format!("for (int {i} = 0; {i} < {end}; {i}++) {{"));
                self.scope.push(Variable {
                    name: i,
                    ty: Type::Vector(Int, 1),
                    is_constant: true,
                });
                self.loops += 1;
                self.inner();
                if self.random.once_in(3) {
                    let condition = self.number(Bool, 1, 1);
                    let jump = self.random.pick(&["break", "continue"]);
                    self.line(&format!("    if ({condition}) {jump};"));
                }
                self.loops -= 1;
                self.scope.pop();
                self.line("}");
            }
            3 if !is_full => {
                let selector = self.number(Int, 1, 1);
                self.line(&format!("switch ({selector} & 3) {{"));
                for case in 0..1 + self.random.below(3) {
                    self.line(&format!("case {case}: {{"));
                    self.inner();
                    let end = if self.random.once_in(3) {
                        "}"
                    } else {
                        "} break;"
                    };
                    self.line(end);
                }
                self.line("default: {");
                self.inner();
                self.line("} break;");
                self.line("}");
            }
            4 | 5 => {
                let ty = self.ty(2);
                let value = self.expression(&ty, 2);
                let name = self.fresh("v");
                let (named, lengths) = declared(&ty);
                let way = self.random.once_in(4);
                let prefix = if way { "const " } else { "" };
                self.line(&format!("{prefix}{named} {name}{lengths} = {value};"));
                self.scope.push(Variable {
                    name,
                    ty,
                    is_constant: way,
                });
            }
            6..=8 if !self.functions.is_empty() => self.call(),
            9 => self.swizzled(),
            10 => self.modified(),
            _ => self.assignment(),
        }
    }

    /// A type of something in the scope that can be written.
    fn writable(&mut self) -> Option<(Type, String)> {
        let variables: Vec<_> = self.scope.iter().filter(|it| !it.is_constant).collect();
        let at = self.random.below(variables.len().max(1) as u64) as usize;
        let ty = variables.get(at)?.ty.clone();
        let ty = match ty {
            Type::Struct(number) if self.random.once_in(2) => {
                let members = self.structs[number].clone();
                members[self.random.below(members.len() as u64) as usize].clone()
            }
            Type::Array(element, _) if self.random.once_in(2) => *element,
            Type::Matrix(_, rows) if self.random.once_in(2) => Type::Vector(Float, rows),
            other => other,
        };
        let places = self.places(&ty, true);
        if places.is_empty() {
            return None;
        }
        let at = self.random.below(places.len() as u64) as usize;
        Some((ty, places[at].clone()))
    }

    fn assignment(&mut self) {
        if let Some((ty, place)) = self.writable() {
            let value = self.expression(&ty, 3);
            self.line(&format!("{place} = {value};"));
        }
    }

    fn swizzled(&mut self) {
        let Some((Type::Vector(scalar, width), place)) = self.writable() else {
            return self.assignment();
        };
        let (count, parts) = match width {
            2 => self.random.pick(&[(2, "yx"), (1, "x")]),
            3 => self.random.pick(&[(2, "zx"), (3, "yzx"), (1, "y")]),
            4 => self.random.pick(&[(2, "wy"), (3, "xwz"), (4, "wzyx")]),
            _ => return self.assignment(),
        };
        let value = self.number(scalar, count, 2);
        self.line(&format!("{place}.{parts} = {value};"));
    }

    /// Increments and operators with an assignment.
    fn modified(&mut self) {
        let Some((Type::Vector(scalar, width), place)) = self.writable() else {
            return self.assignment();
        };
        match scalar {
            Bool | Float | Double => self.assignment(),
            _ => {
                if self.random.once_in(3) {
                    let operator = self.random.pick(&["++", "--"]);
                    return self.line(&format!("{place}{operator};"));
                }
                let value = self.other(scalar, width, 2);
                let operator = self.random.pick(&["+=", "-=", "*=", "&=", "|=", "^="]);
                self.line(&format!("{place} {operator} {value};"));
            }
        }
    }

    fn call(&mut self) {
        let at = self.random.below(self.functions.len() as u64) as usize;
        let function = self.functions[at].clone();
        let mut arguments: Vec<String> = Vec::new();
        let mut taken: Vec<String> = Vec::new();
        for (way, ty) in &function.parameters {
            if *way == "in" {
                arguments.push(self.expression(ty, 2));
                continue;
            }
            // Nothing is handed over twice.
            let root = |place: &str| {
                let end = place.find(['.', '[']).unwrap_or(place.len());
                place[..end].to_owned()
            };
            let mut places = self.places(ty, true);
            places.retain(|it| !taken.contains(&root(it)));
            // Some places would be indexed by what is changed.
            let place = match places.is_empty() {
                true => {
                    let name = self.fresh("v");
                    let value = self.expression(ty, 1);
                    let (named, lengths) = declared(ty);
                    self.line(&format!("{named} {name}{lengths} = {value};"));
                    name
                }
                false => places[self.random.below(places.len() as u64) as usize].clone(),
            };
            taken.push(root(&place));
            arguments.push(place);
        }
        let call = format!("{}({})", function.name, arguments.join(", "));
        let mut places = self.places(&function.result, true);
        places.retain(|it| !taken.iter().any(|name| it.starts_with(name.as_str())));
        match places.first() {
            Some(place) => self.line(&format!("{place} = {call};")),
            None => self.line(&format!("{call};")),
        }
    }

    fn function(&mut self) {
        let name = self.fresh("f");
        let result = self.ty(1);
        let parameters: Vec<_> = (0..1 + self.random.below(4))
            .map(|_| (self.random.pick(&["in", "inout", "out"]), self.ty(1)))
            .collect();
        let (result_name, lengths) = declared(&result);
        let declared: Vec<_> = parameters
            .iter()
            .enumerate()
            .map(|(number, (way, ty))| {
                let (named, lengths) = declared(ty);
                format!("{way} {named} a{number}{lengths}")
            })
            .collect();
        let _ = writeln!(
            self.text,
            "{result_name}{lengths} {name}({}) {{",
            declared.join(", ")
        );
        let globals = self.scope.clone();
        for (number, (way, ty)) in parameters.iter().enumerate() {
            if *way == "out" {
                let value = self.expression(ty, 1);
                self.line(&format!("a{number} = {value};"));
            }
            self.scope.push(Variable {
                name: format!("a{number}"),
                ty: ty.clone(),
                is_constant: false,
            });
        }
        self.budget = 8;
        let count = 1 + self.random.below(4);
        self.statements(count);
        if self.random.once_in(3) {
            let condition = self.number(Bool, 1, 1);
            let value = self.expression(&result, 1);
            self.line(&format!("if ({condition}) return {value};"));
        }
        let value = self.expression(&result, 2);
        self.line(&format!("return {value};"));
        self.text.push_str("}\n");
        self.scope = globals;
        self.functions.push(Function {
            name,
            result,
            parameters,
        });
    }

    fn write(mut self) -> Made {
        self.text.push_str("#version 450\n");
        if self.extras != Extras::default() {
            self.text
                .push_str("#extension GL_EXT_shader_explicit_arithmetic_types : require\n");
        }
        if self.extras.subgroups {
            self.text.push_str(SUBGROUPS);
        }
        self.text.push_str(HEAD);
        let constants = self.constants();
        self.text.push_str(&helpers(self.extras));
        for number in 0..1 + self.random.below(3) {
            let members: Vec<_> = (0..1 + self.random.below(4)).map(|_| self.ty(1)).collect();
            let _ = writeln!(self.text, "struct S{number} {{");
            for (index, member) in members.iter().enumerate() {
                let (name, lengths) = declared(member);
                let _ = writeln!(self.text, "    {name} m{index}{lengths};");
            }
            self.text.push_str("};\n");
            self.structs.push(members);
        }
        // Variables of the module, and one in shared memory for every invocation.
        for _ in 0..self.random.below(3) {
            let ty = self.ty(1);
            let name = self.fresh("g");
            let (named, lengths) = declared(&ty);
            let value = match self.random.once_in(2) {
                true => format!(" = {}", self.initial(&ty)),
                false => String::new(),
            };
            let _ = writeln!(self.text, "{named} {name}{lengths}{value};");
            // Without a value nothing may be read.
            if !value.is_empty() {
                self.scope.push(Variable {
                    name,
                    ty,
                    is_constant: false,
                });
            }
        }
        for _ in 0..1 + self.random.below(3) {
            self.function();
        }
        self.main();
        Made {
            source: self.text,
            constants,
        }
    }

    /// A constant of any type.
    fn initial(&mut self, ty: &Type) -> String {
        let scope = std::mem::take(&mut self.scope);
        let value = self.expression(ty, 0);
        self.scope = scope;
        value
    }

    fn constants(&mut self) -> Vec<Constant> {
        let mut constants = Vec::new();
        if !self.extras.constants {
            return constants;
        }
        for id in 0..1 + self.random.below(3) as u32 {
            let scalar = self.random.pick(&[Int, Uint, Bool, Float]);
            let default = self.constant(scalar);
            let _ = writeln!(
                self.text,
                "layout(constant_id = {id}) const {} c{id} = {default};",
                scalar.name()
            );
            self.scope.push(Variable {
                name: format!("c{id}"),
                ty: Type::Vector(scalar, 1),
                is_constant: true,
            });
            if self.random.once_in(2) {
                let number = self.random.below(64);
                constants.push(match scalar {
                    Float => Constant {
                        id,
                        bits: (number as f32 / 4.0).to_bits(),
                        value: number as f64 / 4.0,
                    },
                    Bool => Constant {
                        id,
                        bits: number as u32 & 1,
                        value: (number & 1) as f64,
                    },
                    _ => Constant {
                        id,
                        bits: number as u32,
                        value: number as f64,
                    },
                });
            }
        }
        let integers: Vec<_> = self
            .scope
            .iter()
            .filter(|it| it.ty == Type::Vector(Int, 1))
            .map(|it| it.name.clone())
            .collect();
        if let Some(name) = integers.first() {
            let _ = writeln!(self.text, "const int d0 = ({name} ^ 21) * 3 - {name} / 2;");
            self.scope.push(Variable {
                name: "d0".to_owned(),
                ty: Type::Vector(Int, 1),
                is_constant: true,
            });
        }
        constants
    }

    fn main(&mut self) {
        self.text.push_str(MAIN);
        let globals = self.scope.len();
        let given = [
            ("x0", Type::Vector(Int, 1)),
            ("x1", Type::Vector(Uint, 1)),
            ("x2", Type::Vector(Float, 1)),
            ("x3", Type::Vector(Int, 3)),
            ("x4", Type::Vector(Uint, 2)),
            ("x5", Type::Vector(Float, 4)),
            ("x6", Type::Vector(Bool, 2)),
            ("x7", Type::Matrix(3, 2)),
        ];
        for (name, ty) in given {
            self.scope.push(Variable {
                name: name.to_owned(),
                ty,
                is_constant: false,
            });
        }
        let mut more = Vec::new();
        let scalars: &[Scalar] = match self.extras {
            Extras { narrow: true, .. } => &[Int8, Uint8, Int16, Uint16],
            Extras { wide: true, .. } => &[Int64, Uint64],
            Extras { doubles: true, .. } => &[Double],
            _ => &[],
        };
        for scalar in scalars {
            let name = self.fresh("w");
            let width = 1 + self.random.below(3) as u32;
            let from = match scalar {
                Double => "x2",
                _ => "x1",
            };
            self.line(&format!("{} {name} = {0}({from});", named(*scalar, width)));
            let ty = Type::Vector(*scalar, width);
            more.push((name.clone(), ty.clone()));
            self.scope.push(Variable {
                name,
                ty,
                is_constant: false,
            });
        }
        for round in 0..3 {
            self.budget = 12;
            let count = 3 + self.random.below(4);
            self.statements(count);
            match self.random.below(3) {
                0 if round < 2 => {
                    let value = self.number(Uint, 1, 2);
                    self.line(&format!("tile[gl_LocalInvocationIndex] = {value};"));
                    self.line("barrier();");
                    let by = 1 + self.random.below(62);
                    self.line(&format!(
                        "x1 ^= tile[(gl_LocalInvocationIndex + {by}u) & 63u];"
                    ));
                    self.line("barrier();");
                }
                1 => self.atomic(),
                _ => {}
            }
            if self.extras.subgroups {
                self.subgroup();
            }
        }
        if self.random.once_in(2) {
            self.inexact();
        }
        let scope = self.scope[..globals].to_vec();
        let written: Vec<_> = scope.iter().filter(|it| !it.is_constant).collect();
        let mut next = 16;
        let mut put = Vec::new();
        for variable in written {
            self.puts(&variable.ty, &variable.name, &mut put);
        }
        for (name, ty) in &more {
            self.puts(ty, name, &mut put);
        }
        for line in put {
            if next < WORDS {
                self.line(&format!("data[at + {next}] = {line};"));
                next += 1;
            }
        }
        self.text.push_str(END);
    }

    /// Words that hold every part of a value.
    fn puts(&self, ty: &Type, path: &str, lines: &mut Vec<String>) {
        match ty {
            Type::Vector(scalar, 1) => lines.push(match scalar {
                Float | Double => format!("uint(int({path} * 4.0))"),
                Int64 | Uint64 => format!("uint({path}) ^ (uint({path} >> 32) * 3u)"),
                _ => format!("uint({path})"),
            }),
            Type::Vector(scalar, width) => {
                for index in 0..*width {
                    let part = format!("{path}[{index}]");
                    self.puts(&Type::Vector(*scalar, 1), &part, lines);
                }
            }
            Type::Matrix(columns, rows) => {
                for column in 0..*columns {
                    let part = format!("{path}[{column}]");
                    self.puts(&Type::Vector(Float, *rows), &part, lines);
                }
            }
            Type::Array(element, count) => {
                for index in 0..*count {
                    self.puts(element, &format!("{path}[{index}]"), lines);
                }
            }
            Type::Struct(number) => {
                for (index, member) in self.structs[*number].iter().enumerate() {
                    self.puts(member, &format!("{path}.m{index}"), lines);
                }
            }
        }
    }

    /// An atomic on a cell that nobody else uses, so that what comes back is known.
    fn atomic(&mut self) {
        let cell = self.random.pick(&[
            "own[gl_LocalInvocationIndex]",
            "cells[gl_LocalInvocationIndex]",
        ]);
        if cell.starts_with("own") {
            self.line("own[gl_LocalInvocationIndex] = x1;");
        }
        for _ in 0..2 {
            let function = self.random.pick(&[
                "atomicAdd",
                "atomicMin",
                "atomicMax",
                "atomicAnd",
                "atomicOr",
                "atomicXor",
                "atomicExchange",
            ]);
            let value = self.number(Uint, 1, 2);
            self.line(&format!("x4.x ^= {function}({cell}, {value});"));
        }
        let value = self.number(Uint, 1, 1);
        self.line(&format!("x4.y += atomicCompSwap({cell}, x1, {value});"));
        self.line(&format!("x1 ^= {cell};"));
        // Everyone at once; only the sum is known.
        let (function, cell) =
            self.random
                .pick(&[("atomicAdd", 64), ("atomicXor", 65), ("atomicMax", 66)]);
        let value = self.number(Uint, 1, 2);
        self.line(&format!("{function}(cells[{cell}], {value});"));
    }

    /// Every invocation takes part, so it stands alone in `main`.
    fn subgroup(&mut self) {
        let given = [
            ("x0", Int, 1),
            ("x1", Uint, 1),
            ("x3", Int, 3),
            ("x4", Uint, 2),
        ];
        let (name, scalar, width) = self.random.pick(&given);
        let value = self.number(scalar, width, 2);
        let function = self.random.pick(&[
            "subgroupAdd",
            "subgroupMin",
            "subgroupMax",
            "subgroupAnd",
            "subgroupOr",
            "subgroupXor",
            "subgroupExclusiveAdd",
            "subgroupInclusiveAdd",
            "subgroupBroadcastFirst",
            "subgroupShuffleXor",
            "subgroupBroadcast",
            "subgroupShuffle",
        ]);
        let by = match function {
            "subgroupShuffleXor" | "subgroupBroadcast" | "subgroupShuffle" => {
                format!(", {}u", self.random.below(4))
            }
            _ => String::new(),
        };
        let operand = self.fresh("v");
        self.line(&format!("{} {operand} = {value};", named(scalar, width)));
        self.line(&format!("{name} = {function}({operand}{by});"));
        if self.random.once_in(2) {
            let condition = self.number(Bool, 1, 2);
            let vote = self.random.pick(&["subgroupAll", "subgroupAny"]);
            let operand = self.fresh("v");
            self.line(&format!("bool {operand} = {condition};"));
            self.line(&format!("x6.x = {vote}({operand});"));
            self.line(&format!(
                "x1 += subgroupBallotBitCount(subgroupBallot({operand}));"
            ));
        }
    }

    /// What is not exact.
    fn inexact(&mut self) {
        for index in 0..FLOATS {
            let a = self.number(Float, 1, 1);
            let (x, y) = self.two(Float, 3, 1);
            let value = self.random.pick(&[
                "sin({a} * 0.05)",
                "cos({a} * 0.05)",
                "tan({a} * 0.02)",
                "asin({a} / 70.0)",
                "acos({a} / 70.0)",
                "atan({a})",
                "atan({a}, 3.5)",
                "sinh({a} * 0.02)",
                "cosh({a} * 0.02)",
                "tanh({a} * 0.05)",
                "asinh({a})",
                "acosh(abs({a}) + 1.5)",
                "atanh({a} / 70.0)",
                "exp({a} * 0.05)",
                "exp2({a} * 0.05)",
                "log(abs({a}) + 0.5)",
                "log2(abs({a}) + 0.5)",
                "sqrt(abs({a}))",
                "inversesqrt(abs({a}) + 0.5)",
                "pow(abs({a}) * 0.1 + 0.5, 1.5)",
                "length({x})",
                "distance({x}, {y})",
                "normalize({x} + vec3(65.0)).y",
                "reflect({x} * 0.1, vec3(0.6, 0.8, 0.0)).x",
                "refract(normalize({x} + vec3(65.0)), vec3(0.0, -1.0, 0.0), 0.7).y",
                "smoothstep(-20.0, 30.0, {a})",
                "radians({a})",
                "degrees({a})",
                "mix({a}, 3.0, 0.3)",
                "1.0 / ({a} + 64.5)",
                "fma({a}, 0.3, 1.7)",
                "determinant(mat3({x}, {y}, vec3(1.0, 2.0, 4.0)) * 0.1)",
                "inverse(mat2(abs({a}) + 1.0, 0.5, 0.25, 2.0))[1].x",
            ]);
            let value = value
                .replace("{a}", &a)
                .replace("{x}", &x)
                .replace("{y}", &y);
            self.line(&format!("floats[number * {FLOATS} + {index}] = {value};"));
        }
    }
}

const SUBGROUPS: &str = "#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_shuffle : require
";

const HEAD: &str = "layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Floats { float floats[]; };
layout(set = 0, binding = 2) buffer Cells { uint cells[]; };
shared uint tile[64];
shared uint own[64];
int turn;
";

const MAIN: &str = "void main() {
    uint number = gl_GlobalInvocationID.x;
    uint at = number * 48u;
    turn = int(data[at] & 0xffu);
    int x0 = int(data[at + 1]);
    uint x1 = data[at + 2];
    float x2 = float(data[at + 3] & 127u) / 4.0 - 16.0;
    ivec3 x3 = ivec3(data[at + 4], data[at + 5], int(data[at + 6]) >> 20);
    uvec2 x4 = uvec2(data[at + 7], data[at + 8] & 255u);
    vec4 x5 = vec4(uvec4(data[at + 9], data[at + 10], data[at + 11], data[at + 12]) & 63u) / 4.0;
    bvec2 x6 = bvec2((data[at + 13] & 1u) != 0u, (data[at + 14] & 2u) != 0u);
    mat3x2 x7 = mat3x2(x5.xy, x5.zw, -x5.yz);
";

const END: &str = "    data[at] = uint(x0);
    data[at + 1] = x1;
    data[at + 2] = uint(int(x2 * 4.0));
    data[at + 3] = uint(x3.x);
    data[at + 4] = uint(x3.y);
    data[at + 5] = uint(x3.z);
    data[at + 6] = x4.x;
    data[at + 7] = x4.y;
    for (int i = 0; i < 4; i++) data[at + 8 + i] = uint(int(x5[i] * 4.0));
    data[at + 12] = (x6.x ? 1u : 0u) | (x6.y ? 2u : 0u);
    data[at + 13] = uint(int(x7[0].x * 4.0)) ^ (uint(int(x7[1].y * 4.0)) << 16);
    data[at + 14] = uint(int(x7[2].x * 4.0)) ^ (uint(int(x7[1].x * 4.0)) << 16);
    data[at + 15] = uint(int(x7[0].y * 4.0)) ^ (uint(int(x7[2].y * 4.0)) << 16);
}
";

/// Functions that keep floats few, and that give back what others only write.
fn helpers(extras: Extras) -> String {
    let mut text = String::from(
        "#define Q(T) T q(T x) { return clamp(floor(x * 4.0) * 0.25, T(-64.0), T(64.0)); }
Q(float) Q(vec2) Q(vec3) Q(vec4)
float whole(float x) { float w; float f = modf(x, w); return q(f * 2.0 + w); }
vec2 whole(vec2 x) { vec2 w; vec2 f = modf(x, w); return q(f * 2.0 + w); }
vec3 whole(vec3 x) { vec3 w; vec3 f = modf(x, w); return q(f * 2.0 + w); }
vec4 whole(vec4 x) { vec4 w; vec4 f = modf(x, w); return q(f * 2.0 + w); }
float halved(float x) { int e; float m = frexp(x, e); return q(m * 4.0 + float(e)); }
float scaled(float x, int e) { return q(ldexp(x, e - 1)); }
vec2 scaled(vec2 x, int e) { return q(ldexp(x, ivec2(e, 1))); }
vec3 scaled(vec3 x, int e) { return q(ldexp(x, ivec3(e, -e, 0))); }
vec4 scaled(vec4 x, int e) { return q(ldexp(x, ivec4(e, 1, 0, -e))); }
float length_() { return float(data.length() & 63); }
int quarters(float x) { return floatBitsToInt(floor(x) + 100.0); }
ivec2 quarters(vec2 x) { return floatBitsToInt(floor(x) + 100.0); }
ivec3 quarters(vec3 x) { return floatBitsToInt(floor(x) + 100.0); }
ivec4 quarters(vec4 x) { return floatBitsToInt(floor(x) + 100.0); }
#define FOLD(T, I) T folded(I##vec2 v) { return v.x * T(3) + v.y; } \\
    T folded(I##vec3 v) { return v.x * T(3) ^ v.y + v.z; } \\
    T folded(I##vec4 v) { for (int i = 0; i < 3; i++) v[i + 1] += v[i] * T(5); return v.w; }
FOLD(int, i) FOLD(uint, u)
#define WIDE(T, I) T carried(T a, T b) { T c; T r = uaddCarry(a, b, c); return r ^ (c << 4); } \\
    T borrowed(T a, T b) { T c; T r = usubBorrow(a, b, c); return r ^ (c << 4); } \\
    T extended(T a, T b) { T h; T l; umulExtended(a, b, h, l); return h * 3u ^ l; } \\
    I extended(I a, I b) { I h; I l; imulExtended(a, b, h, l); return h * 3 ^ l; }
WIDE(uint, int) WIDE(uvec2, ivec2) WIDE(uvec3, ivec3) WIDE(uvec4, ivec4)
",
    );
    for (columns, rows) in (2..5).flat_map(|c| (2..5).map(move |r| (c, r))) {
        let parts: Vec<_> = (0..columns).map(|it| format!("q(m[{it}])")).collect();
        let _ = writeln!(
            text,
            "mat{columns}x{rows} q(mat{columns}x{rows} m) {{ return mat{columns}x{rows}({}); }}",
            parts.join(", ")
        );
    }
    if extras.doubles {
        text.push_str("Q(double) Q(dvec2) Q(dvec3) Q(dvec4)\n");
    }
    text
}
