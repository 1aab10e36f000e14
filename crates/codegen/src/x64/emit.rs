//! Encodes items as bytes, after register allocation.
//!
//! In: the selection and the allocation. Out: [`EmittedCode`]: constants, in pages of their own, then the code, then
//! cold code, with a trace for `scan`. Jumps to blocks that are empty after allocation are threaded to their final
//! target.

use iced_x86::{Code, Encoder, Instruction, OpKind, Register};
use regalloc2::{Allocation, Block, Edit, Function, Inst, InstOrEdit, Output};

use super::machine_inst::{
    Address, AddressRegister, Arg, Condition, GroupItem, Label, MachineInst, Slot,
};
use super::registers::named;
use super::scan::{CodeRange, Trace};
use super::select::Selection;
use super::{EmittedCode, stack};
use crate::CompileError;
use crate::code::Size;
use crate::memory::PAGE;

/// The alignment of loop headers in bytes: half a cache line.
const LOOP: usize = 32;
/// Multi-byte `nop` instructions, by length.
const NOPS: [&[u8]; 8] = [
    &[0x90],
    &[0x66, 0x90],
    &[0x0f, 0x1f, 0x00],
    &[0x0f, 0x1f, 0x40, 0x00],
    &[0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00],
    &[0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
];

pub(super) struct Emit<'a> {
    pub(super) selection: &'a Selection<'a>,
    allocation: &'a Output,
    encoder: Encoder,
    /// The offset of the next instruction.
    position: usize,
    labels: Vec<u32>,
    /// Jump fixups: the offset after each 32-bit displacement, and its target.
    jumps: Vec<(u32, Label)>,
    cold: Vec<(Inst, usize, usize)>,
    /// For each block, the block that a jump to it goes to: another one if it is empty.
    jump_targets: Vec<u32>,
    /// Exits of cancelled calls, by outcome.
    exits: Vec<(u32, Label)>,
    end: Label,
    pub(super) saved: Vec<usize>,
    pub(super) spill_bytes: usize,
    pub(super) size: Size,
    trace: Trace,
}

/// Encodes the selected function.
pub(crate) fn emit(
    selection: &Selection<'_>,
    allocation: &Output,
) -> Result<EmittedCode, CompileError> {
    let spill_bytes = (allocation.num_spillslots * 8).next_multiple_of(64);
    let entry = selection.pool.bytes.len().next_multiple_of(PAGE);
    let labels = selection.labels as usize;
    let mut emit = Emit {
        selection,
        allocation,
        encoder: Encoder::new(64),
        position: entry,
        labels: vec![0; labels + 1],
        jumps: Vec::new(),
        cold: Vec::new(),
        jump_targets: Vec::new(),
        exits: Vec::new(),
        end: Label(labels as u32),
        saved: stack::used_saved(allocation),
        spill_bytes,
        size: Size::default(),
        trace: Trace::default(),
    };
    emit.thread_jumps();
    emit.function()?;
    Ok(emit.finish(entry))
}

impl Emit<'_> {
    /// Jump threading: redirects jumps to blocks that consist of one jump and need no moves.
    fn thread_jumps(&mut self) {
        let blocks = self.selection.machine.num_blocks();
        self.jump_targets = (0..blocks as u32).collect();
        // In reverse order, since most blocks jump forward: then chains stay short.
        for number in (1..blocks).rev() {
            if let Some(target) = self.only_target(Block::new(number)) {
                // An empty infinite loop stays one.
                let end = self.final_target(target);
                if end != number as u32 {
                    self.jump_targets[number] = end;
                }
            }
        }
        for number in 0..blocks {
            self.jump_targets[number] = self.final_target(number as u32);
        }
    }

    fn final_target(&self, mut block: u32) -> u32 {
        while self.jump_targets[block as usize] != block {
            block = self.jump_targets[block as usize];
        }
        block
    }

    /// The target of a block that consists of one jump.
    fn only_target(&self, block: Block) -> Option<u32> {
        let machine = &self.selection.machine;
        let mut pieces = self.allocation.block_insts_and_edits(machine, block);
        match (pieces.next()?, pieces.next()) {
            (InstOrEdit::Inst(inst), None) => match self.items(inst) {
                [GroupItem::JumpToBlock(label)] => Some(label.0),
                _ => None,
            },
            _ => None,
        }
    }

    fn items(&self, inst: Inst) -> &[GroupItem] {
        let ends = &self.selection.item_ends;
        let first = match inst.index() {
            0 => 0,
            index => ends[index - 1] as usize,
        };
        &self.selection.items[first..ends[inst.index()] as usize]
    }

    pub(super) fn mark(&mut self, piece: CodeRange) {
        self.trace.mark(self.position, piece);
    }

    fn function(&mut self) -> Result<(), CompileError> {
        self.mark(CodeRange::Prologue);
        self.prologue()?;
        for number in 0..self.selection.machine.num_blocks() {
            self.block(number)?;
        }
        let end = self.end;
        self.bind(end);
        self.mark(CodeRange::Epilogue);
        self.epilogue()?;
        self.cold()?;
        let mut next = 0;
        while let Some((outcome, label)) = self.exits.get(next).copied() {
            self.bind(label);
            self.mark(CodeRange::Exit);
            let mut instruction = Instruction::with2(Code::Mov_r32_imm32, Register::EAX, outcome)
                .map_err(|error| CompileError::Internal(error.to_string()))?;
            self.encode(&mut instruction)?;
            self.jump(None, end);
            next += 1;
        }
        Ok(())
    }

    fn block(&mut self, number: usize) -> Result<(), CompileError> {
        let predecessors = &self.selection.machine.blocks[number].predecessors;
        if predecessors.iter().any(|block| block.index() >= number) {
            self.mark(CodeRange::Padding);
            self.align();
        }
        self.bind(Label(number as u32));
        self.mark(CodeRange::Block(number as u32));
        if self.jump_targets[number] != number as u32 {
            return Ok(());
        }
        let allocation = self.allocation;
        let machine = &self.selection.machine;
        for piece in allocation.block_insts_and_edits(machine, Block::new(number)) {
            match piece {
                InstOrEdit::Inst(inst) => self.inst(inst, number)?,
                InstOrEdit::Edit(Edit::Move { from, to }) => self.move_value(*from, *to)?,
            }
        }
        Ok(())
    }

    /// Pads with `nop` up to the alignment of a loop header.
    fn align(&mut self) {
        let mut missing = self.position.next_multiple_of(LOOP) - self.position;
        self.position += missing;
        while missing > 0 {
            let length = missing.min(NOPS.len());
            for byte in NOPS[length - 1] {
                self.encoder.write_u8(*byte);
            }
            missing -= length;
        }
    }

    fn inst(&mut self, inst: Inst, block: usize) -> Result<(), CompileError> {
        self.mark(CodeRange::Group(inst));
        let end = self.selection.item_ends[inst.index()] as usize;
        let mut at = end - self.items(inst).len();
        while at < end {
            let item = self.selection.items[at];
            at += 1;
            if let GroupItem::Cold = item {
                let first = at;
                while !matches!(self.selection.items[at], GroupItem::EndCold) {
                    debug_assert!(
                        !matches!(self.selection.items[at], GroupItem::Cold),
                        "once is enough"
                    );
                    at += 1;
                }
                self.cold.push((inst, first, at));
                at += 1;
            } else {
                self.item(item, inst, block)?;
            }
        }
        Ok(())
    }

    fn cold(&mut self) -> Result<(), CompileError> {
        for (inst, first, end) in std::mem::take(&mut self.cold) {
            self.mark(CodeRange::Cold(inst));
            for at in first..end {
                self.item(self.selection.items[at], inst, usize::MAX - 1)?;
            }
        }
        Ok(())
    }

    fn item(&mut self, item: GroupItem, inst: Inst, block: usize) -> Result<(), CompileError> {
        match item {
            GroupItem::MachineInst(instr) => self.instr(&instr, inst)?,
            GroupItem::Bind(label) => self.bind(label),
            GroupItem::Jump(label) => self.jump(None, label),
            GroupItem::JumpIf(condition, label) => self.jump(Some(condition), label),
            GroupItem::JumpToBlock(label) => self.jump_to_block(label, block),
            GroupItem::Branch(condition, yes, no) => {
                if self.is_next(yes, block) {
                    self.jump(Some(condition.not()), no);
                } else {
                    self.jump(Some(condition), yes);
                    self.jump_to_block(no, block);
                }
            }
            GroupItem::Call(number) => {
                self.call(number)?;
                self.jump(Some(Condition::NotEqual), self.end);
            }
            GroupItem::Return => self.emit_return(block)?,
            GroupItem::ReturnIf(condition, outcome) => {
                let known = self.exits.iter().find(|exit| exit.0 == outcome);
                let label = known.map_or_else(|| Label(self.labels.len() as u32), |exit| exit.1);
                if label.0 as usize == self.labels.len() {
                    self.labels.push(0);
                    self.exits.push((outcome, label));
                }
                self.jump(Some(condition), label);
            }
            GroupItem::Cold | GroupItem::EndCold => {}
        }
        Ok(())
    }

    /// A return: the epilogue in place if it is short, else a jump to the shared one.
    fn emit_return(&mut self, block: usize) -> Result<(), CompileError> {
        let is_last = block + 1 == self.selection.machine.num_blocks();
        match (is_last, self.is_end_short()) {
            (true, _) => {}
            (false, true) => self.epilogue()?,
            (false, false) => self.jump(None, self.end),
        }
        Ok(())
    }

    /// Whether the code of a block directly follows another.
    fn is_next(&self, label: Label, block: usize) -> bool {
        let target = self.forward(label).0 as usize;
        let is_empty = |number: usize| self.jump_targets[number] != number as u32;
        target > block && (block + 1..target).all(is_empty)
    }

    fn forward(&self, label: Label) -> Label {
        self.jump_targets
            .get(label.0 as usize)
            .map_or(label, |number| Label(*number))
    }

    fn jump_to_block(&mut self, label: Label, block: usize) {
        if !self.is_next(label, block) {
            self.jump(None, label);
        }
    }

    fn bind(&mut self, label: Label) {
        self.labels[label.0 as usize] = self.position as u32;
    }

    fn jump(&mut self, condition: Option<Condition>, label: Label) {
        let length = match condition {
            None => {
                self.encoder.write_u8(0xe9);
                5
            }
            Some(condition) => {
                self.encoder.write_u8(0x0f);
                self.encoder.write_u8(0x80 + condition as u8);
                6
            }
        };
        for _ in 0..4 {
            self.encoder.write_u8(0);
        }
        self.position += length;
        self.size.instructions += 1;
        let label = self.forward(label);
        self.jumps.push((self.position as u32, label));
    }

    fn instr(&mut self, instr: &MachineInst, inst: Inst) -> Result<(), CompileError> {
        let allocation = self.allocation.inst_allocs(inst);
        let mut instruction = Instruction::default();
        instruction.set_code(instr.code);
        for (number, arg) in instr.args.iter().flatten().enumerate() {
            self.set_arg(&mut instruction, number as u32, *arg, allocation);
        }
        if let Some((mask, is_zeroing)) = instr.mask {
            let register = match mask {
                Arg::Slot(slot) => register(slot, allocation),
                Arg::Fixed(register) => register,
                _ => Register::None,
            };
            debug_assert!(register != Register::K0 && register != Register::None);
            instruction.set_op_mask(register);
            instruction.set_zeroing_masking(is_zeroing);
        }
        instruction.set_has_lock_prefix(instr.is_locked);
        self.encode(&mut instruction)
    }

    fn set_arg(
        &self,
        instruction: &mut Instruction,
        number: u32,
        arg: Arg,
        allocation: &[Allocation],
    ) {
        match arg {
            Arg::Slot(slot) => match allocation[usize::from(slot.index)].as_stack() {
                None => set_register(instruction, number, register(slot, allocation)),
                Some(at) => {
                    let offset = at.index() as i64 * 8;
                    set_memory(instruction, number, Register::RSP, offset);
                }
            },
            Arg::Fixed(register) => set_register(instruction, number, register),
            Arg::Memory(address) => self.set_address(instruction, number, address, allocation),
            Arg::Immediate(kind, value) => {
                instruction.set_op_kind(number, kind);
                match kind {
                    OpKind::Immediate8 => instruction.set_immediate8(value as u8),
                    OpKind::Immediate8to32 => instruction.set_immediate8to32(value),
                    OpKind::Immediate32to64 => instruction.set_immediate32to64(value.into()),
                    _ => instruction.set_immediate32(value as u32),
                }
            }
        }
    }

    fn set_address(
        &self,
        instruction: &mut Instruction,
        number: u32,
        address: Address,
        allocation: &[Allocation],
    ) {
        let base = match address.base {
            AddressRegister::Slot(slot) => register(slot, allocation),
            AddressRegister::Fixed(register) => register,
            AddressRegister::Pool => Register::RIP,
        };
        set_memory(instruction, number, base, i64::from(address.offset));
        if let Some(index) = address.index {
            instruction.set_memory_index(match index {
                AddressRegister::Slot(slot) => register(slot, allocation),
                AddressRegister::Fixed(register) => register,
                AddressRegister::Pool => Register::None,
            });
            instruction.set_memory_index_scale(address.scale.into());
        }
        instruction.set_is_broadcast(address.is_broadcast);
    }

    pub(super) fn encode(&mut self, instruction: &mut Instruction) -> Result<(), CompileError> {
        let length = self
            .encoder
            .encode(instruction, self.position as u64)
            .map_err(|error| {
                CompileError::Internal(format!("{error}: {:?}", instruction.code()))
            })?;
        self.position += length;
        self.size.instructions += 1;
        Ok(())
    }

    fn finish(mut self, entry: usize) -> EmittedCode {
        let mut bytes = self.selection.pool.bytes.clone();
        bytes.resize(entry, 0);
        bytes.extend(self.encoder.take_buffer());
        for (end, label) in &self.jumps {
            let distance = self.labels[label.0 as usize].wrapping_sub(*end);
            let end = *end as usize;
            bytes[end - 4..end].copy_from_slice(&distance.to_le_bytes());
        }
        self.size.constants = self.selection.pool.bytes.len();
        self.size.bytes = bytes.len() - entry;
        self.size.spill_bytes = self.spill_bytes;
        EmittedCode {
            bytes,
            entry,
            size: self.size,
            trace: self.trace,
        }
    }
}

fn register(slot: Slot, allocation: &[Allocation]) -> Register {
    allocation[usize::from(slot.index)]
        .as_reg()
        .map_or(Register::None, |place| named(place.hw_enc(), slot.view))
}

pub(super) fn set_register(instruction: &mut Instruction, number: u32, register: Register) {
    instruction.set_op_kind(number, OpKind::Register);
    instruction.set_op_register(number, register);
}

pub(super) fn set_memory(instruction: &mut Instruction, number: u32, base: Register, offset: i64) {
    instruction.set_op_kind(number, OpKind::Memory);
    instruction.set_memory_base(base);
    instruction.set_memory_displacement64(offset as u64);
    let has_none = offset == 0 && base != Register::RIP;
    instruction.set_memory_displ_size(u32::from(!has_none));
}
