//! `--swap A,B`: two bindings exchange their buffers or textures between runs.

use std::fmt;
use std::str::FromStr;

use super::{SpecError, Target};

/// Two bindings that exchange what is bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Swap(pub(crate) Target, pub(crate) Target);

impl FromStr for Swap {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (first, second) = text
            .split_once(',')
            .ok_or_else(|| SpecError::Swap(text.to_owned()))?;
        let swap = Self(first.trim().parse()?, second.trim().parse()?);
        if swap.0 == swap.1 {
            return Err(SpecError::SwapWithItself(text.to_owned()));
        }
        Ok(swap)
    }
}

impl fmt::Display for Swap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.0, self.1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::specs::target::tests::targets;

    proptest! {
        #[test]
        fn any_text_parses_or_is_refused(text in ".*") {
            let _ = text.parse::<Swap>();
        }

        #[test]
        fn prints_what_it_parses(first in targets(), second in targets()) {
            prop_assume!(first != second);
            let swap = Swap(first, second);
            prop_assert_eq!(swap.to_string().parse(), Ok(swap));
        }
    }

    #[test]
    fn a_binding_is_not_swapped_with_itself() {
        let error = "0:1,0:1".parse::<Swap>().unwrap_err();
        assert!(error.to_string().contains("with itself"));
    }
}
