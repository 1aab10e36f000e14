//! Random modules: the compiled tier gives what the virtual machine gives. `ANYWARP_SEEDS` sets the
//! number of modules.

use std::collections::BTreeMap;

use anywarp_wasm::{Type, Value};

use super::compare::{Compared, Pair};
use crate::random::{bytes, determined, module_of};

/// The default number of modules.
const SEEDS: u64 = 150;

/// An argument at or near an edge of its type.
fn argument(ty: Type, choice: u8) -> Value {
    let edges = [
        0,
        1,
        -1,
        2,
        7,
        64,
        255,
        65_535,
        i64::from(i32::MAX),
        i64::from(i32::MIN),
    ];
    let edge = edges[usize::from(choice) % edges.len()];
    match ty {
        Type::I64 => Value::i64(edge.wrapping_mul(1 + i64::from(choice & 1) * 0x1_0000_0001)),
        Type::F32 => Value::f32(edge as f32 * 0.75),
        Type::F64 => Value::f64(edge as f64 * 1.25),
        Type::FuncRef | Type::ExternRef => Value::from_bits(ty, 0),
        _ => Value::i32(edge as i32),
    }
}

#[test]
fn random_modules_do_what_they_do_on_the_virtual_machine() {
    let seeds = std::env::var("ANYWARP_SEEDS").ok();
    let seeds = seeds.map_or(SEEDS, |seeds| seeds.parse().expect("a number"));
    let (mut equal, mut trapped) = (0, 0);
    let mut skipped: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for seed in 0..seeds {
        let Some(wasm) = module_of(seed, &bytes(seed, 1500)) else {
            continue;
        };
        let Some(pair) = Pair::new(&determined(&wasm)) else {
            continue;
        };
        for name in pair.kernels() {
            for round in 0..2 {
                let choices = bytes(seed * 31 + round, 16);
                let params = pair.params(&name).into_iter().zip(choices.iter().cycle());
                let args: Vec<_> = params.map(|(ty, &choice)| argument(ty, choice)).collect();
                match pair.call(&name, &args) {
                    Ok(Compared::Equal) => equal += 1,
                    Ok(Compared::Trapped) => trapped += 1,
                    Ok(Compared::Skipped(reason)) => {
                        let reason = reason.split([':', '`']).take(2).collect::<String>();
                        *skipped.entry(reason).or_default() += 1;
                    }
                    Err(error) => wrong.push(format!("seed {seed}: {error}")),
                }
            }
        }
    }
    let all = format!("{equal} equal, {trapped} trapped alike, skipped: {skipped:#?}");
    super::show(&all);
    assert!(wrong.is_empty(), "{}\n{all}", wrong.join("\n"));
    assert!(equal + trapped > seeds as usize / 2, "{all}");
}
