//! Optimization passes over functions of the vector IR, and their order.
//!
//! In: a function. Out: the same function, optimized in place. Each pass is a module with a function `run`. What always
//! holds: a pass accepts any valid function and leaves a valid function with the same behavior. No pass requires
//! another one before it, though most find more after others. One constraint on the order: [`gvn`] must run before
//! [`condition_propagation`] and [`range_check_elimination`], because it moves loads, which these two make safe only
//! where they are. Passes take time that is linear in the size of the function, or little more.
//!
//! | LLVM, Cranelift | pass |
//! |---|---|
//! | InstCombine, constant folding | [`fold`], [`fuse`], [`masks`] |
//! | GVN, LICM | [`gvn`] |
//! | store-to-load forwarding (part of GVN) | [`load_forwarding`] |
//! | CorrelatedValuePropagation, constant ranges | [`condition_propagation`], [`range_check_elimination`] |
//! | remove_constant_phis | [`constant_phis`] |
//! | SimplifyCFG | [`simplify_cfg`] |
//! | DCE | [`dead_code`] |
//! | LoopPeel, LoopRotate, LoopUnroll, unroll-and-jam | [`loop_peel`], [`loop_rotate`], [`loop_unroll`], [`unroll_and_jam`], [`register_blocking`] |
//! | loop versioning, index set splitting | [`stride_specialization`], [`border_versioning`] |
//! | IndVarSimplify | [`uniform_induction`], [`exit_tests`] |
//! | Reassociate | [`reassociate`] |
//! | CoroSplit | [`barrier_split`] |
//! | parallel regions (pocl), loop fission | [`subgroup_loops`] |
//! | safepoint placement | [`polls`] |

pub mod alias;
pub mod barrier_split;
pub mod border_versioning;
pub mod cfg;
pub mod condition_propagation;
pub mod constant_phis;
pub mod critical_edges;
pub mod dead_code;
pub mod exit_tests;
pub mod fold;
pub mod fuse;
pub mod gvn;
pub mod load_forwarding;
pub mod loop_peel;
pub mod loop_rotate;
pub mod loop_unroll;
pub mod loops;
pub mod masks;
pub mod non_temporal;
pub mod polls;
pub mod range_check_elimination;
pub mod reassociate;
pub mod register_blocking;
pub mod simplify_cfg;
pub mod stride_specialization;
pub mod subgroup_loops;
pub mod uniform_induction;
pub mod unroll_and_jam;

mod csr;
mod dominators;
pub(crate) mod hash;
mod peephole;
mod preheader;
mod remove_blocks;
mod replace_uses;
mod sink_constants;
mod ssa_repair;
pub(crate) mod value_def;

use std::ops::{Deref, DerefMut};

use anywarp_program::work::{Meter, OverBudget};

use crate::ir::Function;
use alias::BufferAliasing;

/// Assumptions that passes may make about a kernel.
#[derive(Clone, Copy, Debug, Default)]
pub struct PassOptions {
    /// Which buffers may alias.
    pub aliasing: BufferAliasing,
    /// The number of subgroups of a workgroup, and how they are run.
    pub subgroups: Subgroups,
    /// Whether the rows of consecutive subgroups fill whole cache lines.
    pub fills_lines: bool,
}

/// How the subgroups of a workgroup are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Subgroups {
    /// Neither their number nor how they are run is known.
    #[default]
    Unknown,
    /// Each call runs one of this many subgroups ([`ContextField::Subgroup`](crate::ir::ContextField::Subgroup)).
    Called(u32),
    /// Each call runs all subgroups, this many, in the loop to which the entry block jumps.
    Looped(u32),
}

impl Subgroups {
    /// The execution of a callee: it is called for one subgroup.
    fn of_callee(self) -> Self {
        self.count().map_or(Self::Unknown, Self::Called)
    }

    /// The number of subgroups, if known.
    fn count(self) -> Option<u32> {
        match self {
            Self::Unknown => None,
            Self::Called(count) | Self::Looped(count) => Some(count),
        }
    }
}

/// Runs all passes. The result has no [`Terminator::Suspend`](crate::ir::Terminator::Suspend). Returns how subgroups
/// are run afterwards: [`subgroup_loops`] may make a function that was called for each subgroup loop over all of them.
/// Callees are not known, so that each call counts as the whole budget of work between two polls ([`polls`]).
///
/// # Panics
///
/// In builds with debug assertions, if the function is not valid before or after a pass.
pub fn run(function: &mut Function, passes: &PassOptions) -> Subgroups {
    let done = run_within(function, passes, &Meter::unlimited());
    // An unlimited meter does not return errors.
    done.unwrap_or(passes.subgroups)
}

/// [`run`] within limits: a step of the meter is an instruction, a parameter or an argument that a pass visits. After
/// an error the function must not be used.
///
/// # Panics
///
/// As [`run`].
pub fn run_within(
    function: &mut Function,
    passes: &PassOptions,
    meter: &Meter,
) -> Result<Subgroups, OverBudget> {
    let subgroups = improve(function, passes, meter, &mut |_, _| {})?;
    meter.tick(size(function))?;
    polls::run(function);
    check(function, "polls");
    Ok(subgroups)
}

/// Runs all passes except [`polls`], which needs the callees. `observe` sees the function after each pass.
fn improve(
    function: &mut Function,
    passes: &PassOptions,
    meter: &Meter,
    observe: &mut dyn FnMut(&'static str, &Function),
) -> Result<Subgroups, OverBudget> {
    check(function, "lowering");
    let mut run = PassRun {
        passes: *passes,
        meter,
        done: Ok(()),
    };
    for (name, pass) in ORDER {
        meter.tick(size(function))?;
        pass(function, &mut run);
        run.done?;
        check(function, name);
        observe(name, function);
    }
    Ok(run.subgroups)
}

/// The state of a run of the passes.
struct PassRun<'m> {
    passes: PassOptions,
    meter: &'m Meter,
    /// The error of the last pass, if it exceeded the limits.
    done: Result<(), OverBudget>,
}

impl Deref for PassRun<'_> {
    type Target = PassOptions;

    fn deref(&self) -> &PassOptions {
        &self.passes
    }
}

impl DerefMut for PassRun<'_> {
    fn deref_mut(&mut self) -> &mut PassOptions {
        &mut self.passes
    }
}

/// The size of a function: its instructions, parameters, arguments and blocks.
pub fn size(function: &Function) -> u64 {
    let blocks = function.blocks.iter().map(|block| {
        let arguments = block.terminator.edges().map(|edge| edge.arguments.len());
        block.insts.len() + block.parameters.len() + arguments.sum::<usize>() + 1
    });
    blocks.sum::<usize>() as u64
}

/// Runs all passes on a function and its callees. All of them get the frame size of the largest, so that spill slots
/// that a code generator appends to the frame of one function do not overlap the frames of the others.
///
/// `callees` has the callees by number; `None` is a host function.
///
/// # Panics
///
/// In builds with debug assertions, if a function is not valid before or after a pass, or if the work between two polls
/// exceeds [`polls::BUDGET`].
pub fn run_kernel(
    function: &mut Function,
    callees: &mut [Option<&mut Function>],
    passes: &PassOptions,
) -> Subgroups {
    let done = run_kernel_within(
        function,
        callees,
        passes,
        &Meter::unlimited(),
        &mut |_, _, _| {},
    );
    // An unlimited meter does not return errors.
    done.unwrap_or(passes.subgroups)
}

/// [`run_kernel`] within limits. After an error the functions must not be used.
///
/// `observe` sees each function after each pass except [`polls`]: the name of the pass, and the number of the callee, or
/// `None` for `function`.
pub fn run_kernel_within(
    function: &mut Function,
    callees: &mut [Option<&mut Function>],
    passes: &PassOptions,
    meter: &Meter,
    observe: &mut dyn FnMut(&'static str, Option<usize>, &Function),
) -> Result<Subgroups, OverBudget> {
    let all = callees
        .iter()
        .flatten()
        .map(|callee| alias::written_buffers(callee));
    let written = all.fold(alias::written_buffers(function), |all, one| all | one);
    let subgroups = improve(function, passes, meter, &mut |name, function| {
        observe(name, None, function);
    })?;
    let own = PassOptions {
        subgroups: passes.subgroups.of_callee(),
        // Rows of a callee may have any alignment.
        fills_lines: false,
        aliasing: match passes.aliasing {
            BufferAliasing::Written => BufferAliasing::WrittenElsewhere(written),
            other => other,
        },
    };
    for (number, callee) in callees.iter_mut().enumerate() {
        if let Some(callee) = callee {
            improve(callee, &own, meter, &mut |name, function| {
                observe(name, Some(number), function);
            })?;
            meter.tick(size(callee))?;
        }
    }
    meter.tick(size(function))?;
    place_polls(function, callees);
    let sizes = callees.iter().flatten().map(|callee| callee.frame_bytes);
    let frame_bytes = sizes.fold(function.frame_bytes, u32::max);
    function.frame_bytes = frame_bytes;
    for callee in callees.iter_mut().flatten() {
        callee.frame_bytes = frame_bytes;
    }
    Ok(subgroups)
}

/// Places polls in all functions, callees first.
fn place_polls(function: &mut Function, callees: &mut [Option<&mut Function>]) {
    let mut known = Vec::with_capacity(callees.len());
    for callee in callees.iter_mut() {
        let distances = match callee {
            Some(callee) => polls::run_with(callee, &known, polls::BUDGET),
            None => polls::PollDistances::host_call(function.lanes),
        };
        known.push(distances);
    }
    polls::run_with(function, &known, polls::BUDGET);
    if cfg!(debug_assertions) {
        let callees: Vec<_> = callees.iter().map(Option::as_deref).collect();
        let longest = polls::check::longest_unpolled_path(function, &callees);
        assert!(
            longest.is_some_and(|cost| cost <= polls::BUDGET),
            "work without a poll: {longest:?}\n{function}"
        );
        for function in callees.into_iter().flatten().chain([&*function]) {
            check(function, "polls");
        }
    }
}

type Pass = fn(&mut Function, &mut PassRun<'_>);

/// The names of all passes except [`polls`], in order. A pass that runs several times is there several times.
pub fn names() -> impl ExactSizeIterator<Item = &'static str> {
    ORDER.iter().map(|pass| pass.0)
}

/// Runs one of these passes, by its index in the order. Updates the assumptions as the pass does.
#[doc(hidden)]
pub fn run_one(place: usize, function: &mut Function, passes: &mut PassOptions) {
    let meter = Meter::unlimited();
    let mut run = PassRun {
        passes: *passes,
        meter: &meter,
        done: Ok(()),
    };
    ORDER[place].1(function, &mut run);
    *passes = run.passes;
}

/// The pipeline: passes by name, in order.
///
/// Dead code elimination runs before passes that use use counts. `uniform_induction` runs before `gvn`, which hoists and
/// merges the words that it makes, and before `loop_peel`, for which counters are words. `exit_tests` runs before the
/// passes that look for counted loops. `subgroup_loops` runs early, as it creates loops out of which `gvn` hoists.
/// `barrier_split` runs late, as a value that lives across a barrier becomes an opaque frame
/// load. `loop_rotate` follows it, since passes that recognize a loop by its header find more before rotation. Rotation
/// creates the single-block loops that `loop_unroll` needs. `non_temporal` is last, since no other pass knows its
/// instruction. Only [`polls`] runs after all of these: no pass may add work between two polls.
const ORDER: &[(&str, Pass)] = &[
    ("constant_phis", |function, _| constant_phis::run(function)),
    ("fold", |function, _| fold::run(function)),
    ("uniform_induction", |function, _| {
        uniform_induction::run(function);
    }),
    ("dead_code", |function, _| dead_code::run(function)),
    ("simplify_cfg", |function, _| simplify_cfg::run(function)),
    ("loop_peel", |function, passes| {
        match loop_peel::run_within(function, passes.meter) {
            Ok(false) => {}
            Ok(true) => {
                // What is constant in a copy becomes so from one copy to the next.
                for _ in 0..2 {
                    if let Err(limit) = passes.meter.tick(3 * size(function)) {
                        passes.done = Err(limit);
                        return;
                    }
                    constant_phis::run(function);
                    fold::run(function);
                    simplify_cfg::run(function);
                }
                dead_code::run(function);
            }
            Err(limit) => passes.done = Err(limit),
        }
    }),
    ("exit_tests", |function, _| exit_tests::run(function)),
    ("unroll_and_jam", |function, passes| {
        if let Subgroups::Looped(count) = passes.subgroups {
            passes.done =
                unroll_and_jam::run_within(function, count, passes.aliasing, passes.meter);
        }
    }),
    ("subgroup_loops", |function, passes| {
        let Subgroups::Called(count) = passes.subgroups else {
            return;
        };
        match subgroup_loops::run_within(function, count, passes.aliasing, passes.meter) {
            Ok(false) => {}
            Ok(true) => {
                passes.subgroups = Subgroups::Looped(count);
                constant_phis::run(function);
                simplify_cfg::run(function);
            }
            Err(limit) => passes.done = Err(limit),
        }
    }),
    ("gvn", |function, passes| {
        gvn::run(function, passes.aliasing);
    }),
    ("load_forwarding", |function, passes| {
        load_forwarding::run(function, passes.aliasing);
    }),
    ("condition_propagation", |function, _| {
        condition_propagation::run(function);
    }),
    ("range_check_elimination", |function, passes| {
        range_check_elimination::run(function, passes.subgroups.count());
    }),
    ("dead_code", |function, _| dead_code::run(function)),
    ("masks", |function, _| masks::run(function)),
    ("fold", |function, _| fold::run(function)),
    ("dead_code", |function, _| dead_code::run(function)),
    ("border_versioning", |function, _| {
        border_versioning::run(function);
    }),
    ("stride_specialization", |function, _| {
        stride_specialization::run(function);
    }),
    ("fuse", |function, _| fuse::run(function)),
    ("dead_code", |function, _| dead_code::run(function)),
    ("barrier_split", |function, passes| {
        passes.done = barrier_split::run_within(function, passes.meter);
    }),
    ("loop_rotate", |function, passes| {
        passes.done = loop_rotate::run_within(function, passes.meter);
    }),
    ("condition_propagation", |function, _| {
        condition_propagation::run(function);
    }),
    ("constant_phis", |function, _| constant_phis::run(function)),
    ("fold", |function, _| fold::run(function)),
    ("simplify_cfg", |function, _| simplify_cfg::run(function)),
    ("constant_phis", |function, _| constant_phis::run(function)),
    ("register_blocking", |function, passes| {
        let (aliasing, subgroups) = (passes.aliasing, passes.subgroups);
        passes.done = register_blocking::run_within(function, aliasing, subgroups, passes.meter);
    }),
    ("loop_unroll", |function, _| loop_unroll::run(function)),
    ("reassociate", |function, _| reassociate::run(function)),
    ("dead_code", |function, _| dead_code::run(function)),
    ("non_temporal", |function, passes| {
        if passes.fills_lines {
            non_temporal::run(function, passes.subgroups);
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
