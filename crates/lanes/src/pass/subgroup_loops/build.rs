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
    let preheaders = add_preheaders(&mut new, old, plan);
    let mut builder = RegionBuilder {
        old,
        plan,
        value_defs: value_defs(old),
        preheaders,
        new,
        names: vec![NONE; old.types.len()],
        block_copies: vec![Function::ENTRY; old.blocks.len()],
        redefined: Vec::new(),
        headers: Vec::new(),
    };
    for (number, region) in plan.regions.iter().enumerate() {
        if let Some(region) = region {
            builder.region(number, region);
        }
    }
    let RegionBuilder {
        mut new,
        redefined,
        headers,
        ..
    } = builder;
    ssa_repair::run(&mut new, &redefined, meter)?;
    polls::hoist(&mut new, &headers);
    Ok(new)
}

/// By region: the preheader of its loop, with a parameter for each uniform value that the region needs.
fn add_preheaders(new: &mut Function, old: &Function, plan: &Plan) -> Vec<Option<BlockId>> {
    let mut preheaders = Vec::with_capacity(plan.regions.len());
    for (number, region) in plan.regions.iter().enumerate() {
        let block = match (number, region) {
            (0, _) => Some(Function::ENTRY),
            (_, Some(_)) => Some(new.add_block()),
            (_, None) => None,
        };
        preheaders.push(block);
        if let Some(block) = block {
            for value in plan.passed(number) {
                new.add_parameter(block, old.type_of(value));
            }
        }
    }
    preheaders
}

impl Plan {
    /// The values that are live into a region.
    fn live_in(&self, region: usize) -> &[Value] {
        match region.checked_sub(1) {
            Some(site) => &self.live_across.sites[site].live_values,
            None => &[],
        }
    }

    /// The uniform values among them, which are parameters of the region's entry.
    pub(super) fn passed(&self, region: usize) -> impl Iterator<Item = Value> {
        self.live_in(region)
            .iter()
            .copied()
            .filter(|value| self.preservations[value.index()] == Preservation::Passed)
    }
}

pub(super) struct RegionBuilder<'a> {
    pub(super) old: &'a Function,
    pub(super) plan: &'a Plan,
    value_defs: Vec<ValueDef>,
    /// By region: the preheader of its loop over subgroups.
    pub(super) preheaders: Vec<Option<BlockId>>,
    pub(super) new: Function,
    /// By old value: its copy in the current region.
    names: Vec<Value>,
    /// By old block: its copy in the current region.
    block_copies: Vec<BlockId>,
    redefined: Vec<Redefined>,
    /// The headers of the loops over subgroups, and their preheaders.
    headers: Vec<(BlockId, BlockId)>,
}

/// The copy of the current region.
pub(super) struct RegionCopy {
    /// The header of the loop over subgroups.
    pub(super) header: BlockId,
    /// The number of the subgroup.
    pub(super) subgroup: Value,
    /// The barrier at which the previous subgroup left the region, if divergence is checked.
    pub(super) previous_end: Option<Value>,
    /// The offset of the subgroup's part of the frame, in bytes and in words.
    frame_offset: Value,
    frame_offset_words: Value,
    /// The exits: a barrier, 0 for the end of the function, and the block that leads there.
    pub(super) ends: Vec<(u32, BlockId)>,
}

impl RegionBuilder<'_> {
    fn region(&mut self, number: usize, region: &BarrierRegion) {
        let Some(preheader) = self.preheaders[number] else {
            return;
        };
        let copy = self.add_header(preheader, region);
        self.headers.push((copy.header, preheader));
        let all_restored = self.restore_live_in(number, preheader, &copy);
        for (value, restored) in &all_restored {
            self.names[value.index()] = *restored;
        }
        let blocks = self.declare(region, &copy, &all_restored);
        let first = Edge::to(blocks[0].1);
        self.new.block_mut(copy.header).terminator = Terminator::Jump(first);
        for &(from, to) in &blocks {
            self.copy(&copy, from, to);
        }
        exits::build(self, region, &copy);
        self.clear_names(region, &all_restored);
    }

    /// Fills the preheader of the loop and adds its header.
    fn add_header(&mut self, preheader: BlockId, region: &BarrierRegion) -> RegionCopy {
        let header = self.new.add_block();
        let subgroup = self.new.add_parameter(header, Type::Word);
        let zero = self.word(preheader, 0);
        let mut arguments = vec![zero];
        let previous_end = (self.plan.checks_divergence && region.ends.len() > 1).then(|| {
            arguments.push(self.word(preheader, exits::NO_PREVIOUS));
            self.new.add_parameter(header, Type::Word)
        });
        self.new.block_mut(preheader).terminator = Terminator::Jump(Edge {
            block: header,
            arguments,
        });
        let frame_offset = self.times(header, subgroup, self.old.frame_bytes);
        let frame_offset_words = self.times(header, subgroup, self.old.frame_bytes / 4);
        let mut ends = Vec::new();
        for &end in &region.ends {
            ends.push((end, self.new.add_block()));
        }
        RegionCopy {
            header,
            subgroup,
            previous_end,
            frame_offset,
            frame_offset_words,
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
    fn restore_live_in(
        &mut self,
        number: usize,
        preheader: BlockId,
        copy: &RegionCopy,
    ) -> Vec<(Value, Value)> {
        let mut passed_in = self.new.block(preheader).parameters.clone().into_iter();
        let mut all_restored = Vec::new();
        for &value in self.plan.live_in(number) {
            let ty = self.old.type_of(value);
            let restored = match self.plan.preservations[value.index()] {
                Preservation::Passed => passed_in.next().unwrap_or(NONE),
                Preservation::Spilled => {
                    let op = Op::FrameLoadAt(self.plan.offsets.of(value));
                    self.put(copy.header, op, smallvec![copy.frame_offset], ty)
                }
                Preservation::Rematerialized => {
                    let inst = definition(self.old, &self.value_defs, value)
                        .cloned()
                        .unwrap_or_else(|| {
                            unreachable!("a rematerialized value is the result of an instruction")
                        });
                    let result = self.new.add_value(ty);
                    self.inst(copy, copy.header, &inst, Some(result))
                }
            };
            self.names[value.index()] = restored;
            all_restored.push((value, restored));
        }
        all_restored
    }

    /// Adds the blocks of a region, and values for its definitions. Returns old and new blocks.
    fn declare(
        &mut self,
        region: &BarrierRegion,
        copy: &RegionCopy,
        all_restored: &[(Value, Value)],
    ) -> Vec<(BlockId, BlockId)> {
        let mut blocks = Vec::with_capacity(region.blocks.len());
        for &id in &region.blocks {
            let new = self.new.add_block();
            blocks.push((id, new));
            self.block_copies[id.index()] = new;
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
        for &(value, restored) in all_restored {
            let name = self.names[value.index()];
            if name != restored && name != copy.subgroup {
                self.redefined.push(Redefined {
                    value: name,
                    definitions: vec![(copy.header, restored)],
                });
            }
        }
        blocks
    }

    fn copy(&mut self, copy: &RegionCopy, from: BlockId, to: BlockId) {
        for inst in &self.old.block(from).insts {
            let result = inst.result.map(|result| self.names[result.index()]);
            self.inst(copy, to, inst, result);
        }
        let edge_to_end = |end: u32| {
            let mut ends = copy.ends.iter();
            let found = ends.find(|exit| exit.0 == end).map(|exit| Edge::to(exit.1));
            found.unwrap_or_else(|| unreachable!("all ends of a region are known"))
        };
        let mut terminator = self.old.block(from).terminator.clone();
        match terminator {
            Terminator::Suspend(number, _) => terminator = Terminator::Jump(edge_to_end(number)),
            Terminator::Return(CallOutcome::FINISHED) => {
                terminator = Terminator::Jump(edge_to_end(0));
            }
            _ => {
                for edge in terminator.edges_mut() {
                    edge.block = self.block_copies[edge.block.index()];
                }
                terminator.map_uses(|value| self.names[value.index()]);
            }
        }
        self.new.block_mut(to).terminator = terminator;
    }

    /// Copies an instruction to a block. Accesses to the subgroup number and to the frame are adapted to the loop.
    fn inst(
        &mut self,
        copy: &RegionCopy,
        block: BlockId,
        inst: &Inst,
        result: Option<Value>,
    ) -> Value {
        let operands = inst
            .operands
            .iter()
            .map(|operand| self.names[operand.index()]);
        let mut copied = Inst {
            op: inst.op,
            operands: operands.collect(),
            result,
        };
        match inst.op {
            Op::ContextField(ContextField::Subgroup) => return copy.subgroup,
            Op::FrameStore(offset) => {
                copied.op = Op::FrameStoreAt(offset);
                copied.operands.insert(0, copy.frame_offset);
            }
            Op::Base(Space::Frame(_)) => {
                let base = self.put(block, inst.op, SmallVec::new(), Type::Pointer);
                copied.op = Op::Advance;
                copied.operands = smallvec![base, copy.frame_offset_words];
            }
            _ => {}
        }
        self.new.block_mut(block).insts.push(copied);
        result.unwrap_or(NONE)
    }

    /// The copy of an old value in the current region.
    pub(super) fn name(&self, value: Value) -> Value {
        self.names[value.index()]
    }

    fn clear_names(&mut self, region: &BarrierRegion, all_restored: &[(Value, Value)]) {
        for (value, _) in all_restored {
            self.names[value.index()] = NONE;
        }
        for block in region.blocks.iter().map(|block| self.old.block(*block)) {
            let results = block.insts.iter().filter_map(|inst| inst.result);
            for value in results.chain(block.parameters.iter().copied()) {
                self.names[value.index()] = NONE;
            }
        }
    }
}
