//! What a buffer holds before the first run: files are read here, random words are made.

use crate::error::Error;
use crate::input;
use crate::specs::Contents;

/// First contents, with files read. Zeros and random words take no memory until a device has them.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Initial {
    Zeros { bytes: u64 },
    Random { bytes: u64, seed: u64 },
    Data(Vec<u8>),
}

impl Initial {
    /// Reads a file if there is one; `limits` say how much of it can be used.
    pub(super) fn read(contents: &Contents, limits: &wgpu::Limits) -> Result<Self, Error> {
        Ok(match contents {
            Contents::Zeros { bytes } => Self::Zeros { bytes: *bytes },
            Contents::Random { bytes, seed } => Self::Random {
                bytes: *bytes,
                seed: *seed,
            },
            Contents::Values(numbers) => Self::Data(numbers.bytes.clone()),
            Contents::File(path) => {
                let limit = limits.max_storage_buffer_binding_size;
                Self::Data(input::read(path, limit.min(limits.max_buffer_size))?)
            }
        })
    }

    /// How many bytes there are.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Zeros { bytes } | Self::Random { bytes, .. } => *bytes,
            Self::Data(data) => data.len() as u64,
        }
    }

    /// Hands out everything that is not zero, with its offset, in pieces of at most `piece` bytes.
    pub(super) fn for_each_piece(&self, piece: usize, mut use_piece: impl FnMut(u64, &[u8])) {
        match self {
            Self::Zeros { .. } => {}
            Self::Data(data) => {
                for (index, part) in data.chunks(piece).enumerate() {
                    use_piece((index * piece) as u64, part);
                }
            }
            Self::Random { bytes, seed } => {
                let mut words = RandomWords(*seed);
                let mut offset = 0;
                while offset < *bytes {
                    let length = (*bytes - offset).min(piece as u64);
                    let part = words.take_bytes(length as usize);
                    use_piece(offset, &part);
                    offset += length;
                }
            }
        }
    }
}

/// So many pseudo-random bytes, a multiple of 4.
pub(crate) fn random_bytes(bytes: u64, seed: u64) -> Vec<u8> {
    RandomWords(seed).take_bytes(bytes as usize)
}

/// SplitMix64 (Steele, Lea, Flood 2014), the upper half of each step.
struct RandomWords(u64);

impl RandomWords {
    /// The next words; `length` is a multiple of 4.
    fn take_bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length / 4)
            .flat_map(|_| self.next().to_le_bytes())
            .collect()
    }

    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        (mixed >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(initial: &Initial, piece: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        initial.for_each_piece(piece, |offset, part| {
            assert_eq!(offset, bytes.len() as u64);
            bytes.extend(part);
        });
        bytes
    }

    #[test]
    fn random_words_depend_on_the_seed_alone() {
        let random = |bytes, seed| Initial::Random { bytes, seed };
        let words = whole(&random(40, 1), 16);
        assert_eq!(words.len(), 40);
        assert_eq!(words, whole(&random(40, 1), 64));
        assert_eq!(words[..16], whole(&random(16, 1), 64));
        assert_ne!(words, whole(&random(40, 2), 16));
    }

    #[test]
    fn pieces_make_the_whole() {
        let data: Vec<u8> = (0..50).collect();
        assert_eq!(whole(&Initial::Data(data.clone()), 16), data);
        assert!(whole(&Initial::Zeros { bytes: 50 }, 16).is_empty());
    }
}
