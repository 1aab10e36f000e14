//! Reads the text form of a function, for tests.
//!
//! In: text as `display` writes it; indentation and blank lines do not matter. Out: a function with
//! the same numbers of values and blocks. All traps of one code are one site, accesses trap as
//! `OutOfBoundsMemory`. Values without a definition in the text are unused placeholders.

mod names;
mod operation;

use std::collections::HashMap;

use super::{
    Argument, Block, Builtin, Edge, Function, Object, Op, Terminator, Trap, TrapSite, Type, Value,
};
use crate::TrapCode;
use crate::module::Type as WasmType;
use names::{all_builtins, parse_object};

type Parsed<T> = Result<T, String>;

/// Reads a function.
pub(crate) fn parse(text: &str) -> Parsed<Function> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.collect();
    let mut parser = Parser {
        function: Function::default(),
        traps: HashMap::new(),
    };
    parser.declare(&lines)?;
    let mut block = Function::ENTRY;
    for line in lines {
        let result = if is_label(line) {
            block = number(line, 'b').map(Block)?;
            Ok(())
        } else {
            parser.line(block, line)
        };
        result.map_err(|error| format!("`{line}`: {error}"))?;
    }
    Ok(parser.function)
}

fn is_label(line: &str) -> bool {
    line.ends_with(':')
}

/// The number after a letter at the start of a text.
fn number(text: &str, letter: char) -> Parsed<u32> {
    let digits = text.strip_prefix(letter).unwrap_or_default();
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    let value = digits[..end].parse();
    value.map_err(|_| format!("`{text}` is not {letter} and a number"))
}

/// Splits at commas that are not in brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        parts.push(last);
    }
    parts
}

/// The text in the first pair of brackets that opens a text's tail, and what is before it.
fn brackets(text: &str, [open, close]: [char; 2]) -> Option<(&str, &str)> {
    let (before, rest) = text.split_once(open)?;
    Some((before, rest.strip_suffix(close)?))
}

fn ty(name: &str) -> Parsed<Type> {
    let types = [
        Type::Unit,
        Type::Bool,
        Type::I32,
        Type::I64,
        Type::F32,
        Type::F64,
    ];
    let named = types.into_iter().find(|ty| ty.name() == name.trim());
    named.ok_or_else(|| format!("no type `{name}`"))
}

/// The item whose debug text is this.
fn named<T: std::fmt::Debug + Copy>(items: &[T], name: &str) -> Option<T> {
    (items.iter().copied()).find(|item| format!("{item:?}") == name)
}

struct Parser {
    function: Function,
    traps: HashMap<TrapCode, Trap>,
}

impl Parser {
    /// Creates the blocks, their parameters and all values that the text defines.
    fn declare(&mut self, lines: &[&str]) -> Parsed<()> {
        let mut types: Vec<Type> = Vec::new();
        let mut define = |text: &str| -> Parsed<Value> {
            let (value, name) = text.split_once(':').ok_or("a type is missing")?;
            let at = number(value.trim(), 'v')?;
            let end = types.len().max(at as usize + 1);
            types.resize(end, Type::Unit);
            types[at as usize] = ty(name)?;
            Ok(Value(at))
        };
        let mut params = Vec::new();
        for line in lines {
            if is_label(line) {
                let block = number(line, 'b')?;
                let list = brackets(line.trim_end_matches(':'), ['(', ')']);
                let list = list.map_or(Ok(Vec::new()), |(_, list)| {
                    split(list).into_iter().map(&mut define).collect()
                });
                params.push((block, list?));
            } else if line.starts_with('v')
                && let Some((definition, _)) = line.split_once('=')
            {
                define(definition)?;
            }
        }
        for ty in types {
            self.function.add_value(Op::Param, ty);
        }
        for (block, list) in params {
            while self.function.blocks.len() <= block as usize {
                self.function.add_block();
            }
            self.function.block_mut(Block(block)).params = list;
        }
        Ok(())
    }

    fn line(&mut self, block: Block, line: &str) -> Parsed<()> {
        if let Some(header) = line.strip_prefix("kernel ") {
            return self.header(header);
        }
        if let Some(slices) = line.strip_prefix("slices ") {
            let objects = split(slices)
                .into_iter()
                .map(|one| number(one, 'o').map(Object));
            self.function.slices = objects.collect::<Parsed<_>>()?;
            return Ok(());
        }
        if line.starts_with('o')
            && let Some((_, object)) = line.split_once(" = ")
        {
            let object = parse_object(object)?;
            self.function.add_object(object);
            return Ok(());
        }
        if let Some(terminator) = self.terminator(line)? {
            self.function.block_mut(block).terminator = terminator;
            return Ok(());
        }
        let (value, text) = match line.split_once(" = ") {
            Some((definition, text)) => (Value(number(definition, 'v')?), text),
            None => (self.function.add_value(Op::Param, Type::Unit), line),
        };
        let op = self.op(text)?;
        *self.function.op_mut(value) = op;
        self.function.block_mut(block).insts.push(value);
        Ok(())
    }

    fn header(&mut self, text: &str) -> Parsed<()> {
        let (text, results) = text.split_once(" -> ").unwrap_or((text, ""));
        self.function.results = split(results).into_iter().map(ty).collect::<Parsed<_>>()?;
        let (name, arguments) = brackets(text, ['(', ')']).unwrap_or((text, ""));
        self.function.name = name.to_owned();
        for argument in split(arguments) {
            let argument = if let Some(index) = argument.strip_prefix("slice") {
                Argument::SliceAddress(index.parse().map_err(|_| "no index")?)
            } else if let Some(index) = argument.strip_prefix("len") {
                Argument::SliceLength(index.parse().map_err(|_| "no index")?)
            } else {
                let types = [WasmType::I32, WasmType::I64, WasmType::F32, WasmType::F64];
                let ty = types.into_iter().find(|ty| ty.name() == argument);
                Argument::Number(ty.ok_or("no type")?)
            };
            self.function.arguments.push(argument);
        }
        Ok(())
    }

    fn trap(&mut self, code: TrapCode) -> Trap {
        let function = &mut self.function;
        *self.traps.entry(code).or_insert_with(|| {
            function.add_trap(TrapSite {
                code,
                function: function.name.clone(),
                offset: 0,
                message: None,
            })
        })
    }

    /// A trap code and the words after it.
    fn trap_and_words(&mut self, text: &str) -> Parsed<(Trap, Vec<Value>)> {
        let (code, words) = text.split_once(' ').unwrap_or((text, ""));
        let code = named(TrapCode::ALL, code).ok_or("no trap code")?;
        Ok((self.trap(code), self.operands(words)?))
    }

    fn operands(&mut self, text: &str) -> Parsed<Vec<Value>> {
        let operands = split(text).into_iter();
        operands.map(|operand| self.operand(operand)).collect()
    }

    fn exactly<const N: usize>(&mut self, text: &str) -> Parsed<[Value; N]> {
        let operands = self.operands(text)?;
        operands
            .try_into()
            .map_err(|_| format!("not {N} operands: `{text}`"))
    }

    fn operand(&mut self, text: &str) -> Parsed<Value> {
        if let Ok(at) = number(text, 'v') {
            let is_known = (at as usize) < self.function.value_count();
            return is_known
                .then_some(Value(at))
                .ok_or(format!("no value {text}"));
        }
        let (op, ty) = self.floating(text).ok_or(format!("no operand `{text}`"))?;
        Ok(self.function.floating(op, ty))
    }

    fn floating(&self, text: &str) -> Option<(Op, Type)> {
        let constant = |bits: u64, ty| Some((Op::Const(bits), ty));
        let index = |name: &str| text.strip_prefix(name)?.parse::<u32>().ok();
        match text {
            "true" | "false" => return constant(u64::from(text == "true"), Type::Bool),
            "sp" => return Some((Op::StackPointer, Type::I32)),
            _ => {}
        }
        if let Some(at) = index("arg") {
            return match self.function.arguments.get(at as usize)? {
                Argument::Number(ty) => Some((Op::Argument(at), Type::of(*ty))),
                _ => None,
            };
        }
        if let Some(at) = index("slice") {
            return Some((Op::SliceAddress(at), Type::I32));
        }
        if let Some(at) = index("len") {
            return Some((Op::SliceLength(at), Type::I32));
        }
        if let Some(("words", object)) = brackets(text, ['(', ')']) {
            let object = Object(number(object, 'o').ok()?);
            return Some((Op::ObjectLength(object), Type::I32));
        }
        if let Some(builtin) = named(&all_builtins(), text) {
            let ty = if builtin == Builtin::Time {
                Type::F32
            } else {
                Type::I32
            };
            return Some((Op::Builtin(builtin), ty));
        }
        if let Some(bits) = text.strip_prefix("f32#") {
            return constant(u64::from_str_radix(bits, 16).ok()?, Type::F32);
        }
        if let Some(bits) = text.strip_prefix("f64#") {
            return constant(u64::from_str_radix(bits, 16).ok()?, Type::F64);
        }
        if let Some(value) = text.strip_suffix("lf") {
            return constant(value.parse::<f64>().ok()?.to_bits(), Type::F64);
        }
        if let Some(value) = text.strip_suffix('f') {
            let bits = value.parse::<f32>().ok()?.to_bits();
            return constant(u64::from(bits), Type::F32);
        }
        if let Some(value) = text.strip_suffix('l') {
            return constant(value.parse::<i64>().ok()?.cast_unsigned(), Type::I64);
        }
        let word = text.parse::<i64>().ok()?;
        constant(u64::from(word as u32), Type::I32)
    }

    fn edge(&mut self, text: &str) -> Parsed<Edge> {
        let block = Block(number(text, 'b')?);
        if self.function.blocks.len() <= block.0 as usize {
            return Err(format!("no block {text}"));
        }
        let args = match brackets(text, ['(', ')']) {
            Some((_, args)) => self.operands(args)?,
            None => Vec::new(),
        };
        Ok(Edge { block, args })
    }

    fn terminator(&mut self, line: &str) -> Parsed<Option<Terminator>> {
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        Ok(Some(match name {
            "jump" => Terminator::Jump(self.edge(rest)?),
            "branch" => match split(rest)[..] {
                [condition, yes, no] => Terminator::Branch {
                    condition: self.operand(condition)?,
                    yes: self.edge(yes)?,
                    no: self.edge(no)?,
                },
                _ => return Err("a branch has a condition and two edges".to_owned()),
            },
            "switch" => match split(rest)[..] {
                [index, targets, default] => {
                    let (_, targets) = brackets(targets, ['[', ']']).ok_or("no targets")?;
                    let targets = split(targets).into_iter().map(|edge| self.edge(edge));
                    Terminator::Switch {
                        targets: targets.collect::<Parsed<_>>()?,
                        index: self.operand(index)?,
                        default: self.edge(default)?,
                    }
                }
                _ => return Err("a switch has an index, targets and a default".to_owned()),
            },
            "return" => Terminator::Return(self.operands(rest)?),
            "trap" => {
                let (trap, words) = self.trap_and_words(rest)?;
                Terminator::Trap { trap, words }
            }
            "unreachable" => Terminator::Unreachable,
            _ => return Ok(None),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::verify;
    use super::*;

    const TEXT: &str = r#"kernel all(i32, slice0, len0, f64) -> i32
o0 = F32 Binding(0, 1) written "out"
o1 = U32 Data[1, 2] words=2 "table"
o2 = AtomicU32 Workgroup words=4 written "counter"
slices o0
b0:
  v0: bool = LtUnsigned arg0, len0
  TrapIf v0, Panic arg0, len0
  v1: i64 = Load i64.16s+8 slice0
  v2: f32 = Load f32+4@0 sp
  v3: f32 = Add v2, f32#7fc00001
  Store f32 GlobalId(0), v3
  v4: i32 = TruncateSaturateSigned(I32) arg3
  v5: i32 = Host buffer_load 3, v4
  Host workgroup_barrier 
  v6: i32 = ObjectAtomic Add o2[0], -7
  v7: i32 = ObjectCompareExchange o2[v6], 1, 2
  v8: i32 = ObjectLoad o1[v7]
  ObjectStore o0[v8], 1.5f
  MemoryCopy v4, v5, 4
  MemoryInit 3 v4, v5, 4
  DataDrop 3
  switch v8, [b1(0, 1l), b2], b3
b3:
  trap Unreachable v8
b2:
  jump b1(words(o0), -5l)
b1(v12: i32, v13: i64):
  v14: i32 = Select v0, v12, 9
  v15: i64 = ZeroExtend v14
  v16: i64 = RotateLeft v15, v1
  v17: bool = Eq v16, v13
  branch v17, b1(v14, v16), b4
b4:
  return v14
"#;

    #[test]
    fn text_is_read_back() {
        let function = parse(TEXT).unwrap();
        verify(&function).unwrap();
        assert_eq!(function.to_string(), TEXT);
    }

    #[test]
    fn errors_name_the_line() {
        let error = parse("kernel x\nb0:\n  v0: i32 = Frob 1\n  return").unwrap_err();
        assert!(error.contains("Frob"), "{error}");
        assert!(parse("kernel x\nb0:\n  jump b7").is_err());
    }
}
