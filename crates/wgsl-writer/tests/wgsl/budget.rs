//! Work limits of the writer.

use std::num::NonZeroUsize;

use anywarp_program::Program;
use anywarp_program::work::{OverBudget, WorkLimits};
use anywarp_spirv::{SpirvError, SpirvOptions, write_spirv};
use anywarp_wgsl_writer::{WgslOptions, WriteError, write_wgsl};

/// A program with this number of functions, each of many statements.
fn program(functions: usize) -> Program {
    let body = "x = x * 2.0 + 1.0; ".repeat(200);
    let functions = (0..functions)
        .map(|it| format!("fn part_{it}(a: f32) -> f32 {{ var x = a; {body} return x; }}\n"));
    Program::from_wgsl(&functions.collect::<String>()).unwrap()
}

fn limited(limits: WorkLimits, threads: usize) -> Result<String, WriteError> {
    let mut options = WgslOptions::default();
    options.limits = limits;
    options.threads = NonZeroUsize::new(threads);
    write_wgsl(&program(100), &options)
}

#[test]
fn wgsl_over_a_limit_names_the_function() {
    let whole = limited(WorkLimits::TRANSLATION, 1).unwrap();
    let limits = WorkLimits::UNLIMITED.with_bytes(whole.len() as u64 / 2);
    for threads in [1, 4] {
        let error = limited(limits, threads).unwrap_err();
        let over = OverBudget::Bytes(limits.bytes);
        let place = "function `part_50`".to_owned();
        assert_eq!(error, WriteError::OverBudget { place, over });
    }
    let error = limited(WorkLimits::UNLIMITED.with_steps(1000), 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "function `part_0` takes more than 1000 steps of work to write; raise the limit with `--max-steps` (`WgslOptions::limits`)"
    );
    let enough = WorkLimits::UNLIMITED.with_bytes(whole.len() as u64);
    for threads in [1, 4] {
        assert_eq!(limited(enough, threads).as_ref(), Ok(&whole));
    }
}

#[test]
fn spirv_over_a_limit_is_an_error() {
    let write = |limits| {
        let mut options = SpirvOptions::default();
        options.limits = limits;
        write_spirv(&program(10), &options)
    };
    let words = write(WorkLimits::TRANSLATION).unwrap();
    let bytes = 4 * words.len() as u64;
    assert!(write(WorkLimits::UNLIMITED.with_bytes(bytes)) == Ok(words));
    let (place, over) = ("the module".to_owned(), OverBudget::Bytes(1000));
    let error = SpirvError::OverBudget { place, over };
    assert!(write(WorkLimits::UNLIMITED.with_bytes(1000)) == Err(error));
    let error = write(WorkLimits::UNLIMITED.with_steps(1000)).unwrap_err();
    assert!(error.to_string().contains("function `part_"), "{error}");
}
