//! Functions and their blocks.

use rspirv::spirv::Op;

use super::words::{Id, Instruction};
use crate::error::{ReadError, Result};

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
}

/// A block: it begins with a label and ends with a terminator.
#[derive(Debug)]
pub(crate) struct Block<'a> {
    pub(crate) label: Id,
    pub(crate) phis: Vec<Instruction<'a>>,
    /// What lies between the phis and the end, merge instructions apart.
    pub(crate) body: Vec<Instruction<'a>>,
    pub(crate) merge: Option<Merge<'a>>,
    pub(crate) terminator: Instruction<'a>,
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

/// Puts functions together from their instructions.
#[derive(Debug, Default)]
pub(super) struct Assembly<'a> {
    function: Option<Function<'a>>,
    block: Option<Open<'a>>,
}

#[derive(Debug)]
struct Open<'a> {
    label: Id,
    phis: Vec<Instruction<'a>>,
    body: Vec<Instruction<'a>>,
    merge: Option<Merge<'a>>,
}

impl<'a> Assembly<'a> {
    pub(super) fn is_inside(&self) -> bool {
        self.function.is_some()
    }

    /// Takes the next instruction; gives a function when it is complete.
    pub(super) fn take(&mut self, instruction: Instruction<'a>) -> Result<Option<Function<'a>>> {
        let Some(function) = &mut self.function else {
            self.function = Some(Function {
                instruction,
                id: instruction.result()?,
                result_type: instruction.result_type()?,
                parameters: Vec::new(),
                blocks: Vec::new(),
            });
            return Ok(None);
        };
        let Some(block) = &mut self.block else {
            match instruction.op {
                Op::FunctionParameter if function.blocks.is_empty() => {
                    function.parameters.push(instruction);
                }
                Op::Label => {
                    self.block = Some(Open {
                        label: instruction.result()?,
                        phis: Vec::new(),
                        body: Vec::with_capacity(8),
                        merge: None,
                    });
                }
                Op::FunctionEnd if function.blocks.is_empty() => {
                    return Err(function
                        .instruction
                        .unsupported("a function without a body, which another module provides"));
                }
                Op::FunctionEnd => return Ok(self.function.take()),
                _ => return Err(instruction.invalid("it stands outside of a block")),
            }
            return Ok(None);
        };
        match instruction.op {
            Op::Phi if block.body.is_empty() => block.phis.push(instruction),
            Op::SelectionMerge => block.merge(
                &instruction,
                Merge::Selection {
                    merge: instruction.id(0)?,
                    instruction,
                },
            )?,
            Op::LoopMerge => block.merge(
                &instruction,
                Merge::Loop {
                    merge: instruction.id(0)?,
                    continuing: instruction.id(1)?,
                    instruction,
                },
            )?,
            op if is_terminator(op) => {
                let Open {
                    label,
                    phis,
                    body,
                    merge,
                } = self.block.take().expect("it is open");
                function.blocks.push(Block {
                    label,
                    phis,
                    body,
                    merge,
                    terminator: instruction,
                });
            }
            Op::Label | Op::Function | Op::FunctionEnd | Op::FunctionParameter | Op::Phi => {
                return Err(instruction.invalid("it stands inside of a block"));
            }
            _ if block.merge.is_some() => {
                return Err(instruction.invalid("it stands between a merge and the block's end"));
            }
            _ => block.body.push(instruction),
        }
        Ok(None)
    }

    /// There are no more instructions.
    pub(super) fn end(&self) -> Result<()> {
        match &self.function {
            None => Ok(()),
            Some(function) => Err(function.instruction.invalid("the function does not end")),
        }
    }
}

impl<'a> Open<'a> {
    fn merge(&mut self, instruction: &Instruction<'a>, merge: Merge<'a>) -> Result<(), ReadError> {
        match self.merge.replace(merge) {
            None => Ok(()),
            Some(_) => Err(instruction.invalid("it is the block's second merge")),
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
