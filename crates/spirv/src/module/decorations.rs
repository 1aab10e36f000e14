//! What modules say about ids and members beyond their types.

use rspirv::spirv::{self, Op};

use super::words::{Id, Instruction};
use crate::error::Result;
use crate::maps::HashMap;

/// One decoration with its operands: literals, or ids for `OpDecorateId`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoration<'a> {
    target: Target,
    pub(crate) kind: spirv::Decoration,
    pub(crate) operands: &'a [u32],
}

/// An id itself comes before its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Target {
    id: Id,
    member: Option<u32>,
}

/// All decorations of a module.
#[derive(Debug, Default)]
pub(crate) struct Decorations<'a> {
    /// Sorted by their targets.
    all: Vec<Decoration<'a>>,
    /// Which of them are of an id and its members, by its number.
    ids: Vec<(u32, u32)>,
    groups: Vec<(Id, Target)>,
}

impl<'a> Decorations<'a> {
    pub(super) fn new(bound: u32) -> Self {
        Self {
            ids: vec![(0, 0); bound as usize],
            ..Self::default()
        }
    }

    /// Adds the decorations that an instruction sets.
    pub(super) fn take(&mut self, instruction: &Instruction<'a>) -> Result<()> {
        match instruction.op {
            Op::Decorate | Op::DecorateId | Op::DecorateString => {
                let id = instruction.id(0)?;
                self.add(instruction, Target { id, member: None }, 1)?;
            }
            Op::MemberDecorate | Op::MemberDecorateString => {
                let id = instruction.id(0)?;
                let member = Some(instruction.word(1)?);
                self.add(instruction, Target { id, member }, 2)?;
            }
            Op::DecorationGroup => {}
            Op::GroupDecorate => {
                let group = instruction.id(0)?;
                let targets = instruction.ids(1).map(|id| Target { id, member: None });
                self.groups.extend(targets.map(|target| (group, target)));
            }
            Op::GroupMemberDecorate => {
                let group = instruction.id(0)?;
                let pairs = instruction.operands[1..].chunks_exact(2);
                let targets = pairs.map(|pair| Target {
                    id: Id(pair[0]),
                    member: Some(pair[1]),
                });
                self.groups.extend(targets.map(|target| (group, target)));
            }
            _ => return Err(instruction.unsupported("this decoration")),
        }
        Ok(())
    }

    /// One that nobody knows has no effect here: those that matter are all known.
    fn add(&mut self, instruction: &Instruction<'a>, target: Target, at: usize) -> Result<()> {
        let kind = spirv::Decoration::from_u32(instruction.word(at)?);
        let operands = instruction.operands.get(at + 1..).unwrap_or_default();
        self.all.extend(kind.map(|kind| Decoration {
            target,
            kind,
            operands,
        }));
        Ok(())
    }

    /// All have been taken: now they can be asked for.
    pub(super) fn arrange(&mut self) {
        self.resolve_groups();
        // A sort that keeps the order of equals, and is quick where most are in order already.
        self.all.sort_by_key(|it| it.target);
        for (at, decoration) in (1..).zip(&self.all) {
            if let Some((begin, end)) = self.ids.get_mut(decoration.target.id.index()) {
                if *end == 0 {
                    *begin = at - 1;
                }
                *end = at;
            }
        }
    }

    /// Gives the targets of groups what the groups have.
    fn resolve_groups(&mut self) {
        if self.groups.is_empty() {
            return;
        }
        let groups = std::mem::take(&mut self.groups);
        let mut of_groups: HashMap<Id, Vec<Decoration<'a>>> = groups
            .iter()
            .map(|(group, _)| (*group, Vec::new()))
            .collect();
        for decoration in &self.all {
            let Target { id, member } = decoration.target;
            if let Some(group) = of_groups.get_mut(&id).filter(|_| member.is_none()) {
                group.push(*decoration);
            }
        }
        for (group, target) in groups {
            let decorations = of_groups.get(&group).cloned().unwrap_or_default();
            let given = decorations
                .into_iter()
                .map(|it| Decoration { target, ..it });
            // A group may be the target of another one.
            if let Some(group) = of_groups
                .get_mut(&target.id)
                .filter(|_| target.member.is_none())
            {
                group.extend(given.clone());
            }
            self.all.extend(given);
        }
    }

    /// All of an id and of its members.
    fn all_of(&self, id: Id) -> &[Decoration<'a>] {
        let (begin, end) = self.ids.get(id.index()).copied().unwrap_or_default();
        &self.all[begin as usize..end as usize]
    }

    /// All of an id.
    pub(crate) fn of(&self, id: Id) -> &[Decoration<'a>] {
        let all = self.all_of(id);
        &all[..all.partition_point(|it| it.target.member.is_none())]
    }

    /// All of the members of a struct, in their order.
    pub(crate) fn of_members(&self, id: Id) -> impl Iterator<Item = (u32, &Decoration<'a>)> {
        let all = self.all_of(id).iter();
        all.filter_map(|it| Some((it.target.member?, it)))
    }

    /// All of a member of a struct.
    pub(crate) fn of_member(&self, id: Id, member: u32) -> &[Decoration<'a>] {
        let all = self.all_of(id);
        let begin = all.partition_point(|it| it.target.member < Some(member));
        let rest = &all[begin..];
        let is_same = |it: &&Decoration<'_>| it.target.member == Some(member);
        &rest[..rest.iter().take_while(is_same).count()]
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

fn first_operand(decorations: &[Decoration<'_>], kind: spirv::Decoration) -> Option<u32> {
    let found = decorations.iter().find(|it| it.kind == kind)?;
    found.operands.first().copied()
}
