//! Jumps that need no text because the end of a block implies them.

use anywarp_program::naga::Statement;

/// The jump implied at the end of a block, which need not be written.
#[derive(Clone, Copy, Default)]
pub(super) struct ImpliedJump {
    pub(super) returns: bool,
    pub(super) breaks: bool,
    pub(super) continues: bool,
}

impl ImpliedJump {
    /// Whether a statement is this jump.
    pub(super) fn is(self, statement: &Statement) -> bool {
        match statement {
            Statement::Return { value: None } => self.returns,
            Statement::Break => self.breaks,
            Statement::Continue => self.continues,
            _ => false,
        }
    }
}
