//! Induction-variable rewriting: every linear variable of a loop becomes a form of one counter.
//!
//! In: a function whose loops have preheaders. Out: a loop has one counter `t`, from 0 by 1, and
//! each variable `p` with `p = init + step * t` is computed from it.
//!
//! The analysis is optimistic (design of `sccp`): steps are guessed for all variables together,
//! then verified on every back edge under the assumption that all guesses hold; what fails is
//! dropped and the rest verified again. By induction over the turns the last set holds, modulo
//! 2^32. A second rule takes steps that are not constant but do not change in the loop.
//! LLVM's strength reduction makes several such variables of one index.

mod rewrite;

use std::collections::HashSet;

use super::edges::homes;
use crate::compile::analysis::linear::{Linear, LinearForms};
use crate::compile::ir::{
    Block, Cfg, Dominators, Function, Loop, Loops, Op, Terminator, Type, Value,
};

/// Rounds of guessing and verifying before a loop is left as it is.
const MAX_ROUNDS: usize = 32;

/// The pass stops when it has computed this number of forms for each value of the function.
const MAX_FORMS_PER_VALUE: usize = 64;

/// A variable of a loop, by position among the parameters of the header.
struct Variable {
    at: usize,
    param: Value,
    /// Its value when the loop is entered, and the form of that.
    init: Value,
    init_form: Linear,
    step: Step,
}

enum Step {
    Constant(u32),
    /// A form of values outside the loop.
    Invariant(Linear),
}

/// Returns whether something has changed.
pub(super) fn run(function: &mut Function) -> bool {
    let cfg = Cfg::new(function);
    let dominators = Dominators::new(function, &cfg);
    let mut homes = homes(function);
    let mut budget = MAX_FORMS_PER_VALUE * function.value_count();
    let mut has_changed = false;
    for one in Loops::new(function, &cfg, &dominators).loops {
        let Some(mut analysis) = Analysis::new(function, &one, &homes) else {
            continue;
        };
        let variables = analysis.variables();
        let Some(rest) = budget.checked_sub(analysis.work) else {
            break;
        };
        budget = rest;
        let (counter, params) = (analysis.counter, analysis.params.len());
        if is_canonical(function, &variables) || variables.is_empty() {
            continue;
        }
        debug_assert!(variables.len() <= params);
        let first_new = function.value_count();
        rewrite::run(function, &one, counter, &variables);
        // Forms of the loops around this one need to know where the new values are. They are all
        // in the loop or in its preheader; both are inside the loops around it.
        homes.resize(first_new, None);
        homes.resize(function.value_count(), Some(one.header));
        homes[counter.0 as usize] = Some(one.header);
        has_changed = true;
    }
    has_changed
}

/// Whether the only variable is such a counter already.
fn is_canonical(function: &Function, variables: &[Variable]) -> bool {
    matches!(variables, [one] if matches!(one.step, Step::Constant(1)) && function.as_word(one.init) == Some(0))
}

struct Analysis<'a> {
    function: &'a Function,
    one: &'a Loop,
    homes: &'a [Option<Block>],
    counter: Value,
    params: Vec<Value>,
    inits: Vec<Value>,
    /// The arguments of each back edge.
    back_edges: Vec<Vec<Value>>,
    work: usize,
}

impl<'a> Analysis<'a> {
    /// Starts the analysis of a loop with a preheader. Adds a value for its counter.
    fn new(function: &'a mut Function, one: &'a Loop, homes: &'a [Option<Block>]) -> Option<Self> {
        let [entry] = one.entries[..] else {
            return None;
        };
        let Terminator::Jump(edge) = &function.block(entry).terminator else {
            return None;
        };
        let params = function.block(one.header).params.clone();
        let inits = edge.args.clone();
        if !params.iter().any(|&param| function.ty(param) == Type::I32) {
            return None;
        }
        let mut latches = one.latches.clone();
        latches.sort();
        latches.dedup();
        let back_edges = latches
            .iter()
            .flat_map(|&latch| function.block(latch).terminator.edges())
            .filter(|edge| edge.block == one.header)
            .map(|edge| edge.args.clone())
            .collect();
        let counter = function.add_value(Op::Param, Type::I32);
        Some(Self {
            function,
            one,
            homes,
            counter,
            params,
            inits,
            back_edges,
            work: 0,
        })
    }

    fn variables(&mut self) -> Vec<Variable> {
        let linear = self.linear();
        let mut forms = self.assume(&linear);
        let mut variables = Vec::new();
        let mut initial = LinearForms::new();
        for at in 0..self.params.len() {
            let constant = linear.iter().find(|guess| guess.0 == at);
            let step = match constant {
                Some(&(_, step)) => Some(Step::Constant(step)),
                None => self.invariant_step(at, &mut forms).map(Step::Invariant),
            };
            if let Some(step) = step {
                variables.push(Variable {
                    at,
                    param: self.params[at],
                    init: self.inits[at],
                    init_form: initial.of(self.function, self.inits[at]),
                    step,
                });
            }
        }
        variables
    }

    /// The variables with a constant step.
    fn linear(&mut self) -> Vec<(usize, u32)> {
        let mut accepted: Vec<(usize, u32)> = Vec::new();
        let mut refuted: HashSet<usize> = HashSet::new();
        for _ in 0..MAX_ROUNDS {
            let mut forms = self.assume(&accepted);
            let mut is_stable = true;
            for at in 0..self.params.len() {
                let is_open = self.function.ty(self.params[at]) == Type::I32
                    && !refuted.contains(&at)
                    && !accepted.iter().any(|guess| guess.0 == at);
                if is_open && let Some(step) = self.guess(at, &mut forms) {
                    accepted.push((at, step));
                    is_stable = false;
                }
            }
            let mut forms = self.assume(&accepted);
            let count = accepted.len();
            accepted.retain(|&(at, step)| {
                let holds = self.holds(at, step, &mut forms);
                if !holds {
                    refuted.insert(at);
                }
                holds
            });
            self.work += forms.len();
            if is_stable && accepted.len() == count {
                return accepted;
            }
        }
        Vec::new()
    }

    /// Forms under the assumption that guesses hold.
    fn assume(&self, guesses: &[(usize, u32)]) -> LinearForms {
        let mut initial = LinearForms::new();
        let mut forms = LinearForms::new();
        for &(at, step) in guesses {
            let init = initial.of(self.function, self.inits[at]);
            let form = init.plus(&Linear::value(self.counter), step);
            forms.assume(self.params[at], form);
        }
        forms
    }

    fn guess(&self, at: usize, forms: &mut LinearForms) -> Option<u32> {
        let init = LinearForms::new().of(self.function, self.inits[at]);
        let steps = self.back_edges.iter().filter_map(|args| {
            let next = forms.of(self.function, args[at]);
            let own = next.minus(&Linear::value(self.params[at]));
            // Next to a variable that is known: `init + step * t + step`.
            let other = next.minus(&init);
            let is_next =
                other.without(self.counter).as_constant() == Some(other.coefficient(self.counter));
            own.as_constant()
                .or_else(|| is_next.then_some(other.constant))
        });
        steps.filter(|&step| step != 0).last()
    }

    /// Whether each back edge sets a variable to its next value.
    fn holds(&self, at: usize, step: u32, forms: &mut LinearForms) -> bool {
        let next = forms
            .of(self.function, self.params[at])
            .plus(&Linear::constant(step), 1);
        self.back_edges
            .iter()
            .all(|args| forms.of(self.function, args[at]) == next)
    }

    /// The step of a variable if it is a form that does not change in the loop.
    fn invariant_step(&self, at: usize, forms: &mut LinearForms) -> Option<Linear> {
        let param = self.params[at];
        if self.function.ty(param) != Type::I32 {
            return None;
        }
        let mut steps = self.back_edges.iter().map(|args| {
            let next = forms.of(self.function, args[at]);
            next.minus(&Linear::value(param))
        });
        let step = steps.next()?;
        let is_same = steps.all(|other| other == step);
        let is_invariant =
            |&(value, _): &(Value, u32)| value != self.counter && !self.is_inside(value);
        let is_step = is_same && !step.terms.is_empty() && step.terms.iter().all(is_invariant);
        is_step.then_some(step)
    }

    fn is_inside(&self, value: Value) -> bool {
        let home = self.homes.get(value.0 as usize).copied().flatten();
        home.is_some_and(|block| self.one.blocks.contains(&block))
    }
}

#[cfg(test)]
mod tests {
    use super::super::test::{check, unchanged};

    #[test]
    fn variables_become_forms_of_one_counter() {
        check(
            super::run,
            "kernel f(i32, i32) -> i32
            b0:
              jump b1(arg0, arg1, 0)
            b1(v0: i32, v1: i32, v2: i32):
              v3: i32 = Load i32 v0
              v4: i32 = Add v2, v3
              v5: i32 = Add v0, 4
              v6: i32 = Add v1, -1
              v7: bool = Eq v6, 0
              branch v7, b2, b1(v5, v6, v4)
            b2:
              return v4",
            "kernel f(i32, i32) -> i32
            b0:
              jump b1(0, 0)
            b1(v2: i32, v13: i32):
              v14: i32 = Mul v13, 4
              v15: i32 = Add arg0, v14
              v16: i32 = Sub arg1, v13
              v3: i32 = Load i32 v15
              v4: i32 = Add v2, v3
              v5: i32 = Add v15, 4
              v6: i32 = Add v16, -1
              v7: bool = Eq v6, 0
              v18: i32 = Add v13, 1
              branch v7, b2, b1(v4, v18)
            b2:
              return v4",
        );
    }

    #[test]
    fn a_variable_behind_another_one() {
        let text = "kernel f(i32)
            b0:
              v0: i32 = Add arg0, 32
              jump b1(v0, arg0)
            b1(v1: i32, v2: i32):
              Store i32 v1, v2
              v3: i32 = Add v1, 32
              v4: bool = Eq v3, 8
              branch v4, b2, b1(v3, v1)
            b2:
              return";
        let mut function = crate::compile::ir::parse(text).unwrap();
        assert!(super::run(&mut function));
        assert_eq!(function.block(crate::compile::ir::Block(1)).params.len(), 1);
    }

    #[test]
    fn other_variables_stay() {
        unchanged(
            super::run,
            "kernel f(i32)
            b0:
              jump b1(0, 1)
            b1(v0: i32, v1: i32):
              v2: i32 = Mul v1, 3
              Store i32 v0, v2
              v3: i32 = Add v0, 1
              v4: bool = Eq v3, arg0
              branch v4, b2, b1(v3, v2)
            b2:
              return",
        );
    }
}
