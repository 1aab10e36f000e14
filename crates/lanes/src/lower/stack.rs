//! Enough stack for lowering, which recurses over nested statements and over calls.
//!
//! In: a module, and the lowering as a closure. Out: its result, or a [`Stop`]. What always holds: the closure has
//! [`BYTES_PER_LEVEL`] bytes of stack for each level of nesting, on the caller's thread if that is little, else on a
//! thread of its own; its panics propagate. `program` bounds the nesting of a function, but not that of the functions
//! that it calls: past [`MAX_LEVELS`] the kernel is not lowered.

use std::panic::resume_unwind;

use anywarp_program::operands;
use anywarp_program::work::{Meter, OverBudget};
use naga::{Block, Function, Handle, Module, Statement};

use crate::lower::error::{Stop, unsupported};

/// Stack for a level of nesting: four times the need measured for loops in an optimized build, because unoptimized
/// builds need more.
const BYTES_PER_LEVEL: usize = 12 << 10;

/// Stack that does not depend on the program.
const BASE_STACK: usize = 1 << 20;

/// The levels for which the stack of an ordinary thread (2 MiB) suffices.
const SHALLOW_LEVELS: usize = 64;

/// The most levels of nesting: a stack of 193 MiB, of which only the pages that are touched take memory.
const MAX_LEVELS: usize = 1 << 14;

/// Runs the lowering of the entry point with this index with enough stack.
pub(super) fn with_enough<T: Send>(
    module: &Module,
    entry: &Function,
    meter: &Meter,
    lower: impl FnOnce() -> T + Send,
) -> Result<T, Stop> {
    let levels = levels(module, entry, meter)?;
    if levels <= SHALLOW_LEVELS {
        return Ok(lower());
    }
    if levels > MAX_LEVELS {
        return unsupported(format!(
            "statements at a depth of {levels}, calls included, which is more than {MAX_LEVELS}"
        ));
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("anywarp lowering".to_owned())
            .stack_size(BASE_STACK + levels * BYTES_PER_LEVEL)
            .spawn_scoped(scope, lower)
            .map_err(|error| Stop::Unsupported(format!("deeply nested statements: {error}")))?;
        Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// The depth of the statements of a function, those of the functions that it calls included.
fn levels(module: &Module, entry: &Function, meter: &Meter) -> Result<usize, OverBudget> {
    let mut of_functions = Vec::with_capacity(module.functions.len());
    // naga's arena has callees before callers.
    for (_, function) in module.functions.iter() {
        let levels = levels_of_block(&function.body, &of_functions, meter)?;
        of_functions.push(levels);
    }
    levels_of_block(&entry.body, &of_functions, meter)
}

/// The depth of the statements of a block, given that of the functions. It takes no stack.
pub(in crate::lower) fn levels_of_block(
    block: &Block,
    of_functions: &[usize],
    meter: &Meter,
) -> Result<usize, OverBudget> {
    let of_function = |function: Handle<Function>| of_functions.get(function.index()).copied();
    let mut open = vec![(block, 1)];
    let mut deepest: usize = 0;
    while let Some((block, level)) = open.pop() {
        meter.tick(block.len() as u64)?;
        deepest = deepest.max(level);
        for statement in block {
            if let Statement::Call { function, .. } = statement {
                let callee = of_function(*function).unwrap_or(0);
                deepest = deepest.max(callee.saturating_add(level));
            }
            open.extend(operands::blocks_of(statement).map(|inner| (inner, level + 1)));
        }
    }
    Ok(deepest)
}
