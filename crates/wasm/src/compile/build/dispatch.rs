//! Calls through a table: a switch over the functions of an immutable table.
//!
//! The functions of the expected type are inlined one after another, each in a block of its own;
//! their results are joined behind them. Other indices trap.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::builder::Builder;
use super::control::{Kind, Label, OPEN, Saved};
use super::inline::Called;
use super::written::Variable;
use crate::TrapCode;
use crate::compile::CompileError;
use crate::compile::ir::{Binary, Block, Edge, Terminator, Value};
use crate::module::{FunctionId, Type, to_u32};

/// An open call through a table. The label on top of those of the caller is where results join.
pub(super) struct Dispatch {
    /// The functions that are not inlined yet, by index in the module, and their blocks.
    remaining: Vec<(Block, u32)>,
    arguments: Vec<Value>,
}

impl<'a> Builder<'a> {
    pub(super) fn call_indirect(&mut self, ty: u32, table: u32) -> Result<(), CompileError> {
        let module = self.module;
        let Some(functions) = module.immutable_tables.get(&table) else {
            return Err(self.refuse("a call through a table that can change"));
        };
        let (wanted, signature) = &module.types[ty as usize];
        let index = self.pop_number();
        let arguments = self.pop_many(signature.params.len());
        let table = module.tables[table as usize];
        let size = self.definitions.tables[table as usize].limits.initial;
        if let Some(index) = self.function.as_word(index) {
            let callee = functions.get(&index).copied();
            return self.call_element(callee, index < size, *wanted, arguments);
        }
        let end = self.function.word(size);
        let outside = self.binary(Binary::LeUnsigned, end, index);
        self.trap_if(outside, TrapCode::UndefinedElement);
        let (targets, default, remaining) = self.targets(functions, *wanted)?;
        self.open_dispatch(&signature.results);
        self.finish(Terminator::Switch {
            index,
            targets,
            default,
        });
        self.dispatches.push(Dispatch {
            remaining,
            arguments,
        });
        self.next_dispatched()
    }

    /// A call of a known element.
    fn call_element(
        &mut self,
        callee: Option<FunctionId>,
        is_inside: bool,
        wanted: u32,
        arguments: Vec<Value>,
    ) -> Result<(), CompileError> {
        let code = match callee {
            _ if !is_inside => TrapCode::UndefinedElement,
            None => TrapCode::UninitializedElement,
            Some(id) if self.definitions.functions[id as usize] != wanted => {
                TrapCode::IndirectCallType
            }
            Some(id) => {
                let function = self.index_of(id)?;
                self.stack.extend(arguments);
                self.call(function)?;
                return Ok(());
            }
        };
        self.trap(code);
        Ok(())
    }

    /// The edges of a switch over a table, that of null elements last, and the functions to inline.
    #[expect(clippy::type_complexity, reason = "three parts of one switch")]
    fn targets(
        &mut self,
        functions: &BTreeMap<u32, FunctionId>,
        wanted: u32,
    ) -> Result<(Vec<Edge>, Edge, Vec<(Block, u32)>), CompileError> {
        let count = functions
            .last_key_value()
            .map_or(0, |(&last, _)| last as usize + 1);
        self.spend(count);
        self.check_budget()?;
        let from = self.block;
        let null = self.trap_block(TrapCode::UninitializedElement);
        let mut other = None;
        let mut blocks: HashMap<FunctionId, Block> = HashMap::new();
        let mut remaining = Vec::new();
        let mut targets = vec![Edge::to(null); count];
        for (&index, &id) in functions {
            let block = if self.definitions.functions[id as usize] != wanted {
                *other.get_or_insert_with(|| self.trap_block(TrapCode::IndirectCallType))
            } else if let Some(&block) = blocks.get(&id) {
                block
            } else {
                let block = self.function.add_block();
                remaining.push((block, self.index_of(id)?));
                blocks.insert(id, block);
                block
            };
            targets[index as usize] = Edge::to(block);
        }
        // The first one is inlined first.
        remaining.reverse();
        self.resume(from);
        Ok((targets, Edge::to(null), remaining))
    }

    fn index_of(&self, id: FunctionId) -> Result<u32, CompileError> {
        let index = self.calls.index(id);
        index.ok_or_else(|| self.refuse("a call of another module"))
    }

    /// A block that traps.
    fn trap_block(&mut self, code: TrapCode) -> Block {
        let block = self.function.add_block();
        self.resume(block);
        self.trap(code);
        block
    }

    /// Opens the label where the results join. A callee can write all globals.
    fn open_dispatch(&mut self, results: &'a [Type]) {
        let written: Rc<[Variable]> = (0..to_u32(self.globals.variables.len())).collect();
        let saved = Saved {
            from: self.block,
            written: self.variables(&written),
            params: Vec::new(),
        };
        self.labels.push(Label {
            kind: Kind::Block,
            header: OPEN,
            written,
            height: self.stack.len(),
            params: &[],
            results,
            incoming: Vec::new(),
            saved: Some(saved),
        });
    }

    /// Inlines the next function, or closes the dispatch.
    fn next_dispatched(&mut self) -> Result<(), CompileError> {
        while let Some(dispatch) = self.dispatches.last_mut() {
            let Some((block, function)) = dispatch.remaining.pop() else {
                self.dispatches.pop();
                self.end();
                return Ok(());
            };
            let arguments = dispatch.arguments.clone();
            self.resume(block);
            self.restore();
            self.spend(arguments.len());
            self.stack.extend(arguments);
            if self.call(function)? == Called::Entered {
                self.set_dispatched();
                return Ok(());
            }
            self.leave_dispatched();
        }
        Ok(())
    }

    /// Continues after the body of a function that a dispatch has called.
    pub(super) fn end_dispatched(&mut self) -> Result<(), CompileError> {
        self.leave_dispatched();
        self.next_dispatched()
    }

    fn leave_dispatched(&mut self) {
        if self.is_live {
            self.jump(self.labels.len() - 1);
        }
    }

    /// Sets the state to that at the call.
    fn restore(&mut self) {
        let Some(label) = self.labels.last() else {
            return;
        };
        let height = label.height;
        let Some(saved) = &label.saved else {
            return;
        };
        let (written, values) = (Rc::clone(&label.written), saved.written.clone());
        self.set_variables(&written, &values);
        self.stack.truncate(height);
    }
}
