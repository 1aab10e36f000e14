//! The boundaries of instructions, and which of them are jump targets.

use crate::bytecode::{Bytecode, Format, Op};
use crate::runtime::LaunchError;

pub(super) fn wrong(word: usize, what: impl Into<String>) -> LaunchError {
    let what = what.into();
    LaunchError::Bytecode { word, what }
}

/// The opcode and length in words of an instruction.
pub(super) fn size(code: &[u32], word: usize) -> Result<(Op, usize), LaunchError> {
    let number = code[word] as u8;
    let op = Op::from_number(number)
        .ok_or_else(|| wrong(word, format!("{number:#04x} is not an opcode")))?;
    let words = match op.format() {
        Format::None
        | Format::D
        | Format::Dx
        | Format::Dxy
        | Format::Dn
        | Format::Xn
        | Format::X
        | Format::Xy
        | Format::Segment
        | Format::Host => 1,
        Format::Dxyz
        | Format::Dxi
        | Format::Di
        | Format::T
        | Format::Xt
        | Format::Xyt
        | Format::Load
        | Format::Store
        | Format::Call
        | Format::Bulk
        | Format::DxyTo
        | Format::XyTo => 2,
        Format::Dii | Format::Xit | Format::CallIndirect => 3,
        Format::Table => {
            let count = code.get(word + 1).copied().unwrap_or(u32::MAX) as usize;
            count.saturating_add(3)
        }
    };
    match word.checked_add(words).is_some_and(|end| end <= code.len()) {
        true => Ok((op, words)),
        false => Err(wrong(word, format!("`{}` runs past the end", op.name()))),
    }
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
            let (op, words) = size(code, word)?;
            let of_op = match op.format() {
                Format::T | Format::Xt | Format::Xyt => word + 1..word + 2,
                Format::Xit => word + 2..word + 3,
                Format::Table => word + 2..word + words,
                _ => 0..0,
            };
            targets.extend(of_op.map(|at| (word, code[at])));
            word += words;
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
