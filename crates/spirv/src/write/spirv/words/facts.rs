//! What the words say about their ids.

use std::collections::{BTreeMap, HashMap, HashSet};

use rspirv::spirv::{BuiltIn, Capability, Decoration, Op};

use super::super::marker::Marker;
use super::instruction::{instructions, text};

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
            (DECORATE, [id, decoration, builtin]) => {
                let is_mask = *builtin == BuiltIn::SampleMask as u32;
                if *decoration == Decoration::BuiltIn as u32 && is_mask {
                    self.sample_masks.insert(*id);
                }
            }
            (TYPE_BOOL | TYPE_INT | TYPE_FLOAT, [id, shape @ ..]) => {
                self.scalars.insert((number, shape.to_vec()), *id);
            }
            (TYPE_VECTOR, [id, scalar, 3]) => {
                self.triples.insert(*scalar, *id);
            }
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
            (VARIABLE, [ty, id, ..]) => {
                self.variables.insert(*id, *ty);
            }
            (LOAD | PARAMETER, [ty, id, ..]) if self.images.contains_key(ty) => {
                self.image_values.insert(*id, *ty);
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

    /// What is known of an image value.
    pub(super) fn image(&self, id: u32) -> Option<&Image> {
        self.images.get(self.image_values.get(&id)?)
    }
}
