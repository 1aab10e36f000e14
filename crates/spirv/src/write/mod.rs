//! SPIR-V writer: naga's, with passes before and after it.
//!
//! In: a validated program. Out: the words of a SPIR-V module for Vulkan. Constructs that naga's writer does not
//! support, or translates incorrectly, are removed from the module first (`constants`, `discard`, `naga_workarounds`,
//! `pointer_arguments`, `unsigned_sign`) and inserted into the words afterwards (`postprocess`).
//!
//! What always holds:
//! - Each parameter of an entry point is an `Input` variable, one per member if it is a struct; results are `Output`
//!   variables likewise. A variable has either a builtin or a location. Interface lists name these and, from SPIR-V 1.4
//!   on, all global variables that the entry point uses through calls.
//! - `position.y` is not negated unless the options ask for it.
//! - No program makes this panic.
//! - naga writes each expression once, so the work is proportional to the module. Its expressions are counted before
//!   writing, its words after.

mod constants;
mod discard;
mod error;
mod features;
mod let_names;
mod marker;
mod naga_workarounds;
mod pointer_arguments;
mod postprocess;
mod unsigned_sign;
mod unsupported;

use std::any::Any;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use anywarp_program::naga::back::pipeline_constants::process_overrides;
use anywarp_program::naga::back::spv;
use anywarp_program::naga::compact::{KeepUnused, compact};
use anywarp_program::naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use anywarp_program::naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use anywarp_program::naga::{AddressSpace, ArraySize, Module, TypeInner};
use anywarp_program::threads;
use anywarp_program::work::{Meter, OverBudget, WorkLimits};
use anywarp_program::{Program, panic_message};

use constants::SpecConstantPlan;
pub use error::SpirvError;
use features::{Corrections, ProgramFeatures};

/// What `discard` becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Discard {
    /// Demotion from SPIR-V 1.6 on, where it is core; `OpKill` before.
    #[default]
    ByVersion,
    /// Demotion to a helper invocation, which is WGSL's semantics: derivatives stay defined. Before SPIR-V 1.6 this
    /// needs the extension `SPV_EXT_demote_to_helper_invocation`.
    Demote,
    /// `OpKill` terminates the invocation.
    Kill,
}

/// Options of the SPIR-V writer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpirvOptions {
    /// Major and minor version, 1.0 to 1.6.
    pub version: (u8, u8),
    /// The only entry point to write; `None` writes all.
    pub entry_point: Option<String>,
    /// Writes overrides as constants with their default values, instead of specialization constants.
    pub freeze_constants: bool,
    /// Negates `position.y`, because the y axis of Vulkan's clip space is inverted.
    pub flip_y: bool,
    /// Writes the names of the program as `OpName`.
    pub debug_names: bool,
    /// What `discard` becomes.
    pub discard: Discard,
    /// Clamps indices out of bounds, which is one of the behaviors that WGSL allows, and returns zero for texels out
    /// of bounds. If off, such accesses are undefined. Arrays sized by an override are never guarded; buffers are not
    /// guarded if the program has an array of buffers of unknown length.
    pub check_bounds: bool,
    /// Maximal number of threads for a large program; by default the number of cores. It does not affect the output.
    pub threads: Option<NonZeroUsize>,
    /// Limits on words and work; a step is an expression.
    pub limits: WorkLimits,
}

impl Default for SpirvOptions {
    fn default() -> Self {
        Self {
            version: (1, 3),
            entry_point: None,
            freeze_constants: false,
            flip_y: false,
            debug_names: true,
            discard: Discard::ByVersion,
            check_bounds: false,
            threads: None,
            limits: WorkLimits::TRANSLATION,
        }
    }
}

/// Writes a program as SPIR-V.
///
/// ```
/// use anywarp_program::Program;
/// use anywarp_spirv::{SpirvOptions, write_spirv};
///
/// let program = Program::from_wgsl("@compute @workgroup_size(1) fn main() {}")?;
/// let words = write_spirv(&program, &SpirvOptions::default())?;
/// assert_eq!(words[..2], [0x0723_0203, 0x0001_0300]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_spirv(program: &Program, options: &SpirvOptions) -> Result<Vec<u32>, SpirvError> {
    let features = features(program, options.threads);
    contained(features.depth, || write(program, &features, options))
}

/// The features of a program, computed by the first call for it and cached.
fn features(program: &Program, threads: Option<NonZeroUsize>) -> Arc<ProgramFeatures> {
    program.cached_analysis(|program| {
        let expressions = threads::expressions(program.module());
        let threads =
            threads::count(expressions, features::EXPRESSIONS_PER_THREAD, threads).min(MAX_THREADS);
        ProgramFeatures::of(program, threads)
    })
}

/// More threads than this take longer to start than they save.
const MAX_THREADS: usize = 4;

/// An estimate of the number of words, to avoid reallocation. It is rather too large: untouched pages take no memory.
fn likely_words(module: &Module) -> usize {
    let declared = module.types.len() + module.global_variables.len() + module.functions.len();
    // Functions may have many unused expressions, which are not written.
    let functions = (8 * threads::expressions(module)).min(4 << 20);
    1024 + 32 * declared + functions
}

/// Block nesting for which any stack suffices; depends on whether naga is optimized.
const SHALLOW: usize = if cfg!(debug_assertions) { 16 } else { 64 };

/// Runs naga's writer with enough stack for nested statements, and turns its panics into errors.
///
/// The passes here remove what naga is known to panic on; this catches the rest. No half-modified state is visible
/// afterwards, because the module is a copy.
fn contained<T: Send>(
    depth: usize,
    call: impl FnOnce() -> Result<T, SpirvError> + Send,
) -> Result<T, SpirvError> {
    // Without threads the caller's stack has to suffice.
    if depth <= SHALLOW || cfg!(target_family = "wasm") {
        return caught(call);
    }
    std::thread::scope(|scope| {
        // naga recurses over nested statements.
        let thread = std::thread::Builder::new().stack_size(threads::STACK);
        let thread = thread.spawn_scoped(scope, || caught(call));
        let thread = thread.map_err(|error| {
            SpirvError::Naga(format!("no thread for a deeply nested program: {error}"))
        })?;
        thread.join().unwrap_or_else(|panic| Err(panicked(&*panic)))
    })
}

/// Converts a panic into an error.
fn caught<T>(call: impl FnOnce() -> Result<T, SpirvError>) -> Result<T, SpirvError> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| Err(panicked(&*panic)))
}

fn panicked(panic: &(dyn Any + Send)) -> SpirvError {
    SpirvError::Naga(panic_message(panic))
}

fn check_version(options: &SpirvOptions) -> Result<(), SpirvError> {
    match options.version {
        (1, 0..=6) => Ok(()),
        (major, minor) => Err(SpirvError::Version(major, minor)),
    }
}

fn write(
    program: &Program,
    features: &ProgramFeatures,
    options: &SpirvOptions,
) -> Result<Vec<u32>, SpirvError> {
    check_version(options)?;
    let meter = Meter::new(options.limits);
    check_work(program.module(), &meter)?;
    unsupported::external(program.module())?;
    if options.entry_point.is_none() && features.is_plain(program, demotes(options)) {
        let (module, info) = (program.module(), program.info());
        unsupported::check_plain(module, info, features, options.version)?;
        let corrections = features.corrections(module);
        return words(
            module,
            info,
            &SpecConstantPlan::default(),
            corrections,
            options,
            &meter,
        );
    }
    let mut module = program.module().clone();
    let numbers = constants::assign_spec_ids(&module);
    choose_entry_point(&mut module, options.entry_point.as_deref())?;
    if !module.entry_points.is_empty() {
        // Unused declarations would require device features that nothing uses.
        compact(&mut module, KeepUnused::No);
    }
    let plan = if options.freeze_constants {
        module = frozen(&module)?;
        SpecConstantPlan::default()
    } else {
        constants::lower(&mut module, &numbers)?
    };
    pointer_arguments::copy(&mut module);
    if demotes(options) {
        discard::mark(&mut module);
    }
    let mut info = validated(&module)?;
    unsupported::check(&module, &info, options.version)?;
    if options.check_bounds {
        unsupported::check_indices(&module, &info)?;
    }
    if naga_workarounds::rewrite(&mut module, &info) {
        info = validated(&module)?;
    }
    unsigned_sign::replace(&mut module, &info);
    words(&module, &info, &plan, Corrections::Any, options, &meter)
}

/// Counts the expressions of all functions before writing.
fn check_work(module: &Module, meter: &Meter) -> Result<(), SpirvError> {
    let functions = module
        .functions
        .iter()
        .map(|(_, function)| ("function", function.name.as_deref(), function));
    let points = module.entry_points.iter();
    let points = points.map(|entry_point| {
        (
            "entry point",
            Some(entry_point.name.as_str()),
            &entry_point.function,
        )
    });
    for (kind, name, function) in functions.chain(points) {
        let steps = meter.tick(function.expressions.len() as u64);
        steps.map_err(|over| SpirvError::OverBudget {
            place: format!("{kind} `{}`", name.unwrap_or("unnamed")),
            over,
        })?;
    }
    Ok(())
}

/// Counts the words of the module.
fn check_words(words: &[u32], meter: &Meter) -> Result<(), SpirvError> {
    let counted = meter.check_time();
    let counted = counted.and_then(|()| {
        meter.restart();
        meter.allocate(4 * words.len() as u64)
    });
    counted.map_err(|over: OverBudget| SpirvError::OverBudget {
        place: "the module".to_owned(),
        over,
    })
}

/// Writes the words with naga, and corrects them as far as `corrections` asks for.
fn words(
    module: &Module,
    info: &ModuleInfo,
    plan: &SpecConstantPlan,
    corrections: Corrections,
    options: &SpirvOptions,
    meter: &Meter,
) -> Result<Vec<u32>, SpirvError> {
    let mut naga_options = naga_options(module, options);
    // Post-processing finds markers by name; names are removed there if they are not wanted.
    naga_options.flags.set(
        spv::WriterFlags::DEBUG,
        options.debug_names || corrections == Corrections::Any,
    );
    let failed = |error: spv::Error| SpirvError::Naga(error.to_string());
    let mut words = Vec::with_capacity(likely_words(module));
    let mut writer = spv::Writer::new(&naga_options).map_err(failed)?;
    let is_read = threads::expressions(module) <= let_names::MAX_EXPRESSIONS;
    let marked = if options.debug_names && is_read {
        let_names::mark(module)
    } else {
        None
    };
    let source = let_names::source();
    let lines = marked.as_ref().map(|_| spv::DebugInfo {
        source_code: &source,
        file_name: "",
        language: spv::SourceLanguage::WGSL,
    });
    let written = marked.as_ref().map_or(module, |(marked, _)| marked);
    let written = writer.write(written, info, None, &lines, &mut words);
    written.map_err(failed)?;
    if let Some((_, names)) = &marked {
        words = let_names::name(&words, names);
    }
    let settings = postprocess::OutputSettings {
        version: options.version,
        names: options.debug_names,
    };
    let words = match corrections {
        Corrections::Any => postprocess::correct(words, plan, &settings),
        Corrections::Comparisons => postprocess::correct_comparisons(words, &settings, true),
        Corrections::None => postprocess::correct_comparisons(words, &settings, false),
    }?;
    check_words(&words, meter)?;
    Ok(words)
}

fn choose_entry_point(module: &mut Module, name: Option<&str>) -> Result<(), SpirvError> {
    let Some(name) = name else { return Ok(()) };
    if module.entry_points.iter().all(|entry| entry.name != name) {
        let known: Vec<_> = module
            .entry_points
            .iter()
            .map(|entry| format!("`{}`", entry.name))
            .collect();
        let known = if known.is_empty() {
            "none".to_owned()
        } else {
            known.join(", ")
        };
        return Err(SpirvError::EntryPoint {
            name: name.to_owned(),
            known,
        });
    }
    module.entry_points.retain(|entry| entry.name == name);
    Ok(())
}

fn demotes(options: &SpirvOptions) -> bool {
    match options.discard {
        Discard::ByVersion => options.version >= (1, 6),
        Discard::Demote => true,
        Discard::Kill => false,
    }
}

/// The module with its overrides replaced by their default values.
fn frozen(module: &Module) -> Result<Module, SpirvError> {
    let info = validated(module)?;
    let frozen = process_overrides(module, &info, None, &Default::default());
    let (module, _) = frozen.map_err(|error| {
        let reason = error.to_string();
        SpirvError::Constant(format!(
            "the constants cannot be frozen: {}",
            reason.to_lowercase()
        ))
    })?;
    Ok(module.into_owned())
}

/// naga's analysis of a module changed by this writer.
fn validated(module: &Module) -> Result<ModuleInfo, SpirvError> {
    Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(module)
        .map_err(|error| SpirvError::Naga(error.into_inner().to_string()))
}

fn naga_options(module: &Module, options: &SpirvOptions) -> spv::Options<'static> {
    let mut flags = spv::WriterFlags::empty();
    flags.set(spv::WriterFlags::LABEL_VARYINGS, options.debug_names);
    flags.set(spv::WriterFlags::ADJUST_COORDINATE_SPACE, options.flip_y);
    let checked = |policy| {
        if options.check_bounds {
            policy
        } else {
            BoundsCheckPolicy::Unchecked
        }
    };
    // naga does not know the length of an array of buffers, and reports an error if bounds checks need it.
    let counts_buffers = !module.global_variables.iter().any(|(_, global_variable)| {
        global_variable.space != AddressSpace::Handle
            && matches!(
                module.types[global_variable.ty].inner,
                TypeInner::BindingArray {
                    size: ArraySize::Dynamic,
                    ..
                }
            )
    });
    let in_buffers = if counts_buffers {
        checked(BoundsCheckPolicy::Restrict)
    } else {
        BoundsCheckPolicy::Unchecked
    };
    spv::Options {
        lang_version: options.version,
        flags,
        bounds_check_policies: BoundsCheckPolicies {
            index: checked(BoundsCheckPolicy::Restrict),
            buffer: in_buffers,
            image_load: checked(BoundsCheckPolicy::ReadZeroSkipWrite),
            binding_array: BoundsCheckPolicy::Unchecked,
        },
        // The program has no loop counters, so none are added.
        force_loop_bounding: false,
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_always_has_the_same_words() {
        let program = Program::from_wgsl(
            "override a: u32 = 2; override b: u32 = 3;
            @compute @workgroup_size(a) fn one() {}
            @compute @workgroup_size(b, a) fn two() {}
            @compute @workgroup_size(1, b) fn three() {}",
        );
        let program = program.expect("valid");
        let options = SpirvOptions {
            version: (1, 6),
            ..SpirvOptions::default()
        };
        let words = write_spirv(&program, &options).expect("written");
        for _ in 0..16 {
            assert_eq!(write_spirv(&program, &options).as_ref(), Ok(&words));
        }
    }
}
