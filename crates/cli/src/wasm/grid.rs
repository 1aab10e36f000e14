//! The grid of a kernel: number and size of workgroups, and the number of threads.
//!
//! In: `--threads`, `--workgroups`, `--workgroup-size` and `--pixels`. Out: a [`Grid`], or an error if the options
//! contradict each other. No option that was given is ignored.

use crate::cli::RunArgs;
use crate::error::Error;

/// The workgroup size if only the number of threads is given.
const WORKGROUP: u32 = 64;

/// The number of threads in a whole grid.
pub(super) fn all(workgroups: [u32; 3], size: [u32; 3]) -> u64 {
    let sides = workgroups.into_iter().chain(size).map(u64::from);
    sides.fold(1, u64::saturating_mul)
}

pub(super) type Grid = ([u32; 3], [u32; 3], Option<u32>);

/// The number and size of workgroups, and the number of threads if that is less than their product.
pub(super) fn grid(args: &RunArgs) -> Result<Grid, Error> {
    let kernel = &args.kernel;
    let pixels = kernel
        .pixels
        .as_ref()
        .map(|file| file.width.saturating_mul(file.height));
    let threads = kernel
        .threads
        .or(pixels.filter(|_| args.workgroups.is_none()));
    let size = kernel.workgroup_size.map(|size| size.0);
    if kernel.threads.is_some() && args.workgroups.is_some() && size.is_none() {
        return Err(Error::Argument {
            option: "--threads",
            reason: "--workgroups says how many threads there are, with --workgroup-size; \
                     give --threads alone, or all three"
                .to_owned(),
        });
    }
    let Some(threads) = threads else {
        let workgroups = args.workgroups.map_or([1; 3], |count| count.0);
        return Ok((workgroups, size.unwrap_or([1; 3]), None));
    };
    let size = size.unwrap_or([threads.clamp(1, WORKGROUP), 1, 1]);
    let in_group: u32 = size
        .iter()
        .try_fold(1u32, |all, side| all.checked_mul(*side))
        .unwrap_or(0);
    if in_group == 0 {
        return Err(Error::Argument {
            option: "--workgroup-size",
            reason: "a workgroup has at least 1 thread and at most 2^32 - 1".to_owned(),
        });
    }
    let workgroups = match args.workgroups {
        Some(workgroups) => workgroups.0,
        None => [threads.div_ceil(in_group), 1, 1],
    };
    if args.workgroups.is_some() {
        check_threads(threads, workgroups, size)?;
    }
    Ok((workgroups, size, Some(threads)))
}

/// `--threads` together with `--workgroups` may only make the last workgroup incomplete. Otherwise one of the two
/// would be ignored.
fn check_threads(threads: u32, workgroups: [u32; 3], size: [u32; 3]) -> Result<(), Error> {
    let wrong = |reason| Error::Argument {
        option: "--threads",
        reason,
    };
    let (in_grid, in_group) = (all(workgroups, size), all([1; 3], size));
    let [x, y, z] = workgroups;
    let grid = format!("{x},{y},{z} workgroups of {in_group} threads");
    if u64::from(threads) > in_grid {
        return Err(wrong(format!(
            "{threads} are more than the {in_grid} of {grid}"
        )));
    }
    let needed = u64::from(threads).div_ceil(in_group);
    if needed < in_grid / in_group {
        return Err(wrong(format!(
            "{threads} threads need {needed} of {grid}: give --threads or --workgroups, not both"
        )));
    }
    Ok(())
}
