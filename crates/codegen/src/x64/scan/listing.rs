//! Disassembly: bytes as instructions, split into the pieces of the trace.
//!
//! In: code and trace. Out: a [`Listing`]. What always holds: every byte belongs to one instruction, every instruction
//! to one piece, and every instruction is on the allow-list.

use std::ops::Range;

use iced_x86::{Code, Decoder, DecoderOptions, Instruction, OpKind, Register};
use regalloc2::Inst;

use super::class::{InstClass, InstInfo, Reg, class, reg, written};
use super::error::{ScanError, ensure};
use super::trace::{CodeRange, Trace};

/// The instructions in order.
#[derive(Debug)]
pub(super) struct Listing {
    pub(super) insts: Vec<Instruction>,
    pub(super) infos: Vec<InstInfo>,
    pub(super) pieces: Vec<(CodeRange, Range<usize>)>,
    /// Cold pieces with their groups, in the order of the groups.
    pub(super) cold: Vec<(Inst, Range<usize>)>,
    pub(super) end: u64,
}

impl Listing {
    /// Disassembles `code`; `base` is the address of its first byte in the trace.
    pub(super) fn new(code: &[u8], base: u64, trace: &Trace) -> Result<Self, ScanError> {
        let end = base + code.len() as u64;
        let mut listing = Self {
            insts: Vec::with_capacity(code.len() / 5),
            infos: Vec::with_capacity(code.len() / 5),
            pieces: Vec::with_capacity(trace.marks.len()),
            cold: Vec::new(),
            end,
        };
        let mut decoder = Decoder::with_ip(64, code, base, DecoderOptions::NONE);
        let first = trace.marks.first().map(|mark| u64::from(mark.0));
        if first != Some(base) {
            return Err(ScanError::at(base, "the code begins with a piece"));
        }
        for (number, (_, piece)) in trace.marks.iter().enumerate() {
            let next = trace.marks.get(number + 1);
            let stop = next.map_or(end, |mark| u64::from(mark.0));
            let first = listing.insts.len();
            while decoder.ip() < stop && decoder.can_decode() {
                let at = listing.insts.len();
                listing.insts.push(Instruction::default());
                decoder.decode_out(&mut listing.insts[at]);
                listing.infos.push(allowed(&listing.insts[at])?);
            }
            if decoder.ip() != stop {
                return Err(ScanError::at(stop, "pieces begin and end at instructions"));
            }
            let range = first..listing.insts.len();
            if let CodeRange::Cold(inst) = piece {
                listing.cold.push((*inst, range.clone()));
            }
            listing.pieces.push((*piece, range));
        }
        let is_sorted = listing.cold.is_sorted_by_key(|piece| piece.0);
        if is_sorted {
            Ok(listing)
        } else {
            Err(ScanError::at(end, "pieces out of line are in order"))
        }
    }

    /// The cold pieces of a group.
    pub(super) fn cold_of(&self, group: Inst) -> &[(Inst, Range<usize>)] {
        let first = self.cold.partition_point(|piece| piece.0 < group);
        let rest = &self.cold[first..];
        &rest[..rest.partition_point(|piece| piece.0 == group)]
    }

    /// The class of the instruction at an index, if there is one.
    pub(super) fn class(&self, inst: usize) -> Option<InstClass> {
        self.infos.get(inst).map(|info| info.class)
    }

    /// The address of the instruction at an index.
    pub(super) fn address(&self, inst: usize) -> u64 {
        self.insts.get(inst).map_or(self.end, Instruction::ip)
    }

    /// The index of the instruction at an address.
    pub(super) fn index_of(&self, address: u64) -> Option<usize> {
        if address == self.end {
            return Some(self.insts.len());
        }
        self.insts
            .binary_search_by_key(&address, |inst| inst.ip())
            .ok()
    }
}

/// The properties of an instruction, if it and its kinds of operands are allowed.
fn allowed(instruction: &Instruction) -> Result<InstInfo, ScanError> {
    let class = class(instruction).filter(|_| instruction.code() != Code::INVALID);
    let Some(class) = class else {
        return Err(ScanError::new(instruction, "the instruction is allowed"));
    };
    let mut memory = None;
    let operands = [
        (instruction.op0_kind(), instruction.op0_register()),
        (instruction.op1_kind(), instruction.op1_register()),
        (instruction.op2_kind(), instruction.op2_register()),
        (instruction.op3_kind(), instruction.op3_register()),
    ];
    let count = instruction.op_count() as usize;
    ensure(count <= 4, instruction, "operands are of known kinds")?;
    for (at, (kind, register)) in operands[..count].iter().enumerate() {
        let is_known = match kind {
            OpKind::Register => reg(*register).is_some(),
            OpKind::Memory => {
                memory = Some(at as u8);
                is_plain_address(instruction)
            }
            OpKind::NearBranch64 => matches!(class, InstClass::Jump | InstClass::JumpIf(_)),
            OpKind::Immediate8
            | OpKind::Immediate32
            | OpKind::Immediate8to32
            | OpKind::Immediate8to64
            | OpKind::Immediate32to64 => true,
            _ => false,
        };
        ensure(is_known, instruction, "operands are of known kinds")?;
    }
    if matches!(class, InstClass::Jump | InstClass::JumpIf(_)) {
        let is_direct = instruction.op_kind(0) == OpKind::NearBranch64;
        ensure(is_direct, instruction, "jumps are direct")?;
    }
    if instruction.has_lock_prefix() {
        ensure(
            memory.is_some(),
            instruction,
            "locked instructions have memory",
        )?;
    }
    Ok(InstInfo {
        class,
        memory,
        writes: written(instruction, class),
    })
}

/// Whether an address has 64-bit registers and no segment.
fn is_plain_address(instruction: &Instruction) -> bool {
    let wide = |register: Register| {
        (Register::RAX as usize..=Register::R15 as usize).contains(&(register as usize))
    };
    let base = instruction.memory_base();
    let index = instruction.memory_index();
    let is_vector = |register: Register| reg(register).is_some_and(Reg::is_vector);
    instruction.segment_prefix() == Register::None
        && (wide(base) || base == Register::RIP && index == Register::None)
        && (index == Register::None || wide(index) || is_vector(index))
}
