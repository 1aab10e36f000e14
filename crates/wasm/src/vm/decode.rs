//! Makes bytecode ready to run.
//!
//! In: a [`Bytecode`], verified or not. Out: a [`Program`]. Two things are found out on the way, once
//! for all runs: which operands are held in registers when an instruction begins, and which constants
//! are only made for the instruction behind them, which then takes them along. Nothing is known where
//! other instructions jump to.

use crate::bytecode::{Bytecode, Format, Host, Op};
use crate::machine::LaunchError;

use super::handlers::{self, Form, Kinds, Source};
use super::memory::Memory;
use super::program::{Entry, Handler, Ins, Program};
use super::window::Kind;

impl<M: Memory> Program<M> {
    pub(super) fn new(source: &Bytecode) -> Result<Self, LaunchError> {
        let layout = Layout::new(source)?;
        let mut decoder = Decoder {
            layout: &layout,
            source,
            places: vec![u32::MAX; source.code.len()],
            code: Vec::new(),
            words: Vec::new(),
            targets: Vec::new(),
            known: Known::default(),
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
        let functions = source.functions.iter().map(|function| Entry {
            pc: places[function.entry as usize],
            frame: function.frame,
            type_index: function.type_index,
        });
        Ok(Self {
            functions: functions.collect(),
            code,
            words,
            source: source.clone(),
        })
    }
}

fn wrong(word: usize, what: impl Into<String>) -> LaunchError {
    let what = what.into();
    LaunchError::Bytecode { word, what }
}

/// An instruction's opcode and how many words it has.
fn size(code: &[u32], word: usize) -> Result<(Op, usize), LaunchError> {
    let number = code[word] as u8;
    let op = Op::from_number(number).ok_or_else(|| wrong(word, format!("opcode {number:#04x}")))?;
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
        false => Err(wrong(
            word,
            format!("`{}` goes on behind the end", op.name()),
        )),
    }
}

/// What a word is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// An instruction begins here.
    Begins,
    /// And others jump to it.
    Label,
    /// It belongs to the instruction before it.
    Inside,
}

/// Where instructions begin and which of them are jumped to.
struct Layout(Vec<Role>);

impl Layout {
    fn new(source: &Bytecode) -> Result<Self, LaunchError> {
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

    fn is_label(&self, word: usize) -> bool {
        self.0.get(word) != Some(&Role::Begins)
    }
}

/// Which slots' values are held.
#[derive(Clone, Copy, Default)]
struct Known {
    integer: Option<(u8, Kind)>,
    single: Option<u8>,
    double: Option<u8>,
}

impl Known {
    fn holds(&self, slot: u8, kind: Kind) -> bool {
        match kind {
            Kind::Word | Kind::Wide => self.integer == Some((slot, kind)),
            Kind::Single => self.single == Some(slot),
            Kind::Double => self.double == Some(slot),
        }
    }

    /// Slots have new values, which are not held.
    fn forget(&mut self, slot: u8, width: u16) {
        let begin = u16::from(slot);
        let apart = |held: u8, kind: Kind| {
            let held = u16::from(held);
            held + kind.width() <= begin || begin + width <= held
        };
        self.integer = self.integer.filter(|&(held, kind)| apart(held, kind));
        self.single = self.single.filter(|&held| apart(held, Kind::Single));
        self.double = self.double.filter(|&held| apart(held, Kind::Double));
    }

    /// A slot has a new value, which is held.
    fn hold(&mut self, slot: u8, kind: Kind) {
        self.forget(slot, kind.width());
        match kind {
            Kind::Word | Kind::Wide => self.integer = Some((slot, kind)),
            Kind::Single => self.single = Some(slot),
            Kind::Double => self.double = Some(slot),
        }
    }
}

struct Decoder<'a, M: Memory> {
    layout: &'a Layout,
    source: &'a Bytecode,
    /// For each word the entry of the instruction that begins there, or `u32::MAX`.
    places: Vec<u32>,
    code: Vec<Ins<M>>,
    words: Vec<u32>,
    /// Entries whose constant is a word that is jumped to.
    targets: Vec<usize>,
    known: Known,
}

impl<M: Memory> Decoder<'_, M> {
    /// Decodes one, or a constant and the one behind it; how many words that was.
    fn instruction(&mut self, word: usize) -> Result<usize, LaunchError> {
        if self.layout.is_label(word) {
            self.known = Known::default();
        }
        self.places[word] = self.code.len() as u32;
        let (op, words) = size(&self.source.code, word)?;
        let second = word + words;
        if matches!(op, Op::Const | Op::Const64) && !self.layout.is_label(second) {
            let (second_op, second_words) = size(&self.source.code, second)?;
            if self.with_constant(word, second, second_op) {
                return Ok(words + second_words);
            }
        }
        self.alone(word, op, words)?;
        Ok(words)
    }

    /// An operation on a constant that is made right before it, as one; whether there is such.
    fn with_constant(&mut self, constant: usize, word: usize, op: Op) -> bool {
        let text = &self.source.code[constant..word];
        let slot = text[0].to_le_bytes()[1];
        let [_, a, mut b, mut c] = self.source.code[word].to_le_bytes();
        let Some(kinds) = handlers::kinds(op) else {
            return false;
        };
        let is_wide = text.len() > 2;
        let fits = kinds.y.is_some_and(|kind| (kind.width() == 2) == is_wide);
        if op.format() != Format::Dxy || !fits {
            return false;
        }
        if b == slot && c != slot && handlers::commutes(op) {
            (b, c) = (c, b);
        }
        if c != slot {
            return false;
        }
        self.known.forget(slot, if is_wide { 2 } else { 1 });
        let form = Form {
            x: self.source_of(b, kinds.x),
            y: Source::Given,
            back: false,
        };
        let Some(handler) = handlers::of(op, form) else {
            return false;
        };
        self.finish(a, kinds);
        let imm = text[1];
        let more = text.get(2).copied();
        self.push(
            word,
            Ins {
                handler,
                a,
                b,
                c,
                imm,
            },
        );
        if let Some(high) = more {
            self.data(word, [0, 0], high);
        }
        true
    }

    fn source_of(&self, slot: u8, kind: Option<Kind>) -> Source {
        match kind.is_some_and(|kind| self.known.holds(slot, kind)) {
            true => Source::Held,
            false => Source::Slot,
        }
    }

    /// Notes what is held behind an instruction.
    fn finish(&mut self, a: u8, kinds: Kinds) {
        if let Some(kind) = kinds.to {
            self.known.hold(a, kind);
        }
    }

    fn alone(&mut self, word: usize, op: Op, words: usize) -> Result<(), LaunchError> {
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
            // A short constant fits into the operands that are free.
            match i16::try_from(next as i32) {
                Ok(short) => {
                    [ins.b, ins.c] = short.to_le_bytes();
                    form.y = Source::Given;
                }
                Err(_) => (form.y, is_long) = (Source::Behind, true),
            }
        }
        ins.handler = self.handler(op, form, word)?;
        self.push(word, ins);
        match format {
            Format::Dii => self.data(word, [0, 0], text[2]),
            Format::Xit if is_long => self.data(word, [0, 0], next),
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
        match (op, kinds) {
            (Op::Const, _) => self.known.forget(a, 1),
            (Op::Const64, _) => self.known.forget(a, 2),
            (_, Some(kinds)) => self.finish(a, kinds),
            (_, None) => self.known = Known::default(),
        }
        Ok(())
    }

    /// Which operands are held.
    fn form(&self, op: Op, [a, b, c]: [u8; 3], next: u32) -> Form {
        let mut form = Form::default();
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
        let c = 0;
        self.push(
            word,
            Ins {
                handler,
                a,
                b,
                c,
                imm,
            },
        );
    }

    fn check_call(&self, op: Op, ins: &Ins<M>, word: usize) -> Result<(), LaunchError> {
        if ins.base() < 2 {
            return Err(wrong(word, format!("a new frame at slot {}", ins.base())));
        }
        match op == Op::Call && ins.imm as usize >= self.source.functions.len() {
            true => Err(wrong(word, format!("there is no function {}", ins.imm))),
            false => Ok(()),
        }
    }

    fn handler(&self, op: Op, form: Form, word: usize) -> Result<Handler<M>, LaunchError> {
        let text = self.source.code[word];
        if op == Op::Host {
            let number = (text >> 16) as u16;
            let host = Host::from_number(number);
            let host = host.ok_or_else(|| wrong(word, format!("host function {number}")))?;
            return Ok(handlers::host(host));
        }
        let memory = text >> 24;
        let elsewhere = matches!(op.format(), Format::Load | Format::Store) && memory != 0;
        let handler = match elsewhere {
            true => handlers::of_other_memory(op, form),
            false => handlers::of(op, form),
        };
        handler.ok_or_else(|| wrong(word, format!("`{}` has no handler", op.name())))
    }
}
