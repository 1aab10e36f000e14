//! Which values are used outside of the braces in which they are computed.

use rspirv::spirv::Op;

use crate::maps::HashSet;
use crate::module::{Crossing, Function, Id, Module};
use crate::read::structure::{BlockIndex, BreakIf, List, Node, Structure, Tree};

/// A pair of braces.
type Scope = u32;

/// Pairs of braces are numbered in the order in which they open.
struct Finder<'t> {
    tree: &'t Tree<Node>,
    /// The last pair inside of each.
    last: Vec<Scope>,
    /// Where each block stands.
    blocks: Vec<Option<Scope>>,
    /// Where the end of a block is looked at: its condition, or what it hands to phis.
    ends: Vec<(BlockIndex, Scope)>,
    edges: Vec<(BlockIndex, BlockIndex, Scope)>,
}

/// The values that have to be kept in variables.
///
/// `is_found_again` says of which types values are followed where they are used.
pub(crate) fn escaping(
    spirv: &Module<'_>,
    function: &Function<'_>,
    structure: &Structure,
    is_found_again: &dyn Fn(Id) -> bool,
) -> HashSet<Id> {
    let mut escaping = HashSet::default();
    // What the end of a block uses is in the braces around the block, or in some inside of them.
    if !function.is_crossed {
        return escaping;
    }
    let mut finder = Finder {
        tree: &structure.tree,
        last: vec![0],
        blocks: vec![None; function.blocks.len()],
        ends: Vec::new(),
        edges: Vec::new(),
    };
    finder.list(structure.nodes, 0);
    if finder.last.len() == 1 {
        return escaping;
    }
    finder.last[0] = finder.last.len() as Scope - 1;
    // Once for each pair of braces, also where a broken module's pointer is made of itself.
    let mut seen = HashSet::default();
    let mut open = Vec::new();
    let mut used = |id: Id, scope: Scope| {
        let mut next = Some(id);
        while let Some(id) = next {
            next = open.pop();
            let Some(block) = spirv.block_defining(function, id) else {
                continue;
            };
            // What is made in the same braces is known there: a pointer uses its parts itself.
            let from = finder.blocks[block];
            if from == Some(scope) {
                continue;
            }
            let Ok(made) = spirv.definition(id) else {
                continue;
            };
            // A pointer is followed where it is used, and what it is made of is used there, too.
            let is_copied = matches!(made.op, Op::Load | Op::CopyObject);
            if is_chain(made.op) || is_copied && made.result_type.is_some_and(is_found_again) {
                if seen.insert((id, scope)) {
                    made.each_used(|part| open.push(part));
                    next = next.or_else(|| open.pop());
                }
                continue;
            }
            if from.is_some_and(|from| !finder.is_inside(scope, from)) {
                escaping.insert(id);
            }
        }
    };
    for Crossing { id, block } in &function.crossing {
        if let Some(scope) = finder.blocks[*block as usize] {
            used(*id, scope);
        }
    }
    for (index, scope) in &finder.ends {
        let end = function.blocks[*index].terminator();
        // What else it names are labels.
        if matches!(end.op, Op::BranchConditional | Op::Switch | Op::ReturnValue) {
            let id = end.ids(0).next();
            // Mostly the block itself makes it, right before its end.
            let is_here = |id: &Id| {
                let block = &function.blocks[*index];
                finder.blocks[*index] == Some(*scope) && spirv.is_defined_in(block, *id)
            };
            id.filter(|id| !is_here(id))
                .into_iter()
                .for_each(|id| used(id, *scope));
        }
    }
    for (from, to, scope) in &finder.edges {
        let label = function.blocks[*from].label;
        for phi in function.blocks[*to].phis() {
            let pairs = phi.operands.chunks_exact(2);
            let taken = pairs.filter(|pair| Id(pair[1]) == label);
            taken.for_each(|pair| used(Id(pair[0]), *scope));
        }
    }
    escaping
}

/// Whether an instruction makes a pointer or something else that is only found where it is used.
fn is_chain(op: Op) -> bool {
    matches!(
        op,
        Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::ImageTexelPointer
            | Op::SampledImage
            | Op::Image
    )
}

impl Finder<'_> {
    fn is_inside(&self, scope: Scope, around: Scope) -> bool {
        (around..=self.last[around as usize]).contains(&scope)
    }

    /// Opens a pair of braces.
    fn open(&mut self) -> Scope {
        self.last.push(0);
        self.last.len() as Scope - 1
    }

    fn close(&mut self, scope: Scope) {
        self.last[scope as usize] = self.last.len() as Scope - 1;
    }

    fn inner(&mut self, nodes: List) {
        let scope = self.open();
        self.list(nodes, scope);
        self.close(scope);
    }

    fn list(&mut self, nodes: List, scope: Scope) {
        let tree = self.tree;
        for node in tree.iter(nodes) {
            match node {
                Node::Block(block) => {
                    self.blocks[*block] = Some(scope);
                }
                Node::Edge { from, to } => self.edges.push((*from, *to, scope)),
                Node::If {
                    block,
                    accept,
                    reject,
                } => {
                    self.ends.push((*block, scope));
                    self.inner(*accept);
                    self.inner(*reject);
                }
                Node::Switch { block, cases } => {
                    self.ends.push((*block, scope));
                    for case in cases {
                        self.inner(case.body);
                    }
                }
                Node::Once(nodes) | Node::IfSet(_, _, nodes) => self.inner(*nodes),
                Node::Loop {
                    body,
                    continuing,
                    break_if,
                } => {
                    // What follows in `continuing` sees what the body has.
                    let inside = self.open();
                    self.list(*body, inside);
                    self.list(*continuing, inside);
                    self.close(inside);
                    if let BreakIf::Condition { block, .. } = break_if {
                        self.ends.push((*block, inside));
                    }
                }
                Node::Leave(block) => self.ends.push((*block, scope)),
                Node::Break | Node::Continue | Node::Set(..) => {}
            }
        }
    }
}
