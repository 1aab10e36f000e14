//! The initial contents of buffers: reads files and generates random numbers.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde_json::Value as Json;

use crate::error::Error;
use crate::input;
use anywarp::reflection::Layout;

use crate::layout::{EncodeError, Encoder};
use crate::specs::{Contents, ElementType, given_twice};

/// The largest JSON file that is read: parsed values take much more memory than their text.
const JSON_LIMIT: u64 = 32 << 20;

/// Initial contents with files already read. Generated contents take no memory until they are uploaded.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Initial {
    Zeros {
        bytes: Option<u64>,
    },
    Random {
        element: Option<ElementType>,
        bytes: Option<u64>,
        seed: u64,
    },
    /// The same number repeated.
    Fill {
        number: Vec<u8>,
        bytes: Option<u64>,
    },
    Data(Vec<u8>),
    /// Values of members: the first bytes of a buffer that may be larger.
    Members {
        data: Vec<u8>,
        /// The minimum size of the buffer.
        least: u64,
    },
}

impl Initial {
    /// Reads the file, if the contents come from one. `limits` bound its size; `layout` is the type of the buffer.
    pub(super) fn read(
        contents: &Contents,
        layout: Option<&Layout>,
        limits: &wgpu::Limits,
    ) -> Result<Self, Error> {
        let limit = limits.max_storage_buffer_binding_size;
        Self::within(contents, layout, limit.min(limits.max_buffer_size))
    }

    fn within(contents: &Contents, layout: Option<&Layout>, limit: u64) -> Result<Self, Error> {
        Ok(match contents {
            Contents::Zeros { bytes } => Self::Zeros { bytes: *bytes },
            Contents::Random {
                element,
                count,
                seed,
            } => Self::Random {
                element: *element,
                bytes: count.map(|count| Contents::sized(*element, count)),
                seed: *seed,
            },
            Contents::Fill { number, count } => Self::Fill {
                number: number.bytes.clone(),
                bytes: count.map(|count| Contents::sized(Some(number.element), count)),
            },
            Contents::Values(numbers) => Self::Data(numbers.bytes.clone()),
            Contents::File(path) if input::extension(path) == "json" => {
                let bytes = input::read(path, JSON_LIMIT)?;
                let wrong = |reason| Error::Json {
                    path: path.clone(),
                    reason,
                };
                let value: Json =
                    serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
                Self::members(layout, |encoder, layout| encoder.set(layout, &[], &value))
                    .map_err(wrong)?
            }
            Contents::File(path) => Self::Data(input::read(path, limit)?),
            Contents::Members(members) => {
                if let Some(path) = given_twice(members) {
                    let reason = format!("`{path}` is given twice");
                    return Err(Error::Members { reason });
                }
                Self::members(layout, |encoder, layout| {
                    let mut members = members.iter();
                    members.try_for_each(|member| encoder.set(layout, &member.path, &member.value))
                })
                .map_err(|reason| Error::Members { reason })?
            }
        })
    }

    fn members(
        layout: Option<&Layout>,
        set: impl FnOnce(&mut Encoder, &Layout) -> Result<(), EncodeError>,
    ) -> Result<Self, String> {
        let layout = layout.ok_or("the buffer has no type, and so no members: give bytes")?;
        let mut encoder = Encoder::default();
        set(&mut encoder, layout).map_err(|error| error.to_string())?;
        Ok(Self::Members {
            data: encoder.bytes,
            least: encoder.needed.max(layout.size),
        })
    }

    /// The size of the buffer, if the contents determine it.
    pub(super) fn bytes(&self) -> Option<u64> {
        match self {
            Self::Zeros { bytes } | Self::Random { bytes, .. } | Self::Fill { bytes, .. } => *bytes,
            Self::Data(data) => Some(data.len() as u64),
            Self::Members { .. } => None,
        }
    }

    /// The minimum size of the buffer.
    pub(super) fn least(&self) -> u64 {
        match self {
            Self::Members { least, .. } => *least,
            _ => 0,
        }
    }

    /// Calls back with everything that is not zero in a buffer of `size` bytes, with its offset, in pieces of at most
    /// `piece` bytes; `piece` is a multiple of 8.
    pub(super) fn for_each_piece(
        &self,
        size: u64,
        piece: usize,
        mut use_piece: impl FnMut(u64, &[u8]),
    ) {
        let mut take: Box<dyn FnMut(usize) -> Vec<u8>> = match self {
            Self::Zeros { .. } => return,
            Self::Data(data) | Self::Members { data, .. } => {
                for (index, part) in data.chunks(piece).enumerate() {
                    use_piece((index * piece) as u64, part);
                }
                return;
            }
            Self::Fill { number, .. } => {
                Box::new(|length| number.iter().copied().cycle().take(length).collect())
            }
            Self::Random { element, seed, .. } => {
                let mut words = RandomWords::new(*seed);
                Box::new(move |length| words.take_bytes(*element, length))
            }
        };
        let mut offset = 0;
        while offset < size {
            let length = (size - offset).min(piece as u64);
            use_piece(offset, &take(length as usize));
            offset += length;
        }
    }
}

/// Untyped contents for kernels: bytes in memory, at most `limit`.
pub(crate) fn contents_bytes(contents: &Contents, limit: u64) -> Result<Vec<u8>, Error> {
    let initial = Initial::within(contents, None, limit)?;
    let bytes = initial.bytes().ok_or_else(|| Error::NoCount {
        contents: contents.to_string(),
    })?;
    if bytes > limit {
        return Err(Error::ContentsTooLarge {
            contents: contents.to_string(),
            bytes,
            limit,
        });
    }
    let mut all = vec![0; bytes as usize];
    initial.for_each_piece(bytes, all.len().next_multiple_of(8).max(8), |_, piece| {
        all.copy_from_slice(piece);
    });
    Ok(all)
}

/// This number of pseudo-random bytes.
pub(super) fn random_bytes(bytes: u64, seed: u64) -> Vec<u8> {
    RandomWords::new(seed).take_bytes(None, bytes as usize)
}

/// The generator SplitMix64 (Steele, Lea, Flood 2014); uses the upper half of each output.
struct RandomWords(SplitMix64);

impl RandomWords {
    fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }

    /// The next numbers or words as bytes; an incomplete last one is cut off.
    fn take_bytes(&mut self, element: Option<ElementType>, length: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(length + 8);
        while bytes.len() < length {
            match element {
                None => bytes.extend(self.next().to_le_bytes()),
                Some(element) => bytes.extend(self.number(element)),
            }
        }
        bytes.truncate(length);
        bytes
    }

    /// A float in [0, 1) with as many random bits as its type can represent there, or any integer.
    fn number(&mut self, element: ElementType) -> Vec<u8> {
        let word = self.next();
        let mut double = || u64::from(word) << 32 | u64::from(self.next());
        match element {
            ElementType::F16 => half::f16::from_f64(f64::from(word >> 21) / f64::from(1 << 11))
                .to_le_bytes()
                .to_vec(),
            ElementType::F32 => ((word >> 8) as f32 / (1 << 24) as f32)
                .to_le_bytes()
                .to_vec(),
            ElementType::F64 => ((double() >> 11) as f64 / (1_u64 << 53) as f64)
                .to_le_bytes()
                .to_vec(),
            ElementType::I16 | ElementType::U16 => ((word >> 16) as u16).to_le_bytes().to_vec(),
            ElementType::I32 | ElementType::U32 => word.to_le_bytes().to_vec(),
            ElementType::I64 | ElementType::U64 => double().to_le_bytes().to_vec(),
        }
    }

    fn next(&mut self) -> u32 {
        (self.0.next_u64() >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(initial: &Initial, size: u64, piece: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        initial.for_each_piece(size, piece, |offset, part| {
            assert_eq!(offset, bytes.len() as u64);
            bytes.extend(part);
        });
        bytes
    }

    fn random(element: Option<ElementType>, seed: u64) -> Initial {
        let bytes = None;
        Initial::Random {
            element,
            bytes,
            seed,
        }
    }

    #[test]
    fn random_words_depend_on_the_seed_alone() {
        let words = whole(&random(None, 1), 40, 16);
        assert_eq!(words.len(), 40);
        assert_eq!(words, whole(&random(None, 1), 40, 64));
        assert_eq!(words[..16], whole(&random(None, 1), 16, 64));
        assert_ne!(words, whole(&random(None, 2), 40, 16));
    }

    /// A documented feature: scripts compare results of random contents, so these values must stay.
    #[test]
    fn a_seed_gives_the_same_words_in_every_version() {
        let words = |seed| {
            let bytes = whole(&random(None, seed), 16, 16);
            let words = bytes.as_chunks::<4>().0.iter().copied();
            words.map(u32::from_le_bytes).collect::<Vec<_>>()
        };
        assert_eq!(
            words(0),
            [0xe220_a839, 0x6e78_9e6a, 0x06c4_5d18, 0xf88b_b8a8]
        );
        assert_eq!(
            words(1),
            [0x910a_2dec, 0xbeeb_8da1, 0xf893_a2ee, 0x71c1_8690]
        );
    }

    #[test]
    fn random_floats_are_from_0_to_1() {
        for element in [ElementType::F16, ElementType::F32, ElementType::F64] {
            let bytes = whole(&random(Some(element), 1), 8000, 64);
            let values: Vec<_> = element.values(&bytes).map(|it| it.to_f64()).collect();
            assert!(values.iter().all(|it| (0.0..1.0).contains(it)), "{element}");
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            assert!((0.45..0.55).contains(&mean), "{element}: {mean}");
        }
        for element in [ElementType::I16, ElementType::I32, ElementType::I64] {
            let bytes = whole(&random(Some(element), 1), 800, 64);
            let negative = element.values(&bytes).filter(|it| it.to_f64() < 0.0);
            assert!(negative.count() > 20, "{element}");
        }
    }

    #[test]
    fn pieces_make_the_whole() {
        let data: Vec<u8> = (0..50).collect();
        assert_eq!(whole(&Initial::Data(data.clone()), 50, 16), data);
        assert!(whole(&Initial::Zeros { bytes: Some(50) }, 50, 16).is_empty());
        let number = 7_u16.to_le_bytes().to_vec();
        let bytes = None;
        let fill = whole(&Initial::Fill { number, bytes }, 18, 8);
        assert_eq!(fill, [7, 0].repeat(9));
    }
}
