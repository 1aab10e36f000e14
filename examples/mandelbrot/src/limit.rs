//! The iteration limit of an image.
//!
//! In: the user's setting, or the state of the image at its limit. Out: the limit, or a higher one. What always holds:
//! the decision depends only on the view and the counts, not on timing or on the division into batches, so the image is
//! the same on every device.

use crate::extent::Extent;

/// Maximal limit: larger counts are reserved, such as [`Image::INSIDE`](crate::Image::INSIDE).
pub(crate) const HIGHEST: u32 = 1 << 30;

/// The iteration limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Limit {
    /// Starts low, and doubles while pixels still escape late.
    #[default]
    Auto,
    /// A fixed number of iterations.
    Iterations(u32),
}

impl From<u32> for Limit {
    fn from(iterations: u32) -> Self {
        Self::Iterations(iterations)
    }
}

/// The state of an image at its limit, which determines whether the limit is raised.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    pub(crate) pixels: u32,
    /// Number of pixels that escaped.
    pub(crate) escaped: u32,
    /// Number of pixels that escaped in the second half of the iterations.
    pub(crate) late: u32,
}

/// Initial automatic limit.
const FIRST: u32 = 256;
/// The limit is raised while at least one pixel in `LATE_SHARE` escapes late.
const LATE_SHARE: u32 = 250;

impl Limit {
    /// The initial limit of a view.
    pub(crate) fn first(self) -> u32 {
        match self {
            Self::Auto => FIRST,
            Self::Iterations(limit) => limit,
        }
    }

    /// The highest automatic limit of a view. Deep views need more iterations, because an orbit spends some at each
    /// scale between 1 and the width.
    pub(crate) fn last(self, width: Extent) -> u32 {
        match self {
            Self::Auto => {
                let depth = width.exponent.min(0).unsigned_abs() + 8;
                (512 * depth).next_power_of_two().min(1 << 22)
            }
            Self::Iterations(limit) => limit,
        }
    }

    /// The next limit, for an image that has reached this one; `None` if this one suffices.
    pub(crate) fn raise(self, limit: u32, last: u32, standing: Standing) -> Option<u32> {
        if self != Self::Auto || limit >= last {
            return None;
        }
        // If no pixel has escaped, the view may be inside the set, so the limit is raised to a quarter of the maximum
        // only.
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
