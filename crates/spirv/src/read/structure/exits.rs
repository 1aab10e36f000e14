//! Turns jumps out of constructs into `break` and `continue`.
//!
//! WGSL's `break` leaves the innermost loop or switch, and nothing else can be left. So what is left
//! otherwise becomes something that runs once and can be; and a jump that leaves several at once sets a
//! flag, leaves the innermost, and goes on behind it if the flag is set.

use std::collections::BTreeMap;

use super::falls::{self, Falls};
use super::shape::{Construct, ConstructIndex, ExitKind, Shape, ShapeCase, Shapes};
use super::{BreakIf, Case, Flag, List, Node, Structure, Tree};

/// `size` says how long a block is, in words.
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

/// Where a loop's body is a construct of its own, to continue is to leave that.
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

/// Something around that `break` leaves.
struct Around {
    construct: ConstructIndex,
    is_loop: bool,
    /// Jumps that go on behind it.
    onward: Vec<(ConstructIndex, ExitKind)>,
}

pub(super) struct Resolver<'s> {
    constructs: Vec<Construct>,
    pub(super) shapes: Tree<Shape>,
    nodes: Tree<Node>,
    pub(super) size: &'s dyn Fn(usize) -> usize,
    /// How many jumps leave each construct by `break`.
    pub(super) exits: Vec<usize>,
    pub(super) falls: Falls,
    around: Vec<Around>,
    flags: BTreeMap<(ConstructIndex, ExitKind), Flag>,
    /// The flag that says which case runs, by the case's construct.
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

    /// Makes something that `break` leaves, and what follows for jumps that leave more than it.
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
            // Whatever else the jump leaves, this is where it arrives.
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

    /// What runs on the way into a case.
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

    /// A switch as it stands: the numbers of its cases in their order, and which go on with the next.
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

    /// WGSL's cases do not fall through: one switch says where to begin, and conditions in the order of
    /// falling do the rest.
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
            // At the end of a case nothing has to be left.
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
                    // The end of what runs once is not the end of the case.
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

/// Whether something in the body of a loop leaves it for good.
fn leaves(tree: &Tree<Shape>, shapes: List, construct: ConstructIndex) -> bool {
    tree.iter(shapes).any(|shape| match shape {
        Shape::Leave(_) => true,
        Shape::Gone | Shape::Block(_) | Shape::Edge { .. } | Shape::Choose(..) => false,
        // What is around was entered before, and has a lower number.
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
