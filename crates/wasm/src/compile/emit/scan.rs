//! What a function uses: decides which resources and arguments the module declares.

use std::collections::HashSet;

use super::unsupported;
use crate::compile::CompileError;
use crate::compile::ir::{Cfg, Function, ObjectData, Op, Terminator, Type, Value};
use crate::module::{Host, HostFunction};

/// What a function uses.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The floating values, each once.
    pub floating: Vec<Value>,
    seen: HashSet<Value>,
    /// Constants that an operation of constants only uses: they are read from a variable, because WGSL refuses constant
    /// expressions that overflow, and naga some others.
    pub hidden: HashSet<Value>,
    /// The objects of the function.
    pub objects: Vec<ObjectData>,
    pub is_used: Vec<bool>,
    pub has_barrier: bool,
    pub has_trap: bool,
    /// Words of the messages of traps.
    pub trap_words: u32,
}

/// The words that a value takes in the status buffer.
pub(super) const fn words_of(ty: Type) -> u32 {
    match ty {
        Type::Unit => 0,
        Type::Bool | Type::I32 | Type::F32 => 1,
        Type::I64 | Type::F64 => 2,
    }
}

impl Scan {
    pub(super) fn new(function: &Function, cfg: &Cfg) -> Result<Self, CompileError> {
        let mut scan = Self {
            objects: function.objects.clone(),
            is_used: vec![false; function.objects.len()],
            ..Self::default()
        };
        for &block in &cfg.order {
            let data = function.block(block);
            for &inst in &data.insts {
                let op = function.op(inst);
                op.for_each_operand(|value| scan.value(function, value));
                scan.hide_constant(function, op);
                scan.instruction(function, op)?;
            }
            data.terminator
                .for_each_operand(|value| scan.value(function, value));
            if let Terminator::Trap { words, .. } = &data.terminator {
                scan.trap(function, words);
            }
        }
        Ok(scan)
    }

    fn value(&mut self, function: &Function, value: Value) {
        let op = function.op(value);
        if !op.is_floating() || !self.seen.insert(value) {
            return;
        }
        self.floating.push(value);
        if let Op::ObjectLength(object) = *op {
            self.is_used[object.0 as usize] = true;
        }
    }

    fn hide_constant(&mut self, function: &Function, op: &Op) {
        let (mut first, mut is_constant) = (None, op.is_pure());
        op.for_each_operand(|value| {
            first.get_or_insert(value);
            is_constant &= function.as_const(value).is_some();
        });
        self.hidden.extend(first.filter(|_| is_constant));
    }

    fn trap(&mut self, function: &Function, words: &[Value]) {
        self.has_trap = true;
        let count = words.iter().map(|&word| words_of(function.ty(word))).sum();
        self.trap_words = self.trap_words.max(count);
    }

    fn instruction(&mut self, function: &Function, op: &Op) -> Result<(), CompileError> {
        match op {
            Op::TrapIf { words, .. } => self.trap(function, words),
            Op::ObjectLoad { object, .. } => self.is_used[object.0 as usize] = true,
            Op::ObjectStore { object, .. }
            | Op::ObjectAtomic { object, .. }
            | Op::ObjectCompareExchange { object, .. } => {
                self.is_used[object.0 as usize] = true;
                self.objects[object.0 as usize].written = true;
            }
            Op::Host { function: host, .. } => match host {
                HostFunction::Numbered(Host::WorkgroupBarrier | Host::StorageBarrier) => {
                    self.has_barrier = true;
                }
                other => {
                    return Err(unsupported(
                        function,
                        format!("the host function {other:?}"),
                    ));
                }
            },
            _ => {}
        }
        Ok(())
    }
}
