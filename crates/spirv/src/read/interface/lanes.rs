//! Computes subgroup and lane indices where naga does not provide them.
//!
//! naga has these builtins in one-dimensional workgroups only. In others, they are computed at the start of the entry
//! point, in uniform control flow. The lane index is the position of the invocation's bit in a ballot of all lanes:
//! with n active invocations before it, the position of the (n+1)th set bit. The subgroup index is a count of the
//! subgroups that incremented a counter before: Vulkan requires distinct indices below the number of subgroups, in no
//! particular order.

use anywarp_program::naga::{
    AddressSpace, AtomicFunction, BinaryOperator as Binary, Binding, BuiltIn, CollectiveOperation,
    Expression, GatherMode, GlobalVariable, Handle, Literal, MathFunction as Math,
    MemoryDecorations, Scalar, Statement, SubgroupOperation, TypeInner,
};

use crate::error::Result;
use crate::read::function::Body;
use crate::read::function::Expr;

/// Whether a builtin is computed here.
pub(super) fn is_lane(binding: &Binding) -> bool {
    matches!(
        binding,
        Binding::BuiltIn(BuiltIn::SubgroupInvocationId | BuiltIn::SubgroupId)
    )
}

impl Body<'_, '_> {
    /// The value of such a builtin, computed at the start of an entry point.
    pub(super) fn computed_lane(&mut self, binding: &Binding) -> Result<Expr> {
        match binding {
            Binding::BuiltIn(BuiltIn::SubgroupId) => self.computed_subgroup(),
            _ => self.computed_invocation(),
        }
    }

    /// The number of active invocations of the subgroup before this one.
    fn invocations_before(&mut self) -> Expr {
        let ty = self.reader.insert_type(TypeInner::Scalar(Scalar::U32));
        let argument = self.literal(Literal::U32(1));
        let result = self.add_apart(Expression::SubgroupOperationResult { ty });
        self.push(Statement::SubgroupCollectiveOperation {
            op: SubgroupOperation::Add,
            collective_op: CollectiveOperation::ExclusiveScan,
            argument,
            result,
        });
        result
    }

    fn computed_invocation(&mut self) -> Result<Expr> {
        let before = self.invocations_before();
        let predicate = self.literal(Literal::Bool(true));
        let ballot = self.add_apart(Expression::SubgroupBallotResult);
        self.push(Statement::SubgroupBallot {
            result: ballot,
            predicate: Some(predicate),
        });
        let number = self.reader.insert_type(TypeInner::Scalar(Scalar::U32));
        let left = self.local(Some("left".to_owned()), number);
        let found = self.local(Some("subgroup_invocation_id".to_owned()), number);
        self.store_local(left, before);
        for word in 0..4 {
            let bits = self.add(Expression::AccessIndex {
                base: ballot,
                index: word,
            });
            self.look_in_word(bits, word * 32, left, found)?;
        }
        Ok(self.load_local(found))
    }

    /// Finds the bit with rank `left` among the set bits of a word, or subtracts the number of set bits from `left`.
    fn look_in_word(
        &mut self,
        bits: Expr,
        first: u32,
        left: Handle<naga::LocalVariable>,
        found: Handle<naga::LocalVariable>,
    ) -> Result<()> {
        let count = self.function_of(Math::CountOneBits, &[bits]);
        let wanted = self.load_local(left);
        let is_here = self.two(Binary::Less, wanted, count);
        let accept = self.braces(|body| {
            let mut rest = wanted;
            let mut at = body.literal(Literal::U32(0));
            // Binary search by population count.
            for width in [16, 8, 4, 2, 1] {
                let wide = body.literal(Literal::U32(width));
                let part = body.function_of(Math::ExtractBits, &[bits, at, wide]);
                let inside = body.function_of(Math::CountOneBits, &[part]);
                let is_beyond = body.two(Binary::GreaterEqual, rest, inside);
                let zero = body.literal(Literal::U32(0));
                let passed = body.add(Expression::Select {
                    condition: is_beyond,
                    accept: inside,
                    reject: zero,
                });
                let moved = body.add(Expression::Select {
                    condition: is_beyond,
                    accept: wide,
                    reject: zero,
                });
                rest = body.two(Binary::Subtract, rest, passed);
                at = body.two(Binary::Add, at, moved);
            }
            let first = body.literal(Literal::U32(first));
            let place = body.two(Binary::Add, at, first);
            body.store_local(found, place);
            // The following words do not match any more.
            let never = body.literal(Literal::U32(u32::MAX));
            body.store_local(left, never);
            Ok(())
        })?;
        let reject = self.braces(|body| {
            let rest = body.two(Binary::Subtract, wanted, count);
            body.store_local(left, rest);
            Ok(())
        })?;
        self.push(Statement::If {
            condition: is_here,
            accept,
            reject,
        });
        Ok(())
    }

    fn computed_subgroup(&mut self) -> Result<Expr> {
        let number = self.reader.insert_type(TypeInner::Scalar(Scalar::U32));
        let atomic = self.reader.insert_type(TypeInner::Atomic(Scalar::U32));
        let counter = self.reader.module.global_variables.append(
            GlobalVariable {
                name: Some("subgroups_so_far".to_owned()),
                space: AddressSpace::WorkGroup,
                binding: None,
                ty: atomic,
                init: None,
                memory_decorations: MemoryDecorations::empty(),
            },
            self.reader.span,
        );
        let before = self.invocations_before();
        let zero = self.literal(Literal::U32(0));
        let is_first = self.two(Binary::Equal, before, zero);
        let own = self.local(Some("subgroup_id".to_owned()), number);
        let accept = self.braces(|body| {
            let pointer = body.global(counter);
            let value = body.literal(Literal::U32(1));
            let result = body.add_apart(Expression::AtomicResult {
                ty: number,
                comparison: false,
            });
            body.push(Statement::Atomic {
                pointer,
                fun: AtomicFunction::Add,
                value,
                result: Some(result),
            });
            body.store_local(own, result);
            Ok(())
        })?;
        self.push(Statement::If {
            condition: is_first,
            accept,
            reject: Default::default(),
        });
        let argument = self.load_local(own);
        let result = self.add_apart(Expression::SubgroupOperationResult { ty: number });
        self.push(Statement::SubgroupGather {
            mode: GatherMode::BroadcastFirst,
            argument,
            result,
        });
        Ok(result)
    }
}
