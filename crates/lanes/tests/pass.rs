//! Golden tests of each pass, each with a name (`cargo test -p anywarp-lanes --test pass gvn/`).
//!
//! In: `pass/PASS/CASE.txt`, a function, a line of dashes, and the expected result.
//!
//! Functions are verified before and after the pass. `ANYWARP_BLESS=1` rewrites the expected results, which must be
//! reviewed before they are committed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anywarp_lanes::ir::Function;
use anywarp_lanes::pass::alias::BufferAliasing;
use anywarp_lanes::pass::{self, PassOptions};
use anywarp_lanes::text::parse;
use anywarp_lanes::verify::verify;
use libtest_mimic::{Arguments, Failed, Trial};

const DASHES: &str = "----\n";

type Pass = fn(&mut Function);

/// The folders, and the passes that run on the functions in them.
const PASSES: &[(&str, Pass)] = &[
    ("all", |function| {
        pass::run(function, &PassOptions::default());
    }),
    ("barrier_split", pass::barrier_split::run),
    ("border_versioning", pass::border_versioning::run),
    ("condition_propagation", pass::condition_propagation::run),
    ("dead_code", pass::dead_code::run),
    ("critical_edges", pass::critical_edges::run),
    ("exit_tests", pass::exit_tests::run),
    ("fold", pass::fold::run),
    ("fuse", pass::fuse::run),
    ("load_forwarding", |function| {
        pass::load_forwarding::run(function, BufferAliasing::Any);
    }),
    ("masks", pass::masks::run),
    ("gvn", |function| {
        pass::gvn::run(function, BufferAliasing::Any);
    }),
    ("gvn_no_aliasing", |function| {
        pass::gvn::run(function, BufferAliasing::None);
    }),
    ("constant_phis", pass::constant_phis::run),
    ("subgroup_loops", |function| {
        pass::subgroup_loops::run(function, 4, BufferAliasing::Any);
    }),
    ("subgroup_loops_single", |function| {
        pass::subgroup_loops::run(function, 1, BufferAliasing::Any);
    }),
    ("polls", pass::polls::run),
    ("range_check_elimination", |function| {
        pass::range_check_elimination::run(function, Some(16));
    }),
    ("loop_peel", pass::loop_peel::run),
    ("loop_rotate", pass::loop_rotate::run),
    ("simplify_cfg", pass::simplify_cfg::run),
    ("non_temporal", |function| {
        pass::non_temporal::run(function, pass::Subgroups::Looped(4));
    }),
    ("stride_specialization", pass::stride_specialization::run),
    ("reassociate", pass::reassociate::run),
    ("register_blocking", |function| {
        pass::register_blocking::run(function, BufferAliasing::Written, pass::Subgroups::Unknown);
    }),
    ("loop_unroll", pass::loop_unroll::run),
    ("uniform_induction", pass::uniform_induction::run),
];

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The result of a pass on a function, as text.
fn transform(name: &str, run: Pass, input: &str) -> String {
    let mut function = parse(input).unwrap_or_else(|error| panic!("{name}: {error}"));
    verify(&function).unwrap_or_else(|error| panic!("{name}, before: {error}"));
    run(&mut function);
    verify(&function).unwrap_or_else(|error| panic!("{name}, after: {error}\n{function}"));
    function.to_string()
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pass");
    let mut trials = Vec::new();
    for &(pass, run) in PASSES {
        let files = files(&root.join(pass));
        for file in files.clone() {
            let name = format!("{pass}/{}", file.file_stem().unwrap().display());
            let test = name.clone();
            trials.push(Trial::test(name, move || check(&test, run, &file)));
        }
        trials.push(Trial::test(
            format!("{pass}_changes_nothing_somewhere"),
            move || {
                changes_nothing_somewhere(pass, run, &files);
                Ok(())
            },
        ));
    }
    trials.push(Trial::test("every_folder_is_run", move || {
        every_folder_is_run(&root);
        Ok(())
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Compares the result of a pass with the expected one in the file, or rewrites the file.
fn check(name: &str, run: Pass, file: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(file)?;
    let (input, expected) = text.split_once(DASHES).unwrap_or((&text, ""));
    let output = transform(name, run, input);
    if output == expected {
        Ok(())
    } else if std::env::var_os("ANYWARP_BLESS").is_some() {
        Ok(fs::write(file, format!("{input}{DASHES}{output}"))?)
    } else {
        Err(format!("expected\n{expected}got\n{output}").into())
    }
}

/// A pass has at least one case that it leaves unchanged.
fn changes_nothing_somewhere(pass: &str, run: Pass, files: &[PathBuf]) {
    let is_unchanged = |file: &PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        let (input, _) = text.split_once(DASHES).unwrap_or((&text, ""));
        parse(input).unwrap().to_string() == transform(pass, run, input)
    };
    let found = files.iter().any(is_unchanged);
    assert!(found, "{pass}: no case in which nothing changes");
}

fn every_folder_is_run(root: &Path) {
    for folder in files(root) {
        let name = folder.file_name().unwrap();
        assert!(
            PASSES.iter().any(|(pass, _)| name == *pass),
            "nothing runs {folder:?}"
        );
    }
}
