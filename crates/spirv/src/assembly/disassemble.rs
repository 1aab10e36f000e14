//! SPIR-V disassembler.
//!
//! In: the words of a module. Out: text that [`super::assemble()`] and `spirv-as --preserve-numeric-ids` assemble to
//! the same words. What always holds: each instruction is on a line of its own, and none is omitted.

use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;

use rspirv::grammar::{LogicalOperand, OperandKind, OperandQuantifier};
use rspirv::spirv::{MAGIC_NUMBER, Op};

use super::grammar::{self, ExtInstSet};
use super::literal;
use super::numeric_types::{NumericType, NumericTypes};
use crate::error::{ReadError, Result};

/// The column at which result ids end, as in `spirv-dis`.
const INDENT: usize = 15;

/// Disassembles a module to text in the syntax of `spirv-dis --raw-id`.
///
/// Fails only if the words are not a header followed by a sequence of instructions.
pub fn disassemble(words: &[u32]) -> Result<String> {
    let [magic, version, generator, bound, schema, ..] = words else {
        let message = format!("a module has a header of 5 words; this has {}", words.len());
        return Err(ReadError::invalid(message));
    };
    if *magic != MAGIC_NUMBER {
        let message =
            format!("not SPIR-V: the first word is {magic:#010x}, not {MAGIC_NUMBER:#010x}");
        return Err(ReadError::invalid(message).at(0, None));
    }
    let mut disassembler = Disassembler {
        words,
        lines: Vec::new(),
        numbers: NumericTypes::default(),
        sets: HashMap::new(),
    };
    let mut at = 5;
    while at < words.len() {
        let end = at + length(words, at)?;
        disassembler.instruction(at..end);
        at = end;
    }
    let [_, major, minor, _] = version.to_be_bytes();
    let mut text = format!(
        "; SPIR-V\n; Version: {major}.{minor}\n; Generator: {generator:#010x}\n; Bound: {bound}\n\
         ; Schema: {schema}\n"
    );
    for line in disassembler.lines {
        text.push_str(&line.text);
        text.push('\n');
    }
    Ok(text)
}

fn length(words: &[u32], at: usize) -> Result<usize> {
    let count = (words[at] >> 16) as usize;
    let op = Op::from_u32(words[at] & 0xffff);
    if count == 0 {
        return Err(ReadError::invalid("it says that it has no words").at(at, op));
    }
    let left = words.len() - at;
    if count > left {
        let message = format!("it has {count} words, the module only {left} more");
        return Err(ReadError::invalid(message).at(at, op));
    }
    Ok(count)
}

struct Line {
    text: String,
    words: Range<usize>,
    /// Whether the assembler would take raw words on the next line for operands of this instruction.
    is_open: bool,
}

struct Disassembler<'a> {
    words: &'a [u32],
    lines: Vec<Line>,
    numbers: NumericTypes,
    /// Imported instruction sets by id; `None` for unknown sets.
    sets: HashMap<u32, Option<ExtInstSet>>,
}

impl Disassembler<'_> {
    fn instruction(&mut self, range: Range<usize>) {
        let words = &self.words[range.clone()];
        if let Some((text, is_open)) = self.line(words) {
            self.numbers.note(words);
            let line = Line {
                text,
                words: range,
                is_open,
            };
            self.lines.push(line);
            return;
        }
        // The assembler would append these raw words to an open line before them, so open lines become raw words too.
        let text = raw(words);
        for line in self.lines.iter_mut().rev().take_while(|line| line.is_open) {
            let words = &self.words[line.words.clone()];
            line.text = raw(words);
            line.is_open = false;
            self.numbers.forget(words);
        }
        self.lines.push(Line {
            text,
            words: range,
            is_open: false,
        });
    }

    /// The text of an instruction, and whether it is open; `None` if it does not follow the grammar.
    fn line(&mut self, words: &[u32]) -> Option<(String, bool)> {
        let grammar = grammar::instruction(words[0] & 0xffff)?;
        let mut decoder = OperandDecoder {
            numbers: &self.numbers,
            sets: &self.sets,
            first: words.get(1).copied(),
            rest: &words[1..],
            previous: 0,
            result: None,
            text: String::new(),
            is_open: false,
        };
        decoder.operands(grammar.operands).ok()?;
        if !decoder.rest.is_empty() {
            return None;
        }
        let mut text =
            String::with_capacity(INDENT + 5 + decoder.text.len() + grammar.opname.len());
        // Writing to a string cannot fail.
        let _ = match decoder.result {
            Some(id) => write!(text, "{:>INDENT$} = ", format!("%{id}")),
            None => write!(text, "{:1$}", "", INDENT + 3),
        };
        let _ = write!(
            text,
            "Op{}{}",
            grammar::instruction_name(grammar),
            decoder.text
        );
        let is_open = decoder.is_open;
        if grammar.opcode == Op::ExtInstImport {
            let (name, _) = literal::string(&words[2..])?;
            let set = grammar::set(&name).filter(|_| grammar::has_known_names(&name));
            self.sets.insert(words[1], set);
        }
        Some((text, is_open))
    }
}

fn raw(words: &[u32]) -> String {
    let mut text = " ".repeat(INDENT + 2);
    for word in words {
        // Writing to a string cannot fail.
        let _ = write!(text, " !{word:#010x}");
    }
    text
}

/// The operands do not follow the grammar, so the instruction is written as raw words.
struct NotInGrammar;

type Decoded<T = ()> = std::result::Result<T, NotInGrammar>;

/// Decodes the operands of one instruction.
struct OperandDecoder<'a> {
    numbers: &'a NumericTypes,
    sets: &'a HashMap<u32, Option<ExtInstSet>>,
    /// The first operand, which determines the type of some literals.
    first: Option<u32>,
    rest: &'a [u32],
    previous: u32,
    result: Option<u32>,
    text: String,
    is_open: bool,
}

impl OperandDecoder<'_> {
    fn operands(&mut self, operands: &[LogicalOperand]) -> Decoded {
        for operand in operands {
            match operand.quantifier {
                OperandQuantifier::One => self.operand(operand.kind)?,
                OperandQuantifier::ZeroOrOne => {
                    self.is_open = true;
                    if !self.rest.is_empty() {
                        self.operand(operand.kind)?;
                    }
                }
                OperandQuantifier::ZeroOrMore => {
                    self.is_open = true;
                    while !self.rest.is_empty() {
                        self.operand(operand.kind)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn operand(&mut self, kind: OperandKind) -> Decoded {
        match kind {
            OperandKind::IdResult => {
                let id = self.word()?;
                self.result = Some(id);
                return check_id(id);
            }
            OperandKind::IdResultType
            | OperandKind::IdRef
            | OperandKind::IdScope
            | OperandKind::IdMemorySemantics => self.id()?,
            OperandKind::LiteralString => {
                let (text, count) = literal::string(self.rest).ok_or(NotInGrammar)?;
                self.rest = &self.rest[count..];
                self.push(&literal::quote(&text));
            }
            OperandKind::LiteralInteger => self.integer()?,
            OperandKind::LiteralFloat => self.number(NumericType::Float { width: 32 })?,
            OperandKind::LiteralContextDependentNumber => {
                let number = self.first.and_then(|ty| self.numbers.of_type(ty));
                self.number(number.ok_or(NotInGrammar)?)?;
            }
            OperandKind::LiteralExtInstInteger => self.extended()?,
            OperandKind::LiteralSpecConstantOpInteger => self.operation()?,
            OperandKind::PairIdRefIdRef => {
                self.id()?;
                self.id()?;
            }
            OperandKind::PairIdRefLiteralInteger => {
                self.id()?;
                self.integer()?;
            }
            OperandKind::PairLiteralIntegerIdRef => {
                let number = self.first.and_then(|id| self.numbers.of_value(id));
                let number = number.filter(|number| matches!(number, NumericType::Integer { .. }));
                self.number(number.ok_or(NotInGrammar)?)?;
                self.id()?;
            }
            _ => self.enumerant(kind)?,
        }
        Ok(())
    }

    fn push(&mut self, text: &str) {
        self.text.push(' ');
        self.text.push_str(text);
    }

    fn word(&mut self) -> Decoded<u32> {
        let (first, rest) = self.rest.split_first().ok_or(NotInGrammar)?;
        self.rest = rest;
        self.previous = *first;
        Ok(*first)
    }

    fn id(&mut self) -> Decoded {
        let id = self.word()?;
        check_id(id)?;
        // Writing to a string cannot fail, here and below.
        let _ = write!(self.text, " %{id}");
        Ok(())
    }

    fn integer(&mut self) -> Decoded {
        let word = self.word()?;
        let _ = write!(self.text, " {word}");
        Ok(())
    }

    fn number(&mut self, number: NumericType) -> Decoded {
        let count = match number {
            NumericType::Integer { width: 64, .. } | NumericType::Float { width: 64 } => 2,
            _ => 1,
        };
        let (words, rest) = self.rest.split_at_checked(count).ok_or(NotInGrammar)?;
        self.rest = rest;
        self.push(&literal::print(words, number).ok_or(NotInGrammar)?);
        Ok(())
    }

    /// Writes the opcode of an extended instruction: its name if the set is known, else its number.
    fn extended(&mut self) -> Decoded {
        let set = self.sets.get(&self.previous).ok_or(NotInGrammar)?;
        let number = self.word()?;
        match set.and_then(|set| set.lookup_opcode(number)) {
            Some(instruction) => {
                self.push(instruction.opname);
                self.operands(instruction.operands)
            }
            None => {
                let _ = write!(self.text, " {number}");
                Ok(())
            }
        }
    }

    fn operation(&mut self) -> Decoded {
        let opcode = self.word()?;
        let grammar = grammar::instruction(opcode)
            .filter(|grammar| grammar.opcode != Op::SpecConstantOp)
            .ok_or(NotInGrammar)?;
        self.push(grammar.opname);
        let own = grammar.operands.iter().filter(|operand| {
            !matches!(
                operand.kind,
                OperandKind::IdResult | OperandKind::IdResultType
            )
        });
        self.operands(&own.cloned().collect::<Vec<_>>())
    }

    fn enumerant(&mut self, kind: OperandKind) -> Decoded {
        let number = self.word()?;
        self.push(&grammar::name(kind, number).ok_or(NotInGrammar)?);
        self.operands(&grammar::operands(kind, number))
    }
}

/// Ids are neither 0 nor as large as no bound allows.
fn check_id(id: u32) -> Decoded {
    if id == 0 || id == u32::MAX {
        return Err(NotInGrammar);
    }
    Ok(())
}
