//! Code emission: IR to bytecode.
//!
//! In: [`ir::Function`]. Out: its code words, appended to the program, with source positions and
//! resolved branch targets. Every IR slot is mapped to a slot that operands can name, or accessed
//! with `far_get` and `far_set`.

mod calls;
mod frame;
mod plain;

use super::ir::{self, FunctionId, Inst, Label, Origin};
use crate::bytecode::{Bytecode, Function, Op, Position};
use frame::Layout;

/// Assigns function indices in the program on demand.
pub(crate) trait FunctionIndices {
    /// The index of a function.
    fn function_index(&mut self, function: FunctionId) -> u32;
}

/// The function that is being emitted.
struct Emitter<'a> {
    bytecode: &'a mut Bytecode,
    indices: &'a mut dyn FunctionIndices,
    layout: Layout,
    /// The code address of each label, once known.
    targets: Vec<Option<u32>>,
    /// Words to patch with label addresses.
    fixups: Vec<(usize, Label)>,
    origin: Origin,
    recorded: Option<Origin>,
    /// The next scratch slot of the current instruction.
    scratch: u32,
}

/// Emits a function.
pub(crate) fn emit(
    function: &ir::Function,
    bytecode: &mut Bytecode,
    indices: &mut dyn FunctionIndices,
) -> Function {
    let entry = word_count(bytecode);
    let mut emitter = Emitter {
        layout: Layout::new(function),
        targets: vec![None; function.labels as usize],
        fixups: Vec::new(),
        origin: Origin::default(),
        recorded: None,
        scratch: 0,
        bytecode,
        indices,
    };
    emitter.origin = function.origins.first().copied().unwrap_or(Origin {
        name: function.name,
        offset: 0,
    });
    emitter.record();
    let mut at = 0;
    while let Some(inst) = function.code.get(at) {
        emitter.origin = function.origins[at];
        at += 1;
        if emitter.inst(inst, &function.code[at..]) {
            at += 1;
        }
    }
    emitter.fix();
    Function {
        entry,
        end: word_count(emitter.bytecode),
        frame: emitter.layout.frame(),
        type_index: function.type_index,
    }
}

fn word_count(bytecode: &Bytecode) -> u32 {
    u32::try_from(bytecode.code.len()).unwrap_or(u32::MAX)
}

impl Emitter<'_> {
    /// Emits an instruction; returns whether it consumed the next one too.
    fn inst(&mut self, inst: &Inst, rest: &[Inst]) -> bool {
        self.scratch = frame::SCRATCH;
        match inst {
            Inst::Block(_) => {}
            Inst::Loop(label) => self.targets[*label as usize] = Some(self.here()),
            Inst::End(label) => {
                let here = self.here();
                self.targets[*label as usize].get_or_insert(here);
            }
            Inst::Br(label) => {
                // The label of a loop is bound already.
                let backward = self.targets[*label as usize].is_some();
                if backward || !falls_to(*label, rest) {
                    self.word(Op::Jump, 0, 0, 0);
                    self.target(*label);
                }
            }
            Inst::BrIf { op, x, y, label } => self.branch(*op, *x, *y, *label),
            Inst::BrTable { index, labels } => {
                let x = self.read(*index, 1);
                self.word(Op::BrTable, x, 0, 0);
                self.raw(u32::try_from(labels.len() - 1).unwrap_or(0));
                for &label in labels {
                    self.target(label);
                }
            }
            Inst::Return => self.word(Op::Return, 0, 0, 0),
            Inst::Call { .. } | Inst::CallIndirect { .. } => return self.call(inst, rest.first()),
            Inst::Plain(plain) => self.plain(plain),
        }
        false
    }

    fn branch(&mut self, op: Op, x: u32, y: u32, label: Label) {
        use crate::bytecode::Format;
        let x = self.read(x, 1);
        match op.format() {
            Format::Xyt => {
                let y = self.read(y, 1);
                self.word(op, x, y, 0);
            }
            Format::Xit => {
                self.word(op, x, 0, 0);
                self.raw(y);
            }
            _ => self.word(op, x, 0, 0),
        }
        self.target(label);
    }

    fn here(&self) -> u32 {
        word_count(self.bytecode)
    }

    fn raw(&mut self, word: u32) {
        self.bytecode.code.push(word);
    }

    fn word(&mut self, op: Op, a: u32, b: u32, c: u32) {
        if traps(op) {
            self.record();
        }
        self.raw(op as u32 | (a & 0xff) << 8 | (b & 0xff) << 16 | (c & 0xff) << 24);
    }

    fn target(&mut self, label: Label) {
        self.fixups.push((self.bytecode.code.len(), label));
        self.raw(0);
    }

    /// Records the source position of the next word, unless it is the current one.
    fn record(&mut self) {
        if self.recorded != Some(self.origin) {
            self.recorded = Some(self.origin);
            let word = self.here();
            self.bytecode.debug.positions.push(Position {
                word,
                name: self.origin.name,
                offset: self.origin.offset,
            });
        }
    }

    fn fix(&mut self) {
        for &(word, label) in &self.fixups {
            if let Some(target) = self.targets[label as usize] {
                self.bytecode.code[word] = target;
            }
        }
    }
}

/// Whether a branch to the label is a fall-through: only ends of blocks lie between.
fn falls_to(label: Label, rest: &[Inst]) -> bool {
    let ends = rest.iter().map_while(|inst| match inst {
        Inst::End(label) => Some(*label),
        _ => None,
    });
    ends.take(8).any(|end| end == label)
}

/// Whether an instruction can trap, so that its source position must be recorded.
fn traps(op: Op) -> bool {
    use crate::bytecode::Format;
    let by_format = matches!(
        op.format(),
        Format::Load
            | Format::Store
            | Format::Bulk
            | Format::DxyTo
            | Format::XyTo
            | Format::Host
            | Format::Call
            | Format::CallIndirect
    );
    by_format
        || matches!(
            op,
            Op::Unreachable
                | Op::I32DivS
                | Op::I32DivU
                | Op::I32RemS
                | Op::I32RemU
                | Op::I64DivS
                | Op::I64DivU
                | Op::I64RemS
                | Op::I64RemU
                | Op::I32TruncF32S
                | Op::I32TruncF32U
                | Op::I32TruncF64S
                | Op::I32TruncF64U
                | Op::I64TruncF32S
                | Op::I64TruncF32U
                | Op::I64TruncF64S
                | Op::I64TruncF64U
        )
}
