//! The entry point: the prologue, builtin values, the loop over subgroups, and module-scope variables.
//!
//! In: the entry point. Out: its function in the vector IR. Without barriers, the function loops over the subgroups
//! of the workgroup itself; with barriers, one call runs one subgroup. Private variables get frame memory or SSA
//! values, workgroup variables get words of workgroup memory, and buffers get numbers.

use std::rc::Rc;

use anywarp_program::units::Words;
use anywarp_program::walk;
use naga::{
    AddressSpace, Binding, BuiltIn, EntryPoint, Expression, GlobalVariable, Handle, TypeInner,
};

use crate::ir::{
    AtomicScope, BlockId, CallOutcome, ContextField, Edge, Function, LaneCompare, Op, Space,
    Terminator, Type, Value, WordBinary, WordCompare,
};

use super::analysis::uniformity::Role;
use super::arithmetic::scalar::{Scalar, Scalars};
use super::calls::inline::is_array;
use super::calls::inlining::is_barrier;
use super::error::{Result, Stop, unsupported};
use super::memory::layout::{MemoryLayout, Shape};
use super::memory::reference::{Base, Extent, Lvalue, MemoryRef};
use super::memory::variables::Owner;
use super::{BufferSource, Evaluated, Lowering};

/// The most words of workgroup memory: every offset in it fits the immediate of one instruction.
const MAX_WORKGROUP_WORDS: u32 = 1 << 26;

/// The builtin values of a subgroup's invocations.
struct BuiltinValues {
    local: [Scalar; 3],
    index: Scalar,
    workgroup: [Scalar; 3],
    count: [Scalar; 3],
    subgroup: Scalar,
}

impl<'a> Lowering<'a> {
    /// Lowers an entry point.
    pub(super) fn entry_point(&mut self, entry: &'a EntryPoint, index: usize) -> Result {
        self.find_in_memory(index);
        self.find_private_tables(index)?;
        let size = entry.workgroup_size;
        let invocations: u32 = size.iter().product();
        let subgroups = invocations.div_ceil(self.function.lanes);
        let has_barrier = self.has_barrier(&entry.function);
        self.loops_over_subgroups = !has_barrier;
        // Without barriers, the kernel loops over the subgroups of its workgroup itself.
        let start = self.function.add_block();
        let exit = self.function.add_block();
        let mut arguments = Vec::new();
        self.control.block = start;
        let subgroup = if has_barrier {
            self.emit(Op::ContextField(ContextField::Subgroup), &[], Type::Word)
        } else {
            arguments.push(self.emit_early(Op::Word(0), &[], Type::Word));
            self.function.add_parameter(start, Type::Word)
        };
        let builtin_values = self.builtin_values(size, subgroup);
        if !invocations.is_multiple_of(self.function.lanes) {
            let (index, count) = (self.lanes(&builtin_values.index), self.splat(invocations));
            let exists = LaneCompare::Int(WordCompare::LtU);
            self.control.exec = Some(self.compare(exists, index, count));
        }
        self.control.first_exec = self.control.exec;
        self.control.exit = Some(exit);
        let info = self.program.info().get_entry_point(index);
        self.declare_private(index)?;
        let mut builtins = Vec::new();
        for argument in &entry.function.arguments {
            builtins.push(self.builtins(
                argument.binding.as_ref(),
                argument.ty,
                &builtin_values,
                size,
            )?);
        }
        let same: Vec<bool> = builtins.iter().map(Evaluated::is_uniform).collect();
        self.promote_small_arrays(&entry.function, &same)?;
        self.find_uniform_arguments(&entry.function, same)?;
        self.enter(&entry.function, info, Role::Entry, builtins)?;
        if self.statements(&entry.function.body, true)? == super::Flow::Continues {
            self.end(Terminator::Jump(Edge::to(exit)));
        }
        self.leave();
        self.control.block = exit;
        if !has_barrier {
            self.next_subgroup(start, subgroup, subgroups);
        }
        self.function.block_mut(Function::ENTRY).terminator = Terminator::Jump(Edge {
            block: start,
            arguments,
        });
        Ok(())
    }

    /// Ends an iteration of the loop over subgroups: branches back to its header, or returns after the last one.
    fn next_subgroup(&mut self, header: BlockId, subgroup: Value, subgroups: u32) {
        let one = self.word_const(1);
        let next = self.word_binary(WordBinary::Add, subgroup, one);
        let count = self.word_const(subgroups);
        let goes_on = self.word_compare(WordCompare::LtU, next, count);
        let done = self.function.add_block();
        self.function.block_mut(done).terminator = Terminator::Return(CallOutcome::FINISHED);
        let back_edge = Edge {
            block: header,
            arguments: vec![next],
        };
        self.end(Terminator::Branch(goes_on, back_edge, Edge::to(done)));
    }

    /// Whether a function or one of its callees executes a barrier.
    fn has_barrier(&self, function: &naga::Function) -> bool {
        let callees = walk::reachable(self.module, function).into_iter();
        let bodies = callees.map(|callee| &self.module.functions[callee].body);
        std::iter::once(&function.body)
            .chain(bodies)
            .flat_map(walk::statements)
            .any(is_barrier)
    }

    fn builtin_values(&mut self, [width, height, _]: [u32; 3], subgroup: Value) -> BuiltinValues {
        let lanes = self.function.lanes;
        let subgroup = Scalar::Word(subgroup);
        let first = self.integer(WordBinary::Mul, &subgroup, &Scalar::Known(lanes));
        let iota = Scalar::Affine(None, self.iota());
        let index = self.add(&first, &iota);
        let pattern = |each: &dyn Fn(u32) -> u32| -> Rc<[u32]> { (0..lanes).map(each).collect() };
        let known = Scalar::Known;
        let local = if width.is_multiple_of(lanes) {
            // A subgroup is a part of a row.
            let x = self.integer(WordBinary::RemU, &first, &known(width));
            let line = self.integer(WordBinary::DivU, &first, &known(width));
            let y = self.integer(WordBinary::RemU, &line, &known(height));
            let z = self.integer(WordBinary::DivU, &line, &known(height));
            [self.add(&x, &iota), y, z]
        } else if lanes.is_multiple_of(width) && height.is_multiple_of(lanes / width) {
            // A subgroup is several rows of one plane.
            let lines = lanes / width;
            let line = self.integer(WordBinary::Mul, &subgroup, &known(lines));
            let y = self.integer(WordBinary::RemU, &line, &known(height));
            let z = self.integer(WordBinary::DivU, &line, &known(height));
            let x = Scalar::Affine(None, pattern(&|lane| lane % width));
            let below = Scalar::Affine(None, pattern(&|lane| lane / width));
            [x, self.add(&y, &below), z]
        } else {
            let x = self.integer(WordBinary::RemU, &index, &known(width));
            let line = self.integer(WordBinary::DivU, &index, &known(width));
            let y = self.integer(WordBinary::RemU, &line, &known(height));
            let z = self.integer(WordBinary::DivU, &line, &known(height));
            [x, y, z]
        };
        let mut field = |field: fn(u8) -> ContextField| {
            [0, 1, 2].map(|axis| {
                Scalar::Word(self.emit_early(Op::ContextField(field(axis)), &[], Type::Word))
            })
        };
        BuiltinValues {
            workgroup: field(ContextField::WorkgroupId),
            count: field(ContextField::WorkgroupCount),
            local,
            index,
            subgroup,
        }
    }

    fn builtins(
        &mut self,
        binding: Option<&Binding>,
        ty: Handle<naga::Type>,
        builtin_values: &BuiltinValues,
        size: [u32; 3],
    ) -> Result<Evaluated> {
        let module = self.module;
        let mut scalars = Scalars::new();
        match (binding, &module.types[ty].inner) {
            (Some(Binding::BuiltIn(builtin)), _) => {
                scalars.extend(self.builtin(*builtin, builtin_values, size)?);
            }
            (None, TypeInner::Struct { members, .. }) => {
                for member in members {
                    let Some(Binding::BuiltIn(builtin)) = member.binding else {
                        return unsupported("this parameter of an entry point");
                    };
                    scalars.extend(self.builtin(builtin, builtin_values, size)?);
                }
            }
            _ => return unsupported("this parameter of an entry point"),
        }
        Ok(Evaluated::Scalars(scalars))
    }

    fn builtin(
        &mut self,
        builtin: BuiltIn,
        values: &BuiltinValues,
        size: [u32; 3],
    ) -> Result<Scalars> {
        let of = |scalars: &[Scalar]| scalars.iter().cloned().collect::<Scalars>();
        Ok(match builtin {
            BuiltIn::LocalInvocationId => of(&values.local),
            BuiltIn::LocalInvocationIndex => of(std::slice::from_ref(&values.index)),
            BuiltIn::WorkGroupId => of(&values.workgroup),
            BuiltIn::NumWorkGroups => of(&values.count),
            BuiltIn::WorkGroupSize => size.iter().map(|length| Scalar::Known(*length)).collect(),
            BuiltIn::GlobalInvocationId => {
                let mut global = Scalars::new();
                for axis in 0..3 {
                    let size = Scalar::Known(size[axis]);
                    let first = self.integer(WordBinary::Mul, &values.workgroup[axis], &size);
                    global.push(self.add(&first, &values.local[axis]));
                }
                global
            }
            BuiltIn::SubgroupId => {
                self.uses_subgroups = true;
                of(std::slice::from_ref(&values.subgroup))
            }
            BuiltIn::SubgroupInvocationId => {
                self.uses_subgroups = true;
                of(&[Scalar::Affine(None, self.iota())])
            }
            BuiltIn::SubgroupSize => {
                self.uses_subgroups = true;
                of(&[Scalar::Known(self.function.lanes)])
            }
            BuiltIn::NumSubgroups => {
                self.uses_subgroups = true;
                let invocations: u32 = size.iter().product();
                of(&[Scalar::Known(invocations.div_ceil(self.function.lanes))])
            }
            _ => return unsupported("this builtin value"),
        })
    }

    /// Declares private variables.
    fn declare_private(&mut self, entry: usize) -> Result {
        let module = self.module;
        let used = self.program.info().get_entry_point(entry);
        let indexed = self.indexed_globals()?;
        for (handle, variable) in module.global_variables.iter() {
            if variable.space != AddressSpace::Private
                || used[handle].is_empty()
                || self.tables.private[handle.index()]
            {
                continue;
            }
            let init = match variable.init {
                Some(init) => Some(self.initial(init)?),
                None => None,
            };
            let inner = &module.types[variable.ty].inner;
            let few = self.shapes.scalars(inner).is_ok_and(|count| count <= 64);
            let is_shared = self.plan.is_in_memory(handle);
            let place = if few && !is_shared && !indexed[handle.index()] {
                let kinds = self.shapes.kinds(inner)?;
                let scalars = match init {
                    Some(init) => init.into_vec(),
                    None => Self::zeros(kinds.len()),
                };
                let id = self.add_variable(Owner::Kernel, kinds.into(), scalars);
                Lvalue::variable(id, Shape::Handle(variable.ty))
            } else {
                self.resources.places[handle.index()] = Some(self.function.frame_bytes);
                let place = self.own_memory(variable.ty)?;
                if let Lvalue::Memory(memory) = &place {
                    self.initialize_memory(memory, init.as_deref())?;
                }
                place
            };
            self.body.globals[handle.index()] = Some(place);
        }
        Ok(())
    }

    /// By module variable: whether an array in it is indexed anywhere by a value that is not a literal.
    pub(super) fn indexed_globals(&self) -> Result<Vec<bool>> {
        let functions = self.module.functions.iter();
        let infos = self.program.info();
        let functions = functions.map(|(handle, function)| (function, &infos[handle]));
        let entries = self
            .module
            .entry_points
            .iter()
            .enumerate()
            .map(|(place, entry)| (&entry.function, infos.get_entry_point(place)));
        let mut indexed = vec![false; self.module.global_variables.len()];
        for (function, info) in functions.chain(entries) {
            self.work(function.expressions.len())?;
            let mut points = vec![None; function.expressions.len()];
            for (handle, expression) in function.expressions.iter() {
                points[handle.index()] = match *expression {
                    Expression::GlobalVariable(global) => Some(global),
                    Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                        points[base.index()]
                    }
                    _ => None,
                };
                if let Expression::Access { base, index } = *expression
                    && let Some(global) = points[base.index()]
                    && is_array(&info[base], self.module)
                    && !matches!(function.expressions[index], Expression::Literal(_))
                {
                    indexed[global.index()] = true;
                }
            }
        }
        Ok(indexed)
    }

    /// The number of a buffer; a new one if it is new.
    pub(super) fn buffer(&mut self, bound: BufferSource) -> u32 {
        let known = self
            .resources
            .buffers
            .iter()
            .position(|buffer| *buffer == bound);
        known.unwrap_or_else(|| {
            self.resources.buffers.push(bound);
            self.resources.buffers.len() - 1
        }) as u32
    }

    /// The word of workgroup memory at which a variable begins; it is allocated at the first use.
    fn workgroup_start(&mut self, handle: Handle<GlobalVariable>) -> Result<u32> {
        if let Some(known) = self.resources.places[handle.index()] {
            return Ok(known);
        }
        let start = self.resources.workgroup_words;
        let ty = self.module.global_variables[handle].ty;
        let words = self.shapes.packed_words(ty)?;
        // Every variable is aligned to a vector of lanes.
        self.resources.workgroup_words += words.next_multiple_of(16);
        if self.resources.workgroup_words > MAX_WORKGROUP_WORDS {
            return unsupported("so much workgroup memory");
        }
        self.resources.places[handle.index()] = Some(start);
        Ok(start)
    }

    /// The location of a module variable.
    pub(super) fn global(&mut self, handle: Handle<GlobalVariable>) -> Result<Lvalue> {
        if let Some(known) = &self.body.globals[handle.index()] {
            return Ok(known.clone());
        }
        if let Some(table) = self.private_table(handle)? {
            self.body.globals[handle.index()] = Some(table.clone());
            return Ok(table);
        }
        let variable = &self.module.global_variables[handle];
        if let (AddressSpace::Private, Some(bytes)) =
            (variable.space, self.resources.places[handle.index()])
        {
            // Declared by the entry point.
            let place = self.frame_memory(bytes, variable.ty);
            self.body.globals[handle.index()] = Some(place.clone());
            return Ok(place);
        }
        let mut fixed = 0;
        let (space, sharing, buffer, layout) = match variable.space {
            AddressSpace::Storage { .. } | AddressSpace::Uniform => {
                let Some(binding) = variable.binding else {
                    return unsupported("a buffer without a binding");
                };
                let number = self.buffer(BufferSource::Buffer(binding.group, binding.binding));
                let space = Space::Buffer(number);
                let extent = Some(Extent::Buffer(number));
                (space, AtomicScope::Threads, extent, MemoryLayout::Shared)
            }
            AddressSpace::WorkGroup => {
                fixed = self.workgroup_start(handle)?;
                (
                    Space::Workgroup,
                    AtomicScope::Thread,
                    None,
                    MemoryLayout::Packed,
                )
            }
            AddressSpace::Immediate => (
                Space::Immediates,
                AtomicScope::Thread,
                None,
                MemoryLayout::Shared,
            ),
            _ => return Err(Stop::Unsupported("this address space".into())),
        };
        let pointer = self.emit_early(Op::Base(space), &[], Type::Pointer);
        let place = Lvalue::Memory(MemoryRef {
            base: Base::Shared {
                pointer,
                sharing,
                buffer,
            },
            layout,
            shape: Shape::Handle(variable.ty),
            fixed: Words::from(fixed).bytes(),
            index: Scalar::ZERO,
            checks: Default::default(),
        });
        self.body.globals[handle.index()] = Some(place.clone());
        Ok(place)
    }
}
