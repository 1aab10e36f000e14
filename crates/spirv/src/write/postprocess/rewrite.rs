//! Rewrites the words of a module.
//!
//! In: words, their analysis, and the plan of specialization constants. Out: the corrected words. One pass in order:
//! instructions that may change are rewritten, additions are inserted at the end of their section, and everything else
//! is copied.

use std::collections::HashMap;
use std::ops::Range;

use anywarp_program::naga::Scalar;
use rspirv::spirv::{BuiltIn, Capability, Decoration, ExecutionMode, Op};

use super::super::constants::SpecConstantPlan;
use super::super::error::SpirvError;
use super::super::marker::Marker;
use super::constants::{Declarations, Ids};
use super::instruction::{instruction, push, push_number, string, string_length};
use super::section::Section;
use super::{ModuleAnalysis, OutputSettings};

/// The state of the rewrite.
pub(in crate::write) struct Rewriter<'a> {
    words: &'a [u32],
    analysis: &'a ModuleAnalysis,
    plan: &'a SpecConstantPlan,
    settings: &'a OutputSettings,
    ids: Ids,
    out: Vec<u32>,
    section: Section,
    declarations: Declarations,
    /// The `WorkgroupSize` builtin constant, used before SPIR-V 1.6.
    workgroup_size: Option<WorkgroupSize>,
    capabilities: Vec<Capability>,
    extensions: Vec<&'static str>,
    /// For each sample mask, the id of the index of its only element.
    mask_zeros: HashMap<u32, u32>,
}

/// Capabilities of SPIR-V 1.0 for indices into binding arrays.
const DYNAMIC_INDEXING: [Capability; 4] = [
    Capability::SampledImageArrayDynamicIndexing,
    Capability::StorageImageArrayDynamicIndexing,
    Capability::UniformBufferArrayDynamicIndexing,
    Capability::StorageBufferArrayDynamicIndexing,
];

/// Capabilities of 16-bit storage, core from SPIR-V 1.3 on.
const HALF_STORAGE: [Capability; 4] = [
    Capability::StorageBuffer16BitAccess,
    Capability::UniformAndStorageBuffer16BitAccess,
    Capability::StoragePushConstant16,
    Capability::StorageInputOutput16,
];

struct WorkgroupSize {
    id: u32,
    ty: u32,
    sizes: [u32; 3],
}

impl<'a> Rewriter<'a> {
    pub(in crate::write) fn new(
        analysis: &'a ModuleAnalysis,
        plan: &'a SpecConstantPlan,
        settings: &'a OutputSettings,
        words: &'a [u32],
    ) -> Self {
        let mut rewriter = Self {
            words,
            analysis,
            plan,
            settings,
            ids: Ids(0),
            out: Vec::new(),
            section: Section::Capabilities,
            declarations: Declarations::default(),
            workgroup_size: None,
            capabilities: Vec::new(),
            extensions: Vec::new(),
            mask_zeros: HashMap::new(),
        };
        rewriter.require();
        rewriter
    }

    /// Whether the words need no change.
    pub(in crate::write) fn changes_nothing(&self) -> bool {
        let analysis = self.analysis;
        self.settings.names
            && self.capabilities.is_empty()
            && self.extensions.is_empty()
            && self.plan.constants.is_empty()
            && self.plan.workgroup_sizes.is_empty()
            && analysis.markers.is_empty()
            && analysis.sample_masks.is_empty()
            && analysis.missing_blocks.is_empty()
            && !analysis.has_wrong_instruction
    }

    /// Collects missing capabilities and extensions.
    fn require(&mut self) {
        if self.analysis.reads_without_format {
            self.capabilities
                .push(Capability::StorageImageReadWithoutFormat);
        }
        if self.analysis.writes_without_format {
            self.capabilities
                .push(Capability::StorageImageWriteWithoutFormat);
        }
        if self
            .analysis
            .markers
            .values()
            .any(|marker| *marker == Marker::Demote)
        {
            self.capabilities.push(Capability::DemoteToHelperInvocation);
            if self.settings.version < (1, 6) {
                self.extensions.push("SPV_EXT_demote_to_helper_invocation");
            }
        }
        if self.analysis.names_draws {
            self.capabilities.push(Capability::DrawParameters);
            if self.settings.version < (1, 3) {
                self.extensions.push("SPV_KHR_shader_draw_parameters");
            }
        }
        self.capabilities.extend(&self.analysis.array_capabilities);
        let indexes_descriptors = self
            .analysis
            .array_capabilities
            .iter()
            .any(|capability| !DYNAMIC_INDEXING.contains(capability));
        if indexes_descriptors && self.settings.version < (1, 5) {
            self.extensions.push("SPV_EXT_descriptor_indexing");
        }
        let has_halves = HALF_STORAGE
            .iter()
            .any(|capability| self.analysis.capabilities.contains(&(*capability as u32)));
        if has_halves && self.settings.version < (1, 3) {
            self.extensions.push("SPV_KHR_16bit_storage");
        }
        let analysis = self.analysis;
        self.capabilities
            .retain(|capability| !analysis.capabilities.contains(&(*capability as u32)));
        self.extensions
            .retain(|extension| !analysis.extensions.contains(*extension));
    }

    pub(in crate::write) fn run(mut self) -> Result<Vec<u32>, SpirvError> {
        let words = self.words;
        self.out.reserve(words.len() + words.len() / 16);
        self.ids = Ids(words.get(3).copied().unwrap_or(1));
        if !self.plan.constants.is_empty() || !self.plan.workgroup_sizes.is_empty() {
            self.declarations = Declarations::new(self.analysis, self.plan, &mut self.ids);
            self.workgroup_size()?;
        }
        let mut copied = 0;
        for place in &self.analysis.edits {
            self.copy(copied..*place);
            let Some((number, operands)) = instruction(words, *place) else {
                break;
            };
            copied = place + 1 + operands.len();
            self.enter(Section::of(number));
            if self.section < Section::Declarations {
                self.front(number, operands);
            } else {
                self.back(number, operands);
            }
        }
        self.copy(copied..words.len());
        self.enter(Some(Section::Declarations));
        if let Some(bound) = self.out.get_mut(3) {
            *bound = self.ids.0;
        }
        Ok(self.out)
    }

    /// Copies words unchanged.
    fn copy(&mut self, range: Range<usize>) {
        self.out
            .extend_from_slice(self.words.get(range).unwrap_or_default());
    }

    /// Before SPIR-V 1.6 a single `WorkgroupSize` constant applies to all entry points of a module.
    fn workgroup_size(&mut self) -> Result<(), SpirvError> {
        if self.settings.version >= (1, 6) {
            return Ok(());
        }
        let mut sizes = self.plan.workgroup_sizes.iter();
        let Some((place, size)) = sizes.next() else {
            return Ok(());
        };
        if self.analysis.entry_points.len() > 1 || sizes.any(|(_, other)| other != size) {
            return Err(SpirvError::Unsupported {
                what: "a workgroup size by overrides, among several entry points,".to_owned(),
                needs: "SPIR-V 1.6, one entry point chosen, or frozen constants".to_owned(),
            });
        }
        let sizes = self.declarations.sizes[place];
        let scalar = self.declarations.scalar(Scalar::U32, &mut self.ids);
        let known = self.analysis.triples.get(&scalar).copied();
        let ty = known.unwrap_or_else(|| self.ids.next());
        let id = self.ids.next();
        self.workgroup_size = Some(WorkgroupSize { id, ty, sizes });
        Ok(())
    }

    /// Enters a section, after the additions to the previous sections.
    fn enter(&mut self, section: Option<Section>) {
        let Some(section) = section else { return };
        while self.section < section {
            self.section = match self.section {
                Section::Capabilities => {
                    for capability in &self.capabilities {
                        push(&mut self.out, Op::Capability, &[*capability as u32]);
                    }
                    Section::Extensions
                }
                Section::Extensions => Section::Modes,
                Section::Modes => Section::Names,
                Section::Names => {
                    self.name_constants();
                    Section::Annotations
                }
                Section::Annotations => {
                    self.annotate_constants();
                    self.declare_constants();
                    Section::Declarations
                }
                Section::Declarations => Section::Declarations,
            };
        }
    }

    fn name_constants(&mut self) {
        if !self.settings.names {
            return;
        }
        for (constant, id) in self.plan.constants.iter().zip(&self.declarations.constants) {
            if let Some(name) = &constant.name {
                let operands: Vec<u32> = [*id].into_iter().chain(string(name)).collect();
                push(&mut self.out, Op::Name, &operands);
            }
        }
    }

    fn annotate_constants(&mut self) {
        for id in &self.analysis.missing_blocks {
            push(
                &mut self.out,
                Op::Decorate,
                &[*id, Decoration::Block as u32],
            );
        }
        for (constant, id) in self.plan.constants.iter().zip(&self.declarations.constants) {
            if let Some(number) = constant.id {
                push(
                    &mut self.out,
                    Op::Decorate,
                    &[*id, Decoration::SpecId as u32, number],
                );
            }
        }
        if let Some(size) = &self.workgroup_size {
            let builtin = [
                size.id,
                Decoration::BuiltIn as u32,
                BuiltIn::WorkgroupSize as u32,
            ];
            push(&mut self.out, Op::Decorate, &builtin);
        }
    }

    fn declare_constants(&mut self) {
        self.out.append(&mut self.declarations.words);
        let Some(WorkgroupSize {
            id,
            ty,
            sizes: [x, y, z],
        }) = self.workgroup_size
        else {
            return;
        };
        let scalar = self.declarations.scalar(Scalar::U32, &mut self.ids);
        // If naga declares this type, it does so further below: the declaration moves here.
        push(&mut self.out, Op::TypeVector, &[ty, scalar, 3]);
        push(&mut self.out, Op::SpecConstantComposite, &[ty, id, x, y, z]);
    }

    /// Rewrites an instruction before the declarations.
    fn front(&mut self, number: u32, operands: &[u32]) {
        const EXTENSION_IMPORT: u32 = Op::ExtInstImport as u32;
        const ENTRY_POINT: u32 = Op::EntryPoint as u32;
        const EXECUTION_MODE: u32 = Op::ExecutionMode as u32;
        const NAME: u32 = Op::Name as u32;
        const MEMBER_NAME: u32 = Op::MemberName as u32;
        match (number, operands) {
            (EXTENSION_IMPORT, _) => {
                for extension in self.extensions.drain(..) {
                    push(&mut self.out, Op::Extension, &string(extension));
                }
                push_number(&mut self.out, number, operands);
            }
            (ENTRY_POINT, [_, _, rest @ ..]) => {
                let (fixed, interface) = operands.split_at(2 + string_length(rest));
                let is_real = |id: &&u32| !self.analysis.markers.contains_key(*id);
                let operands: Vec<u32> = fixed
                    .iter()
                    .chain(interface.iter().filter(is_real))
                    .copied()
                    .collect();
                push_number(&mut self.out, number, &operands);
            }
            (EXECUTION_MODE, [function, mode, ..]) if *mode == ExecutionMode::LocalSize as u32 => {
                self.local_size(*function, operands);
            }
            (NAME, [id, ..]) if !self.settings.names || self.analysis.markers.contains_key(id) => {}
            (MEMBER_NAME, _) if !self.settings.names => {}
            _ => push_number(&mut self.out, number, operands),
        }
    }

    fn local_size(&mut self, function: u32, operands: &[u32]) {
        let place = self
            .analysis
            .entry_points
            .iter()
            .position(|entry_point| *entry_point == function);
        let sizes = place.and_then(|place| self.declarations.sizes.get(&place));
        match sizes {
            Some([x, y, z]) if self.settings.version >= (1, 6) => {
                let mode = ExecutionMode::LocalSizeId as u32;
                push(
                    &mut self.out,
                    Op::ExecutionModeId,
                    &[function, mode, *x, *y, *z],
                );
            }
            _ => push(&mut self.out, Op::ExecutionMode, operands),
        }
    }

    /// Rewrites a declaration or an instruction of a function.
    fn back(&mut self, number: u32, operands: &[u32]) {
        const TYPE_BOOL: u32 = Op::TypeBool as u32;
        const TYPE_INT: u32 = Op::TypeInt as u32;
        const TYPE_FLOAT: u32 = Op::TypeFloat as u32;
        const TYPE_VECTOR: u32 = Op::TypeVector as u32;
        const TYPE_ARRAY: u32 = Op::TypeArray as u32;
        const VARIABLE: u32 = Op::Variable as u32;
        const LOAD: u32 = Op::Load as u32;
        const STORE: u32 = Op::Store as u32;
        const SIZE_WITH_LEVEL: u32 = Op::ImageQuerySizeLod as u32;
        const COMPOSITE: u32 = Op::ConstantComposite as u32;
        const CALL: u32 = Op::FunctionCall as u32;
        let has_moved =
            !self.declarations.constants.is_empty() || !self.declarations.sizes.is_empty();
        match (number, operands) {
            // Already declared at the start of the section.
            (TYPE_BOOL | TYPE_INT | TYPE_FLOAT, _) if has_moved => {}
            (TYPE_VECTOR, [id, ..])
                if self
                    .workgroup_size
                    .as_ref()
                    .is_some_and(|size| size.ty == *id) => {}
            (TYPE_ARRAY, [id, element, _]) if let Some(length) = self.length(*id) => {
                push(&mut self.out, Op::TypeArray, &[*id, *element, length]);
            }
            (VARIABLE, [_, id, ..]) if self.analysis.markers.contains_key(id) => {}
            (VARIABLE, [_, id, class, ..]) if self.analysis.sample_masks.contains(id) => {
                self.mask_variable(*id, *class);
            }
            (LOAD, [ty, id, from, ..]) => self.load(*ty, *id, *from, operands),
            (STORE, [to, value, ..]) => self.store(*to, *value, operands),
            (SIZE_WITH_LEVEL, [ty, id, image, _]) => {
                push(&mut self.out, Op::ImageQuerySize, &[*ty, *id, *image]);
            }
            (COMPOSITE, [ty, id, parts @ ..]) => self.composite(*ty, *id, parts),
            (CALL, [ty, id, function, arguments @ ..]) => {
                self.call(*ty, *id, *function, arguments);
            }
            _ => push_number(&mut self.out, number, operands),
        }
    }

    /// Flattens a constant vector composed of other vectors into scalars.
    fn composite(&mut self, ty: u32, id: u32, parts: &[u32]) {
        const COMPOSITE: u32 = Op::ConstantComposite as u32;
        const ZERO: u32 = Op::ConstantNull as u32;
        let mut flat = vec![ty, id];
        let mut open: Vec<u32> = parts.iter().rev().copied().collect();
        while let Some(part) = open.pop() {
            let definition = self.analysis.definition(self.words, part);
            let ty = definition.and_then(|(_, operands)| operands.first());
            let vector = ty.and_then(|ty| self.analysis.vector(self.words, *ty));
            match (definition, vector) {
                (Some((COMPOSITE, [_, _, parts @ ..])), Some(_)) => {
                    open.extend(parts.iter().rev());
                }
                (Some((ZERO, _)), Some((scalar, count))) => {
                    let zero = self.ids.next();
                    push(&mut self.out, Op::ConstantNull, &[scalar, zero]);
                    flat.extend(std::iter::repeat_n(zero, count as usize));
                }
                _ => flat.push(part),
            }
        }
        push(&mut self.out, Op::ConstantComposite, &flat);
    }

    /// Passes elements of binding arrays to functions as pointers, like other images.
    fn call(&mut self, ty: u32, id: u32, function: u32, arguments: &[u32]) {
        let (analysis, words) = (self.analysis, self.words);
        let mut parameters = analysis.parameters(words, function);
        let mut operands = vec![ty, id, function];
        for argument in arguments {
            let wanted = parameters.next();
            let is_pointer =
                wanted.is_some_and(|ty| analysis.defined(words, ty, Op::TypePointer).is_some());
            let loaded = match analysis.defined(words, *argument, Op::Load) {
                Some([_, _, pointer, ..]) if is_pointer => pointer,
                _ => argument,
            };
            operands.push(*loaded);
        }
        push(&mut self.out, Op::FunctionCall, &operands);
    }

    /// The specialized length of a marked array.
    fn length(&self, id: u32) -> Option<u32> {
        match self.analysis.markers.get(&id) {
            Some(Marker::Array(place)) => self.declarations.lengths.get(*place).copied(),
            _ => None,
        }
    }

    /// Vulkan's sample mask is an array; one element holds 32 samples.
    fn mask_variable(&mut self, id: u32, class: u32) {
        let element = self.mask_element(id);
        let [one, array, pointer] = std::array::from_fn(|_| self.ids.next());
        push(&mut self.out, Op::Constant, &[element, one, 1]);
        push(&mut self.out, Op::TypeArray, &[array, element, one]);
        push(&mut self.out, Op::TypePointer, &[pointer, class, array]);
        push(&mut self.out, Op::Variable, &[pointer, id, class]);
        let zero = self.ids.next();
        push(&mut self.out, Op::Constant, &[element, zero, 0]);
        self.mask_zeros.insert(id, zero);
    }

    fn mask_element(&self, id: u32) -> u32 {
        let pointer = self.type_of_variable(id);
        match self.analysis.defined(self.words, pointer, Op::TypePointer) {
            Some([_, _, pointee]) => *pointee,
            _ => 0,
        }
    }

    fn type_of_variable(&self, id: u32) -> u32 {
        let variable = self.analysis.defined(self.words, id, Op::Variable);
        let ty = variable.and_then(|operands| operands.first());
        ty.copied().unwrap_or_default()
    }

    /// An access chain to the element of a sample mask.
    fn mask_access(&mut self, id: u32) -> u32 {
        let pointer_type = self.type_of_variable(id);
        let zero = self.mask_zeros.get(&id).copied().unwrap_or_default();
        let access = self.ids.next();
        push(
            &mut self.out,
            Op::AccessChain,
            &[pointer_type, access, id, zero],
        );
        access
    }

    fn load(&mut self, ty: u32, id: u32, from: u32, operands: &[u32]) {
        if let Some(Marker::Constant(place)) = self.analysis.markers.get(&from) {
            let constant = self
                .declarations
                .constants
                .get(*place)
                .copied()
                .unwrap_or_default();
            push(&mut self.out, Op::CopyObject, &[ty, id, constant]);
        } else if self.analysis.sample_masks.contains(&from) {
            let access = self.mask_access(from);
            push(&mut self.out, Op::Load, &[ty, id, access]);
        } else {
            push(&mut self.out, Op::Load, operands);
        }
    }

    fn store(&mut self, to: u32, value: u32, operands: &[u32]) {
        if self.analysis.markers.get(&to) == Some(&Marker::Demote) {
            push(&mut self.out, Op::DemoteToHelperInvocation, &[]);
        } else if self.analysis.sample_masks.contains(&to) {
            let access = self.mask_access(to);
            push(&mut self.out, Op::Store, &[access, value]);
        } else {
            push(&mut self.out, Op::Store, operands);
        }
    }
}
