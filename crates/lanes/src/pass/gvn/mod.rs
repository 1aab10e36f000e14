//! Global value numbering and loop-invariant code motion.
//!
//! In: any function. Out: the same function, where a pure instruction is removed if an equal one dominates it, and is
//! hoisted to the preheader of the outermost loop in which its operands are invariant (`licm`). Loops may have got
//! preheaders.
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

mod licm;
mod memory_versions;

use smallvec::SmallVec;

use super::alias::{AliasAnalysis, BufferAliasing};
use super::cfg::Cfg;
use super::hash::Map;
use super::loops::Loops;
use super::preheader;
use super::replace_uses::Replacements;
use crate::ir::{
    BlockId, Function, Inst, LaneBinary, MaskBinary, Op, Value, WordBinary, WordCompare,
};

use licm::InvariantMotion;
use memory_versions::MemoryVersions;

/// Runs the pass.
pub fn run(function: &mut Function, aliasing: BufferAliasing) {
    let mut graph = Cfg::new(function);
    let mut loops = Loops::new(&graph, function.blocks.len());
    if preheader::add(function, &graph, &loops) {
        graph = Cfg::new(function);
        loops = Loops::new(&graph, function.blocks.len());
    }
    let memory = AliasAnalysis::new(function, &graph, aliasing);
    let motion = InvariantMotion::new(function, &graph, &loops, &memory);
    let versions = MemoryVersions::new(function, &graph, &loops, &memory, &motion.written);
    let mut numbering = Numbering::new(function, &graph, &memory, &motion);
    for block in graph.tree() {
        numbering.block(function, &versions, block);
    }
    let Numbering {
        blocks,
        mut replacements,
        ..
    } = numbering;
    for (block, insts) in function.blocks.iter_mut().zip(blocks) {
        if let Some(insts) = insts {
            block.insts = insts;
        }
    }
    replacements.apply(function);
}

/// The key of an expression: its operation, the value numbers of its operands, and the version of the memory that it
/// reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    op: Op,
    operands: SmallVec<[Value; 5]>,
    version: u32,
}

/// Global value numbering.
struct Numbering<'a> {
    graph: &'a Cfg,
    memory: &'a AliasAnalysis,
    motion: &'a InvariantMotion<'a>,
    /// The replacement of each value.
    replacements: Replacements,
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
        motion: &'a InvariantMotion<'a>,
    ) -> Self {
        let values = function.types.len();
        Self {
            graph,
            memory,
            motion,
            replacements: Replacements::new(function),
            numbers: (0..values as u32).map(Value).collect(),
            homes: vec![Function::ENTRY; values],
            constants: vec![None; values],
            table: Map::default(),
            constant_numbers: Map::default(),
            constants_here: Map::default(),
            blocks: vec![None; function.blocks.len()],
        }
    }

    fn block(&mut self, function: &mut Function, versions: &MemoryVersions, id: BlockId) {
        for parameter in &function.block(id).parameters {
            self.homes[parameter.index()] = id;
        }
        let insts = std::mem::take(&mut function.block_mut(id).insts);
        self.blocks[id.index()] = Some(Vec::with_capacity(insts.len()));
        let mut current = versions.at_start(id);
        for mut inst in insts {
            inst.operands
                .iter_mut()
                .for_each(|operand| *operand = self.replacements.find(*operand));
            match inst.result {
                Some(result) if inst.op.is_cheap() => self.constant(id, inst, result),
                Some(result) if !inst.op.has_effect() => {
                    let version = current.of(self.memory.read_by(&inst));
                    self.pure(function, id, inst, result, version);
                }
                result => {
                    current.write(self.memory.written_by(&inst));
                    result
                        .into_iter()
                        .for_each(|result| self.homes[result.index()] = id);
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
            Some(&known) => self.replacements.put(result, known),
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
        let target = self.target(block, &inst);
        let Some(version) = version else {
            // The version of the memory that it reads is not tracked.
            self.hoist(function, block, target, &mut inst, result);
            return self.push(target, inst);
        };
        let numbers = inst
            .operands
            .iter()
            .map(|operand| self.numbers[operand.index()]);
        let mut key = Key {
            op: inst.op,
            operands: numbers.collect(),
            version,
        };
        if is_commutative(inst.op) {
            key.operands.sort_unstable();
        }
        let is_available = |leader: &Value| {
            let home = self.homes[leader.index()];
            self.graph.dominates(home, target)
        };
        if let Some(leader) = self.table.get(&key).copied().filter(is_available) {
            return self.replacements.put(result, leader);
        }
        self.table.insert(key, result);
        self.hoist(function, block, target, &mut inst, result);
        self.push(target, inst);
    }

    fn target(&self, block: BlockId, inst: &Inst) -> BlockId {
        let operands: SmallVec<[_; 5]> = inst
            .operands
            .iter()
            .filter(|operand| self.constants[operand.index()].is_none())
            .map(|operand| self.homes[operand.index()])
            .collect();
        let reads = self.memory.read_by(inst);
        self.motion.target(inst.op, block, reads, &operands)
    }

    /// Moves an instruction to a block, with the constants among its operands.
    fn hoist(
        &mut self,
        function: &mut Function,
        block: BlockId,
        target: BlockId,
        inst: &mut Inst,
        result: Value,
    ) {
        self.homes[result.index()] = target;
        if target == block {
            return;
        }
        for operand in &mut inst.operands {
            let home = self.homes[operand.index()];
            if let Some(op) = self.constants[operand.index()]
                && !self.graph.dominates(home, target)
            {
                *operand = self.constant_at(function, target, op, *operand);
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
