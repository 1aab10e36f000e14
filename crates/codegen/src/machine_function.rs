//! The function as regalloc2 sees it (LLVM: `MachineFunction` before register allocation): blocks, and the operands of
//! each instruction without its opcode.
//!
//! Register classes: `Int` for words and pointers, `Float` for vectors, `Vector` for mask registers.

use regalloc2::{Block, Function, Inst, InstRange, Operand, PRegSet, RegClass, VReg};

/// How control flows after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InstKind {
    /// It continues with the next instruction.
    Plain,
    /// It branches to successor blocks.
    Branch,
    /// It returns.
    Return,
    /// It calls a function, which clobbers the caller-saved registers, and then continues.
    Call,
}

/// A basic block in SSA form with block parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct MachineBlock {
    pub(crate) first: usize,
    pub(crate) end: usize,
    pub(crate) successors: Vec<Block>,
    pub(crate) predecessors: Vec<Block>,
    pub(crate) parameters: Vec<VReg>,
    /// For each successor, the arguments for its block parameters.
    pub(crate) arguments: Vec<Vec<VReg>>,
}

/// A function before register allocation.
#[derive(Clone, Debug)]
pub(crate) struct MachineFunction {
    pub(crate) operands: Vec<Operand>,
    /// For each instruction, the end of its operands in `operands` and its control flow.
    pub(crate) insts: Vec<(u32, InstKind)>,
    pub(crate) blocks: Vec<MachineBlock>,
    pub(crate) vregs: usize,
    /// The size of a vector in 64-bit words.
    pub(crate) vector_words: usize,
    /// The registers that a called function may change.
    pub(crate) call_clobbers: PRegSet,
}

impl MachineFunction {
    /// A new virtual register.
    pub(crate) fn vreg(&mut self, class: RegClass) -> VReg {
        self.vregs += 1;
        VReg::new(self.vregs - 1, class)
    }

    /// The same function with virtual registers renumbered so that block parameters have the greatest numbers.
    pub(crate) fn with_parameters_last(&self) -> Self {
        let mut is_parameter = vec![false; self.vregs];
        for parameter in self.blocks.iter().flat_map(|block| &block.parameters) {
            is_parameter[parameter.vreg()] = true;
        }
        let mut numbers = vec![0; self.vregs];
        let plain = (0..self.vregs).filter(|vreg| !is_parameter[*vreg]);
        let parameters = (0..self.vregs).filter(|vreg| is_parameter[*vreg]);
        for (number, vreg) in plain.chain(parameters).enumerate() {
            numbers[vreg] = number;
        }
        let rename = |vreg: VReg| VReg::new(numbers[vreg.vreg()], vreg.class());
        let mut renamed = self.clone();
        for operand in &mut renamed.operands {
            let vreg = rename(operand.vreg());
            *operand = Operand::new(vreg, operand.constraint(), operand.kind(), operand.pos());
        }
        for block in &mut renamed.blocks {
            let arguments = block.arguments.iter_mut().flatten();
            for vreg in arguments.chain(&mut block.parameters) {
                *vreg = rename(*vreg);
            }
        }
        renamed
    }

    /// Computes predecessors. Call it when all blocks have their successors.
    pub(crate) fn link(&mut self) {
        for block in 0..self.blocks.len() {
            for next in self.blocks[block].successors.clone() {
                self.blocks[next.index()]
                    .predecessors
                    .push(Block::new(block));
            }
        }
    }
}

impl Function for MachineFunction {
    fn num_insts(&self) -> usize {
        self.insts.len()
    }

    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    fn entry_block(&self) -> Block {
        Block::new(0)
    }

    fn block_insns(&self, block: Block) -> InstRange {
        let block = &self.blocks[block.index()];
        InstRange::new(Inst::new(block.first), Inst::new(block.end))
    }

    fn block_succs(&self, block: Block) -> &[Block] {
        &self.blocks[block.index()].successors
    }

    fn block_preds(&self, block: Block) -> &[Block] {
        &self.blocks[block.index()].predecessors
    }

    fn block_params(&self, block: Block) -> &[VReg] {
        &self.blocks[block.index()].parameters
    }

    fn is_ret(&self, inst: Inst) -> bool {
        self.insts[inst.index()].1 == InstKind::Return
    }

    fn is_branch(&self, inst: Inst) -> bool {
        self.insts[inst.index()].1 == InstKind::Branch
    }

    fn branch_blockparams(&self, block: Block, _: Inst, successor: usize) -> &[VReg] {
        &self.blocks[block.index()].arguments[successor]
    }

    fn inst_operands(&self, inst: Inst) -> &[Operand] {
        let first = match inst.index() {
            0 => 0,
            index => self.insts[index - 1].0,
        };
        &self.operands[first as usize..self.insts[inst.index()].0 as usize]
    }

    fn inst_clobbers(&self, inst: Inst) -> PRegSet {
        match self.insts[inst.index()].1 {
            InstKind::Call => self.call_clobbers,
            InstKind::Plain | InstKind::Branch | InstKind::Return => PRegSet::empty(),
        }
    }

    fn num_vregs(&self) -> usize {
        self.vregs
    }

    fn spillslot_size(&self, class: RegClass) -> usize {
        match class {
            RegClass::Float => self.vector_words,
            RegClass::Int | RegClass::Vector => 1,
        }
    }
}
