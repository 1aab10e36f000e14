//! Functions, blocks and values, and the primitive changes to them.

use std::collections::HashMap;

use super::{Object, ObjectData, Op, Type};
use crate::TrapCode;
use crate::module::Type as WasmType;

/// A value: index in [`Function`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Value(pub u32);

/// A block: index in [`Function`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Block(pub u32);

/// The site of a trap: index in [`Function::traps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Trap(pub u32);

/// Where and why a trap happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TrapSite {
    /// The kind of trap.
    pub code: TrapCode,
    /// The name of the WebAssembly function.
    pub function: String,
    /// The byte offset of the instruction in the module.
    pub offset: u32,
    /// The function that makes the message, by index in its module: it never returns, and is called
    /// with the words of the trap.
    pub message: Option<u32>,
}

/// A parameter of the kernel as the launch sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    /// A number that the launch passes.
    Number(WasmType),
    /// The address of a slice, by index in [`Function::slices`].
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "`build` reads no slice types of modules yet")
    )]
    SliceAddress(u32),
    /// The number of elements of a slice.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "`build` reads no slice types of modules yet")
    )]
    SliceLength(u32),
}

/// A value's type and definition.
#[derive(Clone, Debug)]
pub(crate) struct ValueData {
    /// Its type.
    pub ty: Type,
    /// Its definition.
    pub op: Op,
}

/// A jump to a block, with an argument for each of its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The target.
    pub block: Block,
    /// The arguments.
    pub args: Vec<Value>,
}

impl Edge {
    /// An edge without arguments.
    pub(crate) fn to(block: Block) -> Self {
        Self {
            block,
            args: Vec::new(),
        }
    }
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Terminator {
    /// A jump.
    Jump(Edge),
    /// A branch on a condition.
    Branch {
        condition: Value,
        yes: Edge,
        no: Edge,
    },
    /// A jump by index, which is unsigned; beyond the targets to the default.
    Switch {
        index: Value,
        targets: Vec<Edge>,
        default: Edge,
    },
    /// The end of the kernel, with its results.
    Return(Vec<Value>),
    /// A trap, with words for its message.
    Trap { trap: Trap, words: Vec<Value> },
    /// Not set yet, or the end of a block that is never entered.
    Unreachable,
}

impl Terminator {
    /// Its edges, in order.
    pub(crate) fn edges(&self) -> impl Iterator<Item = &Edge> {
        let (first, second, rest): (Option<&Edge>, Option<&Edge>, &[Edge]) = match self {
            Self::Jump(edge) => (Some(edge), None, &[]),
            Self::Branch { yes, no, .. } => (Some(yes), Some(no), &[]),
            Self::Switch {
                targets, default, ..
            } => (None, Some(default), targets),
            Self::Return(_) | Self::Trap { .. } | Self::Unreachable => (None, None, &[]),
        };
        first.into_iter().chain(rest).chain(second)
    }

    /// Its edges, to be changed.
    pub(crate) fn edges_mut(&mut self) -> impl Iterator<Item = &mut Edge> {
        let (first, second, rest): (Option<&mut Edge>, Option<&mut Edge>, &mut [Edge]) = match self
        {
            Self::Jump(edge) => (Some(edge), None, &mut []),
            Self::Branch { yes, no, .. } => (Some(yes), Some(no), &mut []),
            Self::Switch {
                targets, default, ..
            } => (None, Some(default), targets),
            Self::Return(_) | Self::Trap { .. } | Self::Unreachable => (None, None, &mut []),
        };
        first.into_iter().chain(rest).chain(second)
    }

    /// Calls a function for each value that it uses, arguments of edges included.
    pub(crate) fn for_each_operand_mut(&mut self, mut visit: impl FnMut(&mut Value)) {
        match self {
            Self::Branch { condition, .. } => visit(condition),
            Self::Switch { index, .. } => visit(index),
            Self::Return(values) => values.iter_mut().for_each(&mut visit),
            Self::Trap { words, .. } => words.iter_mut().for_each(&mut visit),
            Self::Jump(_) | Self::Unreachable => {}
        }
        for edge in self.edges_mut() {
            edge.args.iter_mut().for_each(&mut visit);
        }
    }

    /// Calls a function for each value that it uses, arguments of edges included.
    pub(crate) fn for_each_operand(&self, mut visit: impl FnMut(Value)) {
        match self {
            Self::Branch { condition, .. } => visit(*condition),
            Self::Switch { index, .. } => visit(*index),
            Self::Return(values) => values.iter().copied().for_each(&mut visit),
            Self::Trap { words, .. } => words.iter().copied().for_each(&mut visit),
            Self::Jump(_) | Self::Unreachable => {}
        }
        for edge in self.edges() {
            edge.args.iter().copied().for_each(&mut visit);
        }
    }
}

/// A basic block.
#[derive(Clone, Debug)]
pub(crate) struct BlockData {
    /// Its parameters.
    pub params: Vec<Value>,
    /// Its instructions, in order.
    pub insts: Vec<Value>,
    /// Its end.
    pub terminator: Terminator,
}

/// A kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Function {
    /// The name of the export.
    pub name: String,
    /// The parameters of the kernel, by WebAssembly parameter.
    pub arguments: Vec<Argument>,
    /// The slice parameters: each a binding.
    pub slices: Vec<Object>,
    /// The types of the results.
    pub results: Vec<Type>,
    /// The objects.
    pub objects: Vec<ObjectData>,
    /// The sites of traps.
    pub traps: Vec<TrapSite>,
    /// The blocks; the first one is the entry, which has no parameters and no predecessors.
    pub blocks: Vec<BlockData>,
    values: Vec<ValueData>,
    floating: HashMap<(Type, Op), Value>,
}

impl Function {
    /// The entry block.
    pub(crate) const ENTRY: Block = Block(0);

    /// A new block, without an end.
    pub(crate) fn add_block(&mut self) -> Block {
        self.blocks.push(BlockData {
            params: Vec::new(),
            insts: Vec::new(),
            terminator: Terminator::Unreachable,
        });
        Block(index(self.blocks.len() - 1))
    }

    /// A new parameter of a block. The caller adds an argument to each edge.
    pub(crate) fn add_param(&mut self, block: Block, ty: Type) -> Value {
        let value = self.add_value(Op::Param, ty);
        self.block_mut(block).params.push(value);
        value
    }

    /// A new instruction at the end of a block. Floating operations become the one value that they
    /// are.
    pub(crate) fn push(&mut self, block: Block, op: Op, ty: Type) -> Value {
        if op.is_floating() {
            return self.floating(op, ty);
        }
        let value = self.add_value(op, ty);
        self.block_mut(block).insts.push(value);
        value
    }

    /// A value that is in no block yet.
    pub(crate) fn add_value(&mut self, op: Op, ty: Type) -> Value {
        self.values.push(ValueData { ty, op });
        Value(index(self.values.len() - 1))
    }

    /// The value of a floating operation.
    pub(crate) fn floating(&mut self, op: Op, ty: Type) -> Value {
        debug_assert!(op.is_floating());
        if let Some(&value) = self.floating.get(&(ty, op.clone())) {
            return value;
        }
        let value = self.add_value(op.clone(), ty);
        self.floating.insert((ty, op), value);
        value
    }

    /// A constant, as bits.
    pub(crate) fn constant(&mut self, ty: Type, bits: u64) -> Value {
        self.floating(Op::Const(bits), ty)
    }

    /// An `I32` constant.
    pub(crate) fn word(&mut self, bits: u32) -> Value {
        self.constant(Type::I32, u64::from(bits))
    }

    /// A new trap site.
    pub(crate) fn add_trap(&mut self, site: TrapSite) -> Trap {
        self.traps.push(site);
        Trap(index(self.traps.len() - 1))
    }

    /// A new object.
    pub(crate) fn add_object(&mut self, object: ObjectData) -> Object {
        self.objects.push(object);
        Object(index(self.objects.len() - 1))
    }

    /// A block.
    pub(crate) fn block(&self, block: Block) -> &BlockData {
        &self.blocks[block.0 as usize]
    }

    /// A block, to be changed.
    pub(crate) fn block_mut(&mut self, block: Block) -> &mut BlockData {
        &mut self.blocks[block.0 as usize]
    }

    /// All blocks, also those that are never entered.
    pub(crate) fn block_ids(&self) -> impl Iterator<Item = Block> + use<> {
        (0..index(self.blocks.len())).map(Block)
    }

    /// Number of values.
    pub(crate) fn value_count(&self) -> usize {
        self.values.len()
    }

    /// The definition of a value.
    pub(crate) fn op(&self, value: Value) -> &Op {
        &self.values[value.0 as usize].op
    }

    /// The definition of a value that is not floating, to be changed.
    pub(crate) fn op_mut(&mut self, value: Value) -> &mut Op {
        debug_assert!(!self.op(value).is_floating());
        &mut self.values[value.0 as usize].op
    }

    /// The type of a value.
    pub(crate) fn ty(&self, value: Value) -> Type {
        self.values[value.0 as usize].ty
    }

    /// An object.
    pub(crate) fn object(&self, object: Object) -> &ObjectData {
        &self.objects[object.0 as usize]
    }

    /// The bits of a constant.
    pub(crate) fn as_const(&self, value: Value) -> Option<u64> {
        match self.op(value) {
            Op::Const(bits) => Some(*bits),
            _ => None,
        }
    }

    /// The bits of an `I32` constant.
    pub(crate) fn as_word(&self, value: Value) -> Option<u32> {
        let is_word = self.ty(value) == Type::I32;
        self.as_const(value)
            .filter(|_| is_word)
            .map(|bits| bits as u32)
    }

    /// Replaces uses of values: `replacement[v]` is what value `v` becomes. Chains are followed.
    /// The definitions stay where they are.
    pub(crate) fn replace_uses(&mut self, replacement: &HashMap<Value, Value>) {
        if replacement.is_empty() {
            return;
        }
        let find = |value: &mut Value| {
            while let Some(&next) = replacement.get(value) {
                *value = next;
            }
        };
        for data in &mut self.values {
            if !data.op.is_floating() {
                data.op.for_each_operand_mut(find);
            }
        }
        for block in &mut self.blocks {
            block.terminator.for_each_operand_mut(find);
        }
    }
}

fn index(length: usize) -> u32 {
    u32::try_from(length).expect("a module of less than 4 GiB has fewer values")
}
