//! One program representation for everything in Anywarp.
//!
//! In: WGSL text (naga's or WebGPU's dialect) or a [`naga::Module`].
//! Out: a [`Program`], which is a *validated* module together with its analysis, the source it came
//! from and a reflection of its interface. What always holds: a `Program` passed naga's validation,
//! so the crates behind it need no checks of well-formedness. It knows nothing of any device.

mod diagnostic;
mod dialect;
mod reflect;
mod source;
mod specialize;

use std::sync::Arc;

pub use diagnostic::{Diagnostic, ProgramError};
pub use naga;
pub use source::{Location, Source};
pub use specialize::Constants;

/// A validated shader module, with its source where there is one.
#[derive(Clone, Debug)]
pub struct Program {
    module: Arc<naga::Module>,
    info: Arc<naga::valid::ModuleInfo>,
    source: Option<Arc<Source>>,
}

impl Program {
    /// Parses and validates WGSL text in either dialect.
    pub fn from_wgsl(text: &str) -> Result<Self, ProgramError> {
        Self::from_source(Source::new("shader.wgsl", text))
    }

    /// Like [`Program::from_wgsl`]; diagnostics name the source's file.
    pub fn from_source(source: Source) -> Result<Self, ProgramError> {
        let source = Arc::new(source);
        let module = naga::front::wgsl::parse_str(&dialect::to_naga(source.text()))
            .map_err(|error| Diagnostic::from_parse(&error, &source))?;
        Self::validated(module, Some(source))
    }

    /// Validates a module that somebody else made.
    pub fn from_module(module: naga::Module) -> Result<Self, ProgramError> {
        Self::validated(module, None)
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
        }
    }

    fn validated(module: naga::Module, source: Option<Arc<Source>>) -> Result<Self, ProgramError> {
        let info = naga::valid::Validator::new(
            naga::valid::ValidationFlags::all(),
            naga::valid::Capabilities::all(),
        )
        .validate(&module)
        .map_err(|error| Diagnostic::from_validation(&error, source.as_ref()))?;
        Ok(Self {
            module: Arc::new(module),
            info: Arc::new(info),
            source,
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

    /// File, line and column of a span, where the source is known.
    pub fn locate(&self, span: naga::Span) -> Option<Location> {
        self.source()?.locate(span)
    }
}
