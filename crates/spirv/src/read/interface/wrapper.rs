//! Generates the wrapper of an entry function.
//!
//! In: an `OpEntryPoint` whose function is already translated (the inner function). Out: a naga entry point that
//! copies its parameters to the pseudo-inputs, initializes the variables that need it, calls the inner function and
//! returns the pseudo-outputs.

use std::collections::BTreeMap;

use anywarp_program::naga::{
    self, Binding, Expression, Handle, Interpolation, Sampling, Scalar, ScalarKind, ShaderStage,
    Statement, StructMember, TypeInner, UnaryOperator, VectorSize,
};
use rspirv::spirv::{BuiltIn, Op, StorageClass};

use super::builtins::{self, NagaBuiltIn};
use super::lanes;
use super::leaves::{Leaf, LeafBinding, Qualifiers, leaves};
use super::masks;
use super::modes;
use crate::error::{ReadError, Result};
use crate::maps::{HashMap, HashSet};
use crate::module::{EntryPoint, Id};
use crate::read::Reader;
use crate::read::function::{Body, Expr};
use crate::read::layout::vector_size;

/// A leaf of a variable that the wrapper copies.
struct CopiedLeaf {
    variable: Handle<naga::GlobalVariable>,
    leaf: Leaf,
}

/// An entry point parameter or result member: everything at one location, or one builtin.
struct InterfaceMember {
    binding: Binding,
    ty: TypeInner,
    name: Option<String>,
    parts: Vec<CopiedLeaf>,
}

impl<'a> Reader<'a> {
    pub(in crate::read) fn entry_point(&mut self, entry_point: &EntryPoint<'a>) -> Result<()> {
        let at = entry_point.instruction;
        self.locate(at.offset);
        self.wrap(entry_point)
            .map_err(|error| error.at(at.offset, Some(at.op)))
    }

    fn wrap(&mut self, entry_point: &EntryPoint<'a>) -> Result<()> {
        let modes = modes::modes(self, entry_point)?;
        let inner = self.function(entry_point.function)?;
        self.name_inner(inner, &entry_point.name);
        let mut inputs = self.slots(entry_point, StorageClass::Input, modes.stage)?;
        let size = subgroup_size(&mut inputs);
        let borrowed = self.borrowed(entry_point.function, &mut inputs)?;
        let late = self.late_values(entry_point.function)?;
        let mut outputs = self.slots(entry_point, StorageClass::Output, modes.stage)?;
        if modes.stage == ShaderStage::Vertex {
            give_position(&mut outputs);
        }
        let is_flat = modes.workgroup_size[1..].iter().all(|size| *size <= 1)
            && modes.overrides.is_none_or(|ids| ids[1..] == [None, None]);
        let mut function = naga::Function::default();
        let arguments = self.input_parameters(&mut function, &inputs, is_flat);
        let result = self.result_type(&entry_point.name, &outputs)?;
        function.result = result.map(|ty| naga::FunctionResult { ty, binding: None });
        let flips_y = self.options.flip_y;
        let mut body = Body::new(self, function);
        let values = take_inputs(&mut body, &inputs, &arguments, size)?;
        for (variable, init) in late {
            let value = body.value(init)?;
            store_global(&mut body, variable, value);
        }
        for (index, variable) in borrowed {
            store_global(&mut body, variable, values[index as usize]);
        }
        body.push(Statement::Call {
            function: inner,
            arguments: Vec::new(),
            result: None,
        });
        let mut components = Vec::new();
        for slot in &outputs {
            components.push(body.give_output(slot, flips_y)?);
        }
        let value = result.map(|ty| body.add(Expression::Compose { ty, components }));
        body.push(Statement::Return { value });
        let function = body.end();
        self.module.entry_points.push(naga::EntryPoint {
            name: entry_point.name.clone(),
            stage: modes.stage,
            early_depth_test: modes.early_depth_test,
            workgroup_size: modes.workgroup_size,
            workgroup_size_overrides: modes.overrides,
            function,
            mesh_info: None,
            task_payload: None,
            incoming_ray_payload: None,
        });
        Ok(())
    }

    /// Adds a parameter for each input; returns their indices. `None` stands for a lane or subgroup index that the
    /// wrapper computes ([`lanes`]), because the workgroup is not flat.
    fn input_parameters(
        &mut self,
        function: &mut naga::Function,
        inputs: &[InterfaceMember],
        is_flat: bool,
    ) -> Vec<Option<u32>> {
        let mut arguments = Vec::new();
        for slot in inputs {
            if !is_flat && lanes::is_lane(&slot.binding) {
                arguments.push(None);
                continue;
            }
            arguments.push(Some(function.arguments.len() as u32));
            let ty = self.insert_type(slot.ty.clone());
            function.arguments.push(naga::FunctionArgument {
                name: slot.name.clone(),
                ty,
                binding: Some(slot.binding.clone()),
            });
        }
        arguments
    }

    /// Names the inner function, as the wrapper gets the name of the entry point.
    fn name_inner(&mut self, inner: Handle<naga::Function>, entry_point: &str) {
        let known = self.module.functions[inner].name.as_deref();
        if known.is_some_and(|name| !name.is_empty() && name != entry_point) {
            return;
        }
        let name = format!("{entry_point}_inner");
        let functions = &mut self.module.functions;
        if functions
            .iter()
            .all(|(_, function)| function.name.as_ref() != Some(&name))
        {
            functions[inner].name = Some(name);
        }
    }

    /// Inputs for builtins that instructions of the entry function or its callees need without a declaration: the
    /// input index and the variable for each.
    fn borrowed(
        &self,
        function: Id,
        inputs: &mut Vec<InterfaceMember>,
    ) -> Result<Vec<(u32, Handle<naga::GlobalVariable>)>> {
        let mut borrowed = Vec::new();
        if self.interface.builtins.is_empty() {
            return Ok(borrowed);
        }
        let reached = self.reached_globals(function)?;
        for (builtin, variable) in &self.interface.builtins {
            if !reached.contains(variable) {
                continue;
            }
            let binding = Binding::BuiltIn(*builtin);
            let known = inputs.iter().position(|slot| slot.binding == binding);
            let index = known.unwrap_or(inputs.len());
            if known.is_none() {
                let ty = self.module.global_variables[*variable].ty;
                inputs.push(InterfaceMember {
                    binding,
                    ty: self.module.types[ty].inner.clone(),
                    name: self.module.global_variables[*variable].name.clone(),
                    parts: Vec::new(),
                });
            }
            borrowed.push((index as u32, *variable));
        }
        Ok(borrowed)
    }

    /// The variables that the wrapper has to initialize, because their initializer is not a WGSL constant expression.
    fn late_values(&self, function: Id) -> Result<Vec<(Handle<naga::GlobalVariable>, Id)>> {
        if self.interface.late_values.is_empty() {
            return Ok(Vec::new());
        }
        let reached = self.reached_globals(function)?;
        let is_needed = |variable: &Handle<naga::GlobalVariable>| {
            // The wrapper itself reads the outputs.
            reached.contains(variable) || self.output_handles().any(|output| output == *variable)
        };
        let late = self.interface.late_values.iter();
        Ok(late
            .copied()
            .filter(|(variable, _)| is_needed(variable))
            .collect())
    }

    fn output_handles(&self) -> impl Iterator<Item = Handle<naga::GlobalVariable>> {
        let outputs = self.variables.values();
        let outputs = outputs.filter(|output| output.pointer.class == StorageClass::Output);
        outputs.map(|output| output.handle)
    }

    /// The global variables used in a function and its transitive callees.
    fn reached_globals(&self, function: Id) -> Result<HashSet<Handle<naga::GlobalVariable>>> {
        let functions = self.spirv.functions.iter();
        let bodies: HashMap<Id, _> = functions.map(|function| (function.id, function)).collect();
        let mut made: HashMap<Id, Vec<Handle<naga::Function>>> = HashMap::default();
        for ((id, _), handle) in &self.translated.functions {
            made.entry(*id).or_default().push(*handle);
        }
        let mut globals = HashSet::default();
        let mut seen = HashSet::from_iter([function]);
        let mut waiting = vec![function];
        while let Some(id) = waiting.pop() {
            // A function may have several specializations.
            for made in made.get(&id).into_iter().flatten() {
                let expressions = self.module.functions[*made].expressions.iter();
                globals.extend(expressions.filter_map(|(_, expression)| match expression {
                    Expression::GlobalVariable(global) => Some(*global),
                    _ => None,
                }));
            }
            for call in bodies.get(&id).into_iter().flat_map(|body| &body.calls) {
                if seen.insert(call.id(0)?) {
                    waiting.push(call.id(0)?);
                }
            }
        }
        Ok(globals)
    }

    fn result_type(
        &mut self,
        entry_point: &str,
        outputs: &[InterfaceMember],
    ) -> Result<Option<Handle<naga::Type>>> {
        let mut members = Vec::new();
        let mut end = 0;
        for slot in outputs {
            let ty = self.insert_type(slot.ty.clone());
            members.push(StructMember {
                name: slot.name.clone(),
                ty,
                binding: Some(slot.binding.clone()),
                offset: end,
            });
            let size = slot.ty.size(self.module.to_ctx());
            end += size.next_multiple_of(16);
        }
        if members.is_empty() {
            return Ok(None);
        }
        let ty = naga::Type {
            name: Some(format!("{entry_point}_result")),
            inner: TypeInner::Struct { members, span: end },
        };
        Ok(Some(self.module.types.insert(ty, self.span)))
    }

    /// The inputs or outputs of an entry point: builtins first, then locations in order.
    fn slots(
        &mut self,
        entry_point: &EntryPoint<'a>,
        class: StorageClass,
        stage: ShaderStage,
    ) -> Result<Vec<InterfaceMember>> {
        let mut slots = Vec::new();
        let mut locations: BTreeMap<(u32, Option<u32>), Vec<CopiedLeaf>> = BTreeMap::new();
        for id in &entry_point.interface {
            let Some(variable) = self.variables.get(*id) else {
                continue;
            };
            if variable.pointer.class != class {
                continue;
            }
            let (handle, ty) = (variable.handle, variable.pointer.ty);
            for leaf in leaves(self, *id, ty)? {
                let place = leaf.place;
                let part = CopiedLeaf {
                    variable: handle,
                    leaf,
                };
                match place {
                    LeafBinding::BuiltIn(builtin, qualifiers) => {
                        let is_input = class == StorageClass::Input;
                        let slot = self.builtin(*id, part, builtin, qualifiers, is_input, stage)?;
                        add_builtin(&mut slots, slot);
                    }
                    LeafBinding::Location {
                        location, index, ..
                    } => locations.entry((location, index)).or_default().push(part),
                }
            }
        }
        // With dual-source blending, the first source may omit `Index 0`.
        if locations
            .keys()
            .any(|(_, index)| index.is_some_and(|index| index > 0))
        {
            for ((location, index), parts) in std::mem::take(&mut locations) {
                let key = (location, Some(index.unwrap_or(0)));
                locations.entry(key).or_default().extend(parts);
            }
        }
        let interpolates = match class {
            StorageClass::Input => stage == ShaderStage::Fragment,
            _ => stage == ShaderStage::Vertex,
        };
        for ((location, index), parts) in locations {
            slots.push(self.location(location, index, parts, interpolates)?);
        }
        Ok(slots)
    }

    fn location(
        &mut self,
        location: u32,
        blend_src: Option<u32>,
        parts: Vec<CopiedLeaf>,
        interpolates: bool,
    ) -> Result<InterfaceMember> {
        let mut end = 0;
        let mut scalar = Scalar::F32;
        let mut qualifiers = Qualifiers::default();
        for part in &parts {
            let LeafBinding::Location {
                component,
                qualifiers: own,
                ..
            } = part.leaf.place
            else {
                continue;
            };
            let (count, own_scalar) = self.numbers(part.leaf.ty)?;
            end = end.max(component + count);
            scalar = own_scalar;
            qualifiers = own;
        }
        let ty = match end {
            1 => TypeInner::Scalar(scalar),
            count => TypeInner::Vector {
                size: vector_size(count)?,
                scalar,
            },
        };
        let is_flat = qualifiers.is_flat || scalar.kind != ScalarKind::Float;
        let interpolation = match qualifiers {
            _ if is_flat => Interpolation::Flat,
            Qualifiers {
                is_linear: true, ..
            } => Interpolation::Linear,
            _ => Interpolation::Perspective,
        };
        let sampling = match qualifiers {
            _ if is_flat => None,
            Qualifiers {
                is_sample: true, ..
            } => Some(Sampling::Sample),
            Qualifiers {
                is_centroid: true, ..
            } => Some(Sampling::Centroid),
            _ => Some(Sampling::Center),
        };
        Ok(InterfaceMember {
            binding: Binding::Location {
                location,
                interpolation: Some(interpolation).filter(|_| interpolates),
                sampling: sampling.filter(|_| interpolates),
                blend_src,
                per_primitive: false,
            },
            ty,
            name: parts.first().and_then(|part| part.leaf.name.clone()),
            parts,
        })
    }

    /// The component count and scalar of a leaf.
    fn numbers(&mut self, ty: Id) -> Result<(u32, Scalar)> {
        let ty = self.value_type(ty)?;
        match self.module.types[ty].inner {
            TypeInner::Scalar(scalar) => Ok((1, scalar)),
            TypeInner::Vector { size, scalar } => Ok((size as u32, scalar)),
            _ => Err(ReadError::invalid(
                "an input or output is not made of numbers",
            )),
        }
    }

    fn builtin(
        &mut self,
        id: Id,
        mut part: CopiedLeaf,
        builtin: BuiltIn,
        qualifiers: Qualifiers,
        is_input: bool,
        stage: ShaderStage,
    ) -> Result<Option<InterfaceMember>> {
        let is_touched = self.is_touched(id, part.leaf.path.first().copied());
        let known = if is_input {
            builtins::input(builtin, stage)
        } else {
            builtins::output(builtin, qualifiers.is_invariant)
        };
        let NagaBuiltIn { builtin, ty } = match (known, builtin) {
            (Some(known), _) => known,
            // An unused builtin can be omitted.
            (None, _) if !is_touched => return Ok(None),
            (None, BuiltIn::ClipDistance) if !is_input => {
                let ty = self.value_type(part.leaf.ty)?;
                NagaBuiltIn {
                    builtin: naga::BuiltIn::ClipDistances,
                    ty: self.module.types[ty].inner.clone(),
                }
            }
            // The only device has index 0.
            (None, BuiltIn::DeviceIndex) if is_input => return Ok(None),
            // Computed from the lane index.
            (None, mask) if is_input && masks::is_mask(mask) => NagaBuiltIn {
                builtin: naga::BuiltIn::SubgroupInvocationId,
                ty: TypeInner::Scalar(Scalar::U32),
            },
            // WebGPU draws points of size 1 only.
            (None, BuiltIn::PointSize) if !is_input => return Ok(None),
            (None, builtin) => {
                return Err(ReadError::unsupported(format!("builtin {builtin:?}")));
            }
        };
        if builtin == naga::BuiltIn::SampleMask {
            // An array in SPIR-V; WGSL has its first element only.
            part.leaf.path.push(0);
        }
        Ok(Some(InterfaceMember {
            binding: Binding::BuiltIn(builtin),
            ty,
            name: part.leaf.name.clone(),
            parts: vec![part],
        }))
    }

    /// Whether a variable, or a member of it, is used anywhere.
    fn is_touched(&self, id: Id, member: Option<u32>) -> bool {
        let blocks = self
            .spirv
            .functions
            .iter()
            .flat_map(|function| &function.blocks);
        let mut instructions = blocks.flat_map(|block| block.body());
        instructions.any(|instruction| match instruction.op {
            Op::AccessChain | Op::InBoundsAccessChain if instruction.id(0).ok() == Some(id) => {
                let first = instruction.ids(1).next();
                let first = first.and_then(|index| self.constants.integer(index));
                member.is_none() || first == member.map(i64::from)
            }
            _ => instruction.used().contains(&id),
        })
    }
}

/// Adds a builtin slot, or its parts to the slot of the same builtin.
fn add_builtin(slots: &mut Vec<InterfaceMember>, slot: Option<InterfaceMember>) {
    let Some(slot) = slot else {
        return;
    };
    match slots.iter_mut().find(|known| known.binding == slot.binding) {
        Some(known) => known.parts.extend(slot.parts),
        None => slots.push(slot),
    }
}

/// Copies the parameters to the variables of the inputs; returns the value of each input.
fn take_inputs(
    body: &mut Body<'_, '_>,
    inputs: &[InterfaceMember],
    arguments: &[Option<u32>],
    size: Option<u32>,
) -> Result<Vec<Expr>> {
    let mut values = Vec::new();
    for (slot, argument) in inputs.iter().zip(arguments) {
        values.push(match argument {
            Some(index) => body.argument(*index),
            None => body.computed_lane(&slot.binding)?,
        });
    }
    let size = size.map(|index| values[index as usize]);
    for (slot, value) in inputs.iter().zip(&values) {
        for part in &slot.parts {
            body.take_input(slot, part, *value, size)?;
        }
    }
    Ok(values)
}

fn store_global(body: &mut Body<'_, '_>, variable: Handle<naga::GlobalVariable>, value: Expr) {
    let pointer = body.global(variable);
    body.push(Statement::Store { pointer, value });
}

/// The index of the subgroup size input, which is added if a mask needs it.
fn subgroup_size(inputs: &mut Vec<InterfaceMember>) -> Option<u32> {
    let mut places = inputs
        .iter()
        .flat_map(|slot| &slot.parts)
        .map(|part| part.leaf.place);
    if !places.any(
        |place| matches!(place, LeafBinding::BuiltIn(builtin, _) if masks::needs_size(builtin)),
    ) {
        return None;
    }
    let binding = Binding::BuiltIn(naga::BuiltIn::SubgroupSize);
    let known = inputs.iter().position(|slot| slot.binding == binding);
    if known.is_none() {
        inputs.push(InterfaceMember {
            binding,
            ty: TypeInner::Scalar(Scalar::U32),
            name: Some("subgroup_size".to_owned()),
            parts: Vec::new(),
        });
    }
    Some(known.unwrap_or(inputs.len() - 1) as u32)
}

/// Adds a position to the outputs of a vertex stage, as WGSL requires one.
fn give_position(outputs: &mut Vec<InterfaceMember>) {
    let is_position = |slot: &InterfaceMember| {
        matches!(
            slot.binding,
            Binding::BuiltIn(naga::BuiltIn::Position { .. })
        )
    };
    if !outputs.iter().any(is_position) {
        outputs.push(InterfaceMember {
            binding: Binding::BuiltIn(naga::BuiltIn::Position { invariant: false }),
            ty: TypeInner::Vector {
                size: VectorSize::Quad,
                scalar: Scalar::F32,
            },
            name: Some("position".to_owned()),
            parts: Vec::new(),
        });
    }
}

impl Body<'_, '_> {
    /// A pointer to a leaf of a pseudo-input or pseudo-output.
    fn part_pointer(&mut self, part: &CopiedLeaf) -> Handle<Expression> {
        let mut pointer = self.global(part.variable);
        for index in &part.leaf.path {
            pointer = self.add(Expression::AccessIndex {
                base: pointer,
                index: *index,
            });
        }
        pointer
    }

    fn take_input(
        &mut self,
        slot: &InterfaceMember,
        part: &CopiedLeaf,
        argument: Handle<Expression>,
        subgroup_size: Option<Handle<Expression>>,
    ) -> Result<()> {
        let mut value = argument;
        if let LeafBinding::BuiltIn(builtin, _) = part.leaf.place
            && masks::is_mask(builtin)
        {
            value = self.subgroup_mask(builtin, argument, subgroup_size);
            let pointer = self.part_pointer(part);
            self.push(Statement::Store { pointer, value });
            return Ok(());
        }
        if let LeafBinding::Location { component, .. } = part.leaf.place {
            value = self.components(slot, part, component, argument)?;
        }
        let value = self.with_sign_of(slot, part, value, true)?;
        let pointer = self.part_pointer(part);
        self.push(Statement::Store { pointer, value });
        Ok(())
    }

    /// The components of a location that belong to a leaf.
    fn components(
        &mut self,
        slot: &InterfaceMember,
        part: &CopiedLeaf,
        component: u32,
        argument: Handle<Expression>,
    ) -> Result<Handle<Expression>> {
        let inner = self.inner(part.leaf.ty)?;
        if inner == slot.ty {
            return Ok(argument);
        }
        let count = match inner {
            TypeInner::Vector { size, .. } => size as u32,
            _ => 1,
        };
        let mut components = Vec::new();
        for index in component..component + count {
            components.push(self.add(Expression::AccessIndex {
                base: argument,
                index,
            }));
        }
        if count == 1 {
            return Ok(components[0]);
        }
        // The signedness is that of the location, which may differ from that of the leaf.
        let ty = self.reader.insert_type(TypeInner::Vector {
            size: vector_size(count)?,
            scalar: slot.ty.scalar().unwrap_or(Scalar::F32),
        });
        Ok(self.add(Expression::Compose { ty, components }))
    }

    /// Bitcasts between the signedness of a location or builtin in WGSL and that of the variable.
    fn with_sign_of(
        &mut self,
        slot: &InterfaceMember,
        part: &CopiedLeaf,
        expr: Handle<Expression>,
        is_input: bool,
    ) -> Result<Handle<Expression>> {
        let Some(outer) = slot.ty.scalar() else {
            return Ok(expr);
        };
        let mut ty = part.leaf.ty;
        if let crate::read::types::Type::Array { element, .. } = self.reader.types.get(ty)? {
            ty = *element;
        }
        let inner = self.scalar(ty)?;
        let kind = if is_input { inner.kind } else { outer.kind };
        if inner.kind == outer.kind {
            return Ok(expr);
        }
        Ok(self.add(Expression::As {
            expr,
            kind,
            convert: None,
        }))
    }

    fn give_output(&mut self, slot: &InterfaceMember, flips_y: bool) -> Result<Handle<Expression>> {
        let ty = self.reader.insert_type(slot.ty.clone());
        let zero = Expression::ZeroValue(ty);
        let value = match slot.parts.as_slice() {
            [] => self.add_apart(zero),
            [part]
                if !matches!(
                    part.leaf.place,
                    LeafBinding::Location { component: 1.., .. }
                ) =>
            {
                let pointer = self.part_pointer(part);
                let value = self.add(Expression::Load { pointer });
                self.with_sign_of(slot, part, value, false)?
            }
            parts => self.gathered(slot, parts, ty)?,
        };
        let is_position = matches!(
            slot.binding,
            Binding::BuiltIn(naga::BuiltIn::Position { .. })
        );
        if !(is_position && flips_y) {
            return Ok(value);
        }
        let mut components = Vec::new();
        for index in 0..4 {
            let base = value;
            let mut part = self.add(Expression::AccessIndex { base, index });
            if index == 1 {
                let op = UnaryOperator::Negate;
                part = self.add(Expression::Unary { op, expr: part });
            }
            components.push(part);
        }
        Ok(self.add(Expression::Compose { ty, components }))
    }

    /// A location composed from the leaves of several variables; unused components are zero.
    fn gathered(
        &mut self,
        slot: &InterfaceMember,
        parts: &[CopiedLeaf],
        ty: Handle<naga::Type>,
    ) -> Result<Handle<Expression>> {
        let TypeInner::Vector { size, scalar } = slot.ty else {
            return Err(ReadError::invalid(
                "two outputs have the same location and component",
            ));
        };
        let mut components = vec![None; size as usize];
        for part in parts {
            let LeafBinding::Location { component, .. } = part.leaf.place else {
                continue;
            };
            let pointer = self.part_pointer(part);
            let value = self.add(Expression::Load { pointer });
            let value = self.with_sign_of(slot, part, value, false)?;
            let count = match self.inner(part.leaf.ty)? {
                TypeInner::Vector { size, .. } => size as u32,
                _ => 0,
            };
            if count == 0 {
                components[component as usize] = Some(value);
            }
            for index in 0..count {
                let base = value;
                let value = self.add(Expression::AccessIndex { base, index });
                components[(component + index) as usize] = Some(value);
            }
        }
        let number = self.reader.insert_type(TypeInner::Scalar(scalar));
        let filled = components.into_iter().map(|component| {
            component.unwrap_or_else(|| self.add_apart(Expression::ZeroValue(number)))
        });
        let components = filled.collect();
        Ok(self.add(Expression::Compose { ty, components }))
    }
}
