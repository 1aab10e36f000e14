//! Where values are used: which need a variable, and of which the bits of a NaN can be seen.

use crate::compile::ir::{Binary, Block, Cfg, Function, Op, Unary, Value};
use crate::compile::structure::Placement;

/// Facts about values, by index.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// The block that defines it.
    pub home: Vec<Option<Block>>,
    /// Whether it is used at all.
    pub is_used: Vec<bool>,
    /// Whether it is used where its name is not in scope.
    pub is_stored: Vec<bool>,
    /// Whether a use can tell NaNs apart.
    pub is_exact: Vec<bool>,
}

impl Uses {
    pub(super) fn new(function: &Function, cfg: &Cfg, placement: &Placement) -> Self {
        let count = function.value_count();
        let mut uses = Self {
            home: vec![None; count],
            is_used: vec![false; count],
            is_stored: vec![false; count],
            is_exact: vec![false; count],
        };
        for &block in &cfg.order {
            let data = function.block(block);
            for &value in data.params.iter().chain(&data.insts) {
                uses.home[value.0 as usize] = Some(block);
            }
        }
        for &block in &cfg.order {
            let data = function.block(block);
            for &inst in &data.insts {
                let op = function.op(inst);
                let hides_nan = hides_nan(op);
                op.for_each_operand(|value| {
                    uses.is_exact[value.0 as usize] |= !hides_nan;
                    uses.see(value, block, cfg, placement);
                });
            }
            data.terminator.for_each_operand(|value| {
                uses.is_exact[value.0 as usize] = true;
                uses.see(value, block, cfg, placement);
            });
            for edge in data.terminator.edges() {
                if placement.nest.is_header(edge.block) {
                    for &arg in &edge.args {
                        // It may be copied at the end of the loop.
                        uses.see_at(arg, edge.block, placement);
                    }
                }
            }
        }
        uses
    }

    fn see(&mut self, value: Value, block: Block, cfg: &Cfg, placement: &Placement) {
        self.is_used[value.0 as usize] = true;
        self.see_at(value, block, placement);
        // Its copies stand where it is jumped from.
        if placement.is_stub[block.0 as usize] && self.home[value.0 as usize] != Some(block) {
            for &before in cfg.predecessors(block) {
                self.see_at(value, before, placement);
            }
        }
    }

    fn see_at(&mut self, value: Value, block: Block, placement: &Placement) {
        if let Some(home) = self.home[value.0 as usize] {
            self.is_stored[value.0 as usize] |= !placement.is_in_scope(home, block);
        }
    }
}

/// Whether an operation gives a result that does not depend on the bits of a NaN operand.
const fn hides_nan(op: &Op) -> bool {
    match op {
        Op::Binary(binary, ..) => matches!(
            binary,
            Binary::Add
                | Binary::Sub
                | Binary::Mul
                | Binary::Div
                | Binary::Min
                | Binary::Max
                | Binary::Eq
                | Binary::Ne
                | Binary::Lt
                | Binary::Le
        ),
        Op::Unary(unary, _) => matches!(
            unary,
            Unary::Ceil
                | Unary::Floor
                | Unary::Truncate
                | Unary::Nearest
                | Unary::Sqrt
                | Unary::TruncateSaturateSigned(_)
                | Unary::TruncateSaturateUnsigned(_)
                | Unary::Demote
                | Unary::Promote
        ),
        _ => false,
    }
}
