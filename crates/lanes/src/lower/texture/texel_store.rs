//! Inline texel stores, for storage formats that take a few instructions.
//!
//! In: a texel store whose format is known at compile time. Out: instructions that encode the texel and store it at
//! the address given by the level's [`TextureLevelEntry`](crate::ir::TextureLevelEntry). Consecutive lanes in a
//! texture row become one row store. The host is called if the entry says that the texels are encoded differently.
//!
//! What always holds: only texels inside the level are written.

use naga::{ImageClass, StorageFormat, TypeInner};

use crate::ir::{
    LaneBinary, LaneUnary, Op, Row, TexelEncoding, Type, Value, WordBinary, WordCompare,
};

use crate::lower::Lowering;
use crate::lower::arithmetic::scalar::Scalar;
use crate::lower::calls::host_call::HostCall;
use crate::lower::memory::access::counts_from;
use crate::lower::texture::image::{Texel, Texture};
use crate::lower::texture::texel_load::{AXES, ConstantLevel};

/// How texels of a storage format are encoded.
#[derive(Clone, Copy)]
enum Encoding {
    /// One word of normalized bytes (`unorm`), and which channel each byte is.
    Bytes([usize; 4]),
    /// 16-bit floats, in this many words.
    Halves(usize),
    /// This many plain words.
    Words(usize),
}

impl Encoding {
    fn of(format: StorageFormat) -> Option<Self> {
        use StorageFormat as F;
        Some(match format {
            F::Rgba8Unorm => Self::Bytes([0, 1, 2, 3]),
            F::Bgra8Unorm => Self::Bytes([2, 1, 0, 3]),
            F::Rg16Float => Self::Halves(1),
            F::Rgba16Float => Self::Halves(2),
            F::R32Uint | F::R32Sint | F::R32Float => Self::Words(1),
            F::Rg32Uint | F::Rg32Sint | F::Rg32Float => Self::Words(2),
            F::Rgba32Uint | F::Rgba32Sint | F::Rgba32Float => Self::Words(4),
            _ => return None,
        })
    }

    /// The encoding that the level's entry must have for this path.
    fn texel_encoding(self) -> TexelEncoding {
        match self {
            Self::Bytes(_) => TexelEncoding::Unorm8,
            Self::Halves(_) => TexelEncoding::Float16,
            Self::Words(_) => TexelEncoding::Raw,
        }
    }
}

impl Lowering<'_> {
    /// Stores a texel inline, if possible. Returns whether it was.
    pub(in crate::lower) fn store_texel(
        &mut self,
        texture: &Texture,
        texel: &Texel,
        value: &[Scalar],
    ) -> bool {
        let Some(encoding) = self.encoding(texture).filter(|_| value.len() == 4) else {
            return false;
        };
        let Some(level) = self.constant_level(texture, texel) else {
            return false;
        };
        let encoding_word = self.load_encoding(level);
        let exit = self.function.add_block();
        let (inline, call) = self.branch_on_encoding(encoding_word, encoding.texel_encoding());
        self.control.block = inline;
        let words = self.encode(encoding, value);
        match (&words[..], self.texel_row(level, &texel.axes)) {
            (&[word], Some(row)) => row.store(self, word),
            (words, _) => {
                let address = self.texel_address(level, &texel.axes);
                for (number, word) in (0..).zip(words) {
                    let (index, inside) = self.in_memory(&address, number, address.inside);
                    self.effect(Op::Scatter(0), &[level.memory, index, *word, inside]);
                }
            }
        }
        self.join(exit, Vec::new());
        self.control.block = call;
        self.host_effect(HostCall::Texture(texel.request.clone()), &texel.rows);
        self.join(exit, Vec::new());
        self.control.block = exit;
        true
    }

    /// The encoding of a texture's texels, if they can be stored inline.
    fn encoding(&self, texture: &Texture) -> Option<Encoding> {
        let variable = &self.module.global_variables[texture.variable];
        match self.module.types[variable.ty].inner {
            TypeInner::Image {
                class: ImageClass::Storage { format, .. },
                ..
            } => Encoding::of(format),
            _ => None,
        }
    }

    /// Encodes a texel as words.
    fn encode(&mut self, encoding: Encoding, value: &[Scalar]) -> Vec<Value> {
        let channels: Vec<Value> = value.iter().map(|channel| self.lanes(channel)).collect();
        match encoding {
            Encoding::Words(count) => channels[..count].to_vec(),
            Encoding::Bytes(order) => {
                let bytes = order.map(|channel| self.fraction_of_255(channels[channel]));
                vec![self.packed(&bytes, 8)]
            }
            Encoding::Halves(count) => {
                let halves: Vec<Value> = channels[..2 * count]
                    .iter()
                    .map(|channel| {
                        let op = Op::Unary(LaneUnary::ToHalf);
                        self.emit(op, &[*channel], Type::Lanes)
                    })
                    .collect();
                halves.chunks(2).map(|pair| self.packed(pair, 16)).collect()
            }
        }
    }

    /// Packs fields of `width` bits into a word, the first one lowest.
    fn packed(&mut self, numbers: &[Value], width: u8) -> Value {
        let mut word = numbers[0];
        for (place, number) in (1..).zip(&numbers[1..]) {
            let moved = self.emit(Op::ShlBy(place * width), &[*number], Type::Lanes);
            word = self.int(WordBinary::Or, word, moved);
        }
        word
    }

    /// Converts to `unorm8`: rounds to the nearest multiple of 1/255, ties to even; 0 for NaN.
    fn fraction_of_255(&mut self, value: Value) -> Value {
        /// At this magnitude floats are integers, so the addition rounds to an integer, in the low bits of the sum.
        const WHOLE: f32 = 12_582_912.0;
        let (zero, one) = (self.float(0.0), self.float(1.0));
        let value = self.binary(LaneBinary::MaxF, value, zero);
        let value = self.binary(LaneBinary::MinF, value, one);
        let (most, whole) = (self.float(255.0), self.float(WHOLE));
        let sum = self.emit(Op::Fma, &[value, most, whole], Type::Lanes);
        let bits = self.splat(0xff);
        self.int(WordBinary::And, sum, bits)
    }

    /// The row of texels that consecutive lanes access, if they do: texels have one word, x increases by one from
    /// lane to lane, and the other coordinates are uniform.
    fn texel_row(&mut self, level: ConstantLevel, places: &[Scalar]) -> Option<TexelRow> {
        let (Scalar::Affine(base, pattern), rest) = places.split_first()? else {
            return None;
        };
        let first = Scalar::Known(counts_from(pattern)?);
        if !rest.iter().all(Scalar::is_uniform) {
            return None;
        }
        let base = base.map_or(Scalar::ZERO, Scalar::Word);
        let index = self.add(&base, &first);
        let mut row = TexelRow {
            pointer: level.memory,
            index: self.word(&index)?,
            limit: self.emit(Op::LoadWord(AXES[0].length), &[level.entry], Type::Word),
        };
        let mut distance = Scalar::ZERO;
        for (place, axis) in rest.iter().zip(&AXES[1..]) {
            let place = self.word(place)?;
            let length = self.emit(Op::LoadWord(axis.length), &[level.entry], Type::Word);
            let is_there = self.word_compare(WordCompare::LtU, place, length);
            let none = self.word_const(0);
            row.limit = self.emit(Op::WordSelect, &[is_there, row.limit, none], Type::Word);
            let step = self.emit(Op::LoadWord(axis.step), &[level.entry], Type::Word);
            let two = self.word_const(2);
            let words = self.word_binary(WordBinary::ShrU, step, two);
            let words = self.word_binary(WordBinary::Mul, place, words);
            distance = self.add(&distance, &Scalar::Word(words));
        }
        // The row is limited by the level's memory, whatever the strides in the entry are.
        let distance = self.word(&distance)?;
        row.pointer = self.emit(Op::Advance, &[row.pointer, distance], Type::Pointer);
        let end = self.word_binary(WordBinary::MaxU, level.length, distance);
        let rest = self.word_binary(WordBinary::Sub, end, distance);
        row.limit = self.word_binary(WordBinary::MinU, row.limit, rest);
        Some(row)
    }
}

/// Consecutive texels of one word each.
struct TexelRow {
    pointer: Value,
    index: Value,
    limit: Value,
}

impl TexelRow {
    fn store(&self, lowering: &mut Lowering<'_>, values: Value) {
        let op = Op::StoreRow(Row {
            is_masked: lowering.control.exec.is_some(),
            ..Row::limited(0)
        });
        let operands: Vec<Value> = [self.pointer, self.index, values, self.limit]
            .into_iter()
            .chain(lowering.control.exec)
            .collect();
        lowering.effect(op, &operands);
    }
}
