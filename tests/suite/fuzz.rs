//! Quick fuzz runs: fixed inputs of every target, and tests of the oracle itself.
//!
//! Bodies run in a worker process, as in `cargo xtask soak`, so a signal fails one test only.
#![cfg(unix)]

use std::time::Duration;

use anywarp_tests::fuzz::{Finding, Kind, Limits, Supervisor, Target, Verdict, input};

/// The worker program.
const WORKER: &str = env!("CARGO_BIN_EXE_soak");

/// The seed of the inputs.
const SEED: u64 = 1;

fn brief(name: &str) {
    let target = Target::named(name).unwrap();
    let mut supervisor = Supervisor::new(WORKER, Limits::SHARE);
    let mut accepted = 0;
    for number in 0..target.brief {
        let bytes = input(target, SEED, number);
        let report = supervisor.run(target, &bytes).unwrap();
        match report.verdict {
            Verdict::Accepted => accepted += 1,
            Verdict::Refused => {}
            Verdict::Wrong(finding) => panic!(
                "input {number} of `{name}`: {finding}\n{}",
                target.describe(&bytes)
            ),
        }
    }
    assert!(accepted > 0, "every input of `{name}` was refused");
}

#[test]
fn wgsl_inputs_have_no_findings() {
    brief("wgsl");
}

#[test]
fn spirv_inputs_have_no_findings() {
    brief("spirv");
}

#[test]
fn wasm_inputs_have_no_findings() {
    brief("wasm");
}

#[test]
fn graph_toml_inputs_have_no_findings() {
    brief("graph_toml");
}

#[test]
fn lanes_text_inputs_have_no_findings() {
    brief("lanes_text");
}

#[test]
fn doubling_inputs_have_no_findings() {
    brief("doubling");
}

#[test]
fn kernels_inputs_have_no_findings() {
    brief("kernels");
}

#[test]
fn bounds_inputs_have_no_findings() {
    brief("bounds");
}

#[test]
fn passes_inputs_have_no_findings() {
    brief("passes");
}

/// Inputs for which compiling once took minutes or gigabytes, or time quadratic in their length.
fn reproductions() -> Vec<(String, String)> {
    const BUFFER: &str = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n";
    const MAIN: &str =
        "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {\n";
    let kernel = |before: &str, body: &str| format!("{BUFFER}{before}{MAIN}{body}}}\n");
    let repeated =
        |count: u32, part: &dyn Fn(u32) -> String| (0..count).map(part).collect::<String>();
    let calls = repeated(26, &|number| {
        format!(
            "fn g{}(x: u32) -> u32 {{ return g{number}(g{number}(x)); }}\n",
            number + 1
        )
    });
    let leaf = "fn g0(x: u32) -> u32 { if (false) { workgroupBarrier(); } return x; }\n";
    let tree = kernel(
        &format!("{leaf}{calls}"),
        "if (i > 99u) { data[i] = g26(i); }\n",
    );
    let constants = repeated(25, &|number| {
        format!("const c{} = array(c{number}, c{number});\n", number + 1)
    });
    let constants = kernel(
        &format!("const c0 = array(1u, 2u);\n{constants}"),
        &format!("data[0] = c25{};\n", "[0]".repeat(26)),
    );
    let mut texts = vec![
        ("call tree".to_owned(), tree),
        ("constants".to_owned(), constants),
    ];
    for count in [10_000, 20_000] {
        let lines = repeated(count, &|number| {
            format!("a = a * {}u + b;\n", 2 * number + 3)
        });
        let lines = format!("var a = i; var b = data[i];\n{lines}data[i] = a;\n");
        texts.push((format!("{count} lines"), kernel("", &lines)));
    }
    for count in [10_000, 20_000, 50_000] {
        let cases = repeated(count, &|number| {
            format!("case {number}u: {{ a = a * {number}u + 1u; }}\n")
        });
        let switch =
            format!("var a = i; switch data[i] {{\n{cases}default: {{}}\n}}\ndata[i] = a;\n");
        texts.push((format!("{count} cases"), kernel("", &switch)));
    }
    let ifs = repeated(8_000, &|number| {
        format!("{{ var v: u32; if (data[i] > {number}u) {{ v = i; }} s += v; }}\n")
    });
    let ifs = format!("var s = 0u;\n{ifs}data[i] = s;\n");
    texts.push(("8000 ifs".to_owned(), kernel("", &ifs)));
    texts
}

#[test]
fn texts_that_took_long_once_stay_within_the_limits() {
    let target = Target::named("wgsl").unwrap();
    let mut supervisor = Supervisor::new(WORKER, Limits::SHARE);
    for (name, text) in reproductions() {
        let report = supervisor.run(target, text.as_bytes()).unwrap();
        if let Verdict::Wrong(finding) = report.verdict {
            panic!("{name}: {finding}");
        }
    }
}

/// The finding of a faulty body under small limits.
fn finding_of(name: &str) -> Finding {
    let limits = Limits {
        time: Duration::from_millis(300),
        bytes: 64 << 20,
    };
    let target = Target::named(name).unwrap();
    let report = Supervisor::new(WORKER, limits).run(target, &[]).unwrap();
    let finding = report.verdict.finding();
    finding
        .unwrap_or_else(|| panic!("`{name}` is not found"))
        .clone()
}

#[test]
fn too_much_time_is_found_whether_or_not_the_body_ends() {
    assert_eq!(finding_of("test_endless").kind, Kind::Time);
    assert_eq!(finding_of("test_late").kind, Kind::Time);
}

#[test]
fn too_much_memory_is_found() {
    assert_eq!(finding_of("test_memory").kind, Kind::Memory);
    let huge = finding_of("test_huge_allocation");
    assert_eq!(huge.kind, Kind::Crash);
    assert!(huge.text.contains("memory allocation"), "{huge}");
}

#[test]
fn failed_checks_and_panics_are_found() {
    assert_eq!(finding_of("test_wrong").kind, Kind::Wrong);
    let panic = finding_of("test_panic");
    assert_eq!(
        (panic.kind, panic.text.as_str()),
        (Kind::Panic, "on purpose")
    );
}

#[test]
fn a_stack_overflow_is_found() {
    let finding = finding_of("test_stack");
    assert_eq!(finding.kind, Kind::Crash);
    assert!(finding.text.contains("overflow"), "{finding}");
}

#[test]
fn a_touch_of_a_guard_page_is_found() {
    if anywarp_cpu::Target::all().next().is_none() {
        return;
    }
    let finding = finding_of("test_guard_page");
    assert_eq!(finding.kind, Kind::Crash);
    assert!(finding.text.contains("signal 11"), "{finding}");
}

#[test]
fn a_worker_is_replaced_after_a_crash() {
    let mut supervisor = Supervisor::new(WORKER, Limits::SHARE);
    let crash = Target::named("test_stack").unwrap();
    let passes = Target::named("passes").unwrap();
    for _ in 0..2 {
        let report = supervisor.run(crash, &[]).unwrap();
        assert!(report.verdict.finding().is_some());
        let report = supervisor.run(passes, &input(passes, SEED, 0)).unwrap();
        assert_eq!(report.verdict, Verdict::Accepted);
    }
}
