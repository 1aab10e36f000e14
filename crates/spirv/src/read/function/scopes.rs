//! Which values are used outside of the braces in which they are computed.

use rspirv::spirv::Op;

use crate::maps::{FunctionMap, HashSet};
use crate::module::{Function, Id, Module};
use crate::read::structure::{BlockIndex, BreakIf, Node};

/// A pair of braces.
type Scope = u32;

/// Pairs of braces are numbered in the order in which they open.
struct Finder {
    /// The last pair inside of each.
    last: Vec<Scope>,
    /// Where each block stands.
    blocks: Vec<Option<Scope>>,
    /// Where the end of a block is looked at: its condition, or what it hands to phis.
    ends: Vec<(BlockIndex, Scope)>,
    edges: Vec<(BlockIndex, BlockIndex, Scope)>,
}

/// A value of the function. There are very many, so this is as little as can be.
#[derive(Clone, Copy)]
struct Made {
    /// The braces around its block; [`NOWHERE`] if that is not reached.
    scope: Scope,
    /// Whether it is followed to what it is made of.
    is_followed: bool,
}

const NOWHERE: Scope = Scope::MAX;

/// The values that have to be kept in variables.
///
/// `is_found_again` says of which types values are followed where they are used.
pub(crate) fn escaping(
    spirv: &Module<'_>,
    function: &Function<'_>,
    nodes: &[Node],
    is_found_again: &dyn Fn(Id) -> bool,
) -> HashSet<Id> {
    let mut finder = Finder {
        last: vec![0],
        blocks: vec![None; function.blocks.len()],
        ends: Vec::new(),
        edges: Vec::new(),
    };
    finder.list(nodes, 0);
    let mut escaping = HashSet::default();
    if finder.last.len() == 1 {
        return escaping;
    }
    finder.last[0] = finder.last.len() as Scope - 1;
    let mut defined = FunctionMap::of(function);
    for (block, scope) in function.blocks.iter().zip(&finder.blocks) {
        let scope = scope.unwrap_or(NOWHERE);
        for instruction in block.inside() {
            let Some(id) = instruction.result else {
                continue;
            };
            // A pointer is followed where it is used, and what it is made of is used there, too.
            let is_copied = matches!(instruction.op, Op::Load | Op::CopyObject);
            let is_followed = is_chain(instruction.op)
                || is_copied && instruction.result_type.is_some_and(is_found_again);
            defined.insert(id, Made { scope, is_followed });
        }
    }
    // Once for each pair of braces, also where a broken module's pointer is made of itself.
    let mut seen = HashSet::default();
    let mut open = Vec::new();
    let mut used = |id: Id, scope: Scope| {
        let mut next = Some(id);
        while let Some(id) = next {
            next = open.pop();
            let Some(made) = defined.get(&id).copied() else {
                continue;
            };
            // What is made in the same braces is known there: a pointer uses its parts itself.
            if made.scope == scope {
                continue;
            }
            if made.is_followed {
                if let Some(chain) = spirv
                    .definition(id)
                    .ok()
                    .filter(|_| seen.insert((id, scope)))
                {
                    chain.each_used(|part| open.push(part));
                    next = next.or_else(|| open.pop());
                }
                continue;
            }
            if made.scope != NOWHERE && !finder.is_inside(scope, made.scope) {
                escaping.insert(id);
            }
        }
    };
    for (block, scope) in function.blocks.iter().zip(&finder.blocks) {
        if let Some(scope) = *scope {
            for instruction in block.body() {
                instruction.each_used(|id| used(id, scope));
            }
        }
    }
    for (index, scope) in &finder.ends {
        let terminator = function.blocks[*index].terminator();
        terminator.each_used(|id| used(id, *scope));
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

impl Finder {
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

    fn inner(&mut self, nodes: &[Node]) {
        let scope = self.open();
        self.list(nodes, scope);
        self.close(scope);
    }

    fn list(&mut self, nodes: &[Node], scope: Scope) {
        for node in nodes {
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
                    self.inner(accept);
                    self.inner(reject);
                }
                Node::Switch { block, cases } => {
                    self.ends.push((*block, scope));
                    for case in cases {
                        self.inner(&case.body);
                    }
                }
                Node::Once(nodes) | Node::IfSet(_, _, nodes) => self.inner(nodes),
                Node::Loop {
                    body,
                    continuing,
                    break_if,
                } => {
                    // What follows in `continuing` sees what the body has.
                    let inside = self.open();
                    self.list(body, inside);
                    self.list(continuing, inside);
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
