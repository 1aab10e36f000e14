//! Subgroup masks, which WGSL does not have: computed from the lane index.

use anywarp_program::naga::{
    BinaryOperator as Binary, Expression, Handle, Literal, MathFunction as Math, Scalar, TypeInner,
    VectorSize,
};
use rspirv::spirv::BuiltIn;

use crate::read::function::Body;

pub(super) fn is_mask(builtin: BuiltIn) -> bool {
    matches!(
        builtin,
        BuiltIn::SubgroupEqMask
            | BuiltIn::SubgroupGeMask
            | BuiltIn::SubgroupGtMask
            | BuiltIn::SubgroupLeMask
            | BuiltIn::SubgroupLtMask
    )
}

/// Whether a mask depends on the subgroup size.
pub(super) fn needs_size(builtin: BuiltIn) -> bool {
    matches!(builtin, BuiltIn::SubgroupGeMask | BuiltIn::SubgroupGtMask)
}

impl Body<'_, '_> {
    /// The mask of an invocation, computed from masks of the lowest bits.
    pub(super) fn subgroup_mask(
        &mut self,
        builtin: BuiltIn,
        own: Handle<Expression>,
        size: Option<Handle<Expression>>,
    ) -> Handle<Expression> {
        let one = self.literal(Literal::U32(1));
        let next = self.two(Binary::Add, own, one);
        let end = size.unwrap_or(next);
        let mut components = Vec::new();
        for word in 0..4 {
            let part = match builtin {
                BuiltIn::SubgroupLtMask => self.bits_below(own, word),
                BuiltIn::SubgroupLeMask => self.bits_below(next, word),
                _ => {
                    let (first, end) = match builtin {
                        BuiltIn::SubgroupGeMask => (own, end),
                        BuiltIn::SubgroupGtMask => (next, end),
                        _ => (own, next),
                    };
                    let (before, all) = (self.bits_below(first, word), self.bits_below(end, word));
                    self.two(Binary::ExclusiveOr, all, before)
                }
            };
            components.push(part);
        }
        let ty = self.reader.insert_type(TypeInner::Vector {
            size: VectorSize::Quad,
            scalar: Scalar::U32,
        });
        self.add(Expression::Compose { ty, components })
    }

    /// One word of the mask of all bits below `end`.
    fn bits_below(&mut self, end: Handle<Expression>, word: u32) -> Handle<Expression> {
        let first = self.literal(Literal::U32(word * 32));
        let last = self.function_of(Math::Max, &[end, first]);
        let count = self.two(Binary::Subtract, last, first);
        let thirty_two = self.literal(Literal::U32(32));
        let count = self.function_of(Math::Min, &[count, thirty_two]);
        let [none, all] = [0, u32::MAX].map(|bits| self.literal(Literal::U32(bits)));
        self.function_of(Math::InsertBits, &[none, all, none, count])
    }
}
