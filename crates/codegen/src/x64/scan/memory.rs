//! Memory operands: the region of each, whether the access is allowed, and the value that a read returns.
//!
//! An operand is in the constant pool, on the stack, in the context, in the frame, or accessed through a pointer. An
//! operand in none of these regions is rejected.

use std::mem::offset_of;

use anywarp_lanes::ir::{Context, ContextField, Inst, Op, Type, Value};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

use super::access::{AccessRules, Index, MemoryAccess};
use super::class::{InstClass, RDI, RSI, RSP, Reg, reg};
use super::domain::{AbstractValue, LaneChoice, PointerBase, PrivateWord, Scalar, State};
use super::error::{ScanError, ensure};

/// The red zone: bytes below the stack pointer that signal handlers do not overwrite.
const RED_ZONE: i64 = 128;

/// The IR instruction of a group and the memory that it may access.
#[derive(Debug)]
pub(super) struct GroupScope<'a> {
    pub(super) rules: AccessRules<'a>,
    /// The IR instruction that the group belongs to.
    pub(super) origin: Option<&'a Inst>,
    /// The spill slots of operands: the first byte, the bytes, and the value.
    pub(super) slots: Vec<(i64, u32, AbstractValue)>,
    /// Bytes of the frame that the IR uses; scratch memory of groups follows.
    pub(super) ir_frame_bytes: i64,
    pub(super) frame_bytes: i64,
    /// The address of the first constant.
    pub(super) pool_start: u64,
}

impl GroupScope<'_> {
    /// Validates a memory operand and returns the value that a read finds; a write stores `stored`.
    pub(super) fn access_operand(
        &self,
        state: &mut State,
        instruction: &Instruction,
        class: InstClass,
        at: u32,
        stored: AbstractValue,
    ) -> Result<AbstractValue, ScanError> {
        let width = instruction.memory_size().size() as u32;
        ensure(width > 0, instruction, "operands in memory have a size")?;
        let is_write = match class {
            InstClass::WritesFirst | InstClass::CompareExchange | InstClass::GatherScatter => {
                at == 0
            }
            InstClass::WritesBoth => true,
            _ => false,
        };
        let displacement = instruction.memory_displacement64() as i64;
        let has_index = instruction.memory_index() != Register::None;
        let base = instruction.memory_base();
        if base == Register::RIP {
            ensure(!is_write, instruction, "constants are only read")?;
            return self.constant(instruction, width);
        }
        let base = reg(base).map(|register| register.number);
        match base {
            Some(RSP) => {
                ensure(!has_index, instruction, "stack slots have no index")?;
                if !is_write {
                    return self.slot(state, instruction, displacement, width);
                }
                let end = displacement + i64::from(width);
                let is_free = displacement >= -RED_ZONE && end <= 0;
                ensure(is_free, instruction, "groups store below the stack only")?;
                state.store(PrivateWord::Stack(displacement), width, stored);
                Ok(AbstractValue::Unknown)
            }
            Some(RDI) => {
                let is_read = !is_write && !has_index;
                ensure(
                    is_read,
                    instruction,
                    "the context is only read, at constants",
                )?;
                self.context(instruction, displacement, width)
            }
            Some(RSI) => self.frame(state, instruction, (displacement, width), is_write, stored),
            Some(base) => {
                let access = self.access(state, instruction, base, (width, is_write))?;
                let origin = self.origin;
                let allowed = origin.and_then(|inst| self.rules.allows(&access, inst, state));
                let rule = "accesses through pointers are those of the vector code";
                allowed.ok_or_else(|| ScanError::new(instruction, rule))
            }
            None => Err(ScanError::new(instruction, "addresses have a known base")),
        }
    }

    pub(super) fn constant(
        &self,
        instruction: &Instruction,
        width: u32,
    ) -> Result<AbstractValue, ScanError> {
        let at = instruction
            .ip_rel_memory_address()
            .wrapping_sub(self.pool_start);
        let end = at.checked_add(u64::from(width));
        let is_inside = end.is_some_and(|end| end <= self.rules.pool.len() as u64);
        ensure(is_inside, instruction, "constants lie in the pool")?;
        Ok(AbstractValue::Pool(at as u32))
    }

    fn slot(
        &self,
        state: &State,
        instruction: &Instruction,
        displacement: i64,
        width: u32,
    ) -> Result<AbstractValue, ScanError> {
        if displacement < 0 {
            let found = state.cell(PrivateWord::Stack(displacement), width);
            let rule = "groups read below the stack what they have stored there";
            ensure(found != AbstractValue::Unknown, instruction, rule)?;
            return Ok(found);
        }
        let slot = self
            .slots
            .iter()
            .find(|slot| slot.0 == displacement && width <= slot.1);
        let rule = "groups read the stack slots of their operands";
        let (_, bytes, value) = slot.ok_or_else(|| ScanError::new(instruction, rule))?;
        Ok(match width {
            width if width == *bytes => *value,
            4 => value.narrow(),
            _ => AbstractValue::Unknown,
        })
    }

    fn context(
        &self,
        instruction: &Instruction,
        displacement: i64,
        width: u32,
    ) -> Result<AbstractValue, ScanError> {
        let end = displacement + i64::from(width);
        let is_inside = displacement >= 0 && end <= size_of::<Context>() as i64;
        ensure(is_inside, instruction, "the context has this field")?;
        let first = offset_of!(Context, cancelled) as i64;
        if width == 8 && displacement >= first && displacement % 8 == 0 {
            return Ok(AbstractValue::Pointer(
                PointerBase::ContextField(displacement as u32),
                None,
                0,
            ));
        }
        let field = self.origin.and_then(|inst| match (inst.op, inst.result) {
            (Op::ContextField(field), Some(result)) => Some((field_offset(field), result)),
            _ => None,
        });
        match field {
            Some((offset, result)) if width == 4 && offset == displacement => {
                Ok(AbstractValue::Word(self.rules.ir.scalar(result)))
            }
            _ => Err(ScanError::new(
                instruction,
                "words of the context are those of the vector code",
            )),
        }
    }

    /// The frame: frame stores and loads of the IR, or scratch memory of this group after them.
    fn frame(
        &self,
        state: &mut State,
        instruction: &Instruction,
        (displacement, width): (i64, u32),
        is_write: bool,
        stored: AbstractValue,
    ) -> Result<AbstractValue, ScanError> {
        let index = self.index(state, instruction);
        let scale = instruction.memory_index_scale();
        if displacement < self.ir_frame_bytes || !self.has_vectors() {
            let slot_value = self.frame_slot(displacement, width, is_write, (index, scale));
            let rule = "the frame is accessed as the vector code says";
            return slot_value.ok_or_else(|| ScanError::new(instruction, rule));
        }
        let lanes = self.rules.lanes;
        let (span, mask) = match index {
            Index::None => (width, None),
            Index::Register(AbstractValue::ActiveLane(mask)) if scale == 4 && width == 4 => {
                (4 * lanes, Some(mask))
            }
            _ => return Err(ScanError::new(instruction, "the frame has a known index")),
        };
        let is_inside = displacement + i64::from(span) <= self.frame_bytes;
        ensure(is_inside, instruction, "the frame has these bytes")?;
        if is_write {
            let stored = if mask.is_some() {
                AbstractValue::Unknown
            } else {
                stored
            };
            state.store(PrivateWord::Frame(displacement), span, stored);
            return Ok(AbstractValue::Unknown);
        }
        let found = match (mask, state.vector_cell(displacement, lanes)) {
            (Some(mask), Some((AbstractValue::Vector(vector), 0))) => {
                AbstractValue::Element(vector, LaneChoice::Active(mask))
            }
            (None, Some((AbstractValue::Vector(vector), lane))) if width == 4 => {
                AbstractValue::Element(vector, LaneChoice::Lane(lane))
            }
            _ => AbstractValue::Unknown,
        };
        Ok(found)
    }

    /// Whether the group may spill vectors to scratch memory, for a loop over lanes.
    fn has_vectors(&self) -> bool {
        self.origin.is_some_and(|inst| {
            matches!(
                inst.op,
                Op::Scatter(_)
                    | Op::ScatterHalves(_)
                    | Op::Atomic(..)
                    | Op::CompareExchange(..)
                    | Op::Atomic64(..)
                    | Op::CompareExchange64(..)
            )
        })
    }

    /// A frame store or load of the IR.
    fn frame_slot(
        &self,
        displacement: i64,
        width: u32,
        is_write: bool,
        (index, scale): (Index, u32),
    ) -> Option<AbstractValue> {
        let origin = self.origin?;
        let ir = self.rules.ir;
        let (at, further, value): (_, _, Value) = match origin.op {
            Op::FrameStore(at) if is_write => (at, None, origin.operands[0]),
            Op::FrameStoreAt(at) if is_write => (at, Some(origin.operands[0]), origin.operands[1]),
            Op::FrameLoad(at) if !is_write => (at, None, origin.result?),
            Op::FrameLoadAt(at) if !is_write => (at, Some(origin.operands[0]), origin.result?),
            _ => return None,
        };
        let is_further = match further {
            None => index == Index::None,
            Some(bytes) => {
                scale == 1 && index == Index::Register(AbstractValue::Word(ir.scalar(bytes)))
            }
        };
        let ty = ir.type_of(value);
        let is_there = displacement == i64::from(at)
            && width <= ty.bytes(self.rules.lanes)
            && displacement + i64::from(width) <= self.ir_frame_bytes;
        (is_there && is_further).then(|| match (ty, is_write) {
            (Type::Word, false) if width == 4 => AbstractValue::Word(ir.scalar(value)),
            (Type::Pointer, false) if width == 8 => {
                AbstractValue::Pointer(PointerBase::Value(value), None, 0)
            }
            _ => AbstractValue::Unknown,
        })
    }

    fn index(&self, state: &State, instruction: &Instruction) -> Index {
        let Some(index) = reg(instruction.memory_index()) else {
            return Index::None;
        };
        let value = state.get(index.number);
        if !index.is_vector() {
            Index::Register(value)
        } else if u32::from(index.bytes) == 4 * self.rules.lanes {
            Index::Vector(value)
        } else {
            Index::Vector(AbstractValue::Unknown)
        }
    }

    /// An access through a pointer in a register.
    fn access(
        &self,
        state: &State,
        instruction: &Instruction,
        base: u8,
        (width, is_write): (u32, bool),
    ) -> Result<MemoryAccess, ScanError> {
        let AbstractValue::Pointer(base, counted, bytes) = state.get(base) else {
            return Err(ScanError::new(instruction, "the base is a known pointer"));
        };
        let index = match (counted, self.index(state, instruction)) {
            (None, index) => (index, instruction.memory_index_scale()),
            (Some(word), Index::None) => (Index::Register(AbstractValue::Word(word)), 4),
            _ => return Err(ScanError::new(instruction, "an address has one index")),
        };
        Ok(MemoryAccess {
            base,
            index: index.0,
            scale: index.1,
            bytes: bytes + instruction.memory_displacement64() as i64,
            width,
            is_write,
            mask: mask_of(state, instruction),
        })
    }
}

/// The mask of an instruction.
fn mask_of(state: &State, instruction: &Instruction) -> Option<AbstractValue> {
    let register = match instruction.mnemonic() {
        Mnemonic::Vpmaskmovd => instruction.op_register(1),
        Mnemonic::Vgatherdps if instruction.op_count() == 3 => instruction.op_register(2),
        _ => instruction.op_mask(),
    };
    reg(register).map(|register| state.get(register.number))
}

fn field_offset(field: ContextField) -> i64 {
    let axis = |axis: u8| i64::from(axis) * 4;
    match field {
        ContextField::WorkgroupId(at) => offset_of!(Context, workgroup_id) as i64 + axis(at),
        ContextField::WorkgroupCount(at) => offset_of!(Context, workgroup_count) as i64 + axis(at),
        ContextField::Subgroup => offset_of!(Context, subgroup) as i64,
    }
}

/// The value of a register or immediate operand, as the instruction reads it.
pub(super) fn operand(
    state: &State,
    instruction: &Instruction,
    at: u32,
    lanes: u32,
) -> AbstractValue {
    match instruction.op_kind(at) {
        OpKind::Register => {
            let view = reg(instruction.op_register(at));
            view.map_or(AbstractValue::Unknown, |view| {
                narrowed(state.get(view.number), view, lanes)
            })
        }
        OpKind::Immediate8to32 | OpKind::Immediate32 => {
            AbstractValue::Word(Scalar::Const(instruction.immediate(at) as u32))
        }
        OpKind::Immediate32to64 => match u32::try_from(instruction.immediate(at)) {
            Ok(word) => AbstractValue::Word(Scalar::Const(word)),
            Err(_) => AbstractValue::Signed(Scalar::Const(instruction.immediate(at) as u32)),
        },
        _ => AbstractValue::Unknown,
    }
}

/// The value of a register under a narrower name.
pub(super) fn narrowed(value: AbstractValue, view: Reg, lanes: u32) -> AbstractValue {
    match view.bytes {
        _ if view.is_vector() => match value {
            AbstractValue::FirstLane(_) | AbstractValue::FirstOf(_) => value,
            _ if u32::from(view.bytes) == 4 * lanes => value,
            AbstractValue::Vector(vector) => AbstractValue::FirstOf(vector),
            _ => AbstractValue::Unknown,
        },
        4 => value.narrow(),
        1 | 2 => AbstractValue::Unknown,
        _ => value,
    }
}
