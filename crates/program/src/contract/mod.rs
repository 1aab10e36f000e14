//! Floating-point contraction: fuses multiplications and additions into `fma` (LLVM: `-ffp-contract=fast`).
//!
//! In: a program. Out: the same program, in which `a * b + c`, `c + a * b`, `a * b - c` and `c - a * b` on `f32` and
//! `f32` vectors are `fma`, which rounds once. `dot` is expanded into `fma(a.y, b.y, a.x * b.x)` and so on. WGSL allows
//! this. It is done in one place, so that all execution engines produce the same bits.
//!
//! What always holds:
//! - Nothing is reordered; a fused addition is the exact result rounded once, signs of zeros included.
//! - A product is fused into all its uses or into none, so no product is computed more often than before.
//! - Values that pass through a variable in memory are not fused.
//!
//! Not changed: `f16` and `f64` (engines compute them in other widths), constant expressions, products with matrices,
//! and functions with an error bound of their own such as `length`: each stays one operation, rounded as in the
//! reference evaluator.
//!
//! Time is linear in the number of expressions.

mod plan;
mod rebuild;

use std::sync::Arc;

use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Function, Module};

use crate::naga_call::{self, NagaCallError};
use crate::{Program, ProgramError};
use plan::Plan;

/// The cached result of contraction; `None` if the program does not change.
struct Contracted(Result<Option<Program>, ContractError>);

/// Why a program cannot be contracted: a bug.
#[derive(Clone, Debug, thiserror::Error)]
enum ContractError {
    #[error(transparent)]
    Naga(#[from] NagaCallError),
    /// naga refuses the contracted module.
    #[error("{0}")]
    Invalid(String),
}

impl Program {
    /// The program with floating-point contraction applied to all functions.
    ///
    /// ```
    /// use anywarp_program::Program;
    ///
    /// let program = Program::from_wgsl("fn f(a: f32, b: f32, c: f32) -> f32 { return a * b + c; }")?;
    /// let fused = program.contracted()?;
    /// let (_, function) = fused.module().functions.iter().next().unwrap();
    /// // The three arguments and the `fma`.
    /// assert_eq!(function.expressions.len(), 4);
    /// # Ok::<(), anywarp_program::ProgramError>(())
    /// ```
    pub fn contracted(&self) -> Result<Program, ProgramError> {
        let known = self.cached_analysis(|program| Contracted(contract_contained(program)));
        match &known.0 {
            Ok(Some(program)) => Ok(program.clone()),
            Ok(None) => Ok(self.clone()),
            Err(error) => Err(ProgramError::Internal(error.to_string())),
        }
    }
}

/// [`contract`] with enough stack, and without its panics.
fn contract_contained(program: &Program) -> Result<Option<Program>, ContractError> {
    naga_call::run(&program.nesting, || contract(program))?
}

/// Contracts all functions; `None` if nothing can be fused.
fn contract(program: &Program) -> Result<Option<Program>, ContractError> {
    let (module, info) = (program.module(), program.info());
    let functions = module.functions.iter();
    let functions =
        functions.map(|(handle, function)| Plan::of(function, &info[handle], &module.types));
    let functions: Vec<_> = functions.collect();
    let points = module.entry_points.iter().enumerate();
    let points = points.map(|(index, entry_point)| {
        Plan::of(
            &entry_point.function,
            info.get_entry_point(index),
            &module.types,
        )
    });
    let points: Vec<_> = points.collect();
    if functions.iter().chain(&points).all(Option::is_none) {
        return Ok(None);
    }
    let mut module = module.clone();
    let inner = module.functions.iter_mut().map(|(_, function)| function);
    let outer = module
        .entry_points
        .iter_mut()
        .map(|entry_point| &mut entry_point.function);
    for (function, plan) in inner.zip(&functions).chain(outer.zip(&points)) {
        if let Some(plan) = plan {
            rebuild::rebuild(function, plan);
        }
    }
    let info = analyze(&module)?;
    Ok(Some(Program {
        module: Arc::new(module),
        info: Arc::new(info),
        source: program.source.clone(),
        wgsl: program.wgsl.clone(),
        analyses: Arc::default(),
        nesting: program.nesting,
    }))
}

/// Runs naga's analysis on the rebuilt module. Full validation only with debug assertions.
fn analyze(module: &Module) -> Result<ModuleInfo, ContractError> {
    let flags = if cfg!(debug_assertions) {
        ValidationFlags::all()
    } else {
        ValidationFlags::empty()
    };
    let info = Validator::new(flags, Capabilities::all()).validate(module);
    info.map_err(|error| {
        let error = error.into_inner();
        let source = std::error::Error::source(&error).map(ToString::to_string);
        ContractError::Invalid(format!("{error}: {}", source.unwrap_or_default()))
    })
}

/// Number of expressions of a function, for tables indexed by expression.
fn len(function: &Function) -> usize {
    function.expressions.len()
}
