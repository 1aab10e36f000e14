//! Instruction decoder: the only place that knows how many words each format has.
//!
//! In: code and the index of an instruction's first word. Out: an [`Instruction`], or an error. The
//! operands are not checked; that is [`verify`](super::verify()).

use super::{Format, Host, HostFunction, Op, imports};

/// A decoded instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction<'code> {
    /// The opcode.
    pub op: Op,
    /// Bytes `a`, `b` and `c` of the first word.
    pub operands: [u8; 3],
    /// The words after the first.
    pub rest: &'code [u32],
}

/// Why no instruction can be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstructionError {
    /// The position is outside the code.
    #[error("there is no instruction")]
    Missing,
    /// No opcode has this number.
    #[error("{0:#04x} is not an opcode")]
    Opcode(u8),
    /// The code ends inside the instruction.
    #[error("`{}` is truncated", .0.name())]
    CutOff(Op),
}

impl<'code> Instruction<'code> {
    /// Decodes the instruction with its first word at index `at`.
    ///
    /// # Errors
    ///
    /// If there is no complete instruction.
    pub fn read(code: &'code [u32], at: usize) -> Result<Self, InstructionError> {
        let (&first, rest) = code
            .get(at..)
            .and_then(<[u32]>::split_first)
            .ok_or(InstructionError::Missing)?;
        let [number, operands @ ..] = first.to_le_bytes();
        let op = Op::from_number(number).ok_or(InstructionError::Opcode(number))?;
        let words = match op.format() {
            // The count, that many targets, and the default target.
            Format::Table => rest.first().map(|&count| count as usize + 2),
            format => Some(words(format)),
        };
        let rest = words
            .and_then(|words| rest.get(..words))
            .ok_or(InstructionError::CutOff(op))?;
        Ok(Self { op, operands, rest })
    }

    /// Length in words.
    pub fn words(&self) -> usize {
        1 + self.rest.len()
    }

    /// The operand `b | c << 8`.
    pub fn number(&self) -> u16 {
        let [_, b, c] = self.operands;
        u16::from_le_bytes([b, c])
    }

    /// Of a call: the first slot of the callee's frame.
    pub fn base(&self) -> u32 {
        let [a, b, c] = self.operands;
        u32::from_le_bytes([a, b, c, 0])
    }

    /// The jump targets.
    pub fn targets(&self) -> &'code [u32] {
        match self.op.format() {
            Format::T | Format::Xt | Format::Xyt => self.rest,
            Format::Xit | Format::Table => self.rest.get(1..).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Whether control never falls through to the next instruction.
    pub fn ends_block(&self) -> bool {
        matches!(
            self.op,
            Op::End | Op::Unreachable | Op::Jump | Op::BrTable | Op::Return
        )
    }
}

/// Number of words after the first; a branch table has additional targets.
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

/// How many slots the arguments and the result of a host function take.
pub(super) fn host_slots(host: Host) -> (u32, u32) {
    let import = imports().find(|import| import.function == HostFunction::Numbered(host));
    match import {
        Some(import) => (
            import.params.iter().map(|ty| ty.slots()).sum(),
            import.result.map_or(0, |ty| ty.slots()),
        ),
        // The only one without an import: a part of `set_pixel`, with x and y.
        None => (2, 1),
    }
}
