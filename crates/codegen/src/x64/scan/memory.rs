//! Memory operands: the region of each, whether the access is allowed, and the value that a read returns.
//!
//! An operand is in the constant pool, on the stack, in the context, in the frame, or accessed through a pointer. An
//! operand in none of these regions is rejected.

use std::mem::offset_of;

use anywarp_lanes::ir::{Context, ContextField, Inst, Op, Type, Value};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

use super::abs::{Abs, Cell, Chosen, Root, Scalar, State};
use super::access::{Access, Index, Rules};
use super::class::{Class, RDI, RSI, RSP, Reg, reg};
use super::error::{ScanError, ensure};

/// The red zone: bytes below the stack pointer that signal handlers do not overwrite.
const RED_ZONE: i64 = 128;

/// The IR instruction of a group and the memory that it may access.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    pub(super) rules: Rules<'a>,
    /// The IR instruction that the group belongs to.
    pub(super) origin: Option<&'a Inst>,
    /// The spill slots of operands: the first byte, the bytes, and the value.
    pub(super) slots: Vec<(i64, u32, Abs)>,
    /// Bytes of the frame that the IR uses; scratch memory of groups follows.
    pub(super) kept_bytes: i64,
    pub(super) frame_bytes: i64,
    /// The address of the first constant.
    pub(super) pool_start: u64,
}

impl Scope<'_> {
    /// Validates a memory operand and returns the value that a read finds; a write stores `stored`.
    pub(super) fn touch(
        &self,
        state: &mut State,
        instruction: &Instruction,
        class: Class,
        at: u32,
        stored: Abs,
    ) -> Result<Abs, ScanError> {
        let width = instruction.memory_size().size() as u32;
        ensure(width > 0, instruction, "operands in memory have a size")?;
        let is_write = match class {
            Class::First | Class::CompareExchange | Class::Gathered => at == 0,
            Class::Both => true,
            _ => false,
        };
        let displacement = instruction.memory_displacement64() as i64;
        let has_index = instruction.memory_index() != Register::None;
        let base = instruction.memory_base();
        if base == Register::RIP {
            ensure(!is_write, instruction, "constants are only read")?;
            return self.constant(instruction, width);
        }
        let base = reg(base).map(|it| it.number);
        match base {
            Some(RSP) => {
                ensure(!has_index, instruction, "stack slots have no index")?;
                match is_write {
                    false => self.slot(state, instruction, displacement, width),
                    true => {
                        let end = displacement + i64::from(width);
                        let is_free = displacement >= -RED_ZONE && end <= 0;
                        ensure(is_free, instruction, "groups store below the stack only")?;
                        state.store(Cell::Stack(displacement), width, stored);
                        Ok(Abs::Unknown)
                    }
                }
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
                let allowed = origin.and_then(|it| self.rules.allows(&access, it, state));
                let rule = "accesses through pointers are those of the vector code";
                allowed.ok_or_else(|| ScanError::new(instruction, rule))
            }
            None => Err(ScanError::new(instruction, "addresses have a known base")),
        }
    }

    pub(super) fn constant(&self, instruction: &Instruction, width: u32) -> Result<Abs, ScanError> {
        let at = instruction.ip_rel_memory_address();
        let at = at.wrapping_sub(self.pool_start);
        let end = at.checked_add(u64::from(width));
        let is_inside = end.is_some_and(|end| end <= self.rules.pool.len() as u64);
        ensure(is_inside, instruction, "constants lie in the pool")?;
        Ok(Abs::Pool(at as u32))
    }

    fn slot(
        &self,
        state: &State,
        instruction: &Instruction,
        displacement: i64,
        width: u32,
    ) -> Result<Abs, ScanError> {
        if displacement < 0 {
            let found = state.cell(Cell::Stack(displacement), width);
            let rule = "groups read below the stack what they have stored there";
            ensure(found != Abs::Unknown, instruction, rule)?;
            return Ok(found);
        }
        let slot = self
            .slots
            .iter()
            .find(|it| it.0 == displacement && width <= it.1);
        let rule = "groups read the stack slots of their operands";
        let (_, bytes, abs) = slot.ok_or_else(|| ScanError::new(instruction, rule))?;
        Ok(match width == *bytes {
            true => *abs,
            false if width == 4 => abs.narrow(),
            false => Abs::Unknown,
        })
    }

    fn context(
        &self,
        instruction: &Instruction,
        displacement: i64,
        width: u32,
    ) -> Result<Abs, ScanError> {
        let end = displacement + i64::from(width);
        let is_inside = displacement >= 0 && end <= size_of::<Context>() as i64;
        ensure(is_inside, instruction, "the context has this field")?;
        let first = offset_of!(Context, cancelled) as i64;
        if width == 8 && displacement >= first && displacement % 8 == 0 {
            return Ok(Abs::Pointer(Root::Field(displacement as u32), None, 0));
        }
        let field = self.origin.and_then(|it| match (it.op, it.result) {
            (Op::ContextField(field), Some(result)) => Some((field_offset(field), result)),
            _ => None,
        });
        match field {
            Some((offset, result)) if width == 4 && offset == displacement => {
                Ok(Abs::Word(self.rules.form.scalar(result)))
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
        stored: Abs,
    ) -> Result<Abs, ScanError> {
        let index = self.index(state, instruction);
        let scale = instruction.memory_index_scale();
        if displacement < self.kept_bytes || !self.has_vectors() {
            let kept = self.kept(displacement, width, is_write, (index, scale));
            let rule = "the frame is accessed as the vector code says";
            return kept.ok_or_else(|| ScanError::new(instruction, rule));
        }
        let lanes = self.rules.lanes;
        let (span, mask) = match index {
            Index::None => (width, None),
            Index::Register(Abs::Lane(mask)) if scale == 4 && width == 4 => (4 * lanes, Some(mask)),
            _ => return Err(ScanError::new(instruction, "the frame has a known index")),
        };
        let is_inside = displacement + i64::from(span) <= self.frame_bytes;
        ensure(is_inside, instruction, "the frame has these bytes")?;
        if is_write {
            let stored = if mask.is_some() { Abs::Unknown } else { stored };
            state.store(Cell::Frame(displacement), span, stored);
            return Ok(Abs::Unknown);
        }
        let found = match (mask, state.vector_cell(displacement, lanes)) {
            (Some(mask), Some((Abs::Vector(vector), 0))) => Abs::Element(vector, Chosen::In(mask)),
            (None, Some((Abs::Vector(vector), lane))) if width == 4 => {
                Abs::Element(vector, Chosen::Lane(lane))
            }
            _ => Abs::Unknown,
        };
        Ok(found)
    }

    /// Whether the group may spill vectors to scratch memory, for a loop over lanes.
    fn has_vectors(&self) -> bool {
        self.origin.is_some_and(|it| {
            matches!(
                it.op,
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
    fn kept(
        &self,
        displacement: i64,
        width: u32,
        is_write: bool,
        (index, scale): (Index, u32),
    ) -> Option<Abs> {
        let origin = self.origin?;
        let form = self.rules.form;
        let (at, further, value): (_, _, Value) = match origin.op {
            Op::FrameStore(at) if is_write => (at, None, origin.operands[0]),
            Op::FrameStoreAt(at) if is_write => (at, Some(origin.operands[0]), origin.operands[1]),
            Op::FrameLoad(at) if !is_write => (at, None, origin.result?),
            Op::FrameLoadAt(at) if !is_write => (at, Some(origin.operands[0]), origin.result?),
            _ => return None,
        };
        let is_further = match further {
            None => index == Index::None,
            Some(bytes) => scale == 1 && index == Index::Register(Abs::Word(form.scalar(bytes))),
        };
        let ty = form.type_of(value);
        let is_there = displacement == i64::from(at)
            && width <= ty.bytes(self.rules.lanes)
            && displacement + i64::from(width) <= self.kept_bytes;
        (is_there && is_further).then(|| match (ty, is_write) {
            (Type::Word, false) if width == 4 => Abs::Word(form.scalar(value)),
            (Type::Pointer, false) if width == 8 => Abs::Pointer(Root::Value(value), None, 0),
            _ => Abs::Unknown,
        })
    }

    fn index(&self, state: &State, instruction: &Instruction) -> Index {
        let Some(index) = reg(instruction.memory_index()) else {
            return Index::None;
        };
        let abs = state.get(index.number);
        match index.is_vector() {
            true if u32::from(index.bytes) == 4 * self.rules.lanes => Index::Vector(abs),
            true => Index::Vector(Abs::Unknown),
            false => Index::Register(abs),
        }
    }

    /// An access through a pointer in a register.
    fn access(
        &self,
        state: &State,
        instruction: &Instruction,
        base: u8,
        (width, is_write): (u32, bool),
    ) -> Result<Access, ScanError> {
        let Abs::Pointer(root, counted, bytes) = state.get(base) else {
            return Err(ScanError::new(instruction, "the base is a known pointer"));
        };
        let index = match (counted, self.index(state, instruction)) {
            (None, index) => (index, instruction.memory_index_scale()),
            (Some(word), Index::None) => (Index::Register(Abs::Word(word)), 4),
            _ => return Err(ScanError::new(instruction, "an address has one index")),
        };
        Ok(Access {
            root,
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
fn mask_of(state: &State, instruction: &Instruction) -> Option<Abs> {
    let register = match instruction.mnemonic() {
        Mnemonic::Vpmaskmovd => instruction.op_register(1),
        Mnemonic::Vgatherdps if instruction.op_count() == 3 => instruction.op_register(2),
        _ => instruction.op_mask(),
    };
    reg(register).map(|it| state.get(it.number))
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
pub(super) fn operand(state: &State, instruction: &Instruction, at: u32, lanes: u32) -> Abs {
    match instruction.op_kind(at) {
        OpKind::Register => {
            let view = reg(instruction.op_register(at));
            view.map_or(Abs::Unknown, |view| {
                seen(state.get(view.number), view, lanes)
            })
        }
        OpKind::Immediate8to32 | OpKind::Immediate32 => {
            Abs::Word(Scalar::Const(instruction.immediate(at) as u32))
        }
        OpKind::Immediate32to64 => match u32::try_from(instruction.immediate(at)) {
            Ok(word) => Abs::Word(Scalar::Const(word)),
            Err(_) => Abs::Signed(Scalar::Const(instruction.immediate(at) as u32)),
        },
        _ => Abs::Unknown,
    }
}

/// The value of a register under a narrower name.
pub(super) fn seen(abs: Abs, view: Reg, lanes: u32) -> Abs {
    match view.bytes {
        _ if view.is_vector() => match abs {
            Abs::First(_) => abs,
            _ if u32::from(view.bytes) == 4 * lanes => abs,
            _ => Abs::Unknown,
        },
        4 => abs.narrow(),
        1 | 2 => Abs::Unknown,
        _ => abs,
    }
}
