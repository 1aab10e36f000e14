//! Builds the function that runs one barrier region after another.
//!
//! For each region: an entry block before its loop, whose parameters are the uniform values that the region needs; a
//! loop header, whose parameter is the number of the subgroup, and which reloads or rematerializes the other live
//! values; copies of the region's blocks; and exits (`exits`).

use anywarp_program::work::{Meter, OverBudget};
use smallvec::{SmallVec, smallvec};

use super::{BarrierRegion, Plan, exits, polls};
use crate::ir::{
    BlockId, CallOutcome, ContextField, Edge, Function, Inst, Op, Space, Terminator, Type, Value,
    WordBinary,
};
use crate::pass::barrier_split::spill::Preservation;
use crate::pass::ssa_repair::{self, Redefined};
use crate::pass::value_def::{ValueDef, definition, value_defs};

const NONE: Value = Value(u32::MAX);

/// Builds the function.
pub(super) fn build(old: &Function, plan: &Plan, meter: &Meter) -> Result<Function, OverBudget> {
    let mut new = Function::new(old.machine());
    new.patterns.clone_from(&old.patterns);
    new.frame_bytes = old.frame_bytes * plan.subgroups;
    let gates = gates(&mut new, old, plan);
    let mut builder = Builder {
        old,
        plan,
        value_defs: value_defs(old),
        gates,
        new,
        names: vec![NONE; old.types.len()],
        places: vec![Function::ENTRY; old.blocks.len()],
        redefined: Vec::new(),
        heads: Vec::new(),
    };
    for (number, region) in plan.regions.iter().enumerate() {
        if let Some(region) = region {
            builder.region(number, region);
        }
    }
    let Builder {
        mut new,
        redefined,
        heads,
        ..
    } = builder;
    ssa_repair::run(&mut new, &redefined, meter)?;
    polls::once(&mut new, &heads);
    Ok(new)
}

/// The entry of a region.
#[derive(Clone, Copy)]
pub(super) struct Gate {
    /// The preheader of its loop over subgroups.
    pub(super) block: BlockId,
}

/// By region: the preheader of its loop, with a parameter for each uniform value that the region needs.
fn gates(new: &mut Function, old: &Function, plan: &Plan) -> Vec<Option<Gate>> {
    let mut gates = Vec::with_capacity(plan.regions.len());
    for (number, region) in plan.regions.iter().enumerate() {
        let block = match (number, region) {
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
    /// The values that are live into a region.
    fn needs(&self, region: usize) -> &[Value] {
        match region.checked_sub(1) {
            Some(site) => &self.across.sites[site].needs,
            None => &[],
        }
    }

    /// The uniform values among them, which are parameters of the region's entry.
    pub(super) fn passed(&self, region: usize) -> impl Iterator<Item = Value> {
        let needs = self.needs(region).iter().copied();
        needs.filter(|it| self.preservations[it.index()] == Preservation::Passed)
    }
}

pub(super) struct Builder<'a> {
    pub(super) old: &'a Function,
    pub(super) plan: &'a Plan,
    value_defs: Vec<ValueDef>,
    /// By region: its entry.
    pub(super) gates: Vec<Option<Gate>>,
    pub(super) new: Function,
    /// By old value: its copy in the current region.
    names: Vec<Value>,
    /// By old block: its copy in the current region.
    places: Vec<BlockId>,
    redefined: Vec<Redefined>,
    /// The headers of the loops over subgroups, and their preheaders.
    heads: Vec<(BlockId, BlockId)>,
}

/// The copy of the current region.
pub(super) struct Copy {
    /// The header of the loop over subgroups.
    pub(super) head: BlockId,
    /// The number of the subgroup.
    pub(super) subgroup: Value,
    /// The barrier at which the previous subgroup left the region, if divergence is checked.
    pub(super) end_before: Option<Value>,
    /// The offset of the subgroup's part of the frame, in bytes and in words.
    part: Value,
    part_words: Value,
    /// The exits: a barrier, 0 for the end of the function, and the block that leads there.
    pub(super) ends: Vec<(u32, BlockId)>,
}

impl Builder<'_> {
    fn region(&mut self, number: usize, region: &BarrierRegion) {
        let Some(gate) = self.gates[number] else {
            return;
        };
        let copy = self.head(gate, region);
        self.heads.push((copy.head, gate.block));
        let starts = self.start(number, gate, &copy);
        for (value, start) in &starts {
            self.names[value.index()] = *start;
        }
        let blocks = self.declare(region, &copy, &starts);
        let first = Edge::to(blocks[0].1);
        self.new.block_mut(copy.head).terminator = Terminator::Jump(first);
        for &(from, to) in &blocks {
            self.copy(&copy, from, to);
        }
        exits::build(self, region, &copy);
        self.forget(region, &starts);
    }

    /// Fills the preheader of the loop and adds its header.
    fn head(&mut self, gate: Gate, region: &BarrierRegion) -> Copy {
        let head = self.new.add_block();
        let subgroup = self.new.add_parameter(head, Type::Word);
        let zero = self.word(gate.block, 0);
        let mut arguments = vec![zero];
        let end_before = (self.plan.is_checked && region.ends.len() > 1).then(|| {
            arguments.push(self.word(gate.block, exits::NO_PREVIOUS));
            self.new.add_parameter(head, Type::Word)
        });
        self.new.block_mut(gate.block).terminator = Terminator::Jump(Edge {
            block: head,
            arguments,
        });
        let part = self.times(head, subgroup, self.old.frame_bytes);
        let part_words = self.times(head, subgroup, self.old.frame_bytes / 4);
        let mut ends = Vec::new();
        for &end in &region.ends {
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

    /// Restores the live-in values of a region in its header. Returns each value and its copy.
    fn start(&mut self, number: usize, gate: Gate, copy: &Copy) -> Vec<(Value, Value)> {
        let given = self.new.block(gate.block).parameters.clone();
        let mut given = given.into_iter();
        let mut starts = Vec::new();
        for &value in self.plan.needs(number) {
            let ty = self.old.type_of(value);
            let start = match self.plan.preservations[value.index()] {
                Preservation::Passed => given.next().unwrap_or(NONE),
                Preservation::Spilled => {
                    let op = Op::FrameLoadAt(self.plan.offsets.of(value));
                    self.put(copy.head, op, smallvec![copy.part], ty)
                }
                Preservation::Rematerialized => {
                    let inst = definition(self.old, &self.value_defs, value).cloned();
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

    /// Adds the blocks of a region, and values for its definitions. Returns old and new blocks.
    fn declare(
        &mut self,
        region: &BarrierRegion,
        copy: &Copy,
        starts: &[(Value, Value)],
    ) -> Vec<(BlockId, BlockId)> {
        let mut blocks = Vec::with_capacity(region.blocks.len());
        for &id in &region.blocks {
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
                        Op::ContextField(ContextField::Subgroup) => copy.subgroup,
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
            found.unwrap_or_else(|| unreachable!("all ends of a region are known"))
        };
        let mut terminator = self.old.block(from).terminator.clone();
        match terminator {
            Terminator::Suspend(number, _) => terminator = Terminator::Jump(leaves(number)),
            Terminator::Return(CallOutcome::FINISHED) => terminator = Terminator::Jump(leaves(0)),
            _ => {
                for edge in terminator.edges_mut() {
                    edge.block = self.places[edge.block.index()];
                }
                terminator.map_uses(|it| self.names[it.index()]);
            }
        }
        self.new.block_mut(to).terminator = terminator;
    }

    /// Copies an instruction to a block. Accesses to the subgroup number and to the frame are adapted to the loop.
    fn inst(&mut self, copy: &Copy, block: BlockId, inst: &Inst, result: Option<Value>) -> Value {
        let operands = inst.operands.iter().map(|it| self.names[it.index()]);
        let mut made = Inst {
            op: inst.op,
            operands: operands.collect(),
            result,
        };
        match inst.op {
            Op::ContextField(ContextField::Subgroup) => return copy.subgroup,
            Op::FrameStore(offset) => {
                made.op = Op::FrameStoreAt(offset);
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

    /// The copy of an old value in the current region.
    pub(super) fn name(&self, value: Value) -> Value {
        self.names[value.index()]
    }

    fn forget(&mut self, region: &BarrierRegion, starts: &[(Value, Value)]) {
        for (value, _) in starts {
            self.names[value.index()] = NONE;
        }
        for block in region.blocks.iter().map(|it| self.old.block(*it)) {
            let results = block.insts.iter().filter_map(|it| it.result);
            for value in results.chain(block.parameters.iter().copied()) {
                self.names[value.index()] = NONE;
            }
        }
    }
}
