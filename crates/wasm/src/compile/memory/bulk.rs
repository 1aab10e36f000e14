//! `memory.copy`, `memory.fill` and `memory.init`.
//!
//! Few bytes, of a constant number, are moved by separate accesses: all reads come before all
//! writes, so that ranges may overlap. Others are moved by loops: over words if all operands are
//! multiples of 4, which may be known or is tested, else over bytes. In one object the direction
//! follows the order of the ranges. All traps come before the first write.

use std::collections::{HashMap, HashSet};

use super::super::ir::{
    Binary, Cfg, Element, Function, Object, ObjectData, ObjectKind, Op, Trap, Value,
};
use super::Lowering;
use super::editor::Editor;
use super::plan::{Target, moves_words};
use super::survey::Operand;
use super::words::{Place, Shift};
use crate::module::to_u32;

/// Bytes that are moved without a loop, at most.
const UNROLLED: u32 = 64;

/// Bytes from an offset in an object on.
#[derive(Clone, Copy, Debug)]
struct Span {
    object: Object,
    /// The offset in bytes.
    start: Value,
}

impl Span {
    /// The word at an offset in words, if the start is aligned.
    fn word(self, editor: &mut Editor<'_>, words: Value) -> Place {
        let first = editor.binary_word(Binary::ShrUnsigned, self.start, 2);
        Place {
            object: self.object,
            index: editor.binary(Binary::Add, first, words),
            shift: Shift::Aligned,
        }
    }

    /// The byte at an offset in bytes.
    fn byte(self, editor: &mut Editor<'_>, bytes: Value) -> Place {
        let at = editor.binary(Binary::Add, self.start, bytes);
        let position = editor.binary_word(Binary::And, at, 3);
        Place {
            object: self.object,
            index: editor.binary_word(Binary::ShrUnsigned, at, 2),
            shift: Shift::Within(editor.binary_word(Binary::Shl, position, 3)),
        }
    }
}

/// Where bytes come from.
#[derive(Clone, Copy, Debug)]
enum Source {
    Span(Span),
    /// A word with four equal bytes.
    Fill(Value),
}

impl Source {
    fn read(
        self,
        editor: &mut Editor<'_>,
        place: impl Fn(&mut Editor<'_>, Span) -> Place,
        bytes: u32,
    ) -> Value {
        match self {
            Self::Span(span) => place(editor, span).read(editor, bytes),
            Self::Fill(word) => word,
        }
    }
}

/// The passive data segments that a function uses.
#[derive(Debug, Default)]
pub(super) struct Segments {
    /// Those that it drops.
    dropped: HashSet<u32>,
    /// The words of each, when they are used.
    data: HashMap<u32, Object>,
    /// Whether each is dropped: a private word.
    flags: HashMap<u32, Object>,
}

impl Segments {
    pub(super) fn new(function: &Function, cfg: &Cfg) -> Self {
        let blocks = cfg.order.iter();
        let insts = blocks.flat_map(|&block| &function.block(block).insts);
        let dropped = insts.filter_map(|&inst| match *function.op(inst) {
            Op::DataDrop(segment) => Some(segment),
            _ => None,
        });
        Self {
            dropped: dropped.collect(),
            ..Self::default()
        }
    }
}

impl Lowering<'_> {
    pub(super) fn memory_copy(&mut self, inst: Value, operands: [Value; 3], trap: Trap) {
        let [to, from, bytes] = operands;
        self.check_range(inst, Operand::From, from, bytes, trap);
        self.check_range(inst, Operand::To, to, bytes, trap);
        let words = moves_words(self.editor.function.op(inst), &self.alignment);
        if let Some(count) = self.unrolled(bytes) {
            let pieces = pieces(count, words);
            let values: Vec<Value> = pieces
                .iter()
                .map(|&(at, size)| {
                    let place = self.piece(inst, Operand::From, from, at, size);
                    place.read(&mut self.editor, size)
                })
                .collect();
            for (&(at, size), value) in pieces.iter().zip(values) {
                let place = self.piece(inst, Operand::To, to, at, size);
                place.write(&mut self.editor, size, value);
            }
            return;
        }
        let source = self.span(inst, Operand::From, from);
        let target = self.span(inst, Operand::To, to);
        self.transfer(target, Source::Span(source), bytes, words);
    }

    pub(super) fn memory_fill(&mut self, inst: Value, operands: [Value; 3], trap: Trap) {
        let [to, value, bytes] = operands;
        self.check_range(inst, Operand::To, to, bytes, trap);
        let words = moves_words(self.editor.function.op(inst), &self.alignment);
        let byte = self.editor.binary_word(Binary::And, value, 0xff);
        let word = self.editor.binary_word(Binary::Mul, byte, 0x0101_0101);
        if let Some(count) = self.unrolled(bytes) {
            for (at, size) in pieces(count, words) {
                let place = self.piece(inst, Operand::To, to, at, size);
                place.write(&mut self.editor, size, word);
            }
            return;
        }
        let target = self.span(inst, Operand::To, to);
        self.transfer(target, Source::Fill(word), bytes, words);
    }

    pub(super) fn memory_init(
        &mut self,
        inst: Value,
        segment: u32,
        operands: [Value; 3],
        trap: Trap,
    ) {
        let [to, from, bytes] = operands;
        let length = self.segment_length(segment);
        self.check_within(from, bytes, length, trap);
        self.check_range(inst, Operand::To, to, bytes, trap);
        let Some(object) = self.segment_data(segment) else {
            return;
        };
        let words = moves_words(self.editor.function.op(inst), &self.alignment);
        let target = self.span(inst, Operand::To, to);
        let source = Span {
            object,
            start: from,
        };
        self.transfer(target, Source::Span(source), bytes, words);
    }

    pub(super) fn data_drop(&mut self, segment: u32) {
        let flag = self.dropped_flag(segment);
        let [first, yes] = [0, 1].map(|word| self.editor.word(word));
        self.editor.store(flag, first, yes);
    }

    /// The bytes of a constant number, if they are few.
    fn unrolled(&self, bytes: Value) -> Option<u32> {
        let count = self.editor.function.as_word(bytes)?;
        (count <= UNROLLED).then_some(count)
    }

    /// The place of a part of a range.
    fn piece(
        &mut self,
        inst: Value,
        operand: Operand,
        address: Value,
        at: u32,
        size: u32,
    ) -> Place {
        let (object, base) = self.object_of(inst, operand);
        self.place_in(object, address, at.wrapping_sub(base), size, 0)
    }

    fn object_of(&self, inst: Value, operand: Operand) -> (Object, u32) {
        match self.plan.target(inst, operand) {
            Target::Object { object, base } => (object, base),
            Target::Linear => (self.plan.linear.unwrap_or(Object(0)), 0),
        }
    }

    fn span(&mut self, inst: Value, operand: Operand, address: Value) -> Span {
        let (object, base) = self.object_of(inst, operand);
        let mut form = self.numeric(address);
        form.constant = form.constant.wrapping_sub(base);
        let start = self.editor.sum(&form);
        Span { object, start }
    }

    /// Moves bytes by loops.
    fn transfer(&mut self, target: Span, source: Source, bytes: Value, moves_words: bool) {
        let editor = &mut self.editor;
        let quarter = editor.binary_word(Binary::ShrUnsigned, bytes, 2);
        let (words, singles) = if moves_words {
            (quarter, None)
        } else {
            let start = match source {
                Source::Span(span) => editor.binary(Binary::Or, target.start, span.start),
                Source::Fill(_) => target.start,
            };
            let all = editor.binary(Binary::Or, start, bytes);
            let low = editor.binary_word(Binary::And, all, 3);
            let none = editor.word(0);
            let is_aligned = editor.binary(Binary::Eq, low, none);
            let words = editor.select(is_aligned, quarter, none);
            let singles = editor.select(is_aligned, none, bytes);
            (words, Some(singles))
        };
        // Downwards if the target begins inside the source.
        let is_down = match source {
            Source::Span(span) if span.object == target.object => {
                Some(editor.binary(Binary::LtUnsigned, span.start, target.start))
            }
            _ => None,
        };
        let position = |editor: &mut Editor<'_>, turn, count| match is_down {
            None => turn,
            Some(is_down) => {
                let last = editor.binary_word(Binary::Sub, count, 1);
                let down = editor.binary(Binary::Sub, last, turn);
                editor.select(is_down, down, turn)
            }
        };
        editor.repeat(words, |editor, turn| {
            let at = position(editor, turn, words);
            let value = source.read(editor, |editor, span| span.word(editor, at), 4);
            target.word(editor, at).write(editor, 4, value);
        });
        if let Some(singles) = singles {
            editor.repeat(singles, |editor, turn| {
                let at = position(editor, turn, singles);
                let value = source.read(editor, |editor, span| span.byte(editor, at), 1);
                target.byte(editor, at).write(editor, 1, value);
            });
        }
    }

    /// Traps unless a range is in the linear memory, if it is there.
    fn check_range(
        &mut self,
        inst: Value,
        operand: Operand,
        address: Value,
        bytes: Value,
        trap: Trap,
    ) {
        if self.plan.target(inst, operand) == Target::Linear {
            let size = self.size();
            self.check_within(address, bytes, size, trap);
        }
    }

    /// Traps unless a range is inside a size.
    fn check_within(&mut self, address: Value, bytes: Value, size: Value, trap: Trap) {
        let form = self.numeric(address);
        let address = match form.as_constant() {
            Some(word) => self.editor.word(word),
            None => address,
        };
        let editor = &mut self.editor;
        let is_large = editor.binary(Binary::LtUnsigned, size, bytes);
        let last = editor.binary(Binary::Sub, size, bytes);
        let is_beyond = editor.binary(Binary::LtUnsigned, last, address);
        let is_outside = editor.binary(Binary::Or, is_large, is_beyond);
        editor.trap_if(is_outside, trap);
    }

    /// The bytes of a segment; 0 for active and dropped ones.
    fn segment_length(&mut self, segment: u32) -> Value {
        let bytes = self.layout.passive.get(&segment).map_or(0, Vec::len);
        let length = self.editor.word(to_u32(bytes));
        if bytes == 0 || !self.segments.dropped.contains(&segment) {
            return length;
        }
        let flag = self.dropped_flag(segment);
        let none = self.editor.word(0);
        let word = self.editor.load(flag, none);
        let is_dropped = self.editor.binary(Binary::Ne, word, none);
        self.editor.select(is_dropped, none, length)
    }

    fn segment_data(&mut self, segment: u32) -> Option<Object> {
        if let Some(&object) = self.segments.data.get(&segment) {
            return Some(object);
        }
        let bytes = self.layout.passive.get(&segment)?;
        let words = bytes.chunks(4).map(|part| {
            let bits = part.iter().rev();
            bits.fold(0, |word, &byte| word << 8 | u32::from(byte))
        });
        let words: Vec<u32> = words.collect();
        if words.is_empty() {
            return None;
        }
        let object = self.editor.function.add_object(ObjectData {
            name: format!("segment_{segment}"),
            words: Some(to_u32(words.len())),
            kind: ObjectKind::Data(words),
            element: Element::U32,
            written: false,
        });
        self.segments.data.insert(segment, object);
        Some(object)
    }

    fn dropped_flag(&mut self, segment: u32) -> Object {
        if let Some(&flag) = self.segments.flags.get(&segment) {
            return flag;
        }
        let flag = self.editor.function.add_object(ObjectData {
            name: format!("dropped_{segment}"),
            kind: ObjectKind::Private(Vec::new()),
            element: Element::U32,
            words: Some(1),
            written: true,
        });
        self.segments.flags.insert(segment, flag);
        flag
    }
}

/// The parts of some bytes: words first, then what is left. Offset and size of each.
fn pieces(count: u32, moves_words: bool) -> Vec<(u32, u32)> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < count {
        let size = match count - at {
            4.. => 4,
            2..4 if !moves_words => 2,
            _ => 1,
        };
        pieces.push((at, size));
        at += size;
    }
    pieces
}
