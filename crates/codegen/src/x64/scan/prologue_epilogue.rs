//! Prologue, epilogue, returns, exits and calls: fixed sequences of instructions.

use std::mem::offset_of;
use std::ops::Range;

use anywarp_lanes::ir::Context;
use iced_x86::{Code, Instruction, OpKind, Register};

use super::class::{InstClass, reg};
use super::error::{ScanError, ensure};
use super::listing::Listing;

/// The callee-saved registers, as bits.
const SAVED: u64 = 1 << 3 | 1 << 5 | 0xf000;
/// Bytes between two stack probes.
const PAGE: i64 = 4096;
/// Bytes after the spill slots: the saved `rsp`, the context and the frame.
const AROUND: i64 = 64;

/// The effect of the prologue.
#[derive(Debug, Default)]
pub(super) struct Prologue {
    /// The saved registers, in order.
    saved: Vec<Register>,
    /// Bytes of spill slots, if there is a stack frame.
    slots: Option<i64>,
    keeps_arguments: bool,
}

/// A cursor over instructions.
struct Reader<'a> {
    insts: &'a [Instruction],
    at: u64,
}

impl<'a> Reader<'a> {
    fn new(listing: &'a Listing, range: Range<usize>) -> Self {
        Self {
            at: listing.address(range.start),
            insts: &listing.insts[range],
        }
    }

    /// The next instruction, if it matches.
    fn next_if(&mut self, is: impl Fn(&Instruction) -> bool) -> Option<&'a Instruction> {
        let (first, rest) = self.insts.split_first()?;
        let found = is(first).then_some(first)?;
        self.insts = rest;
        Some(found)
    }

    fn expect(
        &mut self,
        is: impl Fn(&Instruction) -> bool,
        rule: &'static str,
    ) -> Result<&'a Instruction, ScanError> {
        match (self.insts.first(), self.at) {
            (Some(first), _) => self.next_if(is).ok_or_else(|| ScanError::new(first, rule)),
            (None, at) => Err(ScanError::at(at, rule)),
        }
    }

    fn end(&self, rule: &'static str) -> Result<(), ScanError> {
        match self.insts.first() {
            None => Ok(()),
            Some(first) => Err(ScanError::new(first, rule)),
        }
    }
}

fn is_registers(it: &Instruction, code: &[Code], a: Register, b: Register) -> bool {
    code.contains(&it.code())
        && it.op0_kind() == OpKind::Register
        && it.op1_kind() == OpKind::Register
        && it.op0_register() == a
        && it.op1_register() == b
}

fn is_memory(it: &Instruction, at: u32, base: Register, displacement: i64) -> bool {
    it.op_kind(at) == OpKind::Memory
        && it.memory_base() == base
        && it.memory_index() == Register::None
        && it.memory_displacement64() as i64 == displacement
        && it.segment_prefix() == Register::None
}

fn is_load(it: &Instruction, to: Register, base: Register, displacement: i64) -> bool {
    it.code() == Code::Mov_r64_rm64
        && it.op0_register() == to
        && is_memory(it, 1, base, displacement)
}

fn is_store(it: &Instruction, base: Register, displacement: i64, from: Register) -> bool {
    it.code() == Code::Mov_rm64_r64
        && it.op1_register() == from
        && is_memory(it, 0, base, displacement)
}

const MOVES: [Code; 2] = [Code::Mov_r64_rm64, Code::Mov_rm64_r64];

impl Prologue {
    /// Parses the prologue, which must allocate at least `slot_bytes` of spill slots.
    pub(super) fn new(
        listing: &Listing,
        range: Range<usize>,
        slot_bytes: i64,
    ) -> Result<Self, ScanError> {
        const RULE: &str = "the prologue saves registers and takes stack";
        let mut reader = Reader::new(listing, range);
        let mut prologue = Self::default();
        let is_saved = |it: &Instruction| {
            let register = reg(it.op0_register());
            it.code() == Code::Push_r64 && register.is_some_and(|it| SAVED >> it.number & 1 == 1)
        };
        while let Some(push) = reader.next_if(is_saved) {
            prologue.saved.push(push.op0_register());
        }
        if reader
            .next_if(|it| is_registers(it, &MOVES, Register::R11, Register::RSP))
            .is_some()
        {
            let mut touched = 0;
            while reader
                .next_if(|it| {
                    it.code() == Code::Or_rm32_imm8
                        && it.immediate(1) == 0
                        && is_memory(it, 0, Register::RSP, -touched - PAGE)
                })
                .is_some()
            {
                touched += PAGE;
            }
            let is_sub = |it: &Instruction| {
                it.code() == Code::Sub_rm64_imm32 && it.op0_register() == Register::RSP
            };
            let sub = reader.expect(is_sub, RULE)?;
            let slots = sub.immediate(1) as i64 - AROUND;
            let is_enough = slots >= slot_bytes && slots % 8 == 0 && touched + PAGE > slots;
            ensure(is_enough, sub, "the stack has room for its slots")?;
            let is_and = |it: &Instruction| {
                it.code() == Code::And_rm64_imm8
                    && it.op0_register() == Register::RSP
                    && it.immediate(1) as i64 == -64
            };
            reader.expect(is_and, RULE)?;
            reader.expect(|it| is_store(it, Register::RSP, slots, Register::R11), RULE)?;
            prologue.slots = Some(slots);
            let context = |it: &Instruction| is_store(it, Register::RSP, slots + 8, Register::RDI);
            if reader.next_if(context).is_some() {
                let frame =
                    |it: &Instruction| is_store(it, Register::RSP, slots + 16, Register::RSI);
                reader.expect(frame, RULE)?;
                prologue.keeps_arguments = true;
            }
        }
        reader.end(RULE)?;
        match prologue.slots.is_none() && slot_bytes > 0 {
            true => Err(ScanError::at(reader.at, "the stack has room for its slots")),
            false => Ok(prologue),
        }
    }

    /// Whether the prologue saves all callee-saved registers among those written.
    pub(super) fn saves(&self, written: u64) -> bool {
        let saved = self.saved.iter().filter_map(|it| reg(*it));
        let saved = saved.fold(0, |all, it| all | 1 << it.number);
        written & SAVED & !saved == 0
    }

    /// Validates an epilogue: it restores the stack pointer and registers, and returns.
    pub(super) fn check_epilogue(
        &self,
        listing: &Listing,
        range: Range<usize>,
    ) -> Result<(), ScanError> {
        const RULE: &str = "an epilogue restores the registers of the caller";
        let mut reader = Reader::new(listing, range);
        if let Some(slots) = self.slots {
            reader.expect(|it| is_load(it, Register::RSP, Register::RSP, slots), RULE)?;
        }
        for register in self.saved.iter().rev() {
            let is_pop =
                |it: &Instruction| it.code() == Code::Pop_r64 && it.op0_register() == *register;
            reader.expect(is_pop, RULE)?;
        }
        reader.expect(|it| it.code() == Code::VEX_Vzeroupper, RULE)?;
        reader.expect(|it| it.code() == Code::Retnq, RULE)?;
        reader.end(RULE)
    }

    /// Validates a call of a function of the context by number, and the return unless it has finished.
    pub(super) fn check_call(
        &self,
        listing: &Listing,
        range: Range<usize>,
        number: u32,
        epilogue: u64,
    ) -> Result<(), ScanError> {
        const RULE: &str = "calls go through the functions of the context";
        let mut reader = Reader::new(listing, range);
        let (Some(slots), true) = (self.slots, self.keeps_arguments) else {
            return Err(ScanError::at(reader.at, "callers keep their arguments"));
        };
        let functions = offset_of!(Context, functions) as i64;
        reader.expect(|it| it.code() == Code::VEX_Vzeroupper, RULE)?;
        reader.expect(
            |it| is_load(it, Register::RAX, Register::RDI, functions),
            RULE,
        )?;
        let is_call = |it: &Instruction| {
            it.code() == Code::Call_rm64 && is_memory(it, 0, Register::RAX, i64::from(number) * 8)
        };
        reader.expect(is_call, RULE)?;
        reader.expect(
            |it| is_load(it, Register::RDI, Register::RSP, slots + 8),
            RULE,
        )?;
        reader.expect(
            |it| is_load(it, Register::RSI, Register::RSP, slots + 16),
            RULE,
        )?;
        let test = [Code::Test_rm32_r32];
        reader.expect(
            |it| is_registers(it, &test, Register::EAX, Register::EAX),
            RULE,
        )?;
        let is_leave = |it: &Instruction| {
            it.code() == Code::Jne_rel32_64 && it.near_branch_target() == epilogue
        };
        reader.expect(is_leave, RULE)?;
        reader.end(RULE)
    }

    /// Validates a return with an outcome: an epilogue in place, or a jump to the shared one.
    pub(super) fn check_return(
        &self,
        listing: &Listing,
        range: Range<usize>,
        outcome: u32,
        epilogue: usize,
    ) -> Result<(), ScanError> {
        const RULE: &str = "a return leaves with its outcome";
        let mut reader = Reader::new(listing, range.clone());
        let is_outcome = |it: &Instruction| {
            let xor = [Code::Xor_r32_rm32, Code::Xor_rm32_r32];
            outcome == 0 && is_registers(it, &xor, Register::EAX, Register::EAX)
                || is_constant(it, Register::EAX) == Some(outcome)
        };
        reader.expect(is_outcome, RULE)?;
        let address = listing.address(epilogue);
        let is_jump = |it: &Instruction| {
            it.code() == Code::Jmp_rel32_64 && it.near_branch_target() == address
        };
        if reader.next_if(is_jump).is_some() {
            return reader.end(RULE);
        }
        match reader.insts.is_empty() {
            // The epilogue follows.
            true if range.end == epilogue => Ok(()),
            _ => self.check_epilogue(listing, range.start + 1..range.end),
        }
    }
}

/// The constant that an instruction moves to a register.
fn is_constant(it: &Instruction, to: Register) -> Option<u32> {
    let is_move = it.code() == Code::Mov_r32_imm32 && it.op0_register() == to;
    is_move.then(|| it.immediate(1) as u32)
}

/// Validates an exit: a return with some outcome.
pub(super) fn check_exit(
    listing: &Listing,
    range: Range<usize>,
    epilogue: u64,
) -> Result<(), ScanError> {
    const RULE: &str = "an exit leaves with its outcome";
    let mut reader = Reader::new(listing, range);
    reader.expect(|it| is_constant(it, Register::EAX).is_some(), RULE)?;
    let is_jump =
        |it: &Instruction| it.code() == Code::Jmp_rel32_64 && it.near_branch_target() == epilogue;
    reader.expect(is_jump, RULE)?;
    reader.end(RULE)
}

/// Validates padding: only `nop`.
pub(super) fn check_padding(listing: &Listing, range: Range<usize>) -> Result<(), ScanError> {
    for at in range {
        let is_nop = listing.infos[at].class == InstClass::Nop;
        ensure(is_nop, &listing.insts[at], "padding does nothing")?;
    }
    Ok(())
}
