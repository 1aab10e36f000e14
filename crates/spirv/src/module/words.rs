//! Words become instructions.
//!
//! In: the words of a module. Out: its header and its instructions, each with the word at which it
//! begins. What always holds: an instruction that comes out of here has at least the operands that
//! SPIR-V's grammar demands, its result ids lie below the bound, and reading an operand never goes
//! beyond its words.

use std::sync::OnceLock;

use rspirv::grammar::{INSTRUCTION_TABLE, LogicalOperand, OperandKind, OperandQuantifier};
use rspirv::spirv::{MAGIC_NUMBER, Op};

use crate::error::{ReadError, Result};

/// Number of a result. Ids of a module lie below its bound, which is checked.
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

/// What the first five words say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    /// Every id is below this.
    pub(crate) bound: u32,
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction<'a> {
    /// The word at which it begins.
    pub(crate) offset: usize,
    pub(crate) op: Op,
    pub(crate) result_type: Option<Id>,
    pub(crate) result: Option<Id>,
    /// What follows behind type and result.
    pub(crate) operands: &'a [u32],
}

const HEADER: usize = 5;

/// Bytes of a file become words. Both orders of bytes are taken, as SPIR-V wants it.
pub(crate) fn words(bytes: &[u8]) -> Result<Vec<u32>> {
    let (chunks, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        let message = format!("{} bytes are not a whole number of words", bytes.len());
        return Err(ReadError::invalid(message));
    }
    let little = chunks.iter().map(|chunk| u32::from_le_bytes(*chunk));
    Ok(match chunks.first() {
        Some(first) if u32::from_be_bytes(*first) == MAGIC_NUMBER => chunks
            .iter()
            .map(|chunk| u32::from_be_bytes(*chunk))
            .collect(),
        _ => little.collect(),
    })
}

/// The header, checked.
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
    // Tables have an entry an id. Each id that is used costs at least a word somewhere, so a bound
    // far above the number of words is a mistake or an attack.
    if *bound as usize > words.len().saturating_mul(4).max(1 << 16) {
        let message = format!(
            "the bound {bound} of ids is absurd for {} words",
            words.len()
        );
        return Err(ReadError::invalid(message).at(3, None));
    }
    Ok(Header { bound: *bound })
}

/// The instructions behind the header, in order; ends after the first error.
pub(crate) fn instructions(
    words: &[u32],
    header: Header,
) -> impl Iterator<Item = Result<Instruction<'_>>> {
    let mut offset = HEADER;
    std::iter::from_fn(move || {
        let rest = words.get(offset..).filter(|rest| !rest.is_empty())?;
        let instruction = instruction(rest, offset, header);
        offset = match &instruction {
            Ok(_) => offset + (rest[0] >> 16) as usize,
            Err(_) => words.len(),
        };
        Some(instruction)
    })
}

/// The instruction that begins at a word.
pub(crate) fn instruction_at(
    words: &[u32],
    offset: usize,
    header: Header,
) -> Result<Instruction<'_>> {
    match words.get(offset..) {
        Some(rest) if !rest.is_empty() => instruction(rest, offset, header),
        _ => Err(ReadError::invalid("the module ends here").at(offset, None)),
    }
}

fn instruction(rest: &[u32], offset: usize, header: Header) -> Result<Instruction<'_>> {
    let (count, opcode) = ((rest[0] >> 16) as usize, rest[0] & 0xffff);
    let grammar = grammar(opcode).ok_or_else(|| {
        ReadError::unsupported(format!("instruction with number {opcode}")).at(offset, None)
    })?;
    let wrong = |message: String| ReadError::invalid(message).at(offset, Some(grammar.opcode));
    if count == 0 {
        return Err(wrong("it says that it has no words".to_owned()));
    }
    let Some(words) = rest.get(1..count) else {
        return Err(wrong(format!(
            "it has {count} words, the module only {} more",
            rest.len()
        )));
    };
    let mut operands = words;
    let mut logical = grammar.operands;
    let mut take = |kind| {
        if logical.first().is_none_or(|first| first.kind != kind) {
            return Ok(None);
        }
        let (Some(id), Some(others)) = (operands.first(), operands.get(1..)) else {
            return Err(wrong("its result is missing".to_owned()));
        };
        if *id == 0 || *id >= header.bound {
            let message = format!("id {id} is not below the bound {}", header.bound);
            return Err(wrong(message));
        }
        (operands, logical) = (others, &logical[1..]);
        Ok(Some(Id(*id)))
    };
    let result_type = take(OperandKind::IdResultType)?;
    let result = take(OperandKind::IdResult)?;
    let required = logical
        .iter()
        .filter(|it| it.quantifier == OperandQuantifier::One);
    if operands.len() < required.map(|it| least_words(it.kind)).sum() {
        return Err(wrong(format!("{} operands are too few", operands.len())));
    }
    Ok(Instruction {
        offset,
        op: grammar.opcode,
        result_type,
        result,
        operands,
    })
}

fn least_words(kind: OperandKind) -> usize {
    match kind {
        OperandKind::PairLiteralIntegerIdRef
        | OperandKind::PairIdRefLiteralInteger
        | OperandKind::PairIdRefIdRef => 2,
        _ => 1,
    }
}

type Grammar = rspirv::grammar::Instruction<'static>;

/// The operands of an instruction, type and result apart.
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

/// rspirv looks an instruction up by going through all of them; this is an index.
fn grammar(opcode: u32) -> Option<&'static Grammar> {
    static INDEX: OnceLock<Vec<Option<&'static Grammar>>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut index = Vec::new();
        for instruction in INSTRUCTION_TABLE.iter() {
            let at = instruction.opcode as usize;
            if index.len() <= at {
                index.resize(at + 1, None);
            }
            index[at] = Some(instruction);
        }
        index
    });
    *index.get(opcode as usize)?
}

impl<'a> Instruction<'a> {
    /// The operand at this place as an id.
    pub(crate) fn id(&self, at: usize) -> Result<Id> {
        Ok(Id(self.word(at)?))
    }

    /// The operand at this place as it is.
    pub(crate) fn word(&self, at: usize) -> Result<u32> {
        let word = self.operands.get(at).copied();
        word.ok_or_else(|| self.invalid(format!("operand {at} is missing")))
    }

    /// The operand at this place, if there is one.
    pub(crate) fn optional(&self, at: usize) -> Option<u32> {
        self.operands.get(at).copied()
    }

    /// The operands from this place on, as ids.
    pub(crate) fn ids(&self, from: usize) -> impl Iterator<Item = Id> + use<'a> {
        let operands: &'a [u32] = self.operands.get(from..).unwrap_or_default();
        operands.iter().copied().map(Id)
    }

    /// The text that begins at this place, and the place behind it.
    pub(crate) fn text(&self, at: usize) -> Result<(String, usize)> {
        let words = self.operands.get(at..).unwrap_or_default();
        let mut bytes = Vec::new();
        for (index, word) in words.iter().enumerate() {
            let word = word.to_le_bytes();
            let length = word.iter().position(|byte| *byte == 0);
            bytes.extend(&word[..length.unwrap_or(word.len())]);
            if length.is_some() {
                let text =
                    String::from_utf8(bytes).map_err(|_| self.invalid("its text is not UTF-8"))?;
                return Ok((text, at + index + 1));
            }
        }
        Err(self.invalid("its text does not end"))
    }

    /// What this instruction makes; an error where it makes nothing.
    pub(crate) fn result(&self) -> Result<Id> {
        self.result.ok_or_else(|| self.invalid("it has no result"))
    }

    /// The type of what this instruction makes.
    pub(crate) fn result_type(&self) -> Result<Id> {
        self.result_type
            .ok_or_else(|| self.invalid("it has no type"))
    }

    /// The ids that this instruction uses, type and result apart.
    pub(crate) fn used(&self) -> Vec<Id> {
        let mut used = Vec::with_capacity(self.operands.len());
        self.each_used(|id| used.push(id));
        used
    }

    /// Calls for each of the ids that this instruction uses, type and result apart.
    pub(crate) fn each_used(&self, mut found: impl FnMut(Id)) {
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
                        rest.first()
                            .copied()
                            .map(Id)
                            .into_iter()
                            .for_each(&mut found);
                        rest = rest.get(1..).unwrap_or_default();
                    }
                    OperandKind::PairIdRefLiteralInteger => {
                        found(Id(*first));
                        rest = rest.get(1..).unwrap_or_default();
                    }
                    OperandKind::PairLiteralIntegerIdRef => {
                        rest.first()
                            .copied()
                            .map(Id)
                            .into_iter()
                            .for_each(&mut found);
                        rest = rest.get(1..).unwrap_or_default();
                    }
                    // What follows a mask of image operands are ids.
                    OperandKind::ImageOperands => {
                        rest.iter().copied().map(Id).for_each(&mut found);
                        return;
                    }
                    // Alignments and scopes, the latter constants.
                    OperandKind::MemoryAccess => return,
                    _ => {}
                }
            }
        }
    }

    /// The instruction that an `OpSpecConstantOp` stands for.
    pub(crate) fn inner_operation(&self) -> Result<Self> {
        let opcode = self.word(0)?;
        let grammar = grammar(opcode)
            .ok_or_else(|| self.unsupported(format!("instruction with number {opcode}")))?;
        Ok(Self {
            op: grammar.opcode,
            operands: &self.operands[1..],
            ..*self
        })
    }

    /// An error of the module at this instruction.
    pub(crate) fn invalid(&self, message: impl Into<String>) -> ReadError {
        ReadError::invalid(message).at(self.offset, Some(self.op))
    }

    /// Something at this instruction that cannot be translated.
    pub(crate) fn unsupported(&self, feature: impl Into<String>) -> ReadError {
        ReadError::unsupported(feature).at(self.offset, Some(self.op))
    }
}
