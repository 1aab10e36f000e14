//! Translation of a SPIR-V module into a naga module.
//!
//! In: a [`Module`]. Out: a naga module, not yet validated, and the binding map that was chosen. Order: types,
//! constants and variables; functions, callees before callers; then entry points, as wrappers around functions.

mod aliased_pointers;
mod aliased_variables;
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
mod override_expressions;
mod specialized_pointers;
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
use crate::module::{Function, Id, Instruction, InstructionSet, Module, OpClass, class_of};
use aliased_pointers::AliasedPointers;
use by_value::ByValueParameters;
use constants::{Constant, Constants, Overrides};
use function::Pointer;
use id_table::IdTable;
use images::{ArgumentPassing, BindingAssignment, ImageUsage, ResourceParts};
use layout::{AtomicPaths, LayoutInputs, Layouts, MatrixLayout};
use terminations::Terminations;
use types::{Type, Types};
use word_buffers::WordRepresentation;

/// Options of the translation.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Specialization constants keep their defaults, instead of becoming overrides.
    pub freeze_constants: bool,
    /// Negates the y coordinate of positions, because clip space y points down in Vulkan and up in WebGPU. Off by
    /// default: positions are translated unchanged.
    pub flip_y: bool,
    /// Bindings for resources that should not get the default binding of split image-samplers; see [`Bindings`].
    pub bindings: Bindings,
}

impl ReadOptions {
    /// Sets whether specialization constants keep their defaults.
    #[must_use]
    pub fn freeze_constants(self, freeze_constants: bool) -> Self {
        Self {
            freeze_constants,
            ..self
        }
    }

    /// Sets whether the y coordinate of positions is negated.
    #[must_use]
    pub fn flip_y(self, flip_y: bool) -> Self {
        Self { flip_y, ..self }
    }

    /// Sets the bindings of resources.
    #[must_use]
    pub fn bindings(self, bindings: Bindings) -> Self {
        Self { bindings, ..self }
    }
}

/// A module-scope variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) pointer: Rc<Pointer>,
    pub(crate) handle: Handle<naga::GlobalVariable>,
}

/// The results of the module analyses that precede translation.
pub(crate) struct ModuleFacts<'a> {
    pub(crate) images: ImageUsage,
    sources: HashMap<Id, &'a Function<'a>>,
    /// Buffers that are replaced by the only member of their struct.
    wrapped: HashSet<Id>,
    /// Variables that share a binding or the workgroup memory.
    sharing: HashSet<Id>,
    /// Specialization constants that keep their defaults, because WGSL cannot declare them as overrides.
    frozen: HashSet<Id>,
    pub(crate) aliased: AliasedPointers,
    pub(crate) by_value: ByValueParameters,
    /// Functions that are equivalent to a WGSL operator.
    pub(crate) operators: HashMap<Id, naga::BinaryOperator>,
}

/// How buffers are represented in naga variables.
#[derive(Default)]
pub(crate) struct Buffers {
    /// Buffers represented as arrays of words.
    pub(crate) words: HashMap<Handle<naga::GlobalVariable>, WordRepresentation>,
    /// Buffers represented by the only member of their struct.
    pub(crate) unwrapped: HashSet<Handle<naga::GlobalVariable>>,
    /// For push constants: the function that selects a member by a dynamic index.
    pub(crate) member_functions: HashMap<Handle<naga::GlobalVariable>, Handle<naga::Function>>,
}

/// The module-scope translations of constants.
#[derive(Default)]
struct ConstantValues {
    lasting: HashMap<Id, Option<Handle<naga::Constant>>>,
    computed: HashMap<Id, Handle<naga::Override>>,
    /// Constant expressions; `None` for constants that a pipeline may change.
    expressions: HashMap<Id, Option<Handle<Expression>>>,
    specialized: HashMap<Id, Handle<Expression>>,
    /// Variables that hide bit patterns from the constant folding of compilers, by width and bits.
    bits: HashMap<(u8, u64), Handle<naga::GlobalVariable>>,
}

/// The functions translated so far.
#[derive(Default)]
pub(crate) struct TranslatedFunctions {
    functions: HashMap<(Id, Vec<ArgumentPassing>), Handle<naga::Function>>,
    /// The depth of nested specializations that are in progress.
    nested: u32,
    terminations: Terminations,
    /// Matrix inverse functions, by matrix type.
    pub(crate) inverses: HashMap<Handle<naga::Type>, Handle<naga::Function>>,
}

/// Images, samplers and aliased variables.
#[derive(Default)]
pub(crate) struct Resources<'a> {
    /// The parts of images and samplers, by the variable of the first part.
    pub(crate) parts: HashMap<Handle<naga::GlobalVariable>, ResourceParts>,
    pub(crate) places: BindingAssignment,
    /// Variables of images and samplers; declared once all types are known.
    pending: Vec<Instruction<'a>>,
    /// Variables that share memory; declared once all types are known.
    aliased: Vec<Instruction<'a>>,
}

/// What entry points have to provide.
#[derive(Default)]
pub(crate) struct Interface {
    /// Variables that entry points have to initialize.
    pub(crate) late_values: Vec<(Handle<naga::GlobalVariable>, Id)>,
    /// Inputs used only by `InterpolateAtCentroid`; computed on first use.
    at_centroid: OnceCell<HashSet<Id>>,
    /// The ids that instructions use; computed on first use.
    used: Option<HashSet<Id>>,
    /// Builtins that instructions need and the module does not declare, in private variables.
    pub(crate) builtins: Vec<(naga::BuiltIn, Handle<naga::GlobalVariable>)>,
}

/// The state of the translation of a module.
pub(crate) struct Reader<'a> {
    pub(crate) spirv: &'a Module<'a>,
    pub(crate) options: &'a ReadOptions,
    pub(crate) types: Types,
    pub(crate) layouts: Layouts,
    pub(crate) constants: Constants<'a>,
    pub(crate) module: naga::Module,
    pub(crate) variables: IdTable<Variable>,
    facts: ModuleFacts<'a>,
    pub(crate) buffers: Buffers,
    constant_values: ConstantValues,
    pub(crate) translated: TranslatedFunctions,
    pub(crate) resources: Resources<'a>,
    pub(crate) interface: Interface,
    /// The word offset of the current instruction as a span; undefined unless locations are recorded.
    pub(crate) span: Span,
    is_located: bool,
}

/// Translates a module.
pub(crate) fn read<'a>(
    spirv: &'a Module<'a>,
    options: &'a ReadOptions,
) -> Result<(naga::Module, Bindings)> {
    read_as(spirv, options, false)
}

/// Translates a module with a span on every item: the word offset of the instruction that it comes from, instead of a
/// byte range of source text.
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
        facts: ModuleFacts::find(spirv)?,
        buffers: Buffers::default(),
        constant_values: ConstantValues::default(),
        translated: TranslatedFunctions::default(),
        resources: Resources::default(),
        interface: Interface::default(),
        span: Span::UNDEFINED,
        is_located,
    };
    reader.globals()?;
    reader.functions()?;
    for entry_point in &spirv.entry_points {
        reader.entry_point(entry_point)?;
    }
    if spirv.has(|op| matches!(op, Op::ControlBarrier | Op::MemoryBarrier)) {
        interface::uniform::pass_uniform_builtins(&mut reader.module);
    }
    uniformity::allow(spirv, &mut reader.module);
    Ok((reader.module, reader.resources.places.into_bindings()))
}

impl<'a> ModuleFacts<'a> {
    /// The analyses of the declarations. The analyses of functions are added once all types, constants and variables
    /// are valid.
    fn find(spirv: &'a Module<'a>) -> Result<Self> {
        Ok(Self {
            images: ImageUsage::analyze(spirv)?,
            sources: spirv
                .functions
                .iter()
                .map(|function| (function.id, function))
                .collect(),
            wrapped: block_wrappers::find(spirv),
            sharing: aliased_variables::find(spirv)?,
            frozen: frozen_constants::find(spirv)?,
            by_value: ByValueParameters::default(),
            aliased: AliasedPointers::default(),
            operators: HashMap::default(),
        })
    }
}

impl<'a> Reader<'a> {
    fn globals(&mut self) -> Result<()> {
        let spirv = self.spirv;
        let atomics = atomics::find(spirv)?;
        for instruction in &spirv.globals {
            self.locate(instruction.offset);
            self.global(instruction, &atomics).map_err(|error| {
                let line = spirv.line(instruction.offset);
                error
                    .at(instruction.offset, Some(instruction.op))
                    .of_line(line)
            })?;
        }
        let aliased = std::mem::take(&mut self.resources.aliased);
        self.declare_aliased(&aliased, &atomics)?;
        let resources = std::mem::take(&mut self.resources.pending);
        self.declare_resources(&resources)
    }

    /// Translates functions, callees first.
    fn functions(&mut self) -> Result<()> {
        let callees_first = functions::callees_first(self.spirv)?;
        self.translated.terminations = Terminations::find(self.spirv, &callees_first)?;
        self.facts.aliased = AliasedPointers::find(self.spirv, &callees_first)?;
        self.facts.by_value = ByValueParameters::find(self.spirv, &self.facts.aliased)?;
        let operators = self.spirv.functions.iter().filter_map(|function| {
            let operator = self.guarded_operator(function)?;
            Some((function.id, operator))
        });
        self.facts.operators = operators.collect();
        for function in callees_first {
            if self.facts.operators.contains_key(&function.id) {
                continue;
            }
            // Functions with such parameters are translated at each call site.
            if !self.takes_specialized_pointer(function)? {
                self.translate(function, &[])?;
            }
        }
        Ok(())
    }

    fn global(
        &mut self,
        instruction: &Instruction<'a>,
        atomics: &HashMap<Id, AtomicPaths>,
    ) -> Result<()> {
        match class_of(instruction.op) {
            OpClass::Type => {
                self.types.declare(instruction)?;
                self.array_length(instruction.result)
            }
            OpClass::Constant | OpClass::Undefined => {
                let mut overrides = Overrides {
                    module: &mut self.module,
                    is_frozen: self.options.freeze_constants,
                    frozen: &self.facts.frozen,
                    span: self.span,
                };
                self.constants
                    .declare(instruction, self.spirv, &self.types, &mut overrides)
            }
            OpClass::Variable if self.is_resource(instruction.result_type()?)? => {
                self.resources.pending.push(*instruction);
                Ok(())
            }
            OpClass::Variable if self.facts.sharing.contains(&instruction.result()?) => {
                self.resources.aliased.push(*instruction);
                Ok(())
            }
            OpClass::Variable => self.variable(instruction, atomics),
            _ => Err(instruction.unsupported("this instruction outside of functions")),
        }
    }

    /// Records the length of the array type that was just declared.
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

    /// The naga value type of a type.
    pub(crate) fn value_type(&mut self, id: Id) -> Result<Handle<naga::Type>> {
        let source = LayoutInputs {
            spirv: self.spirv,
            types: &self.types,
        };
        self.layouts.value(&source, &mut self.module, id)
    }

    /// The naga memory type of a type.
    pub(crate) fn memory_type(
        &mut self,
        id: Id,
        matrix: Option<MatrixLayout>,
        atomics: &AtomicPaths,
    ) -> Result<Handle<naga::Type>> {
        let source = LayoutInputs {
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

    /// The naga constant of a composite; `None` if a pipeline may change a part of it.
    pub(crate) fn lasting_constant(&mut self, id: Id) -> Result<Option<Handle<naga::Constant>>> {
        if let Some(known) = self.constant_values.lasting.get(&id) {
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
        self.constant_values.lasting.insert(id, made);
        Ok(made)
    }

    /// The module-scope constant expression of a constant; `None` if a pipeline may change it.
    pub(crate) fn constant_expression(&mut self, id: Id) -> Result<Option<Handle<Expression>>> {
        if let Some(known) = self.constant_values.expressions.get(&id) {
            return Ok(*known);
        }
        let made = self.new_constant_expression(id)?;
        self.constant_values.expressions.insert(id, made);
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

    /// A private variable initialized with these bits, so that no compiler can fold their value.
    pub(crate) fn bits_variable(&mut self, width: u8, bits: u64) -> Handle<naga::GlobalVariable> {
        if let Some(known) = self.constant_values.bits.get(&(width, bits)) {
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
        self.constant_values.bits.insert((width, bits), handle);
        handle
    }

    /// Sets the span of what is created next to the instruction at this word offset.
    pub(crate) fn locate(&mut self, offset: usize) {
        if self.is_located {
            let offset = u32::try_from(offset).unwrap_or(u32::MAX - 1);
            self.span = Span::new(offset, offset + 1);
        }
    }

    /// Whether locations are recorded.
    pub(crate) fn is_located(&self) -> bool {
        self.is_located
    }

    /// Creates a private variable.
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

    /// The private variable in which entry points store a builtin of type u32.
    pub(crate) fn builtin_variable(
        &mut self,
        builtin: naga::BuiltIn,
        name: &str,
    ) -> Handle<naga::GlobalVariable> {
        self.builtin_variable_of(builtin, name, TypeInner::Scalar(Scalar::U32))
    }

    /// The private variable in which entry points store a builtin.
    pub(crate) fn builtin_variable_of(
        &mut self,
        builtin: naga::BuiltIn,
        name: &str,
        ty: TypeInner,
    ) -> Handle<naga::GlobalVariable> {
        if let Some((_, known)) = self
            .interface
            .builtins
            .iter()
            .find(|(known, _)| *known == builtin)
        {
            return *known;
        }
        let ty = self.insert_type(ty);
        let handle = self.private_variable(Some(name.to_owned()), ty);
        self.interface.builtins.push((builtin, handle));
        handle
    }

    /// Whether any instruction uses this id.
    pub(crate) fn is_used(&mut self, id: Id) -> bool {
        let spirv = self.spirv;
        let used = self.interface.used.get_or_insert_with(|| {
            let blocks = spirv.functions.iter().flat_map(|function| &function.blocks);
            let instructions = blocks.flat_map(|block| block.inside().chain([block.terminator()]));
            instructions
                .flat_map(|instruction| instruction.used())
                .collect()
        });
        used.contains(&id)
    }

    /// Whether an input is used by `InterpolateAtCentroid` and by nothing else.
    pub(crate) fn is_only_at_centroid(&self, variable: Id) -> bool {
        let spirv = self.spirv;
        let found = self
            .interface
            .at_centroid
            .get_or_init(|| only_at_centroid(spirv));
        found.contains(&variable)
    }

    /// The pointer of a module-scope variable.
    pub(crate) fn global_pointer(&self, id: Id) -> Option<Rc<Pointer>> {
        self.variables
            .get(id)
            .map(|variable| Rc::clone(&variable.pointer))
    }
}

/// The variables used by `InterpolateAtCentroid` and by nothing else.
fn only_at_centroid(spirv: &Module<'_>) -> HashSet<Id> {
    const CENTROID: u32 = GlslStd450Op::InterpolateAtCentroid as u32;
    let interpolated = |instruction: &Instruction<'_>| {
        let is_centroid =
            instruction.op == Op::ExtInst && instruction.optional(1) == Some(CENTROID);
        let set = spirv.sets.get(&Id(instruction.optional(0)?));
        let is_glsl = is_centroid && matches!(set, Some(InstructionSet::Glsl));
        instruction.optional(2).filter(|_| is_glsl).map(Id)
    };
    if !spirv.has_extended(CENTROID) {
        return HashSet::default();
    }
    let blocks = || spirv.functions.iter().flat_map(|function| &function.blocks);
    let instructions = || blocks().flat_map(|block| block.body());
    let mut found: HashSet<Id> = instructions()
        .filter_map(|instruction| interpolated(&instruction))
        .collect();
    if !found.is_empty() {
        for instruction in instructions().filter(|instruction| interpolated(instruction).is_none())
        {
            for used in instruction.used() {
                found.remove(&used);
            }
        }
    }
    found
}
