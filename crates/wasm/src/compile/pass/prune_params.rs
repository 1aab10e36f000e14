//! Removes block parameters whose arguments are all one value or the parameter itself.
//!
//! Algorithm: trivial phi functions of Braun et al. ("Simple and Efficient Construction of Static
//! Single Assignment Form", 2013), with a queue: a replaced parameter makes those that take it as
//! an argument candidates again. A parameter of a block whose arguments are those of another
//! parameter of that block becomes that one.

use std::collections::{HashMap, VecDeque};

use super::Substitution;
use super::edges::{arguments, retain_params};
use crate::compile::ir::{Cfg, Function, Value};

/// Each argument is looked at so often on average before the pass gives up.
const WORK_PER_ARGUMENT: usize = 64;

/// Returns whether something was removed.
pub(super) fn run(function: &mut Function) -> bool {
    let cfg = Cfg::new(function);
    let arguments = arguments(function, &cfg);
    let mut substitution = Substitution::new(function);
    trivial(function, &cfg, &arguments, &mut substitution);
    duplicates(function, &cfg, &arguments, &mut substitution);
    if substitution.is_empty() {
        return false;
    }
    retain_params(function, |param| !substitution.is_replaced(param));
    substitution.apply(function);
    true
}

fn trivial(
    function: &Function,
    cfg: &Cfg,
    arguments: &HashMap<Value, Vec<Value>>,
    substitution: &mut Substitution,
) {
    let blocks = cfg.order.iter().map(|&block| function.block(block));
    let mut queue: VecDeque<Value> = blocks
        .flat_map(|data| data.params.iter().copied())
        .collect();
    let mut is_queued = vec![false; function.value_count()];
    let mut users: HashMap<Value, Vec<Value>> = HashMap::new();
    let mut work = 0;
    for &param in &queue {
        is_queued[param.0 as usize] = true;
        for &arg in arguments.get(&param).into_iter().flatten() {
            users.entry(arg).or_default().push(param);
            work += WORK_PER_ARGUMENT;
        }
    }
    while let Some(param) = queue.pop_front() {
        is_queued[param.0 as usize] = false;
        let Some(args) = arguments
            .get(&param)
            .filter(|_| !substitution.is_replaced(param))
        else {
            continue;
        };
        work = work.saturating_sub(args.len());
        if work == 0 {
            return;
        }
        let Some(same) = only_value(param, args, substitution) else {
            continue;
        };
        substitution.replace(param, same);
        for &user in users.get(&param).into_iter().flatten() {
            if !std::mem::replace(&mut is_queued[user.0 as usize], true) {
                queue.push_back(user);
            }
        }
        // What took the parameter as an argument now takes the value.
        if let Some(moved) = users.remove(&param) {
            users.entry(same).or_default().extend(moved);
        }
    }
}

/// The one value among the arguments that is not the parameter.
fn only_value(param: Value, args: &[Value], substitution: &mut Substitution) -> Option<Value> {
    let mut same = None;
    for &arg in args {
        let arg = substitution.find(arg);
        if arg != param && *same.get_or_insert(arg) != arg {
            return None;
        }
    }
    same
}

fn duplicates(
    function: &Function,
    cfg: &Cfg,
    arguments: &HashMap<Value, Vec<Value>>,
    substitution: &mut Substitution,
) {
    for &block in &cfg.order {
        let mut seen: HashMap<Vec<Value>, Value> = HashMap::new();
        for &param in &function.block(block).params {
            if substitution.is_replaced(param) {
                continue;
            }
            let Some(args) = arguments.get(&param) else {
                continue;
            };
            let args = args.iter().map(|&arg| substitution.find(arg)).collect();
            match seen.entry(args) {
                std::collections::hash_map::Entry::Occupied(entry) => {
                    substitution.replace(param, *entry.get());
                }
                std::collections::hash_map::Entry::Vacant(entry) => {
                    entry.insert(param);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test::{check, unchanged};

    #[test]
    fn chains_of_trivial_parameters_go() {
        check(
            super::run,
            "kernel f(i32) -> i32
            b0:
              v9: bool = Eq arg0, 3
              jump b1(arg0, 7, 7)
            b1(v0: i32, v1: i32, v8: i32):
              branch v9, b2(v0), b3(v0)
            b2(v2: i32):
              jump b3(v2)
            b3(v3: i32):
              v4: i32 = Add v1, 1
              v5: i32 = Add v8, v4
              branch v9, b1(v3, v4, v4), b4(v5)
            b4(v6: i32):
              return v6",
            "kernel f(i32) -> i32
            b0:
              v9: bool = Eq arg0, 3
              jump b1(7)
            b1(v1: i32):
              branch v9, b2, b3
            b2:
              jump b3
            b3:
              v4: i32 = Add v1, 1
              v5: i32 = Add v1, v4
              branch v9, b1(v4), b4
            b4:
              return v5",
        );
    }

    #[test]
    fn different_arguments_stay() {
        unchanged(
            super::run,
            "kernel f(i32) -> i32
            b0:
              v0: bool = Eq arg0, 3
              branch v0, b1(1), b1(2)
            b1(v1: i32):
              return v1",
        );
    }
}
