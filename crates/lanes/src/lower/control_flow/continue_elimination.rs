//! Continue elimination: structured branches in place of `continue`.
//!
//! In: a module. Out: the same module, where `if c { a; continue; } rest` in a loop body is `if c { a } else { rest }`,
//! and a `continue` that nothing follows is removed. Lanes that `continue` otherwise wait in a mask of their own, which
//! makes the loop divergent and every variable that they read later varying; and the rest of the body is executed even
//! if no lane is left for it.
//!
//! What always holds: only statements move, so that expressions and what naga knows of them stay valid. A `continue`
//! stays where control leaves two nested statements to reach it, or a `switch` that is not the last statement, where
//! `continuing` reads an expression of the rest, and after some conversions, since each nests the rest of the body
//! deeper: [`MAX_CONVERSIONS`] in a loop, and for a loop and those around it as many as fit into [`MAX_LEVELS`] levels of
//! nesting with those that the function has already. Inner loops come first.

use std::borrow::Cow;
use std::collections::HashSet;

use anywarp_program::work::{Meter, OverBudget};
use anywarp_program::{operands, walk};
use naga::{Arena, Block, Expression, Function, Handle, Module, Statement};

use crate::lower::stack::levels_of_block;

/// The most conversions in a loop.
const MAX_CONVERSIONS: u32 = 16;

/// The most levels of nesting of a function to which conversions lead.
const MAX_LEVELS: u32 = 64;

/// The module without those `continue` statements that branches can replace.
pub(in crate::lower) fn without_continue<'a>(
    module: &'a Module,
    meter: &Meter,
) -> Result<Cow<'a, Module>, OverBudget> {
    let mut is_found = false;
    for function in walk::functions(module) {
        is_found |= has_continue(function, meter)?;
    }
    if !is_found {
        return Ok(Cow::Borrowed(module));
    }
    let mut module = module.clone();
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    let points = module.entry_points.iter_mut();
    for function in functions.chain(points.map(|point| &mut point.function)) {
        if has_continue(function, meter)? {
            let levels = levels_of_block(&function.body, &[], meter)?;
            let levels = u32::try_from(levels).unwrap_or(u32::MAX);
            let depth_left = MAX_LEVELS.saturating_sub(levels);
            loops_of(&mut function.body, &function.expressions, depth_left);
        }
    }
    Ok(Cow::Owned(module))
}

fn has_continue(function: &Function, meter: &Meter) -> Result<bool, OverBudget> {
    for statement in walk::statements(&function.body) {
        meter.tick(1)?;
        if matches!(statement, Statement::Continue) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Converts all loops of a block, inner ones first, with a maximum number of conversions around each other. Returns how
/// many there are.
fn loops_of(block: &mut Block, expressions: &Arena<Expression>, depth_left: u32) -> u32 {
    let mut deepest = 0;
    for statement in block.iter_mut() {
        let mut depth = 0;
        for inner in operands::blocks_of_mut(statement) {
            depth = depth.max(loops_of(inner, expressions, depth_left));
        }
        if let Statement::Loop {
            body,
            continuing,
            break_if,
        } = statement
        {
            let conversions = MAX_CONVERSIONS.min(depth_left - depth);
            let mut conversion = Conversion {
                read_later: read_from_body(continuing, *break_if, expressions),
                conversions_left: conversions,
            };
            conversion.tail(body);
            depth += conversions - conversion.conversions_left;
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// The expressions that `continuing` and `break if` read and do not evaluate themselves.
fn read_from_body(
    continuing: &Block,
    break_if: Option<Handle<Expression>>,
    expressions: &Arena<Expression>,
) -> HashSet<Handle<Expression>> {
    let mut read: HashSet<_> = break_if.into_iter().collect();
    let mut evaluated = HashSet::new();
    for statement in walk::statements(continuing) {
        operands::of_statement(statement, |operand| {
            read.insert(*operand);
        });
        if let Statement::Loop {
            break_if: Some(condition),
            ..
        } = statement
        {
            read.insert(*condition);
        }
        if let Statement::Emit(range) = statement {
            for handle in range.clone() {
                operands::of_expression(&expressions[handle], |operand| {
                    read.insert(*operand);
                });
            }
        }
        evaluated.extend(defined(statement));
    }
    read.retain(|handle| !evaluated.contains(handle));
    read
}

/// The expressions that a statement evaluates.
fn defined(statement: &Statement) -> impl Iterator<Item = Handle<Expression>> {
    let emitted = match statement {
        Statement::Emit(range) => Some(range.clone()),
        _ => None,
    };
    emitted
        .into_iter()
        .flatten()
        .chain(operands::result_of(statement))
}

/// The conversion of one loop.
struct Conversion {
    /// The expressions of the body that are read after it.
    read_later: HashSet<Handle<Expression>>,
    /// How many more conversions are allowed.
    conversions_left: u32,
}

impl Conversion {
    /// Converts a block that `continuing` follows.
    fn tail(&mut self, block: &mut Block) {
        let mut place = 0;
        while place < block.len() {
            if self.takes_rest(block, place) {
                let rest = split_off(block, place + 1);
                if let Statement::If { accept, reject, .. } = &mut block[place] {
                    self.conversions_left -= 1;
                    move_into(accept, reject, rest);
                }
            }
            let is_last = place + 1 == block.len();
            match &mut block[place] {
                // What follows is not reached.
                Statement::Continue => block.cull(place..),
                Statement::Block(inner) if is_last => self.tail(inner),
                Statement::If { accept, reject, .. } if is_last => {
                    self.tail(accept);
                    self.tail(reject);
                }
                Statement::Switch { cases, .. } if is_last => {
                    let ends = cases.iter_mut().filter(|case| !case.fall_through);
                    ends.for_each(|case| self.tail(&mut case.body));
                }
                _ => {}
            }
            place += 1;
        }
    }

    /// Whether the rest of a block can be moved into a side of the `if` at this place.
    fn takes_rest(&self, block: &Block, place: usize) -> bool {
        let Statement::If { accept, reject, .. } = &block[place] else {
            return false;
        };
        let rest = &block[place + 1..];
        let is_read = |statement| defined(statement).any(|it| self.read_later.contains(&it));
        self.conversions_left > 0
            && !rest.is_empty()
            && (ends_in_continue(accept) || ends_in_continue(reject))
            && (self.read_later.is_empty() || !rest.iter().any(is_read))
    }
}

fn ends_in_continue(block: &Block) -> bool {
    match block.last() {
        Some(Statement::Continue) => true,
        Some(Statement::Block(inner)) => ends_in_continue(inner),
        _ => false,
    }
}

/// Appends the rest of a body to the side of an `if` that does not end in `continue`, if there is one.
fn move_into(accept: &mut Block, reject: &mut Block, rest: Block) {
    if !ends_in_continue(reject) {
        reject.extend_block(rest);
    } else if !ends_in_continue(accept) {
        accept.extend_block(rest);
    }
}

/// Splits the statements from a place on off a block.
fn split_off(block: &mut Block, at: usize) -> Block {
    let mut rest = Block::with_capacity(block.len() - at);
    let mut first = Block::with_capacity(at);
    let all = std::mem::take(block).span_into_iter();
    for (place, (statement, span)) in all.enumerate() {
        let part = if place < at { &mut first } else { &mut rest };
        part.push(statement, span);
    }
    *block = first;
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statements of a loop body, by name.
    fn names(block: &Block) -> String {
        let names = block.iter().filter_map(|statement| match statement {
            Statement::Emit(_) => None,
            Statement::If { accept, reject, .. } => {
                Some(format!("if({}|{})", names(accept), names(reject)))
            }
            Statement::Switch { cases, .. } => {
                let cases: Vec<_> = cases.iter().map(|case| names(&case.body)).collect();
                Some(format!("switch({})", cases.join("|")))
            }
            Statement::Loop {
                body, continuing, ..
            } => Some(format!("loop({}|{})", names(body), names(continuing))),
            Statement::Block(inner) => Some(format!("({})", names(inner))),
            Statement::Store { .. } => Some("store".to_owned()),
            Statement::Break => Some("break".to_owned()),
            Statement::Continue => Some("continue".to_owned()),
            Statement::Return { .. } => Some("return".to_owned()),
            _ => Some("other".to_owned()),
        });
        names.collect::<Vec<_>>().join(" ")
    }

    fn converted(body: &str) -> String {
        let text = format!(
            "fn f(a: bool, b: bool, c: i32) {{ var x = 0; loop {{ if a & b {{ break; }} {body} }} }}"
        );
        let module = naga::front::wgsl::parse_str(&text).unwrap();
        let converted = without_continue(&module, &Meter::unlimited()).unwrap();
        let (_, function) = converted.functions.iter().next().unwrap();
        let body = names(&function.body);
        let body = body.strip_prefix("loop(if(break|) ").unwrap();
        body.strip_suffix(" return").unwrap().to_owned()
    }

    #[test]
    fn the_rest_becomes_the_other_side() {
        assert_eq!(
            converted("if a { x = 1; continue; } x = 2; x = 3;"),
            "if(store|store store)|)"
        );
        assert_eq!(
            converted("if a { x = 1; } else { continue; } x = 2;"),
            "if(store store|)|)"
        );
        assert_eq!(
            converted("if a { x = 1; continue; } else { x = 4; } x = 2; continuing { x = 5; }"),
            "if(store|store store)|store)"
        );
    }

    #[test]
    fn each_continue_nests_the_next() {
        assert_eq!(
            converted("if a { continue; } x = 1; if b { continue; } x = 2;"),
            "if(|store if(|store))|)"
        );
        assert_eq!(
            converted("if a { if b { continue; } x = 1; continue; } x = 2;"),
            "if(if(|store)|store)|)"
        );
    }

    #[test]
    fn the_last_continue_is_nothing() {
        assert_eq!(converted("x = 1; continue;"), "store|)");
        assert_eq!(converted("x = 1; { continue; }"), "store ()|)");
        assert_eq!(
            converted("if a { x = 1; continue; } else { x = 2; continue; }"),
            "if(store|store)|)"
        );
    }

    #[test]
    fn a_continue_out_of_two_statements_stays() {
        let nested = "if a { if b { continue; } x = 1; } x = 2;";
        assert_eq!(converted(nested), "if(if(continue|) store|) store|)");
        let switch = "switch c { case 1 { x = 3; continue; } default { x = 1; } }";
        assert_eq!(
            converted(&format!("{switch} x = 2;")),
            "switch(store continue|store) store|)"
        );
        assert_eq!(converted(switch), "switch(store|store)|)");
    }

    #[test]
    fn inner_loops_are_converted_on_their_own() {
        assert_eq!(
            converted("loop { if b { continue; } x = 1; break; } if a { continue; } x = 2;"),
            "loop(if(|store break)|) if(|store)|)"
        );
    }

    #[test]
    fn the_nesting_is_limited() {
        let body = "if a { continue; } x = 1; ".repeat(MAX_CONVERSIONS as usize + 2);
        let converted = converted(&body);
        assert_eq!(converted.matches("continue").count(), 2, "{converted}");
    }

    /// Nested loops, each with some `continue` statements.
    fn nested(loops: usize, continues: usize) -> String {
        let continues = "if a { continue; } x = 1; ".repeat(continues);
        format!("loop {{ if b {{ break; }} {continues}").repeat(loops) + &"}".repeat(loops)
    }

    #[test]
    fn nested_loops_share_the_limit() {
        let levels = |text: &str| {
            let text = format!("fn f(a: bool, b: bool) {{ var x = 0; {text} }}");
            let module = naga::front::wgsl::parse_str(&text).unwrap();
            let meter = Meter::unlimited();
            let converted = without_continue(&module, &meter).unwrap();
            let levels = |module: &Module| {
                let (_, function) = module.functions.iter().next().unwrap();
                levels_of_block(&function.body, &[], &meter).unwrap()
            };
            (levels(&module), levels(&converted))
        };
        assert_eq!(levels(&nested(2, 8)), (4, 19));
        assert_eq!(levels(&nested(20, 8)), (22, MAX_LEVELS as usize - 1));
        assert_eq!(levels(&nested(100, 8)), (102, 102));
    }

    #[test]
    fn inner_loops_come_first() {
        // The nesting of the inner loop leaves one conversion.
        let blocks = MAX_LEVELS as usize - 5;
        let (open, close) = ("{".repeat(blocks), "}".repeat(blocks));
        let inner = "loop { if b { continue; } x = 1; break; }";
        let converted = converted(&format!("if a {{ continue; }} {open} {inner} {close}"));
        assert!(converted.starts_with("if(continue|) "), "{converted}");
        assert!(converted.contains("loop(if(|store break)|)"), "{converted}");
    }

    #[test]
    fn what_continuing_reads_stays_in_the_body() {
        // naga's front end does not accept such a program, but other front ends may build one.
        let text = "fn f(a: bool) { var x = 0; loop { if a { continue; } let y = x + 1; x = y;
            continuing { x = 3; break if a; } } }";
        let mut module = naga::front::wgsl::parse_str(text).unwrap();
        let (_, function) = module.functions.iter_mut().next().unwrap();
        let is_sum = |(_, it): &(_, &Expression)| matches!(it, Expression::Binary { .. });
        let sum = function.expressions.iter().find(is_sum).unwrap().0;
        let before = names(&function.body);
        for statement in function.body.iter_mut() {
            if let Statement::Loop { continuing, .. } = statement
                && let Some(Statement::Store { value, .. }) = continuing.last_mut()
            {
                *value = sum;
            }
        }
        let converted = without_continue(&module, &Meter::unlimited()).unwrap();
        let (_, function) = converted.functions.iter().next().unwrap();
        assert_eq!(names(&function.body), before);
    }
}
