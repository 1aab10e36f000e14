//! Validates a launch before it runs, for both executors.

use crate::bytecode::{Bytecode, Export, FunctionType, Limits, MAX_TABLES};

use super::Resources;
use super::error::LaunchError;
use super::footprint::Footprint;
use super::grid::Grid;
use super::launch::Launch;
use super::value::Value;

/// Pages that a 32-bit memory can have.
pub(crate) const MAX_PAGES: u32 = 1 << 16;

/// Global slots that a 16-bit operand can name.
const MAX_GLOBAL_SLOTS: u32 = 1 << 16;

/// Maximum slots of a thread's stack.
const MAX_STACK_SLOTS: u32 = 1 << 26;

/// The largest item of a work queue; `queue_pop` returns a negative number if there is none.
const MAX_QUEUE_ITEM: u32 = i32::MAX as u32;

/// Finds the kernel of a launch, and checks its arguments, sizes and resources.
pub(crate) fn check<'a>(
    program: &'a Bytecode,
    launch: &Launch,
    grid: &Grid,
    resources: &Resources,
) -> Result<&'a Export, LaunchError> {
    let name = &launch.kernel;
    // If several exports have the name, the last one wins: programs come after the libraries they
    // link to.
    let export = program
        .exports
        .iter()
        .rfind(|export| export.name == *name)
        .ok_or_else(|| LaunchError::UnknownKernel {
            name: name.clone(),
            kernels: program
                .exports
                .iter()
                .map(|export| export.name.clone())
                .collect(),
        })?;
    check_arguments(name, function_type(program, export.function)?, &launch.args)?;
    check_sizes(&program.memories, launch.max_pages.min(MAX_PAGES))?;
    check_store(program)?;
    Footprint::new(program, launch.memory).check(grid, launch.max_total_pages)?;
    let (slots, max) = (launch.stack_slots, MAX_STACK_SLOTS);
    if slots > max {
        return Err(LaunchError::StackTooLarge { slots, max });
    }
    let function = |number: u32| program.functions.get(number as usize);
    let frames = [export.function, export.launch].map(function);
    let frame = frames.iter().flatten().map(|function| function.frame).max();
    if let Some(frame) = frame.filter(|&frame| frame > slots) {
        let name = name.clone();
        return Err(LaunchError::StackSlots { name, slots, frame });
    }
    if let Some(picture) = &resources.picture {
        let (width, height) = (picture.width, picture.height);
        let pixels = picture.pixels.len();
        if u64::from(width) * u64::from(height) != pixels as u64 {
            let size = LaunchError::PictureSize {
                width,
                height,
                pixels,
            };
            return Err(size);
        }
    }
    if let Some(index) = resources
        .queue
        .iter()
        .position(|&item| item > MAX_QUEUE_ITEM)
    {
        let item = resources.queue[index];
        return Err(LaunchError::QueueItem { index, item });
    }
    Ok(export)
}

/// An error if the number or the types of arguments are not those of the parameters.
pub(crate) fn check_arguments(
    name: &str,
    ty: &FunctionType,
    args: &[Value],
) -> Result<(), LaunchError> {
    if ty.params.len() != args.len() {
        return Err(LaunchError::ArgumentCount {
            name: name.to_owned(),
            expected: ty.params.len(),
            given: args.len(),
        });
    }
    let pairs = ty.params.iter().zip(args);
    match pairs
        .enumerate()
        .find(|(_, (expected, given))| **expected != given.ty())
    {
        Some((index, (&expected, given))) => Err(LaunchError::ArgumentType {
            name: name.to_owned(),
            index,
            expected,
            given: given.ty(),
        }),
        None => Ok(()),
    }
}

/// The type of a function by its index.
pub(crate) fn function_type(
    program: &Bytecode,
    function: u32,
) -> Result<&FunctionType, LaunchError> {
    let entry = program.functions.get(function as usize);
    let ty = entry.and_then(|entry| program.types.get(entry.type_index as usize));
    ty.ok_or_else(|| LaunchError::Bytecode {
        word: 0,
        what: format!("function {function} or its type does not exist"),
    })
}

/// Rejects programs with more table elements or globals than the executors support.
pub(crate) fn check_store(program: &Bytecode) -> Result<(), LaunchError> {
    let tables = &program.tables;
    if let Some(table) = tables.iter().position(|limits| limits.initial > MAX_TABLES) {
        return Err(LaunchError::TableSize {
            table,
            elements: tables[table].initial,
            max: MAX_TABLES,
        });
    }
    let (slots, max) = (program.globals, MAX_GLOBAL_SLOTS);
    if slots > max {
        return Err(LaunchError::Globals { slots, max });
    }
    Ok(())
}

/// Rejects programs with a memory that initially exceeds the limit.
pub(crate) fn check_sizes(memories: &[Limits], allowed: u32) -> Result<(), LaunchError> {
    let large = memories.iter().position(|limits| limits.initial > allowed);
    match large {
        Some(memory) => Err(LaunchError::MemorySize {
            memory,
            pages: u64::from(memories[memory].initial),
            allowed,
        }),
        None => Ok(()),
    }
}
