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
struct PrologueReader<'a> {
    insts: &'a [Instruction],
    at: u64,
}

impl<'a> PrologueReader<'a> {
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

fn is_registers(inst: &Instruction, code: &[Code], a: Register, b: Register) -> bool {
    code.contains(&inst.code())
        && inst.op0_kind() == OpKind::Register
        && inst.op1_kind() == OpKind::Register
        && inst.op0_register() == a
        && inst.op1_register() == b
}

fn is_memory(inst: &Instruction, at: u32, base: Register, displacement: i64) -> bool {
    inst.op_kind(at) == OpKind::Memory
        && inst.memory_base() == base
        && inst.memory_index() == Register::None
        && inst.memory_displacement64() as i64 == displacement
        && inst.segment_prefix() == Register::None
}

fn is_load(inst: &Instruction, to: Register, base: Register, displacement: i64) -> bool {
    inst.code() == Code::Mov_r64_rm64
        && inst.op0_register() == to
        && is_memory(inst, 1, base, displacement)
}

fn is_store(inst: &Instruction, base: Register, displacement: i64, from: Register) -> bool {
    inst.code() == Code::Mov_rm64_r64
        && inst.op1_register() == from
        && is_memory(inst, 0, base, displacement)
}

/// The rule of prologues.
const PROLOGUE: &str = "the prologue saves registers and takes stack";

const MOVES: [Code; 2] = [Code::Mov_r64_rm64, Code::Mov_rm64_r64];

impl Prologue {
    /// Parses the prologue, which must allocate at least `slot_bytes` of spill slots.
    pub(super) fn new(
        listing: &Listing,
        range: Range<usize>,
        slot_bytes: i64,
    ) -> Result<Self, ScanError> {
        let mut reader = PrologueReader::new(listing, range);
        let mut prologue = Self::default();
        let is_saved = |inst: &Instruction| {
            let register = reg(inst.op0_register());
            inst.code() == Code::Push_r64
                && register.is_some_and(|register| SAVED >> register.number & 1 == 1)
        };
        while let Some(push) = reader.next_if(is_saved) {
            prologue.saved.push(push.op0_register());
        }
        let copies_stack =
            |inst: &Instruction| is_registers(inst, &MOVES, Register::R11, Register::RSP);
        if reader.next_if(copies_stack).is_some() {
            prologue.stack(&mut reader, slot_bytes)?;
        }
        reader.end(PROLOGUE)?;
        if prologue.slots.is_none() && slot_bytes > 0 {
            Err(ScanError::at(reader.at, "the stack has room for its slots"))
        } else {
            Ok(prologue)
        }
    }

    /// The stack frame: probes, spill slots aligned to 64 bytes, the stack pointer of the caller, and the arguments if
    /// they are kept.
    fn stack(&mut self, reader: &mut PrologueReader<'_>, slot_bytes: i64) -> Result<(), ScanError> {
        let mut touched = 0;
        let is_probe = |inst: &Instruction, touched: i64| {
            inst.code() == Code::Or_rm32_imm8
                && inst.immediate(1) == 0
                && is_memory(inst, 0, Register::RSP, -touched - PAGE)
        };
        while reader.next_if(|inst| is_probe(inst, touched)).is_some() {
            touched += PAGE;
        }
        let is_sub = |inst: &Instruction| {
            inst.code() == Code::Sub_rm64_imm32 && inst.op0_register() == Register::RSP
        };
        let sub = reader.expect(is_sub, PROLOGUE)?;
        let slots = sub.immediate(1) as i64 - AROUND;
        let is_enough = slots >= slot_bytes && slots % 8 == 0 && touched + PAGE > slots;
        ensure(is_enough, sub, "the stack has room for its slots")?;
        let is_and = |inst: &Instruction| {
            inst.code() == Code::And_rm64_imm8
                && inst.op0_register() == Register::RSP
                && inst.immediate(1) as i64 == -64
        };
        reader.expect(is_and, PROLOGUE)?;
        let stores = |offset: i64, from: Register| {
            move |inst: &Instruction| is_store(inst, Register::RSP, slots + offset, from)
        };
        reader.expect(stores(0, Register::R11), PROLOGUE)?;
        self.slots = Some(slots);
        if reader.next_if(stores(8, Register::RDI)).is_some() {
            reader.expect(stores(16, Register::RSI), PROLOGUE)?;
            self.keeps_arguments = true;
        }
        Ok(())
    }

    /// Whether the prologue saves all callee-saved registers among those written.
    pub(super) fn saves(&self, written: u64) -> bool {
        let saved = self
            .saved
            .iter()
            .filter_map(|register| reg(*register))
            .fold(0, |all, register| all | 1 << register.number);
        written & SAVED & !saved == 0
    }

    /// Validates an epilogue: it restores the stack pointer and registers, and returns.
    pub(super) fn check_epilogue(
        &self,
        listing: &Listing,
        range: Range<usize>,
    ) -> Result<(), ScanError> {
        const RULE: &str = "an epilogue restores the registers of the caller";
        let mut reader = PrologueReader::new(listing, range);
        if let Some(slots) = self.slots {
            reader.expect(
                |inst| is_load(inst, Register::RSP, Register::RSP, slots),
                RULE,
            )?;
        }
        for register in self.saved.iter().rev() {
            let is_pop = |inst: &Instruction| {
                inst.code() == Code::Pop_r64 && inst.op0_register() == *register
            };
            reader.expect(is_pop, RULE)?;
        }
        reader.expect(|inst| inst.code() == Code::VEX_Vzeroupper, RULE)?;
        reader.expect(|inst| inst.code() == Code::Retnq, RULE)?;
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
        let mut reader = PrologueReader::new(listing, range);
        let (Some(slots), true) = (self.slots, self.keeps_arguments) else {
            return Err(ScanError::at(reader.at, "callers keep their arguments"));
        };
        let functions = offset_of!(Context, functions) as i64;
        reader.expect(|inst| inst.code() == Code::VEX_Vzeroupper, RULE)?;
        reader.expect(
            |inst| is_load(inst, Register::RAX, Register::RDI, functions),
            RULE,
        )?;
        let is_call = |inst: &Instruction| {
            inst.code() == Code::Call_rm64
                && is_memory(inst, 0, Register::RAX, i64::from(number) * 8)
        };
        reader.expect(is_call, RULE)?;
        reader.expect(
            |inst| is_load(inst, Register::RDI, Register::RSP, slots + 8),
            RULE,
        )?;
        reader.expect(
            |inst| is_load(inst, Register::RSI, Register::RSP, slots + 16),
            RULE,
        )?;
        let test = [Code::Test_rm32_r32];
        reader.expect(
            |inst| is_registers(inst, &test, Register::EAX, Register::EAX),
            RULE,
        )?;
        let is_leave = |inst: &Instruction| {
            inst.code() == Code::Jne_rel32_64 && inst.near_branch_target() == epilogue
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
        let mut reader = PrologueReader::new(listing, range.clone());
        let is_outcome = |inst: &Instruction| {
            let xor = [Code::Xor_r32_rm32, Code::Xor_rm32_r32];
            outcome == 0 && is_registers(inst, &xor, Register::EAX, Register::EAX)
                || is_constant(inst, Register::EAX) == Some(outcome)
        };
        reader.expect(is_outcome, RULE)?;
        let address = listing.address(epilogue);
        let is_jump = |inst: &Instruction| {
            inst.code() == Code::Jmp_rel32_64 && inst.near_branch_target() == address
        };
        if reader.next_if(is_jump).is_some() {
            return reader.end(RULE);
        }
        if reader.insts.is_empty() && range.end == epilogue {
            Ok(())
        } else {
            self.check_epilogue(listing, range.start + 1..range.end)
        }
    }
}

/// The constant that an instruction moves to a register.
fn is_constant(inst: &Instruction, to: Register) -> Option<u32> {
    let is_move = inst.code() == Code::Mov_r32_imm32 && inst.op0_register() == to;
    is_move.then(|| inst.immediate(1) as u32)
}

/// Validates an exit: a return with some outcome.
pub(super) fn check_exit(
    listing: &Listing,
    range: Range<usize>,
    epilogue: u64,
) -> Result<(), ScanError> {
    const RULE: &str = "an exit leaves with its outcome";
    let mut reader = PrologueReader::new(listing, range);
    reader.expect(|inst| is_constant(inst, Register::EAX).is_some(), RULE)?;
    let is_jump = |inst: &Instruction| {
        inst.code() == Code::Jmp_rel32_64 && inst.near_branch_target() == epilogue
    };
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
