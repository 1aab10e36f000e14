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
mod hash;
mod lists;
mod localize;
mod origin;
mod preheader;
mod repair;
mod replace;
mod rewrite;

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
/// called for each may go over all of them now ([`phases`]).
///
/// # Panics
///
/// In builds with debug assertions, if the function is not valid before or after a pass.
pub fn run(function: &mut Function, passes: &Passes) -> Subgroups {
    check(function, "lowering");
    let mut passes = *passes;
    for (name, pass) in ORDER {
        pass(function, &mut passes);
        check(function, name);
    }
    passes.subgroups
}

/// Runs all passes on a function and on those that it calls, and gives all of them the frame of the largest: what code
/// generators put behind the frame of one then lies behind those of all.
pub fn run_all(
    function: &mut Function,
    callees: &mut [&mut Function],
    passes: &Passes,
) -> Subgroups {
    let all = callees.iter().map(|it| memory::written_buffers(it));
    let written = all.fold(memory::written_buffers(function), |all, it| all | it);
    let subgroups = run(function, passes);
    let own = Passes {
        subgroups: passes.subgroups.of_callee(),
        // What a function is called for may be anywhere.
        fills_lines: false,
        overlap: match passes.overlap {
            Overlap::Written => Overlap::WrittenElsewhere(written),
            other => other,
        },
    };
    for callee in callees.iter_mut() {
        run(callee, &own);
    }
    let sizes = callees.iter().map(|it| it.frame_bytes);
    let frame_bytes = sizes.fold(function.frame_bytes, u32::max);
    function.frame_bytes = frame_bytes;
    for callee in callees {
        callee.frame_bytes = frame_bytes;
    }
    subgroups
}

/// A pass with what it may take for granted, some of which it may change.
#[doc(hidden)]
pub type Pass = fn(&mut Function, &mut Passes);

/// The passes by name, in their order.
///
/// Dead code goes before passes that ask how often something is used. Phases come early, as they make loops out of which
/// others move things. Barriers that are left come late, as values that live across them hide what they are; loops are
/// turned behind them, since heads that other passes see once are found more often. Only then are there loops of one
/// block, for which turns are put together. What is streamed is said last, since no other pass knows of it.
#[doc(hidden)]
pub const ORDER: &[(&str, Pass)] = &[
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
        if let Subgroups::Called(count) = passes.subgroups
            && phases::run(it, count, passes.overlap)
        {
            passes.subgroups = Subgroups::Looped(count);
            parameters::run(it);
            straighten::run(it);
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
    ("polls", |it, _| polls::run(it)),
    ("dead_code", |it, _| dead_code::run(it)),
    ("barriers", |it, _| barriers::run(it)),
    ("rotate", |it, _| rotate::run(it)),
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
