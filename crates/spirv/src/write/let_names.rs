//! Adds `OpName`s for `let` declarations, which naga's writer omits.
//!
//! naga writes an `OpLine` before each statement on request. In: a module. Out: a copy in which each named expression
//! is emitted by a statement of its own, with a unique span as a marker and an empty statement after it; and, for the
//! words written from that copy, the words without lines and with an `OpName` for the last id between each marker and
//! the next line. What always holds: only names are added to the words; statements are written in the order of their
//! markers.

use anywarp_program::naga::{
    Arena, Block, Expression, FastIndexMap, Function, Handle, Module, Range, Span, Statement,
    SwitchCase,
};
use rspirv::spirv::Op;

use super::postprocess::{Section, instructions, push, string};
use anywarp_program::operands;

/// naga's name for values assigned to `_`.
const PHONY: &str = "phony";

/// Markers wrap around after this number, because naga counts the characters before each.
const MARKS: usize = 1000;

/// Programs with more expressions are generated and not read by people: their `let`s get no names.
pub(super) const MAX_EXPRESSIONS: usize = 16_384;

/// A source text without line breaks; the column of a statement is its marker.
pub(super) fn source() -> String {
    " ".repeat(MARKS + 1)
}

/// A copy of the module with markers, and the names they represent; `None` if there are no names.
pub(super) fn mark(module: &Module) -> Option<(Module, Vec<String>)> {
    let entries = module
        .entry_points
        .iter()
        .map(|entry_point| &entry_point.function);
    let mut functions = module
        .functions
        .iter()
        .map(|(_, function)| function)
        .chain(entries);
    if functions.all(|function| function.named_expressions.is_empty()) {
        return None;
    }
    let mut marked = module.clone();
    let mut names = Vec::new();
    for (_, function) in marked.functions.iter_mut() {
        mark_function(function, &mut names);
    }
    for entry in &mut marked.entry_points {
        mark_function(&mut entry.function, &mut names);
    }
    Some((marked, names))
}

fn mark_function(function: &mut Function, names: &mut Vec<String>) {
    let body = std::mem::take(&mut function.body);
    let mut marker = LetMarking {
        expressions: &function.expressions,
        named: &function.named_expressions,
        names,
    };
    function.body = marker.block(body);
}

struct LetMarking<'f> {
    expressions: &'f Arena<Expression>,
    named: &'f FastIndexMap<Handle<Expression>, String>,
    names: &'f mut Vec<String>,
}

impl LetMarking<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut marked = Block::with_capacity(block.len());
        for (statement, _) in block.span_into_iter() {
            match statement {
                Statement::Emit(range) => self.emit(range, &mut marked),
                other => {
                    let result = operands::result_of(&other);
                    let span = result.and_then(|result| self.span(result));
                    let nested = self.nested(other);
                    marked.push(nested, span.unwrap_or(Span::UNDEFINED));
                    if span.is_some() {
                        self.close(&mut marked);
                    }
                }
            }
        }
        marked
    }

    fn nested(&mut self, statement: Statement) -> Statement {
        match statement {
            Statement::Block(block) => Statement::Block(self.block(block)),
            Statement::If {
                condition,
                accept,
                reject,
            } => Statement::If {
                condition,
                accept: self.block(accept),
                reject: self.block(reject),
            },
            Statement::Switch { selector, cases } => {
                let cases = cases.into_iter().map(|case| SwitchCase {
                    body: self.block(case.body),
                    ..case
                });
                let cases = cases.collect();
                Statement::Switch { selector, cases }
            }
            Statement::Loop {
                body,
                continuing,
                break_if,
            } => Statement::Loop {
                body: self.block(body),
                continuing: self.block(continuing),
                break_if,
            },
            other => other,
        }
    }

    /// Moves named expressions out of an emitted range.
    fn emit(&mut self, range: Range<Expression>, marked: &mut Block) {
        let mut first = None;
        let mut last = None;
        for expression in range {
            let Some(span) = self.span(expression) else {
                first = first.or(Some(expression));
                last = Some(expression);
                continue;
            };
            if let (Some(first), Some(last)) = (first.take(), last) {
                let before = Range::new_from_bounds(first, last);
                marked.push(Statement::Emit(before), Span::UNDEFINED);
            }
            let own = Range::new_from_bounds(expression, expression);
            marked.push(Statement::Emit(own), span);
            self.close(marked);
        }
        if let (Some(first), Some(last)) = (first, last) {
            let rest = Range::new_from_bounds(first, last);
            marked.push(Statement::Emit(rest), Span::UNDEFINED);
        }
    }

    /// Ends the words that belong to a marker.
    fn close(&self, marked: &mut Block) {
        let nothing = self.expressions.range_from(self.expressions.len());
        marked.push(Statement::Emit(nothing), Span::UNDEFINED);
    }

    /// The marker of a named expression.
    fn span(&mut self, expression: Handle<Expression>) -> Option<Span> {
        let name = self.named.get(&expression).filter(|name| *name != PHONY)?;
        let mark = mark_of(self.names.len());
        self.names.push(name.clone());
        Some(Span::new(mark, mark))
    }
}

/// The marker of the name at an index.
fn mark_of(number: usize) -> u32 {
    (number % MARKS) as u32 + 1
}

/// Removes lines from the words and adds names.
pub(super) fn name(words: &[u32], names: &[String]) -> Vec<u32> {
    let (found, lines) = find(words, names);
    let mut named = Vec::with_capacity(words.len());
    let mut copied = 0;
    let mut is_named = false;
    for (place, number, operands) in instructions(words) {
        let is_after = Section::of(number).is_some_and(|section| section > Section::Names);
        if is_after && !std::mem::replace(&mut is_named, true) {
            named.extend_from_slice(&words[copied..place]);
            copied = place;
            for (id, name) in &found {
                let mut operands = vec![*id];
                operands.extend(string(&names[*name]));
                push(&mut named, Op::Name, &operands);
            }
            break;
        }
        if is_about_source(number) {
            named.extend_from_slice(&words[copied..place]);
            copied = place + operands.len() + 1;
        }
    }
    for place in lines {
        named.extend_from_slice(&words[copied..place]);
        copied = place + LINE;
    }
    named.extend_from_slice(&words[copied..]);
    named
}

/// Number of words of an `OpLine`.
const LINE: usize = 4;

fn is_about_source(number: u32) -> bool {
    const STRING: u32 = Op::String as u32;
    const SOURCE: u32 = Op::Source as u32;
    const CONTINUED: u32 = Op::SourceContinued as u32;
    matches!(number, STRING | SOURCE | CONTINUED)
}

/// Ids with the indices of their names, and the positions of all lines.
fn find(words: &[u32], names: &[String]) -> (Vec<(u32, usize)>, Vec<usize>) {
    let (mut found, mut lines) = (Vec::new(), Vec::new());
    let mut next = 0;
    let mut open: Option<(usize, Option<u32>)> = None;
    for (place, number, operands) in instructions(words) {
        if number != Op::Line as u32 {
            if let Some((_, id)) = &mut open
                && has_result(number)
            {
                *id = operands.get(1).copied();
            }
            continue;
        }
        lines.push(place);
        if let Some((name, Some(id))) = open.take() {
            found.push((id, name));
        }
        // Columns count from 1.
        let mark = operands
            .get(2)
            .map_or(0, |position| position.saturating_sub(1));
        if mark > 0 {
            let mut left = next..names.len().min(next + MARKS);
            if let Some(name) = left.find(|name| mark_of(*name) == mark) {
                next = name + 1;
                open = Some((name, None));
            }
        }
    }
    (found, lines)
}

/// Whether an instruction in a function has a result id; labels do not count.
fn has_result(number: u32) -> bool {
    const WITHOUT: [Op; 14] = [
        Op::Store,
        Op::Label,
        Op::Branch,
        Op::BranchConditional,
        Op::Switch,
        Op::SelectionMerge,
        Op::LoopMerge,
        Op::ImageWrite,
        Op::AtomicStore,
        Op::ControlBarrier,
        Op::MemoryBarrier,
        Op::CopyMemory,
        Op::Unreachable,
        Op::FunctionEnd,
    ];
    !WITHOUT.iter().any(|op| *op as u32 == number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_come_back_in_their_order() {
        let names: Vec<_> = (0..3).map(|number| format!("n{number}")).collect();
        let mut words = vec![0; 5];
        push(&mut words, Op::String, &[9, 0]);
        push(&mut words, Op::TypeVoid, &[1]);
        for mark in [1, 2, 3] {
            push(&mut words, Op::Line, &[9, 1, mark + 1]);
            if mark != 2 {
                push(&mut words, Op::IAdd, &[1, 10 + mark, 2, 2]);
            }
            push(&mut words, Op::Line, &[9, 1, 1]);
        }
        let mut expected = vec![0; 5];
        for (id, name) in [(11, "n0"), (13, "n2")] {
            push(
                &mut expected,
                Op::Name,
                &[&[id][..], &string(name)].concat(),
            );
        }
        push(&mut expected, Op::TypeVoid, &[1]);
        push(&mut expected, Op::IAdd, &[1, 11, 2, 2]);
        push(&mut expected, Op::IAdd, &[1, 13, 2, 2]);
        assert_eq!(name(&words, &names), expected);
    }
}
