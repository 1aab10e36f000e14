//! The observer of a compilation: it sees the IR and the code, and cannot change them.

use anywarp_codegen::Code;
use anywarp_lanes::ir::Function;

/// When an observer sees the IR of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IrStage {
    /// After lowering, before the first pass.
    Lowered,
    /// After a pass, by its name in [`pass::names`](anywarp_lanes::pass::names). Passes that run several times are
    /// observed each time.
    Pass(&'static str),
    /// After the last pass: this is the IR from which code is generated.
    Final,
}

/// Sees the intermediate results of a compilation. `()` ignores them.
///
/// A kernel that is compiled again with calls instead of inlining is observed again, from the beginning.
pub trait Observer {
    /// The IR of the entry point (`callee` is `None`), or of a callee by its number. `Display` of the function is its
    /// text form.
    fn ir(&mut self, stage: IrStage, callee: Option<usize>, function: &Function) {
        let _ = (stage, callee, function);
    }

    /// The code of the entry point, or of a callee by its number; see [`Code::disassembly`].
    fn code(&mut self, callee: Option<usize>, code: &Code) {
        let _ = (callee, code);
    }
}

impl Observer for () {}
