//! Functions: basic blocks with parameters, in SSA form.

use smallvec::SmallVec;

use super::context::CallOutcome;
use super::op::{Op, Type};
use super::vector_machine::{Capabilities, VectorMachine};

/// An SSA value, defined by a block parameter or an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// A basic block, by its index in [`Function::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// A constant vector, by its index in [`Function::patterns`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PatternId(pub u32);

impl Value {
    /// The index in tables by value.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl BlockId {
    /// The index in tables by block.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An instruction with its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inst {
    /// The operation.
    pub op: Op,
    /// The operands; [`Op::signature`] has their types.
    pub operands: SmallVec<[Value; 5]>,
    /// The value that it defines.
    pub result: Option<Value>,
}

/// A control-flow edge: the target block and the arguments for its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The target block.
    pub block: BlockId,
    /// One value for each parameter of the target.
    pub arguments: Vec<Value>,
}

impl Edge {
    /// An edge to a block without parameters.
    pub fn to(block: BlockId) -> Self {
        Self {
            block,
            arguments: Vec::new(),
        }
    }
}

/// The last instruction of a basic block, which transfers control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// An unconditional jump.
    Jump(Edge),
    /// A conditional branch: takes the first edge if the condition, a word, is not 0, or, a mask, is not empty; else
    /// the second.
    Branch(Value, Edge, Edge),
    /// Ends the call with an outcome.
    Return(CallOutcome),
    /// A barrier: the call ends with its number, from 1 on, and the next call resumes at the block, which has no
    /// parameters. `pass::barrier_split` replaces it.
    Suspend(u32, BlockId),
    /// A jump table, indexed by the barrier at which the previous call ended; 0 at the first call. Only in the entry
    /// block.
    Resume(Vec<BlockId>),
}

impl Terminator {
    /// The successor blocks, in order.
    pub fn successors(&self) -> SmallVec<[BlockId; 2]> {
        match self {
            Self::Jump(edge) => SmallVec::from_slice(&[edge.block]),
            Self::Branch(_, yes, no) => SmallVec::from_slice(&[yes.block, no.block]),
            Self::Return(_) => SmallVec::new(),
            Self::Suspend(_, block) => SmallVec::from_slice(&[*block]),
            Self::Resume(blocks) => SmallVec::from_slice(blocks),
        }
    }

    /// The edges that carry arguments: those of jumps and branches.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        let (first, second) = match self {
            Self::Jump(edge) => (Some(edge), None),
            Self::Branch(_, yes, no) => (Some(yes), Some(no)),
            Self::Return(_) | Self::Suspend(..) | Self::Resume(_) => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The edges that carry arguments: those of jumps and branches.
    pub fn edges_mut(&mut self) -> impl Iterator<Item = &mut Edge> {
        let (first, second) = match self {
            Self::Jump(edge) => (Some(edge), None),
            Self::Branch(_, yes, no) => (Some(yes), Some(no)),
            Self::Return(_) | Self::Suspend(..) | Self::Resume(_) => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The condition of a branch.
    pub fn condition(&self) -> Option<Value> {
        match self {
            Self::Branch(condition, ..) => Some(*condition),
            _ => None,
        }
    }

    /// The values that it uses: the condition and the arguments of edges.
    pub fn uses(&self) -> impl Iterator<Item = Value> {
        let arguments = self.edges().flat_map(|edge| edge.arguments.iter().copied());
        self.condition().into_iter().chain(arguments)
    }

    /// Replaces every used value.
    pub fn map_uses(&mut self, mut map: impl FnMut(Value) -> Value) {
        if let Self::Branch(condition, ..) = self {
            *condition = map(*condition);
        }
        for edge in self.edges_mut() {
            for argument in &mut edge.arguments {
                *argument = map(*argument);
            }
        }
    }
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The block parameters.
    pub parameters: Vec<Value>,
    /// The instructions before the terminator.
    pub insts: Vec<Inst>,
    /// The terminator.
    pub terminator: Terminator,
}

/// A function: a kernel for one subgroup, or a callee. The first block is the entry and has no parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The number of lanes: 8 or 16.
    pub lanes: u32,
    /// The capabilities of the machine that it is compiled for.
    pub capabilities: Capabilities,
    /// The type of each value.
    pub types: Vec<Type>,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// Constant vectors, with a word for each lane.
    pub patterns: Vec<Vec<u32>>,
    /// The size of the frame.
    pub frame_bytes: u32,
    /// The number of barriers; they are numbered from 1.
    pub barriers: u32,
}

impl Function {
    /// A function of one empty block that finishes.
    pub fn new(machine: impl Into<VectorMachine>) -> Self {
        let VectorMachine {
            lanes,
            capabilities,
        } = machine.into();
        let mut function = Self {
            lanes,
            capabilities,
            types: Vec::new(),
            blocks: Vec::new(),
            patterns: Vec::new(),
            frame_bytes: 0,
            barriers: 0,
        };
        function.add_block();
        function
    }

    /// The entry block.
    pub const ENTRY: BlockId = BlockId(0);

    /// The machine that it is compiled for.
    pub fn machine(&self) -> VectorMachine {
        VectorMachine {
            lanes: self.lanes,
            capabilities: self.capabilities,
        }
    }

    /// The mask with every lane.
    pub fn all_lanes(&self) -> u32 {
        u32::MAX >> (32 - self.lanes)
    }

    /// Adds a value.
    pub fn add_value(&mut self, ty: Type) -> Value {
        self.types.push(ty);
        Value(self.types.len() as u32 - 1)
    }

    /// Adds an empty block that finishes the kernel.
    pub fn add_block(&mut self) -> BlockId {
        self.blocks.push(Block {
            parameters: Vec::new(),
            insts: Vec::new(),
            terminator: Terminator::Return(CallOutcome::FINISHED),
        });
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// Appends a parameter to a block.
    pub fn add_parameter(&mut self, block: BlockId, ty: Type) -> Value {
        let value = self.add_value(ty);
        self.block_mut(block).parameters.push(value);
        value
    }

    /// The id of a constant vector, which is added if it does not exist.
    pub fn pattern(&mut self, words: &[u32]) -> PatternId {
        let known = self.patterns.iter().position(|pattern| pattern == words);
        let index = known.unwrap_or_else(|| {
            self.patterns.push(words.to_vec());
            self.patterns.len() - 1
        });
        PatternId(index as u32)
    }

    /// The type of a value.
    pub fn type_of(&self, value: Value) -> Type {
        self.types[value.index()]
    }

    /// A block.
    pub fn block(&self, block: BlockId) -> &Block {
        &self.blocks[block.index()]
    }

    /// The data of a block, mutably.
    pub fn block_mut(&mut self, block: BlockId) -> &mut Block {
        &mut self.blocks[block.index()]
    }

    /// The reachable blocks in reverse postorder: each before the blocks that it dominates. The first successor of a
    /// branch follows the branch if possible.
    pub fn order(&self) -> Vec<BlockId> {
        let mut seen = vec![false; self.blocks.len()];
        let mut order = Vec::new();
        // Each entry: a block, and how many of its successors are still to be visited, the last first.
        let mut open = vec![(Self::ENTRY, self.block(Self::ENTRY).terminator.successors())];
        seen[0] = true;
        while let Some((block, successors)) = open.last_mut() {
            match successors.pop() {
                Some(next) if !seen[next.index()] => {
                    seen[next.index()] = true;
                    open.push((next, self.block(next).terminator.successors()));
                }
                Some(_) => {}
                None => {
                    order.push(*block);
                    open.pop();
                }
            }
        }
        order.reverse();
        order
    }
}
