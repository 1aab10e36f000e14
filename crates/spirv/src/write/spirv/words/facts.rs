//! What the words say about their ids.

use std::collections::{BTreeMap, BTreeSet};

use anywarp_program::naga::{FastHashMap as HashMap, FastHashSet as HashSet};

use rspirv::spirv::{BuiltIn, Capability, Decoration, Op, StorageClass};

use super::super::marker::Marker;
use super::instruction::{instructions, text};

const CONSTANTS: u32 = StorageClass::UniformConstant as u32;
const UNIFORM: u32 = StorageClass::Uniform as u32;
const STORAGE: u32 = StorageClass::StorageBuffer as u32;

/// Sampled images, storage images and their formats.
#[derive(Clone, Copy)]
pub(in super::super) struct Image {
    pub(super) is_multisampled: bool,
    pub(super) is_storage: bool,
    pub(super) has_format: bool,
}

/// What is known before the words are written again.
#[derive(Default)]
pub(in super::super) struct Facts {
    pub(super) markers: HashMap<u32, Marker>,
    /// Variables of sample masks.
    pub(super) sample_masks: HashSet<u32>,
    /// Storage class and pointee of pointer types.
    pub(super) pointers: HashMap<u32, (u32, u32)>,
    /// The type of each variable.
    pub(super) variables: HashMap<u32, u32>,
    /// Scalar types, by the words that declare them behind their id.
    pub(super) scalars: BTreeMap<(u32, Vec<u32>), u32>,
    /// The vector of three of a scalar type.
    pub(super) triples: HashMap<u32, u32>,
    pub(super) images: HashMap<u32, Image>,
    /// The type of each image value.
    pub(super) image_values: HashMap<u32, u32>,
    pub(super) capabilities: HashSet<u32>,
    pub(super) extensions: HashSet<String>,
    /// Functions of compute entry points, in order, with the place among entry points.
    pub(super) entry_points: Vec<u32>,
    pub(super) reads_without_format: bool,
    pub(super) writes_without_format: bool,
    /// It asks for the first vertex or instance, or the number of the draw.
    pub(super) names_draws: bool,
    /// The component type and the number of components of vector types.
    pub(super) vectors: HashMap<u32, (u32, u32)>,
    /// What each constant vector is made of.
    pub(super) composites: HashMap<u32, Vec<u32>>,
    /// The type of each constant vector that is zero.
    pub(super) zeros: HashMap<u32, u32>,
    /// Where each image or sampler was loaded from.
    pub(super) handle_loads: HashMap<u32, u32>,
    /// The types of each function's parameters.
    pub(super) parameters: HashMap<u32, Vec<u32>>,
    /// Structures that are buffers in arrays of bindings and are not said to be blocks.
    pub(super) missing_blocks: BTreeSet<u32>,
    /// What arrays of bindings need.
    pub(super) array_capabilities: BTreeSet<Capability>,
    samplers: HashSet<u32>,
    structs: HashSet<u32>,
    blocks: HashSet<u32>,
    /// Elements of arrays, and whether their number is unknown.
    arrays: HashMap<u32, (u32, bool)>,
    scalar_constants: HashSet<u32>,
    /// Variables that are arrays of bindings.
    binding_arrays: HashMap<u32, Bindings>,
    non_uniform: HashSet<u32>,
    function: u32,
}

/// What an array of bindings is made of.
#[derive(Clone, Copy)]
enum Bindings {
    SampledImages,
    StorageImages,
    UniformBuffers,
    StorageBuffers,
}

impl Bindings {
    /// What an index needs that is no constant.
    fn dynamic(self) -> Capability {
        match self {
            Self::SampledImages => Capability::SampledImageArrayDynamicIndexing,
            Self::StorageImages => Capability::StorageImageArrayDynamicIndexing,
            Self::UniformBuffers => Capability::UniformBufferArrayDynamicIndexing,
            Self::StorageBuffers => Capability::StorageBufferArrayDynamicIndexing,
        }
    }

    /// What an index needs that differs between invocations.
    fn non_uniform(self) -> Capability {
        match self {
            Self::SampledImages => Capability::SampledImageArrayNonUniformIndexing,
            Self::StorageImages => Capability::StorageImageArrayNonUniformIndexing,
            Self::UniformBuffers => Capability::UniformBufferArrayNonUniformIndexing,
            Self::StorageBuffers => Capability::StorageBufferArrayNonUniformIndexing,
        }
    }
}

impl Facts {
    pub(in super::super) fn find(words: &[u32]) -> Self {
        let mut facts = Self::default();
        for (number, operands) in instructions(words) {
            facts.note(number, operands);
        }
        facts
    }

    pub(super) fn has_subgroups(&self) -> bool {
        let groups = Capability::GroupNonUniform as u32..=Capability::GroupNonUniformQuad as u32;
        self.capabilities.iter().any(|it| groups.contains(it))
    }

    fn note(&mut self, number: u32, operands: &[u32]) {
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
        const VARIABLE: u32 = Op::Variable as u32;
        const LOAD: u32 = Op::Load as u32;
        const PARAMETER: u32 = Op::FunctionParameter as u32;
        const IMAGE_READ: u32 = Op::ImageRead as u32;
        const IMAGE_WRITE: u32 = Op::ImageWrite as u32;
        const TYPE_SAMPLER: u32 = Op::TypeSampler as u32;
        const TYPE_STRUCT: u32 = Op::TypeStruct as u32;
        const TYPE_ARRAY: u32 = Op::TypeArray as u32;
        const TYPE_RUNTIME_ARRAY: u32 = Op::TypeRuntimeArray as u32;
        const CONSTANT: u32 = Op::Constant as u32;
        const COMPOSITE: u32 = Op::ConstantComposite as u32;
        const ZERO: u32 = Op::ConstantNull as u32;
        const FUNCTION: u32 = Op::Function as u32;
        const ACCESS: u32 = Op::AccessChain as u32;
        match (number, operands) {
            (CAPABILITY, [capability]) => {
                self.capabilities.insert(*capability);
            }
            (EXTENSION, name) => {
                self.extensions.insert(text(name));
            }
            (ENTRY_POINT, [_, function, ..]) => self.entry_points.push(*function),
            (NAME, [id, name @ ..]) => {
                if let Some(marker) = Marker::parse(&text(name)) {
                    self.markers.insert(*id, marker);
                }
            }
            (DECORATE, [id, decoration]) => {
                if *decoration == Decoration::Block as u32 {
                    self.blocks.insert(*id);
                } else if *decoration == Decoration::NonUniform as u32 {
                    self.non_uniform.insert(*id);
                }
            }
            (DECORATE, [id, decoration, builtin]) => {
                let is_mask = *builtin == BuiltIn::SampleMask as u32;
                if *decoration == Decoration::BuiltIn as u32 && is_mask {
                    self.sample_masks.insert(*id);
                }
                let draws = BuiltIn::BaseVertex as u32..=BuiltIn::DrawIndex as u32;
                if *decoration == Decoration::BuiltIn as u32 && draws.contains(builtin) {
                    self.names_draws = true;
                }
            }
            (TYPE_BOOL | TYPE_INT | TYPE_FLOAT, [id, shape @ ..]) => {
                self.scalars.insert((number, shape.to_vec()), *id);
            }
            (TYPE_VECTOR, [id, scalar, count]) => {
                self.vectors.insert(*id, (*scalar, *count));
                if *count == 3 {
                    self.triples.insert(*scalar, *id);
                }
            }
            (TYPE_SAMPLER, [id]) => {
                self.samplers.insert(*id);
            }
            (TYPE_STRUCT, [id, ..]) => {
                self.structs.insert(*id);
            }
            (TYPE_ARRAY, [id, element, _]) => {
                self.arrays.insert(*id, (*element, false));
            }
            (TYPE_RUNTIME_ARRAY, [id, element]) => {
                self.arrays.insert(*id, (*element, true));
            }
            (CONSTANT, [_, id, ..]) => {
                self.scalar_constants.insert(*id);
            }
            (COMPOSITE, [ty, id, parts @ ..]) if self.vectors.contains_key(ty) => {
                self.composites.insert(*id, parts.to_vec());
            }
            (ZERO, [ty, id]) if self.vectors.contains_key(ty) => {
                self.zeros.insert(*id, *ty);
            }
            (FUNCTION, [_, id, ..]) => self.function = *id,
            (TYPE_IMAGE, [id, _, _, _, _, multisampled, sampled, format, ..]) => {
                let image = Image {
                    is_multisampled: *multisampled == 1,
                    is_storage: *sampled == 2,
                    has_format: *format != 0,
                };
                self.images.insert(*id, image);
            }
            (TYPE_POINTER, [id, class, pointee]) => {
                self.pointers.insert(*id, (*class, *pointee));
            }
            (VARIABLE, [ty, id, class, ..]) => {
                self.variables.insert(*id, *ty);
                self.note_bindings(*ty, *id, *class);
            }
            (LOAD, [ty, id, pointer, ..])
                if self.images.contains_key(ty) || self.samplers.contains(ty) =>
            {
                self.image_values.insert(*id, *ty);
                self.handle_loads.insert(*id, *pointer);
            }
            (PARAMETER, [ty, id]) => {
                self.image_values.insert(*id, *ty);
                self.parameters.entry(self.function).or_default().push(*ty);
            }
            (ACCESS, [_, id, variable, index, ..]) => {
                if let Some(bindings) = self.binding_arrays.get(variable)
                    && !self.scalar_constants.contains(index)
                {
                    self.array_capabilities.insert(bindings.dynamic());
                    if [id, index]
                        .into_iter()
                        .any(|it| self.non_uniform.contains(it))
                    {
                        self.array_capabilities.insert(bindings.non_uniform());
                    }
                }
            }
            (IMAGE_READ, [_, _, image, ..]) => {
                self.reads_without_format |= self.image(*image).is_some_and(|it| !it.has_format);
            }
            (IMAGE_WRITE, [image, ..]) => {
                self.writes_without_format |= self.image(*image).is_some_and(|it| !it.has_format);
            }
            _ => {}
        }
    }

    /// Notes a variable that is an array of bindings.
    fn note_bindings(&mut self, ty: u32, id: u32, class: u32) {
        let pointee = self.pointers.get(&ty).map(|(_, pointee)| *pointee);
        let array = pointee.and_then(|pointee| self.arrays.get(&pointee));
        let Some((element, is_unknown)) = array.copied() else {
            return;
        };
        let bindings = match (class, self.images.get(&element)) {
            (CONSTANTS, Some(image)) if image.is_storage => Bindings::StorageImages,
            (CONSTANTS, _) => Bindings::SampledImages,
            (UNIFORM, _) => Bindings::UniformBuffers,
            (STORAGE, _) => Bindings::StorageBuffers,
            _ => return,
        };
        self.binding_arrays.insert(id, bindings);
        if is_unknown {
            self.array_capabilities
                .insert(Capability::RuntimeDescriptorArray);
        }
        if class != CONSTANTS && self.structs.contains(&element) && !self.blocks.contains(&element)
        {
            self.missing_blocks.insert(element);
        }
    }

    /// What is known of an image value.
    pub(super) fn image(&self, id: u32) -> Option<&Image> {
        self.images.get(self.image_values.get(&id)?)
    }
}
