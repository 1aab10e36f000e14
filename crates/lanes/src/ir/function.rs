//! Functions: blocks with parameters, in static single assignment.

use smallvec::SmallVec;

use super::context::Outcome;
use super::op::{Op, Type};

/// A value: what a parameter or an instruction defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// A block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// A constant with a word for each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PatternId(pub u32);

impl Value {
    /// Its place in tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl BlockId {
    /// Its place in tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An instruction with its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inst {
    /// What it does.
    pub op: Op,
    /// Its operands.
    pub operands: SmallVec<[Value; 5]>,
    /// What it defines.
    pub result: Option<Value>,
}

/// Where control goes, and what the parameters there become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The block.
    pub block: BlockId,
    /// One value for each of its parameters.
    pub arguments: Vec<Value>,
}

impl Edge {
    /// To a block without parameters.
    pub fn to(block: BlockId) -> Self {
        Self {
            block,
            arguments: Vec::new(),
        }
    }
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// Goes on elsewhere.
    Jump(Edge),
    /// Goes to the first where a word is not 0 or a mask has a lane, else to the second.
    Branch(Value, Edge, Edge),
    /// Ends the call.
    Return(Outcome),
    /// A barrier: the call ends with its number, from 1 on, and the next one begins at the block, which has no
    /// parameters. `pass::barriers` replaces it.
    Suspend(u32, BlockId),
    /// Goes where the number of the barrier says at which the call before has ended; 0 is the beginning. Only
    /// at the end of the first block.
    Resume(Vec<BlockId>),
}

impl Terminator {
    /// The blocks that may come next, in order.
    pub fn successors(&self) -> SmallVec<[BlockId; 2]> {
        match self {
            Self::Jump(edge) => SmallVec::from_slice(&[edge.block]),
            Self::Branch(_, yes, no) => SmallVec::from_slice(&[yes.block, no.block]),
            Self::Return(_) => SmallVec::new(),
            Self::Suspend(_, block) => SmallVec::from_slice(&[*block]),
            Self::Resume(blocks) => SmallVec::from_slice(blocks),
        }
    }

    /// The edges that carry arguments.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        let (first, second) = match self {
            Self::Jump(edge) => (Some(edge), None),
            Self::Branch(_, yes, no) => (Some(yes), Some(no)),
            Self::Return(_) | Self::Suspend(..) | Self::Resume(_) => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The edges that carry arguments.
    pub fn edges_mut(&mut self) -> impl Iterator<Item = &mut Edge> {
        let (first, second) = match self {
            Self::Jump(edge) => (Some(edge), None),
            Self::Branch(_, yes, no) => (Some(yes), Some(no)),
            Self::Return(_) | Self::Suspend(..) | Self::Resume(_) => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// What a branch is decided by.
    pub fn condition(&self) -> Option<Value> {
        match self {
            Self::Branch(condition, ..) => Some(*condition),
            _ => None,
        }
    }

    /// Every value it uses.
    pub fn uses(&self) -> impl Iterator<Item = Value> {
        let arguments = self.edges().flat_map(|edge| edge.arguments.iter().copied());
        self.condition().into_iter().chain(arguments)
    }

    /// Replaces every value it uses.
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

/// Instructions that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it is given.
    pub parameters: Vec<Value>,
    /// Its instructions.
    pub insts: Vec<Inst>,
    /// How it ends.
    pub terminator: Terminator,
}

/// One kernel. The first block is where it begins, and has no parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Lanes of a vector: 8 or 16.
    pub lanes: u32,
    /// The type of each value.
    pub types: Vec<Type>,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// Constants with a word for each lane; as many words as there are lanes.
    pub patterns: Vec<Vec<u32>>,
    /// Bytes of the frame that are taken.
    pub frame_bytes: u32,
    /// How many barriers there are.
    pub barriers: u32,
}

impl Function {
    /// One block that ends at once.
    pub fn new(lanes: u32) -> Self {
        let mut function = Self {
            lanes,
            types: Vec::new(),
            blocks: Vec::new(),
            patterns: Vec::new(),
            frame_bytes: 0,
            barriers: 0,
        };
        function.add_block();
        function
    }

    /// Where it begins.
    pub const ENTRY: BlockId = BlockId(0);

    /// A mask of all lanes.
    pub fn all_lanes(&self) -> u32 {
        u32::MAX >> (32 - self.lanes)
    }

    /// A new value.
    pub fn add_value(&mut self, ty: Type) -> Value {
        self.types.push(ty);
        Value(self.types.len() as u32 - 1)
    }

    /// A new block that ends the kernel.
    pub fn add_block(&mut self) -> BlockId {
        self.blocks.push(Block {
            parameters: Vec::new(),
            insts: Vec::new(),
            terminator: Terminator::Return(Outcome::FINISHED),
        });
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// A new parameter of a block, behind those that it has.
    pub fn add_parameter(&mut self, block: BlockId, ty: Type) -> Value {
        let value = self.add_value(ty);
        self.block_mut(block).parameters.push(value);
        value
    }

    /// A pattern, which may be there already.
    pub fn pattern(&mut self, words: &[u32]) -> PatternId {
        let known = self.patterns.iter().position(|it| it == words);
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

    /// A block.
    pub fn block_mut(&mut self, block: BlockId) -> &mut Block {
        &mut self.blocks[block.index()]
    }

    /// The blocks that can be reached, each before those that it dominates; of two ways the first comes
    /// directly behind.
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
