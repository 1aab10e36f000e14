//! Usage analysis of images and samplers.
//!
//! In: the bodies of all functions. Out: [`ResourceUses`] of each variable, and the parameters that naga cannot pass. An
//! interprocedural data flow analysis: each function is visited once for each combination of images and samplers that
//! it is called with, and each use is traced through loads, access chains and parameters back to its variable.

use std::collections::VecDeque;

use rspirv::spirv::{ImageOperands, Op, StorageClass};

use crate::error::{ReadError, Result};
use crate::maps::{HashMap, HashSet};
use crate::module::{Function, Id, Instruction, Module};

/// The maximum number of definitions between the use of an image and its variable.
const MAX_STEPS: usize = 1000;

/// The maximum number of indices into a resource variable. It bounds the analysis of recursive functions in invalid
/// modules.
const MAX_INDICES: usize = 8;

/// The maximum number of function visits: combinations of functions and resource arguments.
const MAX_CALLS: usize = 1 << 14;

/// How a resource variable is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResourceUses {
    /// The image is sampled with a depth comparison.
    pub(crate) is_compared: bool,
    /// The image is sampled in a way that depth textures do not support.
    pub(crate) needs_color: bool,
    /// The sampler is used for depth comparisons.
    pub(crate) compares: bool,
    /// The sampler is used without a comparison.
    pub(crate) samples: bool,
    pub(crate) is_read: bool,
    pub(crate) is_written: bool,
    /// The storage image is used by atomic instructions.
    pub(crate) is_atomic: bool,
}

/// A variable and the indices into it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ResourcePath {
    variable: Id,
    indices: Vec<Id>,
}

/// The resource argument of a parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct ResourceArgument {
    image: Option<ResourcePath>,
    sampler: Option<ResourcePath>,
}

/// The result of the analysis.
#[derive(Debug, Default)]
pub(crate) struct ImageUsage {
    uses: HashMap<Id, ResourceUses>,
    /// Parameters for which functions are specialized, because naga cannot pass the arguments.
    specialized: HashSet<Id>,
    /// The image and sampler parameters of each function.
    parameters: HashMap<Id, Vec<Id>>,
}

impl ImageUsage {
    /// Analyzes a module.
    pub(crate) fn analyze(spirv: &Module<'_>) -> Result<Self> {
        let mut analysis = UsageAnalysis {
            spirv,
            functions: spirv
                .functions
                .iter()
                .map(|function| (function.id, function))
                .collect(),
            found: Self::default(),
            seen: HashSet::default(),
            open: VecDeque::new(),
            forwarded: Vec::new(),
        };
        for function in &spirv.functions {
            let mut resources = Vec::new();
            for parameter in &function.parameters {
                if is_array_parameter(spirv, parameter)? {
                    analysis.found.specialized.insert(parameter.result()?);
                }
                if is_resource(spirv, parameter.result_type()?)? {
                    resources.push(parameter.result()?);
                }
            }
            if resources.is_empty() {
                analysis.open.push_back((function.id, Vec::new()));
            } else {
                _ = analysis.found.parameters.insert(function.id, resources);
            }
        }
        let has_images =
            spirv.has(|op| matches!(op, Op::TypeImage | Op::TypeSampler | Op::TypeSampledImage));
        if !has_images && analysis.found.parameters.is_empty() {
            return Ok(analysis.found);
        }
        while let Some((function, resources)) = analysis.open.pop_front() {
            analysis.function(function, &resources)?;
        }
        Ok(analysis.propagate())
    }

    /// The image and sampler parameters of a function.
    pub(crate) fn parameters(&self, function: Id) -> &[Id] {
        self.parameters.get(&function).map_or(&[], Vec::as_slice)
    }

    /// The uses of a variable.
    pub(crate) fn uses(&self, variable: Id) -> ResourceUses {
        self.uses.get(&variable).copied().unwrap_or_default()
    }

    /// Whether functions are specialized for the variable behind this parameter.
    pub(crate) fn is_specialized(&self, parameter: Id) -> bool {
        self.specialized.contains(&parameter)
    }
}

/// Whether a type is an image, a sampler or both, or a pointer to one.
pub(crate) fn is_resource(spirv: &Module<'_>, ty: Id) -> Result<bool> {
    let ty = spirv.definition(ty)?;
    Ok(match ty.op {
        Op::TypeImage | Op::TypeSampler | Op::TypeSampledImage => true,
        Op::TypePointer => ty.word(0)? == StorageClass::UniformConstant as u32,
        _ => false,
    })
}

fn is_array_parameter(spirv: &Module<'_>, parameter: &Instruction<'_>) -> Result<bool> {
    let ty = parameter.result_type()?;
    if !is_resource(spirv, ty)? {
        return Ok(false);
    }
    let pointer = spirv.definition(ty)?;
    let pointee = match pointer.op {
        Op::TypePointer => spirv.definition(pointer.id(1)?)?,
        _ => return Ok(false),
    };
    Ok(matches!(pointee.op, Op::TypeArray | Op::TypeRuntimeArray))
}

#[derive(Clone, Copy)]
enum ResourceKind {
    Image,
    Sampler,
}

struct UsageAnalysis<'m, 'a> {
    spirv: &'m Module<'a>,
    functions: HashMap<Id, &'m Function<'a>>,
    found: ImageUsage,
    seen: HashSet<(Id, Vec<ResourceArgument>)>,
    open: VecDeque<(Id, Vec<ResourceArgument>)>,
    /// Parameters passed on as arguments, with the parameters of the callees.
    forwarded: Vec<(Id, Id)>,
}

type ResourceArguments = HashMap<Id, ResourceArgument>;

impl UsageAnalysis<'_, '_> {
    fn function(&mut self, id: Id, resources: &[ResourceArgument]) -> Result<()> {
        if !self.seen.insert((id, resources.to_vec())) {
            return Ok(());
        }
        if self.seen.len() > MAX_CALLS + self.functions.len() {
            let feature = format!("functions called with {MAX_CALLS} different images or samplers");
            return Err(ReadError::unsupported(feature));
        }
        let function = self.functions[&id];
        let mut parameters = ResourceArguments::default();
        let mut resources = resources.iter();
        for parameter in &function.parameters {
            if is_resource(self.spirv, parameter.result_type()?)? {
                let resource = resources.next().cloned().unwrap_or_default();
                parameters.insert(parameter.result()?, resource);
            }
        }
        for instruction in function.blocks.iter().flat_map(|block| block.body()) {
            self.instruction(&instruction, &parameters)
                .map_err(|error| {
                    let line = self.spirv.line(instruction.offset);
                    error
                        .at(instruction.offset, Some(instruction.op))
                        .of_line(line)
                })?;
        }
        Ok(())
    }

    fn instruction(
        &mut self,
        instruction: &Instruction<'_>,
        parameters: &ResourceArguments,
    ) -> Result<()> {
        if let Some(sampling) = sampling(instruction.op) {
            let needs_color = !sampling.compares && self.needs_color(instruction, &sampling)?;
            let image = self.uses(instruction.id(0)?, ResourceKind::Image, parameters)?;
            image.is_compared |= sampling.compares;
            image.needs_color |= needs_color;
            let sampler = self.uses(instruction.id(0)?, ResourceKind::Sampler, parameters)?;
            sampler.compares |= sampling.compares;
            sampler.samples |= !sampling.compares;
            return Ok(());
        }
        match instruction.op {
            Op::ImageRead => {
                self.uses(instruction.id(0)?, ResourceKind::Image, parameters)?
                    .is_read = true;
            }
            Op::ImageWrite => {
                self.uses(instruction.id(0)?, ResourceKind::Image, parameters)?
                    .is_written = true;
                self.require_specialization(instruction.id(0)?, parameters)?;
            }
            Op::ImageTexelPointer => {
                self.uses(instruction.id(0)?, ResourceKind::Image, parameters)?
                    .is_atomic = true;
                self.require_specialization(instruction.id(0)?, parameters)?;
            }
            Op::FunctionCall => self.call(instruction, parameters)?,
            _ => {}
        }
        Ok(())
    }

    /// Whether the image operands include a bias, gradients or a fractional level.
    fn needs_color(&self, instruction: &Instruction<'_>, sampling: &Sampling) -> Result<bool> {
        let at = sampling.operands;
        let mask = instruction.optional(at).unwrap_or(0);
        let has = |bits: ImageOperands| mask & bits.bits() != 0;
        if has(ImageOperands::BIAS) || has(ImageOperands::GRAD) {
            return Ok(true);
        }
        if !has(ImageOperands::LOD) {
            return Ok(false);
        }
        Ok(matches!(
            level(self.spirv, instruction.id(at + 1)?)?,
            LevelOfDetail::Any
        ))
    }

    fn uses(
        &mut self,
        id: Id,
        kind: ResourceKind,
        parameters: &ResourceArguments,
    ) -> Result<&mut ResourceUses> {
        let path = trace(self.spirv, id, kind, parameters)?.path;
        Ok(self.found.uses.entry(path.variable).or_default())
    }

    /// naga can write to variables only, so the parameter behind an image that is written must be specialized.
    fn require_specialization(&mut self, id: Id, parameters: &ResourceArguments) -> Result<()> {
        let traced = trace(self.spirv, id, ResourceKind::Image, parameters)?;
        self.found.specialized.extend(traced.parameter);
        Ok(())
    }

    fn call(
        &mut self,
        instruction: &Instruction<'_>,
        parameters: &ResourceArguments,
    ) -> Result<()> {
        let callee = instruction.id(0)?;
        let Some(function) = self.functions.get(&callee).copied() else {
            return Err(instruction.invalid("it calls what is no function"));
        };
        let mut resources = Vec::new();
        for (index, parameter) in function.parameters.iter().enumerate() {
            let ty = parameter.result_type()?;
            if !is_resource(self.spirv, ty)? {
                continue;
            }
            let argument = instruction.id(index + 1)?;
            let (has_image, has_sampler) = resource_kinds(self.spirv, ty)?;
            let mut resource = ResourceArgument::default();
            let required = [
                (ResourceKind::Image, has_image),
                (ResourceKind::Sampler, has_sampler),
            ];
            for (kind, _) in required.into_iter().filter(|(_, is_there)| *is_there) {
                let traced = trace(self.spirv, argument, kind, parameters)?;
                let to = parameter.result()?;
                self.forwarded
                    .extend(traced.parameter.map(|from| (from, to)));
                match kind {
                    ResourceKind::Image => resource.image = Some(traced.path),
                    ResourceKind::Sampler => resource.sampler = Some(traced.path),
                }
            }
            resources.push(resource);
        }
        if !resources.is_empty() {
            self.open.push_back((callee, resources));
        }
        Ok(())
    }

    /// Propagates specialization from parameters to the parameters passed to them.
    fn propagate(mut self) -> ImageUsage {
        let mut sources: HashMap<Id, Vec<Id>> = HashMap::default();
        for (from, to) in self.forwarded {
            sources.entry(to).or_default().push(from);
        }
        let mut open: Vec<Id> = self.found.specialized.iter().copied().collect();
        while let Some(to) = open.pop() {
            for from in sources.get(&to).into_iter().flatten() {
                if self.found.specialized.insert(*from) {
                    open.push(*from);
                }
            }
        }
        self.found
    }
}

/// Whether a type has an image, and whether it has a sampler.
pub(crate) fn resource_kinds(spirv: &Module<'_>, ty: Id) -> Result<(bool, bool)> {
    let mut ty = spirv.definition(ty)?;
    // The deepest type is a pointer to an array of images.
    for _ in 0..3 {
        ty = match ty.op {
            Op::TypePointer => spirv.definition(ty.id(1)?)?,
            Op::TypeArray | Op::TypeRuntimeArray => spirv.definition(ty.id(0)?)?,
            Op::TypeImage => return Ok((true, false)),
            Op::TypeSampler => return Ok((false, true)),
            Op::TypeSampledImage => return Ok((true, true)),
            _ => break,
        };
    }
    Err(ReadError::unsupported(
        "what is neither an image nor a sampler as a parameter",
    ))
}

struct TracedResource {
    path: ResourcePath,
    /// The parameter of the function through which the resource comes, if any.
    parameter: Option<Id>,
}

/// Traces an image, a sampler or a pointer to one back to its variable.
fn trace(
    spirv: &Module<'_>,
    id: Id,
    kind: ResourceKind,
    parameters: &ResourceArguments,
) -> Result<TracedResource> {
    let mut indices: Vec<Vec<Id>> = Vec::new();
    let mut at = id;
    for _ in 0..MAX_STEPS {
        let definition = spirv.definition(at)?;
        at = match (definition.op, kind) {
            (Op::Variable, _) => {
                let indices = indices.into_iter().rev().flatten().collect();
                let path = ResourcePath {
                    variable: at,
                    indices,
                };
                return Ok(TracedResource {
                    path,
                    parameter: None,
                });
            }
            (Op::FunctionParameter, _) => {
                let resource = parameters.get(&at);
                let path = resource.and_then(|resource| match kind {
                    ResourceKind::Image => resource.image.clone(),
                    ResourceKind::Sampler => resource.sampler.clone(),
                });
                let mut path = path.ok_or_else(|| {
                    ReadError::invalid(format!("{at} is not an image or sampler that fits"))
                })?;
                path.indices.extend(indices.into_iter().rev().flatten());
                if path.indices.len() > MAX_INDICES {
                    let message = format!("{at} is an array of arrays of arrays");
                    return Err(ReadError::invalid(message));
                }
                return Ok(TracedResource {
                    path,
                    parameter: Some(at),
                });
            }
            (Op::AccessChain | Op::InBoundsAccessChain, _) => {
                indices.push(definition.ids(1).collect());
                definition.id(0)?
            }
            (Op::SampledImage, ResourceKind::Sampler) => definition.id(1)?,
            (Op::Load | Op::CopyObject | Op::Image | Op::SampledImage, _) => definition.id(0)?,
            (op, _) => {
                let feature = format!("an image or sampler that comes from Op{op:?}");
                return Err(ReadError::unsupported(feature));
            }
        };
    }
    Err(ReadError::unsupported(
        "an image or sampler that is copied over and over",
    ))
}

/// Properties of a sampling instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sampling {
    /// Depth comparison.
    pub(crate) compares: bool,
    /// Projective coordinates: divided by their last component.
    pub(crate) projects: bool,
    pub(crate) gathers: bool,
    /// The operand index of the image operands mask.
    pub(crate) operands: usize,
}

/// The properties of a sampling instruction; `None` for other instructions.
pub(crate) fn sampling(op: Op) -> Option<Sampling> {
    let (compares, projects, gathers) = match op {
        Op::ImageSampleImplicitLod | Op::ImageSampleExplicitLod => (false, false, false),
        Op::ImageSampleDrefImplicitLod | Op::ImageSampleDrefExplicitLod => (true, false, false),
        Op::ImageSampleProjImplicitLod | Op::ImageSampleProjExplicitLod => (false, true, false),
        Op::ImageSampleProjDrefImplicitLod | Op::ImageSampleProjDrefExplicitLod => {
            (true, true, false)
        }
        Op::ImageGather => (false, false, true),
        Op::ImageDrefGather => (true, false, true),
        _ => return None,
    };
    Some(Sampling {
        compares,
        projects,
        gathers,
        operands: if compares || gathers { 3 } else { 2 },
    })
}

/// What is known about a level of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LevelOfDetail {
    Constant(i32),
    /// Converted from an integer; the conversion treats it as signed or unsigned.
    Converted {
        from: Id,
        is_signed: bool,
    },
    Any,
}

/// Analyzes a level of detail operand, which is a float.
pub(crate) fn level(spirv: &Module<'_>, id: Id) -> Result<LevelOfDetail> {
    let definition = spirv.definition(id)?;
    Ok(match definition.op {
        Op::ConstantNull => LevelOfDetail::Constant(0),
        Op::Constant if is_float32(spirv, &definition)? => {
            let value = f32::from_bits(definition.word(0)?);
            // Levels in this range that are whole numbers are exact as integers; WGSL has no higher levels.
            if (0.0..=255.0).contains(&value) && value.fract() == 0.0 {
                LevelOfDetail::Constant(value as i32)
            } else {
                LevelOfDetail::Any
            }
        }
        Op::ConvertSToF | Op::ConvertUToF => LevelOfDetail::Converted {
            from: definition.id(0)?,
            is_signed: definition.op == Op::ConvertSToF,
        },
        _ => LevelOfDetail::Any,
    })
}

fn is_float32(spirv: &Module<'_>, constant: &Instruction<'_>) -> Result<bool> {
    let ty = spirv.definition(constant.result_type()?)?;
    Ok(ty.op == Op::TypeFloat && ty.word(0)? == 32)
}
