//! Products and the sums that they feed become one operation, which rounds once.
//!
//! In: a program. Out: the same, in which `a * b + c`, `c + a * b`, `a * b - c` and `c - a * b` on `f32` and
//! vectors of it are `fma`. WGSL lets an implementation do so. It is done here, once, so that everybody who runs
//! the result comes to the same bits. What always holds: nothing is reordered; a sum that is fused is the exact
//! one rounded once, signs of zeros included; a product is fused into all of its uses or into none, so no product
//! is computed more often than before; what went through a variable in memory is not fused. `dot`, which WGSL
//! defines as a sum of products, becomes one: `fma(a.y, b.y, a.x * b.x)` and so on.
//!
//! Left alone: `f16` and `f64` (their executors compute in other widths), constant expressions, products with
//! matrices, and functions with a bound of their own such as `length`: each stays one operation, with the roundings
//! that the reference evaluator gives it.
//!
//! The time is linear in the number of expressions.

mod choose;
mod rebuild;

use std::sync::Arc;

use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Function, Module};

use crate::{Program, ProgramError, guard};
use choose::Plan;

/// What is remembered of a program: what it becomes, or nothing where it stays as it is.
struct Contracted(Result<Option<Program>, String>);

impl Program {
    /// The program with products fused into the sums that they feed, in all of its functions.
    ///
    /// ```
    /// use anywarp_program::Program;
    ///
    /// let program = Program::from_wgsl("fn f(a: f32, b: f32, c: f32) -> f32 { return a * b + c; }")?;
    /// let fused = program.contracted()?;
    /// let (_, function) = fused.module().functions.iter().next().unwrap();
    /// // The three arguments and what is made of them.
    /// assert_eq!(function.expressions.len(), 4);
    /// # Ok::<(), anywarp_program::ProgramError>(())
    /// ```
    pub fn contracted(&self) -> Result<Program, ProgramError> {
        let known = self.fact(|it| Contracted(guard::run(&it.nesting, || contract(it)).flatten()));
        match &known.0 {
            Ok(Some(program)) => Ok(program.clone()),
            Ok(None) => Ok(self.clone()),
            Err(message) => Err(ProgramError::Internal(message.clone())),
        }
    }
}

/// The program with what can be fused; `None` where nothing can.
fn contract(program: &Program) -> Result<Option<Program>, String> {
    let (module, info) = (program.module(), program.info());
    let functions = module.functions.iter();
    let functions = functions.map(|(handle, it)| Plan::of(it, &info[handle], &module.types));
    let functions: Vec<_> = functions.collect();
    let points = module.entry_points.iter().enumerate();
    let points = points
        .map(|(index, it)| Plan::of(&it.function, info.get_entry_point(index), &module.types));
    let points: Vec<_> = points.collect();
    if functions.iter().chain(&points).all(Option::is_none) {
        return Ok(None);
    }
    let mut module = module.clone();
    let inner = module.functions.iter_mut().map(|(_, it)| it);
    let outer = module.entry_points.iter_mut().map(|it| &mut it.function);
    for (function, plan) in inner.zip(&functions).chain(outer.zip(&points)) {
        if let Some(plan) = plan {
            rebuild::rebuild(function, plan);
        }
    }
    let info = analyse(&module)?;
    Ok(Some(Program {
        module: Arc::new(module),
        info: Arc::new(info),
        source: program.source.clone(),
        wgsl: program.wgsl.clone(),
        facts: Arc::default(),
        nesting: program.nesting,
    }))
}

/// naga's analysis of what was rebuilt. Whether it is well-formed is looked at in builds with debug assertions.
fn analyse(module: &Module) -> Result<ModuleInfo, String> {
    let flags = match cfg!(debug_assertions) {
        true => ValidationFlags::all(),
        false => ValidationFlags::empty(),
    };
    let info = Validator::new(flags, Capabilities::all()).validate(module);
    info.map_err(|error| {
        let error = error.into_inner();
        let source = std::error::Error::source(&error).map(ToString::to_string);
        format!("{error}: {}", source.unwrap_or_default())
    })
}

/// How many expressions a function has, as a length of tables.
fn len(function: &Function) -> usize {
    function.expressions.len()
}
