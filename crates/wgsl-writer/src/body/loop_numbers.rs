//! Numbers the loops of a function.
//!
//! In: the statements of a function in the order of its text. Out: for each nested block the number of the innermost
//! loop around it: 0 outside loops. What always holds: analyses that visit the statements in this order number the loops
//! alike, so they can compare where an expression is evaluated and where it is written.

use anywarp_program::naga::Statement;

/// The number of loops entered so far.
#[derive(Debug, Default)]
pub(super) struct LoopNumbers(u32);

impl LoopNumbers {
    /// The number of the loop around the blocks of a statement, which is itself in loop `home`.
    pub(super) fn enter(&mut self, statement: &Statement, home: u32) -> u32 {
        match statement {
            Statement::Loop { .. } => {
                self.0 += 1;
                self.0
            }
            _ => home,
        }
    }
}
