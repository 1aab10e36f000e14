//! Values and reports by memory layout.
//!
//! Built on [`anywarp::reflection::Layout`]: the members that `inspect` prints ([`report`]), the encoding of values by
//! member name ([`encode`]) and the decoding of bytes ([`decode`]).

mod decode;
mod encode;
mod report;

pub(crate) use decode::Decoded;
pub(crate) use encode::{EncodeError, Encoder};
pub(crate) use report::{LayoutReport, ReportBudget, lines};

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use anywarp::reflection::Layout;
    use anywarp_program::Program;

    /// The layout of a module's first variable.
    pub(super) fn layout(text: &str) -> Arc<Layout> {
        let program = Program::from_wgsl(text).unwrap_or_else(|error| panic!("{error}"));
        let (_, variable) = program.module().global_variables.iter().next().unwrap();
        Layout::new(program.module(), variable.ty).unwrap()
    }
}
