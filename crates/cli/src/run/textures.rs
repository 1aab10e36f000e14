//! Determines the texture of each texture binding. Sources in order of precedence: `--bind`, a picture of `--out`,
//! the swap partner, the common size of all other textures of its dimension. Pictures and files of texels are read
//! here.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

use anywarp::TextureDescriptor;
use anywarp_texture::{Dimension, Extent, Format, TextureShape};

use super::request::ResolvedRequest;
use crate::error::Error;
use crate::input;
use crate::specs::{Destination, Given, PictureSpec, Slot, Texels, TextureSpec};
use crate::texture::{self, TextureType, check_format};
use anywarp::reflection::{Binding, Interface};

/// A texture that is not yet created.
#[derive(Debug, PartialEq)]
pub(super) struct PlannedTexture {
    pub(super) descriptor: TextureDescriptor,
    pub(super) initial: InitialTexels,
}

/// Initial texels, with files already read.
#[derive(Debug, PartialEq)]
pub(super) enum InitialTexels {
    Zeros,
    Random { seed: u64 },
    Fill([f64; 4]),
    Data(Vec<u8>),
}

impl PlannedTexture {
    /// Whether a texture can replace another in a binding.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.descriptor == other.descriptor
    }

    /// Size, format, and the numbers of levels and samples if above one.
    pub(super) fn text(&self) -> String {
        self.descriptor.text()
    }

    /// The bytes of its texels, including all samples.
    pub(super) fn bytes(&self) -> u64 {
        self.descriptor.bytes()
    }
}

/// The textures of all texture bindings.
pub(super) fn textures(
    request: &ResolvedRequest<'_>,
    interface: &Interface,
    adapter: &wgpu::Adapter,
) -> Result<BTreeMap<Slot, PlannedTexture>, Error> {
    let bindings = || {
        interface
            .bindings
            .iter()
            .filter_map(|binding| binding.texture().map(|ty| (binding, ty)))
    };
    let mut known = BTreeMap::new();
    for (binding, ty) in bindings() {
        let texture = match request.given(binding.slot) {
            Some(given) => Some(bound(binding, &ty, given, adapter)?),
            None => of_output(request, binding, &ty),
        };
        known.extend(texture.map(|texture| (binding.slot, texture)));
    }
    let slots = bindings().map(|(binding, _)| binding.slot);
    take_from_partners(&request.swaps, &slots.collect::<Vec<_>>(), &mut known);
    let others = known
        .values()
        .map(|texture| (texture.descriptor.dimension, texture.descriptor.shape));
    let others: Vec<_> = others.collect();
    for (binding, ty) in bindings() {
        if let Entry::Vacant(entry) = known.entry(binding.slot) {
            let texture = of_others(&ty, &others);
            entry.insert(texture.ok_or_else(|| missing(binding, &ty))?);
        }
    }
    for (binding, ty) in bindings() {
        check(binding, &ty, &known[&binding.slot], adapter)?;
    }
    Ok(known)
}

/// An error about a texture binding.
pub(super) fn wrong(binding: &Binding, reason: impl Into<String>) -> Error {
    Error::Texture {
        slot: binding.slot,
        name: binding.name.clone(),
        ty: binding.ty.clone(),
        reason: reason.into(),
    }
}

fn missing(binding: &Binding, ty: &TextureType) -> Error {
    let slot = binding.slot;
    let picture = match ty.dimension {
        Dimension::D2 if !ty.is_multisampled() => format!(" or --bind {slot}=FILE.png"),
        _ => String::new(),
    };
    let form = ty.size_form();
    Error::NoTextureSize {
        slot,
        name: binding.name.clone(),
        ty: binding.ty.clone(),
        expected: format!("--bind {slot}=texture:{form}{picture}"),
    }
}

fn bound(
    binding: &Binding,
    ty: &TextureType,
    given: &Given,
    adapter: &wgpu::Adapter,
) -> Result<PlannedTexture, Error> {
    match given {
        Given::Texture(spec) => of_spec(binding, ty, spec, adapter),
        Given::Picture(picture) => of_picture(binding, ty, picture, adapter),
        Given::Data(_) | Given::Sampler(_) => {
            let form = ty.size_form();
            let reason = format!("{given} is not a texture: give texture:SIZE, {form}");
            Err(wrong(binding, reason))
        }
    }
}

fn planned(ty: &TextureType, format: Format, shape: TextureShape) -> PlannedTexture {
    PlannedTexture {
        descriptor: TextureDescriptor {
            dimension: ty.dimension,
            format,
            shape,
        },
        initial: InitialTexels::Zeros,
    }
}

fn of_spec(
    binding: &Binding,
    ty: &TextureType,
    spec: &TextureSpec,
    adapter: &wgpu::Adapter,
) -> Result<PlannedTexture, Error> {
    let shape = ty.shape(&spec.size.0).ok_or_else(|| {
        let form = ty.size_form();
        wrong(
            binding,
            format!("takes a size as {form}, not {}", spec.size),
        )
    })?;
    let format = spec.format.unwrap_or_else(|| ty.default_format());
    let samples = match (ty.is_multisampled(), spec.samples) {
        (false, None | Some(1)) => 1,
        (false, Some(_)) => return Err(wrong(binding, "has one sample per texel")),
        (true, Some(1)) => return Err(wrong(binding, "has several samples per texel")),
        // The only multisample count that every device supports.
        (true, samples) => samples.unwrap_or(4),
    };
    let shape = TextureShape {
        levels: spec.levels,
        samples,
        ..shape
    };
    let longest = shape.extent.x.max(shape.extent.y).max(shape.extent.z);
    let most = if ty.dimension == Dimension::D1 {
        1
    } else {
        longest.ilog2() + 1
    };
    if spec.levels > most || (samples > 1 && spec.levels > 1) {
        let reason = format!(
            "a texture of {} has at most {} levels, not {}",
            spec.size,
            if samples > 1 { 1 } else { most },
            spec.levels
        );
        return Err(wrong(binding, reason));
    }
    let mut texture = planned(ty, format, shape);
    // Checked before a file is read or memory is filled.
    check(binding, ty, &texture, adapter)?;
    texture.initial = initial(binding, &texture, &spec.texels)?;
    Ok(texture)
}

fn initial(
    binding: &Binding,
    texture: &PlannedTexture,
    texels: &Texels,
) -> Result<InitialTexels, Error> {
    let name = texture.descriptor.format.name();
    let is_uploaded =
        texture.descriptor.shape.samples == 1 && texture::is_uploaded(texture.descriptor.format);
    let data = match texels {
        Texels::Zeros => return Ok(InitialTexels::Zeros),
        Texels::Fill(channels) => {
            let mut all = [0.0; 4];
            all[..channels.len()].copy_from_slice(channels);
            return Ok(InitialTexels::Fill(all));
        }
        _ if !is_uploaded => {
            let reason = match texture.descriptor.shape.samples {
                1 => format!("texels cannot be copied to {name}; it takes zeros and fill:VALUE"),
                _ => "takes zeros and fill:VALUE, because it has several samples".to_owned(),
            };
            return Err(wrong(binding, reason));
        }
        Texels::Random { seed } => return Ok(InitialTexels::Random { seed: *seed }),
        Texels::Values(numbers) => numbers.bytes.clone(),
        Texels::File(path) => read(binding, path, texture.bytes())?,
    };
    if data.len() as u64 != texture.bytes() {
        let (given, needed) = (data.len(), texture.bytes());
        let reason = format!(
            "{given} bytes of texels are given, but {} has {needed}",
            texture.text()
        );
        return Err(wrong(binding, reason));
    }
    Ok(InitialTexels::Data(data))
}

fn read(binding: &Binding, path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    input::read(path, limit).map_err(|error| wrong(binding, error.to_string()))
}

fn of_picture(
    binding: &Binding,
    ty: &TextureType,
    spec: &PictureSpec,
    adapter: &wgpu::Adapter,
) -> Result<PlannedTexture, Error> {
    /// No PNG of a texture's size is larger.
    const LIMIT: u64 = 1 << 30;
    let file = spec.path.display();
    if ty.dimension != Dimension::D2 || ty.is_multisampled() {
        return Err(wrong(
            binding,
            format!("{file} has two dimensions and one sample per pixel, unlike the texture"),
        ));
    }
    let format = spec.format.unwrap_or_else(|| ty.default_format());
    ty.check(format).map_err(|reason| wrong(binding, reason))?;
    if !texture::is_uploaded(format) || matches!(format, Format::R64Uint | Format::Stencil8) {
        return Err(wrong(
            binding,
            format!("a picture cannot be a {} texture", format.name()),
        ));
    }
    let bytes = read(binding, &spec.path, LIMIT)?;
    let unread = |reason: String| wrong(binding, format!("cannot read {file}: {reason}"));
    let picture = texture::decode_png(&bytes, format).map_err(unread)?;
    let (width, height) = (picture.width, picture.height);
    if let Some([wanted_width, wanted_height]) = spec.size
        && [width, height] != [wanted_width, wanted_height]
    {
        let reason = format!("{file} is {width}x{height}, not {wanted_width}x{wanted_height}");
        return Err(wrong(binding, reason));
    }
    let mut texture = planned(ty, format, TextureShape::new_2d(width, height));
    check(binding, ty, &texture, adapter)?;
    texture.initial = InitialTexels::Data(picture.texels);
    Ok(texture)
}

/// The texture of a binding without `--bind` that is written as a picture with a size.
fn of_output(
    request: &ResolvedRequest<'_>,
    binding: &Binding,
    ty: &TextureType,
) -> Option<PlannedTexture> {
    let outs = request.outs_of(binding.slot);
    let mut sizes = outs.filter_map(|out| match &out.destination {
        Destination::Png(picture) => picture.size,
        _ => None,
    });
    let [width, height] = sizes.next()?;
    let is_picture = ty.dimension == Dimension::D2 && !ty.is_multisampled();
    is_picture.then(|| planned(ty, ty.default_format(), TextureShape::new_2d(width, height)))
}

/// A texture that is swapped with another has the other's size and format.
fn take_from_partners(
    swaps: &[(Slot, Slot)],
    textures: &[Slot],
    known: &mut BTreeMap<Slot, PlannedTexture>,
) {
    let zeros = |texture: &PlannedTexture| PlannedTexture {
        descriptor: texture.descriptor,
        initial: InitialTexels::Zeros,
    };
    // After as many rounds as there are swaps, a texture has propagated along any chain of them.
    for _ in swaps {
        for &(first, second) in swaps {
            for (from, to) in [(first, second), (second, first)] {
                if textures.contains(&to)
                    && !known.contains_key(&to)
                    && let Some(texture) = known.get(&from).map(zeros)
                {
                    known.insert(to, texture);
                }
            }
        }
    }
}

/// A texture with the size of all others of its dimension, if they have a common size.
fn of_others(ty: &TextureType, others: &[(Dimension, TextureShape)]) -> Option<PlannedTexture> {
    // Only the size is adopted.
    let plain = |shape: &TextureShape| TextureShape {
        levels: 1,
        samples: 1,
        ..*shape
    };
    let mut shapes = others
        .iter()
        .filter(|(dimension, _)| *dimension == ty.dimension)
        .map(|(_, shape)| plain(shape));
    let first = shapes.next()?;
    let is_one = !ty.is_multisampled() && shapes.all(|shape| shape == first);
    is_one.then(|| planned(ty, ty.default_format(), first))
}

/// Checks that the binding accepts the texture and the device supports it.
fn check(
    binding: &Binding,
    ty: &TextureType,
    texture: &PlannedTexture,
    adapter: &wgpu::Adapter,
) -> Result<(), Error> {
    let format = texture.descriptor.format;
    ty.check(format).map_err(|reason| wrong(binding, reason))?;
    let is_multisampled = texture.descriptor.shape.samples > 1;
    if texture.descriptor.dimension != ty.dimension || is_multisampled != ty.is_multisampled() {
        let text = texture.text();
        let reason = format!("does not take the texture of its swap partner, {text}");
        return Err(wrong(binding, reason));
    }
    let limits = adapter.limits();
    let Extent { x, y, z } = texture.descriptor.shape.extent;
    let side = match texture.descriptor.dimension {
        Dimension::D1 => (limits.max_texture_dimension_1d, "max_texture_dimension_1d"),
        Dimension::D3 => (limits.max_texture_dimension_3d, "max_texture_dimension_3d"),
        _ => (limits.max_texture_dimension_2d, "max_texture_dimension_2d"),
    };
    let layers = (limits.max_texture_array_layers, "max_texture_array_layers");
    let device = || adapter.get_info().name;
    for (size, (limit, name)) in [
        (x.max(y).max(z), side),
        (texture.descriptor.shape.layers, layers),
    ] {
        if size > limit {
            let (text, device) = (texture.text(), device());
            let reason =
                format!("{text} is over the limit of {limit} of device `{device}` ({name})");
            return Err(wrong(binding, reason));
        }
    }
    if texture.bytes() > limits.max_buffer_size {
        let (text, device) = (texture.text(), device());
        let reason = format!("{text} is larger than the largest buffer of device `{device}`");
        return Err(wrong(binding, reason));
    }
    check_format(adapter, ty, format, texture.descriptor.shape.samples).map_err(|what| {
        Error::NoSuchTexture {
            slot: binding.slot,
            name: binding.name.clone(),
            device: device(),
            what,
        }
    })
}
