//! Which values are used outside of the braces in which they are computed.

use rspirv::spirv::Op;

use crate::maps::{FunctionMap, HashSet};
use crate::module::{Function, Id, Instruction};
use crate::read::structure::{BlockIndex, BreakIf, Node};

/// A pair of braces.
type Scope = usize;

struct Finder {
    /// The braces around each, none around the first.
    parents: Vec<Option<Scope>>,
    /// Where each block stands.
    blocks: Vec<Option<Scope>>,
    /// Where the end of a block is looked at: its condition, or what it hands to phis.
    ends: Vec<(BlockIndex, Scope)>,
    edges: Vec<(BlockIndex, BlockIndex, Scope)>,
}

/// A value of the function.
struct Made<'f, 'a> {
    /// The braces around its block, if that is reached.
    scope: Option<Scope>,
    /// What makes it, where it is followed to what it is made of.
    chain: Option<&'f Instruction<'a>>,
}

/// The values that have to be kept in variables.
///
/// `is_found_again` says of which types values are followed where they are used.
pub(crate) fn escaping(
    function: &Function<'_>,
    nodes: &[Node],
    is_found_again: &dyn Fn(Id) -> bool,
) -> HashSet<Id> {
    let mut finder = Finder {
        parents: vec![None],
        blocks: vec![None; function.blocks.len()],
        ends: Vec::new(),
        edges: Vec::new(),
    };
    finder.list(nodes, 0);
    let mut defined = FunctionMap::of(function);
    for (index, block) in function.blocks.iter().enumerate() {
        let scope = finder.blocks[index];
        for instruction in block.phis.iter().chain(&block.body) {
            let Some(id) = instruction.result else {
                continue;
            };
            // A pointer is followed where it is used, and what it is made of is used there, too.
            let is_copied = matches!(instruction.op, Op::Load | Op::CopyObject);
            let is_followed = is_chain(instruction.op)
                || is_copied && instruction.result_type.is_some_and(is_found_again);
            let chain = is_followed.then_some(instruction);
            defined.insert(id, Made { scope, chain });
        }
    }
    let mut escaping = HashSet::default();
    // Once for each pair of braces, also where a broken module's pointer is made of itself.
    let mut seen = HashSet::default();
    let mut open = Vec::new();
    let mut used = |id: Id, scope: Scope| {
        open.push(id);
        while let Some(id) = open.pop() {
            let Some(made) = defined.get(&id) else {
                continue;
            };
            if let Some(chain) = made.chain {
                // In its own braces it uses its parts itself.
                if made.scope != Some(scope) && seen.insert((id, scope)) {
                    chain.each_used(|part| open.push(part));
                }
                continue;
            }
            if made
                .scope
                .is_some_and(|from| !finder.is_inside(scope, from))
            {
                escaping.insert(id);
            }
        }
    };
    for (index, block) in function.blocks.iter().enumerate() {
        if let Some(scope) = finder.blocks[index] {
            for instruction in &block.body {
                instruction.each_used(|id| used(id, scope));
            }
        }
    }
    for (index, scope) in &finder.ends {
        let terminator = &function.blocks[*index].terminator;
        terminator.each_used(|id| used(id, *scope));
    }
    for (from, to, scope) in &finder.edges {
        let label = function.blocks[*from].label;
        for phi in &function.blocks[*to].phis {
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
    fn is_inside(&self, mut scope: Scope, around: Scope) -> bool {
        loop {
            if scope == around {
                return true;
            }
            match self.parents[scope] {
                Some(parent) => scope = parent,
                None => return false,
            }
        }
    }

    fn inner(&mut self, nodes: &[Node], scope: Scope) -> Scope {
        self.parents.push(Some(scope));
        let inner = self.parents.len() - 1;
        self.list(nodes, inner);
        inner
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
                    self.inner(accept, scope);
                    self.inner(reject, scope);
                }
                Node::Switch { block, cases } => {
                    self.ends.push((*block, scope));
                    for case in cases {
                        self.inner(&case.body, scope);
                    }
                }
                Node::Once(nodes) | Node::IfSet(_, _, nodes) => {
                    self.inner(nodes, scope);
                }
                Node::Loop {
                    body,
                    continuing,
                    break_if,
                } => {
                    // What follows in `continuing` sees what the body has.
                    let body = self.inner(body, scope);
                    self.list(continuing, body);
                    if let BreakIf::Condition { block, .. } = break_if {
                        self.ends.push((*block, body));
                    }
                }
                Node::Leave(block) => self.ends.push((*block, scope)),
                Node::Break | Node::Continue | Node::Set(..) => {}
            }
        }
    }
}
