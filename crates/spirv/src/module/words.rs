//! Instruction decoding: SPIR-V words to [`Instruction`]s.
//!
//! In: the words of a module. Out: its header and its instructions, each with its word offset. Every decoded
//! instruction has at least the operands that the SPIR-V grammar requires, its result ids are below the bound, and
//! access to an operand never reads past the instruction.

use std::sync::LazyLock;

use rspirv::grammar::{INSTRUCTION_TABLE, LogicalOperand, OperandKind, OperandQuantifier};
use rspirv::spirv::{MAGIC_NUMBER, Op};

use crate::error::{ReadError, Result};

/// A SPIR-V id. Result ids are checked to be below the bound of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(pub(crate) u32);

impl Id {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "%{}", self.0)
    }
}

/// The header of a module: its first five words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    /// All ids are below this.
    pub(crate) bound: u32,
}

/// A decoded instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction<'a> {
    /// Word offset of its first word.
    pub(crate) offset: usize,
    pub(crate) op: Op,
    pub(crate) result_type: Option<Id>,
    pub(crate) result: Option<Id>,
    /// The operands after result type and result id.
    pub(crate) operands: &'a [u32],
}

const HEADER: usize = 5;

/// Parses and checks the header.
pub(crate) fn header(words: &[u32]) -> Result<Header> {
    let Some([magic, version, _generator, bound, _schema]) = words.first_chunk::<HEADER>() else {
        let message = format!("a module has a header of 5 words; this has {}", words.len());
        return Err(ReadError::invalid(message));
    };
    if *magic != MAGIC_NUMBER {
        let message =
            format!("not SPIR-V: the first word is {magic:#010x}, not {MAGIC_NUMBER:#010x}");
        return Err(ReadError::invalid(message).at(0, None));
    }
    let [_, major, minor, _] = version.to_be_bytes();
    if major != 1 || minor > 6 {
        let feature = format!("SPIR-V {major}.{minor}, only 1.0 to 1.6 are known");
        return Err(ReadError::unsupported(feature).at(1, None));
    }
    // Tables have one entry for each id. Each used id takes at least one word somewhere, so a bound far above the
    // number of words is an error or an attack.
    if *bound as usize > words.len().saturating_mul(4).max(1 << 16) {
        let message = format!(
            "the bound {bound} of ids is absurd for {} words",
            words.len()
        );
        return Err(ReadError::invalid(message).at(3, None));
    }
    Ok(Header { bound: *bound })
}

/// The instructions after the header, in order; ends after the first error.
pub(crate) fn instructions(
    words: &[u32],
    header: Header,
) -> impl Iterator<Item = Result<Instruction<'_>>> {
    let mut offset = HEADER;
    std::iter::from_fn(move || {
        if offset >= words.len() {
            return None;
        }
        let instruction = checked(words, offset, header);
        offset = match &instruction {
            Ok(instruction) => instruction.end(),
            Err(_) => words.len(),
        };
        Some(instruction)
    })
}

/// Decodes and checks the instruction at a word offset.
#[inline]
fn checked(words: &[u32], offset: usize, header: Header) -> Result<Instruction<'_>> {
    let is_good = |instruction: &Instruction<'_>| {
        let is_below = |id: Option<Id>| id.is_none_or(|id| id.0 != 0 && id.0 < header.bound);
        is_below(instruction.result_type) && is_below(instruction.result)
    };
    match instruction_at(words, offset).filter(is_good) {
        Some(instruction) => Ok(instruction),
        None => Err(why_not(words, offset, header)),
    }
}

/// Decodes the instruction at a word offset, if it is complete. Instructions that were checked once are decoded again
/// on demand: to keep them decoded would take several times the memory of the words.
#[inline]
pub(crate) fn instruction_at(words: &[u32], offset: usize) -> Option<Instruction<'_>> {
    let first = *words.get(offset)?;
    let form = form(first & 0xffff)?;
    let end = offset + (first >> 16) as usize;
    let head = usize::from(form.has_type) + usize::from(form.has_result);
    let operands = words.get(offset + 1 + head..end)?;
    if operands.len() < usize::from(form.least) {
        return None;
    }
    let result_type = form.has_type.then(|| Id(words[offset + 1]));
    let result = form.has_result.then(|| Id(words[offset + head]));
    Some(Instruction {
        offset,
        op: form.op,
        result_type,
        result,
        operands,
    })
}

/// The error for an instruction that failed its check.
#[cold]
fn why_not(words: &[u32], offset: usize, header: Header) -> ReadError {
    let rest = words.get(offset..).unwrap_or_default();
    let Some(first) = rest.first() else {
        return ReadError::invalid("the module ends here").at(offset, None);
    };
    let (count, opcode) = ((first >> 16) as usize, first & 0xffff);
    let Some(form) = form(opcode) else {
        return ReadError::unsupported(format!("instruction with number {opcode}"))
            .at(offset, None);
    };
    let wrong = |message: String| ReadError::invalid(message).at(offset, Some(form.op));
    if count == 0 {
        return wrong("it says that it has no words".to_owned());
    }
    let Some(mut operands) = rest.get(1..count) else {
        return wrong(format!(
            "it has {count} words, the module only {} more",
            rest.len()
        ));
    };
    for _ in 0..usize::from(form.has_type) + usize::from(form.has_result) {
        let Some((id, others)) = operands.split_first() else {
            return wrong("its result is missing".to_owned());
        };
        if *id == 0 || *id >= header.bound {
            return wrong(format!("id {id} is not below the bound {}", header.bound));
        }
        operands = others;
    }
    wrong(format!("{} operands are too few", operands.len()))
}

/// Iterates over the instructions between two word offsets, all of which were checked before.
#[derive(Clone, Debug)]
pub(crate) struct Instructions<'a> {
    words: &'a [u32],
    at: usize,
    end: usize,
}

impl<'a> Instructions<'a> {
    pub(super) fn new(words: &'a [u32], at: u32, end: u32) -> Self {
        let (at, end) = (at as usize, end as usize);
        Self { words, at, end }
    }
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Instruction<'a>;

    #[inline]
    fn next(&mut self) -> Option<Instruction<'a>> {
        while self.at < self.end {
            let instruction = instruction_at(self.words, self.at)?;
            self.at = instruction.end();
            if !is_apart(instruction.op) {
                return Some(instruction);
            }
        }
        None
    }
}

/// Whether an instruction may occur anywhere in the module and does not affect execution.
pub(super) fn is_apart(op: Op) -> bool {
    matches!(
        op,
        Op::Nop
            | Op::Line
            | Op::NoLine
            | Op::ModuleProcessed
            | Op::Source
            | Op::SourceContinued
            | Op::SourceExtension
            | Op::Extension
            | Op::Capability
            | Op::MemoryModel
    )
}

fn least_words(kind: OperandKind) -> usize {
    match kind {
        OperandKind::PairLiteralIntegerIdRef
        | OperandKind::PairIdRefLiteralInteger
        | OperandKind::PairIdRefIdRef => 2,
        _ => 1,
    }
}

/// What decoding needs from the grammar of an opcode.
#[derive(Clone, Copy)]
struct InstructionForm {
    op: Op,
    has_type: bool,
    has_result: bool,
    /// The minimum number of operand words after result type and result id.
    least: u8,
    /// The short form of its id operands; `None` if they have to be found by the full grammar.
    uses: Option<IdOperands>,
}

/// Which operand words are ids, for opcodes where a short rule describes them.
#[derive(Clone, Copy)]
struct IdOperands {
    /// The words below this index are ids; all words if it is [`ALL`].
    below: u8,
    /// Except the word at this index, which is a literal; [`ALL`] if there is none.
    except: u8,
}

const ALL: u8 = u8::MAX;

type Grammar = rspirv::grammar::Instruction<'static>;

impl InstructionForm {
    fn of(grammar: &'static Grammar) -> Self {
        let is = |at: usize, kind| {
            grammar
                .operands
                .get(at)
                .is_some_and(|operand| operand.kind == kind)
        };
        let has_type = is(0, OperandKind::IdResultType);
        let own = own_operands(grammar);
        let required = own
            .iter()
            .filter(|operand| operand.quantifier == OperandQuantifier::One);
        let least: usize = required.map(|operand| least_words(operand.kind)).sum();
        Self {
            op: grammar.opcode,
            has_type,
            has_result: is(usize::from(has_type), OperandKind::IdResult),
            least: u8::try_from(least).unwrap_or(u8::MAX),
            uses: IdOperands::of(own),
        }
    }
}

impl IdOperands {
    fn of(operands: &[LogicalOperand]) -> Option<Self> {
        let is_id = |operand: &LogicalOperand| match operand.kind {
            OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics => true,
            OperandKind::PairIdRefIdRef => operand.quantifier == OperandQuantifier::ZeroOrMore,
            _ => false,
        };
        // A one-word operand that is not an id.
        let is_literal = |operand: &LogicalOperand| {
            matches!(
                operand.kind,
                OperandKind::LiteralInteger
                    | OperandKind::LiteralExtInstInteger
                    | OperandKind::StorageClass
            )
        };
        let hides_none = |operand: &LogicalOperand| {
            let controls = [
                OperandKind::LoopControl,
                OperandKind::SelectionControl,
                OperandKind::MemoryAccess,
                OperandKind::LiteralString,
            ];
            is_literal(operand) || controls.contains(&operand.kind)
        };
        let count = operands.iter().rposition(is_id).map_or(0, |last| last + 1);
        let (ids, rest) = operands.split_at(count);
        let mut others = ids
            .iter()
            .enumerate()
            .filter(|(_, operand)| !is_id(operand));
        let except = others.next();
        let is_simple = except.is_none_or(|(_, operand)| {
            is_literal(operand) && operand.quantifier == OperandQuantifier::One
        });
        let is_repeated =
            |operand: &LogicalOperand| operand.quantifier == OperandQuantifier::ZeroOrMore;
        let (last, before) = match ids.split_last() {
            Some((last, before)) => (Some(last), before),
            None => (None, ids),
        };
        let is_short = is_simple
            && others.next().is_none()
            && !before.iter().any(is_repeated)
            && rest.iter().all(hides_none);
        is_short.then(|| Self {
            below: if last.is_some_and(is_repeated) {
                ALL
            } else {
                count as u8
            },
            except: except.map_or(ALL, |(at, _)| at as u8),
        })
    }
}

/// The operands in the grammar of an instruction, without result type and result id.
fn own_operands(grammar: &'static Grammar) -> &'static [LogicalOperand] {
    match grammar.operands {
        [first, second, rest @ ..]
            if first.kind == OperandKind::IdResultType && second.kind == OperandKind::IdResult =>
        {
            rest
        }
        [first, rest @ ..]
            if matches!(
                first.kind,
                OperandKind::IdResultType | OperandKind::IdResult
            ) =>
        {
            rest
        }
        all => all,
    }
}

/// The grammar entry of an opcode. rspirv looks opcodes up by linear search; this is an index.
fn grammar(opcode: u32) -> Option<&'static Grammar> {
    static INDEX: LazyLock<Vec<Option<&'static Grammar>>> =
        LazyLock::new(|| by_opcode(|form| form));
    *INDEX.get(opcode as usize)?
}

#[inline]
fn form(opcode: u32) -> Option<InstructionForm> {
    static FORMS: LazyLock<Vec<Option<InstructionForm>>> =
        LazyLock::new(|| by_opcode(InstructionForm::of));
    *FORMS.get(opcode as usize)?
}

fn by_opcode<T: Clone>(make: impl Fn(&'static Grammar) -> T) -> Vec<Option<T>> {
    let mut index = Vec::new();
    for instruction in INSTRUCTION_TABLE.iter() {
        let at = instruction.opcode as usize;
        if index.len() <= at {
            index.resize(at + 1, None);
        }
        index[at] = Some(make(instruction));
    }
    index
}

impl<'a> Instruction<'a> {
    /// Word offset of the next instruction.
    #[inline]
    pub(crate) fn end(&self) -> usize {
        let head = usize::from(self.result_type.is_some()) + usize::from(self.result.is_some());
        self.offset + 1 + head + self.operands.len()
    }

    /// The operand at this index, as an id.
    #[inline]
    pub(crate) fn id(&self, at: usize) -> Result<Id> {
        Ok(Id(self.word(at)?))
    }

    /// The operand at this index, as a word.
    #[inline]
    pub(crate) fn word(&self, at: usize) -> Result<u32> {
        let word = self.operands.get(at).copied();
        word.ok_or_else(|| self.invalid(format!("operand {at} is missing")))
    }

    /// The operand at this index, if it is present.
    pub(crate) fn optional(&self, at: usize) -> Option<u32> {
        self.operands.get(at).copied()
    }

    /// The operands from this index on, as ids.
    pub(crate) fn ids(&self, from: usize) -> impl Iterator<Item = Id> + use<'a> {
        let operands: &'a [u32] = self.operands.get(from..).unwrap_or_default();
        operands.iter().copied().map(Id)
    }

    /// The literal string at this operand index, and the index of the operand after it.
    pub(crate) fn text(&self, at: usize) -> Result<(String, usize)> {
        let mut text = String::new();
        let end = self.append_text(at, &mut text)?;
        Ok((text, end))
    }

    /// Appends the literal string at this operand index to `text`; returns the index of the operand after it.
    pub(super) fn append_text(&self, at: usize, text: &mut String) -> Result<usize> {
        let words = self.operands.get(at..).unwrap_or_default();
        let mut bytes = [0; 64];
        let mut length = 0;
        let mut long = Vec::new();
        for (index, word) in words.iter().enumerate() {
            let word = word.to_le_bytes();
            // Most names fit into the stack buffer and need no allocation.
            if length + word.len() > bytes.len() {
                long.extend_from_slice(&bytes[..length]);
                length = 0;
            }
            bytes[length..length + word.len()].copy_from_slice(&word);
            let Some(end) = word.iter().position(|byte| *byte == 0) else {
                length += word.len();
                continue;
            };
            let mut all = &bytes[..length + end];
            if !long.is_empty() {
                long.extend_from_slice(all);
                all = &long;
            }
            let all = str::from_utf8(all).map_err(|_| self.invalid("its text is not UTF-8"))?;
            text.push_str(all);
            return Ok(at + index + 1);
        }
        Err(self.invalid("its text does not end"))
    }

    /// The result id; an error if the instruction has none.
    #[inline]
    pub(crate) fn result(&self) -> Result<Id> {
        self.result.ok_or_else(|| self.invalid("it has no result"))
    }

    /// The result type; an error if the instruction has none.
    #[inline]
    pub(crate) fn result_type(&self) -> Result<Id> {
        self.result_type
            .ok_or_else(|| self.invalid("it has no type"))
    }

    /// The ids that this instruction uses, without result type and result id.
    pub(crate) fn used(&self) -> Vec<Id> {
        let mut used = Vec::with_capacity(self.operands.len());
        self.each_used(|id| used.push(id));
        used
    }

    /// Calls `found` for each id that this instruction uses, without result type and result id.
    #[inline]
    pub(crate) fn each_used(&self, mut found: impl FnMut(Id)) {
        let Some(uses) = form(self.op as u32).and_then(|form| form.uses) else {
            return self.each_used_by_grammar(&mut found);
        };
        let operands = match uses.below {
            ALL => self.operands,
            below => &self.operands[..self.operands.len().min(below.into())],
        };
        for (at, word) in operands.iter().enumerate() {
            if at != usize::from(uses.except) || uses.except == ALL {
                found(Id(*word));
            }
        }
    }

    fn each_used_by_grammar(&self, found: &mut dyn FnMut(Id)) {
        let mut rest = self.operands;
        let logical = grammar(self.op as u32).map(own_operands);
        for operand in logical.unwrap_or_default() {
            let repeats = match operand.quantifier {
                OperandQuantifier::One | OperandQuantifier::ZeroOrOne => 1,
                OperandQuantifier::ZeroOrMore => usize::MAX,
            };
            for _ in 0..repeats {
                let Some((first, others)) = rest.split_first() else {
                    return;
                };
                rest = others;
                match operand.kind {
                    OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics => {
                        found(Id(*first));
                    }
                    OperandKind::PairIdRefIdRef => {
                        found(Id(*first));
                        rest.first().into_iter().for_each(|id| found(Id(*id)));
                        rest = rest.get(1..).unwrap_or_default();
                    }
                    OperandKind::PairIdRefLiteralInteger => {
                        found(Id(*first));
                        rest = rest.get(1..).unwrap_or_default();
                    }
                    OperandKind::PairLiteralIntegerIdRef => {
                        rest.first().into_iter().for_each(|id| found(Id(*id)));
                        rest = rest.get(1..).unwrap_or_default();
                    }
                    // All words after the mask of image operands are ids.
                    OperandKind::ImageOperands => {
                        rest.iter().for_each(|id| found(Id(*id)));
                        return;
                    }
                    // Literal alignments, and scopes, which are ids of constants.
                    OperandKind::MemoryAccess => return,
                    _ => {}
                }
            }
        }
    }

    /// The operation that an `OpSpecConstantOp` wraps.
    pub(crate) fn inner_operation(&self) -> Result<Self> {
        let opcode = self.word(0)?;
        let form = form(opcode)
            .ok_or_else(|| self.unsupported(format!("instruction with number {opcode}")))?;
        Ok(Self {
            op: form.op,
            operands: &self.operands[1..],
            ..*self
        })
    }

    /// An error: the module is invalid at this instruction.
    pub(crate) fn invalid(&self, message: impl Into<String>) -> ReadError {
        ReadError::invalid(message).at(self.offset, Some(self.op))
    }

    /// An error: this instruction needs a feature that is not supported.
    pub(crate) fn unsupported(&self, feature: impl Into<String>) -> ReadError {
        ReadError::unsupported(feature).at(self.offset, Some(self.op))
    }
}
