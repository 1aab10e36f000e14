//! The stack frame: prologue, epilogue, calls, and the moves between registers and spill slots.
//!
//! Layout from `rsp` upwards: spill slots, the caller's `rsp`, then context and frame pointer if the function calls
//! others. `rsp` is a multiple of 64, and each page is probed in order, so that a stack overflow hits the guard page.

use std::mem::offset_of;

use anywarp_lanes::ir::Context;
use iced_x86::{Code, Instruction, OpKind, Register};
use regalloc2::{Allocation, Edit, Output, PReg, RegClass};

use super::emit::{Emit, set_memory, set_register};
use super::machine_inst::RegView;
use super::registers::{CONTEXT, FRAME, SAVED, named};
use super::scan::CodeRange;
use crate::CompileError;

/// The step of stack probes in bytes.
const PAGE: usize = 4096;

/// The callee-saved registers that the allocation uses.
pub(super) fn used_saved(allocation: &Output) -> Vec<usize> {
    let mut is_used = [false; 16];
    let moved = allocation.edits.iter().flat_map(|(_, edit)| {
        let Edit::Move { from, to } = edit;
        [*from, *to]
    });
    for place in allocation.allocs.iter().copied().chain(moved) {
        if let Some(register) = place
            .as_reg()
            .filter(|register| register.class() == RegClass::Int)
        {
            is_used[register.hw_enc()] = true;
        }
    }
    SAVED
        .into_iter()
        .filter(|number| is_used[*number])
        .collect()
}

impl Emit<'_> {
    fn with2(&mut self, code: Code, a: Register, b: Register) -> Result<(), CompileError> {
        let mut instruction = Instruction::default();
        instruction.set_code(code);
        set_register(&mut instruction, 0, a);
        set_register(&mut instruction, 1, b);
        self.encode(&mut instruction)
    }

    fn with_stack(
        &mut self,
        code: Code,
        register: Register,
        offset: i64,
        is_store: bool,
    ) -> Result<(), CompileError> {
        let mut instruction = Instruction::default();
        instruction.set_code(code);
        set_memory(
            &mut instruction,
            u32::from(!is_store),
            Register::RSP,
            offset,
        );
        set_register(&mut instruction, u32::from(is_store), register);
        self.encode(&mut instruction)
    }

    pub(super) fn move_value(
        &mut self,
        from: Allocation,
        to: Allocation,
    ) -> Result<(), CompileError> {
        self.size.moves += 1;
        self.mark(CodeRange::Moves);
        let class = |place: PReg| place.class();
        let vector = self.selection.vector_moves;
        let Some(class) = from.as_reg().or(to.as_reg()).map(class) else {
            let message = "a move from stack to stack".to_owned();
            return Err(CompileError::Internal(message));
        };
        let (copy, load, store, view) = match class {
            RegClass::Int => (
                Code::Mov_r64_rm64,
                Code::Mov_r64_rm64,
                Code::Mov_rm64_r64,
                RegView::R64,
            ),
            RegClass::Float => (vector.load, vector.load, vector.store, vector.view),
            RegClass::Vector => {
                let load = Code::VEX_Kmovw_kr_km16;
                (load, load, Code::VEX_Kmovw_m16_kr, RegView::K)
            }
        };
        let offset = |place: Allocation| place.as_stack().map_or(0, |at| at.index() as i64 * 8);
        let name = |place: PReg| named(place.hw_enc(), view);
        match (from.as_reg(), to.as_reg()) {
            (Some(a), Some(b)) => self.with2(copy, name(b), name(a)),
            (Some(a), None) => self.with_stack(store, name(a), offset(to), true),
            (None, Some(b)) => self.with_stack(load, name(b), offset(from), false),
            (None, None) => Ok(()),
        }
    }

    /// The prologue: saves callee-saved registers and allocates the frame, aligned to 64 bytes.
    pub(super) fn prologue(&mut self) -> Result<(), CompileError> {
        for number in self.saved.clone() {
            let mut push = Instruction::default();
            push.set_code(Code::Push_r64);
            set_register(&mut push, 0, named(number, RegView::R64));
            self.encode(&mut push)?;
        }
        if let Some(bytes) = self.stack_bytes() {
            self.with2(Code::Mov_r64_rm64, Register::R11, Register::RSP)?;
            for page in 1..=bytes / PAGE {
                let mut touch = Instruction::default();
                touch.set_code(Code::Or_rm32_imm8);
                set_memory(&mut touch, 0, Register::RSP, -((page * PAGE) as i64));
                touch.set_op1_kind(OpKind::Immediate8to32);
                self.encode(&mut touch)?;
            }
            let internal = |error: iced_x86::IcedError| CompileError::Internal(error.to_string());
            let size = bytes as i32 + 64;
            let mut take =
                Instruction::with2(Code::Sub_rm64_imm32, Register::RSP, size).map_err(internal)?;
            self.encode(&mut take)?;
            let mut align =
                Instruction::with2(Code::And_rm64_imm8, Register::RSP, -64i32).map_err(internal)?;
            self.encode(&mut align)?;
            self.with_stack(Code::Mov_rm64_r64, Register::R11, bytes as i64, true)?;
        }
        if self.selection.has_calls {
            let (context, frame) = self.own_arguments();
            self.with_stack(Code::Mov_rm64_r64, CONTEXT, context, true)?;
            self.with_stack(Code::Mov_rm64_r64, FRAME, frame, true)?;
        }
        Ok(())
    }

    /// Calls a function of the context. Afterwards the zero flag is set if it has finished.
    pub(super) fn call(&mut self, number: u32) -> Result<(), CompileError> {
        let (context, frame) = self.own_arguments();
        // The callee may use SSE instructions, which are slow while the upper halves of registers are in use.
        self.encode(&mut Instruction::with(Code::VEX_Vzeroupper))?;
        let table = (CONTEXT, offset_of!(Context, functions) as i64);
        self.load(Register::RAX, table)?;
        let mut call = Instruction::default();
        call.set_code(Code::Call_rm64);
        set_memory(&mut call, 0, Register::RAX, i64::from(number) * 8);
        self.encode(&mut call)?;
        self.load(CONTEXT, (Register::RSP, context))?;
        self.load(FRAME, (Register::RSP, frame))?;
        self.with2(Code::Test_rm32_r32, Register::EAX, Register::EAX)
    }

    fn load(&mut self, to: Register, (base, offset): (Register, i64)) -> Result<(), CompileError> {
        let mut load = Instruction::default();
        load.set_code(Code::Mov_r64_rm64);
        set_register(&mut load, 0, to);
        set_memory(&mut load, 1, base, offset);
        self.encode(&mut load)
    }

    /// The offsets from `rsp` at which context and frame pointer are saved across calls.
    fn own_arguments(&self) -> (i64, i64) {
        let bytes = self.spill_bytes as i64;
        (bytes + 8, bytes + 16)
    }

    pub(super) fn epilogue(&mut self) -> Result<(), CompileError> {
        if let Some(bytes) = self.stack_bytes() {
            self.with_stack(Code::Mov_r64_rm64, Register::RSP, bytes as i64, false)?;
        }
        for number in self.saved.clone().into_iter().rev() {
            let mut pop = Instruction::default();
            pop.set_code(Code::Pop_r64);
            set_register(&mut pop, 0, named(number, RegView::R64));
            self.encode(&mut pop)?;
        }
        self.encode(&mut Instruction::with(Code::VEX_Vzeroupper))?;
        self.encode(&mut Instruction::with(Code::Retnq))
    }

    /// Whether the epilogue has so few instructions that each return has its own.
    pub(super) fn is_end_short(&self) -> bool {
        self.stack_bytes().is_none() && self.saved.len() < 3
    }

    /// Bytes of spill slots, if there is a stack frame. The saved `rsp` and the arguments saved across calls follow.
    /// Calls need a stack that is aligned to 16 bytes.
    fn stack_bytes(&self) -> Option<usize> {
        (self.spill_bytes > 0 || self.selection.has_calls).then_some(self.spill_bytes)
    }
}
