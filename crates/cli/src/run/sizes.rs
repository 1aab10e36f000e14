//! Determines the size of each buffer. Sources in order of precedence: `--bind`, the type, an output, the swap
//! partner, the elements that the grid accesses. A binding for which none applies is an error.

use std::collections::BTreeMap;

use anywarp::rounded_up;

use super::contents::Initial;
use super::request::ResolvedRequest;
use crate::error::Error;
use crate::specs::{Contents, Destination, Given, Out, Slot};
use anywarp::reflection::{Binding, BindingKind, BufferSize, Interface};

/// Sizes of all buffers, and initial contents of some. A size need not be a multiple of 4 if the type's size is not,
/// as with three 16-bit numbers.
pub(super) struct Sizes {
    pub(super) initial: BTreeMap<Slot, Initial>,
    pub(super) bytes: BTreeMap<Slot, u64>,
}

impl Sizes {
    /// `reached` has the number of elements of each runtime-sized array that the grid accesses.
    pub(super) fn new(
        request: &ResolvedRequest<'_>,
        interface: &Interface,
        reached: &BTreeMap<Slot, u64>,
        limits: &wgpu::Limits,
    ) -> Result<Self, Error> {
        let mut initial = BTreeMap::new();
        let mut bytes = BTreeMap::new();
        let buffers = || {
            interface
                .bindings
                .iter()
                .filter(|binding| is_buffer(binding))
        };
        for binding in buffers() {
            let size = buffer_size(binding)?;
            let mut known = None;
            if let Some(given) = request.given(binding.slot) {
                let data =
                    Initial::read(contents(binding, given)?, binding.layout.as_deref(), limits)
                        .map_err(|error| error.about_binding(binding.slot, &binding.name))?;
                known = given_bytes(binding, size, &data)?;
                initial.insert(binding.slot, data);
            }
            let known = known.or_else(|| implied_bytes(binding, size, request, reached));
            bytes.extend(known.map(|known| (binding.slot, known)));
        }
        take_from_partners(&request.swaps, &mut bytes);
        for binding in buffers() {
            let least = initial.get(&binding.slot).map_or(0, Initial::least);
            let size = match bytes.get(&binding.slot) {
                Some(known) => *known,
                None => grid_bytes(binding, reached, least)?,
            };
            // Values of members may extend beyond the size found so far.
            bytes.insert(
                binding.slot,
                size.max(rounded_up_unless_fixed(binding, least)),
            );
        }
        Ok(Self { initial, bytes })
    }
}

/// Textures and samplers are planned elsewhere; other resources are rejected.
fn is_buffer(binding: &Binding) -> bool {
    !matches!(
        binding.kind,
        BindingKind::Texture(_) | BindingKind::Sampler { .. }
    )
}

fn buffer_size(binding: &Binding) -> Result<BufferSize, Error> {
    binding.buffer_size().ok_or_else(|| Error::Unbindable {
        slot: binding.slot,
        name: binding.name.clone(),
        ty: binding.ty.clone(),
        what: match binding.kind {
            BindingKind::Array => "arrays of bindings".to_owned(),
            _ => format!("{}s", binding.sort),
        },
    })
}

fn contents<'a>(binding: &Binding, given: &'a Given) -> Result<&'a Contents, Error> {
    match given {
        Given::Data(contents) => Ok(contents),
        Given::Texture(_) | Given::Picture(_) | Given::Sampler(_) => Err(Error::NotATexture {
            slot: binding.slot,
            name: binding.name.clone(),
            ty: binding.ty.clone(),
            given: given.to_string(),
            what: match given {
                Given::Sampler(_) => "sampler",
                Given::Picture(_) => "picture",
                _ => "texture",
            },
        }),
    }
}

/// The size that the initial contents determine.
fn given_bytes(binding: &Binding, size: BufferSize, given: &Initial) -> Result<Option<u64>, Error> {
    let Some(bytes) = given.bytes() else {
        return Ok(None);
    };
    if bytes < size.minimum() {
        return Err(Error::BindTooSmall {
            slot: binding.slot,
            name: binding.name.clone(),
            ty: binding.ty.clone(),
            given: bytes,
            needed: size.minimum(),
        });
    }
    let is_whole = bytes.is_multiple_of(4) || size == BufferSize::Fixed(bytes);
    if bytes == 0 || !is_whole {
        return Err(Error::NotWholeWords {
            slot: binding.slot,
            bytes,
        });
    }
    Ok(Some(bytes))
}

/// The size that the type or an output determines.
fn implied_bytes(
    binding: &Binding,
    size: BufferSize,
    request: &ResolvedRequest<'_>,
    reached: &BTreeMap<Slot, u64>,
) -> Option<u64> {
    let outs = request.outs_of(binding.slot);
    match size {
        BufferSize::Fixed(bytes) => Some(bytes),
        BufferSize::AtLeast { minimum, .. } => {
            let least = reached_bytes(binding, reached).unwrap_or(0).max(minimum);
            output_bytes(binding, minimum, least, outs)
        }
    }
}

/// A picture needs a buffer of exactly its size. Printed values may be a prefix of the buffer, which then has at
/// least `least` bytes, the number that the grid accesses.
fn output_bytes<'a>(
    binding: &Binding,
    minimum: u64,
    least: u64,
    outs: impl Iterator<Item = &'a Out>,
) -> Option<u64> {
    let needed = outs.filter_map(|out| {
        let bytes = needed_bytes(binding, &out.destination)?;
        Some((matches!(out.destination, Destination::Png(_)), bytes))
    });
    let (is_picture, bytes) =
        needed.reduce(|(first, most), (other, bytes)| (first || other, most.max(bytes)))?;
    let least = if is_picture { minimum } else { least };
    Some(rounded_up(bytes.max(least)))
}

/// The bytes of a buffer that an output needs, if it determines them. A count without a type counts elements.
pub(super) fn needed_bytes(binding: &Binding, destination: &Destination) -> Option<u64> {
    match (destination, &binding.layout) {
        (
            Destination::Print {
                element: None,
                count: Some(count),
            },
            Some(layout),
        ) => layout.prefix(*count),
        _ => destination.bytes(binding.element),
    }
}

/// The size of a buffer that nothing else determines: from the elements that the grid accesses, or from the values of
/// its members.
fn grid_bytes(binding: &Binding, reached: &BTreeMap<Slot, u64>, least: u64) -> Result<u64, Error> {
    let minimum = binding.buffer_size().map_or(0, BufferSize::minimum);
    match reached_bytes(binding, reached) {
        Some(bytes) => Ok(rounded_up(bytes.max(minimum))),
        _ if least > 0 => Ok(rounded_up(least.max(minimum))),
        _ => Err(Error::MissingBinding {
            slot: binding.slot,
            name: binding.name.clone(),
            ty: binding.ty.clone(),
            element: binding.element,
        }),
    }
}

fn reached_bytes(binding: &Binding, reached: &BTreeMap<Slot, u64>) -> Option<u64> {
    let (offset, _, stride) = binding.layout.as_ref()?.runtime_array()?;
    let elements = *reached.get(&binding.slot)?;
    Some(elements.saturating_mul(stride).saturating_add(offset))
}

fn rounded_up_unless_fixed(binding: &Binding, bytes: u64) -> u64 {
    match binding.buffer_size() {
        Some(BufferSize::Fixed(_)) => bytes,
        _ => rounded_up(bytes),
    }
}

/// A binding that is swapped with another has the other's size.
fn take_from_partners(swaps: &[(Slot, Slot)], bytes: &mut BTreeMap<Slot, u64>) {
    // After as many rounds as there are swaps, a size has propagated along any chain of them.
    for _ in swaps {
        for &(first, second) in swaps {
            if let Some(&known) = bytes.get(&first) {
                bytes.entry(second).or_insert(known);
            }
            if let Some(&known) = bytes.get(&second) {
                bytes.entry(first).or_insert(known);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specs::ElementType;

    fn slot(binding: u32) -> Slot {
        Slot { group: 0, binding }
    }

    #[test]
    fn an_output_says_how_large_a_binding_without_length_is() {
        let size = BufferSize::AtLeast {
            minimum: 16,
            stride: 16,
        };
        let binding = Binding {
            slot: slot(0),
            name: "data".to_owned(),
            ty: "array<vec4<f32>>".to_owned(),
            sort: "storage, read".to_owned(),
            kind: BindingKind::Storage {
                writable: false,
                size,
            },
            element: ElementType::F64,
            layout: None,
        };
        let implied = |text: &str| {
            let out: Out = text.parse().unwrap();
            output_bytes(&binding, size.minimum(), 32, [&out].into_iter())
        };
        assert_eq!(implied("0:0=print:f32:3"), Some(32));
        assert_eq!(implied("0:0=a.png:2x2:heat"), Some(32));
        assert_eq!(implied("0:0=a.png:1x2:heat"), Some(16));
        assert_eq!(implied("0:0=print:f32:9"), Some(36));
        assert_eq!(implied("0:0=a.png:4x2:f32x4"), Some(128));
        assert_eq!(implied("0:0=a.png:4x2:heat"), Some(64));
        assert_eq!(implied("0:0=print:f16:19"), Some(40));
        assert_eq!(implied("0:0=print:f32"), None);
    }

    #[test]
    fn a_swap_partner_says_it_too_along_a_chain() {
        let swaps = [(slot(2), slot(1)), (slot(1), slot(0))];
        let mut bytes = BTreeMap::from([(slot(0), 64)]);
        take_from_partners(&swaps, &mut bytes);
        assert_eq!(bytes[&slot(2)], 64);
    }
}
