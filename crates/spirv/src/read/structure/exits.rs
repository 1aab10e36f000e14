//! Lowers branches out of constructs to `break` and `continue`.
//!
//! In: [`Shapes`], in which each branch names the construct that it leaves. Out: [`Structure`]. WGSL's `break` leaves
//! the innermost loop or switch and nothing else. Another construct that a branch leaves becomes a [`Node::Once`]; a
//! branch out of several constructs sets a flag and breaks out of the innermost one, after which the flag is tested
//! and the exit continues outwards.

use std::collections::BTreeMap;

use super::falls::{self, Falls};
use super::shape::{Construct, ConstructIndex, ExitKind, Shape, ShapeCase, Shapes};
use super::{BreakIf, Case, Flag, List, Node, Structure, Tree};

/// Lowers all exits. `size` returns the size of a block in words.
pub(super) fn resolve(shapes: Shapes, size: &dyn Fn(usize) -> usize) -> Structure {
    let Shapes {
        constructs,
        tree,
        shapes,
    } = shapes;
    let mut exits = vec![0; constructs.len()];
    let mut falls = Falls::default();
    for shape in tree.all() {
        if let Shape::Exit(construct, way) = shape {
            match target(&constructs, *construct, *way) {
                (construct, ExitKind::Break) => exits[construct] += 1,
                (construct, ExitKind::Fall(case)) => {
                    falls.entry(construct).or_default().push(case as usize);
                }
                (_, ExitKind::Continue) => {}
            }
        }
    }
    let mut resolver = Resolver {
        constructs,
        nodes: Tree::new(tree.all().count()),
        shapes: tree,
        size,
        exits,
        falls,
        around: Vec::new(),
        flags: BTreeMap::new(),
        cases: BTreeMap::new(),
        next_flag: 0,
    };
    let nodes = resolver.list(shapes);
    Structure {
        tree: resolver.nodes,
        nodes,
    }
}

/// The construct that a jump really leaves: if the body of a loop is a construct of its own, `continue` is a break out
/// of that body.
fn target(
    constructs: &[Construct],
    construct: ConstructIndex,
    way: ExitKind,
) -> (ConstructIndex, ExitKind) {
    match (&constructs[construct], way) {
        (
            Construct::Loop {
                body: Some(body), ..
            },
            ExitKind::Continue,
        ) => (*body, ExitKind::Break),
        _ => (construct, way),
    }
}

/// An enclosing statement that `break` leaves.
struct Around {
    construct: ConstructIndex,
    is_loop: bool,
    /// Exits that continue outwards after this statement.
    onward: Vec<(ConstructIndex, ExitKind)>,
}

pub(super) struct Resolver<'s> {
    constructs: Vec<Construct>,
    pub(super) shapes: Tree<Shape>,
    nodes: Tree<Node>,
    pub(super) size: &'s dyn Fn(usize) -> usize,
    /// The number of `break`s out of each construct.
    pub(super) exits: Vec<usize>,
    pub(super) falls: Falls,
    around: Vec<Around>,
    flags: BTreeMap<(ConstructIndex, ExitKind), Flag>,
    /// The flag that selects the case to execute, by the construct of the case.
    cases: BTreeMap<ConstructIndex, Flag>,
    next_flag: u32,
}

impl Resolver<'_> {
    fn new_flag(&mut self) -> Flag {
        self.next_flag += 1;
        Flag(self.next_flag - 1)
    }

    fn list(&mut self, shapes: List) -> List {
        let mut nodes = List::default();
        self.append(shapes, &mut nodes);
        nodes
    }

    fn append(&mut self, shapes: List, nodes: &mut List) {
        let mut shapes = shapes;
        while let Some(shape) = self.shapes.take_first(&mut shapes) {
            self.shape(shape, nodes);
        }
    }

    fn push(&mut self, nodes: &mut List, node: Node) {
        self.nodes.push(nodes, node);
    }

    fn shape(&mut self, shape: Shape, nodes: &mut List) {
        match shape {
            Shape::Gone => {}
            Shape::Block(block) => self.push(nodes, Node::Block(block)),
            Shape::Edge { from, to } => self.push(nodes, Node::Edge { from, to }),
            Shape::Leave(block) => self.push(nodes, Node::Leave(block)),
            Shape::Exit(construct, way) => self.exit(construct, way, nodes),
            Shape::Choose(case, number) => {
                if let Some(flag) = self.cases.get(&case).copied() {
                    self.push(nodes, Node::Set(flag, number));
                }
            }
            Shape::If {
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
            Shape::Inside(construct, shapes) => {
                if self.exits[construct] == 0 {
                    return self.append(shapes, nodes);
                }
                self.leavable(construct, false, nodes, |it| Node::Once(it.list(shapes)));
            }
            Shape::Switch {
                construct,
                block,
                cases,
            } => self.switch(construct, block, cases, nodes),
            Shape::Loop {
                construct,
                body,
                continuing,
                break_if,
            } => {
                let is_endless = break_if.is_none()
                    && self.exits[construct] == 0
                    && !leaves(&self.shapes, body, construct);
                self.leavable(construct, true, nodes, |it| Node::Loop {
                    body: it.list(body),
                    continuing: it.list(continuing),
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
    fn leavable(
        &mut self,
        construct: ConstructIndex,
        is_loop: bool,
        nodes: &mut List,
        make: impl FnOnce(&mut Self) -> Node,
    ) {
        self.around.push(Around {
            construct,
            is_loop,
            onward: Vec::new(),
        });
        let node = make(self);
        self.push(nodes, node);
        let onward = self.around.pop().map(|around| around.onward);
        for (construct, way) in onward.unwrap_or_default() {
            let flag = self.flags[&(construct, way)];
            let mut further = List::default();
            self.exit(construct, way, &mut further);
            self.push(nodes, Node::IfSet(flag, 1, further));
        }
    }

    fn exit(&mut self, construct: ConstructIndex, way: ExitKind, nodes: &mut List) {
        let (construct, way) = target(&self.constructs, construct, way);
        if let (ExitKind::Fall(case), Some(flag)) = (way, self.cases.get(&construct).copied()) {
            // The flag is set even if the jump leaves further constructs on its way to the case.
            self.push(nodes, Node::Set(flag, case));
        }
        let innermost_loop = self.around.iter().rev().find(|around| around.is_loop);
        let arrives = match way {
            ExitKind::Continue => {
                innermost_loop.is_some_and(|around| around.construct == construct)
            }
            ExitKind::Break | ExitKind::Fall(_) => {
                let innermost = self.around.last();
                innermost.is_some_and(|around| around.construct == construct)
            }
        };
        if arrives {
            if let Some(flag) = self.flags.get(&(construct, way)).copied() {
                self.push(nodes, Node::Set(flag, 0));
            }
            let jump = match way {
                ExitKind::Continue => Node::Continue,
                ExitKind::Break | ExitKind::Fall(_) => Node::Break,
            };
            self.push(nodes, jump);
            return;
        }
        let known = self.flags.get(&(construct, way)).copied();
        let flag = known.unwrap_or_else(|| self.new_flag());
        self.flags.insert((construct, way), flag);
        self.push(nodes, Node::Set(flag, 1));
        if let Some(innermost) = self.around.last_mut() {
            if !innermost.onward.contains(&(construct, way)) {
                innermost.onward.push((construct, way));
            }
            self.push(nodes, Node::Break);
        }
    }

    /// The prologue of a case: the assignment of its phis.
    fn case_entry(&mut self, from: usize, case: &ShapeCase) -> List {
        match case.phis {
            Some(to) => self.nodes.one(Node::Edge { from, to }),
            None => List::default(),
        }
    }

    fn switch(
        &mut self,
        construct: ConstructIndex,
        block: usize,
        cases: Vec<ShapeCase>,
        nodes: &mut List,
    ) {
        let falls = |case: &ShapeCase| self.falls.contains_key(&case.construct);
        if !cases.iter().any(falls) {
            let order = (0..cases.len()).map(|case| (case, false)).collect();
            return self.plain_switch(construct, block, cases, order, nodes);
        }
        if let Some(order) = self.falling_cases(&cases) {
            let mut cases = cases;
            for (number, falls) in &order {
                let case = &mut cases[*number];
                if *falls {
                    self.fall_off(&mut case.body, case.construct, construct);
                }
            }
            return self.plain_switch(construct, block, cases, order, nodes);
        }
        self.numbered_switch(construct, block, cases, nodes);
    }

    /// A switch without flags. `order` has the case indices, and for each whether it falls through into the next.
    fn plain_switch(
        &mut self,
        construct: ConstructIndex,
        block: usize,
        cases: Vec<ShapeCase>,
        order: Vec<(usize, bool)>,
        nodes: &mut List,
    ) {
        self.leavable(construct, false, nodes, |it| {
            let mut cases: Vec<_> = cases.into_iter().map(Some).collect();
            let cases = order.into_iter().filter_map(|(number, falls_through)| {
                let case = cases[number].take()?;
                let mut body = it.case_entry(block, &case);
                it.append(case.body, &mut body);
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
    fn numbered_switch(
        &mut self,
        construct: ConstructIndex,
        block: usize,
        cases: Vec<ShapeCase>,
        nodes: &mut List,
    ) {
        let flag = self.new_flag();
        let order = falls::order(&cases, &self.falls);
        let mut begins = Vec::new();
        let mut bodies = BTreeMap::new();
        for (number, case) in cases.into_iter().enumerate() {
            self.cases.insert(case.construct, flag);
            let mut entry = self.case_entry(block, &case);
            self.push(&mut entry, Node::Set(flag, number as u32));
            let mut body = case.body;
            // Jumps at the end of a case can be dropped.
            let is_left = self.end_case(&mut body, case.construct, construct);
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
        let conditions = |it: &mut Self| {
            let mut inner = List::default();
            for number in order {
                let Some((case, mut body, is_left)) = bodies.remove(&number) else {
                    continue;
                };
                let mut nodes = List::default();
                if is_left {
                    // The body becomes a `Once`, so its end has to break out of the switch explicitly.
                    let last = it.shapes.last(body);
                    if !matches!(last, Some(Shape::Exit(..) | Shape::Leave(_))) {
                        it.shapes
                            .push(&mut body, Shape::Exit(construct, ExitKind::Break));
                    }
                    it.leavable(case, false, &mut nodes, |it| Node::Once(it.list(body)));
                } else {
                    nodes = it.list(body);
                }
                if !nodes.is_empty() {
                    it.push(&mut inner, Node::IfSet(flag, number as u32, nodes));
                }
            }
            inner
        };
        if self.exits[construct] == 0 {
            let inner = conditions(self);
            self.nodes.append(nodes, inner);
        } else {
            self.leavable(construct, false, nodes, |it| Node::Once(conditions(it)));
        }
    }
}

/// Whether a path in the body of a loop leaves the loop by something other than a break out of it.
fn leaves(tree: &Tree<Shape>, shapes: List, construct: ConstructIndex) -> bool {
    tree.iter(shapes).any(|shape| match shape {
        Shape::Leave(_) => true,
        Shape::Gone | Shape::Block(_) | Shape::Edge { .. } | Shape::Choose(..) => false,
        // Enclosing constructs were entered first, so they have lower indices.
        Shape::Exit(left, _) => *left < construct,
        Shape::If { accept, reject, .. } => {
            leaves(tree, *accept, construct) || leaves(tree, *reject, construct)
        }
        Shape::Inside(_, shapes) => leaves(tree, *shapes, construct),
        Shape::Switch { cases, .. } => {
            let mut cases = cases.iter();
            cases.any(|case| leaves(tree, case.body, construct))
        }
        Shape::Loop {
            body, continuing, ..
        } => leaves(tree, *body, construct) || leaves(tree, *continuing, construct),
    })
}
