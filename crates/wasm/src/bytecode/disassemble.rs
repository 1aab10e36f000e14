//! Disassembler: prints a program as text that [`assemble`](super::assemble()) reads back.
//!
//! In: a program. Out: its complete text. Directives begin with a dot, each instruction is one
//! line, jump targets are labels, `;` begins a comment. Words that are not an instruction are
//! written as `.word`, so a program that [`verify`](super::verify()) rejects can be printed too.
//!
//! Operands: `r3` a slot, `base12` the first slot of a callee's frame, `f1` a function, `type2`,
//! `memory0`, `table0`, `data0` and `elem0` by index, everything else a plain number. `.at NAME
//! OFFSET` gives the source position of the next instruction.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::instruction::Instruction;
use super::{Bytecode, Format, Function, FunctionType, Host, Limits, Op, Type, escape};

/// Prints a program as text.
pub fn disassemble(program: &Bytecode) -> String {
    let mut text = String::new();
    let mut writer = Disassembler {
        program,
        text: &mut text,
        is_printed: vec![false; program.debug.positions.len()],
    };
    writer.head();
    writer.code();
    writer.rest();
    text
}

struct Disassembler<'a> {
    program: &'a Bytecode,
    text: &'a mut String,
    /// For each source position, whether it has been printed in front of an instruction.
    is_printed: Vec<bool>,
}

impl Disassembler<'_> {
    fn line(&mut self, line: impl std::fmt::Display) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{line}");
    }

    /// Prints every part of the program but the code.
    fn head(&mut self) {
        let program = self.program;
        for ty in &program.types {
            self.line(format_args!(".type {}", signature(ty)));
        }
        for memory in &program.memories {
            self.line(format_args!(".memory {}", limits(memory)));
        }
        for table in &program.tables {
            self.line(format_args!(".table {}", limits(table)));
        }
        self.line(format_args!(".globals {}", program.globals));
        if let Some(slot) = program.stack_pointer {
            self.line(format_args!(".stack_pointer {slot}"));
        }
        let [first, end] = program.statics;
        self.line(format_args!(".statics {first} {end}"));
        for data in &program.data {
            let hex: String = data.iter().map(|byte| format!("{byte:02x}")).collect();
            self.line(format_args!(".data \"{hex}\""));
        }
        for segment in &program.elements {
            let list: String = segment
                .iter()
                .map(|reference| format!(" {reference}"))
                .collect();
            self.line(format_args!(".elem{list}"));
        }
        for init in &program.inits {
            self.line(format_args!(".init f{init}"));
        }
        for export in &program.exports {
            let (module, name) = (export.module, quoted(&export.name));
            let (function, launch) = (export.function, export.launch);
            self.line(format_args!(
                ".export {module} {name} f{function} f{launch}"
            ));
        }
        for name in &program.debug.names {
            self.line(format_args!(".name {}", quoted(name)));
        }
    }

    /// Prints all code words, function by function.
    fn code(&mut self) {
        let mut order: Vec<usize> = (0..self.program.functions.len()).collect();
        order.sort_by_key(|&i| self.program.functions[i].entry);
        let mut at = 0;
        for i in order {
            let function = self.program.functions[i];
            let is_range = at <= function.entry as usize
                && function.entry <= function.end
                && function.end as usize <= self.program.code.len();
            if !is_range {
                let Function {
                    entry,
                    end,
                    frame,
                    type_index,
                } = function;
                self.line(format_args!("; f{i} is not in the code: words {entry} to {end}, frame {frame}, type{type_index}"));
                continue;
            }
            self.words(at, function.entry as usize);
            self.function(i, &function);
            at = function.end as usize;
        }
        self.words(at, self.program.code.len());
    }

    /// Prints words outside functions.
    fn words(&mut self, from: usize, to: usize) {
        for at in from..to {
            self.line(format_args!(".word {:#x}", self.program.code[at]));
        }
    }

    fn function(&mut self, number: usize, function: &Function) {
        let Function {
            frame, type_index, ..
        } = function;
        let name = self.name_of(number);
        self.line(format_args!(
            "\n.function {number} type{type_index} frame {frame}{name}"
        ));
        let end = function.end as usize;
        let code = &self.program.code[..end];
        let labels = labels(code, function);
        let mut at = function.entry as usize;
        while at < end {
            if let Some(label) = labels.get(&(at as u32)) {
                self.line(format_args!("{label}:"));
            }
            self.positions(at as u32);
            match Instruction::read(code, at) {
                Ok(instruction) => {
                    self.line(format_args!(
                        "    {}",
                        instruction_text(&instruction, &labels)
                    ));
                    at += instruction.words();
                }
                Err(_) => {
                    self.line(format_args!("    .word {:#x}", code[at]));
                    at += 1;
                }
            }
        }
        self.line(".end");
    }

    /// The function's export name, as a comment.
    fn name_of(&self, number: usize) -> String {
        let mut exports = self.program.exports.iter();
        let export = exports.find(|export| export.function as usize == number);
        export.map_or_else(String::new, |export| format!(" ; {}", quoted(&export.name)))
    }

    /// Prints the source positions that begin at this word.
    fn positions(&mut self, word: u32) {
        let debug = &self.program.debug;
        let first = debug
            .positions
            .partition_point(|position| position.word < word);
        let here = debug.positions.iter().enumerate().skip(first);
        for (i, position) in here.take_while(|(_, position)| position.word == word) {
            self.is_printed[i] = true;
            let name = debug
                .names
                .get(position.name as usize)
                .map_or_else(String::new, |name| format!(" ; {}", quoted(name)));
            self.line(format_args!(
                "    .at {} {:#x}{name}",
                position.name, position.offset
            ));
        }
    }

    /// Prints the source positions that were not printed in front of an instruction.
    fn rest(&mut self) {
        let positions = self.program.debug.positions.iter();
        for (position, is_printed) in positions.zip(self.is_printed.clone()) {
            if !is_printed {
                let (word, name, offset) = (position.word, position.name, position.offset);
                self.line(format_args!(".position {word} {name} {offset:#x}"));
            }
        }
    }
}

type Labels = BTreeMap<u32, String>;

/// Labels for the jump targets in a function, numbered in code order.
fn labels(code: &[u32], function: &Function) -> Labels {
    let (mut targets, mut starts) = (BTreeSet::new(), BTreeSet::new());
    let mut at = function.entry as usize;
    while at < code.len() {
        starts.insert(at as u32);
        match Instruction::read(code, at) {
            Ok(instruction) => {
                targets.extend(instruction.targets());
                at += instruction.words();
            }
            Err(_) => at += 1,
        }
    }
    let targets = targets.intersection(&starts).enumerate();
    targets
        .map(|(i, &target)| (target, format!("L{i}")))
        .collect()
}

/// One instruction, without label and position.
fn instruction_text(instruction: &Instruction<'_>, labels: &Labels) -> String {
    let operands = operands(instruction, labels);
    let name = instruction.op.name();
    if operands.is_empty() {
        name.to_owned()
    } else {
        format!("{name} {}", operands.join(", "))
    }
}

fn operands(instruction: &Instruction<'_>, labels: &Labels) -> Vec<String> {
    let [a, b, c] = instruction.operands.map(|slot| format!("r{slot}"));
    let number = instruction.number();
    let word = |index: usize| instruction.rest.get(index).copied().unwrap_or(0);
    let constant = || (word(0) as i32).to_string();
    // An invalid target is printed as its word.
    let label = |target: &u32| {
        labels
            .get(target)
            .cloned()
            .unwrap_or_else(|| target.to_string())
    };
    let target = |index| label(&word(index));
    let base = format!("base{}", instruction.base());
    match instruction.op.format() {
        Format::None => vec![],
        Format::D | Format::X => vec![a],
        Format::Dx | Format::Xy => vec![a, b],
        Format::Dxy => vec![a, b, c],
        Format::Dxyz => vec![a, b, c, format!("r{}", word(0) & 0xff)],
        Format::Dxi => vec![a, b, constant()],
        Format::Di => vec![a, constant()],
        Format::Dii => {
            let value = u64::from(word(0)) | u64::from(word(1)) << 32;
            vec![a, (value as i64).to_string()]
        }
        Format::Dn | Format::Xn => vec![a, numbered(instruction.op, number)],
        Format::T => vec![target(0)],
        Format::Xt => vec![a, target(0)],
        Format::Xyt => vec![a, b, target(0)],
        Format::Xit => vec![a, constant(), target(1)],
        Format::Table => [a]
            .into_iter()
            .chain(instruction.targets().iter().map(label))
            .collect(),
        Format::Load | Format::Store => {
            let memory = format!("memory{}", instruction.operands[2]);
            vec![a, b, word(0).to_string(), memory]
        }
        Format::Call => vec![format!("f{}", word(0)), base],
        Format::CallIndirect => {
            let [slot, table, ..] = word(1).to_le_bytes();
            let (slot, table) = (format!("r{slot}"), format!("table{table}"));
            vec![format!("type{}", word(0)), base, slot, table]
        }
        Format::Bulk => [a, b, c]
            .into_iter()
            .chain(bulk(instruction.op, word(0) & 0xffff, word(0) >> 16))
            .collect(),
        Format::DxyTo => {
            let place = format!("{}{}", space(instruction.op), word(0));
            match instruction.op.widths()[2] {
                0 => vec![a, b, place],
                _ => vec![a, b, c, place],
            }
        }
        Format::XyTo => vec![a, b, format!("{}{}", space(instruction.op), word(0))],
        Format::Segment => vec![format!("{}{number}", space(instruction.op))],
        Format::Host => vec![a, host_name(number)],
    }
}

/// The name of a host function. `read_file` has two variants, so the import name would be
/// ambiguous.
fn host_name(number: u16) -> String {
    Host::from_number(number).map_or_else(|| number.to_string(), |host| format!("{host:?}"))
}

/// What the index operand of an instruction refers to.
pub(super) fn space(op: Op) -> &'static str {
    match op {
        Op::MemorySize | Op::MemoryGrow => "memory",
        Op::TableSize | Op::TableGrow | Op::TableGet | Op::TableSet => "table",
        Op::DataDrop => "data",
        Op::ElemDrop => "elem",
        _ => "",
    }
}

fn numbered(op: Op, number: u16) -> String {
    format!("{}{number}", space(op))
}

/// What a bulk instruction writes, and what it reads if that is not a slot.
pub(super) fn bulk_spaces(op: Op) -> (&'static str, Option<&'static str>) {
    match op {
        Op::MemoryFill => ("memory", None),
        Op::MemoryCopy => ("memory", Some("memory")),
        Op::MemoryInit => ("memory", Some("data")),
        Op::TableFill => ("table", None),
        Op::TableCopy => ("table", Some("table")),
        _ => ("table", Some("elem")),
    }
}

fn bulk(op: Op, to: u32, from: u32) -> Vec<String> {
    let (written, read) = bulk_spaces(op);
    let read = read.map(|read| format!("{read}{from}"));
    [format!("{written}{to}")].into_iter().chain(read).collect()
}

fn signature(ty: &FunctionType) -> String {
    let list = |types: &[Type]| -> String { types.iter().map(|ty| format!("{ty} ")).collect() };
    format!("{}-> {}", list(&ty.params), list(&ty.results))
        .trim_end()
        .to_owned()
}

fn limits(limits: &Limits) -> String {
    match limits.maximum {
        Some(maximum) => format!("{} {maximum}", limits.initial),
        None => limits.initial.to_string(),
    }
}

/// A quoted string, on one line.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    // Backslashes of the text are escaped before those that start escapes.
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    quoted.push_str(&escape(&text));
    quoted.push('"');
    quoted
}
