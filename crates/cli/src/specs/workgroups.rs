//! `--workgroups X[,Y[,Z]]`: how many workgroups run in each dimension.

use std::fmt;
use std::str::FromStr;

use super::SpecError;
use super::count::count_u32;

/// Workgroup counts in x, y and z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Workgroups(pub(crate) [u32; 3]);

impl Default for Workgroups {
    /// One workgroup.
    fn default() -> Self {
        Self([1; 3])
    }
}

impl FromStr for Workgroups {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let wrong = || SpecError::Workgroups(text.to_owned());
        let mut counts = [1; 3];
        for (dimension, item) in text.split(',').enumerate() {
            let count = counts.get_mut(dimension).ok_or_else(wrong)?;
            *count = count_u32(item.trim()).map_err(|_| wrong())?;
        }
        Ok(Self(counts))
    }
}

impl fmt::Display for Workgroups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(f, "{x},{y},{z}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_parses_or_is_refused(text in ".*") {
            let _ = text.parse::<Workgroups>();
        }

        #[test]
        fn prints_what_it_parses(counts: [u32; 3]) {
            let grid = Workgroups(counts);
            prop_assert_eq!(grid.to_string().parse(), Ok(grid));
        }
    }

    #[test]
    fn missing_dimensions_are_one() {
        assert_eq!("7".parse(), Ok(Workgroups([7, 1, 1])));
        assert_eq!("7,8".parse(), Ok(Workgroups([7, 8, 1])));
        assert_eq!("4k,1".parse(), Ok(Workgroups([4096, 1, 1])));
        assert!("4G".parse::<Workgroups>().is_err());
        assert!("1,2,3,4".parse::<Workgroups>().is_err());
        assert!("".parse::<Workgroups>().is_err());
        assert!("-1".parse::<Workgroups>().is_err());
    }
}
