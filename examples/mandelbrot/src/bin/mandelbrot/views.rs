//! The view that each board shows when nobody names one.

use mandelbrot::Board;

/// Centre and width.
pub(crate) struct Texts {
    pub(crate) re: &'static str,
    pub(crate) im: &'static str,
    pub(crate) width: &'static str,
}

/// The whole set; something deep; something between.
pub(crate) fn of(board: Board) -> Texts {
    match board {
        Board::Direct => Texts {
            re: "-0.65",
            im: "0",
            width: "3.2",
        },
        // About a nucleus of period 243, close to where three filaments of the set meet.
        Board::Perturbation => Texts {
            re: "-0.10109636384562216102578544573826043720704377307070958602275402273343587862570592",
            im: "0.95628651080914150077109605773001365830203299998618156752161243773898475327381525",
            width: "3e-46",
        },
        Board::Adaptive => Texts {
            re: "-0.743643887037151",
            im: "0.131825904205330",
            width: "1e-5",
        },
    }
}
