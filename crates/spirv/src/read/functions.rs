//! Translates functions, with function specialization.
//!
//! In: a SPIR-V function and, for its pointer and resource parameters that WGSL cannot pass, a [`ArgumentPassing`] for each,
//! which a call site provides. Out: one naga function for each such combination. Callees are translated before their
//! callers, in post-order of the call graph; recursion is an error.

use anywarp_program::naga::{self, Handle, TypeInner};

use super::function::{self, Body, Flow, Opaque, Pointer, Root};
use super::images::ArgumentPassing;
use super::layout::AtomicPaths;
use super::specialized_pointers::is_specialized;
use super::types::Type;
use super::{Reader, globals, structure};
use crate::error::{ReadError, Result};
use crate::maps::{FunctionMap, HashMap};
use crate::module::{Function, Id, Instruction, Module};

/// The maximum depth of nested calls that specialize their callee.
const MAX_NESTED: u32 = 64;

/// The translated parameters of a function, by how the body uses them.
#[derive(Default)]
struct Parameters {
    /// Values, each with its argument index.
    values: Vec<(Id, u32)>,
    pointers: Vec<(Id, Pointer)>,
    /// Images and samplers.
    opaques: Vec<(Id, Opaque)>,
}

impl<'a> Reader<'a> {
    /// The translation of a function that is not specialized.
    pub(crate) fn function(&self, id: Id) -> Result<Handle<naga::Function>> {
        let found = self.translated.functions.get(&(id, Vec::new())).copied();
        found.ok_or_else(|| ReadError::invalid(format!("{id} is not a function")))
    }

    /// The specialization of a function for the given parameters, translated on first use.
    pub(crate) fn function_with(
        &mut self,
        id: Id,
        handed: &[ArgumentPassing],
    ) -> Result<Handle<naga::Function>> {
        if let Some(known) = self.translated.functions.get(&(id, handed.to_vec())) {
            return Ok(*known);
        }
        match self.facts.sources.get(&id).copied() {
            Some(function) if !handed.is_empty() => {
                // A callee is translated recursively, within the translation of its caller.
                if self.translated.nested == MAX_NESTED {
                    return Err(ReadError::unsupported(format!(
                        "{MAX_NESTED} calls inside each other that hand over what WGSL cannot pass"
                    )));
                }
                self.translated.nested += 1;
                let made = self.translate(function, handed);
                self.translated.nested -= 1;
                made
            }
            _ => self.function(id),
        }
    }

    pub(super) fn takes_specialized_pointer(&self, function: &Function<'a>) -> Result<bool> {
        for parameter in &function.parameters {
            let ty = parameter.result_type()?;
            if self.is_specialized(parameter)? || self.is_resource(ty)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether calls specialize the function for this pointer parameter.
    fn is_specialized(&self, parameter: &Instruction<'_>) -> Result<bool> {
        let ty = self.types.get(parameter.result_type()?)?;
        Ok(match ty {
            Type::Pointer { class, .. } => {
                is_specialized(*class)
                    || self.facts.aliased.parameters.contains(&parameter.result()?)
            }
            _ => false,
        })
    }

    /// Whether calls specialize a function for the argument at this index.
    pub(crate) fn hands_over(&self, function: Id, index: usize) -> Result<bool> {
        let parameters = self
            .facts
            .sources
            .get(&function)
            .map(|function| &function.parameters);
        match parameters.and_then(|parameters| parameters.get(index)) {
            Some(parameter) => self.is_specialized(parameter),
            None => Ok(false),
        }
    }

    pub(super) fn translate(
        &mut self,
        function: &'a Function<'a>,
        handed: &[ArgumentPassing],
    ) -> Result<Handle<naga::Function>> {
        let spirv = self.spirv;
        let at = function.instruction;
        let around = self.span;
        self.locate(at.offset);
        let place = self.span;
        let made = self.body(function, handed).map_err(|error| {
            let line = spirv.line(at.offset);
            error.at(at.offset, Some(at.op)).of_line(line)
        })?;
        let handle = self.module.functions.append(made, place);
        self.span = around;
        self.translated
            .functions
            .insert((function.id, handed.to_vec()), handle);
        Ok(handle)
    }

    fn body(
        &mut self,
        function: &'a Function<'a>,
        handed: &[ArgumentPassing],
    ) -> Result<naga::Function> {
        let spirv = self.spirv;
        let selector_words = |id: Id| {
            let ty = spirv.type_of(id).ok();
            let ty = ty.and_then(|ty| spirv.definition(ty).ok());
            match ty.and_then(|ty| ty.optional(0)) {
                Some(64) => 2,
                _ => 1,
            }
        };
        let structure = structure::structure(spirv, function, &selector_words)?;
        let mut made = naga::Function {
            // glslang appends the parameter types to the names of functions.
            name: spirv
                .names
                .of(function.id)
                .and_then(|name| name.split('(').next())
                .map(str::to_owned),
            ..Default::default()
        };
        if !matches!(self.types.get(function.result_type)?, Type::Void) {
            let ty = self.value_type(function.result_type)?;
            made.result = Some(naga::FunctionResult { ty, binding: None });
        }
        let parameters = self.parameters(function, handed, &mut made)?;
        let mut body = Body::new(self, made);
        body.values = FunctionMap::of(function);
        for (id, index) in parameters.values {
            body.parameter(id, index);
        }
        for (id, pointer) in parameters.pointers {
            body.pointer_parameter(id, pointer);
        }
        for (id, opaque) in parameters.opaques {
            body.resource_parameter(id, opaque)?;
        }
        let types = &body.reader.types;
        body.escaping =
            function::escaping(spirv, function, &structure, &|ty| types.is_found_again(ty));
        let mut flow = Flow {
            function,
            arena: &structure.arena,
            flags: Vec::new(),
            phis: HashMap::default(),
            pointers: HashMap::default(),
        };
        body.nodes(&mut flow, structure.nodes)?;
        Ok(body.end())
    }

    /// Declares the arguments of a naga function.
    fn parameters(
        &mut self,
        function: &'a Function<'a>,
        handed: &[ArgumentPassing],
        made: &mut naga::Function,
    ) -> Result<Parameters> {
        let mut parameters = Parameters::default();
        let mut handed = handed.iter();
        for parameter in &function.parameters {
            let (id, ty) = (parameter.result()?, parameter.result_type()?);
            let name = self.spirv.names.of(id);
            let index = made.arguments.len() as u32;
            let mut argument = |ty| {
                made.arguments.push(naga::FunctionArgument {
                    name: name.map(str::to_owned),
                    ty,
                    binding: None,
                });
            };
            match *self.types.get(ty)? {
                Type::Pointer { .. } if self.is_specialized(parameter)? => {
                    let Some(ArgumentPassing::Pointer(handed)) = handed.next() else {
                        return Err(parameter.invalid("a call has too few arguments"));
                    };
                    parameters.pointers.push((id, handed.pointer(name, made)));
                }
                _ if self.is_resource(ty)? => {
                    let next = handed.next();
                    parameters
                        .opaques
                        .push((id, self.resource_parameter(parameter, next, made)?));
                }
                Type::Pointer { class, pointee }
                    if self.facts.by_value.parameters.contains(&id) =>
                {
                    argument(self.value_type(pointee)?);
                    let pointer = Pointer {
                        root: Root::Value(index),
                        ty: pointee,
                        atomics: AtomicPaths::new(),
                        steps: Default::default(),
                        class,
                    };
                    parameters.pointers.push((id, pointer));
                }
                Type::Pointer { class, pointee } => {
                    let space = globals::space_of_parameter(parameter, class)?;
                    let base = self.value_type(pointee)?;
                    argument(self.insert_type(TypeInner::Pointer { base, space }));
                    let pointer = Pointer {
                        root: Root::Argument(index),
                        ty: pointee,
                        atomics: AtomicPaths::new(),
                        steps: Default::default(),
                        class,
                    };
                    parameters.pointers.push((id, pointer));
                }
                _ => {
                    argument(self.value_type(ty)?);
                    parameters.values.push((id, index));
                }
            }
        }
        Ok(parameters)
    }
}

/// The functions in post-order of the call graph: callees before callers.
pub(super) fn callees_first<'a>(spirv: &'a Module<'a>) -> Result<Vec<&'a Function<'a>>> {
    let numbers: HashMap<Id, usize> = spirv
        .functions
        .iter()
        .enumerate()
        .map(|(n, f)| (f.id, n))
        .collect();
    #[derive(Clone, Copy, PartialEq)]
    enum VisitState {
        New,
        Open,
        Done,
    }
    let mut states = vec![VisitState::New; spirv.functions.len()];
    let mut order = Vec::new();
    for start in 0..spirv.functions.len() {
        let mut stack = vec![(start, false)];
        while let Some((at, is_over)) = stack.pop() {
            let function = &spirv.functions[at];
            if is_over {
                states[at] = VisitState::Done;
                order.push(function);
                continue;
            }
            match states[at] {
                VisitState::Done => continue,
                VisitState::Open => continue,
                VisitState::New => states[at] = VisitState::Open,
            }
            stack.push((at, true));
            for call in &function.calls {
                let Some(callee) = numbers.get(&call.id(0)?) else {
                    return Err(call.invalid("it calls something that is not a function"));
                };
                if states[*callee] == VisitState::Open {
                    let name = spirv.names.of(function.id).unwrap_or("a function");
                    return Err(call.invalid(format!("recursion through `{name}`")));
                }
                stack.push((*callee, false));
            }
        }
    }
    Ok(order)
}
