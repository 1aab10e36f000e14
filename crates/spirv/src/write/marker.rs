//! Marker names for constructs that naga's writer does not support.
//!
//! naga's writer supports neither specialization constants nor demotion. These are passed through it as variables and
//! types with marker names, which `postprocess` replaces. What always holds: no name of a program is a marker, because
//! names contain no control characters.

/// What a marked variable or type represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    /// Loads of this variable are a specialization constant, given by its index in the plan.
    Constant(usize),
    /// The length of this array is a specialization constant, given by its index in the plan.
    Array(usize),
    /// Stores to this variable demote the invocation to a helper.
    Demote,
}

const PREFIX: &str = "\u{1}anywarp ";

impl Marker {
    pub(super) fn name(self) -> String {
        match self {
            Self::Constant(index) => format!("{PREFIX}constant {index}"),
            Self::Array(index) => format!("{PREFIX}array {index}"),
            Self::Demote => format!("{PREFIX}demote"),
        }
    }

    /// Whether a name, as words, may be a marker.
    pub(super) fn may_begin(name: &[u32]) -> bool {
        let [first, ..] = PREFIX.as_bytes().as_chunks::<4>().0 else {
            return true;
        };
        name.first() == Some(&u32::from_le_bytes(*first))
    }

    pub(super) fn parse(name: &str) -> Option<Self> {
        let name = name.strip_prefix(PREFIX)?;
        if name == "demote" {
            return Some(Self::Demote);
        }
        let (kind, index) = name.split_once(' ')?;
        let index = index.parse().ok()?;
        match kind {
            "constant" => Some(Self::Constant(index)),
            "array" => Some(Self::Array(index)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_found_again_and_other_names_are_not() {
        for marker in [Marker::Constant(0), Marker::Array(12), Marker::Demote] {
            assert_eq!(Marker::parse(&marker.name()), Some(marker));
        }
        for name in ["anywarp demote", "demote", "\u{1}anywarp other 1", ""] {
            assert_eq!(Marker::parse(name), None);
        }
    }
}
