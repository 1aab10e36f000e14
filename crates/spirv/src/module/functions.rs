//! Functions and their basic blocks.
//!
//! In: the instructions between `OpFunction` and `OpFunctionEnd`. Out: [`Function`]s, with their calls and the uses of
//! values that another block may define. Each block has a label and exactly one terminator; a merge instruction
//! directly precedes it. A block stores word offsets only: its instructions are decoded on iteration.

use rspirv::spirv::Op;

use super::definitions::Definitions;
use super::words::{Id, Instruction, Instructions, instruction_at};
use crate::error::Result;

/// A function with a body.
#[derive(Debug)]
pub(crate) struct Function<'a> {
    pub(crate) instruction: Instruction<'a>,
    pub(crate) id: Id,
    pub(crate) result_type: Id,
    pub(crate) parameters: Vec<Instruction<'a>>,
    /// Basic blocks in module order; the first is the entry block.
    pub(crate) blocks: Vec<Block<'a>>,
    /// The result ids in its blocks.
    pub(crate) results: ResultIds,
    /// The `OpFunctionCall` instructions, in order.
    pub(crate) calls: Vec<Instruction<'a>>,
    /// Uses in block bodies of values that another block of the function may define, except variables and parameters.
    pub(crate) crossing: Vec<CrossBlockUse>,
    /// Whether any block may use a value of another block: in its body, in a phi or in its terminator.
    pub(crate) is_crossed: bool,
}

/// A use of an id that another block may define.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CrossBlockUse {
    pub(crate) id: Id,
    /// Index of the block with the use.
    pub(crate) block: u32,
}

/// Summary of the result ids in the blocks of a function, without labels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResultIds {
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) count: usize,
}

impl Function<'_> {
    /// The index of the block that contains the instruction at this word offset.
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

/// A basic block: from its label to its terminator.
#[derive(Debug)]
pub(crate) struct Block<'a> {
    pub(crate) label: Id,
    /// The words of the module; the fields below are offsets into them.
    words: &'a [u32],
    phis: u32,
    body: u32,
    /// Offset of the merge instruction, or of the terminator if there is none.
    merge: u32,
    terminator: u32,
}

/// The merge instruction of a header block.
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

    /// The instructions after the phis and before the merge instruction or terminator.
    pub(crate) fn body(&self) -> Instructions<'a> {
        Instructions::new(self.words, self.body, self.merge)
    }

    /// Length of the body in words.
    pub(crate) fn length(&self) -> usize {
        (self.merge - self.body) as usize
    }

    /// Phis and body.
    pub(crate) fn inside(&self) -> Instructions<'a> {
        Instructions::new(self.words, self.phis, self.merge)
    }

    /// Whether a word offset is before the terminator of this block. True also for all offsets before the block.
    fn is_before_end(&self, offset: u32) -> bool {
        offset < self.terminator
    }

    /// Whether the instruction at this word offset is a phi or body instruction of this block.
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

/// Builds functions from a stream of instructions.
#[derive(Debug)]
pub(super) struct FunctionBuilder<'a> {
    words: &'a [u32],
    function: Option<Function<'a>>,
    block: Option<OpenBlock>,
    /// The complete blocks of the current function.
    blocks: Vec<Block<'a>>,
}

#[derive(Debug)]
struct OpenBlock {
    label: Id,
    phis: u32,
    /// Where the body begins, once the last phi was seen.
    body: Option<u32>,
    merge: Option<u32>,
}

impl<'a> FunctionBuilder<'a> {
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

    /// The number of complete blocks of the current function.
    pub(super) fn count(&self) -> usize {
        self.blocks.len()
    }

    /// Takes the next instruction, and adds the function to `functions` at its `OpFunctionEnd`.
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
        // The cast is exact: `Definitions::add` refuses modules of more than 4 Gi words.
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
                    // Values defined before the function are visible in all of it, and values of this block in this
                    // block. An offset of 0 is a forward reference.
                    let from = definitions.offset(id);
                    let is_far = from < block.phis && (from > begin || from == 0);
                    if is_far && !definitions.is_variable(from) {
                        let block = number;
                        function.crossing.push(CrossBlockUse { id, block });
                        function.is_crossed = true;
                    }
                });
            }
        }
        Ok(())
    }

    /// Takes an instruction outside a block: function header, parameter, label or function end.
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
                results: ResultIds {
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
                self.block = Some(OpenBlock {
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
                // Allocates exactly the number of blocks: a module may have very many functions.
                function.blocks = self.blocks.drain(..).collect();
                functions.extend(self.function.take());
            }
            _ => return Err(instruction.invalid("it stands outside of a block")),
        }
        Ok(())
    }

    /// Checks that the last function is complete.
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
