//! Boards: the method that a user requests. Module `method` chooses the arithmetic for a view.

use std::fmt;
use std::str::FromStr;

/// How an image is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Board {
    /// Direct iteration in f32.
    Direct,
    /// Perturbation with a reference orbit, at any depth.
    Perturbation,
    /// The cheapest arithmetic that suffices for the view.
    Adaptive,
}

impl Board {
    /// All boards.
    pub const ALL: [Self; 3] = [Self::Direct, Self::Perturbation, Self::Adaptive];

    /// The default view: real and imaginary part of its centre, and its width, in the syntax of
    /// [`View::parse`](crate::View::parse). The whole set; a deep view; one in between.
    pub fn home(self) -> [&'static str; 3] {
        match self {
            Self::Direct => ["-0.65", "0", "3.2"],
            // At a nucleus of period 243, close to a point where three filaments of the set meet.
            Self::Perturbation => [
                "-0.10109636384562216102578544573826043720704377307070958602275402273343587862570592",
                "0.95628651080914150077109605773001365830203299998618156752161243773898475327381525",
                "1e-54",
            ],
            Self::Adaptive => ["-0.77568377", "0.13646737", "1e-5"],
        }
    }

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

/// An unknown board name.
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
    use crate::view::View;

    #[test]
    fn every_board_has_a_home() {
        for board in Board::ALL {
            let [re, im, width] = board.home();
            let view = View::parse(re, im, width).unwrap();
            assert_eq!(view.width(), width);
        }
    }

    #[test]
    fn names_are_read_and_written() {
        for board in Board::ALL {
            assert_eq!(board.to_string().parse(), Ok(board));
        }
        assert!("Direct".parse::<Board>().is_err());
    }
}
