//! Analysis of the words of a module, before they are rewritten.
//!
//! In: words from naga's writer. Out: [`ModuleAnalysis`]: where ids are defined, which instructions may change, and
//! which capabilities and decorations are missing. One pass over the words.

use std::collections::{BTreeMap, BTreeSet};

use anywarp_program::naga::{FastHashMap as HashMap, FastHashSet as HashSet};

use rspirv::spirv::{BuiltIn, Capability, Decoration, Op, StorageClass};

use super::super::marker::Marker;
use super::OutputSettings;
use super::instruction::{instruction, instructions, text};
use super::section::Section;

const CONSTANTS: u32 = StorageClass::UniformConstant as u32;
const UNIFORM: u32 = StorageClass::Uniform as u32;
const STORAGE: u32 = StorageClass::StorageBuffer as u32;

const ARRAY: u32 = Op::TypeArray as u32;
const RUNTIME_ARRAY: u32 = Op::TypeRuntimeArray as u32;
const LOADED: u32 = Op::Load as u32;
const PARAMETER: u32 = Op::FunctionParameter as u32;

/// Properties of an image type.
#[derive(Clone, Copy)]
struct ImageType {
    is_multisampled: bool,
    is_storage: bool,
    has_format: bool,
}

/// The result of the analysis.
#[derive(Default)]
pub(in crate::write) struct ModuleAnalysis {
    /// The position where each id is defined, for types, constants, variables, functions, parameters, and loaded images
    /// and samplers; zero for all others.
    definitions: Vec<u32>,
    /// Positions of instructions that may change, and of the first instruction of each section.
    pub(super) edits: Vec<usize>,
    /// Positions of comparisons that are false for NaN.
    pub(super) comparisons: Vec<usize>,
    /// Whether an instruction must change that no other field shows.
    pub(super) has_wrong_instruction: bool,
    pub(super) markers: HashMap<u32, Marker>,
    /// Ids of sample mask variables.
    pub(super) sample_masks: HashSet<u32>,
    /// Scalar types, keyed by opcode and operands.
    pub(super) scalars: BTreeMap<(u32, Vec<u32>), u32>,
    /// The 3-component vector of each scalar type.
    pub(super) triples: HashMap<u32, u32>,
    pub(super) capabilities: HashSet<u32>,
    pub(super) extensions: HashSet<String>,
    /// Functions of compute entry points, in order.
    pub(super) entry_points: Vec<u32>,
    pub(super) reads_without_format: bool,
    pub(super) writes_without_format: bool,
    /// Whether the draw parameters are used: base vertex, base instance or draw index.
    pub(super) names_draws: bool,
    /// Structures used as buffers in binding arrays that lack a `Block` decoration.
    pub(super) missing_blocks: BTreeSet<u32>,
    /// Capabilities that binding arrays need.
    pub(super) array_capabilities: BTreeSet<Capability>,
    /// Image and sampler types; there are few.
    handles: Vec<u32>,
    blocks: HashSet<u32>,
    /// Variables that are binding arrays.
    binding_arrays: HashMap<u32, BindingArrayKind>,
    non_uniform: HashSet<u32>,
}

/// The kind of a binding array.
#[derive(Clone, Copy)]
enum BindingArrayKind {
    SampledImages,
    StorageImages,
    UniformBuffers,
    StorageBuffers,
}

impl BindingArrayKind {
    /// The capability for a dynamic index.
    fn dynamic(self) -> Capability {
        match self {
            Self::SampledImages => Capability::SampledImageArrayDynamicIndexing,
            Self::StorageImages => Capability::StorageImageArrayDynamicIndexing,
            Self::UniformBuffers => Capability::UniformBufferArrayDynamicIndexing,
            Self::StorageBuffers => Capability::StorageBufferArrayDynamicIndexing,
        }
    }

    /// The capability for a non-uniform index.
    fn non_uniform(self) -> Capability {
        match self {
            Self::SampledImages => Capability::SampledImageArrayNonUniformIndexing,
            Self::StorageImages => Capability::StorageImageArrayNonUniformIndexing,
            Self::UniformBuffers => Capability::UniformBufferArrayNonUniformIndexing,
            Self::StorageBuffers => Capability::StorageBufferArrayNonUniformIndexing,
        }
    }
}

impl ModuleAnalysis {
    pub(in crate::write) fn find(words: &[u32], settings: &OutputSettings) -> Self {
        let bound = words.get(3).copied().unwrap_or_default() as usize;
        let mut analysis = Self {
            // A module defines fewer ids than it has words.
            definitions: vec![0; bound.min(words.len())],
            ..Self::default()
        };
        let mut section = None;
        for (place, number, operands) in instructions(words) {
            analysis.note(words, place, (number, operands));
            if section < Some(Section::Declarations) {
                let here = Section::of(number);
                if here > section || analysis.may_change(number, operands, settings) {
                    analysis.edit(place);
                }
                section = section.max(here);
            }
        }
        analysis
    }

    /// Records the position of an instruction that may change.
    fn edit(&mut self, place: usize) {
        if self.edits.last() != Some(&place) {
            self.edits.push(place);
        }
    }

    fn define(&mut self, id: u32, place: usize) {
        if let Some(definition) = self.definitions.get_mut(id as usize) {
            *definition = place as u32;
        }
    }

    /// Opcode and operands of the instruction that defines an id, if its position was recorded.
    pub(super) fn definition<'a>(&self, words: &'a [u32], id: u32) -> Option<(u32, &'a [u32])> {
        let place = *self.definitions.get(id as usize)? as usize;
        instruction(words, place).filter(|_| place != 0)
    }

    /// The operands of the instruction that defines an id, if it has this opcode.
    pub(super) fn defined<'a>(&self, words: &'a [u32], id: u32, op: Op) -> Option<&'a [u32]> {
        let (number, operands) = self.definition(words, id)?;
        (number == op as u32).then_some(operands)
    }

    /// Whether an id is a marked variable or type, or a sample mask.
    fn is_special(&self, id: u32) -> bool {
        self.markers.contains_key(&id) || self.sample_masks.contains(&id)
    }

    /// Whether an instruction before the declarations may have to change.
    fn may_change(&self, number: u32, operands: &[u32], settings: &OutputSettings) -> bool {
        const EXTENSION_IMPORT: u32 = Op::ExtInstImport as u32;
        const ENTRY_POINT: u32 = Op::EntryPoint as u32;
        const EXECUTION_MODE: u32 = Op::ExecutionMode as u32;
        const NAME: u32 = Op::Name as u32;
        const MEMBER_NAME: u32 = Op::MemberName as u32;
        match (number, operands) {
            (EXTENSION_IMPORT | ENTRY_POINT | EXECUTION_MODE, _) => true,
            (NAME, [id, ..]) => !settings.names || self.markers.contains_key(id),
            (MEMBER_NAME, _) => !settings.names,
            _ => false,
        }
    }

    pub(super) fn has_subgroups(&self) -> bool {
        let groups = Capability::GroupNonUniform as u32..=Capability::GroupNonUniformQuad as u32;
        self.capabilities
            .iter()
            .any(|capability| groups.contains(capability))
    }

    fn note(&mut self, words: &[u32], place: usize, (number, operands): (u32, &[u32])) {
        const CAPABILITY: u32 = Op::Capability as u32;
        const EXTENSION: u32 = Op::Extension as u32;
        const ENTRY_POINT: u32 = Op::EntryPoint as u32;
        const NAME: u32 = Op::Name as u32;
        const DECORATE: u32 = Op::Decorate as u32;
        const TYPE_BOOL: u32 = Op::TypeBool as u32;
        const TYPE_INT: u32 = Op::TypeInt as u32;
        const TYPE_FLOAT: u32 = Op::TypeFloat as u32;
        const TYPE_VECTOR: u32 = Op::TypeVector as u32;
        const TYPE_IMAGE: u32 = Op::TypeImage as u32;
        const TYPE_POINTER: u32 = Op::TypePointer as u32;
        const TYPE_SAMPLER: u32 = Op::TypeSampler as u32;
        const TYPE_STRUCT: u32 = Op::TypeStruct as u32;
        const TYPE_ARRAY: u32 = Op::TypeArray as u32;
        const TYPE_RUNTIME_ARRAY: u32 = Op::TypeRuntimeArray as u32;
        const VARIABLE: u32 = Op::Variable as u32;
        const LOAD: u32 = Op::Load as u32;
        const STORE: u32 = Op::Store as u32;
        const IMAGE_READ: u32 = Op::ImageRead as u32;
        const IMAGE_WRITE: u32 = Op::ImageWrite as u32;
        const SIZE_WITH_LEVEL: u32 = Op::ImageQuerySizeLod as u32;
        const CONSTANT: u32 = Op::Constant as u32;
        const COMPOSITE: u32 = Op::ConstantComposite as u32;
        const ZERO: u32 = Op::ConstantNull as u32;
        const FUNCTION: u32 = Op::Function as u32;
        const CALL: u32 = Op::FunctionCall as u32;
        const ACCESS: u32 = Op::AccessChain as u32;
        const ORDERED_NOT_EQUAL: u32 = Op::FOrdNotEqual as u32;
        match (number, operands) {
            (CAPABILITY, [capability]) => {
                self.capabilities.insert(*capability);
            }
            (EXTENSION, name) => {
                self.extensions.insert(text(name));
            }
            (ENTRY_POINT, [_, function, ..]) => self.entry_points.push(*function),
            (NAME, [id, name @ ..]) if Marker::may_begin(name) => {
                if let Some(marker) = Marker::parse(&text(name)) {
                    self.markers.insert(*id, marker);
                }
            }
            (DECORATE, [id, decoration, value @ ..]) => self.decorate(*id, *decoration, value),
            (TYPE_BOOL | TYPE_INT | TYPE_FLOAT, [id, shape @ ..]) => {
                self.define(*id, place);
                self.scalars.insert((number, shape.to_vec()), *id);
                self.edit(place);
            }
            (TYPE_VECTOR, [id, scalar, count]) => {
                self.define(*id, place);
                if *count == 3 {
                    self.triples.insert(*scalar, *id);
                }
                self.edit(place);
            }
            (TYPE_SAMPLER | TYPE_IMAGE, [id, ..]) => {
                self.define(*id, place);
                self.handles.push(*id);
            }
            (TYPE_STRUCT | TYPE_ARRAY | TYPE_RUNTIME_ARRAY | TYPE_POINTER, [id, ..]) => {
                self.define(*id, place);
                if self.is_special(*id) {
                    self.edit(place);
                }
            }
            (CONSTANT | ZERO | FUNCTION | PARAMETER, [_, id, ..]) => self.define(*id, place),
            (COMPOSITE, [ty, id, parts @ ..]) => {
                self.define(*id, place);
                self.wrong_if(self.is_short(words, *ty, parts), place);
            }
            (VARIABLE, [ty, id, class, ..]) => {
                self.define(*id, place);
                self.note_bindings(words, *ty, *id, *class);
                if self.is_special(*id) {
                    self.edit(place);
                }
            }
            (LOAD, [ty, id, pointer, ..]) => {
                if self.handles.contains(ty) {
                    self.define(*id, place);
                }
                if self.is_special(*pointer) {
                    self.edit(place);
                }
            }
            (STORE, [pointer, ..]) if self.is_special(*pointer) => self.edit(place),
            (ACCESS, [_, id, variable, index, ..]) if !self.binding_arrays.is_empty() => {
                self.access(words, *id, *variable, *index);
            }
            (IMAGE_READ, [_, _, image, ..]) => {
                let image = self.image(words, *image);
                self.reads_without_format |= image.is_some_and(|image| !image.has_format);
            }
            (IMAGE_WRITE, [image, ..]) => {
                let image = self.image(words, *image);
                self.writes_without_format |= image.is_some_and(|image| !image.has_format);
            }
            (SIZE_WITH_LEVEL, [_, _, image, _]) => {
                self.wrong_if(self.has_no_levels(words, *image), place);
            }
            (CALL, [_, _, _, arguments @ ..]) => {
                let is_loaded = |id: &u32| self.defined(words, *id, Op::Load).is_some();
                self.wrong_if(arguments.iter().any(is_loaded), place);
            }
            (ORDERED_NOT_EQUAL, _) => self.comparisons.push(place),
            _ => {}
        }
    }

    fn wrong_if(&mut self, is_wrong: bool, place: usize) {
        if is_wrong {
            self.has_wrong_instruction = true;
            self.edit(place);
        }
    }

    fn decorate(&mut self, id: u32, decoration: u32, value: &[u32]) {
        const BLOCK: u32 = Decoration::Block as u32;
        const NON_UNIFORM: u32 = Decoration::NonUniform as u32;
        const BUILTIN: u32 = Decoration::BuiltIn as u32;
        match (decoration, value) {
            (BLOCK, []) => {
                self.blocks.insert(id);
            }
            (NON_UNIFORM, []) => {
                self.non_uniform.insert(id);
            }
            (BUILTIN, [builtin]) => {
                if *builtin == BuiltIn::SampleMask as u32 {
                    self.sample_masks.insert(id);
                }
                let draws = BuiltIn::BaseVertex as u32..=BuiltIn::DrawIndex as u32;
                self.names_draws |= draws.contains(builtin);
            }
            _ => {}
        }
    }

    /// Records the capability for an index into a binding array.
    fn access(&mut self, words: &[u32], id: u32, variable: u32, index: u32) {
        let Some(bindings) = self.binding_arrays.get(&variable) else {
            return;
        };
        if self.defined(words, index, Op::Constant).is_some() {
            return;
        }
        self.array_capabilities.insert(bindings.dynamic());
        if [id, index].iter().any(|id| self.non_uniform.contains(id)) {
            self.array_capabilities.insert(bindings.non_uniform());
        }
    }

    /// Records a variable that is a binding array.
    fn note_bindings(&mut self, words: &[u32], ty: u32, id: u32, class: u32) {
        if ![CONSTANTS, UNIFORM, STORAGE].contains(&class) {
            return;
        }
        let Some([_, _, pointee]) = self.defined(words, ty, Op::TypePointer) else {
            return;
        };
        let (element, is_unknown) = match self.definition(words, *pointee) {
            Some((ARRAY, [_, element, ..])) => (*element, false),
            Some((RUNTIME_ARRAY, [_, element])) => (*element, true),
            _ => return,
        };
        let bindings = match class {
            CONSTANTS
                if self
                    .image_type(words, element)
                    .is_some_and(|image| image.is_storage) =>
            {
                BindingArrayKind::StorageImages
            }
            CONSTANTS => BindingArrayKind::SampledImages,
            UNIFORM => BindingArrayKind::UniformBuffers,
            _ => BindingArrayKind::StorageBuffers,
        };
        self.binding_arrays.insert(id, bindings);
        if is_unknown {
            self.array_capabilities
                .insert(Capability::RuntimeDescriptorArray);
        }
        let is_struct = self.defined(words, element, Op::TypeStruct).is_some();
        if class != CONSTANTS && is_struct && !self.blocks.contains(&element) {
            self.missing_blocks.insert(element);
        }
    }

    /// Component type and number of components of a vector type.
    pub(super) fn vector(&self, words: &[u32], ty: u32) -> Option<(u32, u32)> {
        match self.defined(words, ty, Op::TypeVector)? {
            [_, scalar, count] => Some((*scalar, *count)),
            _ => None,
        }
    }

    /// Whether a constant vector is composed of other vectors, which `OpConstantComposite` does not allow.
    fn is_short(&self, words: &[u32], ty: u32, parts: &[u32]) -> bool {
        let vector = self.vector(words, ty);
        vector.is_some_and(|(_, count)| parts.len() < count as usize)
    }

    /// The types of a function's parameters.
    pub(super) fn parameters<'a>(
        &self,
        words: &'a [u32],
        function: u32,
    ) -> impl Iterator<Item = u32> + use<'a> {
        let place = self.definitions.get(function as usize).copied();
        let is_function = self.defined(words, function, Op::Function).is_some();
        let mut place = place
            .filter(|_| is_function)
            .map_or(words.len(), |id| id as usize);
        std::iter::from_fn(move || {
            let (_, operands) = instruction(words, place)?;
            place += 1 + operands.len();
            match instruction(words, place)? {
                (PARAMETER, [ty, _]) => Some(*ty),
                _ => None,
            }
        })
    }

    fn image_type(&self, words: &[u32], ty: u32) -> Option<ImageType> {
        match self.defined(words, ty, Op::TypeImage)? {
            [_, _, _, _, _, multisampled, sampled, format, ..] => Some(ImageType {
                is_multisampled: *multisampled == 1,
                is_storage: *sampled == 2,
                has_format: *format != 0,
            }),
            _ => None,
        }
    }

    /// Properties of a loaded image or an image parameter.
    fn image(&self, words: &[u32], id: u32) -> Option<ImageType> {
        let ty = match self.definition(words, id)? {
            (LOADED, [ty, ..]) | (PARAMETER, [ty, ..]) => *ty,
            _ => return None,
        };
        self.image_type(words, ty)
    }

    fn has_no_levels(&self, words: &[u32], image: u32) -> bool {
        let image = self.image(words, image);
        image.is_some_and(|image| image.is_storage || image.is_multisampled)
    }
}
