//! Decorations of ids and of structure members.
//!
//! In: the annotation instructions. Out: [`Decorations`], sorted by target. Decoration groups are expanded to their
//! targets.

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

/// What a decoration applies to. The order puts the decorations of an id before those of its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Target {
    id: Id,
    member: Option<u32>,
}

/// All decorations of a module, valid after [`arrange`](Decorations::arrange).
#[derive(Debug, Default)]
pub(crate) struct Decorations<'a> {
    /// Sorted by target.
    all: Vec<Decoration<'a>>,
    /// For each id, indexed by its number: the range in `all` with the decorations of the id and of its members.
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

    /// Records an annotation instruction.
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

    /// Records one decoration. Unknown decorations are dropped: the ones that matter here are all known.
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

    /// Expands the groups, sorts by target and builds the index. Call it after the last `take` and before any query.
    pub(super) fn arrange(&mut self) {
        self.resolve_groups();
        // The sort is stable, and fast on input that is mostly sorted.
        self.all.sort_by_key(|decoration| decoration.target);
        for (at, decoration) in (1..).zip(&self.all) {
            if let Some((begin, end)) = self.ids.get_mut(decoration.target.id.index()) {
                if *end == 0 {
                    *begin = at - 1;
                }
                *end = at;
            }
        }
    }

    /// Copies the decorations of each group to the targets of the group.
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
            let given = decorations.into_iter().map(|decoration| Decoration {
                target,
                ..decoration
            });
            // A group may be a target of another group.
            if let Some(group) = of_groups
                .get_mut(&target.id)
                .filter(|_| target.member.is_none())
            {
                group.extend(given.clone());
            }
            self.all.extend(given);
        }
    }

    /// The decorations of an id and of its members.
    fn all_of(&self, id: Id) -> &[Decoration<'a>] {
        let (begin, end) = self.ids.get(id.index()).copied().unwrap_or_default();
        &self.all[begin as usize..end as usize]
    }

    /// The decorations of an id, without those of its members.
    pub(crate) fn of(&self, id: Id) -> &[Decoration<'a>] {
        let all = self.all_of(id);
        &all[..all.partition_point(|decoration| decoration.target.member.is_none())]
    }

    /// The decorations of all members of a struct, by member index.
    pub(crate) fn of_members(&self, id: Id) -> impl Iterator<Item = (u32, &Decoration<'a>)> {
        let all = self.all_of(id).iter();
        all.filter_map(|decoration| Some((decoration.target.member?, decoration)))
    }

    /// The decorations of one member of a struct.
    pub(crate) fn of_member(&self, id: Id, member: u32) -> &[Decoration<'a>] {
        let all = self.all_of(id);
        let begin = all.partition_point(|decoration| decoration.target.member < Some(member));
        let rest = &all[begin..];
        let is_same = |decoration: &&Decoration<'_>| decoration.target.member == Some(member);
        &rest[..rest.iter().take_while(is_same).count()]
    }

    /// Whether an id has this decoration.
    pub(crate) fn has(&self, id: Id, kind: spirv::Decoration) -> bool {
        self.of(id).iter().any(|decoration| decoration.kind == kind)
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
        self.of_member(id, member)
            .iter()
            .any(|decoration| decoration.kind == kind)
    }
}

fn first_operand(decorations: &[Decoration<'_>], kind: spirv::Decoration) -> Option<u32> {
    let found = decorations
        .iter()
        .find(|decoration| decoration.kind == kind)?;
    found.operands.first().copied()
}
