//! Groups: the code of one instruction of the register allocator.
//!
//! A group writes only registers that it declares, and each of its memory operands is one of those in `memory`. Groups
//! that access memory through pointers, jump, or compute pointers are interpreted abstractly (`transfer`, `paths`).

use std::collections::HashMap;
use std::mem::offset_of;
use std::ops::Range;

use anywarp_lanes::ir::{Context, Op, Space, Type, Value};
use iced_x86::{Instruction, Register};
use regalloc2::{Function as _, Inst, OperandKind, RegClass, VReg};

use super::super::instruction_set::InstructionSet;
use super::super::select::Selection;
use super::class::{InstClass, InstInfo, MASKS, R11, RDI, RSI, RSP, Reg, VECTORS, reg};
use super::domain::{AbstractValue, PointerBase, State};
use super::error::ScanError;
use super::layout::Layout;
use super::listing::Listing;
use super::memory::GroupScope;
use super::paths::Leaders;

/// The registers that a group defines and reads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GroupRegisters {
    /// All definitions, as bits.
    pub(super) all: u64,
    /// Definitions of IR values.
    pub(super) values: u64,
    /// Definitions of words.
    pub(super) words: u64,
    /// Uses.
    pub(super) read: u64,
    /// Whether a definition needs abstract interpretation: a general register with a checked value or a temporary.
    pub(super) is_followed: bool,
}

/// The syntactic effects of a group.
#[derive(Default)]
struct GroupEffects {
    /// Written registers, as bits.
    written: u64,
    /// General registers that are written other than as 32 bits.
    wide: u64,
    jumps: bool,
    /// Whether it has a memory operand other than constants and spill slots.
    accesses_memory: bool,
}

/// The validator of the groups of one function.
pub(super) struct GroupValidator<'a> {
    pub(super) listing: &'a Listing,
    pub(super) layout: &'a Layout,
    pub(super) selection: &'a Selection<'a>,
    pub(super) allocations: &'a regalloc2::Output,
    pub(super) scope: GroupScope<'a>,
    /// The abstract values of general registers that hold no IR value, by virtual register.
    pub(super) temporaries: HashMap<VReg, AbstractValue>,
    /// The scratch registers, as bits.
    pub(super) scratch: u64,
    /// All written registers, as bits.
    pub(super) written: u64,
    pub(super) leaders: Leaders,
    /// Unused states, kept for their memory.
    pub(super) spare: Vec<State>,
}

/// The bit of an allocated register.
pub(super) fn bit_of(register: regalloc2::PReg) -> u64 {
    let base = match register.class() {
        RegClass::Int => 0,
        RegClass::Float => VECTORS,
        RegClass::Vector => MASKS,
    };
    1 << (usize::from(base) + register.hw_enc())
}

impl<'a> GroupValidator<'a> {
    /// Bytes of a spill slot.
    fn slot_bytes(&self, class: RegClass) -> u32 {
        match class {
            RegClass::Float => 4 * self.scope.rules.lanes,
            RegClass::Int | RegClass::Vector => 8,
        }
    }

    fn value_of_vreg(&self, vreg: VReg) -> AbstractValue {
        let ir = self.scope.rules.ir;
        let Some(value) = ir.value_of(vreg) else {
            let is_general = vreg.class() == RegClass::Int;
            let meaning = is_general.then(|| self.temporaries.get(&vreg)).flatten();
            return meaning.copied().unwrap_or(AbstractValue::Unknown);
        };
        match ir.type_of(value) {
            Type::Word => AbstractValue::Word(ir.scalar(value)),
            Type::Pointer => AbstractValue::Pointer(PointerBase::Value(value), None, 0),
            Type::Lanes | Type::Mask => AbstractValue::Vector(value),
        }
    }

    /// The abstract state at the beginning of a group: the values of its operands.
    pub(super) fn begin(&mut self, group: Inst) -> State {
        let machine = &self.selection.machine;
        self.scope.origin = self.selection.origins[group.index()];
        self.scope.slots.clear();
        let mut state = self.spare.pop().unwrap_or_else(State::new);
        state.clear();
        let allocations = self.allocations.inst_allocs(group);
        for (operand, allocation) in machine.inst_operands(group).iter().zip(allocations) {
            if operand.kind() != OperandKind::Use {
                continue;
            }
            let value = self.value_of_vreg(operand.vreg());
            if let Some(register) = allocation.as_reg() {
                state.set(bit_of(register).trailing_zeros() as u8, value);
            } else if let Some(slot) = allocation.as_stack() {
                let bytes = self.slot_bytes(operand.class());
                let at = slot.index() as i64 * 8;
                self.scope.slots.push((at, bytes, value));
            }
        }
        state
    }

    /// Validates a group after which control continues with the next one.
    pub(super) fn check(
        &mut self,
        group: Inst,
        warm: Range<usize>,
        results: GroupRegisters,
    ) -> Result<(), ScanError> {
        let listing = self.listing;
        let cold = listing.cold_of(group);
        let mut seen = GroupEffects::default();
        for range in std::iter::once(&warm).chain(cold.iter().map(|piece| &piece.1)) {
            for at in range.clone() {
                self.collect_effects(&mut seen, group, &listing.insts[at], listing.infos[at])?;
            }
        }
        self.check_written(group, &warm, results, &seen)?;
        if !seen.jumps && !seen.accesses_memory && !results.is_followed {
            return Ok(());
        }
        let mut state = self.begin(group);
        if seen.jumps {
            self.paths(group, &mut state, warm.clone())?;
        } else {
            self.straight(&mut state, warm.clone())?;
        }
        self.finish(group, &warm, &state)?;
        self.spare.push(state);
        Ok(())
    }

    /// Collects the syntactic effects of an instruction, and checks reads of constants and spill slots.
    fn collect_effects(
        &self,
        seen: &mut GroupEffects,
        group: Inst,
        instruction: &Instruction,
        InstInfo {
            class,
            memory,
            writes,
        }: InstInfo,
    ) -> Result<(), ScanError> {
        seen.written |= writes;
        let is_narrow = |register: Reg| register.is_general() && register.bytes == 4;
        let general = writes & 0xffff;
        if general != 0
            && class != InstClass::WritesRdx
            && !reg(instruction.op0_register()).is_some_and(is_narrow)
        {
            seen.wide |= general;
        }
        match class {
            InstClass::Jump | InstClass::JumpIf(_) => seen.jumps = true,
            InstClass::Call
            | InstClass::Return
            | InstClass::Push
            | InstClass::Pop
            | InstClass::ZeroUpper => {
                let rule = "groups neither call nor return";
                return Err(ScanError::new(instruction, rule));
            }
            InstClass::LoadsAddress | InstClass::Nop => {}
            _ => {
                if let Some(at) = memory {
                    let is_read = at > 0
                        || class == InstClass::WritesFlags
                        || class == InstClass::WritesRaxRdx;
                    seen.accesses_memory |= !is_read || !self.is_simple(group, instruction)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a read is from the constant pool or from the spill slot of an operand.
    fn is_simple(&self, group: Inst, instruction: &Instruction) -> Result<bool, ScanError> {
        let width = instruction.memory_size().size() as u32;
        match instruction.memory_base() {
            Register::RIP => {
                self.scope.constant(instruction, width)?;
                Ok(true)
            }
            Register::RSP if instruction.memory_index() == Register::None => {
                let at = instruction.memory_displacement64();
                let operands = self.selection.machine.inst_operands(group);
                let allocations = self.allocations.inst_allocs(group);
                Ok(operands
                    .iter()
                    .zip(allocations)
                    .any(|(operand, allocation)| {
                        let slot = allocation.as_stack().map(|slot| slot.index() as u64 * 8);
                        operand.kind() == OperandKind::Use
                            && slot == Some(at)
                            && width <= self.slot_bytes(operand.class())
                    }))
            }
            _ => Ok(false),
        }
    }

    /// A group writes only its definitions, its temporaries and scratch registers. Words are written as 32 bits, so
    /// that the upper half is 0.
    fn check_written(
        &mut self,
        group: Inst,
        warm: &Range<usize>,
        results: GroupRegisters,
        seen: &GroupEffects,
    ) -> Result<(), ScanError> {
        let at = || self.listing.address(warm.start);
        if seen.wide & results.words != 0 {
            return Err(ScanError::at(at(), "words are written as 32 bits"));
        }
        let fixed = 1 << RSP | 1 << RSI | 1 << RDI;
        if seen.written & (!(results.all | self.scratch) | fixed) != 0 {
            let rule = "a group writes the registers that it declares";
            return Err(ScanError::at(at(), rule));
        }
        // Atomic instructions with an unused result do not write it.
        let origin = self.selection.origins[group.index()];
        let is_atomic =
            origin.is_some_and(|inst| matches!(inst.op, Op::Atomic(..) | Op::CompareExchange(..)));
        if results.values & !(seen.written | results.read) != 0 && !is_atomic {
            return Err(ScanError::at(at(), "a group writes its result"));
        }
        self.written |= seen.written;
        Ok(())
    }

    /// Whether a value must be validated by abstract interpretation: pointers, constant words and loaded words.
    pub(super) fn is_followed(&self, value: Value) -> bool {
        let ir = self.scope.rules.ir;
        let op = ir.definition(value).map(|inst| inst.op);
        ir.type_of(value) == Type::Pointer
            || op.is_some_and(|op| {
                matches!(
                    op,
                    Op::Word(_)
                        | Op::ContextField(_)
                        | Op::Length(_)
                        | Op::LoadWord(_)
                        | Op::FrameLoad(_)
                        | Op::FrameLoadAt(_)
                )
            })
    }

    fn straight(&self, state: &mut State, range: Range<usize>) -> Result<(), ScanError> {
        for at in range {
            let info = self.listing.infos[at];
            self.scope.transfer(state, &self.listing.insts[at], info)?;
        }
        Ok(())
    }

    /// Interprets instructions up to the first jump.
    pub(super) fn until_jump(
        &self,
        state: &mut State,
        range: &Range<usize>,
    ) -> Result<usize, ScanError> {
        for at in range.clone() {
            let info = self.listing.infos[at];
            if matches!(info.class, InstClass::Jump | InstClass::JumpIf(_)) {
                return Ok(at);
            }
            self.scope.transfer(state, &self.listing.insts[at], info)?;
        }
        Ok(range.end)
    }

    /// Validates the values that a group defines.
    fn finish(&mut self, group: Inst, warm: &Range<usize>, end: &State) -> Result<(), ScanError> {
        let ir = self.scope.rules.ir;
        let operands = self.selection.machine.inst_operands(group);
        let allocations = self.allocations.inst_allocs(group);
        for (operand, allocation) in operands.iter().zip(allocations) {
            let is_def = operand.kind() == OperandKind::Def && operand.class() == RegClass::Int;
            let Some(register) = allocation.as_reg().filter(|_| is_def) else {
                continue;
            };
            let found = end.get(register.hw_enc() as u8);
            let Some(value) = ir.value_of(operand.vreg()) else {
                if found != AbstractValue::Unknown {
                    self.temporaries.insert(operand.vreg(), found);
                }
                continue;
            };
            let is_right = match ir.type_of(value) {
                Type::Pointer => self.is_pointer(found, value),
                _ => !self.is_followed(value) || found == AbstractValue::Word(ir.scalar(value)),
            };
            if !is_right {
                let at = self.listing.address(warm.start);
                return Err(ScanError::at(
                    at,
                    "pointers, constants and loaded words are as defined",
                ));
            }
        }
        Ok(())
    }

    /// Whether an abstract value equals the definition of a pointer.
    fn is_pointer(&self, found: AbstractValue, value: Value) -> bool {
        if found == AbstractValue::Pointer(PointerBase::Value(value), None, 0) {
            return true;
        }
        let Some(inst) = self.scope.rules.ir.definition(value) else {
            return false;
        };
        let field = |offset: usize| {
            found == AbstractValue::Pointer(PointerBase::ContextField(offset as u32), None, 0)
        };
        match inst.op {
            Op::Advance => {
                let at = &inst.operands;
                self.scope.rules.is_advanced(found, at[0], at[1])
            }
            Op::Base(space) => match space {
                Space::Frame(bytes) => {
                    found == AbstractValue::Pointer(PointerBase::Frame, None, bytes.into())
                }
                Space::Workgroup => field(offset_of!(Context, workgroup)),
                Space::Immediates => field(offset_of!(Context, immediates)),
                Space::Constants => field(offset_of!(Context, constants)),
                Space::Buffer(_) => false,
            },
            _ => false,
        }
    }
}

/// The scratch registers, as bits.
pub(super) fn scratch(instruction_set: InstructionSet) -> u64 {
    match instruction_set {
        InstructionSet::Avx512 { .. } => 1 << R11 | 1 << (VECTORS + 31) | 1 << (MASKS + 7),
        InstructionSet::Avx2 => 1 << R11 | 1 << (VECTORS + 15),
    }
}
