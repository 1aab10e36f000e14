//! Runs a function by the evaluator and by machine code, and compares memory.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;

use anywarp_codegen::{Code, Target, compile};
use anywarp_lanes::evaluate::{Evaluator, Memory, WorkgroupInputs};
use anywarp_lanes::ir::{BufferEntry, CallOutcome, Context, Function};

/// How results are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Equal {
    /// Every bit.
    Bits,
    /// Every bit, except of NaNs.
    Floats,
}

/// Every target that this CPU supports. Tests on none would prove nothing, and say so.
pub(crate) fn targets() -> Vec<Target> {
    let targets: Vec<_> = Target::all().collect();
    for name in ["AVX-512", "AVX2"] {
        if !targets.iter().any(|target| target.to_string() == name) {
            skip(&format!("this machine has no {name}"));
        }
    }
    targets
}

fn skip(why: &str) {
    let line = format!("SKIPPED: {why}");
    let mut err = std::io::stderr();
    let _ = writeln!(err, "{line}");
    if let Some(path) = std::env::var_os("ANYWARP_SKIP_LOG") {
        let file = OpenOptions::new().create(true).append(true).open(path);
        writeln!(file.unwrap(), "{line}").unwrap();
    }
}

/// Runs a workgroup by the evaluator and by machine code.
pub(crate) fn agree(
    function: &Function,
    target: Target,
    memory: &Memory,
    subgroups: u32,
    equal: Equal,
) {
    let code = compile(function, target).unwrap_or_else(|error| panic!("{error}\n{function}"));
    agree_with(function, &code, memory, subgroups, equal);
}

/// The same with a function that calls others.
pub(crate) fn agree_calling(
    function: &Function,
    callees: &[Function],
    target: Target,
    memory: &Memory,
    subgroups: u32,
) {
    let compiled = |function: &Function| {
        compile(function, target).unwrap_or_else(|error| panic!("{error}\n{function}"))
    };
    let code = compiled(function);
    let callee_codes: Vec<_> = callees.iter().map(compiled).collect();
    let run = WorkgroupInputs::default();
    let mut expected = memory.clone();
    let outcome = Evaluator::with_callees(function, callees)
        .unwrap()
        .run_workgroup(&run, subgroups, &mut expected, &mut 100_000_000)
        .unwrap_or_else(|error| panic!("{error}\n{function}"));
    let mut found = memory.clone();
    let found_outcome = run_code(&code, &callee_codes, &run, &mut found, subgroups);
    let all: Vec<_> = callees.iter().map(|callee| format!("{callee}\n")).collect();
    assert_eq!(outcome, found_outcome, "{function}\n{}", all.concat());
    assert_eq!(expected, found, "{function}\n{}", all.concat());
}

/// The same with code that is already compiled.
pub(crate) fn agree_with(
    function: &Function,
    code: &Code,
    memory: &Memory,
    subgroups: u32,
    equal: Equal,
) {
    let run = WorkgroupInputs {
        workgroup_id: [3, 4, 5],
        workgroup_count: [30, 40, 50],
        is_cancelled: false,
    };
    let mut expected = memory.clone();
    let outcome = Evaluator::new(function)
        .unwrap()
        .run_workgroup(&run, subgroups, &mut expected, &mut 100_000_000)
        .unwrap_or_else(|error| panic!("{error}\n{function}"));
    let mut found = memory.clone();
    let found_outcome = run_code(code, &[], &run, &mut found, subgroups);
    assert_eq!(outcome, found_outcome, "{function}\n{}", code.disassembly());
    let buffers = expected.buffers.iter().zip(&found.buffers).enumerate();
    let workgroup = (&expected.workgroup, &found.workgroup);
    let named = buffers.map(|(number, pair)| (format!("buffer {number}"), pair));
    for (name, (expected, found)) in named.chain([("workgroup".to_owned(), workgroup)]) {
        let wrong = differences(expected, found, equal);
        assert!(
            wrong.is_empty(),
            "{name}\n{wrong}\n{function}\n{}",
            code.disassembly()
        );
    }
}

/// The first words that differ, as text.
fn differences(expected: &[u32], found: &[u32], equal: Equal) -> String {
    let mut text = String::new();
    let is_nan = |word: u32| equal == Equal::Floats && f32::from_bits(word).is_nan();
    let pairs = expected.iter().zip(found).enumerate();
    let wrong = pairs.filter(|(_, (a, b))| a != b && !(is_nan(**a) && is_nan(**b)));
    for (index, (a, b)) in wrong.take(8) {
        let (x, y) = (f32::from_bits(*a), f32::from_bits(*b));
        writeln!(
            text,
            "word {index}: expected {a:#x} ({x:e}), found {b:#x} ({y:e})"
        )
        .unwrap();
    }
    text
}

#[repr(align(64))]
#[derive(Clone, Copy)]
struct Line([u32; 16]);

/// Memory that begins at a multiple of 64 bytes.
struct Lines(Vec<Line>);

impl Lines {
    fn new(words: &[u32]) -> Self {
        let mut lines = vec![Line([0; 16]); words.len() / 16 + 1];
        for (index, word) in words.iter().enumerate() {
            lines[index / 16].0[index % 16] = *word;
        }
        Self(lines)
    }

    fn start(&mut self) -> *mut u32 {
        self.0.as_mut_ptr().cast()
    }

    fn read(&self, words: &mut [u32]) {
        for (index, word) in words.iter_mut().enumerate() {
            *word = self.0[index / 16].0[index % 16];
        }
    }
}

/// Runs a workgroup by machine code, from barrier to barrier.
pub(crate) fn run_code(
    code: &Code,
    callees: &[Code],
    run: &WorkgroupInputs,
    memory: &mut Memory,
    subgroups: u32,
) -> CallOutcome {
    let functions: Vec<_> = callees.iter().map(Code::address).collect();
    let mut buffers: Vec<_> = memory
        .buffers
        .iter()
        .map(|words| Lines::new(words))
        .collect();
    let lengths: Vec<_> = memory.buffers.iter().map(Vec::len).collect();
    let entries: Vec<_> = buffers
        .iter_mut()
        .zip(&lengths)
        .map(|(buffer, words)| BufferEntry {
            start: buffer.start(),
            words: *words as u64,
        })
        .collect();
    let mut workgroup = Lines::new(&memory.workgroup);
    let mut immediates = Lines::new(&memory.immediates);
    let mut constants = Lines::new(&memory.constants);
    let mut zeros = Lines::new(&[0; Context::ZEROS / 4]);
    let cancelled = u32::from(run.is_cancelled);
    let mut context = Context {
        workgroup_id: run.workgroup_id,
        workgroup_count: run.workgroup_count,
        subgroup: 0,
        padding: 0,
        cancelled: &raw const cancelled,
        workgroup: workgroup.start(),
        zeros: zeros.start(),
        immediates: immediates.start(),
        constants: constants.start(),
        buffers: entries.as_ptr(),
        functions: functions.as_ptr(),
        data: std::ptr::null(),
    };
    let frames = callees.iter().map(Code::frame_bytes);
    let frame_words = frames.fold(code.frame_bytes(), u32::max) as usize / 4;
    let mut frames: Vec<_> = (0..subgroups)
        .map(|_| Lines::new(&vec![0; frame_words]))
        .collect();
    let mut resume = 0;
    let outcome = loop {
        let mut outcome = None;
        for (number, frame) in frames.iter_mut().enumerate() {
            context.subgroup = number as u32;
            // SAFETY: the evaluator has run the same function on the same memory before and has found every
            // access inside it; the frame has as many bytes as the code wants.
            let ended = unsafe { code.call(&raw const context, frame.start().cast(), resume) };
            assert!(
                outcome.is_none_or(|other| other == ended),
                "subgroups end alike"
            );
            outcome = Some(ended);
        }
        match outcome.unwrap() {
            end if end.is_last() => break end,
            CallOutcome(number) => resume = number,
        }
    };
    for (buffer, words) in buffers.iter().zip(&mut memory.buffers) {
        buffer.read(words);
    }
    workgroup.read(&mut memory.workgroup);
    outcome
}
