//! Constant tables: constant arrays that are indexed by a runtime value.
//!
//! Tables are placed in the constant data section ([`Space::Constants`]), packed and deduplicated. A table is a
//! constant expression, or a local or private variable that holds one constant wherever it is read: SPIR-V indexes
//! constants through such variables. To find these, a forward walk checks that the variable is only ever set to one
//! constant and is definitely set before each read (definite assignment).

use std::rc::Rc;

use anywarp_program::operands;
use anywarp_program::units::Words;
use anywarp_program::walk;
use naga::valid::GlobalUse;
use naga::{
    AddressSpace, Arena, Block, Expression, Function, GlobalVariable, Handle, Module, Statement,
    TypeInner,
};

use crate::ir::{AtomicScope, Op, Space, Type};

use crate::lower::analysis::bit_set::Bits;
use crate::lower::analysis::liveness::roots;
use crate::lower::arithmetic::scalar::Scalar;
use crate::lower::error::{Result, unsupported};
use crate::lower::memory::layout::{MemoryLayout, Shape};
use crate::lower::memory::reference::{Base, Lvalue, MemoryRef};
use crate::lower::{Evaluated, Lowering};

/// The most words of all tables, so that every offset fits the immediate of one instruction.
const MAX_WORDS: usize = 1 << 22;

/// Up to this many elements are selected by comparisons, which is faster than a gather.
const MAX_SELECTED: usize = 8;

/// By local variable of a function: its constant value, if it is a table.
pub(in crate::lower) type TableLocals = Rc<[Option<Handle<Expression>>]>;

impl<'a> Lowering<'a> {
    /// An element of a constant array as a location in a table; `None` if the array is not constant or is too
    /// small.
    pub(in crate::lower) fn element_of_table(
        &mut self,
        base: Handle<Expression>,
        scalars: &[Scalar],
        index: &Scalar,
    ) -> Result<Option<Evaluated>> {
        let is_array = matches!(self.type_of(base), TypeInner::Array { .. });
        let ty = self.call().info[base].ty.handle();
        let (Some(ty), Some(words)) = (ty, known(scalars)) else {
            return Ok(None);
        };
        if !is_array || matches!(index, Scalar::Known(_)) || words.len() <= MAX_SELECTED {
            return Ok(None);
        }
        let table = self.table(&words, ty)?;
        let element = self.element(Lvalue::Memory(table), index)?;
        self.part_of_table(element).map(Some)
    }

    /// A part of a table as a value. Arrays and structures stay in the table, since they may be indexed further.
    pub(in crate::lower) fn part_of_table(&mut self, part: Lvalue) -> Result<Evaluated> {
        let inner = self.shapes.inner(part.shape());
        match part {
            Lvalue::Memory(memory)
                if matches!(inner, TypeInner::Array { .. } | TypeInner::Struct { .. }) =>
            {
                Ok(Evaluated::Table(memory))
            }
            part => Ok(Evaluated::Scalars(self.load(&part)?)),
        }
    }

    /// Places words in a table.
    fn table(&mut self, words: &[u32], ty: Handle<naga::Type>) -> Result<MemoryRef> {
        let start = match self.tables.offsets.get(words) {
            Some(known) => *known,
            None => {
                let start = self.tables.words.len();
                if start + words.len() > MAX_WORDS {
                    return unsupported(format!("constant tables of more than {MAX_WORDS} words"));
                }
                self.tables.words.extend_from_slice(words);
                self.tables.offsets.insert(words.into(), start as u32);
                start as u32
            }
        };
        let pointer = self.emit_early(Op::Base(Space::Constants), &[], Type::Pointer);
        Ok(MemoryRef {
            base: Base::Shared {
                pointer,
                sharing: AtomicScope::Thread,
                buffer: None,
            },
            layout: MemoryLayout::Packed,
            shape: Shape::Handle(ty),
            fixed: Words::from(start).bytes(),
            index: Scalar::ZERO,
            checks: Default::default(),
        })
    }

    /// The location of a local variable that is a table with this constant value.
    pub(in crate::lower) fn local_table(
        &mut self,
        constant: Handle<Expression>,
        ty: Handle<naga::Type>,
    ) -> Result<Lvalue> {
        let function = self.call().function;
        let scalars = self.constant(&function.expressions, constant)?;
        self.table_of(&scalars, ty)
    }

    /// The location of a private variable, if it is a table.
    pub(in crate::lower) fn private_table(
        &mut self,
        handle: Handle<GlobalVariable>,
    ) -> Result<Option<Lvalue>> {
        let variable = &self.module.global_variables[handle];
        match variable.init {
            Some(init) if self.tables.private[handle.index()] => {
                let scalars = self.initial(init)?;
                self.table_of(&scalars, variable.ty).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn table_of(&mut self, scalars: &[Scalar], ty: Handle<naga::Type>) -> Result<Lvalue> {
        match known(scalars) {
            Some(words) => Ok(Lvalue::Memory(self.table(&words, ty)?)),
            None => unsupported("a constant that is not known"),
        }
    }

    /// By local variable of a function: its constant value, if it is a table.
    pub(in crate::lower) fn table_locals(&self, function: &'a Function) -> TableLocals {
        let known = self.tables.locals.get(&std::ptr::from_ref(function));
        known.cloned().unwrap_or_default()
    }

    /// Whether a pointer refers to a variable that is a table, so that a store to it is redundant.
    pub(in crate::lower) fn is_table(&self, pointer: Handle<Expression>) -> bool {
        let function = self.call().function;
        match function.expressions[pointer] {
            Expression::LocalVariable(local) => {
                self.table_locals(function)[local.index()].is_some()
            }
            _ => false,
        }
    }

    /// Finds the private variables that are tables: the entry point only reads them, some access has a runtime
    /// index, and no function is given a pointer to them.
    pub(in crate::lower) fn find_private_tables(&mut self, entry: usize) -> Result {
        let indexed = self.indexed_globals()?;
        let used = self.program.info().get_entry_point(entry);
        let passed = passed_to_functions(self.module);
        let variables = self.module.global_variables.iter();
        let is_table = variables.map(|(handle, variable)| {
            let is_array = matches!(
                self.module.types[variable.ty].inner,
                TypeInner::Array { .. }
            );
            variable.space == AddressSpace::Private
                && is_array
                && variable.init.is_some()
                && (GlobalUse::READ | GlobalUse::QUERY).contains(used[handle])
                && !passed.contains(handle.index())
                && indexed[handle.index()]
        });
        self.tables.private = is_table.collect();
        Ok(())
    }
}

/// The values of scalars that are all constant.
fn known(scalars: &[Scalar]) -> Option<Vec<u32>> {
    let words = scalars.iter().map(|scalar| match *scalar {
        Scalar::Known(word) => Some(word),
        _ => None,
    });
    words.collect()
}

/// The module variables to which functions are given pointers.
fn passed_to_functions(module: &Module) -> Bits {
    let mut passed = Bits::new(module.global_variables.len());
    let functions = module.functions.iter().map(|(_, function)| function);
    for function in functions.chain(module.entry_points.iter().map(|entry| &entry.function)) {
        for statement in walk::statements(&function.body) {
            let Statement::Call { arguments, .. } = statement else {
                continue;
            };
            for argument in arguments {
                let mut at = *argument;
                while let Expression::Access { base, .. } | Expression::AccessIndex { base, .. } =
                    function.expressions[at]
                {
                    at = base;
                }
                if let Expression::GlobalVariable(variable) = function.expressions[at] {
                    passed.insert(variable.index());
                }
            }
        }
    }
    passed
}

/// For each local variable of a function, the constant that it holds wherever it is read, if there is one.
pub(in crate::lower) fn constant_locals(function: &Function) -> Vec<Option<Handle<Expression>>> {
    let count = function.local_variables.len();
    let mut walk = DefiniteAssignment {
        function,
        is_constant: constants(&function.expressions),
        roots: roots(function),
        constants: vec![None; count],
        is_other: Bits::new(count),
        is_set: Bits::new(count),
    };
    for (handle, local) in function.local_variables.iter() {
        match local.init {
            Some(init) if walk.is_constant[init.index()] => {
                walk.constants[handle.index()] = Some(init);
                walk.is_set.insert(handle.index());
            }
            Some(_) => {
                walk.is_other.insert(handle.index());
            }
            None => {}
        }
    }
    walk.block(&function.body);
    let constants = walk.constants.into_iter().enumerate();
    constants
        .map(|(local, constant)| constant.filter(|_| !walk.is_other.contains(local)))
        .collect()
}

/// A forward walk that finds variables with one constant value.
struct DefiniteAssignment<'a> {
    function: &'a Function,
    /// By expression: whether it is constant.
    is_constant: Vec<bool>,
    roots: Vec<Option<u32>>,
    /// The only constant that was assigned to each variable so far.
    constants: Vec<Option<Handle<Expression>>>,
    /// Variables that may hold another value.
    is_other: Bits,
    /// Variables that are definitely assigned here.
    is_set: Bits,
}

impl DefiniteAssignment<'_> {
    fn block(&mut self, block: &Block) {
        let mut set_here = Vec::new();
        for statement in block {
            match *statement {
                Statement::Emit(ref range) => {
                    for handle in range.clone() {
                        self.expression(handle);
                    }
                }
                Statement::Store { pointer, value } => {
                    if let Some(local) = self.store(pointer, value) {
                        set_here.push(local);
                    }
                }
                _ => operands::of_statement(statement, |operand| self.escape(*operand)),
            }
            operands::blocks_of(statement).for_each(|inner| self.block(inner));
        }
        for local in set_here {
            self.is_set.remove(local);
        }
    }

    fn expression(&mut self, handle: Handle<Expression>) {
        if let Expression::Load { pointer } = self.function.expressions[handle]
            && let Some(local) = self.roots[pointer.index()]
            && !self.is_set.contains(local as usize)
        {
            self.is_other.insert(local as usize);
        }
    }

    /// Returns the variable that becomes definitely assigned by the store.
    fn store(&mut self, pointer: Handle<Expression>, value: Handle<Expression>) -> Option<usize> {
        let local = self.roots[pointer.index()]? as usize;
        let expressions = &self.function.expressions;
        let is_whole = matches!(expressions[pointer], Expression::LocalVariable(_));
        let is_known = self.constants[local].is_none_or(|known| known == value);
        if !is_whole || !is_known || !self.is_constant[value.index()] {
            self.is_other.insert(local);
            return None;
        }
        self.constants[local] = Some(value);
        self.is_set.insert(local).then_some(local)
    }

    /// A pointer to a variable escapes.
    fn escape(&mut self, operand: Handle<Expression>) {
        if let Some(local) = self.roots[operand.index()] {
            self.is_other.insert(local as usize);
        }
    }
}

/// By expression: whether it is constant. Operands precede their uses in the arena.
fn constants(arena: &Arena<Expression>) -> Vec<bool> {
    let mut is_constant: Vec<bool> = Vec::with_capacity(arena.len());
    for (_, expression) in arena.iter() {
        let known = match *expression {
            Expression::Literal(_) | Expression::Constant(_) | Expression::ZeroValue(_) => true,
            Expression::Compose { ref components, .. } => components
                .iter()
                .all(|component| is_constant[component.index()]),
            Expression::Splat { value, .. } => is_constant[value.index()],
            _ => false,
        };
        is_constant.push(known);
    }
    is_constant
}
