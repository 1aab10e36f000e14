//! Expressions: the dispatch over naga's expressions; constants, indexing and builtin functions.
//!
//! Emitted expressions are lowered where they are emitted and cached; others are evaluated on use.

use anywarp_program::float_extremes;
use naga::{
    Expression, Handle, MathFunction, RelationalFunction, ScalarKind, SwizzleComponent, TypeInner,
    UnaryOperator,
};

use crate::ir::{LaneCompare, WordBinary};

use super::arithmetic::number::{Number, literal};
use super::arithmetic::scalar::{Scalar, Scalars};
use super::error::{Result, unsupported};
use super::memory::layout::{ScalarType, Shape};
use super::memory::reference::{Base, Lvalue};
use super::texture::image::{Coordinates, Texture};
use super::{Evaluated, Lowering};

impl<'a> Lowering<'a> {
    /// The inner type of an expression.
    pub(super) fn type_of(&self, expression: Handle<Expression>) -> &'a TypeInner {
        let info = self.call().info;
        info[expression].ty.inner_with(&self.module.types)
    }

    /// The numeric type of an expression's components.
    pub(super) fn number_of(&self, expression: Handle<Expression>) -> Result<Number> {
        match self.type_of(expression).scalar() {
            Some(scalar) => Number::of(scalar),
            None => unsupported("an operator on this type"),
        }
    }

    /// The value of an expression that was emitted or need not be.
    pub(super) fn evaluated(&mut self, expression: Handle<Expression>) -> Result<Evaluated> {
        if let Some(known) = &self.call().values[expression.index()] {
            return Ok(known.clone());
        }
        let call = self.call();
        let function = call.function;
        Ok(match function.expressions[expression] {
            Expression::FunctionArgument(index) => call.arguments[index as usize].clone(),
            Expression::LocalVariable(local) => {
                Evaluated::Lvalue(call.locals[local.index()].clone())
            }
            Expression::GlobalVariable(global) if self.is_texture(global) => {
                Evaluated::Texture(Texture::new(global))
            }
            Expression::GlobalVariable(global) => Evaluated::Lvalue(self.global(global)?),
            Expression::Literal(_)
            | Expression::Constant(_)
            | Expression::ZeroValue(_)
            | Expression::Compose { .. }
            | Expression::Splat { .. } => {
                let scalars = self.constant(&function.expressions, expression)?;
                Evaluated::Scalars(scalars)
            }
            _ => return unsupported("a value that is not there yet"),
        })
    }

    /// The scalars of an expression.
    pub(super) fn scalars(&mut self, expression: Handle<Expression>) -> Result<Scalars> {
        match self.evaluated(expression)? {
            Evaluated::Scalars(scalars) => Ok(scalars),
            Evaluated::Table(memory) => self.load(&Lvalue::Memory(memory)),
            Evaluated::Lvalue(_) | Evaluated::Texture(_) => unsupported("a pointer as a value"),
        }
    }

    /// The value of a scalar expression.
    pub(super) fn scalar(&mut self, expression: Handle<Expression>) -> Result<Scalar> {
        match self.scalars(expression)?.first() {
            Some(scalar) => Ok(scalar.clone()),
            None => unsupported("a value without numbers"),
        }
    }

    pub(super) fn lvalue(&mut self, expression: Handle<Expression>) -> Result<Lvalue> {
        match self.evaluated(expression)? {
            Evaluated::Lvalue(place) => Ok(place),
            Evaluated::Scalars(_) | Evaluated::Texture(_) | Evaluated::Table(_) => {
                unsupported("a value as a pointer")
            }
        }
    }

    /// The value of a constant expression.
    pub(super) fn constant(
        &mut self,
        arena: &'a naga::Arena<Expression>,
        expression: Handle<Expression>,
    ) -> Result<Scalars> {
        Ok(match arena[expression] {
            Expression::Literal(value) => literal(value)?,
            Expression::Constant(constant) => {
                let init = self.module.constants[constant].init;
                self.constant(&self.module.global_expressions, init)?
            }
            Expression::ZeroValue(ty) => {
                let inner = &self.module.types[ty].inner;
                let count = self.shapes.kinds(inner)?.len();
                self.allocate(count)?;
                Self::zeros(count).into()
            }
            Expression::Compose { ref components, .. } => {
                let mut all = Scalars::new();
                for component in components {
                    let component = self.constant(arena, *component)?;
                    // Nested constants may double in size with each level.
                    self.allocate(component.len())?;
                    all.extend(component);
                }
                all
            }
            Expression::Splat { size, value } => {
                let value = self.constant(arena, value)?;
                repeated(&value, size as usize)
            }
            _ => return unsupported("this constant expression"),
        })
    }

    /// The initial value of a module variable.
    pub(super) fn initial(&mut self, init: Handle<Expression>) -> Result<Scalars> {
        self.constant(&self.module.global_expressions, init)
    }

    /// Lowers an expression at its `Emit`.
    pub(super) fn compute(&mut self, expression: Handle<Expression>) -> Result {
        let value = self.value(expression)?;
        self.set(expression, value);
        Ok(())
    }

    pub(super) fn set(&mut self, expression: Handle<Expression>, value: Evaluated) {
        self.call_mut().values[expression.index()] = Some(value);
    }

    /// The value of an expression that is lowered at its `Emit`.
    fn value(&mut self, handle: Handle<Expression>) -> Result<Evaluated> {
        let function = self.call().function;
        let scalars = match function.expressions[handle] {
            Expression::Load { pointer } => {
                let place = self.lvalue(pointer)?;
                self.load(&place)?
            }
            Expression::Access { base, index } => return self.access(base, index),
            Expression::AccessIndex { base, index } => return self.access_index(base, index),
            Expression::Splat { size, value } => {
                let value = self.scalars(value)?;
                repeated(&value, size as usize)
            }
            Expression::Swizzle {
                size,
                vector,
                pattern,
            } => self.swizzle(vector, &pattern[..size as usize])?,
            Expression::Compose { ref components, .. } => self.compose(components)?,
            Expression::Unary { op, expr } => self.unary_components(op, expr)?,
            Expression::Binary { op, left, right } => self.two(op, left, right)?,
            Expression::Select {
                condition,
                accept,
                reject,
            } => self.select_components(handle, condition, [accept, reject])?,
            Expression::As {
                expr,
                kind,
                convert,
            } => self.convert_components(expr, kind, convert)?,
            Expression::Relational { fun, argument } => self.relational(fun, argument)?,
            Expression::Math {
                fun,
                arg,
                arg1,
                arg2,
                arg3,
            } => self.math(fun, [Some(arg), arg1, arg2, arg3], handle)?,
            Expression::ArrayLength(pointer) => {
                let place = self.lvalue(pointer)?;
                Scalars::from_iter([self.array_length(&place)?])
            }
            Expression::ImageLoad {
                image,
                coordinate,
                array_index,
                level,
                sample,
            } => {
                let at = Coordinates {
                    coordinate,
                    array_index,
                    level,
                    sample,
                };
                self.image_load(handle, image, at)?
            }
            Expression::ImageQuery { image, query } => self.image_query(handle, image, query)?,
            _ => return self.evaluated(handle),
        };
        Ok(Evaluated::Scalars(scalars))
    }

    /// The element of a vector, matrix or array, or a pointer to it, at an index that may not be constant.
    fn access(&mut self, base: Handle<Expression>, index: Handle<Expression>) -> Result<Evaluated> {
        let index = self.scalars(index)?;
        let index = self.as_index(&index);
        match self.evaluated(base)? {
            Evaluated::Lvalue(place) => Ok(Evaluated::Lvalue(self.element(place, &index)?)),
            Evaluated::Texture(array) => Ok(Evaluated::Texture(array.element(&index))),
            Evaluated::Table(memory) => {
                let element = self.element(Lvalue::Memory(memory), &index)?;
                self.part_of_table(element)
            }
            Evaluated::Scalars(scalars) => match self.element_of_table(base, &scalars, &index)? {
                Some(element) => Ok(element),
                None => Ok(Evaluated::Scalars(self.element_of(base, &scalars, &index)?)),
            },
        }
    }

    /// The member or element, or a pointer to it, with a constant index.
    fn access_index(&mut self, base: Handle<Expression>, index: u32) -> Result<Evaluated> {
        match self.evaluated(base)? {
            Evaluated::Lvalue(place) => Ok(Evaluated::Lvalue(self.member(place, index)?)),
            Evaluated::Texture(array) => {
                Ok(Evaluated::Texture(array.element(&Scalar::Known(index))))
            }
            Evaluated::Table(memory) => {
                let member = self.member(Lvalue::Memory(memory), index)?;
                self.part_of_table(member)
            }
            Evaluated::Scalars(scalars) => {
                Ok(Evaluated::Scalars(self.member_of(base, &scalars, index)?))
            }
        }
    }

    fn swizzle(
        &mut self,
        vector: Handle<Expression>,
        pattern: &[SwizzleComponent],
    ) -> Result<Scalars> {
        let values = self.number_of(vector)?.values();
        let vector = self.scalars(vector)?;
        let selected = pattern
            .iter()
            .flat_map(|component| number_at(&vector, *component as usize, values));
        Ok(selected.cloned().collect())
    }

    fn compose(&mut self, components: &[Handle<Expression>]) -> Result<Scalars> {
        let mut all = Scalars::new();
        for component in components {
            all.extend(self.scalars(*component)?);
        }
        Ok(all)
    }

    /// An operator with one operand, for each component.
    fn unary_components(
        &mut self,
        op: UnaryOperator,
        operand: Handle<Expression>,
    ) -> Result<Scalars> {
        let (number, scalars) = (self.number_of(operand)?, self.scalars(operand)?);
        let mut result = Scalars::new();
        for each in scalars.chunks(number.values()) {
            result.extend(self.negate_number(op, number, each)?);
        }
        Ok(result)
    }

    fn select_components(
        &mut self,
        handle: Handle<Expression>,
        condition: Handle<Expression>,
        [accept, reject]: [Handle<Expression>; 2],
    ) -> Result<Scalars> {
        let conditions = self.scalars(condition)?;
        let (a, b) = (self.scalars(accept)?, self.scalars(reject)?);
        let kinds = self.shapes.kinds(self.type_of(handle))?;
        // One condition for each component, or one for all.
        let values = kinds.len() / conditions.len();
        let mut result = Scalars::new();
        for (place, kind) in kinds.iter().enumerate() {
            let condition = &conditions[place / values];
            result.push(self.choose_by(condition, &a[place], &b[place], *kind));
        }
        Ok(result)
    }

    /// A conversion, or a `bitcast` if it has no width.
    fn convert_components(
        &mut self,
        operand: Handle<Expression>,
        kind: ScalarKind,
        convert: Option<u8>,
    ) -> Result<Scalars> {
        let (from, scalars) = (self.number_of(operand)?, self.scalars(operand)?);
        let width = convert.unwrap_or(match self.type_of(operand).scalar() {
            Some(scalar) => scalar.width,
            None => 0,
        });
        let to = Number::of(naga::Scalar { kind, width })?;
        let mut result = Scalars::new();
        for each in scalars.chunks(from.values()) {
            result.extend(match convert {
                Some(_) => self.convert_number(from, to, each)?,
                None => self.bits_as(from, to, each)?,
            });
        }
        Ok(result)
    }

    fn relational(
        &mut self,
        test: RelationalFunction,
        argument: Handle<Expression>,
    ) -> Result<Scalars> {
        let tested = self.scalars(argument)?;
        Ok(match test {
            RelationalFunction::All => Scalars::from_iter([self.all_of(&tested)]),
            RelationalFunction::Any => Scalars::from_iter([self.any_of(&tested)?]),
            RelationalFunction::IsNan | RelationalFunction::IsInf => {
                match self.number_of(argument)? {
                    Number::F16 | Number::F32 => {}
                    _ => return unsupported("this test of floats"),
                }
                tested.iter().map(|x| self.float_test(test, x)).collect()
            }
        })
    }

    /// `isNan` or `isInf` of a float.
    fn float_test(&mut self, test: RelationalFunction, x: &Scalar) -> Scalar {
        let value = self.lanes(x);
        let mask = match test {
            RelationalFunction::IsNan => self.compare(LaneCompare::NeF, value, value),
            _ => {
                let (rest, infinite) = (self.splat(0x7fff_ffff), self.splat(0x7f80_0000));
                let size = self.int(WordBinary::And, value, rest);
                self.compare(LaneCompare::Int(crate::ir::WordCompare::Eq), size, infinite)
            }
        };
        self.truth(mask, &[x])
    }

    fn array_length(&mut self, place: &Lvalue) -> Result<Scalar> {
        let Lvalue::Memory(memory) = place else {
            return unsupported("the length of a value");
        };
        let inner = self.shapes.inner(memory.shape);
        let (elements, _) = self.shapes.element(&inner, memory.layout)?;
        match (elements.count, memory.base) {
            (Some(count), _) => Ok(Scalar::Known(count)),
            (
                None,
                Base::Shared {
                    buffer: Some(buffer),
                    ..
                },
            ) => {
                let mut array = memory.clone();
                self.count_in(&mut array, elements.layout);
                let length = self.runtime_length(buffer, &array, elements.stride)?;
                Ok(Scalar::Word(length))
            }
            (None, Base::SelectedBuffers(selected)) => {
                let mut array = memory.clone();
                self.count_in(&mut array, elements.layout);
                let words = Scalar::Lanes(selected.words);
                self.elements_of(&words, &array, elements.stride)
            }
            _ => unsupported("the length of this array"),
        }
    }

    /// Indexes a value; the index may be a runtime value.
    fn element_of(
        &mut self,
        base: Handle<Expression>,
        scalars: &[Scalar],
        index: &Scalar,
    ) -> Result<Scalars> {
        let inner = self.type_of(base).clone();
        let (elements, shape) = self
            .shapes
            .element(&inner, super::memory::layout::MemoryLayout::Packed)?;
        let (count, step) = (elements.count.unwrap_or(0), elements.scalars);
        let kinds = self.kinds_of(shape)?;
        let mut result: Scalars = Self::zeros(step as usize).into();
        for element in 0..count {
            let is_it =
                self.integer_compare(crate::ir::WordCompare::Eq, index, &Scalar::Known(element));
            for (number, kind) in kinds.iter().enumerate() {
                let scalar = &scalars[(element * step) as usize + number];
                result[number] = self.choose_by(&is_it, scalar, &result[number].clone(), *kind);
            }
        }
        Ok(result)
    }

    fn kinds_of(&self, shape: Shape) -> Result<Vec<ScalarType>> {
        self.shapes.kinds(&self.shapes.inner(shape))
    }

    fn member_of(
        &mut self,
        base: Handle<Expression>,
        scalars: &[Scalar],
        index: u32,
    ) -> Result<Scalars> {
        let inner = self.type_of(base).clone();
        let (first, shape) = match inner {
            TypeInner::Struct { .. } => {
                let layout = super::memory::layout::MemoryLayout::Packed;
                let member = self.shapes.member(&inner, index, layout)?;
                (member.scalars, member.shape)
            }
            _ => {
                let layout = super::memory::layout::MemoryLayout::Packed;
                let (elements, shape) = self.shapes.element(&inner, layout)?;
                (index * elements.scalars, shape)
            }
        };
        let count = self.kinds_of(shape)?.len();
        let first = first as usize;
        Ok(scalars[first..first + count].iter().cloned().collect())
    }

    fn two(
        &mut self,
        op: naga::BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Result<Scalars> {
        use naga::BinaryOperator as B;
        let (l, r) = (self.type_of(left), self.type_of(right));
        let (a, b) = (self.scalars(left)?, self.scalars(right)?);
        let number = self.number_of(left)?;
        if op == B::Multiply {
            let rows = |inner: &TypeInner| match *inner {
                TypeInner::Matrix { columns, rows, .. } => Some((columns as usize, rows as usize)),
                _ => None,
            };
            let is_vector = |inner: &TypeInner| matches!(inner, TypeInner::Vector { .. });
            match (rows(l), rows(r)) {
                (Some((inner, rows)), Some((columns, _))) => {
                    return self.matrix_product(number, &a, &b, [columns, inner, rows]);
                }
                (Some((inner, rows)), None) if is_vector(r) => {
                    return self.matrix_product(number, &a, &b, [1, inner, rows]);
                }
                (None, Some((columns, inner))) if is_vector(l) => {
                    return self.matrix_product(number, &a, &b, [columns, inner, 1]);
                }
                _ => {}
            }
        }
        // The shift amount may be of another type.
        let (values, other_values) = (number.values(), self.number_of(right)?.values());
        let count = (a.len() / values).max(b.len() / other_values);
        let mut result = Scalars::new();
        for place in 0..count {
            let a = number_at(&a, place, values);
            let b = number_at(&b, place, other_values);
            result.extend(self.operate_on(op, number, a, b)?);
        }
        Ok(result)
    }

    fn math(
        &mut self,
        function: MathFunction,
        arguments: [Option<Handle<Expression>>; 4],
        handle: Handle<Expression>,
    ) -> Result<Scalars> {
        let expressions = &self.call().function.expressions;
        let arguments = float_extremes::ordered(function, arguments, expressions);
        let mut x: Vec<Scalars> = Vec::new();
        for argument in arguments.into_iter().flatten() {
            x.push(self.scalars(argument)?);
        }
        let number = match arguments[0] {
            Some(first) => self.number_of(first)?,
            None => return unsupported("a function of nothing"),
        };
        if function == MathFunction::Dot {
            return self.dot_of(number, &x[0], &x[1]);
        }
        if function == MathFunction::Outer {
            return self.outer_product(number, &x[0], &x[1]);
        }
        if number.is_float()
            && let Some(result) = self.geometric(function, number, &x)?
        {
            return Ok(result);
        }
        if let Some(result) = self.matrix_function(function, number, arguments, &x)? {
            return Ok(self.rounded(number, result));
        }
        if let Some(result) = self.packing(function, &x)? {
            return Ok(result);
        }
        if matches!(function, MathFunction::Modf | MathFunction::Frexp) {
            return match number {
                Number::F64 => Ok(self.double_split(function, &x[0])),
                _ => self.split(function, &x[0]),
            };
        }
        if function == MathFunction::Ldexp {
            if number == Number::F64 {
                return Ok(self.double_ldexp(&x[0], &x[1]));
            }
            let result = self.ldexp(&x[0], &x[1])?;
            return Ok(self.rounded(number, result));
        }
        self.for_each_component(function, number, &x, handle)
    }

    /// A builtin function that is applied to each component.
    fn for_each_component(
        &mut self,
        function: MathFunction,
        number: Number,
        x: &[Scalars],
        handle: Handle<Expression>,
    ) -> Result<Scalars> {
        let values = number.values();
        let count = self.shapes.kinds(self.type_of(handle))?.len() / values;
        // Bit positions and counts are words.
        let of_bits = matches!(
            function,
            MathFunction::ExtractBits | MathFunction::InsertBits
        );
        let is_word = |place: usize| of_bits && place + 2 >= x.len();
        let mut result = Scalars::new();
        for component in 0..count {
            let of: Vec<&[Scalar]> = x
                .iter()
                .enumerate()
                .map(|(place, scalars)| {
                    if is_word(place) {
                        number_at(scalars, component, 1)
                    } else {
                        number_at(scalars, component, values)
                    }
                })
                .collect();
            result.extend(self.function_of(function, number, &of)?);
        }
        Ok(result)
    }

    fn matrix_function(
        &mut self,
        function: MathFunction,
        number: Number,
        arguments: [Option<Handle<Expression>>; 4],
        x: &[Scalars],
    ) -> Result<Option<Scalars>> {
        let shape = arguments[0].map(|argument| self.type_of(argument));
        let Some(&TypeInner::Matrix { columns, rows, .. }) = shape else {
            return Ok(None);
        };
        let (columns, rows) = (columns as usize, rows as usize);
        match function {
            MathFunction::Transpose => Ok(Some(self.transposed(number, &x[0], [columns, rows]))),
            MathFunction::Determinant => Ok(Some(self.determinant(number, columns, &x[0])?)),
            MathFunction::Inverse => Ok(Some(self.inverse(number, columns, &x[0])?)),
            _ => unsupported(format!("`{function:?}` of matrices")),
        }
    }
}

/// The values of one component of a vector; a scalar has only one component.
fn number_at(scalars: &[Scalar], place: usize, values: usize) -> &[Scalar] {
    let place = place.min(scalars.len() / values - 1);
    &scalars[place * values..(place + 1) * values]
}

/// Repeats the values of a number.
fn repeated(number: &[Scalar], times: usize) -> Scalars {
    std::iter::repeat_n(number, times)
        .flatten()
        .cloned()
        .collect()
}
