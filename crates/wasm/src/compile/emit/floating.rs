//! Floating values: arguments, ids and lengths become expressions at the beginning of the entry point, finite constants
//! literals.
//!
//! Infinities and NaNs are not allowed in a module, nor are constant expressions that give one, so their bits are read
//! from a variable.

use naga::{BinaryOperator, BuiltIn, FunctionArgument, Scalar, ScalarKind, VectorSize};

use super::interface::Storage;
use super::kernel::Kernel;
use super::unsupported;
use super::writer::Expr;
use crate::compile::ir::{Argument, Builtin, Object, ObjectKind, Op, Type};
use crate::compile::{CompileError, ParamWord};

impl Kernel<'_> {
    /// Emits the floating values that are not literals.
    pub(super) fn floating_values(&mut self) -> Result<(), CompileError> {
        for value in self.scan.floating.clone() {
            let found = match *self.function.op(value) {
                Op::Const(bits) => {
                    let is_hidden = self.scan.hidden.contains(&value);
                    self.special_constant(self.function.ty(value), bits, is_hidden)
                }
                Op::Argument(index) => Some(self.kernel_argument(index)?),
                Op::Builtin(builtin) => self.builtin_value(builtin),
                Op::ObjectLength(object) => self.object_length(object),
                _ => {
                    let feature = "an address that belongs to no known memory";
                    return Err(unsupported(self.function, feature));
                }
            };
            self.values[value.0 as usize] = found;
        }
        Ok(())
    }

    /// A literal, or `None` for infinities and NaNs.
    pub(super) fn literal(&mut self, ty: Type, bits: u64) -> Option<Expr> {
        let writer = &mut self.writer;
        Some(match ty {
            Type::Unit | Type::Bool => writer.bool(bits != 0),
            Type::I32 => writer.u32(bits as u32),
            Type::I64 => writer.u64(bits),
            Type::F32 => {
                let number = f32::from_bits(bits as u32);
                return number.is_finite().then(|| writer.f32(number));
            }
            Type::F64 => {
                let number = f64::from_bits(bits);
                return number.is_finite().then(|| writer.f64(number));
            }
        })
    }

    /// The bits of a constant from a variable, if no literal can be written.
    fn special_constant(&mut self, ty: Type, bits: u64, is_hidden: bool) -> Option<Expr> {
        if self.literal(ty, bits).is_some() && !is_hidden {
            return None;
        }
        let word = match ty {
            Type::F32 => Type::I32,
            Type::F64 => Type::I64,
            other => other,
        };
        let init = self.literal(word, bits);
        let scalar = self.interface.scalar(super::kernel::scalar(word));
        let variable = self.writer.local(format!("bits_{bits:x}"), scalar, init);
        let loaded = self.writer.load(variable);
        Some(if ty.is_float() {
            self.writer.bitcast(loaded, ScalarKind::Float)
        } else {
            loaded
        })
    }

    /// A word of the parameters.
    pub(super) fn param(&mut self, word: ParamWord) -> Option<Expr> {
        let index = self.interface.params.iter().position(|&one| one == word)?;
        let variable = self.interface.params_variable?;
        let base = self.writer.global(variable);
        let pointer = self.writer.member(base, index as u32);
        Some(self.writer.load(pointer))
    }

    fn kernel_argument(&mut self, index: u32) -> Result<Expr, CompileError> {
        let argument = self.function.arguments.get(index as usize).copied();
        let missing = || unsupported(self.function, "an argument that is not a number");
        let Some(Argument::Number(ty)) = argument else {
            return Err(missing());
        };
        let error = missing();
        let mut word = |word| {
            self.param(ParamWord::Argument { index, word })
                .ok_or_else(|| error.clone())
        };
        let low = word(0)?;
        let value = match Type::of(ty) {
            Type::I64 | Type::F64 => {
                let high = word(1)?;
                let bits = self.join_words(low, high);
                if Type::of(ty) == Type::F64 {
                    self.writer.bitcast(bits, ScalarKind::Float)
                } else {
                    bits
                }
            }
            _ => low,
        };
        self.writer.name(value, format!("arg{index}"));
        Ok(value)
    }

    /// A 64-bit number of two words.
    pub(super) fn join_words(&mut self, low: Expr, high: Expr) -> Expr {
        let low = self.writer.convert(low, ScalarKind::Uint, 8);
        let high = self.writer.convert(high, ScalarKind::Uint, 8);
        let count = self.writer.u32(32);
        let high = self.writer.binary(BinaryOperator::ShiftLeft, high, count);
        self.writer.binary(BinaryOperator::InclusiveOr, low, high)
    }

    /// A built-in of the entry point.
    fn builtin(&mut self, builtin: BuiltIn, name: &str) -> Expr {
        if let Some((_, known)) = self.builtins.iter().find(|(one, _)| *one == builtin) {
            return *known;
        }
        let is_scalar = builtin == BuiltIn::LocalInvocationIndex;
        let inner = if is_scalar {
            naga::TypeInner::Scalar(Scalar::U32)
        } else {
            naga::TypeInner::Vector {
                size: VectorSize::Tri,
                scalar: Scalar::U32,
            }
        };
        let ty = self.interface.ty(inner);
        let arguments = &mut self.writer.function.arguments;
        arguments.push(FunctionArgument {
            name: Some(name.to_owned()),
            ty,
            binding: Some(naga::Binding::BuiltIn(builtin)),
        });
        let index = arguments.len() as u32 - 1;
        let argument = self.writer.argument(index);
        self.builtins.push((builtin, argument));
        argument
    }

    fn component(&mut self, builtin: BuiltIn, name: &str, component: u8) -> Expr {
        let vector = self.builtin(builtin, name);
        self.writer.member(vector, u32::from(component.min(2)))
    }

    fn builtin_value(&mut self, builtin: Builtin) -> Option<Expr> {
        Some(match builtin {
            Builtin::GlobalId(c) => self.component(BuiltIn::GlobalInvocationId, "global_id", c),
            Builtin::LocalId(c) => self.component(BuiltIn::LocalInvocationId, "local_id", c),
            Builtin::WorkgroupId(c) => self.component(BuiltIn::WorkGroupId, "workgroup_id", c),
            Builtin::NumWorkgroups(c) => {
                self.component(BuiltIn::NumWorkGroups, "num_workgroups", c)
            }
            Builtin::WorkgroupSize(c) => {
                let size = self.workgroup_size[usize::from(c.min(2))];
                self.writer.u32(size)
            }
            Builtin::LocalIndex => self.builtin(BuiltIn::LocalInvocationIndex, "local_index"),
            Builtin::ThreadId => return self.thread,
            Builtin::Time => return self.param(ParamWord::Time),
            Builtin::PictureWidth => return self.param(ParamWord::PictureWidth),
            Builtin::PictureHeight => return self.param(ParamWord::PictureHeight),
        })
    }

    /// `(z * height + y) * width + x` of the invocation in the grid.
    pub(super) fn thread_index(&mut self) -> Expr {
        let mut axis = |component: u8| {
            let id = self.component(BuiltIn::GlobalInvocationId, "global_id", component);
            let groups = self.component(BuiltIn::NumWorkGroups, "num_workgroups", component);
            let size = self.workgroup_size[usize::from(component)];
            let size = self.writer.u32(size);
            (id, groups, size)
        };
        let [(x, width, size_x), (y, height, size_y), (z, _, _)] = [axis(0), axis(1), axis(2)];
        let mut binary = |op, left, right| self.writer.binary(op, left, right);
        let width = binary(BinaryOperator::Multiply, width, size_x);
        let height = binary(BinaryOperator::Multiply, height, size_y);
        let row = binary(BinaryOperator::Multiply, z, height);
        let row = binary(BinaryOperator::Add, row, y);
        let row = binary(BinaryOperator::Multiply, row, width);
        let thread = binary(BinaryOperator::Add, row, x);
        self.writer.name(thread, "thread".to_owned());
        thread
    }

    /// The number of words of an object.
    pub(super) fn object_length(&mut self, object: Object) -> Option<Expr> {
        let words = self.known_words(object);
        if let Some(words) = words {
            return Some(self.writer.u32(words));
        }
        match self.interface.storage[object.0 as usize]? {
            Storage::Global(variable) => {
                let base = self.writer.global(variable);
                Some(self.writer.push(naga::Expression::ArrayLength(base)))
            }
            _ => None,
        }
    }

    /// The number of words of an object, if the module knows it.
    pub(super) fn known_words(&self, object: Object) -> Option<u32> {
        let data = &self.scan.objects[object.0 as usize];
        match &data.kind {
            ObjectKind::Binding { .. }
            | ObjectKind::State
            | ObjectKind::Input
            | ObjectKind::Pixels => None,
            ObjectKind::Data(words) => Some(data.words.unwrap_or(words.len() as u32)),
            _ => data.words,
        }
    }

    /// Declares memory of the invocation, with its initial words.
    pub(super) fn private_memory(&mut self) {
        for at in 0..self.scan.objects.len() {
            let ObjectKind::Private(initial) = self.scan.objects[at].kind.clone() else {
                continue;
            };
            if !self.scan.is_used[at] {
                continue;
            }
            let element = match self.scan.objects[at].element {
                crate::compile::ir::Element::F32 => Type::F32,
                _ => Type::I32,
            };
            let words = self.scan.objects[at].words.unwrap_or(1);
            self.private[at] = Some(self.private_variable(at, element, words, &initial));
        }
    }

    fn private_variable(&mut self, at: usize, element: Type, words: u32, initial: &[u32]) -> Expr {
        let name = super::names::identifier(&self.scan.objects[at].name);
        let scalar = self.interface.scalar(super::kernel::scalar(element));
        let is_zero = initial.iter().all(|&word| word == 0);
        let mut literals = Vec::new();
        let mut special = Vec::new();
        for index in 0..if is_zero { 0 } else { words } {
            let word = initial.get(index as usize).copied().unwrap_or(0);
            let literal = self.literal(element, word.into());
            literals.extend(literal.or_else(|| self.literal(element, 0)));
            if literal.is_none() {
                special.push((index, word));
            }
        }
        let ty = if words == 1 {
            scalar
        } else {
            let kind = if element == Type::F32 {
                crate::compile::ir::Element::F32
            } else {
                crate::compile::ir::Element::U32
            };
            self.interface.array(kind, Some(words))
        };
        let init = match literals[..] {
            [] => None,
            [one] if words == 1 => Some(one),
            _ => Some(self.writer.push_fixed(naga::Expression::Compose {
                ty,
                components: literals,
            })),
        };
        let variable = self.writer.local(name, ty, init);
        for (index, word) in special {
            if let Some(value) = self.special_constant(element, word.into(), false) {
                let pointer = if words == 1 {
                    variable
                } else {
                    self.writer.member(variable, index)
                };
                self.writer.store(pointer, value);
            }
        }
        variable
    }
}
