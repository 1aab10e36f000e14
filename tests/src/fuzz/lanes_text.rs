//! Fuzz target: any text as a function of the vector IR, which is parsed, verified, printed and parsed again, and
//! compiled.
//!
//! In: bytes. What always holds for a function that `verify` accepts: its text parses back to the same function, and
//! the passes and the code generators accept it. Random inputs are printed random functions with random changes.

use anywarp_codegen::CompileError;
use anywarp_cpu::Target;
use anywarp_lanes::bounds;
use anywarp_lanes::pass::{self, PassOptions, Subgroups};
use anywarp_lanes::random;
use anywarp_lanes::text::parse;
use anywarp_lanes::verify::verify;
use anywarp_program::work::Meter;

use super::mutate::mutate_text;
use super::stages::Stages;
use super::verdict::Verdict;
use anywarp_test_support::Random;

/// The largest frame that `anywarp-cpu` allocates for a kernel.
const MAX_FRAME_BYTES: u32 = 1 << 30;

pub(crate) fn body(input: &[u8], stages: &Stages) -> Verdict {
    let text = String::from_utf8_lossy(input);
    let Ok(function) = stages.run("read", || parse(&text)) else {
        return Verdict::Refused;
    };
    if stages.run("verify", || verify(&function)).is_err() {
        return Verdict::Refused;
    }
    let printed = stages.run("print", || function.to_string());
    match stages.run("read back", || parse(&printed)) {
        Ok(again) if again == function => {}
        Ok(_) => return Verdict::wrong("read back", "another function"),
        Err(error) => return Verdict::wrong("read back", error.to_string()),
    }
    // Passes add slots to the frame.
    if function.frame_bytes > MAX_FRAME_BYTES {
        return Verdict::Refused;
    }
    let mut passed = function.clone();
    stages.run("passes", || {
        let passes = PassOptions {
            subgroups: Subgroups::Called(2),
            ..PassOptions::default()
        };
        pass::run(&mut passed, &passes);
    });
    if let Err(error) = verify(&passed) {
        return Verdict::wrong("passes", format!("{error} in\n{passed}"));
    }
    for target in Target::all().filter(|target| target.lanes() == function.lanes) {
        // An error that names an unsupported feature is fine. A panic is a finding, and so is code that the
        // machine-code scan rejects although the function stays inside its memory.
        let compiled = stages.run("compile", || anywarp_codegen::compile(&passed, target));
        if let Err(error @ CompileError::Internal(_)) = compiled
            && bounds::check(&passed, &[], &random::extents(1), &Meter::unlimited()).is_ok()
        {
            return Verdict::wrong("compile", error.to_string());
        }
    }
    Verdict::Accepted
}

pub(crate) fn generate(random: &mut Random) -> Vec<u8> {
    let lanes = *random.pick(&[8, 16]);
    let size = random.between(1, 60);
    let text = random::function(random.bits(), lanes, size)
        .to_string()
        .into_bytes();
    if random.one_in(8) {
        text
    } else {
        mutate_text(random, &[text])
    }
}
