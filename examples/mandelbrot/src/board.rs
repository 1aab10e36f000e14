//! The boards: what a user asks for. Which method that becomes is `method`'s business.

use std::fmt;
use std::str::FromStr;

/// How an image is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Board {
    /// Plain iteration in f32.
    Direct,
    /// The distance of each pixel from one reference orbit, however deep the view is.
    Perturbation,
    /// Whatever the view needs.
    Adaptive,
}

impl Board {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Direct, Self::Perturbation, Self::Adaptive];

    fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Perturbation => "perturbation",
            Self::Adaptive => "adaptive",
        }
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no board has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no board `{0}`; there are direct, perturbation, adaptive")]
pub struct UnknownBoard(String);

impl FromStr for Board {
    type Err = UnknownBoard;

    fn from_str(name: &str) -> Result<Self, UnknownBoard> {
        let found = Self::ALL.into_iter().find(|board| board.name() == name);
        found.ok_or_else(|| UnknownBoard(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::Board;

    #[test]
    fn names_are_read_and_written() {
        for board in Board::ALL {
            assert_eq!(board.to_string().parse(), Ok(board));
        }
        assert!("Direct".parse::<Board>().is_err());
    }
}
