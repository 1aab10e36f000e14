//! The control flow of a function as one invocation of a subgroup sees it, and which values are equal.
//!
//! In: a verified function. Out: dominators of the graph in which a call that ends at a barrier goes on where the next
//! call resumes; for each value the value that it is a copy of; for each block the branch conditions that hold in it.
//!
//! The pass `barrier_split` splits a function at barriers and spills live values to the frame. The checks before a
//! barrier still guard accesses after it, so an [`Op::FrameLoad`] is resolved to the value that the only
//! [`Op::FrameStore`] of its slot has stored, provided that the store dominates the load. It then reads the newest
//! value: if a definition D strictly dominates the store S, and S dominates the load L, then every path from D to L
//! passes S, since a path without S could be extended by one from the entry to D without S. Block parameters whose
//! arguments are all copies of one value are that value (optimistic copy propagation).

use smallvec::SmallVec;

use crate::ir::{BlockId, CallOutcome, Edge, Function, Inst, Op, Terminator, Type, Value};
use crate::pass::cfg::Cfg;
use crate::pass::hash::Map;
use crate::pass::value_def::{ValueDef, definition, value_defs};

/// Rounds of copy propagation over parameters. Without a fixpoint by then, parameters are not resolved.
const MAX_ROUNDS: usize = 8;

/// The most dominating conditions that are considered for a block, so that the time is linear.
pub(super) const MAX_CONDITIONS: usize = 24;

/// A branch condition and the side that was taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Condition {
    pub(super) value: Value,
    pub(super) side: bool,
}

/// An edge into a block, seen from one of the block's parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct IncomingEdge {
    pub(super) from: BlockId,
    pub(super) argument: Value,
    /// The condition under which the edge is taken.
    pub(super) condition: Option<Condition>,
}

/// The control flow of a function, and which values are equal.
pub(super) struct Flow<'f> {
    pub(super) function: &'f Function,
    pub(super) graph: Cfg,
    value_defs: Vec<ValueDef>,
    /// By value: the value that it is a copy of.
    copies: Vec<Value>,
    /// By block: the condition under which its only predecessor, apart from those that it dominates, goes to it.
    conditions: Vec<Option<Condition>>,
    /// By block: the nearest block that dominates it strictly and has a condition.
    outer: Vec<Option<BlockId>>,
}

impl<'f> Flow<'f> {
    /// `is_private` says of a slot of the frame, by its offset, that only this function writes it.
    pub(super) fn new(function: &'f Function, is_private: impl Fn(u32) -> bool) -> Self {
        let graph = Cfg::new(&skeleton(function));
        let mut flow = Self {
            function,
            graph,
            value_defs: value_defs(function),
            copies: (0..function.types.len() as u32).map(Value).collect(),
            conditions: vec![None; function.blocks.len()],
            outer: vec![None; function.blocks.len()],
        };
        flow.find_conditions();
        flow.merge_constants();
        if function.barriers > 0 {
            flow.resolve_recalls(is_private);
            flow.propagate_copies();
        }
        flow
    }

    /// The value that a value is a copy of.
    pub(super) fn resolve(&self, value: Value) -> Value {
        self.copies[value.index()]
    }

    pub(super) fn origin(&self, value: Value) -> ValueDef {
        self.value_defs[value.index()]
    }

    /// The instruction that defines a value, if one does.
    pub(super) fn definition(&self, value: Value) -> Option<&'f Inst> {
        definition(self.function, &self.value_defs, self.resolve(value))
    }

    pub(super) fn is_vector(&self, value: Value) -> bool {
        self.function.type_of(value) == Type::Lanes
    }

    /// The constant that a word or a vector has in every lane.
    pub(super) fn bits(&self, value: Value) -> Option<u32> {
        let inst = self.definition(value)?;
        match inst.op {
            Op::Word(bits) | Op::Splat(bits) => Some(bits),
            Op::Broadcast => self.bits(inst.operands[0]),
            _ => None,
        }
    }

    /// The conditions that hold in a block, the nearest first, at most [`MAX_CONDITIONS`].
    pub(super) fn conditions(&self, block: BlockId) -> impl Iterator<Item = Condition> {
        self.conditional(block)
            .filter_map(|block| self.conditions[block.index()])
    }

    /// The conditions that hold in a block and were tested in a loop around it, given the header.
    pub(super) fn conditions_within(
        &self,
        block: BlockId,
        header: BlockId,
    ) -> impl Iterator<Item = Condition> {
        let is_inside =
            move |block: &BlockId| *block != header && self.graph.dominates(header, *block);
        let blocks = self.conditional(block).take_while(is_inside);
        blocks.filter_map(|block| self.conditions[block.index()])
    }

    /// The blocks with a condition that dominate a block, from the inside out.
    fn conditional(&self, block: BlockId) -> impl Iterator<Item = BlockId> {
        let first = match self.conditions[block.index()] {
            Some(_) => Some(block),
            None => self.outer[block.index()],
        };
        let blocks = std::iter::successors(first, |block| self.outer[block.index()]);
        blocks.take(MAX_CONDITIONS)
    }

    /// The condition under which control comes to a block, if it has one predecessor that it does not dominate.
    pub(super) fn condition(&self, block: BlockId) -> Option<Condition> {
        self.conditions[block.index()]
    }

    /// The edges into a block, with the arguments for one of its parameters.
    pub(super) fn incoming(&self, block: BlockId, place: usize) -> SmallVec<[IncomingEdge; 4]> {
        let mut incoming = SmallVec::new();
        let mut seen: SmallVec<[BlockId; 4]> = SmallVec::new();
        for &from in self.graph.predecessors(block) {
            let terminator = &self.function.block(from).terminator;
            // A block with two edges here is listed twice.
            if terminator
                .edges()
                .filter(|edge| edge.block == block)
                .count()
                > 1
            {
                if seen.contains(&from) {
                    continue;
                }
                seen.push(from);
            }
            let mut sides = match terminator {
                Terminator::Branch(value, ..) => [true, false].map(|side| {
                    Some(Condition {
                        value: *value,
                        side,
                    })
                }),
                _ => [None; 2],
            }
            .into_iter();
            for edge in terminator.edges() {
                let condition = sides.next().flatten();
                if edge.block == block {
                    incoming.push(IncomingEdge {
                        from,
                        argument: edge.arguments[place],
                        condition,
                    });
                }
            }
        }
        incoming
    }

    fn find_conditions(&mut self) {
        for &block in self.graph.order() {
            // A loop keeps the condition under which it is entered: every back edge comes from a block that the header
            // dominates, and so does not pass the branch.
            let entering = self
                .graph
                .predecessors(block)
                .iter()
                .filter(|from| !self.graph.dominates(block, **from));
            let entering: SmallVec<[BlockId; 2]> = entering.copied().collect();
            if let [before] = entering[..]
                && let Terminator::Branch(value, yes, no) = &self.function.block(before).terminator
                && yes.block != no.block
            {
                self.conditions[block.index()] = Some(Condition {
                    value: *value,
                    side: yes.block == block,
                });
            }
            self.outer[block.index()] = self.graph.dominator(block).and_then(|above| {
                match self.conditions[above.index()] {
                    Some(_) => Some(above),
                    None => self.outer[above.index()],
                }
            });
        }
    }

    /// Instructions without operands whose result is always the same have one value.
    fn merge_constants(&mut self) {
        let mut first = Map::<Op, Value>::default();
        for inst in self.function.blocks.iter().flat_map(|block| &block.insts) {
            if let Some(result) = inst.result
                && matches!(
                    inst.op,
                    Op::Length(_) | Op::ContextField(_) | Op::Base(_) | Op::ActiveLanes
                )
            {
                self.copies[result.index()] = *first.entry(inst.op).or_insert(result);
            }
        }
    }

    fn resolve_recalls(&mut self, is_private: impl Fn(u32) -> bool) {
        let mut single_stores = Map::<u32, Option<(BlockId, Value)>>::default();
        for &block in self.graph.order() {
            for inst in &self.function.block(block).insts {
                match inst.op {
                    Op::FrameStore(slot) => {
                        let stored = single_stores.entry(slot);
                        let only = Some((block, inst.operands[0]));
                        stored.and_modify(|known| *known = None).or_insert(only);
                    }
                    // A frame that several subgroups share: slots are told apart at run time.
                    Op::FrameStoreAt(_) => return,
                    _ => {}
                }
            }
        }
        for &block in self.graph.order() {
            for inst in &self.function.block(block).insts {
                if let (Op::FrameLoad(slot), Some(result)) = (inst.op, inst.result)
                    && let Some(Some((from, value))) = single_stores.get(&slot).copied()
                    && is_private(slot)
                    && from != block
                    && self.graph.dominates(from, block)
                    && self.function.type_of(value) == self.function.type_of(result)
                {
                    self.copies[result.index()] = value;
                }
            }
        }
        // A stored value may itself have been loaded from the frame.
        for value in 0..self.copies.len() {
            let mut copied = self.copies[value];
            for _ in 0..MAX_ROUNDS {
                copied = self.copies[copied.index()];
            }
            self.copies[value] = copied;
        }
    }

    fn propagate_copies(&mut self) {
        let before = self.copies.clone();
        let mut known: Vec<Option<Value>> = before.iter().map(|value| Some(*value)).collect();
        let blocks = || self.graph.order().iter().copied();
        for block in blocks() {
            for parameter in &self.function.block(block).parameters {
                known[parameter.index()] = None;
            }
        }
        let look = |known: &[Option<Value>], value: Value| known[before[value.index()].index()];
        let mut is_stable = false;
        for _ in 0..MAX_ROUNDS {
            is_stable = true;
            for block in blocks() {
                for (place, &parameter) in self.function.block(block).parameters.iter().enumerate()
                {
                    let old = known[parameter.index()];
                    if old == Some(parameter) {
                        continue;
                    }
                    let mut copied = None;
                    for incoming in self.incoming(block, place) {
                        match (copied, look(&known, incoming.argument)) {
                            (_, None) => {}
                            (None, some) => copied = some,
                            (Some(one), Some(other)) if one == other => {}
                            _ => copied = Some(parameter),
                        }
                    }
                    let is_visible = |value: &Value| {
                        let home = self.value_defs[value.index()].block();
                        home.is_some_and(|home| self.graph.dominates(home, block))
                    };
                    let copied =
                        copied.map(|value| if is_visible(&value) { value } else { parameter });
                    is_stable &= copied == old;
                    known[parameter.index()] = copied;
                }
            }
            if is_stable {
                break;
            }
        }
        if !is_stable {
            return;
        }
        for (value, &copied) in before.iter().enumerate() {
            self.copies[value] = known[copied.index()].unwrap_or(copied);
        }
    }
}

/// The blocks alone, where a call that ends at a barrier goes on at the block that resumes there.
fn skeleton(function: &Function) -> Function {
    let mut skeleton = Function::new(function.machine());
    for _ in 1..function.blocks.len() {
        skeleton.add_block();
    }
    let targets = match &function.block(Function::ENTRY).terminator {
        Terminator::Resume(targets) => &targets[..],
        _ => &[],
    };
    for (block, copy) in function.blocks.iter().zip(&mut skeleton.blocks) {
        copy.terminator = match &block.terminator {
            Terminator::Return(CallOutcome(number)) if *number > 0 => {
                match targets.get(*number as usize) {
                    Some(target) => Terminator::Jump(Edge::to(*target)),
                    None => Terminator::Return(CallOutcome::FINISHED),
                }
            }
            Terminator::Resume(targets) => Terminator::Jump(Edge::to(targets[0])),
            Terminator::Jump(edge) => Terminator::Jump(Edge::to(edge.block)),
            Terminator::Branch(value, yes, no) => {
                Terminator::Branch(*value, Edge::to(yes.block), Edge::to(no.block))
            }
            other => other.clone(),
        };
    }
    skeleton
}
