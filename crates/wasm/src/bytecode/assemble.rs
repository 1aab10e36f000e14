//! Assembler: parses the text format that [`disassemble`](super::disassemble()) writes.
//!
//! In: text. Out: a program that [`verify`](super::verify()) has accepted, or an error with its line
//! and column. `disassemble` documents the syntax. Functions may appear in any order, identified by
//! their index; labels are local to their function.

use std::collections::HashMap;

use super::disassemble::{bulk_spaces, space};
use super::verify::{VerifyError, verify};
use super::{
    Bytecode, Export, Format, Function, FunctionType, Host, Limits, Op, Position, Type, escape,
};

/// Why a text is not a valid program, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AssembleError {
    /// Syntax error.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The character in the line, counted from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// The syntax is valid, but the verifier rejects the program.
    #[error("{0}")]
    Verify(#[from] VerifyError),
}

/// Parses and verifies a program.
///
/// # Errors
///
/// The first syntax error, or the first verification error.
pub fn assemble(text: &str) -> Result<Bytecode, AssembleError> {
    let mut assembler = Assembler::default();
    let mut last = 1;
    for (i, line) in text.lines().enumerate() {
        last = i + 1;
        let mut line = Line {
            number: last,
            text: line,
            at: 0,
        };
        assembler.line(&mut line)?;
    }
    let end = Line {
        number: last,
        text: "",
        at: 0,
    };
    let program = assembler.finish(&end)?;
    verify(&program)?;
    Ok(program)
}

/// A line and the read position in it.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: usize,
    text: &'a str,
    at: usize,
}

type ParseResult<T> = Result<T, AssembleError>;

impl<'a> Line<'a> {
    fn error<T>(&self, at: usize, message: impl Into<String>) -> ParseResult<T> {
        let before = self.text.get(..at).unwrap_or(self.text);
        Err(AssembleError::Syntax {
            line: self.number,
            column: before.chars().count() + 1,
            message: escape(&message.into()).into_owned(),
        })
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Skips whitespace, commas and comments.
    fn skip(&mut self) {
        let rest = self.rest();
        let next = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        self.at += rest.len() - next.len();
        if next.starts_with(';') {
            self.at = self.text.len();
        }
    }

    fn is_done(&mut self) -> bool {
        self.skip();
        self.rest().is_empty()
    }

    /// The next token and the byte at which it begins; empty at the end of the line.
    fn token(&mut self) -> (usize, &'a str) {
        self.skip();
        let (start, rest) = (self.at, self.rest());
        let ends = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"');
        let len = rest.find(ends).unwrap_or(rest.len());
        self.at += len;
        (start, &rest[..len])
    }

    /// An integer in a range, signed or not, decimal or hexadecimal.
    fn number(&mut self, min: i128, max: i128) -> ParseResult<i128> {
        let (at, token) = self.token();
        match number(token) {
            Some(value) if (min..=max).contains(&value) => Ok(value),
            Some(_) => self.error(at, format!("{token} is not in the range {min} to {max}")),
            None => self.error(at, format!("expected a number, found `{token}`")),
        }
    }

    fn word(&mut self) -> ParseResult<u32> {
        Ok(self.number(0, u32::MAX.into())? as u32)
    }

    /// 32 bits, as a signed or an unsigned number.
    fn bits(&mut self) -> ParseResult<u32> {
        Ok(self.number(i32::MIN.into(), u32::MAX.into())? as u32)
    }

    /// A number after a prefix, such as `r3`.
    fn named(&mut self, prefix: &str, max: u32) -> ParseResult<u32> {
        let (at, token) = self.token();
        let digits = token.strip_prefix(prefix);
        let value = digits.and_then(|digits| digits.parse::<u32>().ok());
        match value {
            Some(value) if value <= max => Ok(value),
            Some(_) => self.error(at, format!("`{token}` is beyond {prefix}{max}")),
            None => {
                let found = if token.is_empty() { "the end" } else { token };
                self.error(
                    at,
                    format!("expected `{prefix}` and a number, found `{found}`"),
                )
            }
        }
    }

    fn slot(&mut self) -> ParseResult<u8> {
        Ok(self.named("r", 255)? as u8)
    }

    /// A quoted string.
    fn string(&mut self) -> ParseResult<String> {
        self.skip();
        let start = self.at;
        let mut text = String::new();
        let mut chars = self.rest().char_indices();
        if !matches!(chars.next(), Some((_, '"'))) {
            return self.error(start, "expected text between quotes");
        }
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at = start + i + 1;
                    return Ok(text);
                }
                '\\' => match escaped(&mut chars) {
                    Some(c) => text.push(c),
                    None => return self.error(start + i, "unknown escape"),
                },
                c => text.push(c),
            }
        }
        self.error(start, "the text has no closing quote")
    }

    fn end(&mut self) -> ParseResult<()> {
        if self.is_done() {
            Ok(())
        } else {
            self.error(self.at, "expected the end of the line")
        }
    }
}

fn number(token: &str) -> Option<i128> {
    let (sign, digits) = match token.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, token),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let value = match digits.strip_prefix("0x") {
        Some(digits) => i128::from(u64::from_str_radix(digits, 16).ok()?),
        None => i128::from(digits.parse::<u64>().ok()?),
    };
    Some(sign * value)
}

/// The character of an escape sequence; the backslash has been read.
fn escaped(chars: &mut std::str::CharIndices<'_>) -> Option<char> {
    match chars.next()?.1 {
        c @ ('"' | '\\') => Some(c),
        'u' => {
            let digits: String = chars.map(|(_, c)| c).take_while(|&c| c != '}').collect();
            char::from_u32(u32::from_str_radix(digits.strip_prefix('{')?, 16).ok()?)
        }
        _ => None,
    }
}

#[derive(Default)]
struct Assembler<'a> {
    program: Bytecode,
    functions: HashMap<u32, Function>,
    /// The function that is being parsed.
    open: Option<OpenFunction<'a>>,
}

struct OpenFunction<'a> {
    number: u32,
    function: Function,
    labels: HashMap<&'a str, u32>,
    /// Code words to patch with label addresses at the end of the function: word, label, and where
    /// the label was used.
    uses: Vec<(usize, &'a str, Line<'a>)>,
}

impl<'a> Assembler<'a> {
    fn line(&mut self, line: &mut Line<'a>) -> ParseResult<()> {
        if line.is_done() {
            return Ok(());
        }
        let (at, token) = line.token();
        let here = self.program.code.len() as u32;
        if let Some(directive) = token.strip_prefix('.') {
            self.directive(line, at, directive)?;
        } else if let Some(label) = token.strip_suffix(':') {
            let Some(open) = &mut self.open else {
                return line.error(at, "a label outside a function");
            };
            if open.labels.insert(label, here).is_some() {
                return line.error(at, format!("label `{label}` is defined twice"));
            }
        } else {
            if self.open.is_none() {
                return line.error(at, "an instruction outside a function");
            }
            match Op::ALL.iter().find(|op| op.name() == token) {
                Some(&op) => self.instruction(line, op)?,
                None => return line.error(at, format!("`{token}` is not an instruction")),
            }
        }
        line.end()
    }

    fn directive(&mut self, line: &mut Line<'a>, at: usize, name: &str) -> ParseResult<()> {
        let program = &mut self.program;
        match name {
            "type" => program.types.push(signature(line)?),
            "memory" => program.memories.push(limits(line)?),
            "table" => program.tables.push(limits(line)?),
            "globals" => program.globals = line.word()?,
            "stack_pointer" => program.stack_pointer = Some(line.word()?),
            "statics" => program.statics = [line.word()?, line.word()?],
            "data" => program.data.push(hex(line)?),
            "elem" => {
                let mut segment = Vec::new();
                while !line.is_done() {
                    segment.push(line.word()?);
                }
                program.elements.push(segment);
            }
            "init" => program.inits.push(line.named("f", u32::MAX)?),
            "export" => program.exports.push(Export {
                module: line.word()?,
                name: line.string()?,
                function: line.named("f", u32::MAX)?,
                launch: line.named("f", u32::MAX)?,
            }),
            "name" => program.debug.names.push(line.string()?),
            "word" => program.code.push(line.word()?),
            "at" => {
                let word = program.code.len() as u32;
                let (name, offset) = (line.word()?, line.word()?);
                program
                    .debug
                    .positions
                    .push(Position { word, name, offset });
            }
            "position" => {
                let (word, name, offset) = (line.word()?, line.word()?, line.word()?);
                program
                    .debug
                    .positions
                    .push(Position { word, name, offset });
            }
            "function" => self.begin(line, at)?,
            "end" => self.end(line, at)?,
            _ => return line.error(at, format!("`.{name}` is not a directive")),
        }
        Ok(())
    }

    fn begin(&mut self, line: &mut Line<'a>, at: usize) -> ParseResult<()> {
        if self.open.is_some() {
            return line.error(at, "the previous function has no `.end`");
        }
        let number = line.word()?;
        let type_index = line.named("type", u32::MAX)?;
        let (at, token) = line.token();
        if token != "frame" {
            return line.error(at, format!("expected `frame`, found `{token}`"));
        }
        let entry = self.program.code.len() as u32;
        self.open = Some(OpenFunction {
            number,
            function: Function {
                entry,
                end: entry,
                frame: line.word()?,
                type_index,
            },
            labels: HashMap::new(),
            uses: Vec::new(),
        });
        Ok(())
    }

    fn end(&mut self, line: &Line<'a>, at: usize) -> ParseResult<()> {
        let Some(mut open) = self.open.take() else {
            return line.error(at, "there is no function to end");
        };
        for (word, label, place) in open.uses {
            match open.labels.get(label) {
                Some(&target) => self.program.code[word] = target,
                None => return place.error(place.at, format!("there is no label `{label}`")),
            }
        }
        open.function.end = self.program.code.len() as u32;
        match self.functions.insert(open.number, open.function) {
            Some(_) => line.error(at, format!("function {} is defined twice", open.number)),
            None => Ok(()),
        }
    }

    fn finish(mut self, end: &Line<'_>) -> ParseResult<Bytecode> {
        if self.open.is_some() {
            return end.error(0, "the last function has no `.end`");
        }
        for number in 0..self.functions.len() as u32 {
            match self.functions.remove(&number) {
                Some(function) => self.program.functions.push(function),
                None => return end.error(0, format!("there is no function {number}")),
            }
        }
        self.program
            .debug
            .positions
            .sort_by_key(|position| position.word);
        Ok(self.program)
    }

    fn push(&mut self, op: Op, [a, b, c]: [u8; 3], rest: &[u32]) {
        self.program
            .code
            .push(u32::from_le_bytes([op as u8, a, b, c]));
        self.program.code.extend(rest);
    }

    /// A jump target. The word is patched at the end of the function.
    fn target(&mut self, line: &mut Line<'a>) -> ParseResult<()> {
        let (at, label) = line.token();
        if label.is_empty() {
            return line.error(at, "expected a label");
        }
        let word = self.program.code.len();
        self.program.code.push(0);
        if let Some(open) = &mut self.open {
            open.uses.push((word, label, Line { at, ..*line }));
        }
        Ok(())
    }

    fn instruction(&mut self, line: &mut Line<'a>, op: Op) -> ParseResult<()> {
        match op.format() {
            Format::None => self.push(op, [0; 3], &[]),
            Format::D | Format::X => {
                let a = line.slot()?;
                self.push(op, [a, 0, 0], &[]);
            }
            Format::Dx | Format::Xy => {
                let [a, b] = slots(line)?;
                self.push(op, [a, b, 0], &[]);
            }
            Format::Dxy => {
                let operands = slots(line)?;
                self.push(op, operands, &[]);
            }
            Format::Dxyz => {
                let operands = slots(line)?;
                let z = line.slot()?;
                self.push(op, operands, &[z.into()]);
            }
            Format::Dxi => {
                let [a, b] = slots(line)?;
                let constant = line.bits()?;
                self.push(op, [a, b, 0], &[constant]);
            }
            Format::Di => {
                let a = line.slot()?;
                let constant = line.bits()?;
                self.push(op, [a, 0, 0], &[constant]);
            }
            Format::Dii => {
                let a = line.slot()?;
                let bits = line.number(i64::MIN.into(), u64::MAX.into())? as u64;
                self.push(op, [a, 0, 0], &[bits as u32, (bits >> 32) as u32]);
            }
            Format::Dn | Format::Xn => {
                let a = line.slot()?;
                let [low, high] = numbered(line, space(op))?;
                self.push(op, [a, low, high], &[]);
            }
            Format::T | Format::Xt | Format::Xyt | Format::Xit | Format::Table => {
                self.jump(line, op)?;
            }
            Format::Load | Format::Store => self.access(line, op)?,
            Format::Call | Format::CallIndirect => self.call(line, op)?,
            Format::Bulk => self.bulk(line, op)?,
            Format::DxyTo | Format::XyTo => self.numbered(line, op)?,
            Format::Segment => {
                let [low, high] = numbered(line, space(op))?;
                self.push(op, [0, low, high], &[]);
            }
            Format::Host => {
                let a = line.slot()?;
                let [low, high] = host(line)?;
                self.push(op, [a, low, high], &[]);
            }
        }
        Ok(())
    }

    /// A load or a store.
    fn access(&mut self, line: &mut Line<'a>, op: Op) -> ParseResult<()> {
        let [a, b] = slots(line)?;
        let offset = line.word()?;
        let memory = line.named("memory", 255)? as u8;
        self.push(op, [a, b, memory], &[offset]);
        Ok(())
    }

    /// A direct or an indirect call.
    fn call(&mut self, line: &mut Line<'a>, op: Op) -> ParseResult<()> {
        if op == Op::Call {
            let function = line.named("f", u32::MAX)?;
            let base = base(line)?;
            self.push(op, base, &[function]);
        } else {
            let ty = line.named("type", u32::MAX)?;
            let base = base(line)?;
            let slot = u32::from(line.slot()?);
            let table = line.named("table", 255)?;
            self.push(op, base, &[ty, slot | table << 8]);
        }
        Ok(())
    }

    /// An instruction on a range of a memory or a table.
    fn bulk(&mut self, line: &mut Line<'a>, op: Op) -> ParseResult<()> {
        let operands = slots(line)?;
        let (written, read) = bulk_spaces(op);
        let to = line.named(written, 0xffff)?;
        let from = read.map_or(Ok(0), |read| line.named(read, 0xffff))?;
        self.push(op, operands, &[to | from << 16]);
        Ok(())
    }

    /// An instruction with slots, and the index of a memory or a table in the next word.
    fn numbered(&mut self, line: &mut Line<'a>, op: Op) -> ParseResult<()> {
        let [a, b] = slots(line)?;
        let c = match op.widths()[2] {
            0 => 0,
            _ => line.slot()?,
        };
        let index = line.named(space(op), u32::MAX)?;
        self.push(op, [a, b, c], &[index]);
        Ok(())
    }

    /// An instruction with jump targets.
    fn jump(&mut self, line: &mut Line<'a>, op: Op) -> ParseResult<()> {
        let format = op.format();
        let a = match format {
            Format::T => 0,
            _ => line.slot()?,
        };
        let b = match format {
            Format::Xyt => line.slot()?,
            _ => 0,
        };
        self.push(op, [a, b, 0], &[]);
        match format {
            Format::Xit => {
                let constant = line.bits()?;
                self.program.code.push(constant);
            }
            Format::Table => {
                let count = self.program.code.len();
                self.program.code.push(0);
                self.target(line)?;
                while !line.is_done() {
                    self.target(line)?;
                    self.program.code[count] += 1;
                }
                return Ok(());
            }
            _ => {}
        }
        self.target(line)
    }
}

fn slots<const N: usize>(line: &mut Line<'_>) -> ParseResult<[u8; N]> {
    let mut slots = [0; N];
    for slot in &mut slots {
        *slot = line.slot()?;
    }
    Ok(slots)
}

/// An operand of the form `b | c << 8`.
fn numbered(line: &mut Line<'_>, space: &str) -> ParseResult<[u8; 2]> {
    Ok((line.named(space, 0xffff)? as u16).to_le_bytes())
}

fn base(line: &mut Line<'_>) -> ParseResult<[u8; 3]> {
    let [a, b, c, _] = line.named("base", 0xff_ffff)?.to_le_bytes();
    Ok([a, b, c])
}

fn host(line: &mut Line<'_>) -> ParseResult<[u8; 2]> {
    let (at, token) = line.token();
    let host = Host::ALL.iter().find(|host| format!("{host:?}") == token);
    match host {
        Some(&host) => Ok((host as u16).to_le_bytes()),
        None => line.error(at, format!("`{token}` is not a host function")),
    }
}

fn signature(line: &mut Line<'_>) -> ParseResult<FunctionType> {
    const TYPES: [Type; 6] = [
        Type::I32,
        Type::I64,
        Type::F32,
        Type::F64,
        Type::FuncRef,
        Type::ExternRef,
    ];
    let (mut params, mut results) = (Vec::new(), None);
    while !line.is_done() {
        let (at, token) = line.token();
        let ty = TYPES.iter().find(|ty| ty.name() == token);
        match (token, ty) {
            ("->", _) if results.is_none() => results = Some(Vec::new()),
            (_, Some(&ty)) => results.as_mut().unwrap_or(&mut params).push(ty),
            _ => return line.error(at, format!("`{token}` is not a type")),
        }
    }
    match results {
        Some(results) => Ok(FunctionType { params, results }),
        None => line.error(line.at, "expected `->` and the results"),
    }
}

fn limits(line: &mut Line<'_>) -> ParseResult<Limits> {
    let initial = line.word()?;
    let maximum = if line.is_done() {
        None
    } else {
        Some(line.word()?)
    };
    Ok(Limits { initial, maximum })
}

fn hex(line: &mut Line<'_>) -> ParseResult<Vec<u8>> {
    line.skip();
    let at = line.at;
    let text = line.string()?;
    let digits: Option<Vec<u32>> = text.chars().map(|c| c.to_digit(16)).collect();
    match digits {
        Some(digits) if digits.len() % 2 == 0 => Ok(digits
            .chunks_exact(2)
            .map(|pair| (pair[0] << 4 | pair[1]) as u8)
            .collect()),
        _ => line.error(at, "expected pairs of hexadecimal digits"),
    }
}
