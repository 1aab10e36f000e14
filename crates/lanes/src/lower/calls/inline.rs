//! Calls: inlining, activations of functions, and their local variables.
//!
//! A call of a function that is compiled separately is lowered in `callee`.

use std::rc::Rc;

use anywarp_program::units::Bytes;
use naga::valid::FunctionInfo;
use naga::{Expression, Function, Handle, LocalVariable, TypeInner};

use crate::ir::{Edge, Op, Row, Space, Terminator, Type, Value, WordBinary, WordCompare};

use crate::lower::analysis::liveness::roots;
use crate::lower::analysis::uniformity::{Analysis, Role};
use crate::lower::arithmetic::scalar::Scalar;
use crate::lower::error::{Result, unsupported};
use crate::lower::memory::constant_table::constant_locals;
use crate::lower::memory::layout::{MemoryLayout, ScalarType, Shape};
use crate::lower::memory::reference::{Base, Lvalue, MemoryRef};
use crate::lower::memory::variables::{Owner, VariableId};
use crate::lower::{Evaluated, Flow, Lowering, Scope};

/// The activation of a function that is being lowered.
pub(in crate::lower) struct Call<'a> {
    pub(in crate::lower) number: u32,
    pub(in crate::lower) role: Role,
    pub(in crate::lower) function: &'a Function,
    pub(in crate::lower) info: &'a FunctionInfo,
    pub(in crate::lower) analysis: Rc<Analysis>,
    /// The values of expressions that have been emitted.
    pub(in crate::lower) values: Vec<Option<Evaluated>>,
    pub(in crate::lower) arguments: Vec<Evaluated>,
    pub(in crate::lower) locals: Vec<Lvalue>,
    /// The index of its first variable.
    pub(in crate::lower) first_variable: usize,
    /// The execution mask at the call.
    pub(in crate::lower) exec: Option<Value>,
    /// The return value.
    pub(in crate::lower) result: Option<VariableId>,
    /// The mask of lanes that have returned early.
    pub(in crate::lower) returned: Option<VariableId>,
    /// The loops and switches that enclose the call.
    scopes: Vec<Scope>,
}

/// Variables with more scalars than this stay in memory.
const MAX_PROMOTED: usize = 64;

/// Approximate memory used by a variable during lowering.
const VARIABLE_BYTES: usize = 128;

/// The most bytes of per-lane memory: every frame offset fits the immediate of one instruction.
const MAX_FRAME_BYTES: u64 = 1 << 28;

/// Up to this many words are initialized one by one, more in a loop.
const MAX_UNROLLED_WORDS: u32 = 64;

impl<'a> Lowering<'a> {
    pub(in crate::lower) fn call(&self) -> &Call<'a> {
        self.body.calls.last().expect("something is being lowered")
    }

    pub(in crate::lower) fn call_mut(&mut self) -> &mut Call<'a> {
        self.body
            .calls
            .last_mut()
            .expect("something is being lowered")
    }

    /// Begins the activation of a function.
    pub(in crate::lower) fn enter(
        &mut self,
        function: &'a Function,
        info: &'a FunctionInfo,
        role: Role,
        arguments: Vec<Evaluated>,
    ) -> Result {
        self.work(function.expressions.len() + function.local_variables.len())?;
        // Variables stay allocated until the kernel is lowered, since changes of a branch can be rolled back.
        let variables = function.local_variables.len() + 2;
        self.meter.allocate((variables * VARIABLE_BYTES) as u64)?;
        let same: Vec<bool> = arguments.iter().map(Evaluated::is_uniform).collect();
        let analysis = self.analyses.of(function, role, &same)?;
        let number = self.next_call;
        self.next_call += 1;
        let result = match (&function.result, role) {
            (Some(result), Role::Called) => {
                let kinds = self.shapes.kinds(&self.module.types[result.ty].inner)?;
                let zeros = Self::zeros(kinds.len());
                Some(self.add_variable(Owner::Kernel, kinds.into(), zeros))
            }
            _ => None,
        };
        let returned = analysis.returns_early.then(|| {
            let kinds = [ScalarType::Bool].into();
            self.add_variable(Owner::Kernel, kinds, vec![Scalar::ZERO])
        });
        let call = Call {
            number,
            role,
            function,
            info,
            analysis,
            values: vec![None; function.expressions.len()],
            arguments,
            locals: Vec::new(),
            first_variable: self.body.variables.len(),
            exec: self.control.exec,
            result,
            returned,
            scopes: std::mem::take(&mut self.control.scopes),
        };
        self.body.calls.push(call);
        self.declare_locals(function)
    }

    /// Ends the innermost activation.
    pub(in crate::lower) fn leave(&mut self) -> Option<Call<'a>> {
        let mut call = self.body.calls.pop()?;
        self.control.scopes = std::mem::take(&mut call.scopes);
        self.control.exec = call.exec;
        Some(call)
    }

    pub(in crate::lower) fn call_function(
        &mut self,
        function: Handle<Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Expression>>,
    ) -> Result<Flow> {
        let mut evaluated = Vec::with_capacity(arguments.len());
        for argument in arguments {
            evaluated.push(self.evaluated(*argument)?);
        }
        if self.plan.is_called(function) {
            for argument in &mut evaluated {
                if let Evaluated::Table(memory) = argument {
                    let memory = Lvalue::Memory(memory.clone());
                    *argument = Evaluated::Scalars(self.load(&memory)?);
                }
            }
            self.call_compiled(function, &evaluated, result)?;
            return Ok(Flow::Continues);
        }
        let info = &self.program.info()[function];
        let body = &self.module.functions[function];
        self.enter(body, info, Role::Called, evaluated)?;
        let flow = self.statements(&body.body, true)?;
        let left = self.leave();
        if let (Some(expression), Some(variable)) = (result, left.and_then(|call| call.result)) {
            let scalars = self.variable(variable).scalars.iter().cloned().collect();
            self.set(expression, Evaluated::Scalars(scalars));
        }
        Ok(flow)
    }

    /// Decides for every function which variables are in memory rather than promoted.
    pub(in crate::lower) fn find_in_memory(&mut self, entry: usize) {
        let (module, infos) = (self.module, self.program.info());
        let functions = module
            .functions
            .iter()
            .map(|(handle, function)| (function, &infos[handle]));
        let entry = (
            &module.entry_points[entry].function,
            infos.get_entry_point(entry),
        );
        for (function, info) in functions.chain([entry]) {
            let indexed = indexed(function, info, module);
            let escaping = self.plan.escaping(function);
            let locals = function.local_variables.iter().map(|local| local.1);
            let all = locals.zip(indexed.into_iter().zip(escaping));
            let mut in_memory: Vec<bool> = all
                .map(|(local, (indexed, escapes))| {
                    let scalars = self.shapes.scalars(&module.types[local.ty].inner);
                    indexed || escapes || !scalars.is_ok_and(|count| count <= MAX_PROMOTED)
                })
                .collect();
            let mut tables = constant_locals(function);
            for (in_memory, table) in in_memory.iter_mut().zip(&mut tables) {
                // A constant that is not indexed needs no memory.
                *table = table.filter(|_| *in_memory);
                *in_memory &= table.is_none();
            }
            let key = std::ptr::from_ref(function);
            self.tables.locals.insert(key, tables.into());
            let in_memory = in_memory.into();
            self.analyses.set_in_memory(function, in_memory);
        }
    }

    fn declare_locals(&mut self, function: &'a Function) -> Result {
        let in_memory = self.analyses.in_memory(function);
        let tables = self.table_locals(function);
        let number = self.call().number;
        let first = self.call().first_variable;
        // Declares all of them first, so that their numbers are consecutive.
        for (handle, local) in function.local_variables.iter() {
            let inner = &self.module.types[local.ty].inner;
            let table = tables[handle.index()];
            let is_promoted = !in_memory[handle.index()] && table.is_none();
            let kinds: Rc<[ScalarType]> = if is_promoted {
                self.shapes.kinds(inner)?.into()
            } else {
                Rc::from([])
            };
            let zeros = Self::zeros(kinds.len());
            let owner = Owner::Call(number, handle.index() as u32);
            let id = self.add_variable(owner, kinds, zeros);
            let place = match table {
                Some(constant) => self.local_table(constant, local.ty)?,
                None if is_promoted => Lvalue::variable(id, Shape::Handle(local.ty)),
                None => self.own_memory(local.ty)?,
            };
            self.call_mut().locals.push(place);
        }
        let others = function.local_variables.iter();
        for (handle, local) in others.filter(|(handle, _)| tables[handle.index()].is_none()) {
            let id = VariableId((first + handle.index()) as u32);
            self.initialize(handle, local, id)?;
        }
        Ok(())
    }

    fn initialize(
        &mut self,
        handle: Handle<LocalVariable>,
        local: &LocalVariable,
        id: VariableId,
    ) -> Result {
        let init = match local.init {
            Some(init) => Some(self.scalars(init)?),
            None => None,
        };
        match self.call().locals[handle.index()].clone() {
            Lvalue::Memory(memory) => self.initialize_memory(&memory, init.as_deref()),
            Lvalue::Variable { .. } => {
                for (number, scalar) in init.into_iter().flatten().enumerate() {
                    self.replace((id, number as u32), scalar);
                }
                Ok(())
            }
        }
    }

    /// Allocates per-lane memory for a variable.
    pub(in crate::lower) fn own_memory(&mut self, ty: Handle<naga::Type>) -> Result<Lvalue> {
        let words = self.shapes.packed_words(ty)?;
        let bytes = self.function.frame_bytes;
        let end = u64::from(bytes) + u64::from(words) * u64::from(self.function.lanes) * 4;
        if end > MAX_FRAME_BYTES {
            return unsupported(format!("variables of {end} bytes for each subgroup"));
        }
        self.function.frame_bytes = end as u32;
        Ok(self.frame_memory(bytes, ty))
    }

    /// Per-lane memory at a byte offset in the frame.
    pub(in crate::lower) fn frame_memory(&mut self, bytes: u32, ty: Handle<naga::Type>) -> Lvalue {
        let pointer = self.emit_early(Op::Base(Space::Frame(bytes)), &[], Type::Pointer);
        Lvalue::Memory(MemoryRef {
            base: Base::Lanes { pointer },
            layout: MemoryLayout::Packed,
            shape: Shape::Handle(ty),
            fixed: Bytes(0),
            index: Scalar::ZERO,
            checks: Default::default(),
        })
    }

    /// Initializes per-lane memory with a value, or with zeros.
    pub(in crate::lower) fn initialize_memory(
        &mut self,
        memory: &MemoryRef,
        init: Option<&[Scalar]>,
    ) -> Result {
        let (Base::Lanes { pointer }, Shape::Handle(ty)) = (memory.base, memory.shape) else {
            return Ok(());
        };
        let words = self.shapes.packed_words(ty)?;
        let row = |word: u32, lanes: u32| Row {
            offset: (word * lanes).cast_signed(),
            is_limited: false,
            is_masked: false,
        };
        let lanes = self.function.lanes;
        if let Some(init) = init {
            for (word, scalar) in init.iter().enumerate() {
                let (value, zero) = (self.lanes(scalar), self.word_const(0));
                let op = Op::StoreRow(row(word as u32, lanes));
                self.effect(op, &[pointer, zero, value]);
            }
            return Ok(());
        }
        if words <= MAX_UNROLLED_WORDS {
            let (value, zero) = (self.splat(0), self.word_const(0));
            for word in 0..words {
                let op = Op::StoreRow(row(word, lanes));
                self.effect(op, &[pointer, zero, value]);
            }
            return Ok(());
        }
        let start = self.word_const(0);
        let (head, exit) = (self.function.add_block(), self.function.add_block());
        let to_head = |index| Edge {
            block: head,
            arguments: vec![index],
        };
        self.end(Terminator::Jump(to_head(start)));
        self.control.block = head;
        let index = self.function.add_parameter(head, Type::Word);
        let value = self.splat(0);
        self.effect(Op::StoreRow(row(0, lanes)), &[pointer, index, value]);
        let (step, end) = (self.word_const(lanes), self.word_const(words * lanes));
        let next = self.word_binary(WordBinary::Add, index, step);
        let goes_on = self.word_compare(WordCompare::LtU, next, end);
        self.end(Terminator::Branch(goes_on, to_head(next), Edge::to(exit)));
        self.control.block = exit;
        Ok(())
    }
}

/// By variable: whether an array in it is indexed by a value that is not constant.
fn indexed(function: &Function, info: &FunctionInfo, module: &naga::Module) -> Vec<bool> {
    let roots = roots(function);
    let mut indexed = vec![false; function.local_variables.len()];
    for (_, expression) in function.expressions.iter() {
        if let Expression::Access { base, index } = *expression
            && let Some(root) = roots[base.index()]
            && is_array(&info[base], module)
            && !matches!(function.expressions[index], Expression::Literal(_))
        {
            indexed[root as usize] = true;
        }
    }
    indexed
}

/// Whether an expression points to an array.
pub(in crate::lower) fn is_array(
    info: &naga::valid::ExpressionInfo,
    module: &naga::Module,
) -> bool {
    match *info.ty.inner_with(&module.types) {
        TypeInner::Pointer { base, .. } => {
            matches!(module.types[base].inner, TypeInner::Array { .. })
        }
        _ => false,
    }
}
