//! Classifies every branch of a function by the construct that it leaves.
//!
//! In: basic blocks with merge instructions. Out: [`Regions`], a tree of blocks, conditions, switches and loops. A
//! branch to the point where the enclosing list continues anyway is dropped. A branch to the merge block or continue
//! target of an enclosing construct is an [`Exit`](Region::Exit). Any other branch inlines its target block; a block
//! may be the target of only one such branch.

use std::ops::Range;

use rspirv::spirv::Op;

use super::{BlockIndex, List, ListArena};
use crate::error::{ReadError, Result};
use crate::module::{Block, Function, Id, Instruction, Merge, Module};

/// The maximum nesting depth of constructs: far more than people write, and small enough for the recursion here on any
/// thread's stack. The WGSL writer checks WGSL's own limit on nested braces; an `else if` chain does not count there.
const MAX_DEPTH: usize = 250;

/// Index of a construct.
pub(super) type ConstructIndex = usize;

/// A construct that branches can leave.
#[derive(Debug)]
pub(super) enum Construct {
    /// A selection, from its header (an `if` or a switch) to its merge block.
    Selection { merge: BlockIndex },
    Loop {
        merge: BlockIndex,
        continuing: BlockIndex,
        /// The construct around the loop body, if the code of the continue target cannot be a WGSL `continuing` block.
        body: Option<ConstructIndex>,
    },
    /// The body of a loop whose continue target is not a WGSL `continuing` block.
    LoopBody,
    /// A switch case. `targets` has the cases that it may fall through into.
    Case { targets: Range<usize> },
}

/// How a branch leaves a construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum ExitKind {
    Break,
    Continue,
    /// Fallthrough into the case with this index.
    Fallthrough(u32),
}

/// A node of the structured tree whose exits still name SPIR-V constructs.
#[derive(Debug, Default)]
pub(super) enum Region {
    /// Removed, or moved elsewhere.
    #[default]
    Removed,
    Block(BlockIndex),
    /// A control flow edge to a block with phis.
    Edge {
        from: BlockIndex,
        to: BlockIndex,
    },
    Terminator(BlockIndex),
    Exit(ConstructIndex, ExitKind),
    /// At the end of a case: selects the case with this index to execute next.
    SelectCase(ConstructIndex, u32),
    If {
        block: BlockIndex,
        accept: List,
        reject: List,
    },
    /// A construct other than a loop or switch that branches may leave.
    Construct(ConstructIndex, List),
    Switch {
        construct: ConstructIndex,
        block: BlockIndex,
        cases: Vec<RegionCase>,
    },
    Loop {
        construct: ConstructIndex,
        body: List,
        continuing: List,
        /// The block whose condition ends the loop, and the value at which it does.
        break_if: Option<(BlockIndex, bool)>,
    },
}

#[derive(Debug)]
pub(super) struct RegionCase {
    pub(super) values: Vec<u64>,
    pub(super) is_default: bool,
    /// Its own construct, which a jump into another case leaves.
    pub(super) construct: ConstructIndex,
    /// Its first block, if that has phis.
    pub(super) phis: Option<BlockIndex>,
    pub(super) body: List,
}

/// The result of the classification.
#[derive(Debug)]
pub(super) struct Regions {
    pub(super) constructs: Vec<Construct>,
    pub(super) arena: ListArena<Region>,
    pub(super) regions: List,
}

pub(super) fn build_regions(
    spirv: &Module<'_>,
    function: &Function<'_>,
    selector_words: &dyn Fn(Id) -> usize,
) -> Result<Regions> {
    let mut builder = RegionBuilder {
        spirv,
        function,
        selector_words,
        is_placed: vec![false; function.blocks.len()],
        constructs: Vec::new(),
        enclosing: Vec::new(),
        depth: 0,
        arena: ListArena::new(function.blocks.len() * 3),
        targets: Vec::new(),
        places: Vec::new(),
    };
    let regions = builder.region(0, None)?;
    Ok(Regions {
        constructs: builder.constructs,
        arena: builder.arena,
        regions,
    })
}

/// Classification of a branch.
enum Jump {
    /// To the point where the enclosing list continues anyway.
    Merge,
    Exit(ConstructIndex, ExitKind),
    /// To a block that is placed here.
    Inline,
}

struct RegionBuilder<'f, 'a> {
    spirv: &'f Module<'f>,
    function: &'f Function<'a>,
    selector_words: &'f dyn Fn(Id) -> usize,
    is_placed: Vec<bool>,
    constructs: Vec<Construct>,
    /// The enclosing constructs, the innermost last.
    enclosing: Vec<ConstructIndex>,
    depth: usize,
    arena: ListArena<Region>,
    /// The case indices by the first block of each case. Those of a switch are contiguous and sorted; all its cases
    /// share the range.
    targets: Vec<(BlockIndex, u32)>,
    /// While the cases of a switch are grouped: the case that a block begins, counted from 1; 0 if it begins none.
    places: Vec<u32>,
}

impl<'f, 'a> RegionBuilder<'f, 'a> {
    fn block(&self, index: BlockIndex) -> &'f Block<'a> {
        &self.function.blocks[index]
    }

    fn find(&self, instruction: &Instruction<'_>, label: Id) -> Result<BlockIndex> {
        let is_here = |at: &BlockIndex| {
            let block = self.function.blocks.get(*at);
            block.is_some_and(|block| block.label == label)
        };
        let found = self.spirv.block_of(label).filter(is_here);
        found.ok_or_else(|| instruction.invalid(format!("{label} is no block of the function")))
    }

    /// The regions from block `start` until `end` is reached or the construct is left.
    fn region(&mut self, start: BlockIndex, end: Option<BlockIndex>) -> Result<List> {
        let mut regions = List::default();
        self.append_region(start, end, &mut regions)?;
        Ok(regions)
    }

    fn append_region(
        &mut self,
        start: BlockIndex,
        end: Option<BlockIndex>,
        regions: &mut List,
    ) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let end = &self.block(start).terminator();
            return Err(end.unsupported(format!("control flow nested deeper than {MAX_DEPTH}")));
        }
        let mut next = Some(start);
        while let Some(at) = next {
            next = match self.block(at).merge() {
                Some(Merge::Loop {
                    merge,
                    continuing,
                    instruction,
                }) => {
                    let merge = self.find(&instruction, merge)?;
                    let continuing = self.find(&instruction, continuing)?;
                    let loop_region = self.loop_region(at, merge, continuing)?;
                    self.arena.push(regions, loop_region);
                    self.branch(merge, end, regions)
                }
                _ => self.block_region(at, end, regions)?,
            };
        }
        self.depth -= 1;
        Ok(())
    }

    /// Appends a block and the region of its terminator. Returns the block with which the list continues.
    fn block_region(
        &mut self,
        at: BlockIndex,
        end: Option<BlockIndex>,
        regions: &mut List,
    ) -> Result<Option<BlockIndex>> {
        let block = self.block(at);
        let terminator = &block.terminator();
        if std::mem::replace(&mut self.is_placed[at], true) {
            let message = format!(
                "{} is reached in a way that structured control flow does not allow",
                block.label
            );
            return Err(ReadError::invalid(message).at(terminator.offset, Some(terminator.op)));
        }
        self.arena.push(regions, Region::Block(at));
        match terminator.op {
            Op::Branch => {
                let to = self.find(terminator, terminator.id(0)?)?;
                self.edge(at, to, regions);
                Ok(self.branch(to, end, regions))
            }
            Op::BranchConditional => {
                let accept = self.find(terminator, terminator.id(1)?)?;
                let reject = self.find(terminator, terminator.id(2)?)?;
                self.conditional(at, [accept, reject], end, regions)
            }
            Op::Switch => self.switch(at, end, regions),
            _ => {
                self.arena.push(regions, Region::Terminator(at));
                Ok(None)
            }
        }
    }

    /// Appends the phi assignments of an edge, if its target has phis.
    fn edge(&mut self, from: BlockIndex, to: BlockIndex, regions: &mut List) {
        if self.block(to).has_phis() {
            self.arena.push(regions, Region::Edge { from, to });
        }
    }

    fn branch(
        &mut self,
        to: BlockIndex,
        end: Option<BlockIndex>,
        regions: &mut List,
    ) -> Option<BlockIndex> {
        match self.jump(to, end) {
            Jump::Inline => return Some(to),
            Jump::Exit(construct, kind) => self.arena.push(regions, Region::Exit(construct, kind)),
            Jump::Merge => {}
        }
        None
    }

    fn jump(&self, to: BlockIndex, end: Option<BlockIndex>) -> Jump {
        if end == Some(to) {
            return Jump::Merge;
        }
        for &index in self.enclosing.iter().rev() {
            match &self.constructs[index] {
                Construct::Selection { merge } | Construct::Loop { merge, .. } if *merge == to => {
                    return Jump::Exit(index, ExitKind::Break);
                }
                Construct::Loop { continuing, .. } if *continuing == to => {
                    return Jump::Exit(index, ExitKind::Continue);
                }
                Construct::Case { targets } => {
                    let targets = &self.targets[targets.clone()];
                    if let Ok(at) = targets.binary_search_by_key(&to, |(block, _)| *block) {
                        return Jump::Exit(index, ExitKind::Fallthrough(targets[at].1));
                    }
                }
                _ => {}
            }
        }
        Jump::Inline
    }

    fn enter(&mut self, construct: Construct) -> ConstructIndex {
        self.constructs.push(construct);
        self.enclosing.push(self.constructs.len() - 1);
        self.constructs.len() - 1
    }

    /// One arm of a condition, up to `end`.
    fn arm(&mut self, from: BlockIndex, to: BlockIndex, end: Option<BlockIndex>) -> Result<List> {
        let mut regions = List::default();
        self.edge(from, to, &mut regions);
        if let Some(next) = self.branch(to, end, &mut regions) {
            self.append_region(next, end, &mut regions)?;
        }
        Ok(regions)
    }

    fn conditional(
        &mut self,
        at: BlockIndex,
        [accept, reject]: [BlockIndex; 2],
        end: Option<BlockIndex>,
        regions: &mut List,
    ) -> Result<Option<BlockIndex>> {
        if let Some(Merge::Selection { merge, instruction }) = self.block(at).merge() {
            let merge = self.find(&instruction, merge)?;
            let construct = self.enter(Construct::Selection { merge });
            let both = Region::If {
                block: at,
                accept: self.arm(at, accept, Some(merge))?,
                reject: self.arm(at, reject, Some(merge))?,
            };
            self.enclosing.pop();
            let both = self.arena.one(both);
            self.arena.push(regions, Region::Construct(construct, both));
            return Ok(self.branch(merge, end, regions));
        }
        if accept == reject {
            self.edge(at, accept, regions);
            return Ok(self.branch(accept, end, regions));
        }
        // If one arm leaves the construct, the other one is the code after the condition.
        let jumps = [accept, reject].map(|to| match self.jump(to, end) {
            // A branch to the continue target at the end of a loop body leaves too, although control would get there
            // anyway.
            Jump::Merge => match self.jump(to, None) {
                exit @ Jump::Exit(_, ExitKind::Continue) => exit,
                _ => Jump::Merge,
            },
            kind => kind,
        });
        let (left, to) = match jumps {
            [Jump::Exit(construct, kind), Jump::Inline] => (Some((true, construct, kind)), reject),
            [Jump::Inline, Jump::Exit(construct, kind)] => (Some((false, construct, kind)), accept),
            _ => (None, accept),
        };
        if let Some((is_accept, construct, kind)) = left {
            let left = if is_accept { accept } else { reject };
            let mut leave = List::default();
            self.edge(at, left, &mut leave);
            self.arena.push(&mut leave, Region::Exit(construct, kind));
            let (accept, reject) = if is_accept {
                (leave, List::default())
            } else {
                (List::default(), leave)
            };
            let leaving = Region::If {
                block: at,
                accept,
                reject,
            };
            self.arena.push(regions, leaving);
            self.edge(at, to, regions);
            return Ok(Some(to));
        }
        let accept = self.arm(at, accept, end)?;
        let reject = self.arm(at, reject, end)?;
        let both = Region::If {
            block: at,
            accept,
            reject,
        };
        self.arena.push(regions, both);
        Ok(None)
    }

    fn switch(
        &mut self,
        at: BlockIndex,
        end: Option<BlockIndex>,
        regions: &mut List,
    ) -> Result<Option<BlockIndex>> {
        let block = self.block(at);
        let terminator = &block.terminator();
        let Some(Merge::Selection { merge, instruction }) = block.merge() else {
            return Err(terminator.invalid("it has no OpSelectionMerge"));
        };
        let merge = self.find(&instruction, merge)?;
        let groups = self.groups(terminator)?;
        let first = self.targets.len();
        // Targets outside the switch are exits, not fallthrough.
        let numbered = (0..).zip(&groups);
        let inside =
            numbered.filter(|(_, group)| matches!(self.jump(group.to, Some(merge)), Jump::Inline));
        let inside: Vec<_> = inside.map(|(case, group)| (group.to, case)).collect();
        self.targets.extend(inside);
        self.targets[first..].sort_unstable();
        let targets = first..self.targets.len();
        let construct = self.enter(Construct::Selection { merge });
        let mut cases = Vec::with_capacity(groups.len());
        for group in groups {
            let to = group.to;
            // The entry into a case is not fallthrough, so it is classified before the case is entered.
            let outside = self.jump(to, Some(merge));
            let case = self.enter(Construct::Case {
                targets: targets.clone(),
            });
            let body = match outside {
                Jump::Merge => List::default(),
                Jump::Exit(construct, kind) => self.arena.one(Region::Exit(construct, kind)),
                Jump::Inline => self.region(to, Some(merge))?,
            };
            self.enclosing.pop();
            cases.push(RegionCase {
                values: group.values,
                is_default: group.is_default,
                construct: case,
                phis: self.block(to).has_phis().then_some(to),
                body,
            });
        }
        self.enclosing.pop();
        let switch = Region::Switch {
            construct,
            block: at,
            cases,
        };
        self.arena.push(regions, switch);
        Ok(self.branch(merge, end, regions))
    }

    /// The cases of a switch, grouped by target block.
    fn groups(&mut self, terminator: &Instruction<'_>) -> Result<Vec<Group>> {
        let words = (self.selector_words)(terminator.id(0)?);
        let operands = terminator.operands.get(2..).unwrap_or_default();
        let (chunks, rest) = (
            operands.chunks_exact(words + 1),
            operands.len() % (words + 1),
        );
        if rest != 0 {
            return Err(terminator.invalid("its last case is incomplete"));
        }
        let mut groups: Vec<Group> = Vec::new();
        self.places.resize(self.function.blocks.len(), 0);
        for chunk in chunks {
            let to = self.find(terminator, Id(chunk[words]))?;
            let high = if words == 2 { chunk[1] } else { 0 };
            let value = u64::from(chunk[0]) | u64::from(high) << 32;
            self.group(to, &mut groups).values.push(value);
        }
        let default = self.find(terminator, terminator.id(1)?)?;
        self.group(default, &mut groups).is_default = true;
        for group in &groups {
            self.places[group.to] = 0;
        }
        Ok(groups)
    }

    /// The group with this target block.
    fn group<'g>(&mut self, to: BlockIndex, groups: &'g mut Vec<Group>) -> &'g mut Group {
        let place = &mut self.places[to];
        if *place == 0 {
            groups.push(Group {
                to,
                values: Vec::new(),
                is_default: false,
            });
            *place = groups.len() as u32;
        }
        &mut groups[*place as usize - 1]
    }

    fn loop_region(
        &mut self,
        header: BlockIndex,
        merge: BlockIndex,
        continuing: BlockIndex,
    ) -> Result<Region> {
        let construct = self.enter(Construct::Loop {
            merge,
            continuing,
            body: None,
        });
        let mut break_if = None;
        let mut again = List::default();
        if continuing != header {
            again = self.region(continuing, Some(header))?;
            break_if = self.take_break_if(&mut again, construct);
        }
        let is_plain = exits_at_end_only(&self.arena, again);
        if !is_plain {
            self.constructs.push(Construct::LoopBody);
            let body = Some(self.constructs.len() - 1);
            self.constructs[construct] = Construct::Loop {
                merge,
                continuing,
                body,
            };
            if let Some((block, is)) = break_if.take() {
                self.give_break_if(&mut again, construct, block, is);
            }
        }
        // The body ends at the continue target, which may be the header itself.
        let mut body = List::default();
        self.depth += 1;
        let mut next = self.block_region(header, Some(continuing), &mut body)?;
        while let Some(at) = next {
            next = None;
            self.append_region(at, Some(continuing), &mut body)?;
        }
        self.depth -= 1;
        self.enclosing.pop();
        if let Construct::Loop {
            body: Some(inner), ..
        } = self.constructs[construct]
        {
            body = self.arena.one(Region::Construct(inner, body));
            self.arena.append(&mut body, std::mem::take(&mut again));
        }
        Ok(Region::Loop {
            construct,
            body,
            continuing: again,
            break_if,
        })
    }

    /// If a list ends with a condition that either leaves the loop or continues it, removes the condition and returns
    /// it as a `break if`.
    fn take_break_if(
        &mut self,
        regions: &mut List,
        construct: ConstructIndex,
    ) -> Option<(BlockIndex, bool)> {
        let Some(&Region::If {
            block,
            accept,
            reject,
        }) = self.arena.last(*regions)
        else {
            return None;
        };
        let [accepting, rejecting] = [accept, reject].map(|arm| self.arm_end(arm, construct));
        let (yes, no, is) = match (accepting?, rejecting?) {
            ((yes, true), (no, false)) => (yes, no, true),
            ((yes, false), (no, true)) => (yes, no, false),
            _ => return None,
        };
        let left = if is { accept } else { reject };
        if let Some(exit) = self.arena.last_mut(left) {
            *exit = Region::Removed;
        }
        // The two targets have different phi variables, so both can be assigned on either path.
        if let Some(last) = self.arena.last_mut(*regions) {
            *last = yes;
        }
        self.arena.push(regions, no);
        Some((block, is))
    }

    /// The edge of an arm that has at most an edge and a break, and whether it breaks out of the loop; `None` for any
    /// other arm.
    fn arm_end(&self, arm: List, construct: ConstructIndex) -> Option<(Region, bool)> {
        let mut regions = self.arena.iter(arm).peekable();
        let edge = match regions.peek() {
            Some(&&Region::Edge { from, to }) => {
                regions.next();
                Region::Edge { from, to }
            }
            _ => Region::Removed,
        };
        match (regions.next(), regions.next()) {
            (None, _) => Some((edge, false)),
            (Some(Region::Exit(left, ExitKind::Break)), None) if *left == construct => {
                Some((edge, true))
            }
            _ => None,
        }
    }

    /// Reverts [`take_break_if`](Self::take_break_if), except for the edges.
    fn give_break_if(
        &mut self,
        regions: &mut List,
        construct: ConstructIndex,
        block: BlockIndex,
        is: bool,
    ) {
        let leave = self.arena.one(Region::Exit(construct, ExitKind::Break));
        let (accept, reject) = if is {
            (leave, List::default())
        } else {
            (List::default(), leave)
        };
        let leaving = Region::If {
            block,
            accept,
            reject,
        };
        self.arena.push(regions, leaving);
    }
}

struct Group {
    to: BlockIndex,
    values: Vec<u64>,
    is_default: bool,
}

/// Whether control leaves a list only at its end: all its exits leave constructs inside it.
fn exits_at_end_only(arena: &ListArena<Region>, regions: List) -> bool {
    fn look(arena: &ListArena<Region>, regions: List, inside: &mut Vec<ConstructIndex>) -> bool {
        arena.iter(regions).all(|region| match region {
            Region::Removed | Region::Block(_) | Region::Edge { .. } | Region::SelectCase(..) => {
                true
            }
            Region::Terminator(_) => false,
            Region::Exit(construct, _) => inside.contains(construct),
            Region::If { accept, reject, .. } => {
                look(arena, *accept, inside) && look(arena, *reject, inside)
            }
            Region::Construct(construct, regions) => {
                inside.push(*construct);
                look(arena, *regions, inside)
            }
            Region::Switch {
                construct, cases, ..
            } => {
                inside.push(*construct);
                inside.extend(cases.iter().map(|case| case.construct));
                cases.iter().all(|case| look(arena, case.body, inside))
            }
            Region::Loop {
                construct,
                body,
                continuing,
                ..
            } => {
                inside.push(*construct);
                look(arena, *body, inside) && look(arena, *continuing, inside)
            }
        })
    }
    look(arena, regions, &mut Vec::new())
}
