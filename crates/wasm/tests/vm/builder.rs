//! Builds bytecode programs instruction by instruction.

use anywarp_wasm::bytecode::{
    Bytecode, Export, Function, FunctionType, Host, Limits, Op, Position, Type,
};

/// A label that may not be bound yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label(usize);

/// Builds a program; functions are written one after the other.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    pub(crate) program: Bytecode,
    labels: Vec<Option<u32>>,
    /// Words to patch with label addresses.
    uses: Vec<(usize, Label)>,
}

impl Builder {
    pub(crate) fn new() -> Self {
        let mut builder = Self::default();
        builder.op(Op::End, [0; 3]);
        builder
    }

    /// Begins a function; returns its index.
    pub(crate) fn function(&mut self, params: &[Type], results: &[Type], frame: u32) -> u32 {
        let ty = FunctionType {
            params: params.to_vec(),
            results: results.to_vec(),
        };
        let types = &mut self.program.types;
        let type_index = types
            .iter()
            .position(|known| *known == ty)
            .unwrap_or_else(|| {
                types.push(ty);
                types.len() - 1
            });
        let entry = self.here();
        self.program.functions.push(Function {
            entry,
            end: u32::MAX,
            frame,
            type_index: type_index as u32,
        });
        let number = self.program.functions.len() as u32 - 1;
        self.program.debug.names.push(format!("f{number}"));
        self.program.debug.positions.push(Position {
            word: entry,
            name: number,
            offset: entry,
        });
        number
    }

    fn here(&self) -> u32 {
        self.program.code.len() as u32
    }

    pub(crate) fn op(&mut self, op: Op, [a, b, c]: [u8; 3]) -> &mut Self {
        self.word(u32::from_le_bytes([op as u8, a, b, c]))
    }

    pub(crate) fn word(&mut self, word: u32) -> &mut Self {
        self.program.code.push(word);
        self
    }

    pub(crate) fn constant(&mut self, slot: u8, value: u32) -> &mut Self {
        self.op(Op::Const, [slot, 0, 0]).word(value)
    }

    /// A host call on the slots from `first` on.
    pub(crate) fn host(&mut self, host: Host, first: u8) -> &mut Self {
        let [b, c] = (host as u16).to_le_bytes();
        self.op(Op::Host, [first, b, c])
    }

    /// An instruction with one further word, such as an immediate.
    pub(crate) fn with(&mut self, op: Op, operands: [u8; 3], word: u32) -> &mut Self {
        self.op(op, operands).word(word)
    }

    pub(crate) fn call(&mut self, function: u32, base: u32) -> &mut Self {
        let [a, b, c, _] = base.to_le_bytes();
        self.with(Op::Call, [a, b, c], function)
    }

    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Binds a label to the current address.
    pub(crate) fn place(&mut self, label: Label) -> &mut Self {
        self.labels[label.0] = Some(self.here());
        self
    }

    /// A word with a label's address.
    pub(crate) fn to(&mut self, label: Label) -> &mut Self {
        self.uses.push((self.program.code.len(), label));
        self.word(u32::MAX)
    }

    pub(crate) fn jump(&mut self, op: Op, operands: [u8; 3], label: Label) -> &mut Self {
        self.op(op, operands).to(label)
    }

    pub(crate) fn ret(&mut self) -> &mut Self {
        self.op(Op::Return, [0; 3])
    }

    pub(crate) fn memory(&mut self, initial: u32, maximum: Option<u32>) -> &mut Self {
        self.program.memories.push(Limits { initial, maximum });
        self
    }

    /// Exports a function as a kernel.
    pub(crate) fn export(&mut self, name: &str, function: u32) -> &mut Self {
        self.program.exports.push(Export {
            module: 0,
            name: name.to_owned(),
            function,
            launch: function,
        });
        self
    }

    pub(crate) fn finish(mut self) -> Bytecode {
        for (word, label) in self.uses {
            self.program.code[word] = self.labels[label.0].expect("a label that was placed");
        }
        let mut end = self.program.code.len() as u32;
        for function in self.program.functions.iter_mut().rev() {
            function.end = end;
            end = function.entry;
        }
        self.program
    }
}
