//! Read-only walks over naga's structured control flow.
//!
//! In: a block, or a function and its module. Out: iterators over its statements in pre-order, nested blocks included,
//! and over the functions that it calls. What always holds: each statement is visited once, in the order of the text: a
//! statement before those of its nested blocks, the body of a loop before its `continuing` block. The walk keeps its own
//! stack, so no nesting of blocks overflows the thread's stack.
//!
//! Code that must know when a block ends (scopes, masks, emitted text) recurses over
//! [`operands::blocks_of`] instead.

use std::slice;

use naga::{Block, Function, Handle, Module, Statement};

use crate::operands;

/// The functions and entry points of a module, functions first.
pub fn functions(module: &Module) -> impl Iterator<Item = &Function> {
    let functions = module.functions.iter().map(|(_, function)| function);
    functions.chain(module.entry_points.iter().map(|entry| &entry.function))
}

/// All statements of a block in pre-order, nested blocks included.
///
/// ```
/// use anywarp_program::naga::Statement;
/// use anywarp_program::{Program, walk};
///
/// let program = Program::from_wgsl("fn f(x: bool) { loop { if x { break; } } }")?;
/// let (_, function) = program.module().functions.iter().next().unwrap();
/// let is_break = |statement: &&Statement| matches!(statement, Statement::Break);
/// assert_eq!(walk::statements(&function.body).filter(is_break).count(), 1);
/// # Ok::<(), anywarp_program::ProgramError>(())
/// ```
pub fn statements(block: &Block) -> Statements<'_> {
    Statements {
        open: vec![block.iter()],
    }
}

/// The iterator of [`statements`].
#[derive(Clone, Debug)]
pub struct Statements<'a> {
    /// The rest of each block that the walk is in or enters next; the innermost is last.
    open: Vec<slice::Iter<'a, Statement>>,
}

impl<'a> Iterator for Statements<'a> {
    type Item = &'a Statement;

    fn next(&mut self) -> Option<&'a Statement> {
        loop {
            let Some(statement) = self.open.last_mut()?.next() else {
                self.open.pop();
                continue;
            };
            let nested = operands::blocks_of(statement).rev();
            self.open.extend(nested.map(|block| block.iter()));
            return Some(statement);
        }
    }
}

/// The functions that a block calls directly, once per call, in the order of calls.
pub fn callees(block: &Block) -> impl Iterator<Item = Handle<Function>> {
    statements(block).filter_map(|statement| match statement {
        Statement::Call { function, .. } => Some(*function),
        _ => None,
    })
}

/// All functions that a function calls, directly or indirectly, each once and callees before callers.
pub fn reachable(module: &Module, root: &Function) -> Vec<Handle<Function>> {
    let mut is_reached = vec![false; module.functions.len()];
    let mut open: Vec<_> = callees(&root.body).collect();
    while let Some(handle) = open.pop() {
        if !std::mem::replace(&mut is_reached[handle.index()], true) {
            open.extend(callees(&module.functions[handle].body));
        }
    }
    // naga's arena has callees before callers.
    let handles = module.functions.iter().map(|(handle, _)| handle);
    handles
        .filter(|handle| is_reached[handle.index()])
        .collect()
}

#[cfg(test)]
mod tests {
    use naga::Span;

    use super::*;

    fn parsed(text: &str) -> Module {
        naga::front::wgsl::parse_str(text).unwrap()
    }

    fn name(statement: &Statement) -> &'static str {
        match statement {
            Statement::Block(_) => "block",
            Statement::If { .. } => "if",
            Statement::Switch { .. } => "switch",
            Statement::Loop { .. } => "loop",
            Statement::Break => "break",
            Statement::Continue => "continue",
            Statement::Kill => "discard",
            Statement::Return { .. } => "return",
            Statement::Store { .. } => "store",
            _ => "other",
        }
    }

    #[test]
    fn statements_come_before_those_of_their_blocks() {
        let module = parsed(
            "fn f(x: i32) {
                var y = 0;
                { y = 1; }
                loop {
                    if x == 1 { continue; } else { break; }
                    continuing { switch x { case 1 { y = 2; } default { discard; } } }
                }
            }",
        );
        let (_, function) = module.functions.iter().next().unwrap();
        let found: Vec<_> = statements(&function.body)
            .map(name)
            .filter(|name| *name != "other")
            .collect();
        assert_eq!(
            found,
            [
                "block", "store", "loop", "if", "continue", "break", "switch", "store", "discard",
                "return"
            ]
        );
    }

    #[test]
    fn an_empty_block_has_no_statements() {
        assert_eq!(statements(&Block::new()).count(), 0);
        let nested = Block::from_vec(vec![Statement::Block(Block::new()); 3]);
        assert_eq!(statements(&nested).count(), 3);
    }

    #[test]
    fn deep_nesting_does_not_overflow_the_stack() {
        // Below the depth at which dropping the block, which naga does recursively, needs more stack.
        const DEPTH: usize = 2_000;
        let mut block = Block::new();
        for _ in 0..DEPTH {
            let mut outer = Block::new();
            outer.push(Statement::Block(block), Span::UNDEFINED);
            block = outer;
        }
        assert_eq!(statements(&block).count(), DEPTH);
    }

    #[test]
    fn callees_are_found_in_nested_blocks() {
        let module = parsed(
            "fn unused() {}
             fn leaf() {}
             fn middle() { if true { leaf(); leaf(); } }
             fn root() { loop { continuing { middle(); break if true; } } leaf(); }",
        );
        let function = |wanted: &str| {
            let mut functions = module.functions.iter();
            functions
                .find(|(_, function)| function.name.as_deref() == Some(wanted))
                .unwrap()
        };
        let (leaf, _) = function("leaf");
        let (middle, called) = function("middle");
        let (_, root) = function("root");
        assert_eq!(callees(&called.body).collect::<Vec<_>>(), [leaf, leaf]);
        assert_eq!(callees(&root.body).collect::<Vec<_>>(), [middle, leaf]);
        assert_eq!(reachable(&module, root), [leaf, middle]);
    }
}
