//! Passes: what makes a function better without changing what it does.
//!
//! In: a function. Out: the same function, changed in place. Each pass is a module with a function `run`, takes any
//! valid function and leaves a valid one; none needs another one before it, though most find more behind others. Only
//! `number` must not run behind `conditions` and `ranges`.
//! All take time that is linear in the size of the function, or little more.

pub mod barriers;
pub mod conditions;
pub mod dead_code;
pub mod edges;
pub mod fold;
pub mod fuse;
pub mod graph;
pub mod loads;
pub mod loops;
pub mod masks;
pub mod memory;
pub mod number;
pub mod pairs;
pub mod parameters;
pub mod phases;
pub mod polls;
pub mod ranges;
pub mod rotate;
pub mod straighten;
pub mod stream;
pub mod strides;
pub mod sums;
pub mod unroll;

mod cut;
mod dominators;
pub(crate) mod hash;
mod lists;
mod localize;
pub(crate) mod origin;
mod preheader;
mod repair;
mod replace;
mod rewrite;

use std::ops::{Deref, DerefMut};

use anywarp_program::work::{Meter, OverBudget};

use crate::ir::Function;
use memory::Overlap;

/// What the passes may take for granted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passes {
    /// Which buffers may be the same memory.
    pub overlap: Overlap,
    /// How many subgroups a workgroup has, and who goes over them.
    pub subgroups: Subgroups,
    /// Whether rows of subgroups that follow each other fill whole lines of caches.
    pub fills_lines: bool,
}

/// The subgroups of a workgroup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Subgroups {
    /// Nothing is known of them.
    #[default]
    Unknown,
    /// A call is for one of so many ([`Field::Subgroup`](crate::ir::Field::Subgroup)).
    Called(u32),
    /// A call goes over so many, in the loop that the first block goes to.
    Looped(u32),
}

impl Subgroups {
    /// What a function that is called knows of them: it is called for one.
    fn of_callee(self) -> Self {
        self.count().map_or(Self::Unknown, Self::Called)
    }

    /// How many there are.
    fn count(self) -> Option<u32> {
        match self {
            Self::Unknown => None,
            Self::Called(count) | Self::Looped(count) => Some(count),
        }
    }
}

/// Runs all passes. In the end there are no barriers left. Gives the subgroups as they are then: a function that was
/// called for each may go over all of them now ([`phases`]). Callees are not known, so that each call is one between two
/// polls ([`polls`]).
///
/// # Panics
///
/// In builds with debug assertions, if the function is not valid before or after a pass.
pub fn run(function: &mut Function, passes: &Passes) -> Subgroups {
    let done = run_within(function, passes, &Meter::unlimited());
    // A meter without limits has no errors.
    done.unwrap_or(passes.subgroups)
}

/// The same, within limits: a step is an instruction, a parameter or an argument that a pass visits. If there is an
/// error, the function must not be used.
///
/// # Panics
///
/// As [`run`].
pub fn run_within(
    function: &mut Function,
    passes: &Passes,
    meter: &Meter,
) -> Result<Subgroups, OverBudget> {
    let subgroups = improve(function, passes, meter)?;
    meter.tick(size(function))?;
    polls::run(function);
    check(function, "polls");
    Ok(subgroups)
}

/// Runs all passes but the last, [`polls`], which has to know the callees.
fn improve(
    function: &mut Function,
    passes: &Passes,
    meter: &Meter,
) -> Result<Subgroups, OverBudget> {
    check(function, "lowering");
    let mut run = Run {
        passes: *passes,
        meter,
        done: Ok(()),
    };
    for (name, pass) in ORDER {
        meter.tick(size(function))?;
        pass(function, &mut run);
        run.done?;
        check(function, name);
    }
    Ok(run.subgroups)
}

/// Passes that are being run.
struct Run<'m> {
    passes: Passes,
    meter: &'m Meter,
    /// Whether the last pass was within the limits.
    done: Result<(), OverBudget>,
}

impl Deref for Run<'_> {
    type Target = Passes;

    fn deref(&self) -> &Passes {
        &self.passes
    }
}

impl DerefMut for Run<'_> {
    fn deref_mut(&mut self) -> &mut Passes {
        &mut self.passes
    }
}

/// How much a pass visits: instructions, parameters and arguments.
pub fn size(function: &Function) -> u64 {
    let blocks = function.blocks.iter().map(|block| {
        let arguments = block.terminator.edges().map(|it| it.arguments.len());
        block.insts.len() + block.parameters.len() + arguments.sum::<usize>() + 1
    });
    blocks.sum::<usize>() as u64
}

/// Runs all passes on a function and on those that it calls, and gives all of them the frame of the largest: what code
/// generators put behind the frame of one then lies behind those of all.
///
/// Callees are given by number; `None` among them is a host function.
///
/// # Panics
///
/// In builds with debug assertions, if a function is not valid before or after a pass, or work without a poll exceeds
/// [`polls::BUDGET`].
pub fn run_all(
    function: &mut Function,
    callees: &mut [Option<&mut Function>],
    passes: &Passes,
) -> Subgroups {
    let done = run_all_within(function, callees, passes, &Meter::unlimited());
    // A meter without limits has no errors.
    done.unwrap_or(passes.subgroups)
}

/// The same, within limits. If there is an error, the functions must not be used.
pub fn run_all_within(
    function: &mut Function,
    callees: &mut [Option<&mut Function>],
    passes: &Passes,
    meter: &Meter,
) -> Result<Subgroups, OverBudget> {
    let all = callees.iter().flatten();
    let all = all.map(|it| memory::written_buffers(it));
    let written = all.fold(memory::written_buffers(function), |all, it| all | it);
    let subgroups = improve(function, passes, meter)?;
    let own = Passes {
        subgroups: passes.subgroups.of_callee(),
        // What a function is called for may be anywhere.
        fills_lines: false,
        overlap: match passes.overlap {
            Overlap::Written => Overlap::WrittenElsewhere(written),
            other => other,
        },
    };
    for callee in callees.iter_mut().flatten() {
        improve(callee, &own, meter)?;
        meter.tick(size(callee))?;
    }
    meter.tick(size(function))?;
    place_polls(function, callees);
    let sizes = callees.iter().flatten().map(|it| it.frame_bytes);
    let frame_bytes = sizes.fold(function.frame_bytes, u32::max);
    function.frame_bytes = frame_bytes;
    for callee in callees.iter_mut().flatten() {
        callee.frame_bytes = frame_bytes;
    }
    Ok(subgroups)
}

/// Places polls in all functions, in those that are called first.
fn place_polls(function: &mut Function, callees: &mut [Option<&mut Function>]) {
    let mut known = Vec::with_capacity(callees.len());
    for callee in callees.iter_mut() {
        let stretches = match callee {
            Some(callee) => polls::run_with(callee, &known, polls::BUDGET),
            None => polls::Stretches::host_call(function.lanes),
        };
        known.push(stretches);
    }
    polls::run_with(function, &known, polls::BUDGET);
    if cfg!(debug_assertions) {
        let callees: Vec<_> = callees.iter().map(Option::as_deref).collect();
        let longest = polls::check::longest_unpolled_path(function, &callees);
        assert!(
            longest.is_some_and(|it| it <= polls::BUDGET),
            "work without a poll: {longest:?}\n{function}"
        );
        for function in callees.into_iter().flatten().chain([&*function]) {
            check(function, "polls");
        }
    }
}

type Pass = fn(&mut Function, &mut Run<'_>);

/// The names of all passes but the last, [`polls`], in their order.
#[doc(hidden)]
pub fn names() -> impl ExactSizeIterator<Item = &'static str> {
    ORDER.iter().map(|it| it.0)
}

/// Runs one of these passes alone, by its place in the order. Changes what is known of the subgroups as the pass does.
#[doc(hidden)]
pub fn run_one(place: usize, function: &mut Function, passes: &mut Passes) {
    let meter = Meter::unlimited();
    let mut run = Run {
        passes: *passes,
        meter: &meter,
        done: Ok(()),
    };
    ORDER[place].1(function, &mut run);
    *passes = run.passes;
}

/// The passes by name, in their order.
///
/// Dead code goes before passes that ask how often something is used. Phases come early, as they make loops out of which
/// others move things. Barriers that are left come late, as values that live across them hide what they are; loops are
/// turned behind them, since heads that other passes see once are found more often. Only then are there loops of one
/// block, for which turns are put together. What is streamed is said last, since no other pass knows of it. Only
/// [`polls`] comes after all of these: no pass may add to the work between two polls.
const ORDER: &[(&str, Pass)] = &[
    ("parameters", |it, _| parameters::run(it)),
    ("fold", |it, _| fold::run(it)),
    ("dead_code", |it, _| dead_code::run(it)),
    ("straighten", |it, _| straighten::run(it)),
    ("pairs", |it, passes| {
        if let Subgroups::Looped(count) = passes.subgroups {
            pairs::run(it, count, passes.overlap);
        }
    }),
    ("phases", |it, passes| {
        let Subgroups::Called(count) = passes.subgroups else {
            return;
        };
        match phases::run_within(it, count, passes.overlap, passes.meter) {
            Ok(false) => {}
            Ok(true) => {
                passes.subgroups = Subgroups::Looped(count);
                parameters::run(it);
                straighten::run(it);
            }
            Err(limit) => passes.done = Err(limit),
        }
    }),
    ("number", |it, passes| number::run(it, passes.overlap)),
    ("loads", |it, passes| loads::run(it, passes.overlap)),
    ("conditions", |it, _| conditions::run(it)),
    ("ranges", |it, passes| {
        ranges::run(it, passes.subgroups.count());
    }),
    ("dead_code", |it, _| dead_code::run(it)),
    ("masks", |it, _| masks::run(it)),
    ("fold", |it, _| fold::run(it)),
    ("dead_code", |it, _| dead_code::run(it)),
    ("strides", |it, _| strides::run(it)),
    ("fuse", |it, _| fuse::run(it)),
    ("dead_code", |it, _| dead_code::run(it)),
    ("barriers", |it, passes| {
        passes.done = barriers::run_within(it, passes.meter);
    }),
    ("rotate", |it, passes| {
        passes.done = rotate::run_within(it, passes.meter);
    }),
    ("conditions", |it, _| conditions::run(it)),
    ("parameters", |it, _| parameters::run(it)),
    ("fold", |it, _| fold::run(it)),
    ("straighten", |it, _| straighten::run(it)),
    ("parameters", |it, _| parameters::run(it)),
    ("unroll", |it, _| unroll::run(it)),
    ("sums", |it, _| sums::run(it)),
    ("dead_code", |it, _| dead_code::run(it)),
    ("stream", |it, passes| {
        if passes.fills_lines {
            stream::run(it, passes.subgroups);
        }
    }),
];

fn check(function: &Function, after: &str) {
    if cfg!(debug_assertions)
        && let Err(error) = crate::verify::verify(function)
    {
        panic!("after {after}: {error}\n{function}");
    }
}
