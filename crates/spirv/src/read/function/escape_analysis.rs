//! Escape analysis: finds the values that are used outside the nested block in which they are computed.
//!
//! In: a function and its structured control flow. Out: the ids that have to be stored in local variables, because a
//! WGSL value is visible only in its own block and the blocks nested in it. Pointers, images and samplers never
//! escape: they are resolved again at each use.

use rspirv::spirv::Op;

use crate::maps::HashSet;
use crate::module::{CrossBlockUse, Function, Id, Module};
use crate::read::structure::{BlockIndex, BreakIf, List, ListArena, Node, Structure};

/// Index of a nested block of statements.
type Scope = u32;

/// Scopes are numbered in preorder.
struct EscapeAnalysis<'t> {
    arena: &'t ListArena<Node>,
    /// The last scope nested in each scope.
    last: Vec<Scope>,
    /// The scope of each block.
    blocks: Vec<Option<Scope>>,
    /// The scopes in which the operands of terminators and edges are evaluated.
    ends: Vec<(BlockIndex, Scope)>,
    edges: Vec<(BlockIndex, BlockIndex, Scope)>,
}

/// The values that must be kept in local variables.
///
/// `is_found_again` tells for a type id whether its values are resolved at their uses and never stored.
pub(crate) fn escaping(
    spirv: &Module<'_>,
    function: &Function<'_>,
    structure: &Structure,
    is_found_again: &dyn Fn(Id) -> bool,
) -> HashSet<Id> {
    let mut escaping = HashSet::default();
    // If no value is used across blocks, nothing escapes: the operands of a terminator are evaluated in the scope of
    // its block or in one nested in it.
    if !function.is_crossed {
        return escaping;
    }
    let mut analysis = EscapeAnalysis {
        arena: &structure.arena,
        last: vec![0],
        blocks: vec![None; function.blocks.len()],
        ends: Vec::new(),
        edges: Vec::new(),
    };
    analysis.list(structure.nodes, 0);
    if analysis.last.len() == 1 {
        return escaping;
    }
    analysis.last[0] = analysis.last.len() as Scope - 1;
    // Each id once for each scope. This also ends the search if an invalid module has a cyclic definition.
    let mut seen = HashSet::default();
    let mut open = Vec::new();
    let mut used = |id: Id, scope: Scope| {
        let mut next = Some(id);
        while let Some(id) = next {
            next = open.pop();
            let Some(block) = spirv.block_defining(function, id) else {
                continue;
            };
            // A definition in the same scope is visible; a pointer then resolves its own operands.
            let from = analysis.blocks[block];
            if from == Some(scope) {
                continue;
            }
            let Ok(made) = spirv.definition(id) else {
                continue;
            };
            // Pointers are resolved at their uses, so their operands are used there too.
            let is_copied = matches!(made.op, Op::Load | Op::CopyObject);
            if is_chain(made.op) || is_copied && made.result_type.is_some_and(is_found_again) {
                if seen.insert((id, scope)) {
                    made.each_used(|part| open.push(part));
                    next = next.or_else(|| open.pop());
                }
                continue;
            }
            if from.is_some_and(|from| !analysis.is_inside(scope, from)) {
                escaping.insert(id);
            }
        }
    };
    for CrossBlockUse { id, block } in &function.crossing {
        if let Some(scope) = analysis.blocks[*block as usize] {
            used(*id, scope);
        }
    }
    for (index, scope) in &analysis.ends {
        let end = function.blocks[*index].terminator();
        // The other operands are labels.
        if matches!(end.op, Op::BranchConditional | Op::Switch | Op::ReturnValue) {
            let id = end.ids(0).next();
            // Mostly the operand is defined in the block itself, right before its terminator.
            let is_here = |id: &Id| {
                let block = &function.blocks[*index];
                analysis.blocks[*index] == Some(*scope) && spirv.is_defined_in(block, *id)
            };
            id.filter(|id| !is_here(id))
                .into_iter()
                .for_each(|id| used(id, *scope));
        }
    }
    for (from, to, scope) in &analysis.edges {
        let label = function.blocks[*from].label;
        for phi in function.blocks[*to].phis() {
            let pairs = phi.operands.chunks_exact(2);
            let taken = pairs.filter(|pair| Id(pair[1]) == label);
            taken.for_each(|pair| used(Id(pair[0]), *scope));
        }
    }
    escaping
}

/// Whether the result is a pointer or another value that is resolved at its uses.
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

impl EscapeAnalysis<'_> {
    fn is_inside(&self, scope: Scope, around: Scope) -> bool {
        (around..=self.last[around as usize]).contains(&scope)
    }

    /// Opens a scope.
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
        let arena = self.arena;
        for node in arena.iter(nodes) {
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
                Node::Breakable(nodes) | Node::IfFlag(_, _, nodes) => self.inner(*nodes),
                Node::Loop {
                    body,
                    continuing,
                    break_if,
                } => {
                    // `continuing` sees the values of the body.
                    let inside = self.open();
                    self.list(*body, inside);
                    self.list(*continuing, inside);
                    self.close(inside);
                    if let BreakIf::Condition { block, .. } = break_if {
                        self.ends.push((*block, inside));
                    }
                }
                Node::Terminator(block) => self.ends.push((*block, scope)),
                Node::Break | Node::Continue | Node::SetFlag(..) => {}
            }
        }
    }
}
