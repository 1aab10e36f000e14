//! `sampler[:linear|nearest][:mipmap=linear|nearest][:repeat|clamp|mirror][:COMPARE]`.
//!
//! Whether the binding takes a comparison sampler is checked elsewhere.

use std::fmt;
use std::str::FromStr;

use super::SpecError;

/// How a texture is sampled. WebGPU's defaults: the nearest texel, clamped to the edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SamplerSpec {
    /// Filter between texels of a level.
    pub(crate) filter: Filter,
    /// Filter between levels.
    pub(crate) mipmap: Filter,
    /// Address mode in every direction.
    pub(crate) address: Address,
    /// The comparison of a comparison sampler.
    pub(crate) compare: Option<Compare>,
}

/// Filter mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Filter {
    #[default]
    Nearest,
    Linear,
}

/// Address mode: how coordinates beyond the edges are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Address {
    #[default]
    Clamp,
    Repeat,
    Mirror,
}

/// The comparison of the reference value with a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    Never,
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always,
}

impl Filter {
    const ALL: [(Self, &str); 2] = [(Self::Nearest, "nearest"), (Self::Linear, "linear")];
}

impl Address {
    const ALL: [(Self, &str); 3] = [
        (Self::Clamp, "clamp"),
        (Self::Repeat, "repeat"),
        (Self::Mirror, "mirror"),
    ];
}

impl Compare {
    const ALL: [(Self, &str); 8] = [
        (Self::Never, "never"),
        (Self::Less, "less"),
        (Self::Equal, "equal"),
        (Self::LessEqual, "less-equal"),
        (Self::Greater, "greater"),
        (Self::NotEqual, "not-equal"),
        (Self::GreaterEqual, "greater-equal"),
        (Self::Always, "always"),
    ];
}

fn named<T: Copy>(all: &[(T, &str)], word: &str) -> Option<T> {
    let found = all.iter().find(|(_, name)| *name == word);
    found.map(|(value, _)| *value)
}

fn name<T: Copy + PartialEq>(all: &[(T, &'static str)], value: T) -> &'static str {
    let found = all.iter().find(|(known, _)| *known == value);
    found.map_or("", |(_, name)| name)
}

impl SamplerSpec {
    /// Parses a sampler; `None` if the text is not one.
    pub(super) fn read(text: &str) -> Option<Result<Self, SpecError>> {
        match text.split_once(':') {
            None => (text == "sampler").then(|| Ok(Self::default())),
            Some((kind, words)) => (kind == "sampler").then(|| words.parse()),
        }
    }

    /// Whether texels are filtered, which not every format supports. Comparison results always can be.
    pub(crate) fn is_filtering(&self) -> bool {
        self.compare.is_none() && [self.filter, self.mipmap].contains(&Filter::Linear)
    }
}

impl FromStr for SamplerSpec {
    type Err = SpecError;

    /// The words after `sampler:`.
    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut spec = Self::default();
        for word in text.split(':') {
            if let Some(filter) = named(&Filter::ALL, word) {
                spec.filter = filter;
            } else if let Some(address) = named(&Address::ALL, word) {
                spec.address = address;
            } else if let Some(compare) = named(&Compare::ALL, word) {
                spec.compare = Some(compare);
            } else {
                let mipmap = word.strip_prefix("mipmap=");
                let filter = mipmap.and_then(|word| named(&Filter::ALL, word));
                spec.mipmap = filter.ok_or_else(|| SpecError::Sampler(word.to_owned()))?;
            }
        }
        Ok(spec)
    }
}

impl fmt::Display for SamplerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let filter = name(&Filter::ALL, self.filter);
        let mipmap = name(&Filter::ALL, self.mipmap);
        let address = name(&Address::ALL, self.address);
        write!(f, "sampler:{filter}:mipmap={mipmap}:{address}")?;
        match self.compare {
            Some(compare) => write!(f, ":{}", name(&Compare::ALL, compare)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    pub(in crate::specs) fn samplers() -> impl Strategy<Value = SamplerSpec> {
        let filter = || select(Filter::ALL.map(|(it, _)| it).to_vec());
        let address = select(Address::ALL.map(|(it, _)| it).to_vec());
        let compare = proptest::option::of(select(Compare::ALL.map(|(it, _)| it).to_vec()));
        (filter(), filter(), address, compare).prop_map(|(filter, mipmap, address, compare)| {
            SamplerSpec {
                filter,
                mipmap,
                address,
                compare,
            }
        })
    }

    #[test]
    fn a_word_that_is_not_known_is_named() {
        let message = |text: &str| text.parse::<SamplerSpec>().unwrap_err().to_string();
        assert!(message("linear:wrap").contains("`wrap` is not a property of samplers"));
        assert!(message("mipmap=soft").contains("`mipmap=soft`"));
        assert!(message("").contains("``"));
    }
}
