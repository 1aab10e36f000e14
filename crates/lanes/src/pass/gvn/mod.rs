//! Global value numbering and loop-invariant code motion.
//!
//! In: any function. Out: the same function, where a pure instruction is removed if an equal one dominates it, and is
//! hoisted to the preheader of the outermost loop in which its operands are invariant. Loops may have got preheaders.
//!
//! Loads take part if no instruction on the path may write what they read ([`BufferAliasing`]). Hoisted instructions
//! are speculated: a load must be safe by its operands alone, whatever branch guards it. Constants and words of the
//! context ([`Op::is_cheap`]) stay in their block, one of each, as they are cheaper to recompute than to keep in a
//! register. Out of loops with a barrier only expensive instructions are hoisted, since their results have to be
//! spilled.
//!
//! One walk in preorder of the dominator tree does both: an instruction first gets its target block, and is then looked
//! up there in a hash table. An entry is valid if its block dominates the target; otherwise it will not be needed again
//! and is replaced.

mod memory_versions;

use smallvec::SmallVec;

use super::alias::{AliasAnalysis, AliasRegions, BufferAliasing};
use super::cfg::Cfg;
use super::hash::Map;
use super::loops::{LoopId, Loops};
use super::preheader;
use super::replace_uses::Replacements;
use crate::ir::{
    BlockId, Function, Inst, LaneBinary, LaneUnary, MaskBinary, Op, Terminator, Value, WordBinary,
    WordCompare,
};

use memory_versions::States;

/// Runs the pass.
pub fn run(function: &mut Function, aliasing: BufferAliasing) {
    let mut graph = Cfg::new(function);
    let mut loops = Loops::new(&graph, function.blocks.len());
    if preheader::add(function, &graph, &loops) {
        graph = Cfg::new(function);
        loops = Loops::new(&graph, function.blocks.len());
    }
    let memory = AliasAnalysis::new(function, &graph, aliasing);
    let seats = Leaders::new(function, &graph, &loops, &memory);
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

/// The loops, and what prevents hoisting out of them.
struct Leaders<'a> {
    graph: &'a Cfg,
    loops: &'a Loops,
    /// By loop: its preheader.
    before: Vec<Option<BlockId>>,
    /// By loop: the alias regions that it writes.
    written: Vec<AliasRegions>,
    /// By loop: whether it contains a barrier.
    suspends: Vec<bool>,
}

impl<'a> Leaders<'a> {
    fn new(function: &Function, graph: &'a Cfg, loops: &'a Loops, memory: &AliasAnalysis) -> Self {
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
        // Inner loops come first.
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

    /// The block to which an instruction can be hoisted, given its block, the alias regions that it reads, and the
    /// blocks that define its operands.
    fn choose(&self, op: Op, block: BlockId, reads: AliasRegions, operands: &[BlockId]) -> BlockId {
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

    fn may_leave(&self, op: Op, id: LoopId, reads: AliasRegions, operands: &[BlockId]) -> bool {
        let header = self.loops.get(id).header;
        let index = id.0 as usize;
        reads & self.written[index] == 0
            && (!self.suspends[index] || is_dear(op))
            && !operands.iter().any(|it| self.graph.dominates(header, *it))
    }
}

/// The key of an expression: its operation, the value numbers of its operands, and the version of the memory that it
/// reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    op: Op,
    operands: SmallVec<[Value; 5]>,
    state: u32,
}

struct Numbering<'a> {
    graph: &'a Cfg,
    memory: &'a AliasAnalysis,
    seats: &'a Leaders<'a>,
    /// The replacement of each value.
    names: Replacements,
    /// By value: its value number, a representative of all equal values.
    numbers: Vec<Value>,
    /// By value: the block that defines it now.
    homes: Vec<BlockId>,
    /// By value: its constant.
    constants: Vec<Option<Op>>,
    table: Map<Key, Value>,
    constant_numbers: Map<Op, Value>,
    constants_here: Map<(BlockId, Op), Value>,
    /// By block: its new instructions.
    blocks: Vec<Option<Vec<Inst>>>,
}

impl<'a> Numbering<'a> {
    fn new(
        function: &Function,
        graph: &'a Cfg,
        memory: &'a AliasAnalysis,
        seats: &'a Leaders,
    ) -> Self {
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
            // The version of the memory that it reads is not tracked.
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

    /// Moves an instruction to a block, with the constants among its operands.
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

/// Whether an operation is commutative. Float operations are not, since the order of operands decides which NaN
/// results.
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

/// Whether an instruction is much slower than a load from the frame.
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
