//! Moves between groups: the spills, reloads and copies of the register allocator, decoded from the bytes.

use std::ops::Range;

use iced_x86::{Instruction, Mnemonic, OpKind, Register};

use super::Scan;
use super::class::{RDI, RSI, RSP, Reg, reg};
use super::error::{ScanError, ensure};
use super::locations::Transfer;

impl Scan<'_> {
    pub(super) fn moves(&mut self, range: Range<usize>) -> Result<(), ScanError> {
        let listing = self.groups.listing;
        for at in range {
            let instruction = &listing.insts[at];
            let to = self.end_of_move(instruction, 0)?;
            let from = self.end_of_move(instruction, 1)?;
            if let Some(register) = u8::try_from(to).ok().filter(|register| *register < 56) {
                let fixed = [RSP, RSI, RDI].contains(&register);
                ensure(!fixed, instruction, "moves leave fixed registers alone")?;
                self.groups.written |= 1 << register;
                self.moved_scratch |= 1 << register & self.groups.scratch;
            }
            self.locations.push(Transfer::Copy { from, to });
        }
        Ok(())
    }

    /// The location that a move reads or writes.
    fn end_of_move(&mut self, instruction: &Instruction, at: u32) -> Result<u32, ScanError> {
        const RULE: &str = "between groups are moves of whole registers";
        let lanes = self.groups.scope.rules.lanes;
        let general = |register: Reg| register.is_general() && register.bytes == 8;
        let vector = |register: Reg| register.is_vector() && u32::from(register.bytes) == 4 * lanes;
        let mask = |register: Reg| !register.is_general() && !register.is_vector();
        let (is_view, bytes, words): (&dyn Fn(Reg) -> bool, _, _) = match instruction.mnemonic() {
            Mnemonic::Mov => (&general, 8, 1),
            Mnemonic::Vmovaps => (&vector, 4 * lanes as usize, lanes as usize / 2),
            Mnemonic::Kmovw => (&mask, 2, 1),
            _ => return Err(ScanError::new(instruction, RULE)),
        };
        let is_plain = instruction.op_count() == 2 && instruction.op_mask() == Register::None;
        ensure(is_plain, instruction, RULE)?;
        if instruction.op_kind(at) == OpKind::Register {
            let register = reg(instruction.op_register(at))
                .filter(|register| is_view(*register))
                .ok_or_else(|| ScanError::new(instruction, RULE))?;
            return Ok(register.number.into());
        }
        let offset = instruction.memory_displacement64() as i64;
        let is_slot = instruction.op_kind(at) == OpKind::Memory
            && instruction.memory_base() == Register::RSP
            && instruction.memory_index() == Register::None
            && instruction.memory_size().size() == bytes
            && offset >= 0
            && offset % 8 == 0;
        ensure(is_slot, instruction, RULE)?;
        let slot = self.locations.slot(offset as usize / 8, words);
        slot.ok_or_else(|| ScanError::new(instruction, "stack slots do not overlap"))
    }
}
