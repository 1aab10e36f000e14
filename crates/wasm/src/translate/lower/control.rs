//! Structured control flow: blocks, loops, branches, returns.
//!
//! The values of a branch are copied to the home slots that they have after it. An `if` is lowered
//! to two nested blocks; the `else` arm begins at the end of the inner one.

use wasmparser::{BlockType, BrTable};

use super::super::ir::{self, Inst, Label, Operand, Slot};
use super::Lowering;
use super::stack::{Entry, ValueLocation};
use crate::TranslateError;
use crate::bytecode::{Op, Type};
use crate::module::value_type;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Function,
    Block,
    Loop,
    /// An `if`; its `else` arm begins at the end of this label.
    If(Label),
    Else,
}

/// An open construct: a control frame of the validation algorithm in the WebAssembly specification.
pub(super) struct Control {
    kind: Kind,
    label: Label,
    /// The first home slot of its parameters and of its results.
    base: Slot,
    /// Height of the operand stack below its parameters.
    height: usize,
    params: Vec<Type>,
    results: Vec<Type>,
    /// Whether a branch targets its end.
    branched: bool,
    /// Index among all constructs of the function.
    construct: u32,
}

impl Control {
    fn label_types(&self) -> &[Type] {
        if self.kind == Kind::Loop {
            &self.params
        } else {
            &self.results
        }
    }
}

impl Lowering<'_> {
    pub(super) fn construct(&self) -> u32 {
        self.control.last().map_or(0, |control| control.construct)
    }

    pub(super) fn enter_function(&mut self) {
        let results = self.results.clone();
        let control = Control {
            kind: Kind::Function,
            label: 0,
            base: 0,
            height: 0,
            params: Vec::new(),
            results,
            branched: false,
            construct: 0,
        };
        self.open.push(true);
        self.control.push(control);
    }

    fn block_type(&self, ty: BlockType) -> (Vec<Type>, Vec<Type>) {
        match ty {
            BlockType::Empty => (Vec::new(), Vec::new()),
            BlockType::Type(ty) => (Vec::new(), vec![value_type(ty)]),
            BlockType::FuncType(ty) => {
                let (_, ty) = &self.space.linked.types[ty as usize];
                (ty.params.clone(), ty.results.clone())
            }
        }
    }

    fn next_construct(&mut self) -> u32 {
        self.open.push(true);
        u32::try_from(self.open.len() - 1).unwrap_or(u32::MAX)
    }

    /// Opens a construct. Locals and parameters are in their home slots.
    fn enter(&mut self, kind: Kind, label: Label, ty: BlockType) {
        let (params, results) = self.block_type(ty);
        let height = self.stack.len() - params.len();
        let base = self.stack.top() - ir::slots(&params);
        let construct = self.next_construct();
        self.stack.reach(base + ir::slots(&results));
        self.control.push(Control {
            kind,
            label,
            base,
            height,
            params,
            results,
            branched: false,
            construct,
        });
    }

    fn materialize_for(&mut self, ty: BlockType) {
        let (params, _) = self.block_type(ty);
        for entry in self.stack.materialize_last(params.len()) {
            self.copy_home(entry);
        }
        self.materialize_locals();
    }

    pub(super) fn block(&mut self, ty: BlockType) {
        self.materialize_for(ty);
        let label = self.new_label();
        self.push(Inst::Block(label));
        self.enter(Kind::Block, label, ty);
    }

    pub(super) fn loop_(&mut self, ty: BlockType) {
        self.materialize_for(ty);
        let label = self.new_label();
        self.push(Inst::Loop(label));
        self.set_fence();
        self.enter(Kind::Loop, label, ty);
    }

    pub(super) fn if_(&mut self, ty: BlockType) {
        // The condition is evaluated last, and a comparison right before the branch is fused with
        // it; so the values below it are copied before the comparison.
        let condition = self.pop_condition();
        self.materialize_for(ty);
        let (end, other) = (self.new_label(), self.new_label());
        self.push(Inst::Block(end));
        self.push(Inst::Block(other));
        self.branch_on(condition.inverted(), other);
        self.enter(Kind::If(other), end, ty);
    }

    pub(super) fn else_(&mut self) {
        let reachable = self.reachable;
        if reachable {
            self.copy_branch_values(self.control.len() - 1);
        }
        let control = self.control.last_mut().expect("validated: an open `if`");
        let Kind::If(other) = control.kind else {
            return;
        };
        let (label, height, params) = (control.label, control.height, control.params.clone());
        control.kind = Kind::Else;
        control.branched |= reachable;
        let old = control.construct;
        self.open[old as usize] = false;
        let construct = self.next_construct();
        if let Some(control) = self.control.last_mut() {
            control.construct = construct;
        }
        if reachable {
            self.push(Inst::Br(label));
        }
        self.push(Inst::End(other));
        self.set_fence();
        self.stack.truncate(height);
        for ty in params {
            self.stack.push(ValueLocation::Home, ty);
        }
        self.reachable = true;
    }

    pub(super) fn end(&mut self) {
        if self.reachable {
            self.fall_through();
        }
        let Some(control) = self.control.pop() else {
            return;
        };
        self.open[control.construct as usize] = false;
        if control.kind == Kind::Function {
            if self.reachable {
                self.push(Inst::Return);
            }
            return;
        }
        if let Kind::If(other) = control.kind {
            self.push(Inst::End(other));
        }
        self.push(Inst::End(control.label));
        self.set_fence();
        self.reachable |= control.branched || matches!(control.kind, Kind::If(_));
        self.stack.truncate(control.height);
        for ty in control.results {
            self.stack.push(ValueLocation::Home, ty);
        }
    }

    /// Copies the values of a branch to the target's slots, and leaves the stack as it is.
    fn copy_branch_values(&mut self, index: usize) {
        let control = &self.control[index];
        let count = control.label_types().len();
        let base = control.base;
        let entries = self.stack.last(count).to_vec();
        self.copy_values(&entries, base);
    }

    /// Copies the results of the innermost construct to their slots.
    fn fall_through(&mut self) {
        let Some(control) = self.control.last() else {
            return;
        };
        let base = control.base;
        let entries = self.stack.last(control.results.len()).to_vec();
        self.copy_values(&entries, base);
    }

    /// Copies values to consecutive slots. Homes are at or above their destinations, in the same
    /// order, so no copy overwrites the source of a later one; only locals can be overwritten.
    fn copy_values(&mut self, entries: &[Entry], base: Slot) {
        if let [entry] = entries
            && entry.value == ValueLocation::Home
            && entry.home != base
            && self.retarget(*entry, base)
        {
            return;
        }
        let mut entries = entries.to_vec();
        let mut start = base;
        let mixed = base < self.function.locals;
        for at in 0..if mixed { entries.len() } else { 0 } {
            let end = start + entries[at].width();
            for later in &mut entries[at + 1..] {
                if let ValueLocation::Local(slot) = later.value
                    && slot < end
                    && slot + later.ty.slots() > base
                {
                    let copy = ir::copy(later.home, Operand::Slot(slot), later.ty.slots());
                    self.function.push(Inst::Plain(copy), self.origin);
                    later.value = ValueLocation::Home;
                }
            }
            start = end;
        }
        let mut to = base;
        for entry in entries {
            if entry.operand() != Operand::Slot(to) {
                self.plain(ir::copy(to, entry.operand(), entry.width()));
            } else if entry.value == ValueLocation::Local(to) {
                self.keep_in_place(to);
            }
            to += entry.width();
        }
    }

    /// A parameter that is also a result must be in its slot, so the inliner must not replace it.
    fn keep_in_place(&mut self, slot: Slot) {
        if let Ok(index) = self.locals.binary_search_by_key(&slot, |local| local.slot) {
            self.locals[index].written = true;
        }
    }

    /// Whether the values of a branch are already in the target's slots.
    fn in_place(&self, index: usize) -> bool {
        let control = &self.control[index];
        let mut to = control.base;
        self.stack
            .last(control.label_types().len())
            .iter()
            .all(|entry| {
                let here = entry.operand() == Operand::Slot(to);
                to += entry.width();
                here
            })
    }

    fn target(&self, depth: u32) -> usize {
        self.control.len() - 1 - depth as usize
    }

    /// Emits a branch to a construct; its values are in place.
    fn emit_branch(&mut self, index: usize) {
        let control = &mut self.control[index];
        control.branched = true;
        let inst = match control.kind {
            Kind::Function => Inst::Return,
            _ => Inst::Br(control.label),
        };
        self.push(inst);
        self.set_fence();
    }

    pub(super) fn br(&mut self, depth: u32) {
        let index = self.target(depth);
        self.copy_branch_values(index);
        self.emit_branch(index);
        self.reachable = false;
    }

    pub(super) fn br_if(&mut self, depth: u32) {
        let condition = self.pop_condition();
        let index = self.target(depth);
        if self.control[index].kind != Kind::Function && self.in_place(index) {
            self.control[index].branched = true;
            let label = self.control[index].label;
            self.branch_on(condition, label);
            return;
        }
        let skip = self.new_label();
        self.push(Inst::Block(skip));
        self.branch_on(condition.inverted(), skip);
        self.copy_branch_values(index);
        self.emit_branch(index);
        self.push(Inst::End(skip));
        self.set_fence();
    }

    pub(super) fn return_(&mut self) {
        self.copy_branch_values(0);
        self.emit_branch(0);
        self.reachable = false;
    }

    /// Targets that need copies get a stub each: blocks around the table; the copies follow the end
    /// of each block.
    pub(super) fn br_table(&mut self, table: &BrTable<'_>) -> Result<(), TranslateError> {
        let mut depths = Vec::with_capacity(table.len() as usize + 1);
        for depth in table.targets() {
            depths.push(depth?);
        }
        depths.push(table.default());
        let index = self.stack.pop();
        let index = self.slot_of(index);
        let mut stubs: Vec<(usize, Label)> = Vec::new();
        let mut known: std::collections::HashMap<u32, Label> = std::collections::HashMap::new();
        let mut labels = Vec::with_capacity(depths.len());
        for depth in depths {
            let label = match known.get(&depth) {
                Some(&label) => label,
                None => {
                    let target = self.target(depth);
                    let direct =
                        self.control[target].kind != Kind::Function && self.in_place(target);
                    self.control[target].branched = true;
                    let label = if direct {
                        self.control[target].label
                    } else {
                        let stub = self.new_label();
                        stubs.push((target, stub));
                        stub
                    };
                    known.insert(depth, label);
                    label
                }
            };
            labels.push(label);
        }
        for &(_, stub) in stubs.iter().rev() {
            self.push(Inst::Block(stub));
        }
        self.push(Inst::BrTable {
            index,
            labels: labels.into(),
        });
        for (target, stub) in stubs {
            self.push(Inst::End(stub));
            self.set_fence();
            self.copy_branch_values(target);
            self.emit_branch(target);
            self.check_size()?;
        }
        self.set_fence();
        self.reachable = false;
        Ok(())
    }

    pub(super) fn unreachable(&mut self) {
        self.simple(Op::Unreachable);
        self.reachable = false;
    }
}
