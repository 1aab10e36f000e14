//! Instruction selection: from vector IR to machine instructions over virtual registers.
//!
//! In: a function, its block order and an instruction set. Out: a [`Selection`]. Each value of the IR has the virtual
//! register of its own number. A folded value (`value_info`) has none: each use computes it into a new one, or folds
//! it. What always holds: a word in a register has its upper 32 bits 0, so that it can be an index of an address.

use anywarp_lanes::ir::{BlockId, Function, Inst, Op, Terminator, Type, Value};
use iced_x86::Code;
use regalloc2::{Block, PReg, RegClass, VReg};

use super::avx2::Avx2;
use super::avx512::Avx512;
use super::group_builder::{Base, Index, Memory, Operand, r32, r64};
use super::instruction_set::InstructionSet;
use super::lane_stride::LaneStrides;
use super::machine_inst::{GroupItem, Label, RegView};
use super::pool::Pool;
use super::registers::call_clobbers;
use super::scalar;
use super::value_info::ValueInfo;
use super::vector::{self, VectorIsa};
use crate::CompileError;
use crate::block_order::{self, BlockOrder, Origin};
use crate::machine_function::{InstKind, MachineBlock, MachineFunction};

/// The selected instructions, for the register allocator and the emitter.
#[derive(Debug)]
pub(crate) struct Selection<'f> {
    pub(crate) machine: MachineFunction,
    pub(crate) items: Vec<GroupItem>,
    /// For each group, the end of its items.
    pub(crate) item_ends: Vec<u32>,
    pub(crate) labels: u32,
    pub(crate) pool: Pool,
    /// Bytes of the frame, scratch memory of groups included.
    pub(crate) frame_bytes: u32,
    pub(crate) instruction_set: InstructionSet,
    pub(crate) vector_moves: VectorMoves,
    /// Whether the function calls others.
    pub(crate) has_calls: bool,
    /// For each group, the IR instruction that it is selected for; `None` for terminators.
    pub(crate) origins: Vec<Option<&'f Inst>>,
    /// The folded values that additional virtual registers hold.
    pub(crate) aliases: Vec<(VReg, Value)>,
}

/// The instructions that move a whole vector register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VectorMoves {
    /// Loads from memory, and copies between registers.
    pub(crate) load: Code,
    pub(crate) store: Code,
    pub(crate) view: RegView,
}

/// The state of selection for a vector instruction set.
#[derive(Debug)]
pub(crate) struct Select<'f, V> {
    pub(crate) function: &'f Function,
    pub(crate) values: ValueInfo<'f>,
    pub(crate) strides: LaneStrides,
    pub(crate) block_order: &'f BlockOrder,
    pub(crate) isa: V,
    pub(crate) machine: MachineFunction,
    pub(crate) items: Vec<GroupItem>,
    pub(crate) item_ends: Vec<u32>,
    pub(crate) labels: u32,
    pub(crate) pool: Pool,
    pub(crate) scratch_bytes: u32,
    pub(crate) is_open: bool,
    pub(crate) first_operand: usize,
    /// The argument `resume`: the resume point, or the participating lanes of a called function.
    pub(crate) resume: VReg,
    /// Whether the function calls others.
    pub(crate) has_calls: bool,
    /// The IR instruction that groups are selected for.
    pub(crate) origin: Option<&'f Inst>,
    pub(crate) origins: Vec<Option<&'f Inst>>,
    aliases: Vec<(VReg, Value)>,
}

/// Selects instructions for a function.
pub(crate) fn select<'f>(
    function: &'f Function,
    block_order: &'f BlockOrder,
    instruction_set: InstructionSet,
) -> Result<Selection<'f>, CompileError> {
    let mut machine = MachineFunction {
        operands: Vec::new(),
        insts: Vec::new(),
        blocks: Vec::new(),
        vregs: function.types.len(),
        vector_words: function.lanes as usize / 2,
        call_clobbers: call_clobbers(instruction_set),
    };
    let resume = machine.vreg(RegClass::Int);
    match instruction_set {
        InstructionSet::Avx512 { counts_bits } => {
            let isa = Avx512 { counts_bits };
            Select::new(function, block_order, isa, machine, resume).run(instruction_set)
        }
        InstructionSet::Avx2 => {
            Select::new(function, block_order, Avx2, machine, resume).run(instruction_set)
        }
    }
}

impl<'f, V: VectorIsa> Select<'f, V> {
    fn new(
        function: &'f Function,
        block_order: &'f BlockOrder,
        isa: V,
        machine: MachineFunction,
        resume: VReg,
    ) -> Self {
        Self {
            function,
            values: ValueInfo::new(function, V::FOLDING),
            strides: LaneStrides::default(),
            block_order,
            isa,
            machine,
            items: Vec::new(),
            item_ends: Vec::new(),
            labels: block_order.origins.len() as u32,
            pool: Pool::default(),
            scratch_bytes: 0,
            is_open: false,
            first_operand: 0,
            resume,
            has_calls: false,
            origin: None,
            origins: Vec::new(),
            aliases: Vec::new(),
        }
    }

    fn run(mut self, instruction_set: InstructionSet) -> Result<Selection<'f>, CompileError> {
        for origin in &self.block_order.origins {
            self.block(*origin)?;
        }
        self.machine.link();
        Ok(Selection {
            machine: self.machine,
            items: self.items,
            item_ends: self.item_ends,
            labels: self.labels,
            pool: self.pool,
            frame_bytes: self.function.frame_bytes.next_multiple_of(64) + self.scratch_bytes,
            instruction_set,
            vector_moves: VectorMoves {
                load: V::INSTRUCTIONS.load_aligned,
                store: V::INSTRUCTIONS.store_aligned,
                view: V::VECTOR,
            },
            has_calls: self.has_calls,
            origins: self.origins,
            aliases: self.aliases,
        })
    }

    fn block(&mut self, origin: Origin) -> Result<(), CompileError> {
        let first = self.machine.insts.len();
        let mut block = match origin {
            Origin::Start => self.start(),
            Origin::Block(block) => self.own_block(block)?,
            Origin::Edge(block, index) => self.edge_block(block, index),
        };
        block.first = first;
        block.end = self.machine.insts.len();
        self.machine.blocks.push(block);
        Ok(())
    }

    fn start(&mut self) -> MachineBlock {
        self.begin();
        self.fixed_def_slot(r32(self.resume), RDX);
        self.end();
        let target = self.block_order.number(Function::ENTRY);
        self.jump_to_block(target);
        MachineBlock {
            successors: vec![Block::new(target as usize)],
            arguments: vec![Vec::new()],
            ..MachineBlock::default()
        }
    }

    fn edge_block(&mut self, block: BlockId, index: usize) -> MachineBlock {
        let terminator = &self.function.block(block).terminator;
        let target = self.block_order.number(terminator.successors()[index]);
        let arguments = self.arguments(terminator, index);
        self.jump_to_block(target);
        MachineBlock {
            successors: vec![Block::new(target as usize)],
            arguments: vec![arguments],
            ..MachineBlock::default()
        }
    }

    fn own_block(&mut self, id: BlockId) -> Result<MachineBlock, CompileError> {
        let function = self.function;
        let block = function.block(id);
        for inst in &block.insts {
            self.inst(inst)?;
        }
        let successors = self.block_order.successors(id);
        let arguments = (0..successors.len())
            .map(|index| {
                if self.block_order.is_split(id, index) {
                    Vec::new()
                } else {
                    self.arguments(&block.terminator, index)
                }
            })
            .collect();
        self.terminator(&block.terminator, successors)?;
        Ok(MachineBlock {
            successors: successors
                .iter()
                .map(|index| Block::new(*index as usize))
                .collect(),
            parameters: block
                .parameters
                .iter()
                .map(|value| self.own(*value))
                .collect(),
            arguments,
            ..MachineBlock::default()
        })
    }

    fn arguments(&mut self, terminator: &Terminator, index: usize) -> Vec<VReg> {
        let Some(edge) = block_order::edge(terminator, index) else {
            return Vec::new();
        };
        edge.arguments
            .iter()
            .map(|value| self.reg(*value))
            .collect()
    }

    fn jump_to_block(&mut self, target: u32) {
        self.begin();
        self.items.push(GroupItem::JumpToBlock(Label(target)));
        self.end_as(InstKind::Branch);
    }

    fn terminator(
        &mut self,
        terminator: &Terminator,
        successors: &[u32],
    ) -> Result<(), CompileError> {
        match terminator {
            Terminator::Jump(_) => self.jump_to_block(successors[0]),
            Terminator::Branch(condition, ..) => self.branch(*condition, successors),
            Terminator::Return(outcome) => self.return_outcome(outcome.0),
            Terminator::Resume(_) => self.branch_on_resume(successors),
            Terminator::Suspend(..) => {
                let message = "a barrier is not split".to_owned();
                return Err(CompileError::Internal(message));
            }
        }
        Ok(())
    }

    fn inst(&mut self, inst: &'f Inst) -> Result<(), CompileError> {
        match inst.result {
            Some(result) if self.values.is_folded(result) => Ok(()),
            Some(result) => {
                let register = self.own(result);
                self.compute(inst, register)
            }
            None => self.effect(inst),
        }
    }

    /// Computes a result into a register.
    fn compute(&mut self, inst: &'f Inst, result: VReg) -> Result<(), CompileError> {
        let outer = self.origin.replace(inst);
        let done = self.compute_groups(inst, result);
        self.origin = outer;
        done
    }

    fn compute_groups(&mut self, inst: &Inst, result: VReg) -> Result<(), CompileError> {
        if scalar::compute(self, inst, result) {
            return Ok(());
        }
        vector::compute(self, inst, result)
    }

    /// Selects an instruction without a result.
    fn effect(&mut self, inst: &'f Inst) -> Result<(), CompileError> {
        let outer = self.origin.replace(inst);
        let done = self.effect_groups(inst);
        self.origin = outer;
        done
    }

    fn effect_groups(&mut self, inst: &Inst) -> Result<(), CompileError> {
        if scalar::effect(self, inst) {
            return Ok(());
        }
        vector::effect(self, inst)
    }

    /// The register class of a type.
    pub(crate) fn class(&self, ty: Type) -> RegClass {
        match ty {
            Type::Word | Type::Pointer => RegClass::Int,
            Type::Lanes => RegClass::Float,
            Type::Mask => V::MASK.0,
        }
    }

    /// The virtual register of a value that is not folded.
    pub(crate) fn own(&self, value: Value) -> VReg {
        VReg::new(value.index(), self.class(self.function.type_of(value)))
    }

    /// A new register for a value of a type.
    pub(crate) fn temp(&mut self, ty: Type) -> VReg {
        let class = self.class(ty);
        self.machine.vreg(class)
    }

    /// A virtual register that holds a value; computes it first if it is folded.
    pub(crate) fn reg(&mut self, value: Value) -> VReg {
        if !self.values.is_folded(value) {
            return self.own(value);
        }
        let register = self.temp(self.function.type_of(value));
        self.aliases.push((register, value));
        if let Some(inst) = self.values.definition(value) {
            // Every target can compute folded values, so this cannot fail.
            let done = self.compute(inst, register);
            debug_assert!(done.is_ok(), "{:?} is folded and not known", inst.op);
        }
        register
    }

    /// The memory operand at a pointer plus `offset` words.
    pub(crate) fn pointed(&mut self, pointer: Value, offset: i64) -> Memory {
        let advance = self
            .values
            .definition(pointer)
            .filter(|inst| inst.op == Op::Advance && self.values.is_folded(pointer));
        match advance {
            None => self.displaced(pointer, offset),
            Some(inst) => self.element(inst.operands[0], inst.operands[1], offset),
        }
    }

    /// The memory operand at pointer + index + offset, in words.
    pub(crate) fn element(&mut self, pointer: Value, index: Value, offset: i64) -> Memory {
        if let Some(word) = self.values.word(index) {
            return self.pointed(pointer, offset + i64::from(word));
        }
        let memory = self.displaced(pointer, offset);
        let index = Index::Reg(r64(self.reg(index)));
        memory.indexed(index, 4)
    }

    /// The memory operand at a register plus `offset` words; adds large offsets beforehand.
    pub(crate) fn displaced(&mut self, pointer: Value, offset: i64) -> Memory {
        self.displaced_bytes(pointer, offset * 4)
    }

    /// The memory operand at a register plus `bytes`; adds large offsets beforehand.
    pub(crate) fn displaced_bytes(&mut self, pointer: Value, bytes: i64) -> Memory {
        const STEP: i64 = 0x4000_0000;
        let mut base = self.reg(pointer);
        let mut bytes = bytes;
        while bytes.abs() > STEP {
            let next = self.machine.vreg(RegClass::Int);
            let step = STEP * bytes.signum();
            let memory = Memory::at(Base::Reg(base), step as i32);
            self.op(
                Code::Lea_r64_m,
                &[Operand::Def(r64(next)), Operand::Memory(memory)],
            );
            base = next;
            bytes -= step;
        }
        Memory::at(Base::Reg(base), bytes as i32)
    }

    /// Whether a mask is a constant with all lanes.
    pub(crate) fn has_all_lanes(&self, mask: Value) -> bool {
        let all = self.function.all_lanes();
        let op = self.values.definition(mask).map(|inst| inst.op);
        matches!(op, Some(Op::Mask(mask)) if mask & all == all)
    }

    /// The start of the groups' scratch memory in the frame, after the bytes that the function uses.
    pub(crate) fn scratch_start(&self) -> i32 {
        self.function.frame_bytes.next_multiple_of(64) as i32
    }

    /// Reserves scratch memory of groups in the frame.
    pub(crate) fn need_scratch(&mut self, bytes: u32) {
        self.scratch_bytes = self.scratch_bytes.max(bytes);
    }
}

/// An internal error: the operation cannot be selected.
pub(crate) fn unknown(inst: &Inst) -> CompileError {
    CompileError::Internal(format!("no code for {:?}", inst.op))
}

/// The register of the third argument.
pub(crate) const RDX: PReg = PReg::new(2, RegClass::Int);
/// The implicit operand of divisions and compare-exchanges.
pub(crate) const RAX: PReg = PReg::new(0, RegClass::Int);
