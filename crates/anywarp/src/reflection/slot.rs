//! The position of a binding: `GROUP:BINDING`.

use std::fmt;
use std::str::FromStr;

/// Why a text is not a [`Slot`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a binding: give group and binding as `0:1`")]
pub struct SlotError(pub String);

/// Group and binding of a resource, written `0:1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// `@group`.
    pub group: u32,
    /// `@binding`.
    pub binding: u32,
}

impl FromStr for Slot {
    type Err = SlotError;

    fn from_str(text: &str) -> Result<Self, SlotError> {
        let wrong = || SlotError(text.to_owned());
        let (group, binding) = text.split_once(':').ok_or_else(wrong)?;
        Ok(Self {
            group: group.parse().map_err(|_| wrong())?,
            binding: binding.parse().map_err(|_| wrong())?,
        })
    }
}

impl From<(u32, u32)> for Slot {
    fn from((group, binding): (u32, u32)) -> Self {
        Self { group, binding }
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.group, self.binding)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_parses_or_is_refused(text in ".*") {
            let _ = text.parse::<Slot>();
        }

        #[test]
        fn prints_what_it_parses(group: u32, binding: u32) {
            let slot = Slot { group, binding };
            prop_assert_eq!(slot.to_string().parse(), Ok(slot));
        }
    }
}
