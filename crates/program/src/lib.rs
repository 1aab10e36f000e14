//! The program representation of Anywarp: a validated naga module with its source, analyses and reflection.
//!
//! In: WGSL text (naga's or WebGPU's dialect), GLSL text or a [`naga::Module`]. Out: a [`Program`]: a *validated*
//! module with naga's analysis, its source and a reflection of its interface.
//!
//! What always holds: a `Program` passed naga's validation, so the crates that use it need not check well-formedness;
//! no text, however hostile, makes this crate panic or overflow the stack. It is independent of any device: a program
//! may use features that a device later refuses.
//!
//! ```
//! use anywarp_program::{Program, WorkgroupSize};
//!
//! let program = Program::from_wgsl(
//!     "override width: u32 = 64;
//!      @group(0) @binding(0) var<storage, read_write> numbers: array<vec4<f32>>;
//!      @compute @workgroup_size(width) fn double(@builtin(global_invocation_id) id: vec3<u32>) {
//!          numbers[id.x] *= 2.0;
//!      }",
//! )?;
//! let entry_point = program.entry_point(None)?;
//! assert_eq!(entry_point.name, "double");
//! assert_eq!(entry_point.workgroup_size, Some(WorkgroupSize::Known([64, 1, 1])));
//! assert_eq!(entry_point.bindings[0].ty, "array<vec4<f32>>");
//!
//! let error = Program::from_wgsl("fn f() -> f32 { return 1u; }").unwrap_err();
//! let location = error.diagnostic().unwrap().location().unwrap();
//! assert_eq!((location.line, location.column), (1, 24));
//! # Ok::<(), anywarp_program::ProgramError>(())
//! ```

#![forbid(unsafe_code)]

mod analysis_cache;
mod concretize;
mod contract;
mod diagnostic;
mod dialect;
pub mod float_extremes;
mod glsl;
mod infinite_literals;
mod naga_call;
mod nesting;
pub mod operands;
mod overrides_in_variables;
mod pointers;
mod reflect;
mod size_limits;
mod source;
mod specialize;
pub mod threads;
mod tokenizer;
pub mod uniformity;
pub mod units;
pub mod walk;
mod wgsl;
pub mod work;

use std::sync::Arc;

pub use diagnostic::{Diagnostic, Label, ProgramError, Severity};
pub use naga;
pub use naga_call::panic_message;
pub use reflect::{
    Binding, BindingAccess, BindingKind, EntryPoint, Override, OverrideDefault, WorkgroupMemory,
    WorkgroupSize, stage_name,
};
pub use source::{Location, Source};
pub use specialize::Constants;

use analysis_cache::AnalysisCache;
use nesting::{MAX_DECLARATIONS, MAX_DEPTH, MAX_OPERANDS, Nesting};
use pointers::Refusal;
use work::{MeteredText, WorkLimits};

/// Maximal length of a text. naga's spans end at 4 GiB; no shader comes near this.
const MAX_TEXT: usize = 64 << 20;

/// A validated shader module, with its source if it came from text.
#[derive(Clone, Debug)]
pub struct Program {
    module: Arc<naga::Module>,
    info: Arc<naga::valid::ModuleInfo>,
    source: Option<Arc<Source>>,
    wgsl: Wgsl,
    analyses: Arc<AnalysisCache>,
    /// Nesting of the text; unknown, and so zero, for modules passed in by the caller.
    nesting: Nesting,
}

/// WGSL text that naga parses to the program's module.
#[derive(Clone, Debug)]
enum Wgsl {
    /// The source in naga's dialect; `None` if the source is already in that dialect.
    Source(Option<Arc<str>>),
    /// There is no such text.
    Absent,
}

impl Program {
    /// Parses and validates WGSL text in either dialect.
    pub fn from_wgsl(text: &str) -> Result<Self, ProgramError> {
        Self::from_source(Source::new("shader.wgsl", text))
    }

    /// Like [`Program::from_wgsl`]; diagnostics name the source's file.
    pub fn from_source(source: Source) -> Result<Self, ProgramError> {
        let source = Arc::new(source);
        let nesting = check_size(&source)?;
        size_limits::check_wgsl(&source, &nesting)?;
        wgsl::read(&source, &nesting)
    }

    /// Parses and validates GLSL text for a stage.
    ///
    /// ```
    /// use anywarp_program::Program;
    /// use anywarp_program::naga::ShaderStage;
    ///
    /// let program = Program::from_glsl(
    ///     "#version 450
    ///      layout(local_size_x = 64) in;
    ///      layout(set = 0, binding = 0) buffer Numbers { float numbers[]; };
    ///      void main() { numbers[gl_GlobalInvocationID.x] *= 2.0; }",
    ///     ShaderStage::Compute,
    /// )?;
    /// assert_eq!(program.entry_point(None)?.name, "main");
    /// # Ok::<(), anywarp_program::ProgramError>(())
    /// ```
    pub fn from_glsl(text: &str, stage: naga::ShaderStage) -> Result<Self, ProgramError> {
        Self::from_glsl_source(Source::new("shader.glsl", text), stage)
    }

    /// Like [`Program::from_glsl`]; diagnostics name the source's file.
    pub fn from_glsl_source(
        source: Source,
        stage: naga::ShaderStage,
    ) -> Result<Self, ProgramError> {
        let (module, nesting) = glsl::parse(&source, stage)?;
        Self::validated(module, Some(Arc::new(source)), Wgsl::Absent, &nesting)
    }

    /// Validates a module made by the caller.
    pub fn from_module(module: naga::Module) -> Result<Self, ProgramError> {
        Self::validated(module, None, Wgsl::Absent, &Nesting::default())
    }

    /// Validates a module that was parsed elsewhere, as wgpu-core does before it passes shaders to a device. Diagnostics
    /// point into the source, if it is known: the spans of the module must be offsets into its text.
    ///
    /// naga has validated such a module once. It is validated again, because the engines rely on the validity of a
    /// program and its analysis, and nothing in the types ties the two together; this takes a small part of the time of
    /// compiling the shader. The nesting of the module is not measured, so the caller's stack must suffice for naga.
    pub fn from_parsed(module: naga::Module, source: Option<Source>) -> Result<Self, ProgramError> {
        // naga has parsed the source unchanged.
        let wgsl = source.as_ref().map_or(Wgsl::Absent, |_| Wgsl::Source(None));
        Self::validated(module, source.map(Arc::new), wgsl, &Nesting::default())
    }

    fn validated(
        module: naga::Module,
        source: Option<Arc<Source>>,
        wgsl: Wgsl,
        nesting: &Nesting,
    ) -> Result<Self, ProgramError> {
        let name = source.as_deref().map_or("the module", Source::name);
        size_limits::check_module(&module, name)?;
        let (module, wgsl) = match direct(&module, source.as_deref(), nesting)? {
            Some(module) => (module, Wgsl::Absent),
            None => (module, wgsl),
        };
        // All capabilities: features are checked where the device is known.
        let validate = || {
            naga::valid::Validator::new(
                naga::valid::ValidationFlags::all(),
                naga::valid::Capabilities::all(),
            )
            .validate(&module)
            .map_err(Box::new)
        };
        let info = naga_call::run(nesting, validate)?
            .map_err(|error| Diagnostic::from_validation(&error, &module, source.as_deref()))?;
        infinite_literals::check(&module, source.as_deref())?;
        Ok(Self {
            module: Arc::new(module),
            info: Arc::new(info),
            source,
            wgsl,
            analyses: Arc::default(),
            nesting: *nesting,
        })
    }

    /// The naga module.
    pub fn module(&self) -> &naga::Module {
        &self.module
    }

    /// naga's analysis of the module.
    pub fn info(&self) -> &naga::valid::ModuleInfo {
        &self.info
    }

    /// The text that the program was parsed from, if any.
    pub fn source(&self) -> Option<&Source> {
        self.source.as_deref()
    }

    /// The source as WGSL that naga, and so wgpu, can parse: unsupported directives are blanked, all other bytes keep
    /// their offsets. `None` for programs that did not come from WGSL, and for those whose module was changed after
    /// parsing: use the module then.
    pub fn naga_wgsl(&self) -> Option<&str> {
        match &self.wgsl {
            Wgsl::Source(None) => self.source().map(Source::text),
            Wgsl::Source(Some(text)) => Some(text),
            Wgsl::Absent => None,
        }
    }

    /// The module printed as WGSL by naga's writer, for devices that accept only WGSL. Its line numbers differ from the
    /// source's.
    pub fn written_wgsl(&self) -> Result<String, ProgramError> {
        let flags = naga::back::wgsl::WriterFlags::empty();
        let write = || {
            let text = MeteredText::new(WorkLimits::TRANSLATION);
            let mut writer = naga::back::wgsl::Writer::new(text, flags);
            let written = writer.write(&self.module, &self.info);
            (written, writer.finish().finish())
        };
        let (written, (text, over)) = naga_call::run(&self.nesting, write)?;
        if let Some(over) = over {
            let name = self.source().map_or("the module", Source::name);
            return Err(ProgramError::TooLarge(format!(
                "{name} takes {over} as WGSL by naga"
            )));
        }
        written.map_err(|error| ProgramError::Internal(error.to_string()))?;
        Ok(text)
    }

    /// File, line and column of a span, if the source is known.
    pub fn locate(&self, span: naga::Span) -> Option<Location> {
        self.source()?.locate(span)
    }
}

/// Refuses texts over the size limits, before naga parses them.
fn check_size(source: &Source) -> Result<Nesting, ProgramError> {
    check_bytes(source)?;
    let nesting = nesting::measure(source.text());
    if nesting.depth > MAX_DEPTH {
        return Err(too_deep(nesting.deepest, source).into());
    }
    if nesting.declarations > MAX_DECLARATIONS {
        return Err(ProgramError::TooLarge(format!(
            "{} has more than {MAX_DECLARATIONS} declarations",
            source.name()
        )));
    }
    check_length(&nesting, source)?;
    Ok(nesting)
}

/// Refuses functions for which naga would take too long.
pub(crate) fn check_length(nesting: &Nesting, source: &Source) -> Result<(), ProgramError> {
    if nesting.operands <= MAX_OPERANDS {
        return Ok(());
    }
    let start = nesting.longest as u32;
    let place = source.locate(naga::Span::new(start, start));
    let place = place.map_or_else(|| source.name().to_owned(), |location| location.to_string());
    Err(ProgramError::TooLarge(format!(
        "the function at {place} has more than {MAX_OPERANDS} words, numbers and operators, \
         and naga takes time quadratic in them"
    )))
}

fn check_bytes(source: &Source) -> Result<(), ProgramError> {
    let bytes = source.text().len();
    if bytes > MAX_TEXT {
        return Err(ProgramError::TooLarge(format!(
            "{} has {bytes} bytes; programs may have {MAX_TEXT}",
            source.name()
        )));
    }
    Ok(())
}

fn too_deep(deepest: usize, source: &Source) -> Diagnostic {
    let place = [(deepest..deepest + 1, String::new())];
    let note = format!(
        "expressions and statements may nest to a depth of about {MAX_DEPTH}, brackets to less"
    );
    Diagnostic::new(
        "the program is nested too deeply",
        place,
        vec![note],
        Some(source),
    )
}

/// The module without pointer parameters into shared memory. `None` if there are none, or if naga's validator reports a
/// better error about them.
fn direct(
    module: &naga::Module,
    source: Option<&Source>,
    nesting: &Nesting,
) -> Result<Option<naga::Module>, ProgramError> {
    let direct = naga_call::run(nesting, || pointers::without_shared_pointers(module))?;
    let name = source.map_or("the module", Source::name);
    match direct {
        Ok(direct) => Ok(direct),
        Err(Refusal::Unknown) => Ok(None),
        Err(Refusal::TooMany) => Err(ProgramError::TooLarge(Refusal::too_many(name))),
        Err(Refusal::TooLarge) => Err(ProgramError::TooLarge(Refusal::too_large(name))),
        Err(Refusal::ArgumentType {
            place,
            function,
            argument,
            required,
        }) => {
            let ty = reflect::spell_type(module, required);
            let message = format!("argument {} must be of type `{ty}`", argument + 1);
            let notes = vec![format!("in a call of `{function}`")];
            let label = place.map(|range| (range, String::new()));
            Err(Diagnostic::new(&message, label, notes, source).into())
        }
    }
}
