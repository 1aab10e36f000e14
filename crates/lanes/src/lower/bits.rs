//! Sets of small numbers.

/// A set of numbers below a limit that is given when it is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// An empty set for numbers below a limit.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            words: vec![0; limit.div_ceil(64)],
        }
    }

    pub(super) fn contains(&self, number: usize) -> bool {
        self.words[number / 64] >> (number % 64) & 1 == 1
    }

    /// Whether the number is new.
    pub(super) fn insert(&mut self, number: usize) -> bool {
        let is_new = !self.contains(number);
        self.words[number / 64] |= 1 << (number % 64);
        is_new
    }

    pub(super) fn remove(&mut self, number: usize) {
        self.words[number / 64] &= !(1 << (number % 64));
    }

    /// Whether anything is new.
    pub(super) fn add(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            changed |= *more & !*word != 0;
            *word |= more;
        }
        changed
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(place, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(64 * place + bit)
            })
        })
    }
}
