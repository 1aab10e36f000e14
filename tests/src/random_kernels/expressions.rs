//! Random expressions of a given type.

use super::builtins;
use super::generator::{Generator, MAX_COST};
use super::lanes;
use super::scope::{Role, Variable, ways};
use super::tree::{Argument, Expr, Growth, Kind, Passing};
use super::types::{Scalar, Type};

const EDGES: [i64; 12] = [
    0,
    1,
    -1,
    2,
    3,
    31,
    32,
    255,
    0x7fff_ffff,
    -0x8000_0000,
    0x5555_5555,
    -100,
];

impl Generator<'_> {
    /// An expression with at most `depth` levels of operators.
    pub(crate) fn expr(&mut self, ty: &Type, depth: u32) -> Expr {
        self.size = self.size.saturating_sub(1);
        if depth == 0 || self.size == 0 {
            return self.leaf(ty);
        }
        let made = match self.random.below(12) {
            0 | 1 => self.call(ty, depth),
            2..=4 => self.builtin(ty, depth),
            5 => Some(self.construct(ty, depth)),
            6 | 7 => None,
            _ => self.operator(ty, depth),
        };
        made.unwrap_or_else(|| self.leaf(ty))
    }

    /// A number that fits a scalar type, edge cases first.
    pub(crate) fn number_of(&mut self, scalar: Scalar) -> i64 {
        let edge = *self.random.pick(&EDGES);
        let small = self.random.below(24) as i64 - 8;
        let value = match self.random.below(4) {
            0 => edge,
            1 => self.random.bits() as i32 as i64,
            _ => small,
        };
        match scalar {
            Scalar::Bool => value & 1,
            Scalar::I32 => value as i32 as i64,
            Scalar::U32 => value as u32 as i64,
            Scalar::I16 => value as i16 as i64,
            Scalar::U16 => value as u16 as i64,
            // Edge cases of 64 bits too.
            Scalar::I64 | Scalar::U64 => {
                value.wrapping_mul(self.random.pick(&[1, 1, 1 << 31]).to_owned())
            }
            Scalar::F32 | Scalar::F16 | Scalar::F64 => value % scalar.limit(),
        }
    }

    /// A variable, or a constant.
    pub(crate) fn leaf(&mut self, ty: &Type) -> Expr {
        if !self.random.one_in(4) {
            let found = self.candidates(ty, |_| true);
            if !found.is_empty() {
                let (variable, way) = self.random.pick(&found).clone();
                return self.read(&variable, &way, ty);
            }
        }
        match ty {
            Type::Scalar(scalar) => {
                let value = self.number_of(*scalar);
                Expr::new(ty.clone(), Kind::Literal(value))
            }
            Type::Vector(..) | Type::Matrix(..) if !self.random.one_in(6) => self.construct(ty, 0),
            Type::Array(..) | Type::Struct(_) if self.size > 0 && self.random.one_in(2) => {
                self.construct(ty, 0)
            }
            _ => Expr::new(ty.clone(), Kind::Zero),
        }
    }

    fn boxed(&mut self, ty: &Type, depth: u32) -> Box<Expr> {
        Box::new(self.expr(ty, depth))
    }

    fn construct(&mut self, ty: &Type, depth: u32) -> Expr {
        let depth = depth.saturating_sub(1);
        let parts: Vec<Type> = match ty {
            Type::Scalar(_) => return self.leaf(ty),
            Type::Vector(scalar, width) => self.split(*scalar, *width),
            Type::Matrix(scalar, columns, rows) => {
                vec![Type::Vector(*scalar, *rows); *columns as usize]
            }
            Type::Array(element, count) => vec![(**element).clone(); *count as usize],
            Type::Struct(index) => self.structs[*index].clone(),
        };
        let parts = parts.iter().map(|part| self.expr(part, depth)).collect();
        Expr::new(ty.clone(), Kind::Construct(parts))
    }

    /// Components that make up a vector: scalars, a single splat value, or a mixture.
    fn split(&mut self, scalar: Scalar, width: u32) -> Vec<Type> {
        let one = Type::Scalar(scalar);
        match self.random.below(4) {
            0 => vec![one],
            1 if width == 4 => vec![Type::Vector(scalar, 2); 2],
            2 if width > 2 => vec![one, Type::Vector(scalar, width - 1)],
            _ => vec![one; width as usize],
        }
    }

    fn builtin(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let lanes = lanes::functions_of(ty);
        let may_ask = self.options.subgroups && self.may_call && !lanes.is_empty();
        if may_ask && self.random.one_in(5) {
            let function = *self.random.pick(&lanes);
            let value = Box::new(self.expr(ty, depth - 1));
            return Some(Expr::new(ty.clone(), Kind::Lanes(function, value)));
        }
        let own = self.own_atomics.map(Type::Scalar);
        if self.may_call && own.as_ref() == Some(ty) && self.random.one_in(4) {
            let (template, growth) = if own == Some(Type::Scalar(Scalar::F32)) {
                (
                    *self.random.pick(&builtins::OWN_FLOAT_ATOMIC),
                    Growth::Grows,
                )
            } else {
                (*self.random.pick(&builtins::OWN_ATOMIC), Growth::Stays)
            };
            let argument = self.expr(ty, depth - 1);
            let kind = Kind::Builtin(template, growth, vec![argument]);
            return Some(Expr::new(ty.clone(), kind));
        }
        if !self.loads.is_empty()
            && self.random.one_in(4)
            && let Some(texel) = self.load(ty, depth)
        {
            return Some(texel);
        }
        let (template, growth, types) =
            builtins::choose(&mut self.random, ty, self.options.every_bit)?;
        let arguments = types.iter().map(|ty| self.expr(ty, depth - 1)).collect();
        let kind = Kind::Builtin(template, growth, arguments);
        Some(Expr::new(ty.clone(), kind))
    }

    fn operator(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let inner = depth - 1;
        let kind = match *ty {
            Type::Scalar(Scalar::Bool) | Type::Vector(Scalar::Bool, _) => {
                self.truth(ty.width()?, inner)
            }
            Type::Scalar(scalar) | Type::Vector(scalar, _) => {
                self.arithmetic(scalar, ty.width()?, inner)
            }
            Type::Matrix(scalar, columns, rows) => self.matrix(scalar, columns, rows, inner),
            Type::Array(..) | Type::Struct(_) => return None,
        };
        Some(Expr::new(ty.clone(), kind))
    }

    fn truth(&mut self, width: u32, depth: u32) -> Kind {
        let bools = Type::wide(Scalar::Bool, width);
        let logical: &[&str] = if width == 1 {
            &["&&", "||", "&", "|", "==", "!="]
        } else {
            &["&", "|", "==", "!="]
        };
        match self.random.below(7) {
            6 if width == 1 => self.chain_of_comparisons().kind,
            0 => Kind::Unary("!", self.boxed(&bools, depth)),
            1 | 2 => {
                let operator = *self.random.pick(logical);
                Kind::Binary(
                    operator,
                    self.boxed(&bools, depth),
                    self.boxed(&bools, depth),
                )
            }
            3 => {
                let from = Type::wide(self.number(), width);
                Kind::Convert(self.boxed(&from, depth))
            }
            _ => {
                let compared = Type::wide(self.number(), width);
                let operator = *self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
                Kind::Binary(
                    operator,
                    self.boxed(&compared, depth),
                    self.boxed(&compared, depth),
                )
            }
        }
    }

    /// Cheap comparisons joined by `&&` and `||`, which compilers evaluate without branches.
    fn chain_of_comparisons(&mut self) -> Expr {
        let bool = Type::Scalar(Scalar::Bool);
        let comparison = |this: &mut Self| {
            let compared = Type::Scalar(this.number());
            let operator = *this.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
            let kind = Kind::Binary(operator, this.boxed(&compared, 0), this.boxed(&compared, 0));
            Expr::new(bool.clone(), kind)
        };
        let mut chain = comparison(self);
        for _ in 0..self.random.between(1, 3) {
            let next = comparison(self);
            let (left, right) = if self.random.one_in(3) {
                (next, chain)
            } else {
                (chain, next)
            };
            let operator = *self.random.pick(&["&&", "||"]);
            let kind = Kind::Binary(operator, Box::new(left), Box::new(right));
            chain = Expr::new(bool.clone(), kind);
        }
        chain
    }

    fn arithmetic(&mut self, scalar: Scalar, width: u32, depth: u32) -> Kind {
        let ty = Type::wide(scalar, width);
        match self.random.below(11) {
            // The divisor is often the same for all invocations: a loop counter, or a power of two.
            10 if scalar.is_integer() => {
                let operator = *self.random.pick(&["/", "%"]);
                let divisor = if self.random.one_in(2) {
                    let one = Expr::new(Type::Scalar(scalar), Kind::Literal(1));
                    let one = if width == 1 {
                        one
                    } else {
                        Expr::new(ty.clone(), Kind::Construct(vec![one]))
                    };
                    let amount = Type::wide(Scalar::U32, width);
                    let power = Kind::Binary("<<", Box::new(one), self.boxed(&amount, 0));
                    Expr::new(ty.clone(), power)
                } else {
                    self.leaf(&ty)
                };
                Kind::Binary(operator, self.boxed(&ty, depth), Box::new(divisor))
            }
            0 if !scalar.is_unsigned() => Kind::Unary("-", self.boxed(&ty, depth)),
            1 if scalar.is_integer() => Kind::Unary("~", self.boxed(&ty, depth)),
            2 => self.convert(scalar, width, depth),
            3 if width > 1 => self.swizzle(scalar, width, depth),
            4 if scalar.is_integer() => {
                let amount = Type::wide(Scalar::U32, width);
                let operator = *self.random.pick(&["<<", ">>"]);
                Kind::Binary(operator, self.boxed(&ty, depth), self.boxed(&amount, depth))
            }
            5 if scalar.is_float() && width > 1 => {
                let matrix = Type::Matrix(scalar, self.random.between(2, 4) as u32, width);
                let Type::Matrix(_, columns, _) = matrix else {
                    unreachable!("made above")
                };
                let vector = Type::Vector(scalar, columns);
                Kind::Binary("*", self.boxed(&matrix, depth), self.boxed(&vector, depth))
            }
            _ => {
                let operators: &[&str] = if scalar.is_integer() {
                    &["+", "-", "*", "/", "%", "&", "|", "^", "+", "-", "*"]
                } else {
                    &["+", "-", "*"]
                };
                let operator = *self.random.pick(operators);
                let one = Type::Scalar(scalar);
                let mixes = ["+", "-", "*", "/", "%"].contains(&operator);
                let (left, right) = match self.random.below(6) {
                    0 if mixes => (one, ty),
                    1 if mixes => (ty, one),
                    _ => (ty.clone(), ty),
                };
                Kind::Binary(
                    operator,
                    self.boxed(&left, depth),
                    self.boxed(&right, depth),
                )
            }
        }
    }

    fn convert(&mut self, scalar: Scalar, width: u32, depth: u32) -> Kind {
        let from = if self.random.one_in(5) {
            Scalar::Bool
        } else {
            self.number()
        };
        let value = self.boxed(&Type::wide(from, width), depth);
        let same_size = from.is_integer() && scalar.is_integer() && from.size() == scalar.size();
        if same_size && self.random.one_in(2) {
            Kind::Bitcast(value)
        } else {
            Kind::Convert(value)
        }
    }

    fn swizzle(&mut self, scalar: Scalar, width: u32, depth: u32) -> Kind {
        let from = self.random.between(2, 4) as u32;
        let value = self.boxed(&Type::Vector(scalar, from), depth);
        let components = (0..width).map(|_| self.random.below(from as usize) as u32);
        Kind::Swizzle(value, components.collect())
    }

    fn matrix(&mut self, scalar: Scalar, columns: u32, rows: u32, depth: u32) -> Kind {
        let ty = Type::Matrix(scalar, columns, rows);
        match self.random.below(5) {
            0 => {
                let operator = *self.random.pick(&["+", "-"]);
                Kind::Binary(operator, self.boxed(&ty, depth), self.boxed(&ty, depth))
            }
            1 => {
                let one = Type::Scalar(scalar);
                Kind::Binary("*", self.boxed(&one, depth), self.boxed(&ty, depth))
            }
            2 => {
                let flipped = self.expr(&Type::Matrix(scalar, rows, columns), depth);
                Kind::Builtin("transpose($0)", Growth::Stays, vec![flipped])
            }
            _ => {
                let between = self.random.between(2, 4) as u32;
                let left = Type::Matrix(scalar, between, rows);
                let right = Type::Matrix(scalar, columns, between);
                Kind::Binary("*", self.boxed(&left, depth), self.boxed(&right, depth))
            }
        }
    }

    fn call(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let fitting = self
            .functions
            .iter()
            .enumerate()
            .filter_map(|(index, function)| {
                let ways = ways(function.result.as_ref()?, ty, &self.structs);
                (!ways.is_empty()).then_some(index)
            });
        let fitting: Vec<usize> = fitting.collect();
        let (index, arguments) = self.call_of(&fitting, depth)?;
        let result = self.functions[index].result.clone()?;
        let ways = ways(&result, ty, &self.structs);
        let way = self.random.pick(&ways).clone();
        let call = Expr::new(result, Kind::Call(index, arguments));
        Some(self.part_of(call, &way))
    }

    /// A call of one of some functions, if the budget allows it and pointers of the right types are in scope.
    pub(crate) fn call_of(
        &mut self,
        functions: &[usize],
        depth: u32,
    ) -> Option<(usize, Vec<Argument>)> {
        if functions.is_empty() || !self.may_call {
            return None;
        }
        let index = *self.random.pick(functions);
        let cost = self.functions[index].cost * self.times;
        if self.cost + cost > MAX_COST {
            return None;
        }
        let mut arguments = Vec::new();
        let mut pointed: Vec<String> = Vec::new();
        for parameter in self.functions[index].parameters.clone() {
            arguments.push(match parameter.passing {
                Passing::Value => Argument::Value(self.expr(&parameter.ty, depth.min(2) - 1)),
                passing => {
                    let variable = self.pointee(&parameter.ty, passing, &pointed)?;
                    // WGSL rejects two pointers to one variable.
                    pointed.push(variable.root.clone());
                    Argument::Pointer(self.place(&variable, &[], &parameter.ty))
                }
            });
        }
        self.cost += cost;
        Some((index, arguments))
    }

    fn pointee(&mut self, ty: &Type, passing: Passing, taken: &[String]) -> Option<Variable> {
        let fits = |variable: &&Variable| {
            variable.ty == *ty
                && variable.role == Role::Writable(Some(passing))
                && !taken.contains(&variable.root)
        };
        let fitting: Vec<_> = self.scope.iter().filter(fits).cloned().collect();
        (!fitting.is_empty()).then(|| self.random.pick(&fitting).clone())
    }
}
