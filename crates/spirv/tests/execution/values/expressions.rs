//! Generates expressions of every type.

use super::Scalar::{Bool, Double, Float, Int, Int64, Uint, Uint64};
use super::{Generator, Scalar, Type, declared, named};

impl Generator {
    /// The access paths to values of a type in scope.
    pub(super) fn places(&self, wanted: &Type, writable: bool) -> Vec<String> {
        let mut found = Vec::new();
        for variable in &self.scope {
            if !(writable && variable.is_constant) {
                self.inside(&variable.ty, &variable.name, wanted, &mut found);
            }
        }
        found
    }

    pub(super) fn inside(&self, ty: &Type, path: &str, wanted: &Type, found: &mut Vec<String>) {
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

    /// An index that is not known at compile time.
    pub(super) fn index(&self) -> &'static str {
        "turn"
    }

    pub(super) fn constant(&mut self, scalar: Scalar) -> String {
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

    pub(super) fn expression(&mut self, ty: &Type, depth: u32) -> String {
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

    pub(super) fn number(&mut self, scalar: Scalar, width: u32, depth: u32) -> String {
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
        // Expressions for every numeric type.
        match self.random.below(12) {
            0 => {
                let condition = self.number(Bool, 1, depth);
                let (a, b) = self.two(scalar, width, depth);
                // lavapipe 22.3 selects only the first component if all operands are constants.
                return if self.extras.constants {
                    format!("({condition} == (turn >= 0) ? {a} : {b})")
                } else {
                    format!("({condition} ? {a} : {b})")
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
                // A swizzle of a longer vector.
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

    pub(super) fn two(&mut self, scalar: Scalar, width: u32, depth: u32) -> (String, String) {
        let a = self.number(scalar, width, depth);
        let b = self.number(scalar, width, depth);
        (a, b)
    }

    /// An expression of the same shape, or a scalar, which operators also accept.
    pub(super) fn other(&mut self, scalar: Scalar, width: u32, depth: u32) -> String {
        let width = if self.random.once_in(3) { 1 } else { width };
        self.number(scalar, width, depth)
    }

    pub(super) fn truth(&mut self, width: u32, depth: u32) -> String {
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
                // Operations on whole vectors.
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

    pub(super) fn integer(&mut self, scalar: Scalar, width: u32, depth: u32) -> String {
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
                // The divisor is neither zero nor -1.
                let by = self.number(scalar, width, depth);
                let operator = self.random.pick(&["/", "%"]);
                let by = format!("({by} & {}(15))", scalar.name());
                // lavapipe 22.3 gives the remainder the sign of the dividend.
                let a = if scalar.is_signed() && operator == "%" {
                    format!(
                        "({a} & {}({:#x}))",
                        scalar.name(),
                        (1_u64 << (bits.min(32) - 1)) - 1
                    )
                } else {
                    a
                };
                let is_negative = scalar.is_signed() && operator == "/" && self.random.once_in(2);
                if is_negative {
                    format!("({a} {operator} ({by} - {}(17)))", scalar.name())
                } else {
                    format!("({a} {operator} ({by} + {}(1)))", scalar.name())
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
                // Conversion from another type.
                let from = match self.scalar() {
                    it if it.is_float() && !scalar.is_signed() => Int,
                    // Floats are not converted to 8-bit types, which might overflow.
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

    pub(super) fn float(&mut self, scalar: Scalar, width: u32, depth: u32) -> String {
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
                if self.random.once_in(2) {
                    format!("step({a}, {b})")
                } else {
                    format!("q(mix({a}, {b}, {}(0.5)))", scalar.name())
                }
            }
            11 => {
                let divisor = self.random.pick(&["2.0", "4.0", "0.5", "-8.0"]);
                if self.random.once_in(2) {
                    format!("mod({a}, {}({divisor}))", scalar.name())
                } else {
                    format!("q({a} / {}({divisor}))", scalar.name())
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
                // Product of a matrix and a vector.
                if width == 1 {
                    return format!("halved({a})");
                }
                let from = 2 + self.random.below(3) as u32;
                let vector = self.number(Float, from, depth);
                if self.random.once_in(2) {
                    format!("q({} * {vector})", self.matrix(from, width, depth))
                } else {
                    format!("q({vector} * {})", self.matrix(width, from, depth))
                }
            }
            16 => format!("scaled({a}, {})", self.random.below(3)),
            17 => format!("whole({a})"),
            // Not with constants only: lavapipe 22.3 drops the second half when it folds them.
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

    pub(super) fn matrix(&mut self, columns: u32, rows: u32, depth: u32) -> String {
        let places = self.places(&Type::Matrix(columns, rows), false);
        if !places.is_empty() && (depth == 0 || self.random.once_in(3)) {
            let at = self.random.below(places.len() as u64) as usize;
            return places[at].clone();
        }
        if depth == 0 {
            return if self.random.once_in(2) {
                format!("mat{columns}x{rows}({})", self.constant(Float))
            } else {
                let parts: Vec<_> = (0..columns * rows).map(|_| self.constant(Float)).collect();
                format!("mat{columns}x{rows}({})", parts.join(", "))
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
                // Conversion from a matrix of another size: missing elements are those of the identity matrix.
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
}
