//! Fuzzing: no text makes `Program` panic, hang or report an internal error.
//!
//! Random characters, token soup and mutated valid programs, a few thousand of each: brief enough for every test run.
//! `PROPTEST_CASES` makes it longer.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use anywarp_program::{Constants, Program, ProgramError};
use proptest::prelude::*;
use proptest::sample::{Index, select};

const PROGRAMS: [&str; 3] = [
    include_str!("programs/subgroups.wgsl"),
    include_str!("programs/tile.wgsl"),
    include_str!("programs/picture.wgsl"),
];

/// Fragments of valid WGSL, and some of invalid WGSL.
const PIECES: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ";",
    ",",
    ":",
    ".",
    "@",
    "->",
    "=",
    "==",
    "+",
    "-",
    "*",
    "/",
    "%",
    "&",
    "&&",
    "|",
    "!",
    "~",
    "<<",
    ">>",
    "+=",
    "++",
    "_",
    "0",
    "1u",
    "2i",
    "-1",
    "0xffffffff",
    "4294967296",
    "1e40",
    "1.5h",
    "0x1p-3",
    "2147483647",
    "1lu",
    "/*",
    "*/",
    "//",
    "\n",
    "\u{0}",
    "\u{feff}",
    "\u{202e}",
    "é",
    "𝒳",
    "\"",
    "#",
    "$",
    "fn",
    "var",
    "let",
    "const",
    "override",
    "struct",
    "alias",
    "if",
    "else",
    "loop",
    "for",
    "while",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "continuing",
    "return",
    "discard",
    "const_assert",
    "enable",
    "requires",
    "diagnostic",
    "subgroups",
    "f16",
    "off",
    "true",
    "false",
    "u32",
    "i32",
    "f32",
    "f64",
    "u64",
    "bool",
    "vec2",
    "vec3<f32>",
    "mat4x4<f32>",
    "array<u32, 3>",
    "array",
    "atomic<u32>",
    "ptr<function, u32>",
    "ptr<workgroup, u32>",
    "ptr<storage, array<u32>, read_write>",
    "@diagnostic(off, derivative_uniformity)",
    "mix(1.0, 2.0, 0.5)",
    "smoothstep(vec2(0), vec2(1), vec2(0.5))",
    "sampler",
    "texture_2d<f32>",
    "var<storage, read_write>",
    "var<workgroup>",
    "var<private>",
    "@compute",
    "@workgroup_size(1)",
    "@workgroup_size(0)",
    "@group(0)",
    "@binding(0)",
    "@builtin(position)",
    "@location(0)",
    "@id(1)",
    "@align(3)",
    "@size(4294967295)",
    "main()",
    "f(x)",
    "x",
    "y",
    "x.xyzw",
    "x[0]",
    "x[4294967295u]",
    "&x",
    "*x",
    "abs(x)",
    "select(x, y, true)",
    "vec4(1.0)",
    "workgroupBarrier()",
    "subgroupAdd(1)",
    "atomicAdd(&x, 1)",
    "pack4x8unorm(vec4(1.0))",
    "textureLoad(x, vec2(0), 0)",
    "arrayLength(&x)",
    "bitcast<f32>(1u)",
    "ldexp(1.0, 99999)",
];

/// Tokens of the valid programs, so that mutations use their names.
static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let words = PROGRAMS.iter().flat_map(|text| text.split_whitespace());
    let pieces = PIECES.iter().copied();
    words
        .chain(pieces)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
});

fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok();
    ProptestConfig {
        cases: cases.and_then(|cases| cases.parse().ok()).unwrap_or(15_000),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Calls all queries on a text.
fn exercise(text: &str) -> Result<(), TestCaseError> {
    let checked = |error: ProgramError| match error {
        ProgramError::Internal(_) => Err(TestCaseError::fail(format!("{error} in {text:?}"))),
        _ => {
            let is_safe = !error.to_string().contains('\u{1b}');
            prop_assert!(is_safe, "an escape sequence came through");
            Ok(())
        }
    };
    let program = match Program::from_wgsl(text) {
        Ok(program) => program,
        Err(error) => return checked(error),
    };
    program.bindings();
    program.overrides();
    for entry_point in program.entry_points() {
        let constants = Constants::new();
        let result = program.specialize(entry_point.stage, &entry_point.name, &constants);
        result.map(|_| ()).or_else(checked)?;
    }
    Ok(())
}

/// A mutation: bytes removed, duplicated or moved, or a fragment inserted.
#[derive(Clone, Debug)]
enum Mutation {
    Remove(Index, usize),
    Double(Index, usize),
    Insert(Index, &'static str),
    Replace(Index, usize, &'static str),
    SwapWords(Index, Index),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let word = || select(&WORDS[..]);
    let at = any::<Index>;
    prop_oneof![
        (at(), 1..20_usize).prop_map(|(at, length)| Mutation::Remove(at, length)),
        (at(), 1..40_usize).prop_map(|(at, length)| Mutation::Double(at, length)),
        (at(), word()).prop_map(|(at, word)| Mutation::Insert(at, word)),
        (at(), 1..8_usize, word()).prop_map(|(at, n, word)| Mutation::Replace(at, n, word)),
        (at(), at()).prop_map(|(a, b)| Mutation::SwapWords(a, b)),
    ]
}

fn mutate(text: &str, mutation: &Mutation) -> String {
    if text.is_empty() {
        return String::new();
    }
    let range = |at: &Index, length: usize| {
        let start = text.floor_char_boundary(at.index(text.len()));
        start..text.ceil_char_boundary((start + length).min(text.len()))
    };
    let mut changed = text.to_owned();
    match mutation {
        Mutation::Remove(at, length) => changed.replace_range(range(at, *length), ""),
        Mutation::Double(at, length) => {
            let range = range(at, *length);
            changed.insert_str(range.start, &text[range]);
        }
        Mutation::Insert(at, word) => changed.insert_str(range(at, 0).start, word),
        Mutation::Replace(at, length, word) => changed.replace_range(range(at, *length), word),
        Mutation::SwapWords(a, b) => {
            let mut words: Vec<_> = text.split(' ').collect();
            let (a, b) = (a.index(words.len()), b.index(words.len()));
            words.swap(a, b);
            changed = words.join(" ");
        }
    }
    changed
}

#[test]
fn the_valid_programs_are_valid() {
    for text in PROGRAMS {
        Program::from_wgsl(text).unwrap_or_else(|error| panic!("{error}"));
        exercise(text).unwrap();
    }
}

#[test]
fn long_chains_and_deep_brackets_are_survived() {
    let deep = |open: &str, close: &str, n: usize| {
        format!(
            "fn f(x: i32) {{ var y = {}x{}; }}",
            open.repeat(n),
            close.repeat(n)
        )
    };
    for n in [40, 150, 300, 500, 100_000] {
        for text in [
            deep("(", ")", n),
            deep("-", "", n),
            deep("", " + x", n),
            deep("", ".x", n),
            deep("", "[0]", n),
            deep("abs(", ")", n),
            deep("&*&", "", n),
            deep("array<", ">", n),
            format!(
                "fn f(x: i32) {{ if x == 0 {{}} {} }}",
                "else if x == 1 {} ".repeat(n)
            ),
            format!("fn f() {{ {}", "loop { ".repeat(n)),
            format!("{} fn f() {{}} {}", "/*".repeat(n), "*/".repeat(n)),
        ] {
            exercise(&text).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        exercise(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn token_soup(words in prop::collection::vec(select(&WORDS[..]), 0..80)) {
        exercise(&words.join(" "))?;
        exercise(&format!("fn f(x: vec4<f32>, y: ptr<function, u32>) {{ {} }}", words.join(" ")))?;
        let pointers = "var<workgroup> w: array<u32, 4>; fn g(y: ptr<workgroup, u32>, x: u32)";
        exercise(&format!("{pointers} {{ {} }} fn h() {{ g(&w[1], 1); }}", words.join(" ")))?;
    }

    #[test]
    fn constant_expressions(words in prop::collection::vec(select(PIECES), 1..6)) {
        exercise(&format!("const x = {};", words.join(" ")))?;
        exercise(&format!("override x: i32 = 1; @compute @workgroup_size({}) fn f() {{}}", words.join(" ")))?;
    }

    #[test]
    fn mutated_programs(
        text in select(&PROGRAMS[..]),
        mutations in prop::collection::vec(mutation(), 1..6),
    ) {
        let text = mutations.iter().fold(text.to_owned(), |text, m| mutate(&text, m));
        exercise(&text)?;
    }
}
