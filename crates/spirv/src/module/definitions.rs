//! Definition of each id (the "def" half of use-def chains).
//!
//! In: the result instructions, in module order. Out: for each id the word offset of its definition, and its type or
//! block index. A module may have very many ids, so an entry is small; the full instruction is decoded again from the
//! words on demand.

use rspirv::spirv::Op;

use super::words::{Id, Instruction, instruction_at};
use crate::error::Result;

/// The definitions of all ids of a module.
#[derive(Debug)]
pub(super) struct Definitions<'a> {
    words: &'a [u32],
    /// Indexed by id.
    ids: Vec<Definition>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Definition {
    /// Word offset of the instruction; 0 if the id is not defined.
    offset: u32,
    kind: DefinitionKind,
}

/// What is known about an id without decoding its instruction.
#[derive(Clone, Copy, Debug, Default)]
enum DefinitionKind {
    #[default]
    Other,
    /// A value of this type.
    Value(Id),
    /// The label of the block with this index in its function.
    Block(u32),
}

impl<'a> Definitions<'a> {
    pub(super) fn new(words: &'a [u32], bound: u32) -> Self {
        let ids = vec![Definition::default(); bound as usize];
        Self { words, ids }
    }

    /// Records the result of an instruction. `block` is the index of the block if the instruction is an `OpLabel`.
    #[inline]
    pub(super) fn add(&mut self, instruction: &Instruction<'a>, block: usize) -> Result<()> {
        let Some(id) = instruction.result else {
            return Ok(());
        };
        let Ok(offset) = u32::try_from(instruction.offset) else {
            return Err(instruction.unsupported("a module of more than 16 gigabytes"));
        };
        let kind = match (instruction.result_type, instruction.op) {
            (Some(ty), _) => DefinitionKind::Value(ty),
            (None, Op::Label) => DefinitionKind::Block(block as u32),
            (None, _) => DefinitionKind::Other,
        };
        let place = &mut self.ids[id.index()];
        if std::mem::replace(place, Definition { offset, kind }).offset != 0 {
            return Err(instruction.invalid(format!("{id} is defined twice")));
        }
        Ok(())
    }

    /// Word offset of the definition of an id; 0 if it is not defined, or not defined yet.
    #[inline]
    pub(super) fn offset(&self, id: Id) -> u32 {
        self.ids
            .get(id.index())
            .map_or(0, |definition| definition.offset)
    }

    /// Whether the instruction at a word offset is an `OpVariable` or an `OpFunctionParameter`.
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
        match self.ids.get(id.index())?.kind {
            DefinitionKind::Value(ty) => Some(ty),
            _ => None,
        }
    }

    pub(super) fn block_of(&self, label: Id) -> Option<usize> {
        match self.ids.get(label.index())?.kind {
            DefinitionKind::Block(number) => Some(number as usize),
            _ => None,
        }
    }
}
