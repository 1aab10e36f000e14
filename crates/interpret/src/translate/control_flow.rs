//! Translates `if`, `switch` and `loop` to jumps.

use naga::{Block, Expression, Handle, Span, SwitchCase, SwitchValue};

use super::function::FunctionTranslator;
use crate::KernelError;
use crate::bytecode::{Instr, Pc, SwitchTable};

/// The target of `break`: a loop or a switch.
pub(super) struct Breakable {
    breaks: Vec<Pc>,
    /// The jumps of `continue`; `None` for a `switch`, which `continue` ignores.
    continues: Option<Vec<Pc>>,
}

impl<'a> FunctionTranslator<'a, '_> {
    pub(super) fn if_statement(
        &mut self,
        condition: Handle<Expression>,
        accept: &'a Block,
        reject: &'a Block,
        span: Span,
    ) -> Result<(), KernelError> {
        let condition = self.register(condition)?;
        let to_reject = self.push(Instr::JumpUnless { condition, to: 0 }, span);
        self.block(accept)?;
        if reject.is_empty() {
            self.shared.land(to_reject);
            return Ok(());
        }
        let to_end = self.push(Instr::Jump { to: 0 }, span);
        self.shared.land(to_reject);
        self.block(reject)?;
        self.shared.land(to_end);
        Ok(())
    }

    pub(super) fn switch(
        &mut self,
        selector: Handle<Expression>,
        cases: &'a [SwitchCase],
        span: Span,
    ) -> Result<(), KernelError> {
        if self.number(selector, span)?.bits() != 32 {
            return Err(self.unsupported("a switch by a value that has not 32 bits", span));
        }
        let selector = self.register(selector)?;
        let table = self.shared.code.switches.len() as u32;
        self.shared.code.switches.push(SwitchTable::default());
        self.push(Instr::Switch { selector, table }, span);
        self.breakables.push(Breakable {
            breaks: Vec::new(),
            continues: None,
        });
        let mut targets = SwitchTable::default();
        let mut default = None;
        for case in cases {
            let here = self.shared.label();
            match case.value {
                SwitchValue::I32(value) => targets.cases.push((value as u32, here)),
                SwitchValue::U32(value) => targets.cases.push((value, here)),
                SwitchValue::Default => default = Some(here),
            }
            self.block(&case.body)?;
            if !case.fall_through {
                self.break_statement(span);
            }
        }
        targets.default = default.unwrap_or_else(|| self.shared.label());
        targets.cases.sort_unstable();
        self.shared.code.switches[table as usize] = targets;
        self.leave();
        Ok(())
    }

    pub(super) fn loop_statement(
        &mut self,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
        span: Span,
    ) -> Result<(), KernelError> {
        let counted = self.begin_loop(span)?;
        let start = self.shared.label();
        self.breakables.push(Breakable {
            breaks: Vec::new(),
            continues: Some(Vec::new()),
        });
        self.block(body)?;
        let continues = self.breakables.last_mut().and_then(|b| b.continues.take());
        for jump in continues.into_iter().flatten() {
            self.shared.land(jump);
        }
        self.block(continuing)?;
        if let Some(condition) = break_if {
            let condition = self.register(condition)?;
            let jump = self.push(Instr::JumpIf { condition, to: 0 }, span);
            self.breaks_by(jump);
        }
        if let Some(counter) = counted {
            self.push(Instr::NextIteration { counter }, span);
        }
        let end = self.push(Instr::LoopBack { to: start, work: 0 }, span);
        self.end_loop(end);
        self.leave();
        Ok(())
    }

    /// Patches the `break` jumps of the innermost loop or switch to target the next instruction.
    fn leave(&mut self) {
        for jump in self.breakables.pop().into_iter().flat_map(|b| b.breaks) {
            self.shared.land(jump);
        }
    }

    pub(super) fn break_statement(&mut self, span: Span) {
        let jump = self.push(Instr::Jump { to: 0 }, span);
        self.breaks_by(jump);
    }

    /// Records a jump that leaves the innermost loop or switch.
    fn breaks_by(&mut self, jump: Pc) {
        if let Some(innermost) = self.breakables.last_mut() {
            innermost.breaks.push(jump);
        }
    }

    pub(super) fn continue_statement(&mut self, span: Span) {
        let jump = self.push(Instr::Jump { to: 0 }, span);
        let mut loops = self.breakables.iter_mut().rev();
        if let Some(continues) = loops.find_map(|b| b.continues.as_mut()) {
            continues.push(jump);
        }
    }
}
