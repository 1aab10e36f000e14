//! Bytecode made ready to run: each instruction with its handler and its operands apart.
//!
//! In: a [`Bytecode`], verified or not. Out: a [`Program`]. What always holds: every target is the
//! position of an instruction. An instruction that needs more than one constant is followed by
//! entries that only carry data; nothing jumps there.

use crate::bytecode::{Bytecode, Format, Host, Op};
use crate::machine::LaunchError;

use super::handlers;
use super::memory::Memory;
use super::thread::{Exit, Thread};
use super::window::Window;

/// Runs an instruction and all that follow, until something happens that the thread's loop must see.
pub(super) type Handler<M> =
    fn(&Ins<M>, code: &[Ins<M>], pc: usize, window: &mut Window, thread: &mut Thread<M>) -> Exit;

/// An instruction that is ready to run.
pub(super) struct Ins<M: Memory> {
    pub(super) handler: Handler<M>,
    pub(super) a: u8,
    pub(super) b: u8,
    pub(super) c: u8,
    pub(super) imm: u32,
}

impl<M: Memory> Ins<M> {
    /// `b` and `c` as one number.
    #[inline(always)]
    pub(super) fn number(&self) -> usize {
        usize::from(u16::from_le_bytes([self.b, self.c]))
    }

    /// `a`, `b` and `c` as one number.
    #[inline(always)]
    pub(super) fn base(&self) -> u32 {
        u32::from_le_bytes([self.a, self.b, self.c, 0])
    }
}

/// A function's place among the instructions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) pc: u32,
    pub(super) frame: u32,
    pub(super) type_index: u32,
}

/// A program that is ready to run.
pub(super) struct Program<M: Memory> {
    pub(super) code: Vec<Ins<M>>,
    /// For each of them the word it comes from.
    pub(super) words: Vec<u32>,
    pub(super) functions: Vec<Entry>,
    pub(super) source: Bytecode,
}

impl<M: Memory> Program<M> {
    pub(super) fn new(source: &Bytecode) -> Result<Self, LaunchError> {
        let places = places(&source.code)?;
        let mut decoder = Decoder {
            places: &places,
            source,
            code: Vec::new(),
            words: Vec::new(),
            constant: None,
        };
        let mut word = 0;
        while word < source.code.len() {
            word += decoder.instruction(word)?;
        }
        let mut functions = Vec::new();
        for function in &source.functions {
            let word = function.entry as usize;
            let pc = decoder.target(word, function.entry)?;
            functions.push(Entry {
                pc,
                frame: function.frame,
                type_index: function.type_index,
            });
        }
        Ok(Self {
            code: decoder.code,
            words: decoder.words,
            functions,
            source: source.clone(),
        })
    }
}

fn wrong(word: usize, what: impl Into<String>) -> LaunchError {
    let what = what.into();
    LaunchError::Bytecode { word, what }
}

/// Words of an instruction and entries that it becomes.
fn sizes(code: &[u32], word: usize) -> Result<(Op, usize, usize), LaunchError> {
    let number = code[word] as u8;
    let op = Op::from_number(number).ok_or_else(|| wrong(word, format!("opcode {number:#04x}")))?;
    let (words, entries) = match op.format() {
        Format::None
        | Format::D
        | Format::Dx
        | Format::Dxy
        | Format::Dn
        | Format::Xn
        | Format::X
        | Format::Xy
        | Format::Segment
        | Format::Host => (1, 1),
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
        | Format::XyTo => (2, 1),
        Format::Dii | Format::Xit | Format::CallIndirect => (3, 2),
        Format::Table => {
            let count = code.get(word + 1).copied().unwrap_or(u32::MAX) as usize;
            (count.saturating_add(3), count.saturating_add(2))
        }
    };
    match word.checked_add(words).is_some_and(|end| end <= code.len()) {
        true => Ok((op, words, entries)),
        false => Err(wrong(
            word,
            format!("`{}` goes on behind the end", op.name()),
        )),
    }
}

/// For each word the instruction that begins there, or `u32::MAX`.
fn places(code: &[u32]) -> Result<Vec<u32>, LaunchError> {
    let mut places = vec![u32::MAX; code.len()];
    let (mut word, mut place) = (0, 0);
    while word < code.len() {
        places[word] = place as u32;
        let (_, words, entries) = sizes(code, word)?;
        word += words;
        place += entries;
    }
    Ok(places)
}

struct Decoder<'a, M: Memory> {
    places: &'a [u32],
    source: &'a Bytecode,
    code: Vec<Ins<M>>,
    words: Vec<u32>,
    /// Where the instruction before this one is, if it is a constant.
    constant: Option<(Op, usize)>,
}

impl<M: Memory> Decoder<'_, M> {
    /// The place of the instruction at a word.
    fn target(&self, word: usize, target: u32) -> Result<u32, LaunchError> {
        let place = self.places.get(target as usize).copied();
        let place = place.filter(|&place| place != u32::MAX);
        place.ok_or_else(|| wrong(word, format!("there is no instruction at word {target}")))
    }

    /// Decodes one; how many words it has.
    fn instruction(&mut self, word: usize) -> Result<usize, LaunchError> {
        let (op, words, _) = sizes(&self.source.code, word)?;
        let text = &self.source.code[word..word + words];
        let [_, a, b, c] = text[0].to_le_bytes();
        let next = text.get(1).copied().unwrap_or(0);
        let mut ins = Ins {
            handler: self.handler(op, word)?,
            a,
            b,
            c,
            imm: next,
        };
        let mut more = Vec::new();
        match op.format() {
            Format::T | Format::Xt | Format::Xyt => {
                ins.imm = self.target(word, next)?;
                if ins.imm as usize <= self.code.len() {
                    ins.handler = handlers::backward(op).unwrap_or(ins.handler);
                }
            }
            Format::Xit => {
                let target = self.target(word, text[2])?;
                let back = target as usize <= self.code.len();
                ins.imm = target;
                // A short constant fits into the operands that are free.
                if let Ok(short) = i16::try_from(next as i32) {
                    [ins.b, ins.c] = short.to_le_bytes();
                    let short = handlers::short_constant(op, back);
                    ins.handler = short.unwrap_or(ins.handler);
                } else if back {
                    ins.handler = handlers::backward(op).unwrap_or(ins.handler);
                }
                more.push((0, 0, next));
            }
            Format::Dii => more.push((0, 0, text[2])),
            Format::Table => {
                for &target in &text[2..] {
                    more.push((0, 0, self.target(word, target)?));
                }
            }
            Format::Call | Format::CallIndirect => self.check_call(op, &ins, word)?,
            _ => {}
        }
        if op == Op::CallIndirect {
            let [slot, table, ..] = text[2].to_le_bytes();
            more.push((slot, table, 0));
        }
        if let Some((constant, at)) = self.constant {
            let handler = handlers::of_constant_and(constant, op);
            self.code[at].handler = handler.unwrap_or(self.code[at].handler);
        }
        let is_constant = matches!(op, Op::Const | Op::Const64);
        self.constant = is_constant.then_some((op, self.code.len()));
        self.code.push(ins);
        for (a, b, imm) in more {
            let handler = handlers::data;
            let c = 0;
            self.code.push(Ins {
                handler,
                a,
                b,
                c,
                imm,
            });
        }
        self.words.resize(self.code.len(), word as u32);
        Ok(words)
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

    fn handler(&self, op: Op, word: usize) -> Result<Handler<M>, LaunchError> {
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
            true => handlers::of_other_memory(op),
            false => handlers::of(op),
        };
        handler.ok_or_else(|| wrong(word, format!("`{}` has no handler", op.name())))
    }
}
