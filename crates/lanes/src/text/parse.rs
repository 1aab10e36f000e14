//! The parser of the text form of functions.
//!
//! In: text. Out: a function, or the first syntax error. A recursive-descent parser, line by line in one pass. Blocks
//! and patterns have consecutive numbers; values have any numbers below [`MAX_VALUES`].

use smallvec::SmallVec;

use super::line::Line;
use super::names::{self, ATOMIC_SCOPES, CALLEE_WRITES, FIELDS, TYPES};
use super::{TextError, label};
use crate::ir::{
    Block, CallOutcome, Edge, Function, Inst, Kind, Op, Row, Space, Terminator, Type, Value,
    VectorMachine,
};

/// The limit on the numbers of values, so that a single number in the text cannot allocate gigabytes.
const MAX_VALUES: u32 = 1 << 22;

/// Parses a function, in the grammar of the [module](super).
///
/// # Errors
///
/// The first syntax error: its location, and what was expected there.
pub fn parse(text: &str) -> Result<Function, TextError> {
    let mut lines = (1..)
        .zip(text.lines())
        .map(|(number, line)| Line::new(number, line))
        .filter(|line| !line.is_empty());
    let Some(mut last) = lines.next() else {
        return Err(Line::new(1, "").expected("`kernel`"));
    };
    let mut parser = Parser::new(header(&mut last)?);
    for mut line in lines {
        parser.line(&mut line)?;
        last = line;
    }
    parser.finish(&last)
}

/// Parses the first line.
fn header(line: &mut Line<'_>) -> Result<Function, TextError> {
    line.expect("kernel")?;
    let mut entry = |name: &str| -> Result<u32, TextError> {
        line.expect(name)?;
        line.expect("=")?;
        line.integer()
    };
    let VectorMachine {
        lanes,
        capabilities,
    } = entry("lanes")?.into();
    let function = Function {
        lanes,
        capabilities,
        frame_bytes: entry("frame")?,
        barriers: entry("barriers")?,
        types: Vec::new(),
        blocks: Vec::new(),
        patterns: Vec::new(),
    };
    line.finish()?;
    Ok(function)
}

/// The state of the parser: the function as far as it has been parsed.
struct Parser {
    function: Function,
    /// By value: whether it has a definition.
    defined: Vec<bool>,
    /// The current block, and whether its terminator has been parsed.
    block: Option<(Block, bool)>,
}

impl Parser {
    fn new(function: Function) -> Self {
        Self {
            function,
            defined: Vec::new(),
            block: None,
        }
    }

    fn line(&mut self, line: &mut Line<'_>) -> Result<(), TextError> {
        if line.is_numbered('p') {
            self.pattern(line)?;
        } else if line.is_numbered('b') {
            self.label(line)?;
        } else {
            match &self.block {
                None => return Err(line.expected("a block like `b0:`")),
                Some((_, true)) => {
                    return Err(line.expected("a block, since the one before has ended"));
                }
                Some((_, false)) => self.inst_or_terminator(line)?,
            }
        }
        line.finish()
    }

    fn finish(mut self, last: &Line<'_>) -> Result<Function, TextError> {
        self.close(last)?;
        if self.function.blocks.is_empty() {
            return Err(last.expected("a block like `b0:`"));
        }
        Ok(self.function)
    }

    /// Ends the current block.
    fn close(&mut self, line: &Line<'_>) -> Result<(), TextError> {
        match self.block.take() {
            Some((block, true)) => self.function.blocks.push(block),
            Some((_, false)) => return Err(line.expected("how the block before ends")),
            None => {}
        }
        Ok(())
    }

    fn pattern(&mut self, line: &mut Line<'_>) -> Result<(), TextError> {
        let next = self.function.patterns.len();
        if self.block.is_some() {
            return Err(line.error("patterns stand before blocks"));
        }
        if line.peek() != Some(&format!("p{next}")) {
            return Err(line.expected(&format!("p{next}")));
        }
        line.pattern()?;
        line.expect("=")?;
        line.expect("[")?;
        let words = line.list("]", Line::number)?;
        self.function.patterns.push(words);
        Ok(())
    }

    fn label(&mut self, line: &mut Line<'_>) -> Result<(), TextError> {
        self.close(line)?;
        let next = self.function.blocks.len();
        if line.peek() != Some(&format!("b{next}")) {
            return Err(line.expected(&format!("b{next}")));
        }
        line.block()?;
        let parameters = if line.take("(") {
            line.list(")", |line| self.parameter(line))?
        } else {
            Vec::new()
        };
        line.expect(":")?;
        let block = Block {
            parameters,
            insts: Vec::new(),
            terminator: Terminator::Return(CallOutcome::FINISHED),
        };
        self.block = Some((block, false));
        Ok(())
    }

    fn parameter(&mut self, line: &mut Line<'_>) -> Result<Value, TextError> {
        let value = self.definition(line)?;
        line.expect(":")?;
        self.function.types[value.index()] = ty(line)?;
        Ok(value)
    }

    /// Parses a value that is defined here.
    fn definition(&mut self, line: &mut Line<'_>) -> Result<Value, TextError> {
        let column = line.column();
        let value = line.value()?;
        if value.0 >= MAX_VALUES {
            let message = format!("`{value}` has a number that is too large");
            return Err(line.error_at(column, message));
        }
        if self.defined.len() <= value.index() {
            self.defined.resize(value.index() + 1, false);
            self.function.types.resize(value.index() + 1, Type::Word);
        }
        if std::mem::replace(&mut self.defined[value.index()], true) {
            Err(line.error_at(column, format!("`{value}` is defined a second time")))
        } else {
            Ok(value)
        }
    }

    fn inst_or_terminator(&mut self, line: &mut Line<'_>) -> Result<(), TextError> {
        if let Some(read) = terminator(line)? {
            if let Some((block, ended)) = &mut self.block {
                block.terminator = read;
                *ended = true;
            }
            return Ok(());
        }
        let result = match line.peek_second() {
            Some("=") => {
                let value = self.definition(line)?;
                line.expect("=")?;
                Some(value)
            }
            _ => None,
        };
        let inst = self.inst(line, result)?;
        if let Some((block, _)) = &mut self.block {
            block.insts.push(inst);
        }
        Ok(())
    }

    fn inst(&mut self, line: &mut Line<'_>, result: Option<Value>) -> Result<Inst, TextError> {
        let column = line.column();
        let op = line.read("an instruction", names::instruction)?;
        match (result, op.signature().result) {
            (Some(_), None) => return Err(line.error_at(column, "this instruction has no result")),
            (None, Some(_)) => {
                let message = "the result of this instruction needs a name";
                return Err(line.error_at(column, message));
            }
            _ => {}
        }
        let loaded_type = match op {
            Op::FrameLoad(_) | Op::FrameLoadAt(_) => Some(ty(line)?),
            _ => None,
        };
        let op = extra(op, line)?;
        let (op, operands) = operands(op, line)?;
        if let (Some(result), Some(kind)) = (result, op.signature().result) {
            self.function.types[result.index()] = match kind {
                Kind::Of(ty) => ty,
                Kind::Any => loaded_type.unwrap_or(Type::Word),
            };
        }
        Ok(Inst {
            op,
            operands,
            result,
        })
    }
}

fn ty(line: &mut Line<'_>) -> Result<Type, TextError> {
    line.read("a type", |text| names::named(TYPES, text))
}

fn edge(line: &mut Line<'_>) -> Result<Edge, TextError> {
    let block = line.block()?;
    let arguments = if line.take("(") {
        line.list(")", Line::value)?
    } else {
        Vec::new()
    };
    Ok(Edge { block, arguments })
}

/// Parses a terminator, if one comes next.
fn terminator(line: &mut Line<'_>) -> Result<Option<Terminator>, TextError> {
    let terminator = if line.take("jump") {
        Terminator::Jump(edge(line)?)
    } else if line.take("branch") {
        let condition = line.value()?;
        line.expect(",")?;
        let yes = edge(line)?;
        line.expect(",")?;
        Terminator::Branch(condition, yes, edge(line)?)
    } else if line.take("return") {
        Terminator::Return(outcome(line)?)
    } else if line.take("suspend") {
        let number = line.integer()?;
        line.expect(",")?;
        Terminator::Suspend(number, line.block()?)
    } else if line.take("resume") {
        let mut blocks = vec![line.block()?];
        while line.take(",") {
            blocks.push(line.block()?);
        }
        Terminator::Resume(blocks)
    } else {
        return Ok(None);
    };
    Ok(Some(terminator))
}

fn outcome(line: &mut Line<'_>) -> Result<CallOutcome, TextError> {
    if line.take("finished") {
        return Ok(CallOutcome::FINISHED);
    }
    let known = [
        ("cancelled", CallOutcome::CANCELLED),
        ("diverged", CallOutcome::DIVERGED),
    ];
    let Some((_, first)) = known.into_iter().find(|(name, _)| line.take(name)) else {
        return line.integer().map(CallOutcome);
    };
    let number: u32 = if line.is_empty() { 0 } else { line.integer()? };
    if number < 1 << 30 {
        Ok(CallOutcome(first.0 + number))
    } else {
        Err(line.error("the number of this loop or barrier is too large"))
    }
}

/// Parses the immediates of an instruction, which follow its mnemonic.
fn extra(op: Op, line: &mut Line<'_>) -> Result<Op, TextError> {
    let sharing = |line: &mut Line<'_>| {
        line.read("`thread` or `threads`", |name| {
            names::named(ATOMIC_SCOPES, name)
        })
    };
    let row = |offset| Row {
        offset,
        is_limited: false,
        is_masked: false,
    };
    Ok(match op {
        Op::Word(_) => Op::Word(line.number()?),
        Op::Splat(_) => Op::Splat(line.number()?),
        Op::Mask(_) => Op::Mask(line.integer()?),
        Op::Ternary(_) => Op::Ternary(line.integer()?),
        Op::ContextField(_) => {
            Op::ContextField(line.read("a field", |name| names::named(FIELDS, name))?)
        }
        Op::Base(_) => Op::Base(space(line)?),
        Op::Length(_) => Op::Length(line.integer()?),
        Op::FrameStore(_) => Op::FrameStore(line.integer()?),
        Op::Poll(_) if line.is_empty() => Op::Poll(0),
        Op::Poll(_) => Op::Poll(line.integer()?),
        Op::Call(..) => {
            let number = line.integer()?;
            let reach = line.read("`frame` or `everything`", |name| {
                names::named(CALLEE_WRITES, name)
            })?;
            Op::Call(number, reach)
        }
        Op::FrameLoad(_) => Op::FrameLoad(line.integer()?),
        Op::FrameStoreAt(_) => Op::FrameStoreAt(line.integer()?),
        Op::FrameLoadAt(_) => Op::FrameLoadAt(line.integer()?),
        Op::Pattern(_) => Op::Pattern(line.pattern()?),
        Op::Extract(_) => Op::Extract(line.integer()?),
        Op::ShlBy(_) => Op::ShlBy(line.integer()?),
        Op::ShrBy(_) => Op::ShrBy(line.integer()?),
        Op::SarBy(_) => Op::SarBy(line.integer()?),
        Op::RotateBy(_) => Op::RotateBy(line.integer()?),
        Op::LoadWord(_) => Op::LoadWord(line.offset()?),
        Op::LoadPointer(_) => Op::LoadPointer(line.offset()?),
        Op::LoadSplat(_) => Op::LoadSplat(line.offset()?),
        Op::Gather(_) => Op::Gather(line.offset()?),
        Op::Scatter(_) => Op::Scatter(line.offset()?),
        Op::ScatterHalves(_) => Op::ScatterHalves(line.offset()?),
        Op::LoadRow(_) => Op::LoadRow(row(line.offset()?)),
        Op::StoreRow(_) => Op::StoreRow(row(line.offset()?)),
        Op::StoreRowNonTemporal(_) => Op::StoreRowNonTemporal(line.offset()?),
        Op::Atomic(op, ..) => Op::Atomic(op, sharing(line)?, line.offset()?),
        Op::CompareExchange(..) => Op::CompareExchange(sharing(line)?, line.offset()?),
        Op::Atomic64(op, ..) => Op::Atomic64(op, sharing(line)?, line.offset()?),
        Op::CompareExchange64(..) => Op::CompareExchange64(sharing(line)?, line.offset()?),
        other => other,
    })
}

fn space(line: &mut Line<'_>) -> Result<Space, TextError> {
    if line.take("buffer") {
        Ok(Space::Buffer(line.integer()?))
    } else if line.take("frame") {
        Ok(Space::Frame(line.integer()?))
    } else if line.take("workgroup") {
        Ok(Space::Workgroup)
    } else if line.take("immediates") {
        Ok(Space::Immediates)
    } else if line.take("constants") {
        Ok(Space::Constants)
    } else {
        Err(line.expected("`buffer`, `workgroup`, `immediates`, `constants` or `frame`"))
    }
}

/// Parses the operands of an instruction. Returns the instruction with the limit and the mask of its row, if it has
/// operands for them.
fn operands(op: Op, line: &mut Line<'_>) -> Result<(Op, SmallVec<[Value; 5]>), TextError> {
    let mut operands = SmallVec::new();
    let (mut is_limited, mut is_masked) = (false, false);
    let mut labels = SmallVec::<[_; 5]>::new();
    while !line.is_empty() {
        if !operands.is_empty() {
            line.expect(",")?;
        }
        let column = line.column();
        let found = ["limit", "mask"]
            .into_iter()
            .find(|keyword| line.take(keyword));
        is_limited |= found == Some("limit");
        is_masked |= found == Some("mask");
        operands.push(line.value()?);
        labels.push((found, column));
    }
    let row = |offset| Row {
        offset,
        is_limited,
        is_masked,
    };
    let op = match op {
        Op::LoadRow(old) => Op::LoadRow(row(old.offset)),
        Op::StoreRow(old) => Op::StoreRow(row(old.offset)),
        other => other,
    };
    let expected = op.signature().operands.len();
    if operands.len() != expected {
        let message = format!("expected {expected} operands, found {}", operands.len());
        return Err(line.error(message));
    }
    for (index, (found, column)) in labels.into_iter().enumerate() {
        if found != label(op, index) {
            let message = match label(op, index) {
                Some(label) => format!("expected `{label}` before this operand"),
                None => "this operand is neither a limit nor a mask".to_owned(),
            };
            return Err(line.error_at(column, message));
        }
    }
    Ok((op, operands))
}
