//! Builder for the body of a naga function.
//!
//! In: expressions and statements, in the order of evaluation, and the results of SPIR-V instructions. Out: a
//! [`Function`]. Expressions are emitted lazily, before the next statement that is appended. The
//! builder maps each SPIR-V id to its [`SpirvValue`].

use std::rc::Rc;

use anywarp_program::naga::{
    self, Block, Expression, Function, Handle, Literal, LocalVariable, Span, Statement, TypeInner,
};

use super::memory::Pointer;
use super::variable_pointers::VariablePointer;
use crate::error::{ReadError, Result};
use crate::maps::{FunctionMap, HashMap, HashSet};
use crate::module::{Id, Instruction};
use crate::read::Reader;
use crate::read::constants::Constant;

/// The translation of a SPIR-V id.
#[derive(Clone, Debug)]
pub(crate) enum SpirvValue {
    Expression(Handle<Expression>),
    /// In a local variable, because it is used outside the block in which it is computed.
    Spilled(Handle<LocalVariable>),
    /// A pointer. Shared, because each use looks it up.
    Pointer(Rc<Pointer>),
    VariablePointer(Box<VariablePointer>),
    /// A loaded image, sampler or combined image-sampler.
    Opaque(Box<Opaque>),
}

/// An image or sampler value, which can only be referred to: the pointers to it are resolved again at each use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Opaque {
    pub(crate) image: Option<Pointer>,
    pub(crate) sampler: Option<Pointer>,
}

/// The state of the translation of a function body.
pub(crate) struct Body<'r, 'a> {
    pub(crate) reader: &'r mut Reader<'a>,
    pub(crate) function: Function,
    pub(crate) values: FunctionMap<SpirvValue>,
    pub(crate) escaping: HashSet<Id>,
    /// Whether any value is a variable pointer.
    pub(crate) has_variable_pointers: bool,
    /// The statements of all open blocks, the innermost last.
    statements: Vec<Statement>,
    /// The spans of the statements, if locations are recorded.
    spans: Vec<Span>,
    /// The index of the first expression that is not emitted yet.
    emitted: usize,
    globals: HashMap<Handle<naga::GlobalVariable>, Handle<Expression>>,
    /// Pointer expressions by the index of the local variable.
    locals: Vec<Option<Handle<Expression>>>,
    /// Argument expressions by the index of the argument.
    arguments: Vec<Option<Handle<Expression>>>,
    constants: HashMap<Id, Handle<Expression>>,
    /// The values last stored to carrier variables, which only hold call arguments.
    pub(super) carried: HashMap<Id, Handle<Expression>>,
    /// Bitcast integers: the original expression and its signedness.
    pub(super) recast: HashMap<Handle<Expression>, (naga::ScalarKind, Handle<Expression>)>,
    /// By expression index: the number of components of a vector from which a component was extracted; 0 for all other
    /// expressions.
    pub(super) taken_apart: Vec<u8>,
}

impl<'r, 'a> Body<'r, 'a> {
    pub(crate) fn new(reader: &'r mut Reader<'a>, function: Function) -> Self {
        Self {
            reader,
            emitted: function.expressions.len(),
            function,
            values: FunctionMap::new(),
            escaping: HashSet::default(),
            has_variable_pointers: false,
            statements: Vec::new(),
            spans: Vec::new(),
            globals: HashMap::default(),
            locals: Vec::new(),
            arguments: Vec::new(),
            constants: HashMap::default(),
            carried: HashMap::default(),
            recast: HashMap::default(),
            taken_apart: Vec::new(),
        }
    }

    /// Appends a statement.
    pub(crate) fn push(&mut self, statement: Statement) {
        self.flush();
        self.append(statement);
    }

    fn append(&mut self, statement: Statement) {
        self.statements.push(statement);
        if self.reader.is_located() {
            self.spans.push(self.reader.span);
        }
    }

    /// Emits all pending expressions, so that they are evaluated at this point.
    fn flush(&mut self) {
        if self.emitted < self.function.expressions.len() {
            let range = self.function.expressions.range_from(self.emitted);
            self.append(Statement::Emit(range));
            self.emitted = self.function.expressions.len();
        }
    }

    /// The statements that `make` appends, as a nested block.
    pub(crate) fn braces(&mut self, make: impl FnOnce(&mut Self) -> Result<()>) -> Result<Block> {
        self.flush();
        let begin = self.statements.len();
        let made = make(self);
        self.flush();
        let inner = self.taken_from(begin);
        made.map(|()| inner)
    }

    /// Moves the statements from index `begin` on into a block. Its capacity is exact: there are many short blocks.
    fn taken_from(&mut self, begin: usize) -> Block {
        if !self.reader.is_located() {
            return Block::from_vec(self.statements.drain(begin..).collect());
        }
        let mut block = Block::with_capacity(self.statements.len() - begin);
        let spans = self.spans.drain(begin..);
        for (statement, span) in self.statements.drain(begin..).zip(spans) {
            block.push(statement, span);
        }
        block
    }

    /// Returns the finished function.
    pub(crate) fn end(mut self) -> Function {
        self.flush();
        self.function.body = self.taken_from(0);
        self.function
    }

    /// Adds an expression that is evaluated at this point.
    pub(crate) fn add(&mut self, expression: Expression) -> Handle<Expression> {
        self.function
            .expressions
            .append(expression, self.reader.span)
    }

    /// Adds an expression that is not emitted: a constant, a reference, or the result of a statement.
    pub(crate) fn add_apart(&mut self, expression: Expression) -> Handle<Expression> {
        self.flush();
        let handle = self.add(expression);
        self.emitted = self.function.expressions.len();
        handle
    }

    pub(crate) fn literal(&mut self, literal: Literal) -> Handle<Expression> {
        self.add_apart(Expression::Literal(literal))
    }

    pub(crate) fn global(&mut self, global: Handle<naga::GlobalVariable>) -> Handle<Expression> {
        if let Some(known) = self.globals.get(&global) {
            return *known;
        }
        let handle = self.add_apart(Expression::GlobalVariable(global));
        self.globals.insert(global, handle);
        handle
    }

    pub(crate) fn local(
        &mut self,
        name: Option<String>,
        ty: Handle<naga::Type>,
    ) -> Handle<LocalVariable> {
        let variable = LocalVariable {
            name,
            ty,
            init: None,
        };
        self.function
            .local_variables
            .append(variable, self.reader.span)
    }

    /// The pointer to a local variable; one expression for all uses.
    pub(crate) fn local_pointer(&mut self, local: Handle<LocalVariable>) -> Handle<Expression> {
        if let Some(Some(known)) = self.locals.get(local.index()) {
            return *known;
        }
        let handle = self.add_apart(Expression::LocalVariable(local));
        let count = self.function.local_variables.len();
        self.locals.resize(count, None);
        self.locals[local.index()] = Some(handle);
        handle
    }

    /// A function argument; one expression for all uses.
    pub(crate) fn argument(&mut self, index: u32) -> Handle<Expression> {
        let place = index as usize;
        if let Some(Some(known)) = self.arguments.get(place) {
            return *known;
        }
        let handle = self.add_apart(Expression::FunctionArgument(index));
        let count = self.arguments.len().max(place + 1);
        self.arguments.resize(count, None);
        self.arguments[place] = Some(handle);
        handle
    }

    pub(crate) fn load_local(&mut self, local: Handle<LocalVariable>) -> Handle<Expression> {
        let pointer = self.local_pointer(local);
        self.add(Expression::Load { pointer })
    }

    pub(crate) fn store_local(&mut self, local: Handle<LocalVariable>, value: Handle<Expression>) {
        let pointer = self.local_pointer(local);
        self.push(Statement::Store { pointer, value });
    }

    /// The naga type of an id.
    pub(crate) fn type_of(&mut self, id: Id) -> Result<Handle<naga::Type>> {
        let ty = self.type_id(id)?;
        self.reader.value_type(ty)
    }

    /// The SPIR-V type of an id.
    pub(crate) fn type_id(&self, id: Id) -> Result<Id> {
        self.reader.spirv.type_of(id)
    }

    /// The inner naga type of a SPIR-V type.
    pub(crate) fn inner(&mut self, ty: Id) -> Result<TypeInner> {
        let ty = self.reader.value_type(ty)?;
        Ok(self.reader.module.types[ty].inner.clone())
    }

    /// Records the result of an instruction. Stores it in a local variable if it escapes its block.
    pub(crate) fn set(
        &mut self,
        instruction: &Instruction<'_>,
        value: Handle<Expression>,
    ) -> Result<()> {
        let id = instruction.result()?;
        let value = if self.escaping.contains(&id) {
            let ty = self.type_of(id)?;
            let name = self.reader.spirv.names.of(id).map(str::to_owned);
            let local = self.local(name, ty);
            self.store_local(local, value);
            SpirvValue::Spilled(local)
        } else {
            if let Some(name) = self.reader.spirv.names.of(id) {
                let name = name.to_owned();
                self.function.named_expressions.insert(value, name);
            }
            SpirvValue::Expression(value)
        };
        self.values.insert(id, value);
        Ok(())
    }

    /// The value of an id, as an expression that is valid at this point.
    pub(crate) fn value(&mut self, id: Id) -> Result<Handle<Expression>> {
        match self.values.get(&id) {
            Some(SpirvValue::Expression(handle)) => Ok(*handle),
            Some(SpirvValue::Spilled(local)) => {
                let local = *local;
                Ok(self.load_local(local))
            }
            Some(SpirvValue::Pointer(_) | SpirvValue::VariablePointer(_)) => Err(
                ReadError::unsupported(format!("pointer {id} used as a value")),
            ),
            Some(SpirvValue::Opaque(_)) => Err(ReadError::unsupported(format!(
                "image or sampler {id} used as a value"
            ))),
            None => self.constant(id),
        }
    }

    /// A constant and its transitive operands. Chains may be long and share operands, so each operand is translated
    /// once, in topological order.
    fn constant(&mut self, id: Id) -> Result<Handle<Expression>> {
        if let Some(known) = self.constants.get(&id) {
            return Ok(*known);
        }
        let is_computed = match self.reader.constants.get(id) {
            Some((_, Constant::Operation(_))) => true,
            Some((_, Constant::Composite(_))) => self.reader.lasting_constant(id)?.is_none(),
            _ => false,
        };
        let parts = if is_computed {
            self.reader.constants.computed_parts(id)
        } else {
            Vec::new()
        };
        let mut made = Vec::new();
        let mut result = Ok(());
        for part in parts {
            if self.values.contains_key(&part) {
                continue;
            }
            match self.constant_itself(part) {
                Ok(value) => {
                    self.values.insert(part, SpirvValue::Expression(value));
                    made.push(part);
                }
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        let value = match result {
            Ok(()) => self.constant_itself(id),
            Err(error) => Err(error),
        };
        for part in made {
            self.values.remove(&part);
        }
        value
    }

    /// A constant whose operands are translated already.
    fn constant_itself(&mut self, id: Id) -> Result<Handle<Expression>> {
        if let Some(known) = self.constants.get(&id) {
            return Ok(*known);
        }
        let Some((ty, constant)) = self.reader.constants.get(id) else {
            let definition = self.reader.spirv.definition(id)?;
            return Err(definition.invalid(format!("{id} is used where it is not known")));
        };
        let constant = constant.clone();
        let (handle, is_lasting) = match constant {
            Constant::Literal(literal) => (self.literal(literal), true),
            Constant::Override(handle) => (self.add_apart(Expression::Override(handle)), true),
            Constant::Recast(handle) => {
                let expr = self.add_apart(Expression::Override(handle));
                (self.bitcast(expr, ty)?, false)
            }
            Constant::Zero => {
                let ty = self.reader.value_type(ty)?;
                (self.add_apart(Expression::ZeroValue(ty)), true)
            }
            Constant::Composite(parts) => match self.reader.lasting_constant(id)? {
                Some(handle) => (self.add_apart(Expression::Constant(handle)), true),
                None => {
                    let parts: Result<Vec<_>> = parts.iter().map(|id| self.value(*id)).collect();
                    let components = parts?;
                    let ty = self.reader.value_type(ty)?;
                    (self.add(Expression::Compose { ty, components }), false)
                }
            },
            Constant::Bits { scalar, bits } => (self.bits(scalar, bits)?, false),
            Constant::Operation(instruction) => (self.operation(&instruction)?, false),
        };
        if is_lasting {
            self.constants.insert(id, handle);
        }
        Ok(handle)
    }

    /// A float that has no literal: its bits are loaded from a variable, so that no compiler folds it.
    pub(crate) fn bits(&mut self, scalar: naga::Scalar, bits: u64) -> Result<Handle<Expression>> {
        let global = self.reader.bits_variable(scalar.width, bits);
        let pointer = self.global(global);
        let bits = self.add(Expression::Load { pointer });
        let (expr, convert) = match scalar.width {
            2 => {
                let fun = naga::MathFunction::Unpack2x16float;
                let base = self.function_of(fun, &[bits]);
                (
                    self.add(Expression::AccessIndex { base, index: 0 }),
                    Some(2),
                )
            }
            _ => (bits, None),
        };
        Ok(self.add(Expression::As {
            expr,
            kind: naga::ScalarKind::Float,
            convert,
        }))
    }

    /// Records a parameter that is not a pointer.
    pub(crate) fn parameter(&mut self, id: Id, index: u32) {
        let value = self.argument(index);
        self.values.insert(id, SpirvValue::Expression(value));
    }

    pub(crate) fn pointer_parameter(&mut self, id: Id, pointer: Pointer) {
        self.values
            .insert(id, SpirvValue::Pointer(Rc::new(pointer)));
    }

    /// Translates an `OpSpecConstantOp` as the instruction that it wraps.
    fn operation(&mut self, instruction: &Instruction<'a>) -> Result<Handle<Expression>> {
        let inner = instruction.inner_operation()?;
        let id = inner.result()?;
        let kept = self.values.remove(&id);
        self.instruction(&inner)?;
        // Without this check, an instruction without a result would recurse forever.
        let value = if self.values.contains_key(&id) {
            self.value(id)
        } else {
            Err(inner.invalid("it makes no constant"))
        };
        match kept {
            Some(kept) => self.values.insert(id, kept),
            None => self.values.remove(&id),
        };
        value
    }
}
