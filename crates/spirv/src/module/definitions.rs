//! Where ids are defined.
//!
//! Modules have very many, so an entry is as little as can be: whoever wants the whole instruction gets
//! it from its words.

use rspirv::spirv::Op;

use super::words::{Id, Instruction, instruction_at};
use crate::error::Result;

/// What defines each id.
#[derive(Debug)]
pub(super) struct Definitions<'a> {
    words: &'a [u32],
    /// By the number of the id.
    ids: Vec<Definition>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Definition {
    /// The word at which the instruction begins; 0 where there is none.
    offset: u32,
    what: What,
}

/// What is known of an id without looking at the instruction.
#[derive(Clone, Copy, Debug, Default)]
enum What {
    #[default]
    Other,
    /// A value of this type.
    Of(Id),
    /// The label of the block with this number in its function.
    Block(u32),
}

impl<'a> Definitions<'a> {
    pub(super) fn new(words: &'a [u32], bound: u32) -> Self {
        let ids = vec![Definition::default(); bound as usize];
        Self { words, ids }
    }

    /// `block` is the number of the block whose label it would be.
    #[inline]
    pub(super) fn add(&mut self, instruction: &Instruction<'a>, block: usize) -> Result<()> {
        let Some(id) = instruction.result else {
            return Ok(());
        };
        let Ok(offset) = u32::try_from(instruction.offset) else {
            return Err(instruction.unsupported("a module of more than 16 gigabytes"));
        };
        let what = match (instruction.result_type, instruction.op) {
            (Some(ty), _) => What::Of(ty),
            (None, Op::Label) => What::Block(block as u32),
            (None, _) => What::Other,
        };
        let place = &mut self.ids[id.index()];
        if std::mem::replace(place, Definition { offset, what }).offset != 0 {
            return Err(instruction.invalid(format!("{id} is defined twice")));
        }
        Ok(())
    }

    /// The word at which the definition of an id begins; 0 where there is none, or none yet.
    #[inline]
    pub(super) fn offset(&self, id: Id) -> u32 {
        self.ids.get(id.index()).map_or(0, |it| it.offset)
    }

    /// Whether the instruction that begins at a word is a variable or a parameter.
    pub(super) fn is_variable(&self, offset: u32) -> bool {
        let opcode = self.words[offset as usize] & 0xffff;
        opcode == Op::Variable as u32 || opcode == Op::FunctionParameter as u32
    }

    pub(super) fn get(&self, id: Id) -> Option<Instruction<'a>> {
        match self.offset(id) {
            0 => None,
            offset => instruction_at(self.words, offset as usize),
        }
    }

    #[inline]
    pub(super) fn type_of(&self, id: Id) -> Option<Id> {
        match self.ids.get(id.index())?.what {
            What::Of(ty) => Some(ty),
            _ => None,
        }
    }

    pub(super) fn block_of(&self, label: Id) -> Option<usize> {
        match self.ids.get(label.index())?.what {
            What::Block(number) => Some(number as usize),
            _ => None,
        }
    }
}
