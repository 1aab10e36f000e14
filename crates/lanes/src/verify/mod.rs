//! The verifier of the vector IR.
//!
//! In: any function, also an invalid one. Out: nothing, or the first rule that it breaks and the location. What always
//! holds: it never panics, and takes little more than linear time. Code that receives a verified function may index its
//! tables without checks.
//!
//! Unreachable blocks are checked too, except that definitions need not dominate uses there.

mod error;

use std::collections::BTreeSet;

pub use error::VerifyError;
use error::{BrokenRule, Location};

use crate::ir::{
    AtomicOp, BlockId, CallOutcome, ContextField, Function, Inst, Kind, Op, Space, Terminator,
    Type, Value,
};
use crate::pass::cfg::Cfg;
use crate::text;

/// The largest frame, so that offsets of slots can be added to its size without overflow.
const MAX_FRAME_BYTES: u32 = 1 << 31;

/// The most barriers of a function; passes have tables indexed by barrier.
const MAX_BARRIERS: u32 = 1 << 20;

/// Checks every rule of the vector IR.
///
/// # Errors
///
/// The first rule that is broken, with the block and the instruction that break it.
pub fn verify(function: &Function) -> Result<(), VerifyError> {
    let mut verifier = Verifier {
        function,
        definitions: vec![None; function.types.len()],
        barriers: BTreeSet::new(),
    };
    verifier.run()
}

/// The definition of a value: the block, and 0 for a parameter or one more than the index of the instruction.
#[derive(Clone, Copy)]
struct Definition {
    block: BlockId,
    position: usize,
}

struct Verifier<'f> {
    function: &'f Function,
    definitions: Vec<Option<Definition>>,
    /// The barriers seen so far in [`Terminator::Suspend`].
    barriers: BTreeSet<u32>,
}

/// The result of a check whose caller knows the location.
type Checked<T = ()> = Result<T, BrokenRule>;

impl Verifier<'_> {
    fn run(&mut self) -> Result<(), VerifyError> {
        let at_end = |block| move |rule: BrokenRule| rule.at(Location::Terminator(block));
        self.whole().map_err(|rule| rule.at(Location::Function))?;
        self.define()?;
        for block in self.blocks() {
            self.targets(block).map_err(at_end(block))?;
        }
        let graph = Cfg::new(self.function);
        for block in self.blocks() {
            for (index, inst) in self.function.block(block).insts.iter().enumerate() {
                self.inst(inst)
                    .and_then(|()| self.uses(&graph, block, index + 1, &inst.operands))
                    .map_err(|rule| rule.at(inst_location(block, index, inst)))?;
            }
            self.end(&graph, block).map_err(at_end(block))?;
        }
        Ok(())
    }

    fn blocks(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.function.blocks.len() as u32).map(BlockId)
    }

    /// Rules about the function as a whole.
    fn whole(&self) -> Checked {
        let Function {
            lanes,
            blocks,
            patterns,
            frame_bytes,
            barriers,
            ..
        } = self.function;
        if !matches!(lanes, 8 | 16) {
            return Err(BrokenRule::Lanes(*lanes));
        }
        if *frame_bytes > MAX_FRAME_BYTES {
            return Err(BrokenRule::FrameSize {
                max: MAX_FRAME_BYTES,
                bytes: *frame_bytes,
            });
        }
        if *barriers > MAX_BARRIERS {
            return Err(BrokenRule::TooManyBarriers {
                max: MAX_BARRIERS,
                barriers: *barriers,
            });
        }
        match blocks.first() {
            None => return Err(BrokenRule::NoBlock),
            Some(entry) if !entry.parameters.is_empty() => {
                return Err(BrokenRule::EntryParameters);
            }
            Some(_) => {}
        }
        let wrong = patterns
            .iter()
            .position(|pattern| pattern.len() != *lanes as usize);
        match wrong {
            Some(index) => Err(BrokenRule::PatternLength {
                index,
                lanes: *lanes,
            }),
            None => Ok(()),
        }
    }

    /// Records the definition of each value; there must be exactly one.
    fn define(&mut self) -> Result<(), VerifyError> {
        for block in self.blocks() {
            let data = self.function.block(block);
            for &parameter in &data.parameters {
                self.define_one(parameter, block, 0)
                    .map_err(|rule| rule.at(Location::Parameters(block)))?;
            }
            for (index, inst) in data.insts.iter().enumerate() {
                if let Some(result) = inst.result {
                    self.define_one(result, block, index + 1)
                        .map_err(|rule| rule.at(inst_location(block, index, inst)))?;
                }
            }
        }
        Ok(())
    }

    fn define_one(&mut self, value: Value, block: BlockId, position: usize) -> Checked {
        match self.definitions.get_mut(value.index()) {
            None => Err(BrokenRule::NoType(value)),
            Some(Some(_)) => Err(BrokenRule::Redefined(value)),
            Some(free) => {
                *free = Some(Definition { block, position });
                Ok(())
            }
        }
    }

    /// Successors exist, none is the entry block, and the target of a barrier has no parameters.
    fn targets(&self, block: BlockId) -> Checked {
        let terminator = &self.function.block(block).terminator;
        let count = self.function.blocks.len();
        let successors = terminator.successors();
        if let Some(next) = successors.iter().find(|next| next.index() >= count) {
            return Err(BrokenRule::NoSuchBlock(*next));
        }
        if successors.contains(&Function::ENTRY) {
            return Err(BrokenRule::EdgeToEntry);
        }
        let is_plain = terminator.edges().next().is_none();
        for next in successors {
            if is_plain && !self.function.block(next).parameters.is_empty() {
                return Err(BrokenRule::ParametersAfterBarrier(next));
            }
        }
        Ok(())
    }

    /// The types of operands and results, and the immediates of an instruction.
    fn inst(&self, inst: &Inst) -> Checked {
        let signature = inst.op.signature();
        let (expected, found) = (signature.operands.len(), inst.operands.len());
        if expected != found {
            return Err(BrokenRule::OperandCount { expected, found });
        }
        for (index, (&operand, kind)) in inst.operands.iter().zip(signature.operands).enumerate() {
            let ty = self.type_of(operand)?;
            if let Kind::Of(expected) = kind
                && *expected != ty
            {
                return Err(BrokenRule::OperandType {
                    index,
                    operand,
                    found: ty,
                    expected: *expected,
                });
            }
        }
        if let Op::Atomic64(AtomicOp::AddF, ..) = inst.op {
            return Err(BrokenRule::WideFloatSum);
        }
        match (signature.result, inst.result) {
            (None, None) | (Some(Kind::Any), Some(_)) => {}
            (Some(Kind::Of(expected)), Some(result)) => {
                let found = self.type_of(result)?;
                if found != expected {
                    return Err(BrokenRule::ResultType { expected, found });
                }
            }
            (Some(_), None) => return Err(BrokenRule::NoResult),
            (None, Some(_)) => return Err(BrokenRule::UnexpectedResult),
        }
        self.constants(inst)
    }

    /// The immediates of an instruction.
    fn constants(&self, inst: &Inst) -> Checked {
        let broken = match inst.op {
            Op::ShlBy(by) | Op::ShrBy(by) | Op::SarBy(by) | Op::RotateBy(by) if by >= 32 => {
                BrokenRule::Shift
            }
            Op::Extract(lane) if u32::from(lane) >= self.function.lanes => BrokenRule::NoSuchLane,
            Op::Mask(bits) if bits & !self.function.all_lanes() != 0 => BrokenRule::NoSuchLanes,
            Op::Pattern(id) if id.0 as usize >= self.function.patterns.len() => {
                BrokenRule::NoSuchPattern
            }
            Op::ContextField(
                ContextField::WorkgroupId(axis) | ContextField::WorkgroupCount(axis),
            ) if axis > 2 => BrokenRule::Axis,
            Op::ActiveLanes if self.function.barriers > 0 => BrokenRule::ActiveLanesWithBarriers,
            Op::Base(Space::Frame(offset)) => return self.in_frame(offset, 4),
            Op::FrameStore(offset) => return self.slot(offset, inst.operands[0]),
            Op::FrameStoreAt(offset) => return self.slot(offset, inst.operands[1]),
            Op::FrameLoad(offset) | Op::FrameLoadAt(offset) => {
                return inst
                    .result
                    .map_or(Ok(()), |result| self.slot(offset, result));
            }
            _ => return Ok(()),
        };
        Err(broken)
    }

    /// The slot of a value lies in the frame, aligned to the size of the value.
    fn slot(&self, offset: u32, value: Value) -> Checked {
        self.in_frame(offset, self.type_of(value)?.bytes(self.function.lanes))
    }

    fn in_frame(&self, offset: u32, bytes: u32) -> Checked {
        let end = u64::from(offset) + u64::from(bytes);
        if end > u64::from(self.function.frame_bytes) {
            Err(BrokenRule::OutsideFrame {
                bytes,
                offset,
                frame: self.function.frame_bytes,
            })
        } else if !offset.is_multiple_of(bytes) {
            Err(BrokenRule::Unaligned { offset, bytes })
        } else {
            Ok(())
        }
    }

    /// The definition of every used value dominates the use.
    fn uses(&self, graph: &Cfg, block: BlockId, position: usize, uses: &[Value]) -> Checked {
        for &value in uses {
            let Some(definition) = self.definitions.get(value.index()).copied().flatten() else {
                return Err(BrokenRule::NotDefined(value));
            };
            let is_before = if definition.block == block {
                definition.position < position
            } else {
                graph.dominates(definition.block, block)
            };
            if !is_before && graph.is_reached(block) {
                return Err(BrokenRule::NotDominated {
                    value,
                    block: definition.block,
                });
            }
        }
        Ok(())
    }

    /// Checks a terminator.
    fn end(&mut self, graph: &Cfg, block: BlockId) -> Checked {
        let data = self.function.block(block);
        let uses: Vec<_> = data.terminator.uses().collect();
        self.uses(graph, block, data.insts.len() + 1, &uses)?;
        for edge in data.terminator.edges() {
            self.edge(edge)?;
        }
        match &data.terminator {
            Terminator::Branch(condition, ..) => self.condition(*condition),
            Terminator::Return(outcome) => self.outcome(*outcome),
            Terminator::Suspend(number, _) => self.barrier(*number),
            Terminator::Resume(blocks) => self.resume(block, blocks.len()),
            Terminator::Jump(_) => Ok(()),
        }
    }

    fn edge(&self, edge: &crate::ir::Edge) -> Checked {
        let parameters = &self.function.block(edge.block).parameters;
        let (expected, found) = (parameters.len(), edge.arguments.len());
        if expected != found {
            return Err(BrokenRule::ArgumentCount {
                block: edge.block,
                expected,
                found,
            });
        }
        for (&parameter, &argument) in parameters.iter().zip(&edge.arguments) {
            let (expected, found) = (self.type_of(parameter)?, self.type_of(argument)?);
            if expected != found {
                return Err(BrokenRule::ArgumentType {
                    argument,
                    parameter,
                    block: edge.block,
                    found,
                    expected,
                });
            }
        }
        Ok(())
    }

    fn condition(&self, condition: Value) -> Checked {
        match self.type_of(condition)? {
            Type::Word | Type::Mask => Ok(()),
            ty => Err(BrokenRule::ConditionType(ty)),
        }
    }

    /// Only a function that resumes after a barrier returns the number of one.
    fn outcome(&self, outcome: CallOutcome) -> Checked {
        if outcome.is_last() {
            return Ok(());
        }
        let barrier = outcome.0;
        if barrier > self.function.barriers {
            return Err(BrokenRule::NoSuchBarrier(barrier));
        }
        let entry = &self.function.block(Function::ENTRY).terminator;
        if !matches!(entry, Terminator::Resume(_)) {
            return Err(BrokenRule::ReturnWithoutResume(barrier));
        }
        Ok(())
    }

    fn barrier(&mut self, number: u32) -> Checked {
        let resumes = &self.function.block(Function::ENTRY).terminator;
        if matches!(resumes, Terminator::Resume(_)) {
            return Err(BrokenRule::SuspendAndResume);
        }
        let count = self.function.barriers;
        if !(1..=count).contains(&number) {
            return Err(BrokenRule::BarrierNumber { count, number });
        }
        if self.barriers.insert(number) {
            Ok(())
        } else {
            Err(BrokenRule::DuplicateBarrier(number))
        }
    }

    fn resume(&self, block: BlockId, found: usize) -> Checked {
        if block != Function::ENTRY {
            return Err(BrokenRule::ResumeOutsideEntry);
        }
        let expected = self.function.barriers as usize + 1;
        if found == expected {
            Ok(())
        } else {
            Err(BrokenRule::ResumeTargets { expected, found })
        }
    }

    fn type_of(&self, value: Value) -> Checked<Type> {
        let ty = self.function.types.get(value.index()).copied();
        ty.ok_or(BrokenRule::NotDefined(value))
    }
}

/// The location of an instruction.
fn inst_location(block: BlockId, index: usize, inst: &Inst) -> Location {
    Location::Inst(text::location(block, index, inst))
}
