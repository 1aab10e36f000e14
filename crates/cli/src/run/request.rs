//! Resolves the bindings that the command names to group and binding.
//!
//! In: `--bind`, `--out` and `--swap` with bindings by position or by name, and the entry point's interface. Out: a
//! [`ResolvedRequest`] in which every option refers to a binding of the entry point.

use std::collections::HashSet;

use crate::cli::RunArgs;
use crate::error::{Error, listing};
use crate::specs::{Destination, Given, Out, Slot, Swap, Target};
use anywarp::reflection::Interface;

/// The command with its bindings resolved.
pub(super) struct ResolvedRequest<'a> {
    pub(super) args: &'a RunArgs,
    pub(super) binds: Vec<(Slot, &'a Given)>,
    pub(super) outs: Vec<(Slot, &'a Out)>,
    pub(super) swaps: Vec<(Slot, Slot)>,
}

impl<'a> ResolvedRequest<'a> {
    /// Resolves the bindings.
    pub(super) fn new(args: &'a RunArgs, interface: &Interface) -> Result<Self, Error> {
        let mut bound = HashSet::new();
        let mut binds = Vec::new();
        for bind in &args.bind {
            let slot = find(interface, "--bind", &bind.target)?;
            if !bound.insert(slot) {
                return Err(Error::BoundTwice(bind.target.clone()));
            }
            binds.push((slot, &bind.given));
        }
        let out = |out: &'a Out| Ok((find(interface, "--out", &out.target)?, out));
        let outs = args.out.iter().map(out).collect::<Result<_, Error>>()?;
        let swap = |Swap(first, second): &Swap| {
            let first = find(interface, "--swap", first)?;
            Ok((first, find(interface, "--swap", second)?))
        };
        let swaps = args.swap.iter().map(swap).collect::<Result<_, Error>>()?;
        let request = Self {
            args,
            binds,
            outs,
            swaps,
        };
        request.check_swaps()?;
        check_stdout(&args.out, args.json)?;
        Ok(request)
    }

    /// What `--bind` gives for a binding.
    pub(super) fn given(&self, slot: Slot) -> Option<&'a Given> {
        let found = self.binds.iter().find(|(bound, _)| *bound == slot);
        found.map(|(_, given)| *given)
    }

    /// The outputs of a binding.
    pub(super) fn outs_of(&self, slot: Slot) -> impl Iterator<Item = &'a Out> {
        let outs = self.outs.iter().filter(move |(of, _)| *of == slot);
        outs.map(|(_, out)| *out)
    }

    /// A name and a position may refer to the same binding.
    fn check_swaps(&self) -> Result<(), Error> {
        match self.swaps.iter().find(|(first, second)| first == second) {
            None => Ok(()),
            Some((slot, _)) => Err(Error::SwapKinds {
                first: *slot,
                second: *slot,
                reason: "a binding cannot be swapped with itself".to_owned(),
            }),
        }
    }
}

/// Raw bytes on standard output allow no other output there.
pub(crate) fn check_stdout<'a>(
    outs: impl IntoIterator<Item = &'a Out>,
    is_json: bool,
) -> Result<(), Error> {
    let is_raw = |out: &&Out| out.destination == Destination::Stdout;
    let mut raw = outs.into_iter().filter(is_raw);
    let wrong = |out: &Out, reason: &str| Error::OutToStdout {
        out: out.to_string(),
        reason: reason.to_owned(),
    };
    match (raw.next(), raw.next()) {
        (Some(_), Some(out)) => Err(wrong(out, "another --out writes its bytes there")),
        (Some(out), None) if is_json => Err(wrong(out, "--json writes its object there")),
        _ => Ok(()),
    }
}

fn find(interface: &Interface, option: &'static str, target: &Target) -> Result<Slot, Error> {
    let bindings = || interface.bindings.iter();
    let mut found = bindings().filter(|binding| match target {
        Target::Slot(slot) => binding.slot == *slot,
        Target::Name(name) => binding.name == *name,
    });
    match (found.next(), found.next()) {
        (Some(binding), None) => Ok(binding.slot),
        (first, _) => Err(Error::UnknownBinding {
            option,
            target: target.clone(),
            problem: match first {
                Some(_) => "several bindings of that name",
                None => "no such binding",
            },
            entry: interface.entry.clone(),
            available: listing(bindings().map(|b| format!("{} (`{}`)", b.slot, b.name))),
        }),
    }
}
