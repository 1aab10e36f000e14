//! How large each binding's buffer is: what `--bind` gives, what the type says, what an output needs,
//! what a swap partner has, in this order. A binding of which nothing is known is an error.

use std::collections::BTreeMap;

use super::contents::Initial;
use crate::cli::RunArgs;
use crate::error::Error;
use crate::interface::{Binding, BindingKind, BufferSize, Interface};
use crate::specs::{Contents, Given, Out, Slot, Swap};

/// Sizes of all buffers, and what `--bind` gives for some. Sizes may be no whole words where a type has
/// such a size, as three numbers of 16 bits.
pub(super) struct Sizes {
    pub(super) initial: BTreeMap<Slot, Initial>,
    pub(super) bytes: BTreeMap<Slot, u64>,
}

impl Sizes {
    pub(super) fn new(
        args: &RunArgs,
        interface: &Interface,
        limits: &wgpu::Limits,
    ) -> Result<Self, Error> {
        let mut initial = BTreeMap::new();
        let mut bytes = BTreeMap::new();
        let buffers = || {
            let all = interface.bindings.iter();
            all.filter(|binding| binding.texture().is_none())
        };
        for binding in buffers() {
            let size = buffer_size(binding)?;
            let given = args.bind.iter().find(|bind| bind.slot == binding.slot);
            let known = match given.map(|bind| &bind.given) {
                Some(given) => {
                    let data = Initial::read(contents(binding, given)?, limits)?;
                    let known = given_bytes(binding, size, &data)?;
                    initial.insert(binding.slot, data);
                    Some(known)
                }
                None => implied_bytes(binding, size, &args.out),
            };
            bytes.extend(known.map(|known| (binding.slot, known)));
        }
        take_from_partners(&args.swap, &mut bytes);
        for binding in buffers() {
            if !bytes.contains_key(&binding.slot) {
                return Err(Error::MissingBinding {
                    slot: binding.slot,
                    name: binding.name.clone(),
                    ty: binding.ty.clone(),
                });
            }
        }
        Ok(Self { initial, bytes })
    }
}

fn buffer_size(binding: &Binding) -> Result<BufferSize, Error> {
    binding.buffer_size().ok_or_else(|| Error::Unbindable {
        slot: binding.slot,
        name: binding.name.clone(),
        ty: binding.ty.clone(),
        what: match binding.kind {
            BindingKind::Array => "an array of bindings".to_owned(),
            _ => format!("of the sort {}", binding.sort),
        },
    })
}

fn contents<'a>(binding: &Binding, given: &'a Given) -> Result<&'a Contents, Error> {
    match given {
        Given::Data(contents) => Ok(contents),
        Given::Texture(_) | Given::Picture(_) => Err(Error::NotATexture {
            slot: binding.slot,
            name: binding.name.clone(),
            ty: binding.ty.clone(),
            given: given.to_string(),
        }),
    }
}

fn given_bytes(binding: &Binding, size: BufferSize, given: &Initial) -> Result<u64, Error> {
    let bytes = given.bytes();
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
    Ok(bytes)
}

/// The size of a binding without `--bind`: that of its type, or what its `--out` needs.
fn implied_bytes(binding: &Binding, size: BufferSize, outs: &[Out]) -> Option<u64> {
    match size {
        BufferSize::Fixed(bytes) => Some(bytes),
        BufferSize::AtLeast { minimum, .. } => outs
            .iter()
            .filter(|out| out.slot == binding.slot)
            .filter_map(|out| out.destination.bytes(binding.element))
            .max()
            .map(|bytes| rounded_up(bytes.max(minimum))),
    }
}

/// To whole words, as buffers are; what is too large for that is over every limit anyway.
pub(super) fn rounded_up(bytes: u64) -> u64 {
    bytes.checked_next_multiple_of(4).unwrap_or(u64::MAX)
}

/// A binding that is swapped with another has the other's size.
fn take_from_partners(swaps: &[Swap], bytes: &mut BTreeMap<Slot, u64>) {
    // As many rounds as there are swaps carry a size along any chain of them.
    for _ in swaps {
        for &Swap(first, second) in swaps {
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
        };
        let out = |text: &str| vec![text.parse::<Out>().unwrap()];
        let implied = |text| implied_bytes(&binding, size, &out(text));
        assert_eq!(implied("0:0=print:f32:3"), Some(16));
        assert_eq!(implied("0:0=print:f32:9"), Some(36));
        assert_eq!(implied("0:0=a.png:4x2:f32x4"), Some(128));
        assert_eq!(implied("0:0=a.png:4x2:heat"), Some(64));
        assert_eq!(implied("0:0=print:f16:9"), Some(20));
        assert_eq!(implied("0:0=print:f32"), None);
        assert_eq!(implied("0:1=print:f32:9"), None);
    }

    #[test]
    fn a_swap_partner_says_it_too_along_a_chain() {
        let swaps = [Swap(slot(2), slot(1)), Swap(slot(1), slot(0))];
        let mut bytes = BTreeMap::from([(slot(0), 64)]);
        take_from_partners(&swaps, &mut bytes);
        assert_eq!(bytes[&slot(2)], 64);
    }
}
