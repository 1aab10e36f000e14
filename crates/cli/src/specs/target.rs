//! A binding named by an option: `GROUP:BINDING`, or the name of its variable.

use std::fmt;
use std::str::FromStr;

use super::{Slot, SpecError};

/// A binding by position or by name, written `0:1` or `numbers`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Slot(Slot),
    Name(String),
}

impl From<Slot> for Target {
    fn from(slot: Slot) -> Self {
        Self::Slot(slot)
    }
}

impl FromStr for Target {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        match text.parse() {
            Ok(slot) => Ok(Self::Slot(slot)),
            Err(_) if is_identifier(text) => Ok(Self::Name(text.to_owned())),
            Err(_) => Err(SpecError::Target(text.to_owned())),
        }
    }
}

/// Whether text can be the name of a variable or a member.
pub(super) fn is_identifier(text: &str) -> bool {
    let mut letters = text.chars();
    let begins = letters
        .next()
        .is_some_and(|first| first.is_alphabetic() || first == '_');
    begins && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Slot(slot) => slot.fmt(f),
            Self::Name(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(in crate::specs) fn targets() -> impl Strategy<Value = Target> {
        prop_oneof![
            any::<(u32, u32)>().prop_map(|(group, binding)| Slot { group, binding }.into()),
            "[a-zA-Z_é][a-zA-Z0-9_é]{0,10}".prop_map(Target::Name),
        ]
    }

    proptest! {
        #[test]
        fn any_text_parses_or_is_refused(text in ".*") {
            let _ = text.parse::<Target>();
        }

        #[test]
        fn prints_what_it_parses(target in targets()) {
            prop_assert_eq!(target.to_string().parse(), Ok(target));
        }
    }
}
