//! The stack frame of a kernel with all its calls, and the variables in it.
//!
//! WebAssembly has no sizes of stack variables. The frame ends at the initial stack pointer and
//! begins at the lowest address that is computed from it by constants. Accesses whose bounds are
//! known divide it into variables.

use super::super::analysis::linear::LinearForms;
use super::super::analysis::provenance::Region;
use super::super::ir::{Cfg, Function, Op, Type};
use super::layout::MemoryLayout;
use super::survey::Use;

/// Bytes of a frame that is not in a linear memory, at most.
const MAX_FRAME: u32 = 1 << 16;

/// The extent of the stack frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The address of its first word; `None` if there is none, or it is too large.
    pub(super) first: Option<u32>,
}

impl Frame {
    /// The lowest constant offset from the stack pointer of all values decides.
    pub(super) fn new(
        function: &Function,
        cfg: &Cfg,
        forms: &LinearForms,
        layout: &MemoryLayout,
    ) -> Self {
        let mut lowest = 0_i32;
        for &block in &cfg.order {
            for &inst in &function.block(block).insts {
                if function.ty(inst) != Type::I32 {
                    continue;
                }
                let form = forms.get(function, inst);
                if let [(term, 1)] = form.terms[..]
                    && *function.op(term) == Op::StackPointer
                {
                    lowest = lowest.min(form.constant.cast_signed());
                }
            }
        }
        let bytes = lowest.unsigned_abs();
        let first = layout.stack_pointer.checked_sub(bytes);
        Self {
            first: first
                .filter(|_| (1..=MAX_FRAME).contains(&bytes))
                .map(|first| first & !15),
        }
    }

    /// Whether an access is in the frame, if its address is constant.
    pub(super) fn holds(self, one: &Use, layout: &MemoryLayout) -> bool {
        let Some(first) = self.first else {
            return false;
        };
        let Some(fixed) = one.fixed else {
            return true;
        };
        let end =
            u64::from(layout.stack_pointer.wrapping_add(fixed)) + u64::from(one.bytes.unwrap_or(0));
        layout.stack_pointer.wrapping_add(fixed) >= first && end <= u64::from(layout.stack_pointer)
    }

    /// The address ranges of the variables in the frame, in whole words: accesses that can overlap
    /// are in the same one. All is one if any access has unknown bounds.
    pub(super) fn variables(self, uses: &[Use], layout: &MemoryLayout) -> Vec<[u32; 2]> {
        let first = self.first.unwrap_or(layout.stack_pointer);
        let end = layout.stack_pointer;
        let uses = uses.iter().filter(|one| one.region == Region::Frame);
        let spans = uses.map(|one| {
            let is_inside = |span: &[u32; 2]| first <= span[0] && span[1] <= end;
            one.span.filter(is_inside)
        });
        let Some(mut spans) = spans.collect::<Option<Vec<[u32; 2]>>>() else {
            return vec![[first, end.div_ceil(4) * 4]];
        };
        spans.sort_unstable();
        let mut variables: Vec<[u32; 2]> = Vec::new();
        for [low, high] in spans {
            let high = high.div_ceil(4) * 4;
            match variables.last_mut() {
                Some(last) if low < last[1] => last[1] = last[1].max(high),
                _ => variables.push([low & !3, high]),
            }
        }
        variables
    }
}
