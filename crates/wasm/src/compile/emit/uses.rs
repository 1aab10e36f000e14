//! Where values are used: which need a variable, and of which the bits of a NaN can be seen.

use crate::compile::ir::{Binary, Block, Cfg, Function, Op, Unary, Value};
use crate::compile::structure::{Item, Placement, Regions};

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
    /// For each block the loop in whose body it stands directly.
    pub loop_of_body: Vec<Option<Block>>,
}

impl Uses {
    pub(super) fn new(function: &Function, cfg: &Cfg, regions: &Regions) -> Self {
        let placement = &regions.placement;
        let count = function.value_count();
        let mut uses = Self {
            home: vec![None; count],
            is_used: vec![false; count],
            is_stored: vec![false; count],
            is_exact: vec![false; count],
            loop_of_body: vec![None; function.blocks.len()],
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
        }
        uses.loops(&regions.body, None, placement);
        uses
    }

    /// Uses at the ends of loops. The recursion follows the nesting of the tree, which is limited.
    fn loops(&mut self, items: &[Item], around: Option<Block>, placement: &Placement) {
        for item in items {
            match item {
                Item::Code(block) => self.loop_of_body[block.0 as usize] = around,
                Item::Guard { body, .. } => self.loops(body, None, placement),
                Item::If { yes, no, .. } => {
                    self.loops(yes, None, placement);
                    self.loops(no, None, placement);
                }
                Item::Switch { cases, default, .. } => {
                    let cases = cases.iter().map(|case| &case.body);
                    cases
                        .chain([default])
                        .for_each(|body| self.loops(body, None, placement));
                }
                Item::Loop {
                    header,
                    body,
                    continuing,
                    ..
                } => {
                    self.loops(body, Some(*header), placement);
                    for &(_, arg) in continuing {
                        let home = self.home[arg.0 as usize];
                        let is_direct = home.is_some_and(|home| {
                            self.loop_of_body[home.0 as usize] == Some(*header)
                        });
                        if !is_direct {
                            self.see_at(arg, *header, placement);
                        }
                    }
                }
                _ => {}
            }
        }
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
