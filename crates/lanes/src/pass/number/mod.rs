//! Equal computations become one, and what does not change in a loop is computed before it.
//!
//! In: any function. Out: the same, where a pure instruction whose operands are defined outside of a loop stands before
//! the loop, and one that a dominating instruction has computed already is gone. Loops may have got blocks before them.
//!
//! Loads take part where nothing on the way can change what they read ([`Overlap`]). That they may come to be done
//! where they were not before is what "pure" means: a load must be safe by its operands alone, whatever branch it
//! stands behind. Constants and what the run is told ([`Op::is_cheap`]) stay in their block, one of each, as they cost
//! less where they are used than in a register. Out of loops with a barrier only what is dear is moved, as it then has
//! to be kept in the frame.
//!
//! One walk over the dominator tree does both: an instruction is first given the block where it would stand, and then
//! looked up there. A value that is found in the table counts if its block dominates that one; if not it never will
//! again, and is replaced.

mod state;

use smallvec::SmallVec;

use super::graph::Graph;
use super::hash::Map;
use super::loops::{LoopId, Loops};
use super::memory::{Areas, Memory, Overlap};
use super::preheader;
use super::replace::Replacements;
use crate::ir::{
    BlockId, Function, Inst, LaneBinary, LaneUnary, MaskBinary, Op, Terminator, Value, WordBinary,
    WordCompare,
};

use state::States;

/// Runs the pass.
pub fn run(function: &mut Function, overlap: Overlap) {
    let mut graph = Graph::new(function);
    let mut loops = Loops::new(&graph, function.blocks.len());
    if preheader::add(function, &graph, &loops) {
        graph = Graph::new(function);
        loops = Loops::new(&graph, function.blocks.len());
    }
    let memory = Memory::new(function, &graph, overlap);
    let seats = Seats::new(function, &graph, &loops, &memory);
    let states = States::new(function, &graph, &loops, &memory, &seats.written);
    let mut numbering = Numbering::new(function, &graph, &memory, &seats);
    for block in graph.tree() {
        numbering.block(function, &states, block);
    }
    let Numbering {
        blocks, mut names, ..
    } = numbering;
    for (block, insts) in function.blocks.iter_mut().zip(blocks) {
        if let Some(insts) = insts {
            block.insts = insts;
        }
    }
    names.apply(function);
}

/// Where instructions may be moved.
struct Seats<'a> {
    graph: &'a Graph,
    loops: &'a Loops,
    /// By loop: the block before it.
    before: Vec<Option<BlockId>>,
    /// By loop: what is changed in it.
    written: Vec<Areas>,
    /// By loop: whether a barrier is in it.
    suspends: Vec<bool>,
}

impl<'a> Seats<'a> {
    fn new(function: &Function, graph: &'a Graph, loops: &'a Loops, memory: &Memory) -> Self {
        let count = loops.all().len();
        let before = loops.all().iter();
        let before = before
            .map(|it| preheader::find(function, graph, it))
            .collect();
        let (mut written, mut suspends) = (vec![0; count], vec![false; count]);
        for &id in graph.order() {
            let Some(innermost) = loops.innermost(id) else {
                continue;
            };
            let block = function.block(id);
            let here = block.insts.iter().map(|it| memory.written_by(it));
            let here = here.fold(memory.written_at(&block.terminator), |all, it| all | it);
            written[innermost.0 as usize] |= here;
            suspends[innermost.0 as usize] |= matches!(block.terminator, Terminator::Suspend(..));
        }
        // Loops inside of others come first.
        for (index, it) in loops.all().iter().enumerate() {
            if let Some(parent) = it.parent {
                written[parent.0 as usize] |= written[index];
                suspends[parent.0 as usize] |= suspends[index];
            }
        }
        Self {
            graph,
            loops,
            before,
            written,
            suspends,
        }
    }

    /// The block where an instruction would best stand that is in a block, reads some memory and has operands that are
    /// defined in some blocks.
    fn choose(&self, op: Op, block: BlockId, reads: Areas, operands: &[BlockId]) -> BlockId {
        let mut seat = block;
        let mut around = self.loops.innermost(block);
        while let Some(id) = around {
            match self.before[id.0 as usize] {
                Some(before) if self.may_leave(op, id, reads, operands) => seat = before,
                _ => break,
            }
            around = self.loops.get(id).parent;
        }
        seat
    }

    fn may_leave(&self, op: Op, id: LoopId, reads: Areas, operands: &[BlockId]) -> bool {
        let header = self.loops.get(id).header;
        let index = id.0 as usize;
        reads & self.written[index] == 0
            && (!self.suspends[index] || is_dear(op))
            && !operands.iter().any(|it| self.graph.dominates(header, *it))
    }
}

/// What makes instructions equal: their operation, the numbers of their operands, and the state of what they read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    op: Op,
    operands: SmallVec<[Value; 5]>,
    state: u32,
}

struct Numbering<'a> {
    graph: &'a Graph,
    memory: &'a Memory,
    seats: &'a Seats<'a>,
    /// What is used in the place of each value.
    names: Replacements,
    /// By value: a value that is equal to it, the same one for all of them.
    numbers: Vec<Value>,
    /// By value: the block where it stands now.
    homes: Vec<BlockId>,
    /// By value: the constant that it is.
    constants: Vec<Option<Op>>,
    table: Map<Key, Value>,
    constant_numbers: Map<Op, Value>,
    constants_here: Map<(BlockId, Op), Value>,
    /// By block: its instructions as they will be.
    blocks: Vec<Option<Vec<Inst>>>,
}

impl<'a> Numbering<'a> {
    fn new(function: &Function, graph: &'a Graph, memory: &'a Memory, seats: &'a Seats) -> Self {
        let values = function.types.len();
        Self {
            graph,
            memory,
            seats,
            names: Replacements::new(function),
            numbers: (0..values as u32).map(Value).collect(),
            homes: vec![Function::ENTRY; values],
            constants: vec![None; values],
            table: Map::default(),
            constant_numbers: Map::default(),
            constants_here: Map::default(),
            blocks: vec![None; function.blocks.len()],
        }
    }

    fn block(&mut self, function: &mut Function, states: &States, id: BlockId) {
        for parameter in &function.block(id).parameters {
            self.homes[parameter.index()] = id;
        }
        let insts = std::mem::take(&mut function.block_mut(id).insts);
        self.blocks[id.index()] = Some(Vec::with_capacity(insts.len()));
        let mut state = states.begin(id);
        for mut inst in insts {
            inst.operands
                .iter_mut()
                .for_each(|it| *it = self.names.find(*it));
            match inst.result {
                Some(result) if inst.op.is_cheap() => self.constant(id, inst, result),
                Some(result) if !inst.op.has_effect() => {
                    let version = state.of(self.memory.read_by(&inst));
                    self.pure(function, id, inst, result, version);
                }
                result => {
                    state.change(self.memory.written_by(&inst));
                    result
                        .into_iter()
                        .for_each(|it| self.homes[it.index()] = id);
                    self.push(id, inst);
                }
            }
        }
    }

    fn push(&mut self, block: BlockId, inst: Inst) {
        self.blocks[block.index()]
            .get_or_insert_default()
            .push(inst);
    }

    fn constant(&mut self, block: BlockId, inst: Inst, result: Value) {
        let op = inst.op;
        self.numbers[result.index()] = *self.constant_numbers.entry(op).or_insert(result);
        self.constants[result.index()] = Some(op);
        self.homes[result.index()] = block;
        match self.constants_here.get(&(block, op)) {
            Some(&known) => self.names.put(result, known),
            None => {
                self.constants_here.insert((block, op), result);
                self.push(block, inst);
            }
        }
    }

    fn pure(
        &mut self,
        function: &mut Function,
        block: BlockId,
        mut inst: Inst,
        result: Value,
        version: Option<u32>,
    ) {
        let seat = self.seat(block, &inst);
        let Some(state) = version else {
            // What it reads is not followed.
            self.stand(function, block, seat, &mut inst, result);
            return self.push(seat, inst);
        };
        let numbers = inst.operands.iter().map(|it| self.numbers[it.index()]);
        let mut key = Key {
            op: inst.op,
            operands: numbers.collect(),
            state,
        };
        if is_commutative(inst.op) {
            key.operands.sort_unstable();
        }
        let known = self.table.get(&key).copied();
        let known = known.filter(|it| self.graph.dominates(self.homes[it.index()], seat));
        if let Some(known) = known {
            return self.names.put(result, known);
        }
        self.table.insert(key, result);
        self.stand(function, block, seat, &mut inst, result);
        self.push(seat, inst);
    }

    fn seat(&self, block: BlockId, inst: &Inst) -> BlockId {
        let operands = inst.operands.iter();
        let operands = operands.filter(|it| self.constants[it.index()].is_none());
        let operands: SmallVec<[_; 5]> = operands.map(|it| self.homes[it.index()]).collect();
        let reads = self.memory.read_by(inst);
        self.seats.choose(inst.op, block, reads, &operands)
    }

    /// Lets an instruction stand in a block. Constants among its operands come along.
    fn stand(
        &mut self,
        function: &mut Function,
        block: BlockId,
        seat: BlockId,
        inst: &mut Inst,
        result: Value,
    ) {
        self.homes[result.index()] = seat;
        if seat == block {
            return;
        }
        for operand in &mut inst.operands {
            let home = self.homes[operand.index()];
            if let Some(op) = self.constants[operand.index()]
                && !self.graph.dominates(home, seat)
            {
                *operand = self.constant_at(function, seat, op, *operand);
            }
        }
    }

    fn constant_at(
        &mut self,
        function: &mut Function,
        block: BlockId,
        op: Op,
        old: Value,
    ) -> Value {
        if let Some(&known) = self.constants_here.get(&(block, op)) {
            return known;
        }
        let value = function.add_value(function.type_of(old));
        self.numbers.push(self.numbers[old.index()]);
        self.constants.push(Some(op));
        self.homes.push(block);
        self.constants_here.insert((block, op), value);
        self.push(
            block,
            Inst {
                op,
                operands: SmallVec::new(),
                result: Some(value),
            },
        );
        value
    }
}

/// Whether operands can change places. Floats are left as they are: which of two that are not a number comes out
/// depends on their order.
fn is_commutative(op: Op) -> bool {
    use WordBinary::{Add, And, MaxS, MaxU, MinS, MinU, Mul, Or, Xor};
    match op {
        Op::WordBinary(op) | Op::Binary(LaneBinary::Int(op)) => {
            matches!(op, Add | Mul | And | Or | Xor | MinU | MaxU | MinS | MaxS)
        }
        Op::WordCompare(op) => matches!(op, WordCompare::Eq | WordCompare::Ne),
        Op::MaskBinary(op) => op != MaskBinary::AndNot,
        _ => false,
    }
}

/// Whether an instruction takes much longer than getting a value back from the frame.
fn is_dear(op: Op) -> bool {
    use WordBinary::{DivS, DivU, RemS, RemU};
    match op {
        Op::WordBinary(op) | Op::Binary(LaneBinary::Int(op)) => {
            matches!(op, DivU | DivS | RemU | RemS)
        }
        Op::Binary(LaneBinary::DivF) | Op::Unary(LaneUnary::Sqrt) | Op::Gather(_) => true,
        _ => false,
    }
}
