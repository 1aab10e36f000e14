//! The bytecode verifier: checks statically what the executors need not check at run time.
//!
//! In: a [`Bytecode`] from any source. Out: nothing, or the first error. [`image`](super::image)
//! lists what holds for a verified program; in addition functions do not overlap, none falls
//! through its end, and unused bits are zero. Values are not tracked: whether a reference in a
//! table names a function of the right type is checked at run time.

use super::instruction::{Instruction, InstructionError, host_slots};
use super::{Bytecode, Format, Function, FunctionType, Host, Limits, Op, Type};

/// 64 KiB pages that a 32-bit address can reach.
const MAX_PAGES: u32 = 1 << 16;

/// Elements that all tables of a program may have together initially. Every thread has its own
/// tables.
pub const MAX_TABLES: u32 = 10_000_000;

/// Slots that all globals of a program may take.
pub const MAX_GLOBALS: u32 = 65_535;

/// Slots of a function's frame: the limit of a 16-bit slot operand.
pub const MAX_FRAME: u32 = 65_535;

/// Why a program is invalid, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{location}: {kind}")]
pub struct VerifyError {
    /// The part of the program.
    pub location: ErrorLocation,
    /// What is wrong with it.
    pub kind: VerifyErrorKind,
}

/// The part of a program that an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorLocation {
    /// A code word.
    Word(u32),
    /// An element of a list: its name in the singular, and its index.
    Element(&'static str, usize),
    /// A whole section of the program.
    Part(&'static str),
}

impl std::fmt::Display for ErrorLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Word(word) => write!(f, "word {word}"),
            Self::Element(what, number) => write!(f, "{what} {number}"),
            Self::Part(what) => f.write_str(what),
        }
    }
}

/// What is wrong with a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyErrorKind {
    /// The first word of the code is not `end`.
    #[error("word 0 must be `end`")]
    FirstWord,
    /// An instruction cannot be decoded.
    #[error("{0}")]
    Instruction(InstructionError),
    /// A function's code range is empty, outside the code, or overlaps another function.
    #[error("its words are outside the code or overlap another function")]
    Range,
    /// A function's last instruction may fall through its end.
    #[error("the function may run past its end")]
    RunsPastEnd,
    /// A jump target is not the start of an instruction of the function.
    #[error("jump to word {0}, which is not an instruction of this function")]
    Target(u32),
    /// A slot is outside the frame.
    #[error("slot {slot} is outside the frame of {frame} slots")]
    Slot {
        /// The last slot of the operand.
        slot: u32,
        /// The frame's size.
        frame: u32,
    },
    /// A callee's frame leaves no space for the two link slots below it.
    #[error("a frame at slot {0} leaves no room for the return position")]
    Base(u32),
    /// An index is out of range.
    #[error("there is no {what} {number}")]
    NoSuch {
        /// What the index refers to.
        what: &'static str,
        /// The index.
        number: u32,
    },
    /// Unused bits are not zero.
    #[error("unused bits are not zero")]
    Unused,
    /// The same type occurs twice.
    #[error("it is the same as type {0}")]
    SameType(usize),
    /// A minimum size exceeds the maximum or the address space.
    #[error("its size is out of range")]
    Limits,
    /// A limit of the executors is exceeded.
    #[error("{has} {what}: at most {max} are supported")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// The actual number.
        has: u64,
        /// The largest supported number.
        max: u32,
    },
    /// A function does not have the type that its use requires.
    #[error("function {0} has the wrong type")]
    WrongType(u32),
    /// A list is not sorted.
    #[error("it is out of order")]
    Order,
}

type VerifyResult = Result<(), VerifyError>;

/// Checks all invariants that [`Bytecode`] documents.
///
/// # Errors
///
/// The first violation found.
pub fn verify(program: &Bytecode) -> Result<(), VerifyError> {
    if program.code.first() != Some(&u32::from(Op::End as u8)) {
        return Err(invalid(
            ErrorLocation::Part("code"),
            VerifyErrorKind::FirstWord,
        ));
    }
    types(program)?;
    sizes(program)?;
    functions(program)?;
    exports(program)?;
    debug(program)
}

fn invalid(location: ErrorLocation, kind: VerifyErrorKind) -> VerifyError {
    VerifyError { location, kind }
}

/// Checks that an index is in range.
fn names(location: ErrorLocation, what: &'static str, number: u32, len: usize) -> VerifyResult {
    if (number as usize) < len {
        Ok(())
    } else {
        Err(invalid(location, VerifyErrorKind::NoSuch { what, number }))
    }
}

fn at_most(location: ErrorLocation, what: &'static str, has: u64, max: u32) -> VerifyResult {
    if has <= u64::from(max) {
        Ok(())
    } else {
        Err(invalid(
            location,
            VerifyErrorKind::TooMany { what, has, max },
        ))
    }
}

fn types(program: &Bytecode) -> VerifyResult {
    let mut seen = std::collections::HashMap::new();
    for (i, ty) in program.types.iter().enumerate() {
        if let Some(first) = seen.insert(ty, i) {
            return Err(invalid(
                ErrorLocation::Element("type", i),
                VerifyErrorKind::SameType(first),
            ));
        }
    }
    Ok(())
}

fn sizes(program: &Bytecode) -> VerifyResult {
    let limits = |what, list: &[Limits], max: u32| {
        let wrong = |limits: &Limits| limits.initial > limits.maximum.unwrap_or(max).min(max);
        match list.iter().position(wrong) {
            Some(i) => Err(invalid(
                ErrorLocation::Element(what, i),
                VerifyErrorKind::Limits,
            )),
            None => Ok(()),
        }
    };
    limits("memory", &program.memories, MAX_PAGES)?;
    limits("table", &program.tables, u32::MAX)?;
    let elements = program.tables.iter().map(|table| u64::from(table.initial));
    let part = ErrorLocation::Part("tables");
    at_most(part, "elements", elements.sum(), MAX_TABLES)?;
    let part = ErrorLocation::Part("globals");
    at_most(part, "slots", program.globals.into(), MAX_GLOBALS)?;
    let functions = program.functions.len();
    for (i, segment) in program.elements.iter().enumerate() {
        let location = ErrorLocation::Element("element segment", i);
        // A reference is an index plus 1, and 0 is null.
        for reference in segment
            .iter()
            .filter_map(|reference| reference.checked_sub(1))
        {
            names(location, "function", reference, functions)?;
        }
    }
    if let Some(slot) = program.stack_pointer {
        let location = ErrorLocation::Part("stack pointer");
        names(location, "global slot", slot, program.globals as usize)?;
    }
    let [first, end] = program.statics;
    if first <= end {
        Ok(())
    } else {
        Err(invalid(
            ErrorLocation::Part("statics"),
            VerifyErrorKind::Limits,
        ))
    }
}

fn slots(types: &[Type]) -> u64 {
    types.iter().map(|ty| u64::from(ty.slots())).sum()
}

fn functions(program: &Bytecode) -> VerifyResult {
    let mut order: Vec<usize> = (0..program.functions.len()).collect();
    order.sort_by_key(|&i| program.functions[i].entry);
    let mut free = 1;
    for i in order {
        let function = &program.functions[i];
        let location = ErrorLocation::Element("function", i);
        names(location, "type", function.type_index, program.types.len())?;
        let is_range = free <= function.entry
            && function.entry < function.end
            && function.end as usize <= program.code.len();
        if !is_range {
            return Err(invalid(location, VerifyErrorKind::Range));
        }
        free = function.end;
        let FunctionType { params, results } = &program.types[function.type_index as usize];
        let needed = slots(params).max(slots(results));
        if needed > u64::from(function.frame) {
            let slot = u32::try_from(needed - 1).unwrap_or(u32::MAX);
            let frame = function.frame;
            return Err(invalid(location, VerifyErrorKind::Slot { slot, frame }));
        }
        at_most(
            location,
            "slots of a frame",
            function.frame.into(),
            MAX_FRAME,
        )?;
        body(program, function)?;
    }
    Ok(())
}

/// Checks all instructions of a function.
fn body(program: &Bytecode, function: &Function) -> VerifyResult {
    let (entry, end) = (function.entry as usize, function.end as usize);
    // The last instruction must not extend into the next function.
    let code = &program.code[..end];
    let mut starts = vec![false; end - entry];
    let mut at = entry;
    let mut targets = Vec::new();
    while at < end {
        let location = ErrorLocation::Word(at as u32);
        let instruction = Instruction::read(code, at)
            .map_err(|error| invalid(location, VerifyErrorKind::Instruction(error)))?;
        InstructionCheck {
            program,
            function,
            location,
            instruction,
        }
        .all()?;
        starts[at - entry] = true;
        targets.extend(
            instruction
                .targets()
                .iter()
                .map(|&target| (location, target)),
        );
        at += instruction.words();
        if at == end && !instruction.ends_block() {
            return Err(invalid(location, VerifyErrorKind::RunsPastEnd));
        }
    }
    let is_start = |target: u32| {
        let start = (target as usize).checked_sub(entry);
        start
            .and_then(|start| starts.get(start))
            .is_some_and(|&is| is)
    };
    match targets.iter().find(|(_, target)| !is_start(*target)) {
        Some(&(location, target)) => Err(invalid(location, VerifyErrorKind::Target(target))),
        None => Ok(()),
    }
}

/// Checks one instruction of a function.
struct InstructionCheck<'a> {
    program: &'a Bytecode,
    function: &'a Function,
    location: ErrorLocation,
    instruction: Instruction<'a>,
}

impl InstructionCheck<'_> {
    fn all(&self) -> VerifyResult {
        let widths = self.instruction.op.widths();
        for (slot, width) in self.instruction.operands.into_iter().zip(widths) {
            if width > 0 {
                self.slot(u32::from(slot), u32::from(width))?;
            }
        }
        self.unused()?;
        self.numbers()
    }

    /// Checks that `width` slots from `slot` on lie in the frame.
    fn slot(&self, slot: u32, width: u32) -> VerifyResult {
        let frame = self.function.frame;
        if slot + width <= frame {
            Ok(())
        } else {
            let slot = slot + width - 1;
            Err(invalid(
                self.location,
                VerifyErrorKind::Slot { slot, frame },
            ))
        }
    }

    fn named(&self, what: &'static str, number: u32, len: usize) -> VerifyResult {
        names(self.location, what, number, len)
    }

    fn memory(&self, number: u32) -> VerifyResult {
        self.named("memory", number, self.program.memories.len())
    }

    fn table(&self, number: u32) -> VerifyResult {
        self.named("table", number, self.program.tables.len())
    }

    fn word(&self, index: usize) -> u32 {
        self.instruction.rest.get(index).copied().unwrap_or(0)
    }

    /// Checks that unused bytes are zero.
    fn unused(&self) -> VerifyResult {
        let [a, b, c] = self.instruction.operands;
        let used = match self.instruction.op.format() {
            Format::None | Format::T => [false; 3],
            Format::D | Format::X | Format::Di | Format::Dii => [true, false, false],
            Format::Xt | Format::Xit | Format::Table => [true, false, false],
            Format::Dx | Format::Dxi | Format::Xy | Format::Xyt => [true, true, false],
            Format::XyTo => [true, true, false],
            Format::DxyTo => [true, true, self.instruction.op.widths()[2] > 0],
            Format::Segment => [false, true, true],
            Format::Dxy | Format::Dxyz | Format::Dn | Format::Xn | Format::Load => [true; 3],
            Format::Store | Format::Call | Format::CallIndirect => [true; 3],
            Format::Bulk | Format::Host => [true; 3],
        };
        let is_zero = [a, b, c]
            .into_iter()
            .zip(used)
            .all(|(byte, used)| used || byte == 0);
        let rest = match self.instruction.op.format() {
            Format::Dxyz => self.word(0) >> 8,
            Format::CallIndirect => self.word(1) >> 16,
            _ => 0,
        };
        if is_zero && rest == 0 {
            Ok(())
        } else {
            Err(invalid(self.location, VerifyErrorKind::Unused))
        }
    }

    /// Checks operands outside the three slot bytes: extra slots, indices, call frames.
    fn numbers(&self) -> VerifyResult {
        let number = u32::from(self.instruction.number());
        match self.instruction.op.format() {
            Format::Dxyz => self.slot(self.word(0), 1),
            Format::Dn | Format::Xn => self.indexed_operand(number),
            Format::Load | Format::Store => self.memory(u32::from(self.instruction.operands[2])),
            Format::Call => {
                self.named("function", self.word(0), self.program.functions.len())?;
                self.base()
            }
            Format::CallIndirect => {
                self.named("type", self.word(0), self.program.types.len())?;
                self.slot(self.word(1) & 0xff, 1)?;
                self.table(self.word(1) >> 8 & 0xff)?;
                self.base()
            }
            Format::Bulk => self.bulk(self.word(0) & 0xffff, self.word(0) >> 16),
            Format::DxyTo | Format::XyTo => match self.instruction.op {
                Op::MemoryGrow => self.memory(self.word(0)),
                _ => self.table(self.word(0)),
            },
            Format::Segment => self.segment(number),
            Format::Host => self.host(number),
            _ => Ok(()),
        }
    }

    /// Checks the index `b | c << 8`.
    fn indexed_operand(&self, number: u32) -> VerifyResult {
        let width = u32::from(self.instruction.op.widths()[0]);
        match self.instruction.op {
            Op::FarGet | Op::FarSet => self.slot(number, width),
            Op::MemorySize => self.memory(number),
            Op::TableSize => self.table(number),
            _ => {
                let last = number + width - 1;
                self.named("global slot", last, self.program.globals as usize)
            }
        }
    }

    fn base(&self) -> VerifyResult {
        let base = self.instruction.base();
        if base < 2 {
            return Err(invalid(self.location, VerifyErrorKind::Base(base)));
        }
        // The frame contains the two link slots below the base; everything above belongs to the
        // callee.
        self.slot(base - 2, 2)
    }

    fn bulk(&self, to: u32, from: u32) -> VerifyResult {
        let program = self.program;
        match self.instruction.op {
            Op::MemoryFill | Op::TableFill if from != 0 => {
                return Err(invalid(self.location, VerifyErrorKind::Unused));
            }
            Op::MemoryFill | Op::TableFill => {}
            Op::MemoryCopy => self.memory(from)?,
            Op::TableCopy => self.table(from)?,
            Op::MemoryInit => self.named("data segment", from, program.data.len())?,
            _ => self.named("element segment", from, program.elements.len())?,
        }
        match self.instruction.op {
            Op::MemoryFill | Op::MemoryCopy | Op::MemoryInit => self.memory(to),
            _ => self.table(to),
        }
    }

    fn segment(&self, number: u32) -> VerifyResult {
        match self.instruction.op {
            Op::DataDrop => self.named("data segment", number, self.program.data.len()),
            _ => self.named("element segment", number, self.program.elements.len()),
        }
    }

    fn host(&self, number: u32) -> VerifyResult {
        let Some(host) = Host::from_number(number as u16) else {
            let what = "host function";
            return Err(invalid(
                self.location,
                VerifyErrorKind::NoSuch { what, number },
            ));
        };
        let (arguments, result) = host_slots(host);
        self.slot(
            u32::from(self.instruction.operands[0]),
            arguments.max(result),
        )
    }
}

fn exports(program: &Bytecode) -> VerifyResult {
    let functions = program.functions.len();
    let type_of = |function: u32| program.functions[function as usize].type_index;
    for (i, &init) in program.inits.iter().enumerate() {
        let location = ErrorLocation::Element("init", i);
        names(location, "function", init, functions)?;
        let FunctionType { params, results } = &program.types[type_of(init) as usize];
        if !(params.is_empty() && results.is_empty()) {
            return Err(invalid(location, VerifyErrorKind::WrongType(init)));
        }
    }
    for (i, export) in program.exports.iter().enumerate() {
        let location = ErrorLocation::Element("export", i);
        names(location, "function", export.function, functions)?;
        names(location, "function", export.launch, functions)?;
        names(location, "module", export.module, program.inits.len())?;
        if type_of(export.function) != type_of(export.launch) {
            return Err(invalid(location, VerifyErrorKind::WrongType(export.launch)));
        }
    }
    Ok(())
}

fn debug(program: &Bytecode) -> VerifyResult {
    let mut last = 0;
    for (i, position) in program.debug.positions.iter().enumerate() {
        let location = ErrorLocation::Element("position", i);
        names(location, "name", position.name, program.debug.names.len())?;
        names(location, "word", position.word, program.code.len() + 1)?;
        if position.word < last {
            return Err(invalid(location, VerifyErrorKind::Order));
        }
        last = position.word;
    }
    Ok(())
}
