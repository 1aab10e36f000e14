//! Texels that code reads by itself: of textures that the kernel only reads, where layer and level are known.
//!
//! How texels are kept is not known before something is bound, so the code looks into the entry of the slice
//! ([`SliceEntry`]) and takes one of several ways; the last of them asks whoever runs it. What always holds: only texels
//! are read that are inside of the slice, others are zero.

use std::mem::offset_of;

use naga::{ImageClass, ImageDimension, StorageAccess, TypeInner};

use crate::ir::{
    BlockId, Coding, Edge, LaneBinary, LaneCompare, LaneUnary, MaskBinary, Op, SliceEntry, Space,
    Terminator, Type, Value, WordBinary, WordCompare,
};

use super::error::Result;
use super::image::{Texel, Texture};
use super::request::{Operand, Request, TextureOperation};
use super::scalar::{Scalar, Scalars};
use super::shape::Kind;
use super::{Bound, Lowering, Slice};

/// The most texels of a kernel that are read in this way: each takes a hundred instructions.
const MOST: u32 = 64;

/// The channel that is not 0 where there is none.
const ALPHA: i32 = 3;

/// Where in the entry of a slice something is, in words.
const fn place(bytes: usize) -> i32 {
    (bytes / 4) as i32
}

const CODING: i32 = place(offset_of!(SliceEntry, coding));
pub(super) const WIDTH: i32 = place(offset_of!(SliceEntry, width));
pub(super) const HEIGHT: i32 = place(offset_of!(SliceEntry, height));
pub(super) const ROW: i32 = place(offset_of!(SliceEntry, row));
const STEP: i32 = place(offset_of!(SliceEntry, step));
const FIRST: i32 = place(offset_of!(SliceEntry, first));
const SHIFTS: i32 = place(offset_of!(SliceEntry, shifts));
const MASKS: i32 = place(offset_of!(SliceEntry, masks));
const TABLE: i32 = place(offset_of!(SliceEntry, table));
const NO_ALPHA: i32 = place(offset_of!(SliceEntry, alpha));

/// A slice that code knows.
#[derive(Clone, Copy)]
pub(super) struct Known {
    /// Its entry.
    pub(super) entry: Value,
    /// Its words.
    pub(super) memory: Value,
}

/// A texel that is inside of its slice, or not, lane by lane.
pub(super) struct Found {
    slice: Known,
    /// The lanes whose texel is there.
    pub(super) inside: Value,
    /// The word in which the texel begins.
    pub(super) index: Value,
    /// Where it begins there, in bits.
    shift: Value,
}

impl Lowering<'_> {
    /// The slice that a texel is in, if the code can read it by itself.
    pub(super) fn read_slice(&mut self, texture: &Texture, texel: &Texel) -> Option<Known> {
        let request = &texel.request;
        let is_plain =
            matches!(request.operation, TextureOperation::Load(_)) && self.is_only_read(texture);
        is_plain.then(|| self.known_slice(texture, texel))?
    }

    /// The slice that a texel is in, if it is one of few that differ from lane to lane.
    pub(super) fn known_slice(&mut self, texture: &Texture, texel: &Texel) -> Option<Known> {
        let differs = texel.position.iter().any(|it| !it.is_same());
        let Operand::Known(level) = texel.request.level else {
            return None;
        };
        if !texture.is_single() || !differs || self.texels == MOST {
            return None;
        }
        self.texels += 1;
        let (group, binding) = texel.request.binding;
        let slice = Slice {
            group,
            binding,
            level,
        };
        let [entry, memory] = [Bound::Slice(slice), Bound::Texels(slice)].map(|bound| {
            let space = Space::Buffer(self.buffer(bound));
            self.emit_early(Op::Base(space), &[], Type::Pointer)
        });
        Some(Known { entry, memory })
    }

    /// Whether no kernel can write a texture, and it has no layers and no samples.
    fn is_only_read(&self, texture: &Texture) -> bool {
        let variable = &self.module.global_variables[texture.variable];
        match self.module.types[variable.ty].inner {
            TypeInner::Image {
                dim: ImageDimension::D1 | ImageDimension::D2,
                arrayed: false,
                class,
            } => match class {
                ImageClass::Sampled { multi, .. } | ImageClass::Depth { multi } => !multi,
                ImageClass::Storage { access, .. } => access == StorageAccess::LOAD,
                ImageClass::External => false,
            },
            _ => false,
        }
    }

    /// The first numbers of a texel, by one of the ways in which they may be kept, or by asking.
    pub(super) fn load_texel(
        &mut self,
        slice: Known,
        texel: &Texel,
        kinds: &[Kind],
    ) -> Result<Scalars> {
        let coding = self.coding(slice);
        let exit = self.function.add_block();
        let is_color = kinds.len() > 1 && kinds[0] == Kind::Float;
        let (ask, here) = match is_color {
            true => self.fork(coding, Coding::Other),
            false => {
                let (here, ask) = self.fork(coding, Coding::Words);
                (ask, here)
            }
        };
        self.block = here;
        let found = self.find(slice, &texel.position);
        if is_color {
            let (bytes, rest) = self.fork(coding, Coding::Bytes);
            self.block = bytes;
            let channels = (0..kinds.len()).map(|it| self.byte(&found, it as i32));
            let channels = channels.collect();
            self.join(exit, channels);
            self.block = rest;
            let (table, rest) = self.fork(coding, Coding::Table);
            self.block = table;
            let channels = (0..kinds.len()).map(|it| self.looked_up(&found, it as i32));
            let channels = channels.collect();
            self.join(exit, channels);
            self.block = rest;
            let (halves, words) = self.fork(coding, Coding::Halves);
            self.block = halves;
            let channels = self.halves(&found, kinds.len());
            self.join(exit, channels);
            self.block = words;
        }
        let channels = (0..kinds.len()).map(|it| self.whole(&found, it as i32));
        let channels = channels.collect();
        self.join(exit, channels);
        self.block = ask;
        let request = Request::Texture(texel.request.clone());
        let asked = self.ask(request, &texel.rows, texel.request.value, kinds)?;
        let asked = asked.iter().map(|it| self.lanes(it)).collect();
        self.join(exit, asked);
        self.block = exit;
        let results = kinds
            .iter()
            .map(|_| self.function.add_parameter(exit, Type::Lanes));
        Ok(results.map(Scalar::Lanes).collect())
    }

    /// How the texels of a slice are kept.
    pub(super) fn coding(&mut self, slice: Known) -> Value {
        self.emit(Op::LoadWord(CODING), &[slice.entry], Type::Word)
    }

    /// Goes one way where texels are kept in a way, and another where they are not.
    pub(super) fn fork(&mut self, coding: Value, way: Coding) -> (BlockId, BlockId) {
        let [yes, no] = [self.function.add_block(), self.function.add_block()];
        let way = self.word_const(way as u32);
        let is_it = self.word_compare(WordCompare::Eq, coding, way);
        let edge = |block| Edge {
            block,
            arguments: Vec::new(),
        };
        self.end(Terminator::Branch(is_it, edge(yes), edge(no)));
        (yes, no)
    }

    /// Goes on with some values.
    pub(super) fn join(&mut self, exit: BlockId, arguments: Vec<Value>) {
        self.end(Terminator::Jump(Edge {
            block: exit,
            arguments,
        }));
    }

    /// A word of the entry, in every lane.
    fn said(&mut self, slice: Known, place: i32) -> Value {
        self.emit(Op::LoadSplat(place), &[slice.entry], Type::Lanes)
    }

    /// Where the texel of each lane is.
    pub(super) fn find(&mut self, slice: Known, position: &[Scalar]) -> Found {
        let mut inside = self.exec_mask();
        let mut offset = self.said(slice, FIRST);
        let places = [
            (WIDTH, STEP, WordBinary::Shl),
            (HEIGHT, ROW, WordBinary::Mul),
        ];
        for (axis, (limit, step, scale)) in position.iter().zip(places) {
            let axis = self.lanes(axis);
            let limit = self.said(slice, limit);
            let is_below = self.compare(LaneCompare::Int(WordCompare::LtU), axis, limit);
            inside = self.mask_binary(MaskBinary::And, inside, is_below);
            let step = self.said(slice, step);
            let distance = self.int(scale, axis, step);
            offset = self.int(WordBinary::Add, offset, distance);
        }
        let (two, three) = (self.splat(2), self.splat(3));
        let index = self.int(WordBinary::ShrU, offset, two);
        let shift = self.int(WordBinary::And, offset, three);
        Found {
            slice,
            inside,
            index,
            shift: self.int(WordBinary::Shl, shift, three),
        }
    }

    /// A word of a texel, from its beginning on.
    fn texel_word(&mut self, found: &Found, number: i32, mask: Value) -> Value {
        let operands = [found.slice.memory, found.index, mask];
        self.emit(Op::Gather(number), &operands, Type::Lanes)
    }

    /// The bits of a channel in its word.
    fn channel(&mut self, found: &Found, word: Value, channel: i32) -> Value {
        let shift = self.said(found.slice, SHIFTS + channel);
        let mask = self.said(found.slice, MASKS + channel);
        let bits = self.int(WordBinary::ShrU, word, shift);
        self.int(WordBinary::And, bits, mask)
    }

    /// A channel, which is 0 where there is none, with what alpha is then. Outside of the slice alpha is 0.
    fn completed(&mut self, found: &Found, value: Value, channel: i32) -> Value {
        if channel != ALPHA {
            return value;
        }
        let (absent, zero) = (self.said(found.slice, NO_ALPHA), self.splat(0));
        let absent = self.select(found.inside, absent, zero);
        self.int(WordBinary::Or, value, absent)
    }

    /// The bits of a channel that is a byte.
    fn byte_bits(&mut self, found: &Found, channel: i32) -> Value {
        let word = self.texel_word(found, 0, found.inside);
        let word = self.int(WordBinary::ShrU, word, found.shift);
        self.channel(found, word, channel)
    }

    /// A channel that is a byte, as a table says what it stands for; alpha is no such channel.
    fn looked_up(&mut self, found: &Found, channel: i32) -> Value {
        if channel == ALPHA {
            return self.byte(found, channel);
        }
        let bits = self.byte_bits(found, channel);
        let table = self.emit(Op::LoadPointer(TABLE), &[found.slice.entry], Type::Pointer);
        let operands = [table, bits, found.inside];
        self.emit(Op::Gather(0), &operands, Type::Lanes)
    }

    /// A channel that is a byte.
    fn byte(&mut self, found: &Found, channel: i32) -> Value {
        let bits = self.byte_bits(found, channel);
        let number = self.emit(Op::Unary(LaneUnary::FromS), &[bits], Type::Lanes);
        // The quotient by 255, rounded once: the first product is exact.
        let reciprocal = 1.0 / 255.0f64;
        let high = f32::from_bits((reciprocal as f32).to_bits() & !0x3ff);
        let low = (reciprocal - f64::from(high)) as f32;
        let (high, low) = (self.float(high), self.float(low));
        let low = self.binary(LaneBinary::MulF, number, low);
        let value = self.emit(Op::Fma, &[number, high, low], Type::Lanes);
        self.completed(found, value, channel)
    }

    /// Channels that are floats of 16 bits.
    fn halves(&mut self, found: &Found, count: usize) -> Vec<Value> {
        let mut words = vec![self.texel_word(found, 0, found.inside)];
        words[0] = self.int(WordBinary::ShrU, words[0], found.shift);
        // The second word is there if its first channel is.
        let second = self.present(found, 2);
        words.push(self.texel_word(found, 1, second));
        let channels = (0..count).map(|channel| {
            let bits = self.channel(found, words[channel / 2], channel as i32);
            let value = self.emit(Op::Unary(LaneUnary::FromHalf), &[bits], Type::Lanes);
            self.completed(found, value, channel as i32)
        });
        channels.collect()
    }

    /// A channel that is a word.
    fn whole(&mut self, found: &Found, channel: i32) -> Value {
        let present = self.present(found, channel);
        let value = self.texel_word(found, channel, present);
        self.completed(found, value, channel)
    }

    /// The lanes whose texel is there and has a channel.
    fn present(&mut self, found: &Found, channel: i32) -> Value {
        let mask = self.emit(
            Op::LoadWord(MASKS + channel),
            &[found.slice.entry],
            Type::Word,
        );
        let present = self.mask(&Scalar::Word(mask));
        self.mask_binary(MaskBinary::And, found.inside, present)
    }
}
