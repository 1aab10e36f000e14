//! The function that goes from phase to phase.
//!
//! Of each phase come: a block before its loop, whose parameters are what the phase gets of shared values; the head of
//! the loop, whose parameter is the number of the subgroup, and which gets back or makes again what the subgroup needs;
//! copies of its blocks; and the ways out (`leave`).

use anywarp_program::work::{Meter, OverBudget};
use smallvec::{SmallVec, smallvec};

use super::{Phase, Plan, leave, polls};
use crate::ir::{
    BlockId, Edge, Field, Function, Inst, Op, Outcome, Space, Terminator, Type, Value, WordBinary,
};
use crate::pass::barriers::live::Way;
use crate::pass::origin::{Origin, definition, origins};
use crate::pass::repair::{self, Redefined};

const NONE: Value = Value(u32::MAX);

/// Builds the function.
pub(super) fn build(old: &Function, plan: &Plan, meter: &Meter) -> Result<Function, OverBudget> {
    let mut new = Function::new(old.lanes);
    new.patterns.clone_from(&old.patterns);
    new.frame_bytes = old.frame_bytes * plan.subgroups;
    let gates = gates(&mut new, old, plan);
    let mut builder = Builder {
        old,
        plan,
        origins: origins(old),
        gates,
        new,
        names: vec![NONE; old.types.len()],
        places: vec![Function::ENTRY; old.blocks.len()],
        redefined: Vec::new(),
        heads: Vec::new(),
    };
    for (number, phase) in plan.phases.iter().enumerate() {
        if let Some(phase) = phase {
            builder.phase(number, phase);
        }
    }
    let Builder {
        mut new,
        redefined,
        heads,
        ..
    } = builder;
    repair::run(&mut new, &redefined, meter)?;
    polls::once(&mut new, &heads);
    Ok(new)
}

/// Where a phase begins.
#[derive(Clone, Copy)]
pub(super) struct Gate {
    /// The block before its loop.
    pub(super) block: BlockId,
}

/// The blocks before the loops, by phase, with a parameter for each shared value that the phase needs.
fn gates(new: &mut Function, old: &Function, plan: &Plan) -> Vec<Option<Gate>> {
    let mut gates = Vec::with_capacity(plan.phases.len());
    for (number, phase) in plan.phases.iter().enumerate() {
        let block = match (number, phase) {
            (0, _) => Some(Function::ENTRY),
            (_, Some(_)) => Some(new.add_block()),
            (_, None) => None,
        };
        gates.push(block.map(|block| Gate { block }));
        if let Some(block) = block {
            for value in plan.passed(number) {
                new.add_parameter(block, old.type_of(value));
            }
        }
    }
    gates
}

impl Plan {
    /// What a phase needs of values from before it.
    fn needs(&self, phase: usize) -> &[Value] {
        match phase.checked_sub(1) {
            Some(site) => &self.across.sites[site].needs,
            None => &[],
        }
    }

    /// The shared ones among them, which it is given.
    pub(super) fn passed(&self, phase: usize) -> impl Iterator<Item = Value> {
        let needs = self.needs(phase).iter().copied();
        needs.filter(|it| self.ways[it.index()] == Way::Passed)
    }
}

pub(super) struct Builder<'a> {
    pub(super) old: &'a Function,
    pub(super) plan: &'a Plan,
    origins: Vec<Origin>,
    /// By phase.
    pub(super) gates: Vec<Option<Gate>>,
    pub(super) new: Function,
    /// By old value: what it is in the phase in hand.
    names: Vec<Value>,
    /// By old block: its copy in the phase in hand.
    places: Vec<BlockId>,
    redefined: Vec<Redefined>,
    /// The heads of the loops, and the blocks before them.
    heads: Vec<(BlockId, BlockId)>,
}

/// What there is of the phase in hand.
pub(super) struct Copy {
    /// The head of the loop.
    pub(super) head: BlockId,
    /// The number of the subgroup.
    pub(super) subgroup: Value,
    /// Where the subgroup before has left the loop, if that is checked.
    pub(super) end_before: Option<Value>,
    /// Where the part of the subgroup begins in the frame, in bytes and in words.
    part: Value,
    part_words: Value,
    /// By end: the block that leads there.
    pub(super) ends: Vec<(u32, BlockId)>,
}

impl Builder<'_> {
    fn phase(&mut self, number: usize, phase: &Phase) {
        let Some(gate) = self.gates[number] else {
            return;
        };
        let copy = self.head(gate, phase);
        self.heads.push((copy.head, gate.block));
        let starts = self.start(number, gate, &copy);
        for (value, start) in &starts {
            self.names[value.index()] = *start;
        }
        let blocks = self.declare(phase, &copy, &starts);
        let first = Edge::to(blocks[0].1);
        self.new.block_mut(copy.head).terminator = Terminator::Jump(first);
        for &(from, to) in &blocks {
            self.copy(&copy, from, to);
        }
        leave::leave(self, phase, &copy);
        self.forget(phase, &starts);
    }

    /// The block before the loop, and its head.
    fn head(&mut self, gate: Gate, phase: &Phase) -> Copy {
        let head = self.new.add_block();
        let subgroup = self.new.add_parameter(head, Type::Word);
        let zero = self.word(gate.block, 0);
        let mut arguments = vec![zero];
        let end_before = (self.plan.is_checked && phase.ends.len() > 1).then(|| {
            arguments.push(self.word(gate.block, leave::FIRST));
            self.new.add_parameter(head, Type::Word)
        });
        self.new.block_mut(gate.block).terminator = Terminator::Jump(Edge {
            block: head,
            arguments,
        });
        let part = self.times(head, subgroup, self.old.frame_bytes);
        let part_words = self.times(head, subgroup, self.old.frame_bytes / 4);
        let mut ends = Vec::new();
        for &end in &phase.ends {
            ends.push((end, self.new.add_block()));
        }
        Copy {
            head,
            subgroup,
            end_before,
            part,
            part_words,
            ends,
        }
    }

    fn times(&mut self, block: BlockId, value: Value, by: u32) -> Value {
        let by = self.word(block, by);
        let op = Op::WordBinary(WordBinary::Mul);
        self.put(block, op, smallvec![value, by], Type::Word)
    }

    pub(super) fn word(&mut self, block: BlockId, bits: u32) -> Value {
        self.put(block, Op::Word(bits), SmallVec::new(), Type::Word)
    }

    pub(super) fn put(
        &mut self,
        block: BlockId,
        op: Op,
        operands: SmallVec<[Value; 5]>,
        ty: Type,
    ) -> Value {
        let result = self.new.add_value(ty);
        self.new.block_mut(block).insts.push(Inst {
            op,
            operands,
            result: Some(result),
        });
        result
    }

    /// What a phase needs of values from before it, and what they are in its head.
    fn start(&mut self, number: usize, gate: Gate, copy: &Copy) -> Vec<(Value, Value)> {
        let given = self.new.block(gate.block).parameters.clone();
        let mut given = given.into_iter();
        let mut starts = Vec::new();
        for &value in self.plan.needs(number) {
            let ty = self.old.type_of(value);
            let start = match self.plan.ways[value.index()] {
                Way::Passed => given.next().unwrap_or(NONE),
                Way::Kept => {
                    let op = Op::RecallAt(self.plan.offsets.of(value));
                    self.put(copy.head, op, smallvec![copy.part], ty)
                }
                Way::MadeAgain => {
                    let inst = definition(self.old, &self.origins, value).cloned();
                    let inst = inst
                        .unwrap_or_else(|| unreachable!("what is made again is an instruction's"));
                    let result = self.new.add_value(ty);
                    self.inst(copy, copy.head, &inst, Some(result))
                }
            };
            self.names[value.index()] = start;
            starts.push((value, start));
        }
        starts
    }

    /// Makes blocks and names for what a phase defines. Gives old and new blocks.
    fn declare(
        &mut self,
        phase: &Phase,
        copy: &Copy,
        starts: &[(Value, Value)],
    ) -> Vec<(BlockId, BlockId)> {
        let mut blocks = Vec::with_capacity(phase.blocks.len());
        for &id in &phase.blocks {
            let new = self.new.add_block();
            blocks.push((id, new));
            self.places[id.index()] = new;
            let block = self.old.block(id);
            for &parameter in &block.parameters {
                let ty = self.old.type_of(parameter);
                self.names[parameter.index()] = self.new.add_parameter(new, ty);
            }
            for inst in &block.insts {
                if let Some(result) = inst.result {
                    self.names[result.index()] = match inst.op {
                        Op::Field(Field::Subgroup) => copy.subgroup,
                        _ => self.new.add_value(self.old.type_of(result)),
                    };
                }
            }
        }
        for &(value, start) in starts {
            let name = self.names[value.index()];
            if name != start && name != copy.subgroup {
                self.redefined.push(Redefined {
                    value: name,
                    definitions: vec![(copy.head, start)],
                });
            }
        }
        blocks
    }

    fn copy(&mut self, copy: &Copy, from: BlockId, to: BlockId) {
        for inst in &self.old.block(from).insts {
            let result = inst.result.map(|it| self.names[it.index()]);
            self.inst(copy, to, inst, result);
        }
        let leaves = |end: u32| {
            let mut ends = copy.ends.iter();
            let found = ends.find(|it| it.0 == end).map(|it| Edge::to(it.1));
            found.unwrap_or_else(|| unreachable!("all ends of a phase are known"))
        };
        let mut terminator = self.old.block(from).terminator.clone();
        match terminator {
            Terminator::Suspend(number, _) => terminator = Terminator::Jump(leaves(number)),
            Terminator::Return(Outcome::FINISHED) => terminator = Terminator::Jump(leaves(0)),
            _ => {
                for edge in terminator.edges_mut() {
                    edge.block = self.places[edge.block.index()];
                }
                terminator.map_uses(|it| self.names[it.index()]);
            }
        }
        self.new.block_mut(to).terminator = terminator;
    }

    /// Copies an instruction to a block; one that tells subgroups apart becomes what it means in the loop.
    fn inst(&mut self, copy: &Copy, block: BlockId, inst: &Inst, result: Option<Value>) -> Value {
        let operands = inst.operands.iter().map(|it| self.names[it.index()]);
        let mut made = Inst {
            op: inst.op,
            operands: operands.collect(),
            result,
        };
        match inst.op {
            Op::Field(Field::Subgroup) => return copy.subgroup,
            Op::Keep(offset) => {
                made.op = Op::KeepAt(offset);
                made.operands.insert(0, copy.part);
            }
            Op::Base(Space::Frame(_)) => {
                let base = self.put(block, inst.op, SmallVec::new(), Type::Pointer);
                made.op = Op::Advance;
                made.operands = smallvec![base, copy.part_words];
            }
            _ => {}
        }
        self.new.block_mut(block).insts.push(made);
        result.unwrap_or(NONE)
    }

    /// What an old value is in the phase in hand.
    pub(super) fn name(&self, value: Value) -> Value {
        self.names[value.index()]
    }

    fn forget(&mut self, phase: &Phase, starts: &[(Value, Value)]) {
        for (value, _) in starts {
            self.names[value.index()] = NONE;
        }
        for block in phase.blocks.iter().map(|it| self.old.block(*it)) {
            let results = block.insts.iter().filter_map(|it| it.result);
            for value in results.chain(block.parameters.iter().copied()) {
                self.names[value.index()] = NONE;
            }
        }
    }
}
