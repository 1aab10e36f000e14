//! The lattice of provenances.

use super::Region;

/// What a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Base {
    /// A slice parameter.
    Slice(u32),
    /// The stack frame.
    Frame,
    /// The static variables. Constants in their address range have this base, although they may be
    /// numbers.
    Static,
}

/// The provenance of a word, from nothing known yet down to nothing known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Provenance {
    /// Not computed yet.
    Bottom,
    /// A constant outside the statics: nobody points there, so it may stand for any pointer
    /// (null, and the dangling pointers of empty slices).
    Constant,
    /// A number plus bases with factors; none is 0.
    Sum(Vec<(Base, u32)>),
    /// A number or a pointer to a static.
    Unclear,
    /// Anything.
    Unknown,
}

/// Bases of a sum at most.
const MAX_BASES: usize = 4;

impl Provenance {
    /// A number.
    pub(crate) const NUMBER: Self = Self::Sum(Vec::new());

    /// A pointer.
    pub(crate) fn base(base: Base) -> Self {
        Self::Sum(vec![(base, 1)])
    }

    /// Whether it is a number or a pointer to a static, in contrast to other pointers.
    fn is_numeric(&self) -> bool {
        match self {
            Self::Bottom | Self::Constant | Self::Unclear => true,
            Self::Sum(bases) => bases.iter().all(|(base, _)| *base == Base::Static),
            Self::Unknown => false,
        }
    }

    /// What a value is that may be either.
    pub(crate) fn meet(self, other: &Self) -> Self {
        match (&self, other) {
            (Self::Bottom, _) => other.clone(),
            (_, Self::Bottom) => self,
            (Self::Constant, _) => other.clone(),
            (_, Self::Constant) => self,
            _ if self == *other => self,
            _ if self.is_numeric() && other.is_numeric() => Self::Unclear,
            _ => Self::Unknown,
        }
    }

    /// A sum with a multiple of another value.
    pub(crate) fn plus(&self, other: &Self, factor: u32) -> Self {
        let bases = |side: &Self| match side {
            Self::Sum(bases) => bases.clone(),
            _ => Vec::new(),
        };
        match (self, other) {
            (Self::Bottom, _) | (_, Self::Bottom) => return Self::Bottom,
            (Self::Unknown, _) | (_, Self::Unknown) => return Self::Unknown,
            (Self::Unclear, _) | (_, Self::Unclear) if self.is_numeric() && other.is_numeric() => {
                return Self::Unclear;
            }
            _ => {}
        }
        let mut sum = bases(self);
        for (base, count) in bases(other) {
            let count = count.wrapping_mul(factor);
            match sum.iter_mut().find(|(other, _)| *other == base) {
                Some((_, old)) => *old = old.wrapping_add(count),
                None => sum.push((base, count)),
            }
        }
        sum.retain(|(_, count)| *count != 0);
        sum.sort_unstable();
        if sum.len() > MAX_BASES {
            return Self::Unknown;
        }
        Self::Sum(sum)
    }

    /// The result of an operation that is not linear.
    pub(crate) fn opaque(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Bottom, _) | (_, Self::Bottom) => Self::Bottom,
            _ if self.is_numeric() && other.is_numeric() => Self::NUMBER,
            _ => Self::Unknown,
        }
    }

    /// Where an access at such an address goes.
    pub(crate) fn region(&self) -> Region {
        let Self::Sum(bases) = self else {
            return match self {
                Self::Unknown => Region::Unknown,
                _ => Region::Number,
            };
        };
        let is_pointer = |(base, _): &&(Base, u32)| *base != Base::Static;
        let mut pointers = bases.iter().filter(is_pointer);
        match (pointers.next(), pointers.next()) {
            (Some((Base::Slice(slice), 1)), None) => Region::Slice(*slice),
            (Some((Base::Frame, 1)), None) => Region::Frame,
            (Some(_), _) => Region::Unknown,
            (None, _) if *bases == [(Base::Static, 1)] => Region::Static,
            (None, _) => Region::Number,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Region;
    use super::{Base, Provenance};

    #[test]
    fn null_is_any_pointer_and_differences_of_pointers_are_numbers() {
        let slice = |number| Provenance::base(Base::Slice(number));
        assert_eq!(Provenance::Constant.meet(&slice(1)), slice(1));
        assert_eq!(slice(0).meet(&slice(1)), Provenance::Unknown);
        let difference = slice(1).plus(&slice(0), u32::MAX);
        assert_eq!(slice(0).plus(&difference, 1), slice(1));
        assert_eq!(slice(1).plus(&slice(1), u32::MAX), Provenance::NUMBER);
        assert_eq!(difference.region(), Region::Unknown);
    }

    #[test]
    fn a_static_address_beside_another_base_is_an_offset() {
        let address = Provenance::base(Base::Frame).plus(&Provenance::base(Base::Static), 1);
        assert_eq!(address.region(), Region::Frame);
        let unclear = Provenance::NUMBER.meet(&Provenance::base(Base::Static));
        assert_eq!(unclear, Provenance::Unclear);
        assert_eq!(unclear.region(), Region::Number);
        assert_eq!(address.plus(&unclear, 4).region(), Region::Frame);
    }
}
