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
    // If no value is used across blocks, nothing escapes: the operands of a terminator are evaluated in the scope of
    // its block or in one nested in it.
    if !function.is_crossed {
        return HashSet::default();
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
        return HashSet::default();
    }
    analysis.last[0] = analysis.last.len() as Scope - 1;
    let mut uses = Uses {
        spirv,
        function,
        analysis: &analysis,
        is_found_again,
        seen: HashSet::default(),
        open: Vec::new(),
        escaping: HashSet::default(),
    };
    uses.of_other_blocks();
    uses.of_terminators();
    uses.of_phis();
    uses.escaping
}

/// Visits the uses of values.
struct Uses<'t, 'a> {
    spirv: &'t Module<'a>,
    function: &'t Function<'a>,
    analysis: &'t EscapeAnalysis<'t>,
    is_found_again: &'t dyn Fn(Id) -> bool,
    /// Each id once for each scope. This also ends the search if an invalid module has a cyclic definition.
    seen: HashSet<(Id, Scope)>,
    /// The worklist; kept to reuse its memory.
    open: Vec<Id>,
    escaping: HashSet<Id>,
}

impl Uses<'_, '_> {
    fn of_other_blocks(&mut self) {
        for CrossBlockUse { id, block } in &self.function.crossing {
            if let Some(scope) = self.analysis.blocks[*block as usize] {
                self.visit(*id, scope);
            }
        }
    }

    fn of_terminators(&mut self) {
        for (index, scope) in &self.analysis.ends {
            let block = &self.function.blocks[*index];
            let end = block.terminator();
            // The other operands are labels.
            if !matches!(end.op, Op::BranchConditional | Op::Switch | Op::ReturnValue) {
                continue;
            }
            let Some(id) = end.ids(0).next() else {
                continue;
            };
            // Mostly the operand is defined in the block itself, right before its terminator.
            let is_here =
                self.analysis.blocks[*index] == Some(*scope) && self.spirv.is_defined_in(block, id);
            if !is_here {
                self.visit(id, *scope);
            }
        }
    }

    fn of_phis(&mut self) {
        for (from, to, scope) in &self.analysis.edges {
            let label = self.function.blocks[*from].label;
            for phi in self.function.blocks[*to].phis() {
                let pairs = phi.operands.chunks_exact(2);
                let taken = pairs.filter(|pair| Id(pair[1]) == label);
                taken.for_each(|pair| self.visit(Id(pair[0]), *scope));
            }
        }
    }

    /// Visits a use of a value in a scope, and the uses of the operands of what is resolved there.
    fn visit(&mut self, id: Id, scope: Scope) {
        let mut next = Some(id);
        while let Some(id) = next {
            next = self.open.pop();
            let Some(block) = self.spirv.block_defining(self.function, id) else {
                continue;
            };
            // A definition in the same scope is visible; a pointer then resolves its own operands.
            let from = self.analysis.blocks[block];
            if from == Some(scope) {
                continue;
            }
            let Ok(made) = self.spirv.definition(id) else {
                continue;
            };
            // Pointers are resolved at their uses, so their operands are used there too.
            let is_copied = matches!(made.op, Op::Load | Op::CopyObject);
            let is_resolved =
                is_chain(made.op) || is_copied && made.result_type.is_some_and(self.is_found_again);
            if is_resolved {
                if self.seen.insert((id, scope)) {
                    made.each_used(|part| self.open.push(part));
                    next = next.or_else(|| self.open.pop());
                }
            } else if from.is_some_and(|from| !self.analysis.is_inside(scope, from)) {
                self.escaping.insert(id);
            }
        }
    }
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
