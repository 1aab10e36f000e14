//! Structured control flow: blocks, loops, `if`, branches, returns.
//!
//! The block behind a construct is made at its end, when all edges into it are known: until then
//! they lead to [`OPEN`]. Code that only falls through, or that one jump leads to, continues in the
//! same block. A loop that no branch targets is a block.

use std::collections::HashMap;
use std::rc::Rc;

use wasmparser::{BlockType, BrTable};

use super::builder::Builder;
use super::join::Incoming;
use super::unsupported;
use super::written::Variable;
use crate::compile::CompileError;
use crate::compile::ir::{Block, Edge, Function, Terminator, Value};
use crate::module::{Type as WasmType, value_type};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A function body, a block, or an `if` after its `else`.
    Block,
    Loop,
    /// An `if` before its `else`; `saved` has the beginning of the other arm.
    If,
}

/// Stands for a block that is not made yet.
pub(super) const OPEN: Block = Function::ENTRY;

/// An open construct.
pub(super) struct Label<'a> {
    pub kind: Kind,
    /// The header of a loop.
    pub header: Block,
    /// The variables that the construct writes.
    pub written: Rc<[Variable]>,
    /// Height of the operand stack below its parameters.
    pub height: usize,
    pub params: &'a [WasmType],
    pub results: &'a [WasmType],
    /// The edges to its end.
    pub incoming: Vec<Incoming>,
    /// What else begins with the same state.
    pub saved: Option<Saved>,
}

/// The state at the beginning of a construct.
pub(super) struct Saved {
    /// The block that branches there.
    pub from: Block,
    /// The values of the written variables.
    pub written: Vec<Value>,
    /// The parameters of the construct.
    pub params: Vec<Value>,
}

impl<'a> Builder<'a> {
    fn block_type(&self, ty: BlockType) -> (&'a [WasmType], &'a [WasmType]) {
        match ty {
            BlockType::Empty => (&[], &[]),
            BlockType::Type(ty) => (&[], one(value_type(ty))),
            BlockType::FuncType(ty) => {
                let (_, ty) = &self.module.types[ty as usize];
                (&ty.params, &ty.results)
            }
        }
    }

    /// Opens a label with the variables of the next construct; whether a branch targets it.
    fn open(&mut self, kind: Kind, ty: BlockType) -> bool {
        let (params, results) = self.block_type(ty);
        let construct = self.next_construct();
        self.labels.push(Label {
            kind,
            header: OPEN,
            written: construct.written,
            height: self.stack.len() - params.len(),
            params,
            results,
            incoming: Vec::new(),
            saved: None,
        });
        construct.is_target
    }

    pub(super) fn block(&mut self, ty: BlockType) {
        self.open(Kind::Block, ty);
    }

    /// A loop: its header has a parameter for each written variable, since the back edges are not
    /// known yet.
    pub(super) fn loop_(&mut self, ty: BlockType) {
        if !self.open(Kind::Loop, ty) {
            self.top().kind = Kind::Block;
            return;
        }
        let header = self.function.add_block();
        self.top().header = header;
        let edge = self.loop_edge(self.labels.len() - 1);
        let mut params = Vec::with_capacity(edge.args.len());
        for &arg in &edge.args {
            let ty = self.function.ty(arg);
            let param = self.function.add_param(header, ty);
            self.mark_address(param, &[arg]);
            params.push(param);
        }
        self.finish(Terminator::Jump(edge));
        self.resume(header);
        let (written, height) = (Rc::clone(&self.top().written), self.top().height);
        self.stack.truncate(height);
        self.stack.extend(params.split_off(written.len()));
        self.set_variables(&written, &params);
    }

    pub(super) fn if_(&mut self, ty: BlockType) {
        let condition = self.pop();
        let condition = self.condition(condition);
        self.open(Kind::If, ty);
        let (written, height) = (Rc::clone(&self.top().written), self.top().height);
        let saved = Saved {
            from: self.block,
            written: self.variables(&written),
            params: self.stack[height..].to_vec(),
        };
        self.top().saved = Some(saved);
        let then = self.function.add_block();
        self.finish(Terminator::Branch {
            condition,
            yes: Edge::to(then),
            no: Edge::to(OPEN),
        });
        self.resume(then);
    }

    pub(super) fn else_(&mut self) {
        if self.is_live {
            self.jump(self.labels.len() - 1);
        }
        let label = self.top();
        label.kind = Kind::Block;
        let (written, height) = (Rc::clone(&label.written), label.height);
        let Some(saved) = label.saved.take() else {
            return;
        };
        let other = self.function.add_block();
        self.set_edge(saved.from, 1, Edge::to(other));
        self.resume(other);
        self.set_variables(&written, &saved.written);
        self.stack.truncate(height);
        self.stack.extend(saved.params);
    }

    /// Ends the innermost construct.
    pub(super) fn end(&mut self) {
        let Some(mut label) = self.labels.pop() else {
            return;
        };
        let results = if self.is_live {
            self.pop_many(label.results.len())
        } else {
            Vec::new()
        };
        self.stack.truncate(label.height);
        let is_only = label.incoming.is_empty() && label.kind != Kind::If;
        if is_only || label.kind == Kind::Loop {
            self.stack.extend(results);
            return;
        }
        if self.is_live {
            let mut args = self.variables(&label.written);
            args.extend(results);
            let block = self.block;
            label.incoming.push(Incoming {
                block,
                edge: 0,
                args,
            });
            self.finish(Terminator::Jump(Edge::to(OPEN)));
        }
        if let (Kind::If, Some(saved)) = (label.kind, label.saved) {
            let mut args = saved.written;
            args.extend(saved.params);
            label.incoming.push(Incoming {
                block: saved.from,
                edge: 1,
                args,
            });
        }
        let mut values = self.meet(label.incoming);
        self.stack.extend(values.split_off(label.written.len()));
        self.set_variables(&label.written, &values);
    }

    /// Continues where edges meet, with the values there.
    fn meet(&mut self, incoming: Vec<Incoming>) -> Vec<Value> {
        if let [only] = incoming.as_slice()
            && matches!(
                self.function.block(only.block).terminator,
                Terminator::Jump(_)
            )
        {
            self.resume(only.block);
            return only.args.clone();
        }
        let block = self.function.add_block();
        self.resume(block);
        self.join(block, incoming)
    }

    fn top(&mut self) -> &mut Label<'a> {
        self.labels
            .last_mut()
            .expect("validated: an open construct")
    }

    /// Index in the state of a variable of the current function.
    pub(super) fn place(&self, variable: Variable) -> usize {
        let globals = self.globals.variables.len();
        let variable = variable as usize;
        match variable.checked_sub(globals) {
            Some(local) => self.frames.last().map_or(globals, |frame| frame.base) + local,
            None => variable,
        }
    }

    /// The values of variables.
    pub(super) fn variables(&mut self, variables: &[Variable]) -> Vec<Value> {
        self.spend(variables.len());
        let places = variables.iter().map(|&variable| self.place(variable));
        places.map(|place| self.state[place]).collect()
    }

    /// Sets variables.
    pub(super) fn set_variables(&mut self, variables: &[Variable], values: &[Value]) {
        for (&variable, &value) in variables.iter().zip(values) {
            let place = self.place(variable);
            self.state[place] = value;
        }
    }

    /// The edge to the header of a loop. Conditions become numbers.
    fn loop_edge(&mut self, index: usize) -> Edge {
        let label = &self.labels[index];
        let (written, count) = (Rc::clone(&label.written), label.params.len());
        let block = label.header;
        let mut args = self.variables(&written);
        args.extend_from_slice(&self.stack[self.stack.len() - count..]);
        for arg in &mut args {
            *arg = self.number(*arg);
        }
        Edge { block, args }
    }

    /// An edge to a label, as the given edge of the current block's end.
    fn edge(&mut self, index: usize, edge: usize) -> Edge {
        if self.labels[index].kind == Kind::Loop {
            return self.loop_edge(index);
        }
        let label = &self.labels[index];
        let (written, count) = (Rc::clone(&label.written), label.results.len());
        let mut args = self.variables(&written);
        args.extend_from_slice(&self.stack[self.stack.len() - count..]);
        let block = self.block;
        self.labels[index]
            .incoming
            .push(Incoming { block, edge, args });
        Edge::to(OPEN)
    }

    /// Jumps to a label.
    pub(super) fn jump(&mut self, index: usize) {
        let edge = self.edge(index, 0);
        self.finish(Terminator::Jump(edge));
    }

    fn target(&self, depth: u32) -> usize {
        self.labels.len() - 1 - depth as usize
    }

    pub(super) fn br(&mut self, depth: u32) {
        self.jump(self.target(depth));
    }

    /// `return`: a branch to the body.
    pub(super) fn return_(&mut self) {
        let body = self.frames.last().map_or(0, |frame| frame.label);
        self.jump(body);
    }

    pub(super) fn br_if(&mut self, depth: u32) {
        let condition = self.pop();
        let condition = self.condition(condition);
        let yes = self.edge(self.target(depth), 0);
        let next = self.function.add_block();
        self.finish(Terminator::Branch {
            condition,
            yes,
            no: Edge::to(next),
        });
        self.resume(next);
    }

    /// `br_table`: each distinct target has a block that jumps there, so that its arguments are
    /// written once.
    pub(super) fn br_table(&mut self, table: &BrTable<'_>) -> Result<(), CompileError> {
        let index = self.pop_number();
        let from = self.block;
        let mut stubs: HashMap<u32, Block> = HashMap::new();
        let mut targets = Vec::with_capacity(table.len() as usize);
        self.spend(table.len() as usize);
        let depths = table.targets().chain([Ok(table.default())]);
        for depth in depths {
            let depth = depth.map_err(|error| {
                unsupported(
                    self.module,
                    self.current_function(),
                    error.offset(),
                    error.message(),
                )
            })?;
            let stub = match stubs.get(&depth) {
                Some(&stub) => stub,
                None => {
                    let stub = self.function.add_block();
                    self.resume(stub);
                    self.jump(self.target(depth));
                    self.check_budget()?;
                    stubs.insert(depth, stub);
                    stub
                }
            };
            targets.push(Edge::to(stub));
        }
        let default = targets.pop().unwrap_or_else(|| Edge::to(from));
        self.resume(from);
        self.finish(Terminator::Switch {
            index,
            targets,
            default,
        });
        Ok(())
    }
}

/// A list of one type.
fn one(ty: WasmType) -> &'static [WasmType] {
    match ty {
        WasmType::I32 => &[WasmType::I32],
        WasmType::I64 => &[WasmType::I64],
        WasmType::F32 => &[WasmType::F32],
        WasmType::F64 => &[WasmType::F64],
        WasmType::FuncRef => &[WasmType::FuncRef],
        WasmType::ExternRef => &[WasmType::ExternRef],
    }
}
