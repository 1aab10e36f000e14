//! Facts from around an access: branch conditions, minimums, and bounds that every edge gives to a block parameter.

use smallvec::SmallVec;

use crate::ir::{BlockId, LaneBinary, Op, Value, WordBinary};
use crate::pass::value_def::ValueDef;

use crate::bounds::fact::{Fact, Facts};
use crate::bounds::flow::MAX_CONDITIONS;

use super::{Prover, ScaledForm};

impl Prover<'_, '_> {
    /// Adds the facts of the conditions around an access, of parameters that every edge bounds alike, and of minimums.
    pub(super) fn add_surroundings(&self, facts: &mut Facts, parts: &[ScaledForm], block: BlockId) {
        let mut around = Facts::new(u32::MAX);
        for condition in self.flow.conditions(block) {
            around.add_condition(self.forms, condition);
        }
        facts.list.extend(around.list);
        facts.compared.extend(around.compared);
        for part in parts {
            for &(value, _) in &part.form.terms {
                self.add_parameter(facts, value);
                self.add_minimum(facts, value);
            }
        }
    }

    /// Adds that a minimum is at most each of its operands.
    fn add_minimum(&self, facts: &mut Facts, value: Value) {
        let Some(inst) = self.flow.definition(value) else {
            return;
        };
        if let (
            Op::WordBinary(WordBinary::MinU) | Op::Binary(LaneBinary::Int(WordBinary::MinU)),
            &[a, b],
        ) = (inst.op, &inst.operands[..])
        {
            facts.list.extend([a, b].map(|limit| Fact::Below {
                form: self.forms.linear(value),
                limit: self.flow.resolve(limit),
                is_strict: false,
            }));
        }
    }

    /// Adds the bounds that every edge into a block gives to a parameter.
    fn add_parameter(&self, facts: &mut Facts, value: Value) {
        let flow = self.flow;
        let ValueDef::Parameter(block, place) = flow.origin(value) else {
            return;
        };
        let mut limits: Option<SmallVec<[(Value, bool); 4]>> = None;
        let incoming = flow.incoming(block, place as usize);
        for edge in incoming {
            if !self.budget.step(MAX_CONDITIONS) {
                return;
            }
            if flow.resolve(edge.argument) == flow.resolve(value) {
                continue;
            }
            let mut there = Facts::new(u32::MAX);
            if let Some(condition) = edge.condition {
                there.add_condition(self.forms, condition);
            }
            for condition in flow.conditions(edge.from) {
                there.add_condition(self.forms, condition);
            }
            let form = self.forms.linear(edge.argument);
            let bounds = |limit: Value, is_strict: bool| {
                there.list.iter().any(|fact| match fact {
                    Fact::Below {
                        form: below,
                        limit: other,
                        is_strict: strictly,
                    } => *below == form && *other == limit && (*strictly || !is_strict),
                    Fact::Nonzero(other) => form.is_zero() && *other == limit,
                    Fact::Equal(_) => false,
                }) || form
                    .as_constant()
                    .is_some_and(|constant| self.ranges.of(limit, edge.from).min > constant)
            };
            match &mut limits {
                Some(known) => known.retain(|(limit, strict)| bounds(*limit, *strict)),
                None => {
                    let found = there.list.iter().filter_map(|fact| match fact {
                        Fact::Below {
                            form: below,
                            limit,
                            is_strict,
                        } if *below == form => Some((*limit, *is_strict)),
                        Fact::Nonzero(limit) if form.is_zero() => Some((*limit, true)),
                        _ => None,
                    });
                    limits = Some(found.collect());
                }
            }
        }
        for (limit, is_strict) in limits.unwrap_or_default() {
            facts.list.push(Fact::Below {
                form: self.forms.linear(value),
                limit,
                is_strict,
            });
        }
    }
}
