//! Functions and their blocks.
//!
//! A block says where its instructions are; they are decoded by those who look at them.

use rspirv::spirv::Op;

use super::definitions::Definitions;
use super::words::{Id, Instruction, Instructions, instruction_at};
use crate::error::Result;

/// A function with a body.
#[derive(Debug)]
pub(crate) struct Function<'a> {
    /// `OpFunction`.
    pub(crate) instruction: Instruction<'a>,
    pub(crate) id: Id,
    pub(crate) result_type: Id,
    pub(crate) parameters: Vec<Instruction<'a>>,
    /// The first is where it begins.
    pub(crate) blocks: Vec<Block<'a>>,
    /// What its blocks make.
    pub(crate) results: Results,
    /// Its calls of functions, in order.
    pub(crate) calls: Vec<Instruction<'a>>,
    /// What instructions use that other blocks of it may have made, variables and parameters apart.
    pub(crate) crossing: Vec<Crossing>,
    /// Whether blocks use what others may have made: there, in their phis or in their ends.
    pub(crate) is_crossed: bool,
}

/// An id that is used in a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    pub(crate) id: Id,
    /// The number of the block that uses it.
    pub(crate) block: u32,
}

/// Which ids the instructions in the blocks of a function make, labels apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Results {
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) count: usize,
}

impl Function<'_> {
    /// The number of the block in which an instruction stands that begins at this word.
    pub(super) fn block_at(&self, offset: u32) -> Option<usize> {
        if offset < self.instruction.offset as u32 {
            return None;
        }
        let number = self
            .blocks
            .partition_point(|block| !block.is_before_end(offset));
        (number < self.blocks.len()).then_some(number)
    }
}

/// A block: it begins with a label and ends with a terminator.
#[derive(Debug)]
pub(crate) struct Block<'a> {
    pub(crate) label: Id,
    /// The words of the module, and where in them the parts of this block begin.
    words: &'a [u32],
    phis: u32,
    body: u32,
    /// The merge instruction, or the terminator where there is none.
    merge: u32,
    terminator: u32,
}

/// Where what begins at a block comes together again.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Merge<'a> {
    Selection {
        merge: Id,
        instruction: Instruction<'a>,
    },
    Loop {
        merge: Id,
        continuing: Id,
        instruction: Instruction<'a>,
    },
}

impl<'a> Block<'a> {
    pub(crate) fn phis(&self) -> Instructions<'a> {
        Instructions::new(self.words, self.phis, self.body)
    }

    pub(crate) fn has_phis(&self) -> bool {
        self.phis < self.body
    }

    /// What lies between the phis and the end, merge instructions apart.
    pub(crate) fn body(&self) -> Instructions<'a> {
        Instructions::new(self.words, self.body, self.merge)
    }

    /// How many words the body has.
    pub(crate) fn length(&self) -> usize {
        (self.merge - self.body) as usize
    }

    /// Phis and body.
    pub(crate) fn inside(&self) -> Instructions<'a> {
        Instructions::new(self.words, self.phis, self.merge)
    }

    /// Whether an instruction that begins at this word stands before the end of this block, as do those
    /// of the blocks before it.
    fn is_before_end(&self, offset: u32) -> bool {
        offset < self.terminator
    }

    /// Whether an instruction that begins at this word is one of this block, its end apart.
    pub(super) fn holds(&self, offset: u32) -> bool {
        offset >= self.phis && self.is_before_end(offset)
    }

    pub(crate) fn terminator(&self) -> Instruction<'a> {
        self.at(self.terminator)
    }

    pub(crate) fn merge(&self) -> Option<Merge<'a>> {
        if self.merge == self.terminator {
            return None;
        }
        let instruction = self.at(self.merge);
        let merge = instruction.id(0).ok()?;
        Some(match instruction.op {
            Op::LoopMerge => Merge::Loop {
                merge,
                continuing: instruction.id(1).ok()?,
                instruction,
            },
            _ => Merge::Selection { merge, instruction },
        })
    }

    fn at(&self, offset: u32) -> Instruction<'a> {
        instruction_at(self.words, offset as usize).expect("it was found there before")
    }
}

/// Puts functions together from their instructions.
#[derive(Debug)]
pub(super) struct Assembly<'a> {
    words: &'a [u32],
    function: Option<Function<'a>>,
    block: Option<Open>,
    /// The blocks of the function, so far.
    blocks: Vec<Block<'a>>,
}

#[derive(Debug)]
struct Open {
    label: Id,
    phis: u32,
    /// Where the body begins, once it has.
    body: Option<u32>,
    merge: Option<u32>,
}

impl<'a> Assembly<'a> {
    pub(super) fn new(words: &'a [u32]) -> Self {
        Self {
            words,
            function: None,
            block: None,
            blocks: Vec::new(),
        }
    }

    pub(super) fn is_inside(&self) -> bool {
        self.function.is_some()
    }

    /// How many blocks the function has so far.
    pub(super) fn count(&self) -> usize {
        self.blocks.len()
    }

    /// Takes the next instruction; adds a function to `functions` when it is complete.
    #[inline]
    pub(super) fn take(
        &mut self,
        instruction: Instruction<'a>,
        definitions: &Definitions<'a>,
        functions: &mut Vec<Function<'a>>,
    ) -> Result<()> {
        let (Some(function), Some(block)) = (&mut self.function, &mut self.block) else {
            return self.between(&instruction, functions);
        };
        // Modules of 4 gigawords are refused where ids are defined.
        let offset = instruction.offset as u32;
        if let Some(id) = instruction.result {
            let results = &mut function.results;
            results.first = results.first.min(id.0);
            results.last = results.last.max(id.0);
            results.count += 1;
        }
        match instruction.op {
            Op::Phi if block.body.is_none() && block.merge.is_none() => function.is_crossed = true,
            Op::SelectionMerge | Op::LoopMerge => {
                if block.merge.replace(offset).is_some() {
                    return Err(instruction.invalid("it is the block's second merge"));
                }
            }
            op if is_terminator(op) => {
                if matches!(op, Op::BranchConditional | Op::Switch | Op::ReturnValue) {
                    function.is_crossed |= definitions.offset(instruction.id(0)?) < block.phis;
                }
                let merge = block.merge.unwrap_or(offset);
                self.blocks.push(Block {
                    label: block.label,
                    words: self.words,
                    phis: block.phis,
                    body: block.body.unwrap_or(merge),
                    merge,
                    terminator: offset,
                });
                self.block = None;
            }
            Op::Label | Op::Function | Op::FunctionEnd | Op::FunctionParameter | Op::Phi => {
                return Err(instruction.invalid("it stands inside of a block"));
            }
            _ if block.merge.is_some() => {
                return Err(instruction.invalid("it stands between a merge and the block's end"));
            }
            _ => {
                block.body.get_or_insert(offset);
                if instruction.op == Op::FunctionCall {
                    function.calls.push(instruction);
                }
                let begin = function.instruction.offset as u32;
                let number = self.blocks.len() as u32;
                instruction.each_used(|id| {
                    // What was made before the function is known in all of it, what was made in this
                    // block is known here.
                    let from = definitions.offset(id);
                    let is_far = from < block.phis && (from > begin || from == 0);
                    if is_far && !definitions.is_variable(from) {
                        let block = number;
                        function.crossing.push(Crossing { id, block });
                        function.is_crossed = true;
                    }
                });
            }
        }
        Ok(())
    }

    /// Takes what stands outside of blocks.
    fn between(
        &mut self,
        instruction: &Instruction<'a>,
        functions: &mut Vec<Function<'a>>,
    ) -> Result<()> {
        let Some(function) = &mut self.function else {
            self.function = Some(Function {
                instruction: *instruction,
                id: instruction.result()?,
                result_type: instruction.result_type()?,
                parameters: Vec::new(),
                blocks: Vec::new(),
                results: Results {
                    first: u32::MAX,
                    last: 0,
                    count: 0,
                },
                calls: Vec::new(),
                crossing: Vec::new(),
                is_crossed: false,
            });
            return Ok(());
        };
        match instruction.op {
            Op::FunctionParameter if self.blocks.is_empty() => {
                function.parameters.push(*instruction);
            }
            Op::Label => {
                self.block = Some(Open {
                    label: instruction.result()?,
                    phis: instruction.end() as u32,
                    body: None,
                    merge: None,
                });
            }
            Op::FunctionEnd if self.blocks.is_empty() => {
                return Err(function
                    .instruction
                    .unsupported("a function without a body, which another module provides"));
            }
            Op::FunctionEnd => {
                // Exactly as many as there are: there may be very many functions.
                function.blocks = self.blocks.drain(..).collect();
                functions.extend(self.function.take());
            }
            _ => return Err(instruction.invalid("it stands outside of a block")),
        }
        Ok(())
    }

    /// There are no more instructions.
    pub(super) fn end(&self) -> Result<()> {
        match &self.function {
            None => Ok(()),
            Some(function) => Err(function.instruction.invalid("the function does not end")),
        }
    }
}

fn is_terminator(op: Op) -> bool {
    matches!(
        op,
        Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Kill
            | Op::TerminateInvocation
            | Op::Unreachable
            | Op::IgnoreIntersectionKHR
            | Op::TerminateRayKHR
            | Op::EmitMeshTasksEXT
    )
}
