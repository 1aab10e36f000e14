//! The printer of functions and their parts.
//!
//! In: any function. Out: text. Nothing is refused: a function that breaks rules of the IR is printed as well as
//! possible.

use std::fmt::{self, Display, Formatter};

use super::names::{self, ATOMIC_SCOPES, CALLEE_WRITES, FIELDS, TYPES, mnemonic};
use super::number::Number;
use crate::ir::{
    Block, BlockId, CallOutcome, Edge, Function, Inst, Op, PatternId, Space, Terminator, Type,
    Value,
};

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (lanes, frame, barriers) = (self.lanes, self.frame_bytes, self.barriers);
        writeln!(f, "kernel lanes={lanes} frame={frame} barriers={barriers}")?;
        for (index, words) in self.patterns.iter().enumerate() {
            writeln!(
                f,
                "p{index} = [{}]",
                List(words.iter().copied().map(Number))
            )?;
        }
        for (index, block) in self.blocks.iter().enumerate() {
            self.print_block(f, BlockId(index as u32), block)?;
        }
        Ok(())
    }
}

impl Function {
    fn print_block(&self, f: &mut Formatter<'_>, id: BlockId, block: &Block) -> fmt::Result {
        let typed = |&value: &Value| Typed(value, self.types.get(value.index()).copied());
        match &block.parameters[..] {
            [] => writeln!(f, "{id}:")?,
            parameters => writeln!(f, "{id}({}):", List(parameters.iter().map(typed)))?,
        }
        for inst in &block.insts {
            write!(f, "  ")?;
            self.print_inst(f, inst)?;
        }
        writeln!(f, "  {}", block.terminator)
    }

    fn print_inst(&self, f: &mut Formatter<'_>, inst: &Inst) -> fmt::Result {
        if let Some(result) = inst.result {
            write!(f, "{result} = ")?;
        }
        let operands = inst.operands.iter().enumerate();
        let operands =
            operands.map(|(index, operand)| Labelled(super::label(inst.op, index), *operand));
        let gap = if inst.operands.is_empty() { "" } else { " " };
        let result = inst
            .result
            .and_then(|result| self.types.get(result.index()).copied());
        write!(
            f,
            "{}{}{gap}",
            mnemonic(inst.op),
            Immediates(inst.op, result)
        )?;
        writeln!(f, "{}", List(operands))
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl Display for BlockId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "b{}", self.0)
    }
}

impl Display for PatternId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "p{}", self.0)
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(names::name_of(TYPES, self).unwrap_or("?"))
    }
}

impl Display for Edge {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.arguments[..] {
            [] => write!(f, "{}", self.block),
            arguments => write!(f, "{}({})", self.block, List(arguments.iter())),
        }
    }
}

impl Display for Terminator {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Jump(edge) => write!(f, "jump {edge}"),
            Self::Branch(condition, yes, no) => write!(f, "branch {condition}, {yes}, {no}"),
            Self::Return(CallOutcome::FINISHED) => write!(f, "return finished"),
            Self::Return(CallOutcome::DIVERGED) => write!(f, "return diverged"),
            Self::Return(outcome) => match (outcome.cancelled_in(), outcome.diverged_at()) {
                (Some(number), _) => write!(f, "return cancelled {number}"),
                (_, Some(number)) => write!(f, "return diverged {number}"),
                (None, None) => write!(f, "return {}", outcome.0),
            },
            Self::Suspend(number, block) => write!(f, "suspend {number}, {block}"),
            Self::Resume(blocks) => write!(f, "resume {}", List(blocks.iter())),
        }
    }
}

/// Displays items separated by commas.
struct List<I>(I);

impl<I: Iterator<Item: Display> + Clone> Display for List<I> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, item) in self.0.clone().enumerate() {
            let gap = if index == 0 { "" } else { ", " };
            write!(f, "{gap}{item}")?;
        }
        Ok(())
    }
}

/// Displays a block parameter with its type.
struct Typed(Value, Option<Type>);

impl Display for Typed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.1 {
            Some(ty) => write!(f, "{}: {ty}", self.0),
            None => write!(f, "{}: ?", self.0),
        }
    }
}

/// Displays an operand, after its keyword if it has one.
struct Labelled(Option<&'static str>, Value);

impl Display for Labelled {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(label) => write!(f, "{label} {}", self.1),
            None => write!(f, "{}", self.1),
        }
    }
}

/// Displays the immediates of an instruction, each after a space. A frame load has the type of its result.
struct Immediates(Op, Option<Type>);

impl Display for Immediates {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Op::Word(bits) | Op::Splat(bits) => write!(f, " {}", Number(bits)),
            Op::Mask(bits) => write!(f, " 0x{bits:x}"),
            Op::Ternary(table) => write!(f, " 0x{table:02x}"),
            Op::ContextField(field) => {
                write!(f, " {}", names::name_of(FIELDS, &field).unwrap_or("?"))
            }
            Op::Base(Space::Buffer(number)) => write!(f, " buffer {number}"),
            Op::Base(Space::Workgroup) => write!(f, " workgroup"),
            Op::Base(Space::Immediates) => write!(f, " immediates"),
            Op::Base(Space::Constants) => write!(f, " constants"),
            Op::Base(Space::Frame(offset)) => write!(f, " frame {offset}"),
            // Most polls have number 0, which is left out.
            Op::Poll(0) => Ok(()),
            Op::Length(number)
            | Op::FrameStore(number)
            | Op::FrameStoreAt(number)
            | Op::Poll(number) => {
                write!(f, " {number}")
            }
            Op::Call(number, reach) => {
                let reach = names::name_of(CALLEE_WRITES, &reach).unwrap_or("?");
                write!(f, " {number} {reach}")
            }
            Op::FrameLoad(offset) | Op::FrameLoadAt(offset) => match self.1 {
                Some(ty) => write!(f, " {ty} {offset}"),
                None => write!(f, " ? {offset}"),
            },
            Op::Pattern(pattern) => write!(f, " {pattern}"),
            Op::Extract(small)
            | Op::ShlBy(small)
            | Op::ShrBy(small)
            | Op::SarBy(small)
            | Op::RotateBy(small) => write!(f, " {small}"),
            Op::LoadWord(offset)
            | Op::LoadPointer(offset)
            | Op::LoadSplat(offset)
            | Op::StoreRowNonTemporal(offset)
            | Op::Gather(offset)
            | Op::Scatter(offset)
            | Op::ScatterHalves(offset) => write!(f, " {offset:+}"),
            Op::LoadRow(row) | Op::StoreRow(row) => write!(f, " {:+}", row.offset),
            Op::Atomic(_, sharing, offset)
            | Op::CompareExchange(sharing, offset)
            | Op::Atomic64(_, sharing, offset)
            | Op::CompareExchange64(sharing, offset) => {
                let sharing = names::name_of(ATOMIC_SCOPES, &sharing).unwrap_or("?");
                write!(f, " {sharing} {offset:+}")
            }
            _ => Ok(()),
        }
    }
}
