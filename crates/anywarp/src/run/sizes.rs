//! How large each binding's buffer is: what `--bind` gives, what the type says, what an output needs,
//! what a swap partner has, in this order. A binding of which nothing is known is an error.

use std::collections::BTreeMap;

use super::contents::Initial;
use crate::cli::RunArgs;
use crate::error::Error;
use crate::interface::{Binding, BufferSize, Interface};
use crate::specs::{Out, Slot, Swap};

/// Sizes of all bindings, and what `--bind` gives for some.
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
        for bind in &args.bind {
            initial.insert(bind.slot, Initial::read(&bind.contents, limits)?);
        }
        let mut bytes = BTreeMap::new();
        for binding in &interface.bindings {
            let size = buffer_size(binding)?;
            let known = match initial.get(&binding.slot) {
                Some(data) => Some(given_bytes(binding, size, data)?),
                None => implied_bytes(binding.slot, size, &args.out),
            };
            bytes.extend(known.map(|known| (binding.slot, known)));
        }
        take_from_partners(&args.swap, &mut bytes);
        for binding in &interface.bindings {
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
    binding.buffer_size().ok_or_else(|| Error::NotABuffer {
        slot: binding.slot,
        name: binding.name.clone(),
        ty: binding.ty.clone(),
    })
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
    if bytes == 0 || !bytes.is_multiple_of(4) {
        return Err(Error::NotWholeWords {
            slot: binding.slot,
            bytes,
        });
    }
    Ok(bytes)
}

/// The size of a binding without `--bind`: that of its type, or what its `--out` needs.
fn implied_bytes(slot: Slot, size: BufferSize, outs: &[Out]) -> Option<u64> {
    match size {
        BufferSize::Fixed(bytes) => Some(rounded_up(bytes)),
        BufferSize::AtLeast { minimum, .. } => outs
            .iter()
            .filter(|out| out.slot == slot)
            .filter_map(|out| out.destination.bytes())
            .max()
            .map(|bytes| rounded_up(bytes.max(minimum))),
    }
}

/// To whole words; what is too large for that is over every limit anyway.
fn rounded_up(bytes: u64) -> u64 {
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

    fn slot(binding: u32) -> Slot {
        Slot { group: 0, binding }
    }

    #[test]
    fn an_output_says_how_large_a_binding_without_length_is() {
        let size = BufferSize::AtLeast {
            minimum: 16,
            stride: 16,
        };
        let out = |text: &str| vec![text.parse::<Out>().unwrap()];
        let implied = |text| implied_bytes(slot(0), size, &out(text));
        assert_eq!(implied("0:0=print:f32:3"), Some(16));
        assert_eq!(implied("0:0=print:f32:9"), Some(36));
        assert_eq!(implied("0:0=a.png:4x2:f32x4"), Some(128));
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
