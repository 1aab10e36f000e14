//! Removes constant phis: block parameters that have only one possible value (Cranelift: remove_constant_phis).
//!
//! In: any function. Out: the same function without parameters that get the same value, themselves or each other on
//! every reachable edge. Equal constants count as one value, also if several instructions define them; such a parameter
//! becomes the constant.
//!
//! Sparse optimistic dataflow analysis with a worklist: every parameter starts as unknown (top), is lowered to a copy
//! of one value, and then to itself (bottom). So cycles of parameters are resolved, and each parameter changes at most
//! twice.

use super::cfg::Cfg;
use super::csr::CsrLists;
use super::hash::Map;
use super::replace_uses::Replacements;
use super::value_def::{ValueDef, definition, value_defs};
use crate::ir::{BlockId, Function, Inst, Op, Value};

/// Top of the lattice: no value is known to reach the parameter yet.
const TOP: Value = Value(u32::MAX);

/// Runs the pass.
pub fn run(function: &mut Function) {
    if function
        .blocks
        .iter()
        .all(|block| block.parameters.is_empty())
    {
        return;
    }
    let graph = Cfg::new(function);
    let value_defs = value_defs(function);
    let copies = CopyLattice::new(function, &graph, &value_defs).solve(function, &graph);
    remove(function, &graph, &value_defs, &copies);
}

/// The lattice value of each parameter: the value that it is a copy of.
struct CopyLattice {
    /// By value: the value that it is a copy of.
    of: Vec<Value>,
    /// By parameter: its arguments on all edges.
    given: CsrLists<Value>,
    /// By value: the parameters of which it is an argument.
    users: CsrLists<Value>,
}

impl CopyLattice {
    fn new(function: &Function, graph: &Cfg, value_defs: &[ValueDef]) -> Self {
        let count = function.types.len();
        let mut of: Vec<_> = (0..count as u32).map(Value).collect();
        let mut constants = Map::<Op, Value>::default();
        let (mut given, mut users) = (Vec::new(), Vec::new());
        for &block in graph.order() {
            for &parameter in &function.block(block).parameters {
                of[parameter.index()] = TOP;
            }
            for edge in function.block(block).terminator.edges() {
                let parameters = &function.block(edge.block).parameters;
                for (&parameter, &argument) in parameters.iter().zip(&edge.arguments) {
                    given.push((parameter.0, argument));
                    users.push((argument.0, parameter));
                    if let Some(op) = constant(function, value_defs, argument) {
                        of[argument.index()] = *constants.entry(op).or_insert(argument);
                    }
                }
            }
        }
        Self {
            of,
            given: CsrLists::new(count, &given),
            users: CsrLists::new(count, &users),
        }
    }

    /// Iterates to the fixpoint. Returns, by value, the value that it is a copy of.
    fn solve(mut self, function: &Function, graph: &Cfg) -> Vec<Value> {
        let blocks = graph.order().iter().rev();
        let mut open: Vec<Value> = blocks
            .flat_map(|block| function.block(*block).parameters.iter().copied())
            .collect();
        while let Some(parameter) = open.pop() {
            let known = self.of[parameter.index()];
            if known == parameter {
                continue;
            }
            let found = self.meet(parameter);
            if found != known {
                self.of[parameter.index()] = found;
                open.extend_from_slice(self.users.of(parameter.index()));
            }
        }
        self.of
    }

    fn meet(&self, parameter: Value) -> Value {
        let mut found = TOP;
        for argument in self.given.of(parameter.index()) {
            let copy = self.of[argument.index()];
            if copy == TOP || copy == found {
                continue;
            }
            if found != TOP {
                return parameter;
            }
            found = copy;
        }
        found
    }
}

fn constant(function: &Function, value_defs: &[ValueDef], value: Value) -> Option<Op> {
    let inst = definition(function, value_defs, value)?;
    inst.op.is_cheap().then_some(inst.op)
}

fn remove(function: &mut Function, graph: &Cfg, value_defs: &[ValueDef], copies: &[Value]) {
    let mut replacements = Replacements::new(function);
    let mut goes = vec![false; function.types.len()];
    let mut made = Vec::new();
    for number in 0..function.blocks.len() {
        let id = BlockId(number as u32);
        for &parameter in &function.block(id).parameters {
            let copy = copies[parameter.index()];
            if copy == TOP || copy == parameter || !graph.is_reached(id) {
                continue;
            }
            goes[parameter.index()] = true;
            match constant(function, value_defs, copy) {
                // The instruction that defines the constant need not dominate this block.
                Some(op) if !is_before(graph, value_defs, copy, id) => made.push((
                    id,
                    Inst {
                        op,
                        operands: Default::default(),
                        result: Some(parameter),
                    },
                )),
                _ => replacements.put(parameter, copy),
            }
        }
    }
    // Inserted last, since definitions are looked up by instruction index.
    for made in made.chunk_by(|one, next| one.0 == next.0) {
        let insts = made.iter().map(|copy| copy.1.clone());
        function.block_mut(made[0].0).insts.splice(0..0, insts);
    }
    super::remove_blocks::parameters(function, |parameter| !goes[parameter.index()]);
    replacements.apply(function);
}

fn is_before(graph: &Cfg, value_defs: &[ValueDef], value: Value, block: BlockId) -> bool {
    let origin = value_defs[value.index()].block();
    origin.is_some_and(|origin| origin != block && graph.dominates(origin, block))
}
