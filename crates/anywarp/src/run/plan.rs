//! The command checked against the entry point and the device: which buffers there are, how large,
//! with what in them. Nothing runs before a [`Plan`] stands.

use std::collections::{BTreeMap, HashSet};

use crate::cli::RunArgs;
use crate::error::{Error, listing};
use crate::input;
use crate::interface::{Binding, BindingKind, BufferSize, Interface};
use crate::specs::{Contents, Out, Slot, Swap};

/// A run that the entry point and the device allow.
pub(crate) struct Plan {
    pub(crate) interface: Interface,
    pub(crate) workgroups: [u32; 3],
    /// One for each binding, in the same order.
    pub(crate) buffers: Vec<PlannedBuffer>,
    pub(crate) immediate: Vec<u8>,
    pub(crate) repeat: u64,
    /// Pairs of indices into `buffers`.
    pub(crate) swaps: Vec<(usize, usize)>,
    pub(crate) timing: Timing,
}

/// Whether each run is waited for and measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timing {
    EachRun,
    Total,
}

/// A buffer before it exists on a device.
#[derive(Debug)]
pub(crate) struct PlannedBuffer {
    pub(crate) bytes: u64,
    pub(crate) first: FirstBytes,
}

/// What a buffer holds before the first run.
#[derive(Debug)]
pub(crate) enum FirstBytes {
    Zeros,
    Data(Vec<u8>),
}

impl Plan {
    /// Checks the command; files of `--bind` are read here.
    pub(crate) fn new(
        args: &RunArgs,
        interface: Interface,
        adapter: &wgpu::Adapter,
    ) -> Result<Self, Error> {
        let limits = adapter.limits();
        check_workgroups(args, &limits, adapter)?;
        check_known(args, &interface)?;
        check_groups(args, &interface, &limits, adapter)?;
        let sizes = Sizes::new(args, &interface, &limits)?;

        let mut buffers = Vec::new();
        let mut given = sizes.given;
        for binding in &interface.bindings {
            let bytes = sizes.bytes[&binding.slot];
            check_limits(binding, bytes, &limits)?;
            let first = match given.remove(&binding.slot) {
                Some(Given::Data(data)) => FirstBytes::Data(data),
                Some(Given::Random { seed, .. }) => FirstBytes::Data(random_words(bytes, seed)),
                Some(Given::Zeros(_)) | None => FirstBytes::Zeros,
            };
            buffers.push(PlannedBuffer { bytes, first });
        }
        let plan = Self {
            workgroups: args.workgroups.0,
            immediate: immediate(args, &interface, &limits)?,
            repeat: args.repeat,
            swaps: Vec::new(),
            timing: if args.time {
                Timing::EachRun
            } else {
                Timing::Total
            },
            buffers,
            interface,
        };
        plan.check_outs(&args.out)?;
        plan.with_swaps(&args.swap)
    }

    /// The place of a slot in `buffers`, which is checked to exist.
    pub(crate) fn index(&self, slot: Slot) -> Option<usize> {
        self.interface.bindings.iter().position(|b| b.slot == slot)
    }

    fn check_outs(&self, outs: &[Out]) -> Result<(), Error> {
        for out in outs {
            let Some(index) = self.index(out.slot) else {
                continue;
            };
            let have = self.buffers[index].bytes;
            let Some(needed) = out.destination.bytes() else {
                continue;
            };
            // A picture of another size than its buffer would be sheared or cut off.
            let is_picture = out.destination.path().is_some();
            if needed > have || (is_picture && needed != have) {
                return Err(Error::OutSize {
                    slot: out.slot,
                    name: self.interface.bindings[index].name.clone(),
                    wanted: out.destination.to_string(),
                    needed,
                    have,
                });
            }
        }
        Ok(())
    }

    fn with_swaps(mut self, swaps: &[Swap]) -> Result<Self, Error> {
        for &Swap(first, second) in swaps {
            let (Some(a), Some(b)) = (self.index(first), self.index(second)) else {
                continue;
            };
            let (first_bytes, second_bytes) = (self.buffers[a].bytes, self.buffers[b].bytes);
            if first_bytes != second_bytes {
                return Err(Error::SwapSizes {
                    first,
                    second,
                    first_bytes,
                    second_bytes,
                });
            }
            self.swaps.push((a, b));
        }
        Ok(self)
    }
}

fn check_workgroups(
    args: &RunArgs,
    limits: &wgpu::Limits,
    adapter: &wgpu::Adapter,
) -> Result<(), Error> {
    let limit = limits.max_compute_workgroups_per_dimension;
    if args.workgroups.0.iter().any(|count| *count > limit) {
        return Err(Error::TooManyWorkgroups {
            given: args.workgroups,
            limit,
            device: adapter.get_info().name,
        });
    }
    Ok(())
}

/// wgpu checks this too, but names neither the binding nor the device.
fn check_groups(
    args: &RunArgs,
    interface: &Interface,
    limits: &wgpu::Limits,
    adapter: &wgpu::Adapter,
) -> Result<(), Error> {
    let limit = limits.max_bind_groups;
    match interface.bindings.iter().find(|b| b.slot.group >= limit) {
        None => Ok(()),
        Some(binding) => Err(Error::GroupOverLimit {
            slot: binding.slot,
            name: binding.name.clone(),
            file: args.file.display().to_string(),
            limit,
            device: adapter.get_info().name,
        }),
    }
}

/// Every option that names a binding names one that the entry point has.
fn check_known(args: &RunArgs, interface: &Interface) -> Result<(), Error> {
    let binds = args.bind.iter().map(|bind| ("--bind", bind.slot));
    let outs = args.out.iter().map(|out| ("--out", out.slot));
    let swaps = args.swap.iter();
    let swaps = swaps.flat_map(|swap| [("--swap", swap.0), ("--swap", swap.1)]);
    let mut bound = HashSet::new();
    for (option, slot) in binds.chain(outs).chain(swaps) {
        if !interface
            .bindings
            .iter()
            .any(|binding| binding.slot == slot)
        {
            let names = interface.bindings.iter();
            return Err(Error::UnknownBinding {
                option,
                slot,
                entry: interface.entry.clone(),
                available: listing(names.map(|b| format!("{} (`{}`)", b.slot, b.name))),
            });
        }
        if option == "--bind" && !bound.insert(slot) {
            return Err(Error::BoundTwice(slot));
        }
    }
    Ok(())
}

/// What `--bind` gives, with files read and large random data not yet made.
enum Given {
    Zeros(u64),
    Random { bytes: u64, seed: u64 },
    Data(Vec<u8>),
}

impl Given {
    fn bytes(&self) -> u64 {
        match self {
            Self::Zeros(bytes) | Self::Random { bytes, .. } => *bytes,
            Self::Data(data) => data.len() as u64,
        }
    }
}

/// How large each binding's buffer is.
struct Sizes {
    given: BTreeMap<Slot, Given>,
    bytes: BTreeMap<Slot, u64>,
}

impl Sizes {
    fn new(args: &RunArgs, interface: &Interface, limits: &wgpu::Limits) -> Result<Self, Error> {
        let mut given = BTreeMap::new();
        for bind in &args.bind {
            given.insert(bind.slot, read_contents(&bind.contents, limits)?);
        }
        let mut bytes = BTreeMap::new();
        for binding in &interface.bindings {
            let size = buffer_size(binding)?;
            let known = match given.get(&binding.slot) {
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
        Ok(Self { given, bytes })
    }
}

fn buffer_size(binding: &Binding) -> Result<BufferSize, Error> {
    binding.buffer_size().ok_or_else(|| Error::NotABuffer {
        slot: binding.slot,
        name: binding.name.clone(),
        ty: binding.ty.clone(),
    })
}

fn given_bytes(binding: &Binding, size: BufferSize, given: &Given) -> Result<u64, Error> {
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
    whole_words(|| format!("--bind {}", binding.slot), bytes)
}

fn whole_words(what: impl Fn() -> String, bytes: u64) -> Result<u64, Error> {
    if bytes == 0 || !bytes.is_multiple_of(4) {
        return Err(Error::NotWholeWords {
            what: what(),
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

fn check_limits(binding: &Binding, bytes: u64, limits: &wgpu::Limits) -> Result<(), Error> {
    let (bound, bound_name) = match binding.kind {
        BindingKind::Uniform(_) => (
            limits.max_uniform_buffer_binding_size,
            "max_uniform_buffer_binding_size",
        ),
        _ => (
            limits.max_storage_buffer_binding_size,
            "max_storage_buffer_binding_size",
        ),
    };
    for (limit, limit_name) in [
        (bound, bound_name),
        (limits.max_buffer_size, "max_buffer_size"),
    ] {
        if bytes > limit {
            return Err(Error::BufferTooLarge {
                slot: binding.slot,
                name: binding.name.clone(),
                bytes,
                limit,
                limit_name,
            });
        }
    }
    Ok(())
}

fn immediate(
    args: &RunArgs,
    interface: &Interface,
    limits: &wgpu::Limits,
) -> Result<Vec<u8>, Error> {
    let Some(variable) = &interface.immediate else {
        return match args.immediate {
            None => Ok(Vec::new()),
            Some(_) => Err(Error::NoImmediate {
                entry: interface.entry.clone(),
            }),
        };
    };
    let needed = u64::from(variable.bytes);
    let Some(contents) = &args.immediate else {
        return Ok(vec![0; needed as usize]);
    };
    let given = read_contents(contents, limits)?;
    if given.bytes() != needed {
        return Err(Error::ImmediateSize {
            name: variable.name.clone(),
            given: given.bytes(),
            needed,
        });
    }
    Ok(match given {
        Given::Zeros(_) => vec![0; needed as usize],
        Given::Random { bytes, seed } => random_words(bytes, seed),
        Given::Data(data) => data,
    })
}

fn read_contents(contents: &Contents, limits: &wgpu::Limits) -> Result<Given, Error> {
    Ok(match contents {
        Contents::Zeros { bytes } => Given::Zeros(*bytes),
        Contents::Random { bytes, seed } => Given::Random {
            bytes: *bytes,
            seed: *seed,
        },
        Contents::F32(values) => Given::Data(bytemuck::cast_slice(values).to_vec()),
        Contents::U32(values) => Given::Data(bytemuck::cast_slice(values).to_vec()),
        Contents::I32(values) => Given::Data(bytemuck::cast_slice(values).to_vec()),
        Contents::File(path) => {
            let limit = limits.max_storage_buffer_binding_size;
            Given::Data(input::read(path, limit.min(limits.max_buffer_size))?)
        }
    })
}

/// SplitMix64 (Steele, Lea, Flood 2014), the upper half of each step.
fn random_words(bytes: u64, seed: u64) -> Vec<u8> {
    let words = (bytes / 4) as usize;
    let mut data = Vec::with_capacity(words * 4);
    let mut state = seed;
    for _ in 0..words {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        data.extend(((mixed >> 32) as u32).to_le_bytes());
    }
    data
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

    #[test]
    fn random_words_depend_on_the_seed_alone() {
        assert_eq!(random_words(16, 1), random_words(16, 1));
        assert_ne!(random_words(16, 1), random_words(16, 2));
        assert_eq!(random_words(16, 1), random_words(32, 1)[..16]);
    }
}
