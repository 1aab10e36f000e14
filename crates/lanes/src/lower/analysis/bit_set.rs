//! Dense and sparse sets of small integers.

/// A dense bit set of integers below a limit.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::lower) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// An empty set of integers below a limit.
    pub(in crate::lower) fn new(limit: usize) -> Self {
        Self {
            words: vec![0; limit.div_ceil(64)],
        }
    }

    pub(in crate::lower) fn contains(&self, number: usize) -> bool {
        self.words[number / 64] >> (number % 64) & 1 == 1
    }

    /// Returns whether the integer is new.
    pub(in crate::lower) fn insert(&mut self, number: usize) -> bool {
        let is_new = !self.contains(number);
        self.words[number / 64] |= 1 << (number % 64);
        is_new
    }

    pub(in crate::lower) fn remove(&mut self, number: usize) {
        self.words[number / 64] &= !(1 << (number % 64));
    }

    /// Union in place. Returns whether the set has grown.
    pub(in crate::lower) fn add(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            changed |= *more & !*word != 0;
            *word |= more;
        }
        changed
    }

    /// The intersection with ascending integers.
    pub(in crate::lower) fn members(&self, numbers: &[u32]) -> Members {
        let numbers = numbers.iter().copied();
        numbers
            .filter(|number| self.contains(*number as usize))
            .collect()
    }

    /// Steps of work for an operation on the whole set.
    pub(in crate::lower) fn work(&self) -> u64 {
        1 + self.words.len() as u64 / 64
    }
}

impl Clone for Bits {
    fn clone(&self) -> Self {
        Self {
            words: self.words.clone(),
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.words.clone_from(&other.words);
    }
}

/// A small immutable set of integers, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::lower) struct Members(Box<[u32]>);

impl Members {
    pub(in crate::lower) fn contains(&self, number: usize) -> bool {
        self.0.binary_search(&(number as u32)).is_ok()
    }

    pub(in crate::lower) fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(|number| *number as usize)
    }
}

impl FromIterator<u32> for Members {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        Self(numbers.into_iter().collect())
    }
}
