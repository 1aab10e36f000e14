//! Random structured control flow, compared with the oracle.

use super::generate::Generator;
use super::program::{Operation, Program, Statement};
use super::{oracle, run};

#[test]
fn lanes_that_belong_together_act_together() {
    let seeds: u64 = std::env::var("ANYWARP_SEEDS").map_or(600, |n| n.parse().expect("a number"));
    let (mut diverged, mut changed) = (0, 0);
    for seed in 0..seeds {
        let mut generator = Generator::new(seed);
        let program = generator.program();
        let size = 4 << generator.below(6);
        let states: Vec<u32> = (0..program.workgroup)
            .map(|i| i.wrapping_mul(0x9e37_79b9) >> 3)
            .collect();
        let expected = oracle::run(&program, size, &states);
        let found = run(&program.wgsl(), size, &states);
        assert!(
            found == expected,
            "seed {seed}, subgroups of {size}: {found:?} instead of {expected:?}\n{}",
            program.wgsl()
        );
        changed += u32::from(found != states);
        diverged += u32::from(branches(&program));
    }
    // Most programs are significant tests.
    assert!(u64::from(changed) > seeds * 3 / 4, "{changed} of {seeds}");
    assert!(u64::from(diverged) > seeds / 2, "{diverged} of {seeds}");
}

/// Whether a program has an operation inside a branch.
fn branches(program: &Program) -> bool {
    fn has_operation(block: &[Statement]) -> bool {
        block.iter().any(|statement| match statement {
            Statement::Operate(Operation::Barrier) => false,
            Statement::Operate(_) => true,
            _ => inner(statement).any(|block| has_operation(block)),
        })
    }
    fn inner(statement: &Statement) -> impl Iterator<Item = &Vec<Statement>> {
        let (a, b): (Vec<_>, &[_]) = match statement {
            Statement::If(_, accept, reject) => (vec![accept, reject], &[]),
            Statement::Switch(_, cases) => (Vec::new(), cases),
            Statement::Loop {
                body, continuing, ..
            } => (vec![body, continuing], &[]),
            _ => (Vec::new(), &[]),
        };
        a.into_iter().chain(b)
    }
    let mut statements = program.functions.iter().flatten();
    statements.any(|statement| inner(statement).any(|block| has_operation(block)))
}
