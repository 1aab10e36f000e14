//! What modules say about ids and members beyond their types.

use rspirv::spirv::{self, Op};

use super::words::{Id, Instruction};
use crate::error::Result;
use crate::maps::HashMap;

/// One decoration with its operands: literals, or ids for `OpDecorateId`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decoration {
    pub(crate) kind: spirv::Decoration,
    pub(crate) operands: Vec<u32>,
}

/// All decorations of a module.
#[derive(Debug, Default)]
pub(crate) struct Decorations {
    ids: HashMap<Id, Vec<Decoration>>,
    members: HashMap<(Id, u32), Vec<Decoration>>,
    groups: Vec<(Id, Id, Option<u32>)>,
}

impl Decorations {
    /// Takes an instruction that decorates; false for any other.
    pub(super) fn take(&mut self, instruction: &Instruction<'_>) -> Result<bool> {
        match instruction.op {
            Op::Decorate | Op::DecorateId | Op::DecorateString => {
                let target = instruction.id(0)?;
                let decoration = decoration(instruction, 1)?;
                self.ids.entry(target).or_default().extend(decoration);
            }
            Op::MemberDecorate | Op::MemberDecorateString => {
                let target = (instruction.id(0)?, instruction.word(1)?);
                let decoration = decoration(instruction, 2)?;
                self.members.entry(target).or_default().extend(decoration);
            }
            Op::DecorationGroup => {}
            Op::GroupDecorate => {
                let group = instruction.id(0)?;
                let targets = instruction.ids(1).map(|target| (group, target, None));
                self.groups.extend(targets);
            }
            Op::GroupMemberDecorate => {
                let group = instruction.id(0)?;
                let pairs = instruction.operands[1..].chunks_exact(2);
                let targets = pairs.map(|pair| (group, Id(pair[0]), Some(pair[1])));
                self.groups.extend(targets);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Gives the targets of groups what the groups have.
    pub(super) fn resolve_groups(&mut self) -> Result<()> {
        for (group, target, member) in std::mem::take(&mut self.groups) {
            let decorations = self.ids.get(&group).cloned().unwrap_or_default();
            match member {
                None => self.ids.entry(target).or_default().extend(decorations),
                Some(member) => {
                    let members = self.members.entry((target, member));
                    members.or_default().extend(decorations);
                }
            }
        }
        Ok(())
    }

    /// All of an id.
    pub(crate) fn of(&self, id: Id) -> &[Decoration] {
        self.ids.get(&id).map_or(&[], Vec::as_slice)
    }

    /// All of a member of a struct.
    pub(crate) fn of_member(&self, id: Id, member: u32) -> &[Decoration] {
        self.members.get(&(id, member)).map_or(&[], Vec::as_slice)
    }

    /// Whether an id has this decoration.
    pub(crate) fn has(&self, id: Id, kind: spirv::Decoration) -> bool {
        self.of(id).iter().any(|it| it.kind == kind)
    }

    /// The first operand of this decoration of an id.
    pub(crate) fn value(&self, id: Id, kind: spirv::Decoration) -> Option<u32> {
        first_operand(self.of(id), kind)
    }

    /// The first operand of this decoration of a member.
    pub(crate) fn member_value(&self, id: Id, member: u32, kind: spirv::Decoration) -> Option<u32> {
        first_operand(self.of_member(id, member), kind)
    }

    /// Whether a member has this decoration.
    pub(crate) fn member_has(&self, id: Id, member: u32, kind: spirv::Decoration) -> bool {
        self.of_member(id, member).iter().any(|it| it.kind == kind)
    }
}

fn first_operand(decorations: &[Decoration], kind: spirv::Decoration) -> Option<u32> {
    let found = decorations.iter().find(|it| it.kind == kind)?;
    found.operands.first().copied()
}

/// One that nobody knows has no effect here: those that matter are all known.
fn decoration(instruction: &Instruction<'_>, at: usize) -> Result<Option<Decoration>> {
    let kind = spirv::Decoration::from_u32(instruction.word(at)?);
    let operands = instruction.operands.get(at + 1..).unwrap_or_default();
    Ok(kind.map(|kind| Decoration {
        kind,
        operands: operands.to_vec(),
    }))
}
