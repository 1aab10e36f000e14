//! One program representation for everything in Anywarp.
//!
//! In: WGSL text (naga's or WebGPU's dialect) or a [`naga::Module`].
//! Out: a [`Program`], which is a *validated* module together with its analysis, the source it came
//! from and a reflection of its interface. What always holds: a `Program` passed naga's validation,
//! so the crates behind it need no checks of well-formedness; no text, however hostile, makes this
//! crate panic or overflow the stack. It knows nothing of any device: a program may use features
//! that a device then refuses.
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

mod contract;
mod diagnostic;
mod dialect;
mod facts;
mod guard;
mod nesting;
pub mod operands;
mod reflect;
mod scan;
mod source;
mod specialize;
mod unfolded;

use std::borrow::Cow;
use std::sync::Arc;

pub use diagnostic::{Diagnostic, Label, ProgramError, Severity};
pub use naga;
pub use reflect::{
    Access, Binding, BindingKind, EntryPoint, Override, OverrideDefault, WorkgroupMemory,
    WorkgroupSize, stage_name,
};
pub use source::{Location, Source};
pub use specialize::Constants;

use facts::Facts;
use nesting::{MAX_DECLARATIONS, MAX_DEPTH, Nesting};

/// The longest text that is read. naga's spans end at 4 GiB; no shader comes near this.
const MAX_TEXT: usize = 64 << 20;

/// A validated shader module, with its source where there is one.
#[derive(Clone, Debug)]
pub struct Program {
    module: Arc<naga::Module>,
    info: Arc<naga::valid::ModuleInfo>,
    source: Option<Arc<Source>>,
    facts: Arc<Facts>,
    /// Of the text; nothing is known of modules that somebody else made.
    nesting: Nesting,
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
        let text = dialect::to_naga(source.text());
        let module = guard::run(&nesting, || naga::front::wgsl::parse_str(&text))
            .map_err(ProgramError::Internal)?
            .map_err(|error| match is_recursion_limit(&error) {
                true => too_deep(&nesting, &source),
                false => Diagnostic::from_parse(&error, &source),
            })?;
        Self::validated(module, Some(source), &nesting)
    }

    /// Validates a module that somebody else made.
    pub fn from_module(module: naga::Module) -> Result<Self, ProgramError> {
        Self::validated(module, None, &Nesting::default())
    }

    /// Wraps a module that passed naga's validation elsewhere, as wgpu-core does before it hands
    /// shaders to a device.
    pub fn from_validated(
        module: naga::Module,
        info: naga::valid::ModuleInfo,
        source: Option<Source>,
    ) -> Self {
        Self {
            module: Arc::new(module),
            info: Arc::new(info),
            source: source.map(Arc::new),
            facts: Arc::default(),
            nesting: Nesting::default(),
        }
    }

    fn validated(
        module: naga::Module,
        source: Option<Arc<Source>>,
        nesting: &Nesting,
    ) -> Result<Self, ProgramError> {
        // Every capability: whether a device has a feature is decided where the device is known.
        let validate = || {
            naga::valid::Validator::new(
                naga::valid::ValidationFlags::all(),
                naga::valid::Capabilities::all(),
            )
            .validate(&module)
            .map_err(Box::new)
        };
        let info = guard::run(nesting, validate)
            .map_err(ProgramError::Internal)?
            .map_err(|error| Diagnostic::from_validation(&error, &module, source.as_deref()))?;
        Ok(Self {
            module: Arc::new(module),
            info: Arc::new(info),
            source,
            facts: Arc::default(),
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

    /// The text this program came from, where it came from text.
    pub fn source(&self) -> Option<&Source> {
        self.source.as_deref()
    }

    /// The source as WGSL that naga, and so wgpu, reads: directives it lacks are blanked, every
    /// other byte stays in its place.
    pub fn naga_wgsl(&self) -> Option<Cow<'_, str>> {
        self.source().map(|source| dialect::to_naga(source.text()))
    }

    /// File, line and column of a span, where the source is known.
    pub fn locate(&self, span: naga::Span) -> Option<Location> {
        self.source()?.locate(span)
    }
}

/// Refuses what is too large to read, before naga sees it.
fn check_size(source: &Source) -> Result<Nesting, ProgramError> {
    let bytes = source.text().len();
    if bytes > MAX_TEXT {
        return Err(ProgramError::TooLarge(format!(
            "{} has {bytes} bytes; programs may have {MAX_TEXT}",
            source.name()
        )));
    }
    let nesting = nesting::measure(source.text());
    if nesting.depth > MAX_DEPTH {
        return Err(too_deep(&nesting, source).into());
    }
    if nesting.declarations > MAX_DECLARATIONS {
        return Err(ProgramError::TooLarge(format!(
            "{} has more than {MAX_DECLARATIONS} declarations",
            source.name()
        )));
    }
    Ok(nesting)
}

fn too_deep(nesting: &Nesting, source: &Source) -> Diagnostic {
    let place = nesting.deepest..nesting.deepest + 1;
    let note = format!(
        "expressions and statements may nest to a depth of about {MAX_DEPTH}, brackets to less"
    );
    Diagnostic::new(
        "the program is nested too deeply",
        [(place, String::new())],
        vec![note],
        Some(source),
    )
}

/// naga has a limit of its own for nested brackets, which it reports as an error without a place.
fn is_recursion_limit(error: &naga::front::wgsl::ParseError) -> bool {
    error.notes().any(|note| note.contains("recursion limit"))
}
