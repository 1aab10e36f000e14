//! `--constant NAME=VALUE`: a pipeline-overridable constant.

use std::fmt;
use std::str::FromStr;

use super::SpecError;

/// Name (or `@id` in decimal) and value of an override.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ConstantValue {
    pub(crate) name: String,
    pub(crate) value: f64,
}

impl FromStr for ConstantValue {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (name, value) = text
            .split_once('=')
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| SpecError::Constant(text.to_owned()))?;
        Ok(Self {
            name: name.to_owned(),
            value: number(value).ok_or_else(|| SpecError::ConstantValue(value.to_owned()))?,
        })
    }
}

/// WebGPU passes every constant as a double, booleans as 0 and 1.
fn number(text: &str) -> Option<f64> {
    match text {
        "true" => Some(1.0),
        "false" => Some(0.0),
        _ => text.parse().ok().filter(|value: &f64| value.is_finite()),
    }
}

impl fmt::Display for ConstantValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_parses_or_is_refused(text in ".*") {
            let _ = text.parse::<ConstantValue>();
        }

        #[test]
        fn prints_what_it_parses(name in "[a-z_][a-z0-9_]{0,8}", value: f64) {
            prop_assume!(value.is_finite());
            let constant = ConstantValue { name, value };
            prop_assert_eq!(constant.to_string().parse(), Ok(constant));
        }
    }

    #[test]
    fn booleans_are_numbers_and_infinity_is_not() {
        let value = |text: &str| text.parse::<ConstantValue>().map(|c| c.value);
        assert_eq!(value("on=true"), Ok(1.0));
        assert_eq!(value("on=false"), Ok(0.0));
        assert!(value("x=inf").is_err());
        assert!(value("x").is_err());
        assert!(value("=1").is_err());
    }
}
