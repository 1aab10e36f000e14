//! Debug names: `OpName` and `OpMemberName`.
//!
//! A module may have very many names, so all text is one string, and each name is a range in it.

use super::words::{Id, Instruction};
use crate::error::Result;
use crate::maps::HashMap;

/// The names of all ids and members.
#[derive(Debug)]
pub(crate) struct Names {
    text: String,
    /// Indexed by id.
    ids: Vec<TextRange>,
    members: HashMap<(Id, u32), TextRange>,
}

/// The range of a name in the text.
#[derive(Clone, Copy, Debug, Default)]
struct TextRange {
    /// Counted from 1; 0 if there is no name.
    begin: u32,
    end: u32,
}

impl Names {
    pub(super) fn new(bound: u32) -> Self {
        Self {
            text: String::new(),
            ids: vec![TextRange::default(); bound as usize],
            members: HashMap::default(),
        }
    }

    /// Records an `OpName`. The last one for an id wins.
    pub(super) fn add(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let place = self.append(instruction, 1)?;
        if let Some(id) = self.ids.get_mut(instruction.id(0)?.index()) {
            *id = place;
        }
        Ok(())
    }

    /// Records an `OpMemberName`.
    pub(super) fn add_member(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let place = self.append(instruction, 2)?;
        let member = (instruction.id(0)?, instruction.word(1)?);
        self.members.insert(member, place);
        Ok(())
    }

    fn append(&mut self, instruction: &Instruction<'_>, at: usize) -> Result<TextRange> {
        let begin = self.text.len();
        instruction.append_text(at, &mut self.text)?;
        Ok(TextRange {
            begin: begin as u32 + 1,
            end: self.text.len() as u32 + 1,
        })
    }

    pub(crate) fn of(&self, id: Id) -> Option<&str> {
        self.text(*self.ids.get(id.index())?)
    }

    pub(crate) fn member(&self, id: Id, member: u32) -> Option<&str> {
        self.text(*self.members.get(&(id, member))?)
    }

    #[inline]
    fn text(&self, place: TextRange) -> Option<&str> {
        let begin = (place.begin as usize).checked_sub(1)?;
        self.text.get(begin..place.end as usize - 1)
    }
}
