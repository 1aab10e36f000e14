//! The bounds verifier accepts the output of the passes, and no function with an access out of bounds.

mod kernels;
mod mutation;

use anywarp_lanes::CallPolicy;
use anywarp_lanes::bounds::{BoundsError, BufferExtent, Extents, check};
use anywarp_lanes::evaluate::{
    EvaluateError, Evaluator, InstructionError, Memory, WorkgroupInputs,
};
use anywarp_lanes::ir::Function;
use anywarp_lanes::pass::{self, PassOptions, Subgroups};
use anywarp_lanes::random::{self, Random};
use anywarp_lanes::text::parse;
use anywarp_lanes::verify::verify;
use anywarp_program::work::Meter;

use mutation::mutate;

/// The number of random functions; `ANYWARP_SEEDS` overrides it.
fn seeds() -> u64 {
    let given = std::env::var("ANYWARP_SEEDS").ok();
    given.map_or(300, |text| text.parse().expect("a number of seeds"))
}

const SUBGROUPS: u32 = 3;

/// A random function after all passes, and how many calls a workgroup takes.
fn compiled(seed: u64) -> (Function, u32) {
    let lanes = if seed.is_multiple_of(2) { 16 } else { 8 };
    let mut function = random::function(seed, lanes, 20 + seed as usize % 150);
    let passes = PassOptions {
        subgroups: Subgroups::Called(SUBGROUPS),
        fills_lines: true,
        ..PassOptions::default()
    };
    let calls = match pass::run(&mut function, &passes) {
        Subgroups::Looped(_) => 1,
        _ => SUBGROUPS,
    };
    (function, calls)
}

#[test]
fn random_functions_are_accepted_after_all_passes() {
    for seed in 0..seeds() {
        let (function, _) = compiled(seed);
        if let Err(error) = check(
            &function,
            &[],
            &random::extents(SUBGROUPS),
            &Meter::unlimited(),
        ) {
            panic!("seed {seed}: {error}\n{function}");
        }
    }
}

/// The message of an error that is an access outside its memory.
fn as_outside(error: EvaluateError) -> Option<String> {
    match error {
        EvaluateError::Instruction {
            place,
            source: source @ (InstructionError::OutOfBounds { .. } | InstructionError::ReadOnly(_)),
        } => Some(format!("{place}: {source}")),
        _ => None,
    }
}

/// The functions of a kernel: its callees by number, and its entry point.
#[derive(Clone, PartialEq)]
struct Functions {
    callees: Vec<Function>,
    entry: Function,
}

impl Functions {
    fn check(&self, extents: &Extents, meter: &Meter) -> Result<(), BoundsError> {
        let callees: Vec<_> = self.callees.iter().map(Some).collect();
        check(&self.entry, &callees, extents, meter)
    }

    fn is_verified(&self) -> bool {
        verify(&self.entry).is_ok() && self.callees.iter().all(|function| verify(function).is_ok())
    }

    /// Changes one of the functions.
    fn mutate(&mut self, buffers: u32, random: &mut Random) {
        let number = random.below(self.callees.len() + 1);
        let function = self.callees.get_mut(number).unwrap_or(&mut self.entry);
        mutate(function, buffers, random);
    }
}

/// A kernel, the sizes of its memories, and memories to run it on.
struct Subject {
    functions: Functions,
    calls: u32,
    extents: Extents,
    memory: Box<dyn Fn(u64) -> Memory>,
}

impl Subject {
    /// The first access outside its memory in several runs of a mutant.
    fn access_outside(&self, mutant: &Functions) -> Option<String> {
        let evaluator = Evaluator::with_callees(&mutant.entry, &mutant.callees).ok()?;
        (0..6u64).find_map(|seed| {
            let mut memory = (self.memory)(seed);
            let run = WorkgroupInputs {
                workgroup_id: [seed as u32 % 5, 1, 2],
                workgroup_count: [5, 2, 3],
                is_cancelled: false,
            };
            let ran = evaluator.run_workgroup(&run, self.calls, &mut memory, &mut 20_000);
            ran.err().and_then(as_outside)
        })
    }
}

/// Verdicts on mutants.
#[derive(Default)]
struct Counts {
    accepted: u64,
    rejected: u64,
    outside: u64,
}

impl Counts {
    /// Checks mutants of a kernel: accepted mutants have no access out of bounds in any run.
    fn add(&mut self, subject: &Subject, mutants: u32, seed: u64) {
        let functions = &subject.functions;
        let buffers = subject.extents.buffers.len() as u32;
        let mut random = Random::new(seed ^ 0x6275_6e64);
        for _ in 0..mutants {
            let mut mutant = functions.clone();
            for _ in 0..=random.below(3) {
                mutant.mutate(buffers, &mut random);
            }
            if mutant == *functions || !mutant.is_verified() {
                continue;
            }
            let verdict = mutant.check(&subject.extents, &Meter::unlimited());
            let access = subject.access_outside(&mutant);
            match (&verdict, &access) {
                (Ok(()), Some(access)) => panic!("seed {seed}: {access}\n{}", mutant.entry),
                (Ok(()), None) => self.accepted += 1,
                (Err(_), _) => self.rejected += 1,
            }
            self.outside += u64::from(access.is_some());
        }
    }

    /// Checks that mutants of each kind were many enough to mean something.
    fn assert_at_least(&self, least: u64) {
        let Self {
            accepted,
            rejected,
            outside,
        } = *self;
        assert!(accepted > least, "only {accepted} mutants were accepted");
        assert!(rejected > least, "only {rejected} mutants were rejected");
        assert!(outside > least, "only {outside} mutants left their memory");
    }
}

#[test]
fn no_mutant_of_a_random_function_that_is_accepted_leaves_its_memory() {
    let mut counts = Counts::default();
    for seed in 0..seeds() {
        let (function, calls) = compiled(seed);
        let subject = Subject {
            functions: Functions {
                callees: Vec::new(),
                entry: function,
            },
            calls,
            extents: random::extents(SUBGROUPS),
            memory: Box::new(|seed| random::memory(seed * 1_237)),
        };
        counts.add(&subject, 12, seed);
    }
    counts.assert_at_least(seeds() / 8);
}

#[test]
fn no_mutant_of_a_shader_that_is_accepted_leaves_its_memory() {
    let mut counts = Counts::default();
    for seed in 0..seeds() / 5 {
        for kernel in kernels::ALL {
            let lanes = if seed.is_multiple_of(2) { 16 } else { 8 };
            let calls = if seed.is_multiple_of(3) {
                CallPolicy::All
            } else {
                CallPolicy::default()
            };
            let subject = kernel.compiled(lanes, calls);
            let verdict = subject
                .functions
                .check(&subject.extents, &Meter::unlimited());
            assert_eq!(verdict, Ok(()), "{}", subject.functions.entry);
            counts.add(&subject, 12, seed);
        }
    }
    counts.assert_at_least(seeds() / 8);
}

/// The verdict on a body with two buffers, the second of at least 8 words, and 64 words of workgroup memory.
fn verdict(lanes: u32, body: &str) -> Result<(), String> {
    verdict_of(&format!(
        "kernel lanes={lanes} frame=256 barriers=0\n{body}\n"
    ))
}

fn verdict_of(text: &str) -> Result<(), String> {
    let function = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&function).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let extents = Extents {
        buffers: vec![BufferExtent::Words(0), BufferExtent::Words(8)],
        workgroup_words: 64,
        subgroups: Some(4),
        ..Extents::default()
    };
    check(&function, &[], &extents, &Meter::unlimited()).map_err(|error| error.to_string())
}

#[track_caller]
fn accepts(body: &str) {
    for lanes in [8, 16] {
        let pattern: Vec<String> = (0..lanes).map(|lane| lane.to_string()).collect();
        let body = format!("p0 = [{}]\n{body}", pattern.join(", "));
        if let Err(error) = verdict(lanes, &body) {
            panic!("{error}\n{body}");
        }
    }
}

#[track_caller]
fn rejects(body: &str) {
    for lanes in [8, 16] {
        let pattern: Vec<String> = (0..lanes).map(|lane| lane.to_string()).collect();
        let body = format!("p0 = [{}]\n{body}", pattern.join(", "));
        assert!(verdict(lanes, &body).is_err(), "{lanes} lanes\n{body}");
    }
}

#[test]
fn a_row_needs_a_limit_that_is_the_length_of_its_buffer() {
    let row = |length: &str| {
        format!(
            "b0:\nv0 = base buffer 0\nv1 = {length}\nv2 = field workgroup.x\nv3 = loadrow +0 v0, v2, limit v1\nreturn finished"
        )
    };
    accepts(&row("length 0"));
    rejects(&row("length 1"));
    rejects(&row("word 64"));
    // An offset moves the row beyond the limit.
    rejects(&row("length 0").replace("+0", "+1"));
}

#[test]
fn a_store_of_halves_as_words_without_a_limit_is_rejected() {
    // The half index is shifted with its sign, so that index 0x8000_0000 becomes a negative word.
    rejects(
        "b0:\nv0 = base buffer 0\nv1 = length 0\nv2 = field workgroup.x\nv3 = word 1\nv4 = shrs v2, v3\n\
         v5 = splat 7\nv6 = add v1, v1\nv7 = broadcast v2\nv8 = pattern p0\nv9 = vadd v7, v8\nv10 = broadcast v6\n\
         v11 = vltu v9, v10\nstorerow +0 v0, v4, v5, mask v11\nreturn finished",
    );
}

#[test]
fn a_gather_needs_a_comparison_of_its_own_index() {
    let gather = |index: &str, limit: &str, op: &str| {
        format!(
            "b0:\nv0 = base buffer 0\nv1 = {limit}\nv2 = field workgroup.x\nv3 = broadcast v2\nv4 = pattern p0\nv5 = vadd v3, v4\n\
             v6 = vshlby 1 v5\nv7 = broadcast v1\nv8 = {op} v5, v7\nv9 = gather +0 v0, {index}, mask v8\nreturn finished"
        )
    };
    accepts(&gather("v5", "length 0", "vltu"));
    rejects(&gather("v6", "length 0", "vltu"));
    rejects(&gather("v3", "length 0", "vltu"));
    rejects(&gather("v5", "length 1", "vltu"));
    rejects(&gather("v5", "length 0", "vleu"));
    // A signed comparison holds for negative indices.
    rejects(&gather("v5", "length 0", "vlts"));
}

#[test]
fn elements_of_several_words_are_counted_by_their_stride() {
    let element = |offset: u32, stride: u32| {
        format!(
            "b0:\nv0 = base buffer 0\nv1 = length 0\nv2 = word {stride}\nv3 = divu v1, v2\nv4 = field workgroup.x\nv5 = broadcast v4\n\
             v6 = pattern p0\nv7 = vadd v5, v6\nv8 = broadcast v3\nv9 = vltu v7, v8\nv10 = splat 3\nv11 = vmul v7, v10\n\
             v12 = gather +{offset} v0, v11, mask v9\nreturn finished"
        )
    };
    accepts(&element(0, 3));
    accepts(&element(2, 3));
    rejects(&element(3, 3));
    rejects(&element(0, 2));
}

#[test]
fn a_branch_guards_only_the_side_where_it_holds() {
    let guarded = |load: &str| {
        format!(
            "b0:\nv0 = base buffer 0\nv1 = length 0\nv2 = field workgroup.x\nv3 = ltu v2, v1\nbranch v3, b1, b2\n\
             b1:\n{}\nreturn finished\nb2:\n{}\nreturn finished",
            if load == "yes" {
                "v4 = advance v0, v2\nv5 = loadword +0 v4"
            } else {
                "v4 = word 0"
            },
            if load == "no" {
                "v6 = advance v0, v2\nv7 = loadword +0 v6"
            } else {
                "v6 = word 0"
            },
        )
    };
    accepts(&guarded("yes"));
    rejects(&guarded("no"));
}

#[test]
fn a_condition_holds_in_the_loop_that_it_guards() {
    let looped = |header: &str| {
        format!(
            "b0:\nv0 = base buffer 0\nv1 = length 0\nv2 = field workgroup.x\nv3 = word 0\nv4 = ltu v2, v1\n\
             branch v4, b1(v3), b2\nb1(v5: word):\nv6 = advance v0, v2\nv7 = loadword +0 v6\nv8 = word 1\n\
             v9 = add v5, v8\nv10 = ltu v9, v7\nbranch v10, {header}\nb2:\nreturn finished"
        )
    };
    accepts(&looped("b1(v9), b2"));
    // A second entry of the loop, on which nothing is tested.
    let second = looped("b1(v9), b2").replace(
        "b2:\nreturn finished",
        "b2:\nv11 = word 7\nbranch v2, b1(v11), b3\nb3:\nreturn finished",
    );
    rejects(&second);
}

#[test]
fn checked_indices_that_share_terms_are_told_apart() {
    // 4 * (y + 9) + 2 * (y + 17), each index checked.
    let sum = |first: u32, second: u32| {
        format!(
            "b0:\nv0 = base workgroup\nv1 = field workgroup.y\nv2 = word 9\nv3 = add v1, v2\nv4 = word 17\n\
             v5 = add v1, v4\nv6 = word 2\nv7 = word 1\nv8 = shl v3, v6\nv9 = shl v5, v7\nv10 = add v8, v9\n\
             v11 = word {first}\nv12 = ltu v3, v11\nv13 = word {second}\nv14 = ltu v5, v13\nv15 = and v12, v14\n\
             v16 = word 0xff\nv17 = word 0\nv18 = select v15, v16, v17\nv19 = fromballot v18\n\
             v20 = broadcast v10\nv21 = gather +0 v0, v20, mask v19\nreturn finished"
        )
    };
    // 4 * 14 + 2 * 3 is 62 of 64 words, 4 * 15 + 2 * 3 is 66.
    accepts(&sum(15, 4));
    rejects(&sum(16, 4));
}

#[test]
fn an_address_is_read_only_as_far_as_there_are_zeros() {
    let address = |offset: u32, condition: &str| {
        format!(
            "b0:\nv0 = base buffer 0\nv1 = length 0\nv2 = field workgroup.x\nv3 = ltu v2, v1\nv4 = word 1\nv5 = advanceorzeros v0, v2, {condition}\n\
             v6 = loadword +{offset} v5\nreturn finished"
        )
    };
    accepts(&address(0, "v3"));
    rejects(&address(0, "v4"));
    rejects(&address(1, "v3"));
    rejects(&address(1024, "v3"));
}

#[test]
fn a_binding_has_at_least_the_words_of_its_type() {
    let load = |offset: u32| {
        format!("b0:\nv0 = base buffer 1\nv1 = loadword +{offset} v0\nreturn finished")
    };
    accepts(&load(7));
    rejects(&load(8));
}

#[test]
fn loop_counters_are_bounded_by_their_test() {
    let counted = |limit: u32, start: u32, step: u32| {
        format!(
            "b0:\nv0 = base workgroup\nv1 = word {start}\nv2 = word {step}\nv3 = word {limit}\njump b1(v1)\n\
             b1(v4: word):\nv5 = ltu v4, v3\nbranch v5, b2, b3\n\
             b2:\nv6 = advance v0, v4\nv7 = loadword +0 v6\nv8 = add v4, v2\njump b1(v8)\nb3:\nreturn finished"
        )
    };
    accepts(&counted(64, 0, 1));
    accepts(&counted(64, 3, 7));
    rejects(&counted(65, 0, 1));
    // Before the test the counter may be at the limit.
    rejects(&counted(64, 0, 1).replace(
        "v5 = ltu v4, v3",
        "v9 = advance v0, v4\nv10 = loadword +0 v9\nv5 = ltu v4, v3",
    ));
}

#[test]
fn a_counter_with_any_step_is_bounded_by_the_test_of_its_next_value() {
    let counted = |tested: &str| {
        format!(
            "b0:\nv0 = base workgroup\nv1 = field workgroup.x\nv2 = word 60\nv3 = ltu v1, v2\nbranch v3, b1(v1), b3\n\
             b1(v5: word):\nv6 = advance v0, v5\nv7 = loadword +0 v6\nv8 = add v5, v7\nv9 = ltu {tested}, v2\n\
             branch v9, b2, b3\nb2:\nbranch v7, b1(v8), b3\nb3:\nreturn finished"
        )
    };
    accepts(&counted("v8"));
    rejects(&counted("v7"));
}

#[test]
fn counters_that_wrap_or_have_several_ways_back_are_not_bounded() {
    // The first step is already negative, so that the signed test passes.
    rejects(
        "b0:\nv0 = base workgroup\nv1 = word 0x7fffffff\nv2 = word 1\nv3 = word 64\nv4 = word 25\njump b1(v1)\n\
         b1(v5: word):\nv6 = shru v5, v4\nv7 = advance v0, v6\nv8 = loadword +0 v7\nv9 = add v5, v2\n\
         v10 = lts v9, v3\nbranch v10, b1(v9), b2\nb2:\nreturn finished",
    );
    // One back edge counts by 4 and the other restarts at 1: the last index of the first count is 61, not 60.
    let counted = |again: u32| {
        format!(
            "b0:\nv0 = base workgroup\nv1 = word 0\nv2 = word 4\nv3 = word 61\nv4 = word {again}\njump b1(v1)\n\
             b1(v6: word):\nv7 = advance v0, v6\nv8 = loadword +3 v7\nv9 = add v6, v2\nv10 = ltu v9, v3\n\
             branch v10, b1(v9), b2\nb2:\nbranch v8, b1(v4), b3\nb3:\nreturn finished"
        )
    };
    accepts(&counted(0));
    rejects(&counted(0).replace("word 61", "word 64"));
    rejects(&counted(1).replace("word 61", "word 64"));
}

#[test]
fn what_is_computed_at_every_call_guards_nothing_after_a_barrier() {
    let kernel = |first: &str, second: &str| {
        format!(
            "kernel lanes=8 frame=256 barriers=1\nb0:\nv0 = base buffer 0\nv1 = length 0\n{first}resume b1, b3\n\
             b1:\n{second}v4 = ltu v3, v1\nbranch v4, b2, b4\nb2:\nframestore 0 v3\nreturn 1\nb3:\nv7 = frameload word 0\n\
             v5 = advance v0, v7\nv6 = loadword +0 v5\nreturn finished\nb4:\nreturn finished\n"
        )
    };
    let load = "v2 = base buffer 1\nv3 = loadword +0 v2\n";
    assert_eq!(verdict_of(&kernel("", load)), Ok(()));
    assert!(verdict_of(&kernel(load, "")).is_err());
}

#[test]
fn pointers_are_recalled_where_they_have_been_kept() {
    let recalled = |first: &str, second: &str| {
        format!(
            "b0:\nv0 = base frame 64\n{first}v1 = frameload ptr 0\nv2 = loadword +0 v1\n{second}return finished"
        )
    };
    accepts(&recalled("framestore 0 v0\n", ""));
    rejects(&recalled("", "framestore 0 v0\n"));
    // Frame memory that overlaps a slot, through which a pointer could be forged.
    rejects(
        "b0:\nv0 = base frame 64\nframestore 0 v0\nv1 = base frame 0\nv2 = word 0\nv3 = splat 0x41414141\nv4 = mask 0x3\n\
         storerow +0 v1, v2, v3, mask v4\nreturn finished",
    );
}

#[test]
fn buffers_and_callees_have_numbers_that_exist() {
    rejects("b0:\nv0 = length 2\nreturn finished");
    rejects("b0:\nv0 = base buffer 7\nreturn finished");
    rejects("b0:\nv0 = word 255\ncall 0 frame v0\nreturn finished");
}

/// Proofs take steps in proportion to the size of a kernel, whatever its expressions are.
#[test]
fn hard_proofs_take_few_steps() {
    let sum = |terms: &[String]| terms.join(" + ");
    let largest = |of: &str| {
        sum(&(1..=16)
            .map(|index| format!("max({of}, {index}u)"))
            .collect::<Vec<_>>())
    };
    let mut sums = format!("let s0 = {};\n", largest("x"));
    for level in 1..8 {
        sums += &format!("let s{level} = {};\n", largest(&format!("s{}", level - 1)));
    }
    let sums = format!("{sums} if (i < s7) {{ out[i] = 1u; }}");
    let shifted = |of: &str| {
        sum(&(0..9)
            .map(|index| format!("(({of} + {index}u) >> 29u)"))
            .collect::<Vec<_>>())
    };
    let conditions: Vec<_> = (0..9)
        .map(|index| format!("((y + {index}u) >> 29u) < (out[3] & 0xfffffu)"))
        .collect();
    let shifts = format!(
        "let y = {}; if ({}) {{ w[{}] = 1u; }}",
        shifted("x"),
        conditions.join(" && "),
        shifted("y")
    );
    for body in [sums, shifts] {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
             var<workgroup> w: array<u32, 64>;
             @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {{
                let x = out[7];
                {body}
             }}"
        );
        let kernel = kernels::Kernel {
            least: &[1],
            text: &text,
        };
        let subject = kernel.compiled(16, CallPolicy::default());
        let meter = Meter::unlimited();
        subject.functions.check(&subject.extents, &meter).unwrap();
        let size = pass::size(&subject.functions.entry);
        assert!(meter.steps() < 100 * size, "{} of {size}", meter.steps());
    }
}

#[test]
fn constants_and_zeros_are_not_written() {
    rejects(
        "b0:\nv0 = base immediates\nv1 = word 0\nv2 = splat 1\nstorerow +0 v0, v1, v2, limit v1\nreturn finished",
    );
    rejects(
        "b0:\nv0 = base buffer 0\nv1 = length 0\nv2 = word 0\nv3 = ltu v2, v1\nv4 = advanceorzeros v0, v2, v3\nv5 = splat 0\nv6 = mask 0x1\n\
         scatter +0 v4, v5, v5, mask v6\nreturn finished",
    );
}

#[test]
fn slots_of_the_frame_do_not_overlap() {
    rejects("b0:\nv0 = splat 1\nv1 = word 1\nframestore 0 v0\nframestore 4 v1\nreturn finished");
    accepts("b0:\nv0 = splat 1\nv1 = word 1\nframestore 0 v0\nframestore 64 v1\nreturn finished");
}
