//! Statements of control flow. The recursion follows the nesting of the tree, which is limited.

use naga::{Block, Statement, SwitchCase, SwitchValue};

use super::kernel::Kernel;
use super::writer::Expr;
use crate::compile::CompileError;
use crate::compile::ir::{self, Terminator, Type, Value};
use crate::compile::structure::{Case, Flag, Item, List};

impl Kernel<'_> {
    /// Statements.
    pub(super) fn items(&mut self, items: &[Item]) -> Result<(), CompileError> {
        items.iter().try_for_each(|item| self.item(item))
    }

    fn item(&mut self, item: &Item) -> Result<(), CompileError> {
        match item {
            Item::Code(block) => {
                self.at = *block;
                self.read_params(*block);
                self.instructions(*block)?;
            }
            Item::Copies(pairs) => self.copies(pairs),
            Item::Bind(pairs) => self.bind(pairs),
            Item::Reset(list) => self.set_selector(*list, 0),
            Item::Skip { list, to } => {
                if *to > self.regions.lists[list.0 as usize].last {
                    self.set_selector(*list, u32::MAX);
                } else {
                    self.set_selector(*list, *to);
                }
            }
            Item::Leave(flag) => {
                let (flag, is_set) = (self.flag(*flag), self.writer.bool(true));
                self.writer.store(flag, is_set);
            }
            Item::Guard { list, index, body } => {
                let condition = self.is_selected(*list, *index);
                self.when(condition, |kernel| kernel.items(body))?;
            }
            Item::If { condition, yes, no } => self.branch(*condition, yes, no)?,
            Item::Switch {
                index,
                cases,
                default,
            } => self.switch(*index, cases, default)?,
            Item::Loop {
                header,
                body,
                continuing,
                leave,
            } => self.loop_statement(*header, body, continuing, *leave)?,
            Item::BreakIf(flag) => {
                let flag = self.flag(*flag);
                let is_set = self.writer.load(flag);
                self.writer
                    .when(is_set, |writer| writer.statement(Statement::Break));
            }
            Item::Break => self.writer.statement(Statement::Break),
            Item::End(block) => {
                self.at = *block;
                self.end(*block);
            }
            Item::Stub(block) => {
                self.is_bound = false;
                self.stub = Some(*block);
                self.instructions(*block)?;
                self.end(*block);
                self.stub = None;
            }
        }
        Ok(())
    }

    /// Sets a selector; `u32::MAX` is beyond all blocks with a guard.
    fn set_selector(&mut self, list: List, to: u32) {
        let info = self.regions.lists[list.0 as usize];
        let value = match info.guarded {
            0 => return,
            1 if to == 0 => self.writer.bool(false),
            1 if to == u32::MAX => self.writer.bool(true),
            1 => return,
            _ => self.writer.u32(to.min(info.last + 1)),
        };
        let selector = self.selector(list);
        self.writer.store(selector, value);
    }

    fn selector(&mut self, list: List) -> Expr {
        let at = list.0 as usize;
        if let Some(known) = self.selectors[at] {
            return known;
        }
        let is_bool = self.regions.lists[at].guarded == 1;
        let (name, ty) = if is_bool {
            ("skip", Type::Bool)
        } else {
            ("next", Type::I32)
        };
        let selector = self.local(format!("{name}{at}"), ty);
        self.selectors[at] = Some(selector);
        selector
    }

    fn is_selected(&mut self, list: List, index: u32) -> Expr {
        let selector = self.selector(list);
        let value = self.writer.load(selector);
        if self.regions.lists[list.0 as usize].guarded == 1 {
            return self.writer.not(value);
        }
        let index = self.writer.u32(index);
        self.writer
            .binary(naga::BinaryOperator::LessEqual, value, index)
    }

    fn flag(&mut self, flag: Flag) -> Expr {
        let at = flag.0 as usize;
        if let Some(known) = self.flags[at] {
            return known;
        }
        let variable = self.local(format!("leave{at}"), Type::Bool);
        self.flags[at] = Some(variable);
        variable
    }

    fn branch(&mut self, condition: Value, yes: &[Item], no: &[Item]) -> Result<(), CompileError> {
        let test = self.value(condition);
        let at = self.at;
        if yes.is_empty() {
            let test = self.writer.not(test);
            self.when(test, |kernel| {
                kernel.assume(condition, false);
                kernel.items(no)
            })?;
            self.at = at;
        } else {
            let accept = self.nested(|kernel| {
                kernel.assume(condition, true);
                kernel.items(yes)
            })?;
            self.at = at;
            let reject = self.nested(|kernel| {
                kernel.assume(condition, false);
                kernel.items(no)
            })?;
            self.at = at;
            self.writer.statement(Statement::If {
                condition: test,
                accept,
                reject,
            });
        }
        let ends = |items: &[Item]| {
            matches!(
                items.last(),
                Some(Item::Break | Item::End(_) | Item::Stub(_))
            )
        };
        if ends(yes) {
            self.assume(condition, false);
        } else if ends(no) {
            self.assume(condition, true);
        }
        Ok(())
    }

    fn switch(
        &mut self,
        index: Value,
        cases: &[Case],
        default: &[Item],
    ) -> Result<(), CompileError> {
        let selector = self.value(index);
        let at = self.at;
        let mut arms = Vec::new();
        for case in cases {
            let body = self.nested(|kernel| kernel.items(&case.body))?;
            self.at = at;
            let Some((&last, others)) = case.values.split_last() else {
                continue;
            };
            arms.extend(others.iter().map(|&value| SwitchCase {
                value: SwitchValue::U32(value),
                body: Block::new(),
                fall_through: true,
            }));
            arms.push(SwitchCase {
                value: SwitchValue::U32(last),
                body,
                fall_through: false,
            });
        }
        let default = self.nested(|kernel| kernel.items(default))?;
        self.at = at;
        if let [
            SwitchCase {
                value: SwitchValue::U32(value),
                ..
            },
        ] = arms[..]
            && let Some(arm) = arms.pop()
        {
            let value = self.writer.u32(value);
            let condition = self
                .writer
                .binary(naga::BinaryOperator::Equal, selector, value);
            self.writer.statement(Statement::If {
                condition,
                accept: arm.body,
                reject: default,
            });
            return Ok(());
        }
        arms.push(SwitchCase {
            value: SwitchValue::Default,
            body: default,
            fall_through: false,
        });
        self.writer.statement(Statement::Switch {
            selector,
            cases: arms,
        });
        Ok(())
    }

    fn loop_statement(
        &mut self,
        header: ir::Block,
        body: &[Item],
        continuing: &[(Value, Value)],
        leave: Option<Flag>,
    ) -> Result<(), CompileError> {
        if let Some(flag) = leave {
            let (flag, is_set) = (self.flag(flag), self.writer.bool(false));
            self.writer.store(flag, is_set);
        }
        let at = self.at;
        let outer = self.writer.begin_block();
        let facts = self.facts.len();
        self.items(body)?;
        self.forget_facts(facts);
        self.break_if_trapped(header);
        let body = self.writer.end_block(Block::new());
        self.at = header;
        self.closing = Some(header);
        self.copies(continuing);
        self.closing = None;
        let continuing = self.writer.end_block(outer);
        self.at = at;
        self.writer.statement(Statement::Loop {
            body,
            continuing,
            break_if: None,
        });
        Ok(())
    }

    /// An invocation that has trapped leaves a loop that has no barriers.
    fn break_if_trapped(&mut self, header: ir::Block) {
        if let Some(trapped) = self.trapped
            && !self.barrier_loops.contains(&header)
        {
            let has_trapped = self.writer.load(trapped);
            self.writer
                .when(has_trapped, |writer| writer.statement(Statement::Break));
        }
    }

    /// The end of a block that ends the kernel.
    fn end(&mut self, block: ir::Block) {
        let function = self.function;
        match &function.block(block).terminator {
            Terminator::Return(values) => self.write_results(values),
            Terminator::Trap { trap, words } => self.write_trap(*trap, words),
            _ => {}
        }
        self.writer.statement(Statement::Return { value: None });
    }
}
