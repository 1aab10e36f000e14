//! Inline texel loads, from read-only textures at a constant mip level.
//!
//! In: a texel load. Out: code that branches on the encoding in the level's [`TextureLevelEntry`] at run time,
//! decodes common encodings with gathers, and falls back to a host call.
//!
//! What always holds: only texels inside the level are read, others are zero. Each load is within bounds by its own
//! operands alone, because passes may hoist it out of the branch on the encoding.

use std::mem::offset_of;

use anywarp_execution::TextureOp;
use naga::{ImageClass, StorageAccess, TypeInner};

use crate::ir::{
    BlockId, Edge, LaneBinary, LaneCompare, LaneUnary, MaskBinary, Op, Space, Terminator,
    TexelEncoding, TextureLevelEntry, Type, Value, WordBinary, WordCompare,
};

use crate::lower::arithmetic::scalar::{Scalar, Scalars};
use crate::lower::calls::host_call::{HostCall, Operand};
use crate::lower::error::Result;
use crate::lower::memory::layout::ScalarType;
use crate::lower::texture::image::{Texel, Texture};
use crate::lower::{BufferSource, Lowering, TextureLevel};

/// The most inline texel accesses in a kernel: each takes about a hundred instructions.
const MAX_INLINE_ACCESSES: u32 = 64;

/// The channel whose default is one rather than zero.
const ALPHA: i32 = 3;

/// The word offset of a field in the entry.
const fn word_offset(bytes: usize) -> i32 {
    (bytes / 4) as i32
}

const CODING: i32 = word_offset(offset_of!(TextureLevelEntry, encoding));
const FIRST: i32 = word_offset(offset_of!(TextureLevelEntry, first));
const SIZE: i32 = word_offset(offset_of!(TextureLevelEntry, size));
const WORDS: i32 = word_offset(offset_of!(TextureLevelEntry, words));
const SHIFTS: i32 = word_offset(offset_of!(TextureLevelEntry, shifts));
const MASKS: i32 = word_offset(offset_of!(TextureLevelEntry, masks));
const SIGNS: i32 = word_offset(offset_of!(TextureLevelEntry, signs));
const ONES: i32 = word_offset(offset_of!(TextureLevelEntry, ones));
const NO_ALPHA: i32 = word_offset(offset_of!(TextureLevelEntry, alpha));
const TABLE: i32 = word_offset(offset_of!(TextureLevelEntry, table));

/// An axis of a level: the entry fields with its length and its stride.
pub(in crate::lower) struct Axis {
    pub(in crate::lower) length: i32,
    pub(in crate::lower) step: i32,
    /// How a coordinate is scaled to a distance.
    scale: WordBinary,
}

/// The axes in coordinate order; the array layer uses the third one.
pub(in crate::lower) const AXES: [Axis; 3] = [
    Axis {
        length: word_offset(offset_of!(TextureLevelEntry, width)),
        step: word_offset(offset_of!(TextureLevelEntry, step)),
        scale: WordBinary::Shl,
    },
    Axis {
        length: word_offset(offset_of!(TextureLevelEntry, height)),
        step: word_offset(offset_of!(TextureLevelEntry, row)),
        scale: WordBinary::Mul,
    },
    Axis {
        length: word_offset(offset_of!(TextureLevelEntry, depth)),
        step: word_offset(offset_of!(TextureLevelEntry, slice)),
        scale: WordBinary::Mul,
    },
];

/// A mip level whose number is constant.
#[derive(Clone, Copy)]
pub(in crate::lower) struct ConstantLevel {
    /// Pointer to its entry.
    pub(in crate::lower) entry: Value,
    /// Pointer to its texels.
    pub(in crate::lower) memory: Value,
    /// The word count of its texels.
    pub(in crate::lower) length: Value,
}

/// The address of each lane's texel.
pub(in crate::lower) struct TexelAddress {
    level: ConstantLevel,
    /// The active lanes whose texel is inside the level.
    pub(in crate::lower) inside: Value,
    /// Index of the word in which the texel begins.
    pub(in crate::lower) index: Value,
    /// Bit offset of the texel in that word.
    shift: Value,
}

impl Lowering<'_> {
    /// Loads the first channels of a texel inline, if possible: branches on the encoding.
    pub(in crate::lower) fn load_texel(
        &mut self,
        texture: &Texture,
        texel: &Texel,
        kinds: &[ScalarType],
    ) -> Result<Option<Scalars>> {
        let is_load = matches!(texel.request.operation, TextureOp::Load { .. });
        if !is_load || !self.is_only_read(texture) {
            return Ok(None);
        }
        let Some(level) = self.constant_level(texture, texel) else {
            return Ok(None);
        };
        // The most frequent encodings first.
        let encodings: &[TexelEncoding] = match kinds {
            [ScalarType::Float] => &[TexelEncoding::Raw, TexelEncoding::Normalized],
            [ScalarType::Float, ..] => &[
                TexelEncoding::Unorm8,
                TexelEncoding::Raw,
                TexelEncoding::Table8,
                TexelEncoding::Float16,
                TexelEncoding::Normalized,
            ],
            _ => &[TexelEncoding::Raw],
        };
        let address = self.texel_address(level, &texel.axes);
        let encoding_word = self.load_encoding(level);
        let exit = self.function.add_block();
        for encoding in encodings {
            let (here, rest) = self.branch_on_encoding(encoding_word, *encoding);
            self.control.block = here;
            let channels = (0..kinds.len()).map(|channel| {
                let value = self.decode(&address, *encoding, channel as i32);
                self.with_default_alpha(&address, value, channel as i32)
            });
            let channels = channels.collect();
            self.join(exit, channels);
            self.control.block = rest;
        }
        let request = HostCall::Texture(texel.request.clone());
        let channels = self
            .host_call(request, &texel.rows, texel.request.value, kinds)?
            .iter()
            .map(|channel| self.lanes(channel))
            .collect();
        self.join(exit, channels);
        self.control.block = exit;
        let results = kinds
            .iter()
            .map(|_| self.function.add_parameter(exit, Type::Lanes));
        Ok(Some(results.map(Scalar::Lanes).collect()))
    }

    /// Whether a texture is read-only, so that its texels are constant during the run.
    fn is_only_read(&self, texture: &Texture) -> bool {
        let variable = &self.module.global_variables[texture.variable];
        match self.module.types[variable.ty].inner {
            TypeInner::Image { class, .. } => match class {
                ImageClass::Sampled { multi, .. } | ImageClass::Depth { multi } => !multi,
                ImageClass::Storage { access, .. } => access == StorageAccess::LOAD,
                ImageClass::External => false,
            },
            _ => false,
        }
    }

    /// The mip level of an access, if its number is constant, coordinates are varying and the limit is not
    /// exceeded.
    pub(in crate::lower) fn constant_level(
        &mut self,
        texture: &Texture,
        texel: &Texel,
    ) -> Option<ConstantLevel> {
        let differs = texel.axes.iter().any(|axis| !axis.is_uniform());
        let Operand::Known(level) = texel.request.level else {
            return None;
        };
        if !texture.is_single() || !differs || self.resources.texels == MAX_INLINE_ACCESSES {
            return None;
        }
        self.resources.texels += 1;
        let (group, binding) = texel.request.binding;
        let level = TextureLevel {
            group,
            binding,
            level,
        };
        let numbers = [BufferSource::Level(level), BufferSource::Texels(level)]
            .map(|bound| self.buffer(bound));
        let [entry, memory] = numbers
            .map(|number| self.emit_early(Op::Base(Space::Buffer(number)), &[], Type::Pointer));
        let length = self.emit_early(Op::Length(numbers[1]), &[], Type::Word);
        Some(ConstantLevel {
            entry,
            memory,
            length,
        })
    }

    /// Loads the encoding of a level's texels.
    pub(in crate::lower) fn load_encoding(&mut self, level: ConstantLevel) -> Value {
        self.emit(Op::LoadWord(CODING), &[level.entry], Type::Word)
    }

    /// Branches on whether the word of a level's entry names an encoding. Returns the blocks for yes and no.
    pub(in crate::lower) fn branch_on_encoding(
        &mut self,
        encoding_word: Value,
        encoding: TexelEncoding,
    ) -> (BlockId, BlockId) {
        let [yes, no] = [self.function.add_block(), self.function.add_block()];
        let expected = self.word_const(encoding as u32);
        let is_equal = self.word_compare(WordCompare::Eq, encoding_word, expected);
        let edge = |block| Edge {
            block,
            arguments: Vec::new(),
        };
        self.end(Terminator::Branch(is_equal, edge(yes), edge(no)));
        (yes, no)
    }

    /// Ends the current block with a jump.
    pub(in crate::lower) fn join(&mut self, exit: BlockId, arguments: Vec<Value>) {
        self.end(Terminator::Jump(Edge {
            block: exit,
            arguments,
        }));
    }

    /// Loads a word of the level's entry into every lane.
    fn load_entry_field(&mut self, level: ConstantLevel, word: i32) -> Value {
        self.emit(Op::LoadSplat(word), &[level.entry], Type::Lanes)
    }

    /// Computes the texel addresses from coordinates.
    pub(in crate::lower) fn texel_address(
        &mut self,
        level: ConstantLevel,
        places: &[Scalar],
    ) -> TexelAddress {
        let mut inside = self.exec_mask();
        let mut offset = self.load_entry_field(level, FIRST);
        for (place, axis) in places.iter().zip(AXES) {
            let place = self.lanes(place);
            let length = self.load_entry_field(level, axis.length);
            let is_below = self.compare(LaneCompare::Int(WordCompare::LtU), place, length);
            inside = self.mask_binary(MaskBinary::And, inside, is_below);
            let step = self.load_entry_field(level, axis.step);
            let distance = self.int(axis.scale, place, step);
            offset = self.int(WordBinary::Add, offset, distance);
        }
        let (two, three) = (self.splat(2), self.splat(3));
        let index = self.int(WordBinary::ShrU, offset, two);
        let byte = self.int(WordBinary::And, offset, three);
        TexelAddress {
            level,
            inside,
            index,
            shift: self.int(WordBinary::Shl, byte, three),
        }
    }

    /// Decodes a channel in the given encoding; 0 where it is absent or the texel is outside the level.
    fn decode(&mut self, address: &TexelAddress, encoding: TexelEncoding, channel: i32) -> Value {
        match encoding {
            TexelEncoding::Unorm8 => self.byte(address, channel),
            TexelEncoding::Table8 if channel == ALPHA => self.byte(address, channel),
            TexelEncoding::Table8 => self.decode_by_table(address, channel),
            TexelEncoding::Float16 => {
                let word = self.texel_word(address, channel / 2);
                let bits = self.channel(address, word, channel);
                self.emit(Op::Unary(LaneUnary::FromHalf), &[bits], Type::Lanes)
            }
            TexelEncoding::Normalized => {
                let number = self.number(address, channel);
                let number = self.emit(Op::Unary(LaneUnary::FromS), &[number], Type::Lanes);
                let one = self.load_entry_field(address.level, ONES + channel);
                let value = self.binary(LaneBinary::DivF, number, one);
                // The two smallest signed numbers both decode to -1.
                let least = self.float(-1.0);
                self.binary(LaneBinary::MaxF, value, least)
            }
            TexelEncoding::Raw | TexelEncoding::Other => self.number(address, channel),
        }
    }

    /// Adds the default value of an absent alpha channel, inside the level.
    fn with_default_alpha(&mut self, address: &TexelAddress, value: Value, channel: i32) -> Value {
        if channel != ALPHA {
            return value;
        }
        let (absent, zero) = (
            self.load_entry_field(address.level, NO_ALPHA),
            self.splat(0),
        );
        let absent = self.select(address.inside, absent, zero);
        self.int(WordBinary::Or, value, absent)
    }

    /// The index of a word of the texel, and the lanes of `inside` for which it lies in the level's memory. The
    /// bounds verifier does not trust the strides in the entry.
    pub(in crate::lower) fn in_memory(
        &mut self,
        address: &TexelAddress,
        number: u32,
        inside: Value,
    ) -> (Value, Value) {
        let index = match number {
            0 => address.index,
            _ => {
                let number = self.splat(number);
                self.int(WordBinary::Add, address.index, number)
            }
        };
        (index, self.bounded(address.level, index, inside))
    }

    /// The lanes of a mask whose index lies in the level's memory.
    fn bounded(&mut self, level: ConstantLevel, index: Value, inside: Value) -> Value {
        let length = self.emit(Op::Broadcast, &[level.length], Type::Lanes);
        let exists = self.compare(LaneCompare::Int(WordCompare::LtU), index, length);
        self.mask_binary(MaskBinary::And, inside, exists)
    }

    /// Loads a word of the texel; 0 if the texel has fewer.
    fn texel_word(&mut self, address: &TexelAddress, number: i32) -> Value {
        let inside = match number {
            // Every texel has a first word.
            0 => address.inside,
            _ => {
                let size = self.emit(Op::LoadWord(SIZE), &[address.level.entry], Type::Word);
                let number = self.word_const(number as u32);
                let is_there = self.word_compare(WordCompare::LtU, number, size);
                let is_there = self.mask(&Scalar::Word(is_there));
                self.mask_binary(MaskBinary::And, address.inside, is_there)
            }
        };
        let (index, inside) = self.in_memory(address, number.cast_unsigned(), inside);
        let operands = [address.level.memory, index, inside];
        let word = self.emit(Op::Gather(0), &operands, Type::Lanes);
        match number {
            0 => self.int(WordBinary::ShrU, word, address.shift),
            _ => word,
        }
    }

    /// The lanes inside the level, if the channel is present.
    fn present(&mut self, address: &TexelAddress, channel: i32) -> Value {
        let mask = Op::LoadWord(MASKS + channel);
        let mask = self.emit(mask, &[address.level.entry], Type::Word);
        let present = self.mask(&Scalar::Word(mask));
        self.mask_binary(MaskBinary::And, address.inside, present)
    }

    /// Extracts the bits of a channel from its word.
    fn channel(&mut self, address: &TexelAddress, word: Value, channel: i32) -> Value {
        let shift = self.load_entry_field(address.level, SHIFTS + channel);
        let mask = self.load_entry_field(address.level, MASKS + channel);
        let bits = self.int(WordBinary::ShrU, word, shift);
        self.int(WordBinary::And, bits, mask)
    }

    /// Loads an integer channel, from any word of the texel.
    fn number(&mut self, address: &TexelAddress, channel: i32) -> Value {
        let place = self.load_entry_field(address.level, WORDS + channel);
        let index = self.int(WordBinary::Add, address.index, place);
        let present = self.present(address, channel);
        let present = self.bounded(address.level, index, present);
        let operands = [address.level.memory, index, present];
        let word = self.emit(Op::Gather(0), &operands, Type::Lanes);
        let word = self.int(WordBinary::ShrU, word, address.shift);
        let bits = self.channel(address, word, channel);
        let sign = self.load_entry_field(address.level, SIGNS + channel);
        let flipped = self.int(WordBinary::Xor, bits, sign);
        self.int(WordBinary::Sub, flipped, sign)
    }

    /// The bits of a byte channel.
    fn byte_bits(&mut self, address: &TexelAddress, channel: i32) -> Value {
        let word = self.texel_word(address, 0);
        self.channel(address, word, channel)
    }

    /// Decodes a byte channel by table lookup.
    fn decode_by_table(&mut self, address: &TexelAddress, channel: i32) -> Value {
        let bits = self.byte_bits(address, channel);
        // Redundant in this encoding; needed when the load is hoisted above the branch on the encoding.
        let last = self.splat(0xff);
        let bits = self.int(WordBinary::And, bits, last);
        let table = Op::LoadPointer(TABLE);
        let table = self.emit(table, &[address.level.entry], Type::Pointer);
        self.emit(Op::Gather(0), &[table, bits, address.inside], Type::Lanes)
    }

    /// Decodes a byte channel as a multiple of 1/255.
    fn byte(&mut self, address: &TexelAddress, channel: i32) -> Value {
        let bits = self.byte_bits(address, channel);
        let number = self.emit(Op::Unary(LaneUnary::FromS), &[bits], Type::Lanes);
        // The correctly rounded quotient: the product with the reciprocal in two parts, the first product being
        // exact.
        let reciprocal = 1.0 / 255.0f64;
        let high = f32::from_bits((reciprocal as f32).to_bits() & !0x3ff);
        let low = (reciprocal - f64::from(high)) as f32;
        let (high, low) = (self.float(high), self.float(low));
        let low = self.binary(LaneBinary::MulF, number, low);
        self.emit(Op::Fma, &[number, high, low], Type::Lanes)
    }
}
