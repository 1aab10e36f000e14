//! The verifier of the vector IR.
//!
//! In: any function, also an invalid one. Out: nothing, or the first rule that it breaks and the location. What always
//! holds: it never panics, and takes little more than linear time. Code that receives a verified function may index its
//! tables without checks.
//!
//! Unreachable blocks are checked too, except that definitions need not dominate uses there.

use std::collections::BTreeSet;

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

/// The rule that a function breaks, and the location.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct VerifyError {
    message: String,
}

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
    let checked = verifier.run();
    checked.map_err(|message| VerifyError { message })
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

/// The broken rule, without its location.
type Checked = Result<(), String>;

impl Verifier<'_> {
    fn run(&mut self) -> Checked {
        self.whole()?;
        self.define()?;
        for block in self.blocks() {
            self.targets(block)
                .map_err(|what| format!("{block}, at its end: {what}"))?;
        }
        let graph = Cfg::new(self.function);
        for block in self.blocks() {
            for (index, inst) in self.function.block(block).insts.iter().enumerate() {
                let checked = self
                    .inst(inst)
                    .and_then(|()| self.uses(&graph, block, index + 1, &inst.operands));
                checked.map_err(|what| format!("{}: {what}", text::place(block, index, inst)))?;
            }
            self.end(&graph, block)
                .map_err(|what| format!("{block}, at its end: {what}"))?;
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
            return Err(format!("a function has 8 or 16 lanes, not {lanes}"));
        }
        if *frame_bytes > MAX_FRAME_BYTES {
            return Err(format!(
                "a frame has at most {MAX_FRAME_BYTES} bytes, not {frame_bytes}"
            ));
        }
        if *barriers > MAX_BARRIERS {
            return Err(format!(
                "a function has at most {MAX_BARRIERS} barriers, not {barriers}"
            ));
        }
        match blocks.first() {
            None => return Err("a function has at least one block".to_owned()),
            Some(entry) if !entry.parameters.is_empty() => {
                return Err("b0: the first block has no parameters".to_owned());
            }
            Some(_) => {}
        }
        let wrong = patterns.iter().position(|it| it.len() != *lanes as usize);
        match wrong {
            Some(index) => Err(format!(
                "p{index}: a pattern has a word for each of {lanes} lanes"
            )),
            None => Ok(()),
        }
    }

    /// Records the definition of each value; there must be exactly one.
    fn define(&mut self) -> Checked {
        for block in self.blocks() {
            let data = self.function.block(block);
            for &parameter in &data.parameters {
                self.define_one(parameter, block, 0)
                    .map_err(|what| format!("{block}: {what}"))?;
            }
            for (index, inst) in data.insts.iter().enumerate() {
                if let Some(result) = inst.result {
                    self.define_one(result, block, index + 1)
                        .map_err(|what| format!("{}: {what}", text::place(block, index, inst)))?;
                }
            }
        }
        Ok(())
    }

    fn define_one(&mut self, value: Value, block: BlockId, position: usize) -> Checked {
        match self.definitions.get_mut(value.index()) {
            None => Err(format!("{value} has no type")),
            Some(Some(_)) => Err(format!("{value} is defined a second time")),
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
        if let Some(next) = successors.iter().find(|it| it.index() >= count) {
            return Err(format!("{next} does not exist"));
        }
        if successors.contains(&Function::ENTRY) {
            return Err("nothing leads to the first block".to_owned());
        }
        let is_plain = terminator.edges().next().is_none();
        for next in successors {
            if is_plain && !self.function.block(next).parameters.is_empty() {
                return Err(format!(
                    "{next} goes on behind a barrier and has parameters"
                ));
            }
        }
        Ok(())
    }

    /// The types of operands and results, and the immediates of an instruction.
    fn inst(&self, inst: &Inst) -> Checked {
        let signature = inst.op.signature();
        let (expected, found) = (signature.operands.len(), inst.operands.len());
        if expected != found {
            return Err(format!("it takes {expected} operands, not {found}"));
        }
        for (index, (&operand, kind)) in inst.operands.iter().zip(signature.operands).enumerate() {
            let ty = self.type_of(operand)?;
            if let Kind::Of(expected) = kind
                && *expected != ty
            {
                return Err(format!(
                    "operand {index}, {operand}, is {}, not {}",
                    a(ty),
                    a(*expected)
                ));
            }
        }
        if let Op::Atomic64(AtomicOp::AddF, ..) = inst.op {
            return Err("atomic sums of floats have 32 bits".to_owned());
        }
        match (signature.result, inst.result) {
            (None, None) | (Some(Kind::Any), Some(_)) => {}
            (Some(Kind::Of(expected)), Some(result)) => {
                let ty = self.type_of(result)?;
                if ty != expected {
                    return Err(format!("its result is {}, not {}", a(expected), a(ty)));
                }
            }
            (Some(_), None) => return Err("it defines no value".to_owned()),
            (None, Some(_)) => return Err("it has no result".to_owned()),
        }
        self.constants(inst)
    }

    /// The immediates of an instruction.
    fn constants(&self, inst: &Inst) -> Checked {
        let broken = match inst.op {
            Op::ShlBy(by) | Op::ShrBy(by) | Op::SarBy(by) | Op::RotateBy(by) if by >= 32 => {
                "shifts are by 0 to 31"
            }
            Op::Extract(lane) if u32::from(lane) >= self.function.lanes => "there is no such lane",
            Op::Mask(bits) if bits & !self.function.all_lanes() != 0 => "there are no such lanes",
            Op::Pattern(id) if id.0 as usize >= self.function.patterns.len() => {
                "there is no such pattern"
            }
            Op::ContextField(
                ContextField::WorkgroupId(axis) | ContextField::WorkgroupCount(axis),
            ) if axis > 2 => "axes are 0 to 2",
            Op::Atomic64(AtomicOp::AddF, ..) => "floats of two words are not added in one step",
            Op::ActiveLanes if self.function.barriers > 0 => {
                "a function with barriers is not called for some lanes"
            }
            Op::Base(Space::Frame(offset)) => return self.in_frame(offset, 4),
            Op::FrameStore(offset) => return self.kept(offset, inst.operands[0]),
            Op::FrameStoreAt(offset) => return self.kept(offset, inst.operands[1]),
            Op::FrameLoad(offset) | Op::FrameLoadAt(offset) => {
                return inst.result.map_or(Ok(()), |it| self.kept(offset, it));
            }
            _ => return Ok(()),
        };
        Err(broken.to_owned())
    }

    /// The slot of a value lies in the frame, aligned to the size of the value.
    fn kept(&self, offset: u32, value: Value) -> Checked {
        self.in_frame(offset, self.type_of(value)?.bytes(self.function.lanes))
    }

    fn in_frame(&self, offset: u32, bytes: u32) -> Checked {
        let end = u64::from(offset) + u64::from(bytes);
        if end > u64::from(self.function.frame_bytes) {
            Err(format!(
                "{bytes} bytes at {offset} are not in the frame, which has {}",
                self.function.frame_bytes
            ))
        } else if !offset.is_multiple_of(bytes) {
            Err(format!("{offset} is not a multiple of {bytes} bytes"))
        } else {
            Ok(())
        }
    }

    /// The definition of every used value dominates the use.
    fn uses(&self, graph: &Cfg, block: BlockId, position: usize, uses: &[Value]) -> Checked {
        for &value in uses {
            let Some(definition) = self.definitions.get(value.index()).copied().flatten() else {
                return Err(format!("{value} is never defined"));
            };
            let is_before = if definition.block == block {
                definition.position < position
            } else {
                graph.dominates(definition.block, block)
            };
            if !is_before && graph.is_reached(block) {
                return Err(format!(
                    "{value} is not defined on every way to here, but in {}",
                    definition.block
                ));
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
            return Err(format!(
                "{} takes {expected} values, not {found}",
                edge.block
            ));
        }
        for (&parameter, &argument) in parameters.iter().zip(&edge.arguments) {
            let (expected, found) = (self.type_of(parameter)?, self.type_of(argument)?);
            if expected != found {
                return Err(format!(
                    "{argument} for {parameter} of {} is {}, not {}",
                    edge.block,
                    a(found),
                    a(expected)
                ));
            }
        }
        Ok(())
    }

    fn condition(&self, condition: Value) -> Checked {
        match self.type_of(condition)? {
            Type::Word | Type::Mask => Ok(()),
            ty => Err(format!(
                "a branch is decided by a word or a mask, not by {}",
                a(ty)
            )),
        }
    }

    /// Only a function that resumes after a barrier returns the number of one.
    fn outcome(&self, outcome: CallOutcome) -> Checked {
        if outcome.is_last() {
            return Ok(());
        }
        let barrier = outcome.0;
        if barrier > self.function.barriers {
            return Err(format!("there is no barrier {barrier}"));
        }
        let entry = &self.function.block(Function::ENTRY).terminator;
        if !matches!(entry, Terminator::Resume(_)) {
            return Err(format!(
                "it returns at barrier {barrier}, but the function does not resume"
            ));
        }
        Ok(())
    }

    fn barrier(&mut self, number: u32) -> Checked {
        let resumes = &self.function.block(Function::ENTRY).terminator;
        if matches!(resumes, Terminator::Resume(_)) {
            return Err("a function either suspends or resumes".to_owned());
        }
        let count = self.function.barriers;
        if !(1..=count).contains(&number) {
            return Err(format!(
                "barriers are numbered from 1 to {count}, not {number}"
            ));
        }
        if self.barriers.insert(number) {
            Ok(())
        } else {
            Err(format!("barrier {number} is there twice"))
        }
    }

    fn resume(&self, block: BlockId, targets: usize) -> Checked {
        if block != Function::ENTRY {
            return Err("only the first block resumes".to_owned());
        }
        let expected = self.function.barriers as usize + 1;
        if targets == expected {
            Ok(())
        } else {
            Err(format!("it resumes at {expected} places, not {targets}"))
        }
    }

    fn type_of(&self, value: Value) -> Result<Type, String> {
        let ty = self.function.types.get(value.index()).copied();
        ty.ok_or_else(|| format!("{value} is never defined"))
    }
}

/// A type with its article, for error messages.
fn a(ty: Type) -> &'static str {
    match ty {
        Type::Word => "a word",
        Type::Pointer => "a pointer",
        Type::Lanes => "lanes",
        Type::Mask => "a mask",
    }
}
