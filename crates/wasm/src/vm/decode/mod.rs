//! The decoder: bytecode to direct-threaded code.
//!
//! In: a [`Bytecode`], verified or not. Out: a [`Program`]. It selects for each instruction a
//! specialized handler, by which operands are held in registers (static stack caching), and fuses
//! sequences into superinstructions. Nothing is assumed to be held at jump targets.

mod layout;
mod stack_cache;
mod superinstructions;

use std::sync::Arc;

use crate::bytecode::{Bytecode, Format, Host, Op};
use crate::runtime::LaunchError;

use super::handlers::{self, OperandForm, OperandKinds, Source};
use super::memory::Memory;
use super::program::{FunctionEntry, Handler, Ins, Program, slice};
use super::window::ValueKind;

use layout::{Layout, instruction, wrong};
use stack_cache::CachedSlots;
use superinstructions::RawInstruction;

impl<M: Memory> Program<M> {
    pub(super) fn new(source: &Arc<Bytecode>) -> Result<Self, LaunchError> {
        let layout = Layout::new(source)?;
        let mut decoder = Decoder {
            layout: &layout,
            source,
            places: vec![u32::MAX; source.code.len()],
            code: Vec::new(),
            words: Vec::new(),
            targets: Vec::new(),
            cached_slots: CachedSlots::default(),
        };
        let mut word = 0;
        while word < source.code.len() {
            word += decoder.instruction(word)?;
        }
        let Decoder {
            places,
            mut code,
            words,
            targets,
            ..
        } = decoder;
        for place in targets {
            let entry = &mut code[place];
            entry.imm = places[entry.imm as usize];
        }
        let functions: Vec<_> = source
            .functions
            .iter()
            .map(|function| FunctionEntry {
                pc: places[function.entry as usize],
                frame: function.frame,
                type_index: function.type_index,
            })
            .collect();
        Ok(Self {
            slice: slice(&functions, code.len()),
            functions,
            code,
            words,
            source: Arc::clone(source),
        })
    }
}

struct Decoder<'a, M: Memory> {
    layout: &'a Layout,
    source: &'a Bytecode,
    /// For each word the entry of the instruction that begins there, or `u32::MAX`.
    places: Vec<u32>,
    code: Vec<Ins<M>>,
    words: Vec<u32>,
    /// Entries with a jump target, still as a word of the bytecode.
    targets: Vec<usize>,
    cached_slots: CachedSlots,
}

impl<M: Memory> Decoder<'_, M> {
    /// Decodes an instruction or a superinstruction; returns its length in words.
    fn instruction(&mut self, word: usize) -> Result<usize, LaunchError> {
        if self.layout.is_label(word) {
            self.cached_slots = CachedSlots::default();
        }
        self.places[word] = self.code.len() as u32;
        let instruction = instruction(&self.source.code, word)?;
        let (op, words) = (instruction.op, instruction.words());
        let cached_slots = self.cached_slots;
        if let Some(taken) = self.superinstruction(RawInstruction { word, op, words }) {
            return Ok(taken);
        }
        self.cached_slots = cached_slots;
        self.single(word, op, words)?;
        Ok(words)
    }

    fn source_of(&self, slot: u8, kind: Option<ValueKind>) -> Source {
        if kind.is_some_and(|kind| self.cached_slots.contains(slot, kind)) {
            Source::Register
        } else {
            Source::Slot
        }
    }

    /// Records what is held after an instruction.
    fn finish(&mut self, a: u8, kinds: OperandKinds) {
        if let Some(kind) = kinds.to {
            self.cached_slots.insert(a, kind);
        }
    }

    fn single(&mut self, word: usize, op: Op, words: usize) -> Result<(), LaunchError> {
        let source = self.source;
        let text = &source.code[word..word + words];
        let [_, a, b, c] = text[0].to_le_bytes();
        let next = text.get(1).copied().unwrap_or(0);
        let format = op.format();
        let kinds = handlers::kinds(op);
        let mut form = self.form(op, [a, b, c], next);
        let mut ins = Ins {
            handler: handlers::data,
            a,
            b,
            c,
            d: 0,
            imm: next,
        };
        let mut is_long = false;
        match format {
            Format::T | Format::Xt | Format::Xyt | Format::Xit => {
                let target = if format == Format::Xit { text[2] } else { next };
                form.back = target as usize <= word;
                ins.imm = target;
                self.targets.push(self.code.len());
            }
            Format::Call | Format::CallIndirect => self.check_call(op, &ins, word)?,
            _ => {}
        }
        if format == Format::Xit {
            // A short constant is packed into unused operand bytes.
            match i16::try_from(next as i32) {
                Ok(short) => {
                    [ins.b, ins.c] = short.to_le_bytes();
                    form.y = Source::Immediate;
                }
                Err(_) => (form.y, is_long) = (Source::NextEntry, true),
            }
        }
        ins.handler = self.handler(op, form, word)?;
        self.push(word, ins);
        self.data_entries(word, format, text, is_long);
        match (op, kinds) {
            (Op::Const, _) => self.cached_slots.invalidate(a, 1),
            (Op::Const64, _) => self.cached_slots.invalidate(a, 2),
            (_, Some(kinds)) => self.finish(a, kinds),
            (_, None) => self.cached_slots = CachedSlots::default(),
        }
        Ok(())
    }

    /// Adds the entries that carry further words of an instruction.
    fn data_entries(&mut self, word: usize, format: Format, text: &[u32], is_long: bool) {
        match format {
            Format::Dii => self.data(word, [0, 0], text[2]),
            Format::Xit if is_long => self.data(word, [0, 0], text[1]),
            Format::CallIndirect => {
                let [slot, table, ..] = text[2].to_le_bytes();
                self.data(word, [slot, table], 0);
            }
            Format::Table => {
                for &target in &text[2..] {
                    self.targets.push(self.code.len());
                    self.data(word, [0, 0], target);
                }
            }
            _ => {}
        }
    }

    /// The operand sources of an instruction.
    fn form(&self, op: Op, [a, b, c]: [u8; 3], next: u32) -> OperandForm {
        let mut form = OperandForm::default();
        let Some(kinds) = handlers::kinds(op) else {
            return form;
        };
        let (x, y) = match op.format() {
            Format::Xt | Format::Xyt | Format::Xit | Format::Store | Format::Xn => (a, b),
            Format::Dxyz => (next as u8, 0),
            _ => (b, c),
        };
        form.x = self.source_of(x, kinds.x);
        if form.x == Source::Slot {
            form.y = self.source_of(y, kinds.y);
        }
        form
    }

    fn push(&mut self, word: usize, ins: Ins<M>) {
        self.code.push(ins);
        self.words.push(word as u32);
    }

    /// An entry that only carries data of the instruction before it.
    fn data(&mut self, word: usize, [a, b]: [u8; 2], imm: u32) {
        let handler = handlers::data;
        let (c, d) = (0, 0);
        let ins = Ins {
            handler,
            a,
            b,
            c,
            d,
            imm,
        };
        self.push(word, ins);
    }

    fn check_call(&self, op: Op, ins: &Ins<M>, word: usize) -> Result<(), LaunchError> {
        if ins.base() < 2 {
            return Err(wrong(
                word,
                format!("the frame base at slot {} is invalid", ins.base()),
            ));
        }
        if op == Op::Call && ins.imm as usize >= self.source.functions.len() {
            Err(wrong(word, format!("there is no function {}", ins.imm)))
        } else {
            Ok(())
        }
    }

    fn handler(&self, op: Op, form: OperandForm, word: usize) -> Result<Handler<M>, LaunchError> {
        let text = self.source.code[word];
        if op == Op::Host {
            let number = (text >> 16) as u16;
            let host = Host::from_number(number);
            let host =
                host.ok_or_else(|| wrong(word, format!("there is no host function {number}")))?;
            return Ok(handlers::host(host));
        }
        let memory = text >> 24;
        let elsewhere = matches!(op.format(), Format::Load | Format::Store) && memory != 0;
        let handler = if elsewhere {
            handlers::of_other_memory(op, form)
        } else {
            handlers::of(op, form)
        };
        handler.ok_or_else(|| wrong(word, format!("`{}` has no handler", op.name())))
    }
}
