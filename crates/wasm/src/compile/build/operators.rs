//! The operators, by group.

use wasmparser::Operator;

use super::builder::Builder;
use super::globals;
use crate::TrapCode;
use crate::compile::CompileError;
use crate::compile::ir::{Op, Type};

/// The name of an operator on tables, which can change.
fn table_operator(operator: &Operator<'_>) -> Option<&'static str> {
    Some(match operator {
        Operator::TableGet { .. } => "table.get",
        Operator::TableSet { .. } => "table.set",
        Operator::TableGrow { .. } => "table.grow",
        Operator::TableSize { .. } => "table.size",
        Operator::TableFill { .. } => "table.fill",
        Operator::TableCopy { .. } => "table.copy",
        Operator::TableInit { .. } => "table.init",
        _ => return None,
    })
}

impl Builder<'_> {
    /// Interprets an operator in reachable code.
    pub(super) fn operator(&mut self, operator: &Operator<'_>) -> Result<(), CompileError> {
        let is_done = self.numeric(operator)
            || self.conversion(operator)
            || self.access(operator)?
            || self.constant(operator)
            || self.variable(operator)?
            || self.flow(operator)?;
        if is_done {
            return Ok(());
        }
        match operator {
            Operator::TableSize { table } if self.module.immutable_tables.contains_key(table) => {
                let table = self.module.tables[*table as usize];
                let size = self.definitions.tables[table as usize].limits.initial;
                let size = self.function.word(size);
                self.stack.push(size);
            }
            // Without `table.init`, which is not supported, nothing sees the segment.
            Operator::Nop | Operator::ElemDrop { .. } => {}
            Operator::Drop => {
                self.pop();
            }
            Operator::Select | Operator::TypedSelect { .. } => self.select(),
            Operator::RefIsNull => {
                let reference = self.pop();
                let is_null = self.is_zero(reference);
                self.stack.push(is_null);
            }
            other => {
                let feature = table_operator(other).map_or_else(
                    || {
                        let text = format!("{other:?}");
                        let name = text.split(' ').next().unwrap_or_default();
                        format!("the operator {name}")
                    },
                    |name| format!("`{name}`"),
                );
                return Err(self.refuse(feature));
            }
        }
        Ok(())
    }

    /// Control flow and calls. Whether the operator is one of them.
    fn flow(&mut self, operator: &Operator<'_>) -> Result<bool, CompileError> {
        match *operator {
            Operator::Unreachable => self.trap(TrapCode::Unreachable),
            Operator::Block { blockty } => self.block(blockty),
            Operator::Loop { blockty } => self.loop_(blockty),
            Operator::If { blockty } => self.if_(blockty),
            Operator::Else => self.else_(),
            Operator::End => self.end_operator()?,
            Operator::Br { relative_depth } => self.br(relative_depth),
            Operator::BrIf { relative_depth } => self.br_if(relative_depth),
            Operator::BrTable { ref targets } => self.br_table(targets)?,
            Operator::Return => self.return_(),
            Operator::Call { function_index } => {
                self.call(function_index)?;
            }
            Operator::CallIndirect {
                type_index,
                table_index,
            } => self.call_indirect(type_index, table_index)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A constant. Whether the operator is one.
    fn constant(&mut self, operator: &Operator<'_>) -> bool {
        let (ty, bits) = match *operator {
            Operator::I32Const { value } => (Type::I32, u64::from(value.cast_unsigned())),
            Operator::I64Const { value } => (Type::I64, value.cast_unsigned()),
            Operator::F32Const { value } => (Type::F32, u64::from(value.bits())),
            Operator::F64Const { value } => (Type::F64, value.bits()),
            Operator::RefNull { .. } => (Type::I32, 0),
            Operator::RefFunc { function_index } => (Type::I32, globals::reference(function_index)),
            _ => return false,
        };
        let value = self.function.constant(ty, bits);
        self.stack.push(value);
        true
    }

    /// Reads or writes a variable. Whether the operator does.
    fn variable(&mut self, operator: &Operator<'_>) -> Result<bool, CompileError> {
        match *operator {
            Operator::LocalGet { local_index } => {
                let place = self.local(local_index);
                self.stack.push(self.state[place]);
            }
            Operator::LocalSet { local_index } => {
                let place = self.local(local_index);
                self.state[place] = self.pop();
            }
            Operator::LocalTee { local_index } => {
                let place = self.local(local_index);
                let value = self.pop();
                self.state[place] = value;
                self.stack.push(value);
            }
            Operator::GlobalGet { global_index } => {
                let value = match self.globals.variable(global_index) {
                    Some(variable) => self.state[self.place(variable)],
                    None => self.initial_global(global_index)?,
                };
                self.stack.push(value);
            }
            Operator::GlobalSet { global_index } => {
                let value = self.pop_number();
                if let Some(variable) = self.globals.variable(global_index) {
                    let place = self.place(variable);
                    self.state[place] = value;
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Index in the state of a local.
    fn local(&self, local: u32) -> usize {
        self.frames.last().map_or(0, |frame| frame.base) + local as usize
    }

    fn select(&mut self) {
        let condition = self.pop();
        let condition = self.condition(condition);
        let (no, yes) = (self.pop(), self.pop());
        let ty = self.joined_type(&[yes, no]);
        let yes = self.as_type(self.block, yes, ty);
        let no = self.as_type(self.block, no, ty);
        let value = self.add(Op::Select { condition, yes, no }, ty);
        self.mark_address(value, &[yes, no]);
        self.stack.push(value);
    }
}
