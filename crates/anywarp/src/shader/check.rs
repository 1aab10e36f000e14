//! Checks data against the variables of an entry point.
//!
//! In: the interface of an entry point, and data by variable. Out: for each variable the data to bind, or the first
//! error, which names the variable. What always holds of the result: every variable has data of its kind, with numbers of
//! its type and at least its size, and what the shader may write can be written.

use anywarp_texture::{Dimension, Format, Layout as TexelLayout, TextureShape};

use super::ShaderError;
use super::data::{BindingKey, Content, Data, HostBytes, RustKind, RustType, SamplerData, Texels};
use super::error::Variable;
use super::resident::SharedResources;
use super::resource::{ResourceDescriptor, is_filtering};
use crate::reflection::{
    Binding, BindingKind, BufferSize, ElementType, Interface, Layout, Shape, Slot, TextureClass,
    TextureType,
};
use crate::{Device, texture_format};

/// The data of one variable, in the order of [`Interface::bindings`].
#[derive(Debug)]
pub(super) enum Bound<'a> {
    Buffer(HostBytes<'a>),
    Zeros {
        bytes: u64,
    },
    Texture(BoundTexels<'a>),
    Sampler(Box<SamplerData>),
    /// A resource of another entry point.
    Shared(ResourceDescriptor),
}

/// Texels whose size and format are resolved.
#[derive(Debug)]
pub(super) struct BoundTexels<'a> {
    pub(super) dimension: Dimension,
    pub(super) format: Format,
    pub(super) shape: TextureShape,
    pub(super) texels: HostBytes<'a>,
}

/// The position in `interface` of the variable with a key.
pub(super) fn find(interface: &Interface, key: &BindingKey) -> Result<usize, ShaderError> {
    let mut found = (0..)
        .zip(&interface.bindings)
        .filter(|(_, binding)| key.selects(binding));
    let (entry, key) = (interface.entry.clone(), key.to_string());
    let available = available(interface);
    match (found.next(), found.next()) {
        (Some((position, _)), None) => Ok(position),
        (Some(_), Some(_)) => Err(ShaderError::AmbiguousVariable {
            entry,
            key,
            available,
        }),
        (None, _) => Err(ShaderError::UnknownVariable {
            entry,
            key,
            available,
        }),
    }
}

fn available(interface: &Interface) -> String {
    let named = |binding: &Binding| format!("`{}` at {}", binding.name, binding.slot);
    let names: Vec<String> = interface.bindings.iter().map(named).collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// The way in which the caller gets results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Results {
    /// In the data that was bound, which must therefore be mutable.
    InPlace,
    /// By reading them from the device.
    OnDevice,
}

/// Checks all data. Variables without data take what `shared` has for them.
pub(super) fn bind<'a>(
    interface: &Interface,
    results: Results,
    shared: &SharedResources,
    data: Vec<(BindingKey, Data<'a>)>,
) -> Result<Vec<Bound<'a>>, ShaderError> {
    let mut given: Vec<Option<Data<'a>>> = interface.bindings.iter().map(|_| None).collect();
    for (key, data) in data {
        let position = find(interface, &key)?;
        if given[position].replace(data).is_some() {
            let variable = Variable::of(&interface.bindings[position]);
            return Err(ShaderError::BoundTwice { variable });
        }
    }
    interface
        .bindings
        .iter()
        .zip(given)
        .map(|(binding, data)| match (data, shared.of(binding)) {
            (None, Some(resource)) => Ok(Bound::Shared(resource.descriptor())),
            (data, _) => bind_one(binding, results, data),
        })
        .collect()
}

fn bind_one<'a>(
    binding: &Binding,
    results: Results,
    data: Option<Data<'a>>,
) -> Result<Bound<'a>, ShaderError> {
    let variable = || Variable::of(binding);
    let Some(Data(content)) = data else {
        return Err(ShaderError::Unbound {
            variable: variable(),
            expected: expected(binding),
        });
    };
    match (content, binding.kind) {
        (Content::Buffer { bytes, element }, kind) if binding.buffer_size().is_some() => {
            let writable = matches!(kind, BindingKind::Storage { writable: true, .. });
            check_buffer(binding, bytes.bytes().len() as u64, &element)?;
            let is_lost = results == Results::InPlace && matches!(bytes, HostBytes::Read(_));
            if writable && is_lost {
                return Err(ShaderError::ReadOnly {
                    variable: variable(),
                });
            }
            Ok(Bound::Buffer(bytes))
        }
        (Content::Zeros { bytes }, _) if binding.buffer_size().is_some() => {
            check_size(binding, bytes, false)?;
            Ok(Bound::Zeros { bytes })
        }
        (Content::Texture(texels), BindingKind::Texture(ty)) => {
            let is_lost = results == Results::InPlace && matches!(texels.bytes, HostBytes::Read(_));
            if is_written(&ty) && is_lost {
                return Err(ShaderError::ReadOnly {
                    variable: variable(),
                });
            }
            texture(binding, ty, texels).map(Bound::Texture)
        }
        (Content::Sampler(sampler), BindingKind::Sampler { compares }) => {
            check_sampler(binding, compares, &sampler)?;
            Ok(Bound::Sampler(sampler))
        }
        (content, _) => Err(ShaderError::WrongKind {
            variable: variable(),
            expected: expected(binding),
            given: given(&content),
        }),
    }
}

fn expected(binding: &Binding) -> String {
    match binding.kind {
        BindingKind::Storage { writable: true, .. } => "a mutable slice".to_owned(),
        BindingKind::Storage { .. } | BindingKind::Uniform(_) => "a slice or a value".to_owned(),
        BindingKind::Texture(_) => "texels".to_owned(),
        BindingKind::Sampler { .. } => "a sampler".to_owned(),
        BindingKind::Array => {
            "an array of bindings, which only the adapter supports (use wgpu)".to_owned()
        }
        BindingKind::Opaque => format!("a {}, which is not supported", binding.sort),
    }
}

fn given(content: &Content<'_>) -> String {
    match content {
        Content::Buffer { element, .. } => format!("a slice of `{}`", element.name),
        Content::Zeros { .. } => "zeros".to_owned(),
        Content::Texture(_) => "texels".to_owned(),
        Content::Sampler(_) => "a sampler".to_owned(),
    }
}

fn check_buffer(binding: &Binding, bytes: u64, element: &RustType) -> Result<(), ShaderError> {
    if let Some(layout) = binding.layout.as_deref() {
        check_type(binding, layout, element)?;
    }
    check_size(binding, bytes, true)
}

/// The numbers of the slice must be those of the variable, and elements of another type must have the size of the
/// array's elements.
fn check_type(binding: &Binding, layout: &Layout, element: &RustType) -> Result<(), ShaderError> {
    if let (RustKind::Scalar(given) | RustKind::Scalars(given), Some(expected)) =
        (element.kind, scalar(layout))
        && given != expected
    {
        return Err(ShaderError::WrongType {
            variable: Variable::of(binding),
            expected,
            given: element.name,
        });
    }
    let Shape::Array {
        element: inner,
        stride,
        ..
    } = &layout.shape
    else {
        return Ok(());
    };
    // A list of numbers has no place for padding.
    let has_padding = packed_size(inner) != Some(*stride);
    let is_other_size = match element.kind {
        RustKind::Bytes => false,
        RustKind::Scalar(_) => has_padding,
        RustKind::Scalars(_) | RustKind::Other => element.size != *stride,
    };
    if is_other_size && !element.is_whole {
        return Err(ShaderError::ElementSize {
            variable: Variable::of(binding),
            element: inner.ty.clone(),
            stride: *stride,
            given: element.name,
            size: element.size,
        });
    }
    Ok(())
}

/// The bytes of all numbers in a type, without padding; `None` for runtime-sized arrays.
fn packed_size(layout: &Layout) -> Option<u64> {
    match &layout.shape {
        Shape::Scalar(element) => Some(element.bytes()),
        Shape::Vector { element, count } => Some(element.bytes() * count),
        Shape::Matrix { column, count, .. } => Some(packed_size(column)? * count),
        Shape::Array { element, count, .. } => packed_size(element)?.checked_mul((*count)?),
        Shape::Struct(members) => {
            let sizes = members.iter().map(|member| packed_size(&member.layout));
            sizes.sum()
        }
    }
}

/// The scalar type of all numbers in a type, if they have one in common.
fn scalar(layout: &Layout) -> Option<ElementType> {
    match &layout.shape {
        Shape::Scalar(element) | Shape::Vector { element, .. } => Some(*element),
        Shape::Matrix { column, .. } => scalar(column),
        Shape::Array { element, .. } => scalar(element),
        Shape::Struct(members) => {
            let mut scalars = members.iter().map(|member| scalar(&member.layout));
            let first = scalars.next()??;
            scalars.all(|other| other == Some(first)).then_some(first)
        }
    }
}

/// `is_data` if the bytes are the caller's, which must then fit exactly.
fn check_size(binding: &Binding, bytes: u64, is_data: bool) -> Result<(), ShaderError> {
    let Some(size) = binding.buffer_size() else {
        return Ok(());
    };
    if bytes < size.minimum() {
        return Err(ShaderError::TooSmall {
            variable: Variable::of(binding),
            needed: size.minimum(),
            given: bytes,
        });
    }
    match size {
        BufferSize::Fixed(needed) if is_data && bytes > needed => Err(ShaderError::WrongSize {
            variable: Variable::of(binding),
            needed,
            given: bytes,
        }),
        BufferSize::Fixed(_) => Ok(()),
        BufferSize::AtLeast { stride, .. } => {
            let array = binding.layout.as_deref().and_then(Layout::runtime_array);
            let before = array.map_or(0, |(offset, _, _)| offset);
            if is_data && !(bytes - before).is_multiple_of(stride.max(1)) {
                return Err(ShaderError::PartialElement {
                    variable: Variable::of(binding),
                    given: bytes,
                    stride,
                });
            }
            if !bytes.is_multiple_of(4) {
                return Err(ShaderError::PartialWord {
                    variable: Variable::of(binding),
                    given: bytes,
                });
            }
            Ok(())
        }
    }
}

fn texture<'a>(
    binding: &Binding,
    ty: TextureType,
    texels: Texels<'a>,
) -> Result<BoundTexels<'a>, ShaderError> {
    let wrong = |reason: String| ShaderError::Texture {
        variable: Variable::of(binding),
        reason,
    };
    if let Some(format) = texels.unknown_format {
        return Err(wrong(format!(
            "no shader reads texels of format {format:?}"
        )));
    }
    if ty.is_multisampled() {
        return Err(wrong("a multisampled texture takes no texels".to_owned()));
    }
    let size = texels.size.as_slice();
    let shape = ty.shape(size).filter(|_| !size.contains(&0));
    let shape = shape.ok_or_else(|| {
        let form = ty.size_form();
        wrong(format!("takes a size as {form}, not {size:?}"))
    })?;
    let format = texels.format.unwrap_or_else(|| ty.default_format());
    ty.check(format).map_err(wrong)?;
    check_texel_type(&texels, &ty, format).map_err(wrong)?;
    let needed = texel_bytes(format, shape);
    let have = texels.bytes.bytes().len() as u64;
    if needed != Some(have) {
        let needed = needed.map_or_else(|| "too many".to_owned(), |needed| needed.to_string());
        let name = format.name();
        return Err(wrong(format!(
            "{size:?} texels of {name} have {needed} bytes, but {have} are given"
        )));
    }
    if !texture_format::is_uploaded(format) {
        let name = format.name();
        return Err(wrong(format!("texels cannot be copied to {name}")));
    }
    Ok(BoundTexels {
        dimension: ty.dimension,
        format,
        shape,
        texels: texels.bytes,
    })
}

/// The numbers of the slice must be the channels of the format. Bytes and types of the caller are taken as they are.
fn check_texel_type(texels: &Texels<'_>, ty: &TextureType, format: Format) -> Result<(), String> {
    let (RustKind::Scalar(given) | RustKind::Scalars(given)) = texels.element.kind else {
        return Ok(());
    };
    let (name, rust) = (format.name(), texels.element.name);
    let is_declared = matches!(ty.class, TextureClass::Storage { .. });
    if texels.format.is_none() && !is_declared {
        return Err(format!(
            "texels are given as `{rust}`, so their format must be given too, as `Texels::format`"
        ));
    }
    match channel(format) {
        Some(channel) if channel == given => Ok(()),
        // A texel of four bytes as one word.
        _ if given == ElementType::U32 && format.bytes() == 4 => Ok(()),
        Some(channel) => Err(format!(
            "channels of {name} are {channel}, but the slice holds `{rust}`"
        )),
        None => Err(format!(
            "texels of {name} are bytes, but the slice holds `{rust}`"
        )),
    }
}

/// The type of a channel in memory; `None` for channels of 8 bits and packed ones.
fn channel(format: Format) -> Option<ElementType> {
    let name = format.name();
    let has = |text: &str| name.contains(text);
    if has("32float") && !has("depth") {
        Some(ElementType::F32)
    } else if has("32uint") {
        Some(ElementType::U32)
    } else if has("32sint") {
        Some(ElementType::I32)
    } else if has("64uint") {
        Some(ElementType::U64)
    } else if has("16float") {
        Some(ElementType::F16)
    } else if has("16uint") || has("16unorm") {
        Some(ElementType::U16)
    } else if has("16sint") || has("16snorm") {
        Some(ElementType::I16)
    } else {
        None
    }
}

/// Whether the shader may store texels.
fn is_written(ty: &TextureType) -> bool {
    use anywarp_program::BindingAccess;
    matches!(ty.class, TextureClass::Storage { access, .. } if access != BindingAccess::Read)
}

/// The bytes of all texels of a texture; `None` if they do not fit in 64 bits.
pub(super) fn texel_bytes(format: Format, shape: TextureShape) -> Option<u64> {
    let layout = TexelLayout::new(format, shape)?;
    let levels = layout.planes().iter().flat_map(|plane| &plane.levels);
    let bytes = levels.map(|level| {
        let slices = u64::from(level.extent.z) * u64::from(shape.layers);
        level.slice * slices
    });
    Some(bytes.sum())
}

fn check_sampler(
    binding: &Binding,
    compares: bool,
    sampler: &SamplerData,
) -> Result<(), ShaderError> {
    let wrong = |expected: &str, given: &str| {
        Err(ShaderError::WrongKind {
            variable: Variable::of(binding),
            expected: expected.to_owned(),
            given: given.to_owned(),
        })
    };
    match (compares, sampler.compare) {
        (true, None) => wrong("a sampler with a comparison", "one without"),
        (false, Some(_)) => wrong("a sampler without a comparison", "one with"),
        _ => Ok(()),
    }
}

/// Checks sizes of buffers against the limits of a device.
pub(super) fn check_limits(
    interface: &Interface,
    bound: &[Bound<'_>],
    limits: &wgpu::Limits,
    device: &str,
) -> Result<(), ShaderError> {
    for (binding, bound) in interface.bindings.iter().zip(bound) {
        let given = match bound {
            Bound::Buffer(bytes) => bytes.bytes().len() as u64,
            Bound::Zeros { bytes } => *bytes,
            Bound::Texture(_) | Bound::Sampler(_) | Bound::Shared(_) => continue,
        };
        let of_binding = match binding.kind {
            BindingKind::Uniform(_) => (
                limits.max_uniform_buffer_binding_size,
                "max_uniform_buffer_binding_size",
            ),
            _ => (
                limits.max_storage_buffer_binding_size,
                "max_storage_buffer_binding_size",
            ),
        };
        for (limit, limit_name) in [of_binding, (limits.max_buffer_size, "max_buffer_size")] {
            if given > limit {
                return Err(ShaderError::TooLarge {
                    variable: Variable::of(binding),
                    given,
                    limit,
                    limit_name,
                    device: device.to_owned(),
                });
            }
        }
    }
    Ok(())
}

/// Checks a grid against the limit of a device.
pub(super) fn check_workgroups(
    given: [u32; 3],
    limits: &wgpu::Limits,
    device: &str,
) -> Result<(), ShaderError> {
    let limit = limits.max_compute_workgroups_per_dimension;
    if given.iter().any(|count| *count > limit) {
        return Err(ShaderError::TooManyWorkgroups {
            given,
            limit,
            device: device.to_owned(),
        });
    }
    Ok(())
}

/// Whether a dispatch needs textures or samplers, which only devices have.
#[cfg(feature = "cpu")]
pub(super) fn needs_textures(interface: &Interface) -> bool {
    let is_texture = |binding: &Binding| {
        matches!(
            binding.kind,
            BindingKind::Texture(_) | BindingKind::Sampler { .. }
        )
    };
    interface.bindings.iter().any(is_texture)
}

/// A sampler with which the texture at a slot is filtered, if there is one; `filters` says which samplers filter.
pub(super) fn filtering_sampler(
    interface: &Interface,
    texture: Slot,
    filters: impl Fn(&Slot) -> bool,
) -> Option<Slot> {
    let samplers = interface
        .sampling
        .iter()
        .filter(|(image, _)| *image == texture)
        .map(|(_, sampler)| *sampler);
    samplers.into_iter().find(filters)
}

/// Checks that a device can filter the texture of a variable, if it is sampled with a sampler that filters.
pub(super) fn check_filtering(
    interface: &Interface,
    bounds: &[Bound<'_>],
    binding: &Binding,
    device: &Device,
) -> Result<(), ShaderError> {
    let at = |slot: &Slot| {
        let mut all = interface.bindings.iter().zip(bounds);
        all.find(|(binding, _)| binding.slot == *slot)
    };
    let is_sampled = |ty: TextureType| matches!(ty.class, TextureClass::Sampled { .. });
    let Some((_, Bound::Texture(texels))) = at(&binding.slot) else {
        return Ok(());
    };
    // Comparisons are filtered in every depth format.
    if !binding.texture().is_some_and(is_sampled) {
        return Ok(());
    }
    let filters = |slot: &Slot| matches!(at(slot), Some((_, Bound::Sampler(sampler))) if is_filtering(sampler));
    let sampler = filtering_sampler(interface, binding.slot, filters);
    let Some((sampler, _)) = sampler.as_ref().and_then(at) else {
        return Ok(());
    };
    let can_filter = match device.adapter() {
        Some(adapter) => texture_format::is_filterable(adapter, texels.format),
        None => texture_format::is_filterable_with(device.features(), texels.format),
    };
    if can_filter {
        return Ok(());
    }
    let (format, device) = (texels.format.name(), device.name());
    let sampler = Variable::of(sampler);
    Err(ShaderError::Texture {
        variable: Variable::of(binding),
        reason: format!("device `{device}` cannot filter {format}, and sampler {sampler} filters"),
    })
}

/// Checks that a device has a texture's format and samples textures.
pub(super) fn check_texture_support(
    binding: &Binding,
    bound: &Bound<'_>,
    device: &Device,
) -> Result<(), ShaderError> {
    let variable = || Variable::of(binding);
    match (bound, binding.texture()) {
        (Bound::Sampler(_), _) if device.adapter().is_some_and(crate::is_cpu) => {
            Err(ShaderError::Unsupported {
                variable: variable(),
                what: "sampling textures",
            })
        }
        (Bound::Texture(texels), Some(ty)) => {
            let checked = match device.adapter() {
                Some(adapter) => texture_format::check_format(adapter, &ty, texels.format, 1),
                None => texture_format::check_guaranteed(device.features(), &ty, texels.format),
            };
            checked.map_err(|what| ShaderError::Texture {
                variable: variable(),
                reason: format!("device `{}` has no {what}", device.name()),
            })
        }
        _ => Ok(()),
    }
}
