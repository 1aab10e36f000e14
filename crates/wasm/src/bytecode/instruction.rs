//! One instruction, taken apart: the only place that knows how many words a format has.
//!
//! In: code and the position of an instruction's first word. Out: [`Instruction`], or why there is
//! none. It says nothing about whether the operands make sense; that is [`verify`](super::verify).

use super::{Format, Host, Meaning, Op, imports};

/// An instruction and the words that belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction<'code> {
    /// The opcode.
    pub op: Op,
    /// Bytes `a`, `b` and `c` of the first word.
    pub operands: [u8; 3],
    /// The words behind the first.
    pub rest: &'code [u32],
}

/// Why there is no instruction at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InstructionError {
    /// The first word lies behind the code.
    #[error("there is no instruction")]
    Missing,
    /// No opcode has this number.
    #[error("{0:#04x} is not an opcode")]
    Opcode(u8),
    /// The code ends in the middle of it.
    #[error("`{}` is truncated", .0.name())]
    CutOff(Op),
}

impl<'code> Instruction<'code> {
    /// The instruction whose first word is at `at`.
    ///
    /// # Errors
    ///
    /// If there is no whole one.
    pub fn read(code: &'code [u32], at: usize) -> Result<Self, InstructionError> {
        let (&first, rest) = code
            .get(at..)
            .and_then(<[u32]>::split_first)
            .ok_or(InstructionError::Missing)?;
        let [number, operands @ ..] = first.to_le_bytes();
        let op = Op::from_number(number).ok_or(InstructionError::Opcode(number))?;
        let words = match op.format() {
            // A count, as many targets, and the default.
            Format::Table => rest.first().map(|&count| count as usize + 2),
            format => Some(words(format)),
        };
        let rest = words
            .and_then(|words| rest.get(..words))
            .ok_or(InstructionError::CutOff(op))?;
        Ok(Self { op, operands, rest })
    }

    /// How many words it takes.
    pub fn words(&self) -> usize {
        1 + self.rest.len()
    }

    /// `b | c << 8`.
    pub fn number(&self) -> u16 {
        let [_, b, c] = self.operands;
        u16::from_le_bytes([b, c])
    }

    /// The new frame's first slot, of a call.
    pub fn base(&self) -> u32 {
        let [a, b, c] = self.operands;
        u32::from_le_bytes([a, b, c, 0])
    }

    /// The places it may jump to.
    pub fn targets(&self) -> &'code [u32] {
        match self.op.format() {
            Format::T | Format::Xt | Format::Xyt => self.rest,
            Format::Xit | Format::Table => self.rest.get(1..).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Whether the next instruction never follows.
    pub fn ends_block(&self) -> bool {
        matches!(
            self.op,
            Op::End | Op::Unreachable | Op::Jump | Op::BrTable | Op::Return
        )
    }
}

/// The words behind the first one; a table has more than that.
const fn words(format: Format) -> usize {
    match format {
        Format::Dxyz
        | Format::Dxi
        | Format::Di
        | Format::T
        | Format::Xt
        | Format::Xyt
        | Format::Load
        | Format::Store
        | Format::Call
        | Format::Bulk
        | Format::DxyTo
        | Format::XyTo => 1,
        Format::Dii | Format::Xit | Format::CallIndirect | Format::Table => 2,
        Format::None
        | Format::D
        | Format::Dx
        | Format::Dxy
        | Format::Dn
        | Format::Xn
        | Format::X
        | Format::Xy
        | Format::Segment
        | Format::Host => 0,
    }
}

/// How many slots a host function's arguments take, and its result.
pub(super) fn host_slots(host: Host) -> (u32, u32) {
    let import = imports().find(|import| import.meaning == Meaning::Host(host));
    match import {
        Some(import) => (
            import.params.iter().map(|ty| ty.slots()).sum(),
            import.result.map_or(0, |ty| ty.slots()),
        ),
        // The only one without an import: a part of `set_pixel`, with x and y.
        None => (2, 1),
    }
}
