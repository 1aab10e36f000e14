//! Fuzz target: programs with a short text and exponentially large contents.
//!
//! In: bytes, which are the choices of a grammar; zeros after their end. Out: valid WGSL of at most 64 KB (or a
//! program that is rejected as too large) with a race-free kernel that has one correct result. The program combines a
//! few patterns, each with a size drawn from all magnitudes: trees of calls, nested constants, types that double in
//! size, long `switch` statements, deep nesting, chains of declarations, nested loops. Every engine must give the
//! same result, or reject the program.

mod builder;
mod calls;
mod constants;
mod control;
mod types;

use builder::Builder;

use super::exercise::{Results, exercise, read_wgsl};
use super::stages::Stages;
use super::verdict::Verdict;
use anywarp_test_support::Random;

/// A pattern: appends declarations, and statements that change `x`.
type Form = fn(&mut Builder<'_>);

const FORMS: &[Form] = &[
    calls::tree,
    calls::tree,
    calls::many,
    calls::pointers,
    calls::entry_points,
    constants::arrays,
    constants::chain,
    constants::overrides,
    constants::vectors,
    constants::literal,
    control::switch,
    control::nesting,
    control::parentheses,
    control::else_ifs,
    control::assignments_in_branches,
    control::straight_line,
    control::loops_in_loops,
    control::loops_in_sequence,
    control::breaks,
    control::short_circuits,
    types::structs,
    types::arrays,
    types::values,
    types::locals,
    control::nests_in_sequence,
];

/// The program for some choices.
pub(crate) fn wgsl(choices: &[u8]) -> String {
    let mut builder = Builder::new(choices);
    let forms = builder.between(1, 3);
    for _ in 0..forms {
        let form = builder.below(FORMS.len());
        FORMS[form](&mut builder);
    }
    builder.finish()
}

pub(crate) fn body(input: &[u8], stages: &Stages) -> Verdict {
    match read_wgsl(&wgsl(input), stages) {
        Ok(program) => exercise(&program, Results::Determined, stages),
        Err(verdict) => verdict,
    }
}

pub(crate) fn generate(random: &mut Random) -> Vec<u8> {
    let length = random.between(4, 40);
    (0..length).map(|_| random.bits() as u8).collect()
}

pub(crate) fn describe(input: &[u8]) -> String {
    wgsl(input)
}

#[cfg(test)]
mod tests {
    use anywarp_program::{Program, ProgramError};

    use super::*;
    use crate::fuzz::mutate::MAX_BYTES;

    /// A pattern that is always rejected would test nothing.
    #[test]
    fn every_form_is_valid_when_it_is_small() {
        for (number, form) in FORMS.iter().enumerate() {
            for choices in [&[][..], &[1; 16], &[2; 16]] {
                let mut builder = Builder::new(choices);
                form(&mut builder);
                let text = builder.finish();
                if let Err(error) = Program::from_wgsl(&text) {
                    panic!("form {number}: {error}\n{text}");
                }
            }
        }
    }

    /// Reasons for which a program of the grammar may be rejected when it is read.
    const REFUSALS: &[&str] = &[
        "nested too deeply",
        "size exceeds limit",
        "too large",
        "has more than",
        "operators do not take arrays",
    ];

    #[test]
    fn programs_are_short_and_mostly_valid() {
        let mut valid = 0;
        for seed in 0..200 {
            let text = wgsl(&generate(&mut Random::new(seed)));
            assert!(text.len() <= MAX_BYTES + 2048, "{} bytes", text.len());
            // Large ones take long to read in unoptimised builds.
            if text.len() > 4096 {
                continue;
            }
            match Program::from_wgsl(&text) {
                Ok(_) => valid += 1,
                Err(ProgramError::TooLarge(_)) => {}
                Err(error)
                    if REFUSALS
                        .iter()
                        .any(|refusal| error.to_string().contains(refusal)) => {}
                Err(error) => panic!("seed {seed}: {error}\n{text}"),
            }
        }
        assert!(valid > 50, "{valid}");
    }
}
