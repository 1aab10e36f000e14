//! SPIR-V becomes a module of naga.
//!
//! In: a [`Module`]. Out: a naga module that has not been validated yet, and what was decided on the
//! way. Types, constants and variables first, then functions, those that are called before those that
//! call, then the entry points around them.

mod aliased_pointers;
mod atomic_paths;
mod atomics;
mod block_wrappers;
mod by_value;
mod constant_folding;
mod constants;
mod frozen_constants;
mod function;
mod functions;
mod globals;
mod guarded_division;
mod id_table;
mod images;
mod interface;
mod layout;
mod overlaid_variables;
mod override_expressions;
mod specialised_pointers;
mod structure;
mod terminations;
mod types;
mod uniformity;
mod word_buffers;

use std::cell::OnceCell;
use std::num::NonZeroU32;
use std::rc::Rc;

use anywarp_program::naga::{self, ArraySize, Expression, Handle, Scalar, Span, TypeInner};
use rspirv::spirv::{GlslStd450Op, Op};

use crate::bindings::Bindings;
use crate::error::{ReadError, Result};
use crate::maps::{HashMap, HashSet};
use crate::module::{Function, Id, Instruction, InstructionSet, Module};
use aliased_pointers::AliasedPointers;
use by_value::ByValue;
use constants::{Constant, Constants, Overrides};
use function::Pointer;
use id_table::IdTable;
use images::{BindingAssignment, Faces, Images, Passing};
use layout::{Atomics, Layouts, MatrixLayout, Source};
use terminations::Terminations;
use types::{Type, Types};
use word_buffers::Words;

/// How to read a module.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Specialisation constants keep their defaults for good, instead of becoming overrides.
    pub freeze_constants: bool,
    /// The y of positions is negated, because Vulkan's clip space points down and WebGPU's up. Off by
    /// default: the module means what it says.
    pub flip_y: bool,
    /// Where bindings of the module go that the rule for combined images and samplers would put
    /// elsewhere; see [`Bindings`].
    pub bindings: Bindings,
}

/// A variable of the module.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) pointer: Rc<Pointer>,
    pub(crate) handle: Handle<naga::GlobalVariable>,
}

/// A module while it is read.
pub(crate) struct Reader<'a> {
    pub(crate) spirv: &'a Module<'a>,
    pub(crate) options: &'a ReadOptions,
    pub(crate) types: Types,
    pub(crate) layouts: Layouts,
    pub(crate) constants: Constants<'a>,
    pub(crate) module: naga::Module,
    pub(crate) variables: IdTable<Variable>,
    /// The buffers that are words.
    pub(crate) words: HashMap<Handle<naga::GlobalVariable>, Words>,
    /// Variables whose initial values entry points have to set.
    pub(crate) late_values: Vec<(Handle<naga::GlobalVariable>, Id)>,
    pub(crate) images: Images,
    /// What images and samplers became, by the first of them.
    pub(crate) faces: HashMap<Handle<naga::GlobalVariable>, Faces>,
    pub(crate) places: BindingAssignment,
    /// Variables of images and samplers, which are made when all types are known.
    resources: Vec<Instruction<'a>>,
    functions: HashMap<(Id, Vec<Passing>), Handle<naga::Function>>,
    terminations: Terminations,
    pub(crate) aliased: AliasedPointers,
    pub(crate) by_value: ByValue,
    /// Functions that are operators of WGSL.
    pub(crate) operators: HashMap<Id, naga::BinaryOperator>,
    /// Buffers that are what their structures have in them.
    wrapped: HashSet<Id>,
    pub(crate) unwrapped: HashSet<Handle<naga::GlobalVariable>>,
    /// Where in the module the instruction is that is being read, where somebody wants to know.
    pub(crate) span: Span,
    is_located: bool,
    /// How many functions are being made for a call in another.
    nested: u32,
    sources: HashMap<Id, &'a Function<'a>>,
    lasting: HashMap<Id, Option<Handle<naga::Constant>>>,
    computed: HashMap<Id, Handle<naga::Override>>,
    /// Expressions outside of functions: of constants that nothing changes, and of all others.
    expressions: HashMap<Id, Option<Handle<Expression>>>,
    specialised: HashMap<Id, Handle<Expression>>,
    bits: HashMap<(u8, u64), Handle<naga::GlobalVariable>>,
    /// Inputs that are interpolated at centroids only, once somebody has asked.
    at_centroid: OnceCell<HashSet<Id>>,
    /// Variables that share a binding or the memory of a workgroup.
    sharing: HashSet<Id>,
    /// Those of them that are neither images nor samplers, which are made when all types are known.
    overlaid: Vec<Instruction<'a>>,
    /// Specialisation constants that WGSL cannot leave to the pipeline.
    frozen: HashSet<Id>,
    /// What instructions use, once somebody has asked.
    used: Option<HashSet<Id>>,
    /// Functions that invert matrices, by the type of the matrix.
    pub(crate) inverses: HashMap<Handle<naga::Type>, Handle<naga::Function>>,
    /// Functions that take a member of push constants by its number.
    pub(crate) member_functions: HashMap<Handle<naga::GlobalVariable>, Handle<naga::Function>>,
    /// Builtins that instructions need and the module does not ask for, in private variables.
    pub(crate) builtins: Vec<(naga::BuiltIn, Handle<naga::GlobalVariable>)>,
}

/// Reads a module.
pub(crate) fn read<'a>(
    spirv: &'a Module<'a>,
    options: &'a ReadOptions,
) -> Result<(naga::Module, Bindings)> {
    read_as(spirv, options, false)
}

/// Reads a module again, with the words from which everything comes in place of a source's bytes.
pub(crate) fn read_located<'a>(
    spirv: &'a Module<'a>,
    options: &'a ReadOptions,
) -> Result<naga::Module> {
    read_as(spirv, options, true).map(|(module, _)| module)
}

fn read_as<'a>(
    spirv: &'a Module<'a>,
    options: &'a ReadOptions,
    is_located: bool,
) -> Result<(naga::Module, Bindings)> {
    let mut reader = Reader {
        spirv,
        options,
        types: Types::default(),
        layouts: Layouts::default(),
        constants: Constants::default(),
        module: naga::Module::default(),
        variables: IdTable::default(),
        words: HashMap::default(),
        late_values: Vec::new(),
        images: Images::find(spirv)?,
        faces: HashMap::default(),
        places: BindingAssignment::default(),
        resources: Vec::new(),
        functions: HashMap::default(),
        terminations: Terminations::default(),
        aliased: AliasedPointers::default(),
        by_value: ByValue::default(),
        operators: HashMap::default(),
        wrapped: block_wrappers::find(spirv),
        unwrapped: HashSet::default(),
        span: Span::UNDEFINED,
        is_located,
        nested: 0,
        sources: spirv.functions.iter().map(|it| (it.id, it)).collect(),
        lasting: HashMap::default(),
        computed: HashMap::default(),
        expressions: HashMap::default(),
        specialised: HashMap::default(),
        bits: HashMap::default(),
        at_centroid: OnceCell::new(),
        sharing: overlaid_variables::find(spirv)?,
        overlaid: Vec::new(),
        frozen: frozen_constants::find(spirv)?,
        used: None,
        inverses: HashMap::default(),
        member_functions: HashMap::default(),
        builtins: Vec::new(),
    };
    let atomics = atomics::find(spirv)?;
    for instruction in &spirv.globals {
        reader.locate(instruction.offset);
        reader.global(instruction, &atomics).map_err(|error| {
            let line = spirv.line(instruction.offset);
            error
                .at(instruction.offset, Some(instruction.op))
                .of_line(line)
        })?;
    }
    let overlaid = std::mem::take(&mut reader.overlaid);
    reader.declare_overlaid(&overlaid, &atomics)?;
    let resources = std::mem::take(&mut reader.resources);
    reader.declare_resources(&resources)?;
    let functions = functions::callees_first(spirv)?;
    reader.terminations = Terminations::find(spirv, &functions)?;
    reader.aliased = AliasedPointers::find(spirv, &functions)?;
    reader.by_value = ByValue::find(spirv, &reader.aliased)?;
    let operators = spirv.functions.iter().filter_map(|function| {
        let operator = reader.guarded_operator(function)?;
        Some((function.id, operator))
    });
    reader.operators = operators.collect();
    for function in functions {
        if reader.operators.contains_key(&function.id) {
            continue;
        }
        // One that takes such pointers is made where it is called.
        if !reader.takes_specialised_pointer(function)? {
            reader.translate(function, &[])?;
        }
    }
    for entry_point in &spirv.entry_points {
        reader.entry_point(entry_point)?;
    }
    if spirv.has(|op| matches!(op, Op::ControlBarrier | Op::MemoryBarrier)) {
        interface::uniform::hand_on(&mut reader.module);
    }
    uniformity::allow(spirv, &mut reader.module);
    Ok((reader.module, reader.places.into_bindings()))
}

impl<'a> Reader<'a> {
    fn global(
        &mut self,
        instruction: &Instruction<'a>,
        atomics: &HashMap<Id, Atomics>,
    ) -> Result<()> {
        if self.types.declare(instruction)? {
            return self.array_length(instruction.result);
        }
        let mut overrides = Overrides {
            module: &mut self.module,
            is_frozen: self.options.freeze_constants,
            frozen: &self.frozen,
            span: self.span,
        };
        if self
            .constants
            .declare(instruction, self.spirv, &self.types, &mut overrides)?
        {
            return Ok(());
        }
        match instruction.op {
            Op::Variable if self.is_resource(instruction.result_type()?)? => {
                self.resources.push(*instruction);
                Ok(())
            }
            Op::Variable if self.sharing.contains(&instruction.result()?) => {
                self.overlaid.push(*instruction);
                Ok(())
            }
            Op::Variable => self.variable(instruction, atomics),
            _ => Err(instruction.unsupported("this instruction outside of functions")),
        }
    }

    /// Notes how long an array is that was declared just now.
    fn array_length(&mut self, declared: Option<Id>) -> Result<()> {
        let Some(Type::Array { length, .. }) = declared.and_then(|id| self.types.get(id).ok())
        else {
            return Ok(());
        };
        let length = *length;
        let size = match self.constants.integer(length) {
            Some(count) => u32::try_from(count).ok().and_then(NonZeroU32::new),
            None => {
                let size = ArraySize::Pending(self.override_of(length)?);
                self.layouts.set_length(length, size);
                return Ok(());
            }
        };
        let size = size.ok_or_else(|| ReadError::invalid("an array has no elements"))?;
        self.layouts.set_length(length, ArraySize::Constant(size));
        Ok(())
    }

    /// naga's type for values of a type.
    pub(crate) fn value_type(&mut self, id: Id) -> Result<Handle<naga::Type>> {
        let source = Source {
            spirv: self.spirv,
            types: &self.types,
        };
        self.layouts.value(&source, &mut self.module, id)
    }

    /// naga's type for what lies in memory.
    pub(crate) fn memory_type(
        &mut self,
        id: Id,
        matrix: Option<MatrixLayout>,
        atomics: &Atomics,
    ) -> Result<Handle<naga::Type>> {
        let source = Source {
            spirv: self.spirv,
            types: &self.types,
        };
        self.layouts
            .memory(&source, &mut self.module, id, matrix, atomics)
    }

    pub(crate) fn insert_type(&mut self, inner: TypeInner) -> Handle<naga::Type> {
        let ty = naga::Type { name: None, inner };
        self.module.types.insert(ty, self.span)
    }

    /// A constant of naga for a composite, unless a pipeline may change a part of it.
    pub(crate) fn lasting_constant(&mut self, id: Id) -> Result<Option<Handle<naga::Constant>>> {
        if let Some(known) = self.lasting.get(&id) {
            return Ok(*known);
        }
        let made = match self.constant_expression(id)? {
            None => None,
            Some(init) => {
                let (ty, _) = self.constants.get(id).expect("it has an expression");
                let constant = naga::Constant {
                    name: self.spirv.names.of(id).map(str::to_owned),
                    ty: self.value_type(ty)?,
                    init,
                };
                Some(self.module.constants.append(constant, self.span))
            }
        };
        self.lasting.insert(id, made);
        Ok(made)
    }

    /// An expression outside of functions for a constant that nothing changes.
    pub(crate) fn constant_expression(&mut self, id: Id) -> Result<Option<Handle<Expression>>> {
        if let Some(known) = self.expressions.get(&id) {
            return Ok(*known);
        }
        let made = self.new_constant_expression(id)?;
        self.expressions.insert(id, made);
        Ok(made)
    }

    fn new_constant_expression(&mut self, id: Id) -> Result<Option<Handle<Expression>>> {
        let Some((ty, constant)) = self.constants.get(id) else {
            return Err(ReadError::invalid(format!("{id} is no constant")));
        };
        let expression = match constant.clone() {
            Constant::Literal(literal) => Expression::Literal(literal),
            Constant::Zero => Expression::ZeroValue(self.value_type(ty)?),
            Constant::Composite(parts) => {
                let mut components = Vec::new();
                for part in parts {
                    match self.constant_expression(part)? {
                        Some(part) => components.push(part),
                        None => return Ok(None),
                    }
                }
                let ty = self.value_type(ty)?;
                Expression::Compose { ty, components }
            }
            Constant::Bits { .. }
            | Constant::Override(_)
            | Constant::Recast(_)
            | Constant::Operation(_) => {
                return Ok(None);
            }
        };
        let expressions = &mut self.module.global_expressions;
        Ok(Some(expressions.append(expression, self.span)))
    }

    /// A variable with these bits, of which no compiler knows that they never change.
    pub(crate) fn bits_variable(&mut self, width: u8, bits: u64) -> Handle<naga::GlobalVariable> {
        if let Some(known) = self.bits.get(&(width, bits)) {
            return *known;
        }
        let (scalar, literal) = match width {
            8 => (Scalar::U64, naga::Literal::U64(bits)),
            _ => (Scalar::U32, naga::Literal::U32(bits as u32)),
        };
        let ty = self.insert_type(TypeInner::Scalar(scalar));
        let expressions = &mut self.module.global_expressions;
        let init = expressions.append(Expression::Literal(literal), self.span);
        let variable = naga::GlobalVariable {
            name: Some("bits".to_owned()),
            space: naga::AddressSpace::Private,
            binding: None,
            ty,
            init: Some(init),
            memory_decorations: naga::MemoryDecorations::empty(),
        };
        let handle = self.module.global_variables.append(variable, self.span);
        self.bits.insert((width, bits), handle);
        handle
    }

    /// What is made from now on comes from the instruction at this word.
    pub(crate) fn locate(&mut self, offset: usize) {
        if self.is_located {
            let offset = u32::try_from(offset).unwrap_or(u32::MAX - 1);
            self.span = Span::new(offset, offset + 1);
        }
    }

    /// Whether anybody wants to know where things come from.
    pub(crate) fn is_located(&self) -> bool {
        self.is_located
    }

    /// A new private variable.
    pub(crate) fn private_variable(
        &mut self,
        name: Option<String>,
        ty: Handle<naga::Type>,
    ) -> Handle<naga::GlobalVariable> {
        let variable = naga::GlobalVariable {
            name,
            space: naga::AddressSpace::Private,
            binding: None,
            ty,
            init: None,
            memory_decorations: naga::MemoryDecorations::empty(),
        };
        let variables = &mut self.module.global_variables;
        variables.append(variable, self.span)
    }

    /// The private variable in which entry points keep a builtin that is a u32.
    pub(crate) fn builtin_variable(
        &mut self,
        builtin: naga::BuiltIn,
        name: &str,
    ) -> Handle<naga::GlobalVariable> {
        self.builtin_variable_of(builtin, name, TypeInner::Scalar(Scalar::U32))
    }

    /// The private variable in which entry points keep a builtin of any type.
    pub(crate) fn builtin_variable_of(
        &mut self,
        builtin: naga::BuiltIn,
        name: &str,
        ty: TypeInner,
    ) -> Handle<naga::GlobalVariable> {
        if let Some((_, known)) = self.builtins.iter().find(|(it, _)| *it == builtin) {
            return *known;
        }
        let ty = self.insert_type(ty);
        let handle = self.private_variable(Some(name.to_owned()), ty);
        self.builtins.push((builtin, handle));
        handle
    }

    /// Whether an instruction uses what another made.
    pub(crate) fn is_used(&mut self, id: Id) -> bool {
        let spirv = self.spirv;
        let used = self.used.get_or_insert_with(|| {
            let blocks = spirv.functions.iter().flat_map(|function| &function.blocks);
            let instructions = blocks.flat_map(|block| block.inside().chain([block.terminator()]));
            instructions
                .flat_map(|instruction| instruction.used())
                .collect()
        });
        used.contains(&id)
    }

    /// Whether an input is looked at, and only by `InterpolateAtCentroid`.
    pub(crate) fn is_only_at_centroid(&self, variable: Id) -> bool {
        let spirv = self.spirv;
        let found = self.at_centroid.get_or_init(|| only_at_centroid(spirv));
        found.contains(&variable)
    }

    /// The pointer that a variable of the module is.
    pub(crate) fn global_pointer(&self, id: Id) -> Option<Rc<Pointer>> {
        self.variables.get(id).map(|it| Rc::clone(&it.pointer))
    }
}

/// The variables that `InterpolateAtCentroid` takes, and nothing else uses.
fn only_at_centroid(spirv: &Module<'_>) -> HashSet<Id> {
    const CENTROID: u32 = GlslStd450Op::InterpolateAtCentroid as u32;
    let interpolated = |it: &Instruction<'_>| {
        let is_centroid = it.op == Op::ExtInst && it.optional(1) == Some(CENTROID);
        let set = spirv.sets.get(&Id(it.optional(0)?));
        let is_glsl = is_centroid && matches!(set, Some(InstructionSet::Glsl));
        it.optional(2).filter(|_| is_glsl).map(Id)
    };
    if !spirv.has_extended(CENTROID) {
        return HashSet::default();
    }
    let blocks = || spirv.functions.iter().flat_map(|it| &it.blocks);
    let instructions = || blocks().flat_map(|block| block.body());
    let mut found: HashSet<Id> = instructions().filter_map(|it| interpolated(&it)).collect();
    if !found.is_empty() {
        for instruction in instructions().filter(|it| interpolated(it).is_none()) {
            for used in instruction.used() {
                found.remove(&used);
            }
        }
    }
    found
}
