//! A parsed SPIR-V module: sections, names, decorations, functions and their blocks.
//!
//! In: the words of the module. Out: [`Module`]. Every id has at most one definition; every block ends with one
//! terminator, directly after its merge instruction if it has one; the sections are in the order that SPIR-V requires.
//! Nothing here depends on naga or WGSL.

mod class;
mod decorations;
mod definitions;
mod functions;
mod names;
mod words;

use rspirv::spirv::{ExecutionMode, ExecutionModel, Op};

pub(crate) use class::{OpClass, class_of};
pub(crate) use decorations::Decorations;
use definitions::Definitions;
pub(crate) use functions::{Block, CrossBlockUse, Function, Merge, ResultIds};
pub(crate) use names::Names;
pub(crate) use words::{Id, Instruction};

use crate::error::{ReadError, Result, SourceLine};
use crate::maps::HashMap;

/// An `OpEntryPoint` with its execution modes.
#[derive(Debug)]
pub(crate) struct EntryPoint<'a> {
    pub(crate) instruction: Instruction<'a>,
    pub(crate) model: ExecutionModel,
    pub(crate) function: Id,
    pub(crate) name: String,
    pub(crate) interface: Vec<Id>,
    pub(crate) modes: Vec<Mode>,
}

/// An execution mode; its operands are literals, or ids for `LocalSizeId`.
#[derive(Debug)]
pub(crate) struct Mode {
    pub(crate) mode: ExecutionMode,
    pub(crate) operands: Vec<u32>,
}

/// An imported extended instruction set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InstructionSet {
    Glsl,
    /// A `NonSemantic.*` set, such as debug information. Its instructions are ignored.
    NonSemantic,
    Unknown(String),
}

/// Line information from `OpLine` and `OpNoLine`, by word offset.
#[derive(Debug, Default)]
struct Lines {
    /// Sorted by the word offset at which each line begins to apply; `None` after `OpNoLine`.
    changes: Vec<(usize, Option<(Id, u32)>)>,
}

/// A parsed SPIR-V module. It borrows the words.
#[derive(Debug)]
pub(crate) struct Module<'a> {
    pub(crate) sets: HashMap<Id, InstructionSet>,
    pub(crate) entry_points: Vec<EntryPoint<'a>>,
    pub(crate) names: Names,
    pub(crate) decorations: Decorations<'a>,
    /// Types, constants and variables of the module, in order.
    pub(crate) globals: Vec<Instruction<'a>>,
    pub(crate) functions: Vec<Function<'a>>,
    strings: HashMap<Id, String>,
    lines: Lines,
    /// The set of opcodes that occur in the module.
    ops: Vec<Op>,
    /// The set of extended instruction numbers that occur in the module.
    extended: Vec<u32>,
    definitions: Definitions<'a>,
}

impl<'a> Module<'a> {
    /// Parses a module.
    pub(crate) fn parse(words: &'a [u32]) -> Result<Self> {
        let header = words::header(words)?;
        let mut module = Self {
            sets: HashMap::default(),
            entry_points: Vec::new(),
            names: Names::new(header.bound),
            decorations: Decorations::new(header.bound),
            globals: Vec::new(),
            functions: Vec::new(),
            strings: HashMap::default(),
            lines: Lines::default(),
            ops: Vec::new(),
            extended: Vec::new(),
            definitions: Definitions::new(words, header.bound),
        };
        let mut functions = functions::FunctionBuilder::new(words);
        let mut modes = Vec::new();
        let mut is_noted = Vec::new();
        for instruction in words::instructions(words, header) {
            let instruction = instruction?;
            module.definitions.add(&instruction, functions.count())?;
            let number = instruction.op as usize;
            if is_noted.len() <= number {
                is_noted.resize(number + 1, false);
            }
            if !std::mem::replace(&mut is_noted[number], true) {
                module.ops.push(instruction.op);
            }
            match instruction.op {
                Op::Line | Op::NoLine => module.lines.add(&instruction)?,
                op if words::is_apart(op) => {}
                _ if functions.is_inside() || instruction.op == Op::Function => {
                    if instruction.op == Op::ExtInst {
                        module.note_extended(&instruction)?;
                    }
                    functions.take(instruction, &module.definitions, &mut module.functions)?;
                }
                Op::ExecutionMode | Op::ExecutionModeId => modes.push(instruction),
                _ => module.global(instruction)?,
            }
        }
        functions.end()?;
        for mode in modes {
            module.mode(&mode)?;
        }
        module.decorations.arrange();
        Ok(module)
    }

    fn note_extended(&mut self, instruction: &Instruction<'a>) -> Result<()> {
        let number = instruction.word(1)?;
        // A linear search: neighbors mostly have the same number, and there are few numbers.
        if !self.extended.contains(&number) {
            self.extended.push(number);
        }
        Ok(())
    }

    fn global(&mut self, instruction: Instruction<'a>) -> Result<()> {
        match instruction.op {
            Op::ExtInstImport => {
                let set = match instruction.text(0)?.0 {
                    name if name == "GLSL.std.450" => InstructionSet::Glsl,
                    name if name.starts_with("NonSemantic.") => InstructionSet::NonSemantic,
                    name => InstructionSet::Unknown(name),
                };
                self.sets.insert(instruction.result()?, set);
            }
            Op::String => {
                let text = instruction.text(0)?.0;
                self.strings.insert(instruction.result()?, text);
            }
            Op::EntryPoint => self.entry_point(instruction)?,
            Op::Name => self.names.add(&instruction)?,
            Op::MemberName => self.names.add_member(&instruction)?,
            // Extended debug instructions may occur between types.
            Op::ExtInst => {}
            op if class_of(op) == OpClass::Decoration => self.decorations.take(&instruction)?,
            _ => self.globals.push(instruction),
        }
        Ok(())
    }

    fn entry_point(&mut self, instruction: Instruction<'a>) -> Result<()> {
        let model = instruction.word(0)?;
        let model = ExecutionModel::from_u32(model)
            .ok_or_else(|| instruction.invalid(format!("execution model {model} is unknown")))?;
        let (name, interface) = instruction.text(2)?;
        self.entry_points.push(EntryPoint {
            instruction,
            model,
            function: instruction.id(1)?,
            name,
            interface: instruction.ids(interface).collect(),
            modes: Vec::new(),
        });
        Ok(())
    }

    fn mode(&mut self, instruction: &Instruction<'a>) -> Result<()> {
        let (function, mode) = (instruction.id(0)?, instruction.word(1)?);
        let mode = ExecutionMode::from_u32(mode)
            .ok_or_else(|| instruction.invalid(format!("execution mode {mode} is unknown")))?;
        let operands = instruction.operands.get(2..).unwrap_or_default().to_vec();
        let entry_points = self.entry_points.iter_mut();
        for entry_point in entry_points.filter(|entry_point| entry_point.function == function) {
            let operands = operands.clone();
            entry_point.modes.push(Mode { mode, operands });
        }
        Ok(())
    }

    /// Whether any opcode of the module satisfies the predicate. A cheap test before a search of all instructions.
    pub(crate) fn has(&self, is_wanted: impl Fn(Op) -> bool) -> bool {
        self.ops.iter().any(|op| is_wanted(*op))
    }

    /// The type id of a value.
    #[inline]
    pub(crate) fn type_of(&self, id: Id) -> Result<Id> {
        match self.definitions.type_of(id) {
            Some(ty) => Ok(ty),
            None => self.definition(id)?.result_type(),
        }
    }

    /// The index in its function of the block with this label.
    pub(crate) fn block_of(&self, label: Id) -> Option<usize> {
        self.definitions.block_of(label)
    }

    /// The index of the block of `function` that defines an id, if one does.
    pub(crate) fn block_defining(&self, function: &Function<'_>, id: Id) -> Option<usize> {
        function.block_at(self.definitions.offset(id))
    }

    /// Whether an instruction of a block defines an id.
    pub(crate) fn is_defined_in(&self, block: &Block<'_>, id: Id) -> bool {
        block.holds(self.definitions.offset(id))
    }

    /// The instruction that defines an id.
    pub(crate) fn definition(&self, id: Id) -> Result<Instruction<'a>> {
        self.definitions
            .get(id)
            .ok_or_else(|| ReadError::invalid(format!("{id} is not defined")))
    }

    /// Whether an extended instruction with this number occurs, in any set.
    pub(crate) fn has_extended(&self, number: u32) -> bool {
        self.extended.contains(&number)
    }

    /// The source line of the instruction at a word offset.
    pub(crate) fn line(&self, offset: usize) -> Option<SourceLine> {
        let changes = &self.lines.changes;
        let next = changes.partition_point(|(from, _)| *from <= offset);
        let (file, line) = changes.get(next.checked_sub(1)?)?.1?;
        let file = self.strings.get(&file)?.clone();
        Some(SourceLine { file, line })
    }
}

impl Lines {
    fn add(&mut self, instruction: &Instruction<'_>) -> Result<()> {
        let line = match instruction.op {
            Op::Line => Some((instruction.id(0)?, instruction.word(1)?)),
            _ => None,
        };
        self.changes.push((instruction.offset, line));
        Ok(())
    }
}
