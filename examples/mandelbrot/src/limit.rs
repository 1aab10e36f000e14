//! How many iterations an image gets.
//!
//! In: what the user says, or how the image stands when it has come to its limit. Out: the limit, or
//! a higher one. What always holds: the decision depends on the view and the counts alone, never on
//! time or on how the work was cut into batches, so the image is the same everywhere.

use crate::extent::Extent;

/// No limit is higher: the counts have other uses for the greatest numbers.
pub(crate) const HIGHEST: u32 = 1 << 30;

/// Where the iterations end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Limit {
    /// It begins low and doubles as long as pixels still escape late.
    #[default]
    Auto,
    /// This many.
    Iterations(u32),
}

impl From<u32> for Limit {
    fn from(iterations: u32) -> Self {
        Self::Iterations(iterations)
    }
}

/// What the limit is raised by: how an image stands at its limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    pub(crate) pixels: u32,
    /// Pixels that escaped at all.
    pub(crate) escaped: u32,
    /// Pixels that escaped in the second half of the iterations.
    pub(crate) late: u32,
}

/// Where an automatic limit begins.
const FIRST: u32 = 256;
/// The limit is raised while at least one pixel in `LATE_SHARE` escapes late.
const LATE_SHARE: u32 = 250;

impl Limit {
    /// The limit that a view begins with.
    pub(crate) fn first(self) -> u32 {
        match self {
            Self::Auto => FIRST,
            Self::Iterations(limit) => limit,
        }
    }

    /// The limit that a view may come to. Deep views need more: an orbit stays for a while at each
    /// scale that the view has passed.
    pub(crate) fn last(self, width: Extent) -> u32 {
        match self {
            Self::Auto => {
                let depth = width.exponent.min(0).unsigned_abs() + 8;
                (512 * depth).next_power_of_two().min(1 << 22)
            }
            Self::Iterations(limit) => limit,
        }
    }

    /// The next limit, for an image that has come to this one; `None` if it is good enough.
    pub(crate) fn raise(self, limit: u32, last: u32, standing: Standing) -> Option<u32> {
        if self != Self::Auto || limit >= last {
            return None;
        }
        // A view inside the set would never end otherwise.
        let is_worth_it = match standing.escaped {
            0 => limit < last / 4,
            _ => standing.late >= standing.pixels.div_ceil(LATE_SHARE),
        };
        is_worth_it.then(|| limit.saturating_mul(2).min(last))
    }
}

#[cfg(test)]
mod tests {
    use super::{Limit, Standing};

    fn standing(escaped: u32, late: u32) -> Standing {
        Standing {
            pixels: 10_000,
            escaped,
            late,
        }
    }

    #[test]
    fn it_rises_while_pixels_escape_late() {
        let auto = Limit::Auto;
        assert_eq!(auto.raise(256, 4096, standing(0, 0)), Some(512));
        assert_eq!(auto.raise(256, 4096, standing(5000, 40)), Some(512));
        assert_eq!(auto.raise(256, 4096, standing(5000, 39)), None);
        assert_eq!(auto.raise(1024, 4096, standing(0, 0)), None);
        assert_eq!(auto.raise(1024, 4096, standing(5000, 40)), Some(2048));
        assert_eq!(auto.raise(4096, 4096, standing(5000, 40)), None);
    }

    #[test]
    fn what_the_user_says_stays() {
        let given = Limit::from(100);
        assert_eq!(given.raise(100, 100, standing(0, 0)), None);
    }
}
