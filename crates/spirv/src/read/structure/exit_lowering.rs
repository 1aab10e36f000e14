//! Lowers branches out of constructs to `break` and `continue`.
//!
//! In: [`Regions`], in which each branch names the construct that it leaves. Out: [`Structure`]. WGSL's `break` leaves
//! the innermost loop or switch and nothing else. Another construct that a branch leaves becomes a [`Node::Breakable`]; a
//! branch out of several constructs sets a flag and breaks out of the innermost one, after which the flag is tested
//! and the exit continues outwards.

use std::collections::BTreeMap;

use super::regions::{Construct, ConstructIndex, ExitKind, Region, RegionCase, Regions};
use super::switch_fallthrough::{self, FallthroughTargets};
use super::{BreakIf, Case, Flag, List, ListArena, Node, Structure};

/// Lowers all exits. `size` returns the size of a block in words.
pub(super) fn lower_exits(regions: Regions, size: &dyn Fn(usize) -> usize) -> Structure {
    let Regions {
        constructs,
        arena,
        regions,
    } = regions;
    let mut exits = vec![0; constructs.len()];
    let mut falls = FallthroughTargets::default();
    for region in arena.all() {
        if let Region::Exit(construct, kind) = region {
            match target(&constructs, *construct, *kind) {
                (construct, ExitKind::Break) => exits[construct] += 1,
                (construct, ExitKind::Fallthrough(case)) => {
                    falls.entry(construct).or_default().push(case as usize);
                }
                (_, ExitKind::Continue) => {}
            }
        }
    }
    let mut lowering = ExitLowering {
        constructs,
        nodes: ListArena::new(arena.all().count()),
        regions: arena,
        size,
        exits,
        falls,
        enclosing: Vec::new(),
        flags: BTreeMap::new(),
        cases: BTreeMap::new(),
        next_flag: 0,
    };
    let nodes = lowering.list(regions);
    Structure {
        arena: lowering.nodes,
        nodes,
    }
}

/// The construct that a jump really leaves: if the body of a loop is a construct of its own, `continue` is a break out
/// of that body.
fn target(
    constructs: &[Construct],
    construct: ConstructIndex,
    kind: ExitKind,
) -> (ConstructIndex, ExitKind) {
    match (&constructs[construct], kind) {
        (
            Construct::Loop {
                body: Some(body), ..
            },
            ExitKind::Continue,
        ) => (*body, ExitKind::Break),
        _ => (construct, kind),
    }
}

/// An enclosing statement that `break` leaves.
struct EnclosingStatement {
    construct: ConstructIndex,
    is_loop: bool,
    /// Exits that continue outwards after this statement.
    outer_exits: Vec<(ConstructIndex, ExitKind)>,
}

pub(super) struct ExitLowering<'s> {
    constructs: Vec<Construct>,
    pub(super) regions: ListArena<Region>,
    nodes: ListArena<Node>,
    pub(super) size: &'s dyn Fn(usize) -> usize,
    /// The number of `break`s out of each construct.
    pub(super) exits: Vec<usize>,
    pub(super) falls: FallthroughTargets,
    enclosing: Vec<EnclosingStatement>,
    flags: BTreeMap<(ConstructIndex, ExitKind), Flag>,
    /// The flag that selects the case to execute, by the construct of the case.
    cases: BTreeMap<ConstructIndex, Flag>,
    next_flag: u32,
}

impl ExitLowering<'_> {
    fn new_flag(&mut self) -> Flag {
        self.next_flag += 1;
        Flag(self.next_flag - 1)
    }

    fn list(&mut self, regions: List) -> List {
        let mut nodes = List::default();
        self.append(regions, &mut nodes);
        nodes
    }

    fn append(&mut self, regions: List, nodes: &mut List) {
        let mut regions = regions;
        while let Some(region) = self.regions.take_first(&mut regions) {
            self.region(region, nodes);
        }
    }

    fn push(&mut self, nodes: &mut List, node: Node) {
        self.nodes.push(nodes, node);
    }

    fn region(&mut self, region: Region, nodes: &mut List) {
        match region {
            Region::Removed => {}
            Region::Block(block) => self.push(nodes, Node::Block(block)),
            Region::Edge { from, to } => self.push(nodes, Node::Edge { from, to }),
            Region::Terminator(block) => self.push(nodes, Node::Terminator(block)),
            Region::Exit(construct, kind) => self.exit(construct, kind, nodes),
            Region::SelectCase(case, number) => {
                if let Some(flag) = self.cases.get(&case).copied() {
                    self.push(nodes, Node::SetFlag(flag, number));
                }
            }
            Region::If {
                block,
                accept,
                reject,
            } => {
                let accept = self.list(accept);
                let reject = self.list(reject);
                let both = Node::If {
                    block,
                    accept,
                    reject,
                };
                self.push(nodes, both);
            }
            Region::Construct(construct, regions) => {
                if self.exits[construct] == 0 {
                    return self.append(regions, nodes);
                }
                self.breakable(construct, false, nodes, |lowering| {
                    Node::Breakable(lowering.list(regions))
                });
            }
            Region::Switch {
                construct,
                block,
                cases,
            } => self.switch(construct, block, cases, nodes),
            Region::Loop {
                construct,
                body,
                continuing,
                break_if,
            } => {
                let is_endless = break_if.is_none()
                    && self.exits[construct] == 0
                    && !has_other_exit(&self.regions, body, construct);
                self.breakable(construct, true, nodes, |lowering| Node::Loop {
                    body: lowering.list(body),
                    continuing: lowering.list(continuing),
                    break_if: match break_if {
                        Some((block, is)) => BreakIf::Condition { block, is },
                        None if is_endless => BreakIf::Endless,
                        None => BreakIf::Never,
                    },
                });
            }
        }
    }

    /// Emits a statement that `break` leaves, followed by the flag tests for exits that leave more than it.
    fn breakable(
        &mut self,
        construct: ConstructIndex,
        is_loop: bool,
        nodes: &mut List,
        make: impl FnOnce(&mut Self) -> Node,
    ) {
        self.enclosing.push(EnclosingStatement {
            construct,
            is_loop,
            outer_exits: Vec::new(),
        });
        let node = make(self);
        self.push(nodes, node);
        let outer_exits = self.enclosing.pop().map(|enclosing| enclosing.outer_exits);
        for (construct, kind) in outer_exits.unwrap_or_default() {
            let flag = self.flags[&(construct, kind)];
            let mut further = List::default();
            self.exit(construct, kind, &mut further);
            self.push(nodes, Node::IfFlag(flag, 1, further));
        }
    }

    fn exit(&mut self, construct: ConstructIndex, kind: ExitKind, nodes: &mut List) {
        let (construct, kind) = target(&self.constructs, construct, kind);
        if let (ExitKind::Fallthrough(case), Some(flag)) =
            (kind, self.cases.get(&construct).copied())
        {
            // The flag is set even if the jump leaves further constructs on its way to the case.
            self.push(nodes, Node::SetFlag(flag, case));
        }
        let innermost_loop = self
            .enclosing
            .iter()
            .rev()
            .find(|enclosing| enclosing.is_loop);
        let arrives = match kind {
            ExitKind::Continue => {
                innermost_loop.is_some_and(|enclosing| enclosing.construct == construct)
            }
            ExitKind::Break | ExitKind::Fallthrough(_) => {
                let innermost = self.enclosing.last();
                innermost.is_some_and(|enclosing| enclosing.construct == construct)
            }
        };
        if arrives {
            if let Some(flag) = self.flags.get(&(construct, kind)).copied() {
                self.push(nodes, Node::SetFlag(flag, 0));
            }
            let jump = match kind {
                ExitKind::Continue => Node::Continue,
                ExitKind::Break | ExitKind::Fallthrough(_) => Node::Break,
            };
            self.push(nodes, jump);
            return;
        }
        let known = self.flags.get(&(construct, kind)).copied();
        let flag = known.unwrap_or_else(|| self.new_flag());
        self.flags.insert((construct, kind), flag);
        self.push(nodes, Node::SetFlag(flag, 1));
        if let Some(innermost) = self.enclosing.last_mut() {
            if !innermost.outer_exits.contains(&(construct, kind)) {
                innermost.outer_exits.push((construct, kind));
            }
            self.push(nodes, Node::Break);
        }
    }

    /// The prologue of a case: the assignment of its phis.
    fn case_entry(&mut self, from: usize, case: &RegionCase) -> List {
        match case.phis {
            Some(to) => self.nodes.one(Node::Edge { from, to }),
            None => List::default(),
        }
    }

    fn switch(
        &mut self,
        construct: ConstructIndex,
        block: usize,
        cases: Vec<RegionCase>,
        nodes: &mut List,
    ) {
        let falls = |case: &RegionCase| self.falls.contains_key(&case.construct);
        if !cases.iter().any(falls) {
            let order = (0..cases.len()).map(|case| (case, false)).collect();
            return self.plain_switch(construct, block, cases, order, nodes);
        }
        if let Some(order) = self.fallthrough_order(&cases) {
            let mut cases = cases;
            for (number, falls) in &order {
                let case = &mut cases[*number];
                if *falls {
                    self.remove_fallthrough(&mut case.body, case.construct, construct);
                }
            }
            return self.plain_switch(construct, block, cases, order, nodes);
        }
        self.flag_switch(construct, block, cases, nodes);
    }

    /// A switch without flags. `order` has the case indices, and for each whether it falls through into the next.
    fn plain_switch(
        &mut self,
        construct: ConstructIndex,
        block: usize,
        cases: Vec<RegionCase>,
        order: Vec<(usize, bool)>,
        nodes: &mut List,
    ) {
        self.breakable(construct, false, nodes, |lowering| {
            let mut cases: Vec<_> = cases.into_iter().map(Some).collect();
            let cases = order.into_iter().filter_map(|(number, falls_through)| {
                let case = cases[number].take()?;
                let mut body = lowering.case_entry(block, &case);
                lowering.append(case.body, &mut body);
                Some(Case {
                    values: case.values,
                    is_default: case.is_default,
                    body,
                    falls_through,
                })
            });
            let cases = cases.collect();
            Node::Switch { block, cases }
        });
    }

    /// A switch with fallthrough, which WGSL does not have: a switch that sets a flag to the index of the first case
    /// to execute, followed by one condition on the flag for each case, in topological order of the fallthrough.
    fn flag_switch(
        &mut self,
        construct: ConstructIndex,
        block: usize,
        cases: Vec<RegionCase>,
        nodes: &mut List,
    ) {
        let flag = self.new_flag();
        let order = switch_fallthrough::order(&cases, &self.falls);
        let mut begins = Vec::new();
        let mut bodies = BTreeMap::new();
        for (number, case) in cases.into_iter().enumerate() {
            self.cases.insert(case.construct, flag);
            let mut entry = self.case_entry(block, &case);
            self.push(&mut entry, Node::SetFlag(flag, number as u32));
            let mut body = case.body;
            // Jumps at the end of a case can be dropped.
            let is_left = self.lower_case_end(&mut body, case.construct, construct);
            self.exits[construct] += usize::from(is_left);
            begins.push(Case {
                values: case.values,
                is_default: case.is_default,
                body: entry,
                falls_through: false,
            });
            bodies.insert(number, (case.construct, body, is_left));
        }
        let cases = begins;
        self.push(nodes, Node::Switch { block, cases });
        let conditions = |lowering: &mut Self| {
            let mut inner = List::default();
            for number in order {
                let Some((case, mut body, is_left)) = bodies.remove(&number) else {
                    continue;
                };
                let mut nodes = List::default();
                if is_left {
                    // The body becomes a `Breakable`, so its end has to break out of the switch explicitly.
                    let last = lowering.regions.last(body);
                    if !matches!(last, Some(Region::Exit(..) | Region::Terminator(_))) {
                        lowering
                            .regions
                            .push(&mut body, Region::Exit(construct, ExitKind::Break));
                    }
                    lowering.breakable(case, false, &mut nodes, |lowering| {
                        Node::Breakable(lowering.list(body))
                    });
                } else {
                    nodes = lowering.list(body);
                }
                if !nodes.is_empty() {
                    lowering.push(&mut inner, Node::IfFlag(flag, number as u32, nodes));
                }
            }
            inner
        };
        if self.exits[construct] == 0 {
            let inner = conditions(self);
            self.nodes.append(nodes, inner);
        } else {
            self.breakable(construct, false, nodes, |lowering| {
                Node::Breakable(conditions(lowering))
            });
        }
    }
}

/// Whether a path in the body of a loop leaves the loop by something other than a break out of it.
fn has_other_exit(arena: &ListArena<Region>, regions: List, construct: ConstructIndex) -> bool {
    arena.iter(regions).any(|region| match region {
        Region::Terminator(_) => true,
        Region::Removed | Region::Block(_) | Region::Edge { .. } | Region::SelectCase(..) => false,
        // Enclosing constructs were entered first, so they have lower indices.
        Region::Exit(left, _) => *left < construct,
        Region::If { accept, reject, .. } => {
            has_other_exit(arena, *accept, construct) || has_other_exit(arena, *reject, construct)
        }
        Region::Construct(_, regions) => has_other_exit(arena, *regions, construct),
        Region::Switch { cases, .. } => {
            let mut cases = cases.iter();
            cases.any(|case| has_other_exit(arena, case.body, construct))
        }
        Region::Loop {
            body, continuing, ..
        } => {
            has_other_exit(arena, *body, construct) || has_other_exit(arena, *continuing, construct)
        }
    })
}
