//! The command checked against the entry point and the device: which buffers and textures there are, how
//! large, with what in them. Nothing runs before a [`Plan`] stands.

use std::collections::HashSet;

use super::contents::Initial;
use super::sizes::Sizes;
use super::texture_out::check_texture_out;
use super::textures::{PlannedTexture, textures};
use crate::cli::RunArgs;
use crate::error::{Error, listing};
use crate::interface::{Binding, BindingKind, Interface};
use crate::specs::{Destination, Out, Slot, Swap};

/// A run that the entry point and the device allow.
pub(super) struct Plan {
    pub(super) interface: Interface,
    pub(super) workgroups: [u32; 3],
    /// One for each binding, in the same order.
    pub(super) resources: Vec<Planned>,
    pub(super) immediate: Vec<u8>,
    pub(super) repeat: u64,
    /// Pairs of indices into `resources`.
    pub(super) swaps: Vec<(usize, usize)>,
    pub(super) timing: Timing,
}

/// Whether each run is waited for and measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timing {
    EachRun,
    Total,
}

/// What is bound, before it exists on a device.
#[derive(Debug)]
pub(super) enum Planned {
    Buffer(PlannedBuffer),
    Texture(PlannedTexture),
}

/// A buffer before it exists on a device.
#[derive(Debug)]
pub(super) struct PlannedBuffer {
    /// What is meant; the buffer itself has whole words.
    pub(super) bytes: u64,
    pub(super) initial: Initial,
}

impl Plan {
    /// Checks the command; files of `--bind` are read here.
    pub(super) fn new(
        args: &RunArgs,
        interface: Interface,
        adapter: &wgpu::Adapter,
    ) -> Result<Self, Error> {
        let limits = adapter.limits();
        check_workgroups(args, &limits, adapter)?;
        check_known(args, &interface)?;
        check_groups(args, &interface, &limits, adapter)?;
        let sizes = Sizes::new(args, &interface, &limits)?;
        let mut textures = textures(args, &interface, adapter)?;

        let mut resources = Vec::new();
        let mut given = sizes.initial;
        for binding in &interface.bindings {
            if let Some(texture) = textures.remove(&binding.slot) {
                resources.push(Planned::Texture(texture));
                continue;
            }
            let bytes = sizes.bytes[&binding.slot];
            check_limits(binding, bytes, &limits)?;
            let zeros = Initial::Zeros { bytes };
            let initial = given.remove(&binding.slot).unwrap_or(zeros);
            resources.push(Planned::Buffer(PlannedBuffer { bytes, initial }));
        }
        let plan = Self {
            workgroups: args.workgroups.unwrap_or_default().0,
            immediate: immediate(args, &interface, &limits)?,
            repeat: args.repeat,
            swaps: Vec::new(),
            timing: if args.time {
                Timing::EachRun
            } else {
                Timing::Total
            },
            resources,
            interface,
        };
        plan.check_outs(&args.out)?;
        plan.with_swaps(&args.swap)
    }

    /// The place of a slot in `resources`, which is checked to exist.
    pub(super) fn index(&self, slot: Slot) -> Option<usize> {
        self.interface.bindings.iter().position(|b| b.slot == slot)
    }

    fn check_outs(&self, outs: &[Out]) -> Result<(), Error> {
        for out in outs {
            let Some(index) = self.index(out.slot) else {
                continue;
            };
            let binding = &self.interface.bindings[index];
            match &self.resources[index] {
                Planned::Buffer(buffer) => check_buffer_out(out, binding, buffer.bytes)?,
                Planned::Texture(texture) => check_texture_out(out, binding, texture)?,
            }
        }
        Ok(())
    }

    fn with_swaps(mut self, swaps: &[Swap]) -> Result<Self, Error> {
        for &Swap(first, second) in swaps {
            let (Some(a), Some(b)) = (self.index(first), self.index(second)) else {
                continue;
            };
            check_swap(first, second, &self.resources[a], &self.resources[b])?;
            self.swaps.push((a, b));
        }
        Ok(self)
    }
}

fn check_buffer_out(out: &Out, binding: &Binding, have: u64) -> Result<(), Error> {
    if let Destination::Png(picture) = &out.destination
        && picture.of_buffer().is_none()
    {
        return Err(Error::BufferPicture {
            slot: out.slot,
            wanted: out.destination.to_string(),
        });
    }
    let Some(needed) = out.destination.bytes(binding.element) else {
        return Ok(());
    };
    // A picture of another size than its buffer would be sheared or cut off.
    let is_picture = out.destination.path().is_some();
    if needed > have || (is_picture && needed != have) {
        return Err(Error::OutSize {
            slot: out.slot,
            name: binding.name.clone(),
            wanted: out.destination.to_string(),
            needed,
            have,
        });
    }
    Ok(())
}

fn check_swap(first: Slot, second: Slot, a: &Planned, b: &Planned) -> Result<(), Error> {
    let kinds = |reason: String| Error::SwapKinds {
        first,
        second,
        reason,
    };
    match (a, b) {
        (Planned::Buffer(a), Planned::Buffer(b)) if a.bytes == b.bytes => Ok(()),
        (Planned::Buffer(a), Planned::Buffer(b)) => Err(Error::SwapSizes {
            first,
            second,
            first_bytes: a.bytes,
            second_bytes: b.bytes,
        }),
        (Planned::Texture(a), Planned::Texture(b)) if a.is_like(b) => Ok(()),
        (Planned::Texture(a), Planned::Texture(b)) => {
            let (a, b) = (a.text(), b.text());
            let rule = "swapped textures need equal sizes and formats";
            Err(kinds(format!("one is {a}, the other {b}; {rule}")))
        }
        _ => Err(kinds("one is a buffer, the other a texture".to_owned())),
    }
}

fn check_workgroups(
    args: &RunArgs,
    limits: &wgpu::Limits,
    adapter: &wgpu::Adapter,
) -> Result<(), Error> {
    let limit = limits.max_compute_workgroups_per_dimension;
    let given = args.workgroups.unwrap_or_default();
    if given.0.iter().any(|count| *count > limit) {
        return Err(Error::TooManyWorkgroups {
            given,
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
    let given = Initial::read(contents, limits)?;
    if given.bytes() != needed {
        return Err(Error::ImmediateSize {
            name: variable.name.clone(),
            given: given.bytes(),
            needed,
        });
    }
    let mut bytes = vec![0; needed as usize];
    let whole = bytes.len();
    given.for_each_piece(whole, |_, data| bytes.copy_from_slice(data));
    Ok(bytes)
}
