//! Quad operations: exchange of values between the four fragments of a quad.
//!
//! ```text
//! [0] (x, y)      [1] (x + 1, y)
//! [2] (x, y + 1)  [3] (x + 1, y + 1)
//! ```

use std::cell::Cell;
use std::panic::Location;

use glam::{IVec2, IVec3, IVec4, UVec2, UVec3, UVec4, Vec2, Vec3, Vec4};

use crate::error::SourceLocation;
use crate::group::{Group, GroupKind};

/// Up to four words: the largest value that can be exchanged.
pub(crate) type QuadWords = [u32; 4];

/// The values that the fragments of a quad publish for each other.
///
/// Double-buffered: consecutive synchronizations alternate between two sets of slots. A fragment
/// may write into one set while a slower one still reads the other, and no fragment can be two
/// synchronizations ahead.
#[derive(Default)]
pub(crate) struct Exchange {
    slots: [[Cell<QuadWords>; 4]; 2],
    last: [Cell<QuadWords>; 4],
    /// Bit mask of the fragments that have published a value.
    published: Cell<u8>,
    /// Bit mask of the fragments that have ended.
    ended: Cell<u8>,
}

impl Exchange {
    /// Resets the state for the next quad.
    #[inline(always)]
    pub(crate) fn reset(&self) {
        self.published.set(0);
        self.ended.set(0);
    }

    #[inline(always)]
    pub(crate) fn set_ended(&self, member: u32) {
        self.ended.set(self.ended.get() | 1 << member);
    }

    #[inline(always)]
    fn publish(&self, round: u32, member: u32, value: QuadWords) {
        self.slots[round as usize & 1][member as usize].set(value);
        self.last[member as usize].set(value);
        self.published.set(self.published.get() | 1 << member);
    }

    /// The value that a fragment contributes to a synchronization. One that has ended contributes
    /// the last value it published, or the reading fragment's `own` if it published none, so that
    /// the difference is zero.
    #[inline(always)]
    fn value(&self, round: u32, member: u32, own: QuadWords) -> QuadWords {
        let bit = 1 << member;
        if self.ended.get() & bit == 0 {
            self.slots[round as usize & 1][member as usize].get()
        } else if self.published.get() & bit != 0 {
            self.last[member as usize].get()
        } else {
            own
        }
    }
}

/// Publishes a value and returns those of all four fragments, and the index of this one; `None`
/// outside a quad.
#[inline(always)]
pub(crate) fn exchange(site: SourceLocation, own: QuadWords) -> Option<([QuadWords; 4], u32)> {
    Group::with_current(|group| {
        if group.kind != GroupKind::Quad {
            return None;
        }
        let (round, member) = (group.round(), group.member());
        group.exchange.publish(round, member, own);
        group.synchronize(site, |_| {});
        let values = [0, 1, 2, 3].map(|other| group.exchange.value(round, other, own));
        Some((values, member))
    })
    .flatten()
}

/// Types that quad operations can exchange.
pub trait QuadValue: Copy {
    /// Converts the value to words.
    fn to_words(self) -> [u32; 4];
    /// Converts words to the value.
    fn from_words(words: [u32; 4]) -> Self;
}

macro_rules! quad_value {
    ($($ty:ty: |$value:ident| $to:expr, |$words:ident| $from:expr;)*) => {$(
        impl QuadValue for $ty {
            #[inline(always)]
            fn to_words(self) -> [u32; 4] {
                let $value = self;
                $to
            }
            #[inline(always)]
            fn from_words($words: [u32; 4]) -> Self {
                $from
            }
        }
    )*};
}

quad_value! {
    u32: |v| [v, 0, 0, 0], |w| w[0];
    i32: |v| [v as u32, 0, 0, 0], |w| w[0] as i32;
    f32: |v| [v.to_bits(), 0, 0, 0], |w| f32::from_bits(w[0]);
    bool: |v| [u32::from(v), 0, 0, 0], |w| w[0] != 0;
    UVec2: |v| [v.x, v.y, 0, 0], |w| UVec2::new(w[0], w[1]);
    UVec3: |v| [v.x, v.y, v.z, 0], |w| UVec3::new(w[0], w[1], w[2]);
    UVec4: |v| v.to_array(), |w| UVec4::from_array(w);
    IVec2: |v| v.as_uvec2().to_words(), |w| UVec2::from_words(w).as_ivec2();
    IVec3: |v| v.as_uvec3().to_words(), |w| UVec3::from_words(w).as_ivec3();
    IVec4: |v| v.as_uvec4().to_words(), |w| UVec4::from_words(w).as_ivec4();
    Vec2: |v| v.extend(0.0).extend(0.0).to_words(), |w| Vec4::from_words(w).truncate().truncate();
    Vec3: |v| v.extend(0.0).to_words(), |w| Vec4::from_words(w).truncate();
    Vec4: |v| v.to_array().map(f32::to_bits), |w| Vec4::from_array(w.map(f32::from_bits));
}

#[inline(always)]
fn from_neighbour<V: QuadValue>(
    site: SourceLocation,
    value: V,
    neighbour: impl Fn(u32) -> u32,
) -> V {
    match exchange(site, value.to_words()) {
        Some((values, member)) => V::from_words(values[neighbour(member) as usize]),
        None => value,
    }
}

/// The value of the horizontal neighbour: `quadSwapX`. Outside a quad the value itself.
#[inline(always)]
#[track_caller]
pub fn quad_swap_x<V: QuadValue>(value: V) -> V {
    from_neighbour(Location::caller(), value, |member| member ^ 1)
}

/// The value of the vertical neighbour: `quadSwapY`. Outside a quad the value itself.
#[inline(always)]
#[track_caller]
pub fn quad_swap_y<V: QuadValue>(value: V) -> V {
    from_neighbour(Location::caller(), value, |member| member ^ 2)
}

/// The value of the diagonal neighbour: `quadSwapDiagonal`. Outside a quad the value itself.
#[inline(always)]
#[track_caller]
pub fn quad_swap_diagonal<V: QuadValue>(value: V) -> V {
    from_neighbour(Location::caller(), value, |member| member ^ 3)
}

/// The value of fragment `member` of the quad: `quadBroadcast`. Outside a quad the value itself.
///
/// # Panics
///
/// If `member` is not 0, 1, 2 or 3.
#[inline(always)]
#[track_caller]
pub fn quad_broadcast<V: QuadValue>(value: V, member: u32) -> V {
    assert!(member < 4, "a quad has no fragment {member}");
    from_neighbour(Location::caller(), value, |_| member)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fragment_that_has_ended_goes_on_with_its_last_value() {
        let exchange = Exchange::default();
        let words = |n: u32| [n; 4];
        for member in 0..4 {
            exchange.publish(0, member, words(member));
        }
        assert_eq!(exchange.value(0, 2, words(9)), words(2));
        // The next synchronization has its own slots; the first set can still be read.
        exchange.publish(1, 2, words(20));
        assert_eq!(exchange.value(0, 2, words(9)), words(2));
        exchange.set_ended(3);
        assert_eq!(exchange.value(1, 3, words(9)), words(3));
        exchange.reset();
        exchange.set_ended(3);
        assert_eq!(exchange.value(1, 3, words(9)), words(9), "it left none");
    }

    #[test]
    fn values_survive_as_words() {
        fn same<V: QuadValue + PartialEq + std::fmt::Debug>(value: V) {
            assert_eq!(V::from_words(value.to_words()), value);
        }
        same(u32::MAX);
        same(i32::MIN);
        same(-0.5f32);
        same(true);
        same(UVec2::new(1, u32::MAX));
        same(UVec3::new(1, 2, u32::MAX));
        same(UVec4::new(1, 2, 3, u32::MAX));
        same(IVec2::new(i32::MIN, -1));
        same(IVec3::new(i32::MIN, -1, 1));
        same(IVec4::new(i32::MIN, -1, 1, i32::MAX));
        same(Vec2::new(f32::MIN, 0.1));
        same(Vec3::new(f32::MIN, 0.1, f32::INFINITY));
        same(Vec4::new(f32::MIN, 0.1, f32::INFINITY, -1.0));
    }
}
