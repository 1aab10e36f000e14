//! SPIR-V assembler.
//!
//! In: text. Out: the words of a module. What always holds: every instruction follows the grammar, except the operands
//! after a raw word (`!`).

use std::collections::{HashMap, HashSet};

use rspirv::grammar::{LogicalOperand, OperandKind, OperandQuantifier};
use rspirv::spirv::{MAGIC_NUMBER, Op};

use super::AssemblyError;
use super::grammar::{self, EnumSyntax, ExtInstSet, Grammar};
use super::literal;
use super::numeric_types::{NumericType, NumericTypes};
use super::tokens::{Token, tokens};

type Result<T, E = AssemblyError> = std::result::Result<T, E>;

/// Maximal number of words of an instruction: its word count has 16 bits.
const MAX_WORDS: usize = 0xffff;

/// Assembles text in the syntax of `spirv-as` to the words of a module.
///
/// ```
/// let text = "; Version: 1.3
///     OpCapability Shader
///     OpMemoryModel Logical GLSL450
///     %float = OpTypeFloat 32
///     %half = OpConstant %float 0.5";
/// let words = anywarp_spirv::assemble(text).unwrap();
/// assert_eq!(words[1], 0x10300);
/// assert_eq!(words[words.len() - 1], 0.5_f32.to_bits());
/// ```
pub fn assemble(text: &str) -> Result<Vec<u32>, AssemblyError> {
    let (header, tokens) = tokens(text)?;
    let mut assembler = Assembler::new(&tokens)?;
    while assembler.at < tokens.len() {
        assembler.instruction()?;
    }
    let bound = header.bound.max(assembler.highest.saturating_add(1));
    assembler.words[..5].copy_from_slice(&[
        MAGIC_NUMBER,
        header.version,
        header.generator,
        bound,
        header.schema,
    ]);
    Ok(assembler.words)
}

struct Assembler<'a> {
    tokens: &'a [Token<'a>],
    /// Index of the next token.
    at: usize,
    words: Vec<u32>,
    /// Index in `words` of the current instruction.
    start: usize,
    /// The result id of the current instruction.
    result: Option<Token<'a>>,
    /// Whether the current instruction contained a raw word: the operands after it are encoded by their syntax alone.
    is_loose: bool,
    names: HashMap<&'a str, u32>,
    /// Numeric ids that occur in the text.
    taken: HashSet<u32>,
    next: u32,
    highest: u32,
    numbers: NumericTypes,
    sets: HashMap<u32, Option<ExtInstSet>>,
}

impl<'a> Assembler<'a> {
    fn new(tokens: &'a [Token<'a>]) -> Result<Self> {
        let mut taken = HashSet::new();
        for token in tokens {
            if let Some(id) = numeric_id(token)? {
                taken.insert(id);
            }
        }
        Ok(Self {
            tokens,
            at: 0,
            words: vec![0; 5],
            start: 5,
            result: None,
            is_loose: false,
            names: HashMap::new(),
            taken,
            next: 1,
            highest: 0,
            numbers: NumericTypes::default(),
            sets: HashMap::new(),
        })
    }

    fn instruction(&mut self) -> Result<()> {
        self.start = self.words.len();
        self.is_loose = false;
        let first = self.tokens[self.at];
        if first.text.starts_with('!') {
            return self.loosely();
        }
        let (name, grammar) = self.opening()?;
        self.words.push(grammar.opcode as u32);
        self.operands(grammar.operands)?;
        // A raw word after a complete instruction begins the next instruction.
        let rest = self.tokens.get(self.at);
        if let Some(rest) = rest.filter(|rest| !self.is_done() && !rest.text.starts_with('!')) {
            return Err(rest.error(format!("`{}` has no operand `{}`", name.text, rest.text)));
        }
        let count = self.words.len() - self.start;
        if count > MAX_WORDS {
            let message = format!("`{}` has {count} words, at most {MAX_WORDS} fit", name.text);
            return Err(name.error(message));
        }
        self.words[self.start] |= (count as u32) << 16;
        self.numbers.note(&self.words[self.start..]);
        Ok(())
    }

    /// Parses `OpX` or `%result = OpX`.
    fn opening(&mut self) -> Result<(Token<'a>, &'static Grammar)> {
        let first = self.tokens[self.at];
        self.result = None;
        if first.text.starts_with('%') {
            self.at += 1;
            let sign = self.tokens.get(self.at).filter(|sign| sign.text == "=");
            sign.ok_or_else(|| first.error(format!("expected `=` behind `{}`", first.text)))?;
            self.at += 1;
            self.result = Some(first);
        }
        let name = self
            .tokens
            .get(self.at)
            .filter(|name| name.is_instruction());
        let Some(name) = name.copied() else {
            let place = self.tokens.get(self.at).unwrap_or(&first);
            return Err(place.error(format!("expected an instruction, not `{}`", place.text)));
        };
        self.at += 1;
        let grammar = grammar::instruction_called(&name.text[2..])
            .ok_or_else(|| name.error(format!("there is no instruction `{}`", name.text)))?;
        let mut kinds = grammar.operands.iter().map(|operand| operand.kind);
        match (kinds.any(|kind| kind == OperandKind::IdResult), self.result) {
            (true, None) => {
                Err(name.error(format!("`{0}` has a result: write `%id = {0}`", name.text)))
            }
            (false, Some(result)) => Err(result.error(format!("`{}` has no result", name.text))),
            _ => Ok((name, grammar)),
        }
    }

    /// Whether the current instruction has no more tokens.
    fn is_done(&self) -> bool {
        let rest = &self.tokens[self.at..];
        match rest {
            [] => true,
            [first, ..] if first.is_instruction() => true,
            [first, second, ..] => first.text.starts_with('%') && second.text == "=",
            _ => false,
        }
    }

    fn operands(&mut self, operands: &[LogicalOperand]) -> Result<()> {
        for operand in operands {
            match operand.quantifier {
                OperandQuantifier::One => self.operand(operand.kind)?,
                OperandQuantifier::ZeroOrOne if self.is_done() => {}
                OperandQuantifier::ZeroOrOne => self.operand(operand.kind)?,
                OperandQuantifier::ZeroOrMore => {
                    while !self.is_done() {
                        self.operand(operand.kind)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn operand(&mut self, kind: OperandKind) -> Result<()> {
        if self.is_loose {
            return Ok(());
        }
        if kind == OperandKind::IdResult {
            let result = self.result.map(|token| self.id(token)).transpose()?;
            self.words.extend(result);
            return Ok(());
        }
        let token = self.token(expected(kind))?;
        if token.text.starts_with('!') {
            self.at -= 1;
            return self.loosely();
        }
        match kind {
            OperandKind::IdResultType
            | OperandKind::IdRef
            | OperandKind::IdScope
            | OperandKind::IdMemorySemantics => self.reference(token),
            OperandKind::LiteralString => self.string(token),
            OperandKind::LiteralInteger => self.number(token, WORD),
            OperandKind::LiteralFloat => self.number(token, NumericType::Float { width: 32 }),
            OperandKind::LiteralContextDependentNumber => self.constant(token),
            OperandKind::LiteralExtInstInteger => self.extended(token),
            OperandKind::LiteralSpecConstantOpInteger => self.operation(token),
            OperandKind::PairIdRefIdRef => {
                self.reference(token)?;
                self.operand(OperandKind::IdRef)
            }
            OperandKind::PairIdRefLiteralInteger => {
                self.reference(token)?;
                self.operand(OperandKind::LiteralInteger)
            }
            OperandKind::PairLiteralIntegerIdRef => {
                self.case(token)?;
                self.operand(OperandKind::IdRef)
            }
            _ => self.enumerant(token, kind),
        }
    }

    fn token(&mut self, expected: &str) -> Result<Token<'a>> {
        if self.is_done() {
            let last = self.tokens[self.at - 1];
            return Err(last.error(format!("expected {expected} behind `{}`", last.text)));
        }
        self.at += 1;
        Ok(self.tokens[self.at - 1])
    }

    /// Encodes tokens by their syntax, without a grammar, up to the next instruction.
    fn loosely(&mut self) -> Result<()> {
        self.is_loose = true;
        while !self.is_done() {
            let token = self.token("a word")?;
            match token.text.as_bytes()[0] {
                b'!' => {
                    let word = literal::parse(&token.text[1..], WORD);
                    let word = word.map_err(|_| {
                        token.error(format!("`{}` is not a word of 32 bits", token.text))
                    })?;
                    self.words.extend(word);
                }
                b'%' => self.reference(token)?,
                b'"' => self.string(token)?,
                b'-' => self.number(token, SIGNED)?,
                _ => self.number(token, WORD)?,
            }
        }
        Ok(())
    }

    fn reference(&mut self, token: Token<'a>) -> Result<()> {
        let id = self.id(token)?;
        self.words.push(id);
        Ok(())
    }

    fn id(&mut self, token: Token<'a>) -> Result<u32> {
        let is_legal = |name: &str| {
            let mut bytes = name.bytes();
            !name.is_empty() && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        let Some(name) = token.text.strip_prefix('%').filter(|name| is_legal(name)) else {
            return Err(token.error(format!("expected an id, not `{}`", token.text)));
        };
        if let Some(id) = numeric_id(&token)? {
            self.highest = self.highest.max(id);
            return Ok(id);
        }
        if let Some(id) = self.names.get(name) {
            return Ok(*id);
        }
        while self.taken.contains(&self.next) {
            self.next += 1;
        }
        let id = self.next;
        self.next += 1;
        self.names.insert(name, id);
        self.highest = self.highest.max(id);
        Ok(id)
    }

    fn string(&mut self, token: Token<'a>) -> Result<()> {
        let text = literal::unquote(token.text)
            .ok_or_else(|| token.error(format!("expected a string, not `{}`", token.text)))?;
        if text.contains('\0') {
            return Err(token.error("the string has a zero in it"));
        }
        // The name of an instruction set follows its result id.
        if self.words[self.start] == Op::ExtInstImport as u32 {
            let id = self.words.last().copied().unwrap_or_default();
            self.sets.insert(id, grammar::set(&text));
        }
        self.words.extend(literal::string_words(&text));
        Ok(())
    }

    fn number(&mut self, token: Token<'a>, number: NumericType) -> Result<()> {
        let words =
            literal::parse(token.text, number).map_err(|error| token.error(error.to_string()))?;
        self.words.extend(words);
        Ok(())
    }

    /// Encodes the value of a constant, whose type is the first operand.
    fn constant(&mut self, token: Token<'a>) -> Result<()> {
        let ty = self.words.get(self.start + 1).copied();
        let number = ty.and_then(|ty| self.numbers.of_type(ty)).ok_or_else(|| {
            token.error("the type of the constant is no integer or float that was declared before")
        })?;
        self.number(token, number)
    }

    /// Encodes the literal of a switch case, which has the type of the selector.
    fn case(&mut self, token: Token<'a>) -> Result<()> {
        let selector = self.words.get(self.start + 1).copied();
        let number = selector.and_then(|id| self.numbers.of_value(id));
        let number = number.filter(|number| matches!(number, NumericType::Integer { .. }));
        let number = number
            .ok_or_else(|| token.error("the selector is no integer that was computed before"))?;
        self.number(token, number)
    }

    /// Encodes the opcode of an extended instruction, given by name or by number; the previous operand is the set.
    fn extended(&mut self, token: Token<'a>) -> Result<()> {
        let set = self.words.last().and_then(|id| self.sets.get(id));
        let Some(set) = set else {
            return Err(token.error("the set of instructions was not imported before"));
        };
        if token.text.starts_with(|first: char| first.is_ascii_digit()) {
            return self.number(token, WORD);
        }
        let found = set.and_then(|set| grammar::extended_called(set, token.text));
        let found = found
            .ok_or_else(|| token.error(format!("the set has no instruction `{}`", token.text)))?;
        self.words.push(found.opcode.into());
        self.operands(found.operands)
    }

    /// Encodes the opcode of an `OpSpecConstantOp` and its operands.
    fn operation(&mut self, token: Token<'a>) -> Result<()> {
        let grammar = grammar::instruction_called(token.text)
            .filter(|grammar| grammar.opcode != Op::SpecConstantOp)
            .ok_or_else(|| token.error(format!("there is no operation `{}`", token.text)))?;
        self.words.push(grammar.opcode as u32);
        let own = grammar.operands.iter().filter(|operand| {
            !matches!(
                operand.kind,
                OperandKind::IdResult | OperandKind::IdResultType
            )
        });
        self.operands(&own.cloned().collect::<Vec<_>>())
    }

    fn enumerant(&mut self, token: Token<'a>, kind: OperandKind) -> Result<()> {
        let unknown = |name: &str| {
            let kind = expected(kind);
            token.error(format!("expected {kind}, not `{name}`"))
        };
        let names = match grammar::shape(kind) {
            Some(EnumSyntax::Mask) => token.text.split('|'),
            // An enumerant contains no NUL, so this yields one name.
            _ => token.text.split('\0'),
        };
        let mut number = 0;
        for name in names {
            number |= grammar::number(kind, name).ok_or_else(|| unknown(name))?;
        }
        self.words.push(number);
        self.operands(&grammar::operands(kind, number))
    }
}

const WORD: NumericType = NumericType::Integer {
    width: 32,
    is_signed: false,
};
const SIGNED: NumericType = NumericType::Integer {
    width: 32,
    is_signed: true,
};

/// The value of a numeric id; `None` for names.
fn numeric_id(token: &Token<'_>) -> Result<Option<u32>> {
    let digits = token.text.strip_prefix('%').unwrap_or_default();
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    if digits.is_empty() || digits.starts_with('0') || !is_number {
        return Ok(None);
    }
    match digits.parse() {
        Ok(id) if id < u32::MAX => Ok(Some(id)),
        _ => Err(token.error(format!("the id `{}` is too large", token.text))),
    }
}

/// The name of an operand kind in messages.
fn expected(kind: OperandKind) -> &'static str {
    match kind {
        OperandKind::IdResultType => "the id of a type",
        OperandKind::IdRef | OperandKind::PairIdRefIdRef | OperandKind::PairIdRefLiteralInteger => {
            "an id"
        }
        OperandKind::IdScope => "the id of a scope",
        OperandKind::IdMemorySemantics => "the id of memory semantics",
        OperandKind::LiteralString => "a string",
        OperandKind::LiteralInteger | OperandKind::PairLiteralIntegerIdRef => "an integer",
        OperandKind::LiteralFloat | OperandKind::LiteralContextDependentNumber => "a number",
        OperandKind::LiteralExtInstInteger => "an instruction of the set",
        OperandKind::LiteralSpecConstantOpInteger => "an operation",
        OperandKind::Capability => "a capability",
        OperandKind::Decoration => "a decoration",
        OperandKind::BuiltIn => "a builtin",
        OperandKind::StorageClass => "a storage class",
        OperandKind::ExecutionMode => "an execution mode",
        OperandKind::ExecutionModel => "an execution model",
        OperandKind::AddressingModel => "an addressing model",
        OperandKind::MemoryModel => "a memory model",
        OperandKind::Dim => "a dimensionality",
        OperandKind::ImageFormat => "an image format",
        OperandKind::ImageOperands => "image operands",
        OperandKind::MemoryAccess => "memory operands",
        OperandKind::SelectionControl | OperandKind::LoopControl | OperandKind::FunctionControl => {
            "a control"
        }
        OperandKind::SourceLanguage => "a source language",
        OperandKind::GroupOperation => "a group operation",
        _ => "an enumerant",
    }
}
