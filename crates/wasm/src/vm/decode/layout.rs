//! The boundaries of instructions, and which of them are jump targets.

use crate::bytecode::{Bytecode, Instruction, InstructionError};
use crate::runtime::LaunchError;

pub(super) fn wrong(word: usize, what: impl Into<String>) -> LaunchError {
    let what = what.into();
    LaunchError::Bytecode { word, what }
}

/// The instruction at a word.
pub(super) fn instruction(code: &[u32], word: usize) -> Result<Instruction<'_>, LaunchError> {
    Instruction::read(code, word).map_err(|error| match error {
        InstructionError::CutOff(op) => wrong(word, format!("`{}` runs past the end", op.name())),
        other => wrong(word, other.to_string()),
    })
}

/// The role of a code word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// The first word of an instruction.
    Begins,
    /// The first word of an instruction that is a jump target.
    Label,
    /// A later word of an instruction.
    Inside,
}

/// The role of every code word.
pub(super) struct Layout(Vec<Role>);

impl Layout {
    pub(super) fn new(source: &Bytecode) -> Result<Self, LaunchError> {
        let code = &source.code;
        let mut layout = Self(vec![Role::Inside; code.len()]);
        let mut targets = Vec::new();
        let mut word = 0;
        while word < code.len() {
            layout.0[word] = Role::Begins;
            let instruction = instruction(code, word)?;
            targets.extend(instruction.targets().iter().map(|&target| (word, target)));
            word += instruction.words();
        }
        let entries = source.functions.iter().map(|function| function.entry);
        targets.extend(entries.map(|entry| (entry as usize, entry)));
        for (word, target) in targets {
            match layout.0.get_mut(target as usize) {
                Some(role) if *role != Role::Inside => *role = Role::Label,
                _ => {
                    let what = format!("there is no instruction at word {target}");
                    return Err(wrong(word, what));
                }
            }
        }
        Ok(layout)
    }

    pub(super) fn is_label(&self, word: usize) -> bool {
        self.0.get(word) != Some(&Role::Begins)
    }
}
