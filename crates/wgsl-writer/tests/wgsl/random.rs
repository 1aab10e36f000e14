//! Random programs with many side effects: the written text must have the same effects in the same order.

use std::fmt::Write;

use anywarp_program::Program;
use anywarp_tests::{Dispatch, Memory, Slot};
use anywarp_wgsl_writer::{Dialect, WgslOptions, write_wgsl};
use proptest::prelude::*;

use crate::spirv::{run, through_spirv};

/// The start of each program: global state, and functions that read and modify it.
const HEAD: &str = "@group(0) @binding(0) var<storage, read_write> data: array<u32, 16>;
var<private> state: u32;
fn next() -> u32 { state = state * 5u + 3u; return state; }
fn touch(i: u32) -> u32 { data[i & 15u] += 1u; state ^= data[(i + 1u) & 15u]; return data[i & 15u]; }
fn bump(p: ptr<function, u32>) -> u32 { *p = *p * 3u + 1u; return *p ^ state; }
";

/// Generates a program from a sequence of numbers.
struct Author<'a> {
    numbers: std::slice::Iter<'a, u8>,
    text: String,
    locals: u32,
    lets: u32,
}

impl Author<'_> {
    fn choose(&mut self, count: u8) -> u8 {
        self.numbers.next().copied().unwrap_or(0) % count
    }

    fn local(&mut self) -> String {
        let count = self.locals as u8;
        format!("v{}", self.choose(count))
    }

    fn value(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.choose(5) {
                // With two literals the front end would evaluate the operator, and might report an error.
                0 => format!("({}u + state % 2u)", self.choose(20)),
                1 => self.local(),
                2 => "state".into(),
                3 if self.lets > 0 => {
                    let count = self.lets.min(200) as u8;
                    format!("n{}", self.choose(count))
                }
                _ => format!("data[{}]", self.choose(16)),
            };
        }
        let depth = depth - 1;
        match self.choose(12) {
            0 => "next()".into(),
            1 => format!("touch({})", self.value(depth)),
            2 => format!("bump(&{})", self.local()),
            3 => format!("data[({}) & 15u]", self.value(depth)),
            4 => format!(
                "select({}, {}, {})",
                self.value(depth),
                self.value(depth),
                self.condition(depth)
            ),
            5 => format!("max({}, {})", self.value(depth), self.value(depth)),
            6 => format!(
                "(vec2<u32>({}, {}) + {}).y",
                self.value(depth),
                self.value(depth),
                self.value(depth)
            ),
            operator => {
                let sign = ["+", "*", "^", "-", "|"][usize::from(operator - 7)];
                format!("(({}) {sign} ({}))", self.value(depth), self.value(depth))
            }
        }
    }

    fn condition(&mut self, depth: u32) -> String {
        let sign = ["<", ">", "==", "<="][usize::from(self.choose(4))];
        let comparison = format!("(({}) {sign} ({}))", self.value(depth), self.value(depth));
        match self.choose(4) {
            0 if depth > 0 => format!("({comparison} && {})", self.condition(depth - 1)),
            1 if depth > 0 => format!("({comparison} || {})", self.condition(depth - 1)),
            2 => format!("!{comparison}"),
            _ => comparison,
        }
    }

    fn statements(&mut self, depth: u32) {
        let lets = self.lets;
        self.text.push('{');
        for _ in 0..=self.choose(4) {
            self.statement(depth);
        }
        self.text.push('}');
        self.lets = lets;
    }

    fn statement(&mut self, depth: u32) {
        let value = self.value(3);
        let kind = self.choose(if depth == 0 { 6 } else { 10 });
        let _ = match kind {
            0 => {
                let name = self.local();
                write!(self.text, "{name} = {value};")
            }
            1 => {
                let name = self.local();
                write!(self.text, "{name} += {value};")
            }
            2 => {
                let index = self.value(2);
                write!(self.text, "data[({index}) & 15u] = {value};")
            }
            3 => write!(self.text, "state = {value};"),
            4 => {
                let index = self.value(1);
                write!(self.text, "data[({index}) & 15u] *= {value};")
            }
            5 => {
                let number = self.lets;
                self.lets += 1;
                write!(self.text, "let n{number} = {value};")
            }
            6 | 7 => {
                let condition = self.condition(2);
                let _ = write!(self.text, "if {condition} {{");
                self.statements(depth - 1);
                let _ = write!(self.text, "}} else {{");
                self.statements(depth - 1);
                write!(self.text, "}}")
            }
            8 => {
                let rounds = self.choose(4);
                let name = format!("i{depth}");
                let _ = write!(
                    self.text,
                    "for (var {name} = 0u; {name} < {rounds}u; {name}++) {{"
                );
                self.statements(depth - 1);
                let condition = self.condition(1);
                let word = if self.choose(2) == 0 {
                    "break"
                } else {
                    "continue"
                };
                let _ = write!(self.text, "if {condition} {{ {word}; }}");
                self.statements(depth - 1);
                write!(self.text, "}}")
            }
            _ => {
                let _ = write!(self.text, "switch ({value}) % 3u {{ case 0u: {{");
                self.statements(depth - 1);
                let _ = write!(self.text, "}} default: {{");
                self.statements(depth - 1);
                write!(self.text, "}} }}")
            }
        };
        self.text.push('\n');
    }
}

fn program(numbers: &[u8]) -> String {
    let mut author = Author {
        numbers: numbers.iter(),
        text: HEAD.into(),
        locals: 3,
        lets: 0,
    };
    author.text.push_str("@compute @workgroup_size(1) fn main() {\nstate = data[0];\nvar v0 = 1u; var v1 = data[1]; var v2: u32;\n");
    for depth in [2, 1, 2] {
        author.statements(depth);
    }
    author
        .text
        .push_str("data[15] = v0 ^ v1 ^ v2 ^ state;\n}\n");
    author.text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_programs_do_the_same(numbers in prop::collection::vec(any::<u8>(), 50..600)) {
        let text = program(&numbers);
        let original = Program::from_wgsl(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let words = (0..16u32).map(|index| index.wrapping_mul(0x9e37_79b9) >> 27).collect();
        let memory = Memory::from([(Slot { group: 0, binding: 0 }, words)]);
        let dispatch = Dispatch::new("random", text.clone(), [1, 1, 1], memory);
        let mut programs = vec![original];
        programs.extend(through_spirv(&programs[0]));
        for program in programs {
            // naga's round trip through SPIR-V changes the semantics of some programs, so the result is computed again.
            let expected = run(&program, &dispatch).expect("a random program ends");
            for dialect in [Dialect::WebGpu, Dialect::Naga] {
                let options = WgslOptions::new(dialect);
                let written = write_wgsl(&program, &options).unwrap();
                let again = Program::from_wgsl(&written).unwrap_or_else(|error| panic!("{error}\n{written}"));
                prop_assert_eq!(&write_wgsl(&again, &options).unwrap(), &written);
                let found = run(&again, &dispatch);
                prop_assert_eq!(found.as_ref(), Some(&expected), "{}\n---\n{}", text, written);
            }
        }
    }
}
/// A call whose result is used only as an argument of another call, and loads between them that are used after both.
#[test]
fn calls_stay_before_the_reads_behind_them() {
    let text = HEAD.to_owned()
        + "@compute @workgroup_size(1) fn main() {
    state = data[0];
    let first = touch(3u);
    data[15] = (data[3] + state) * touch(first);
}
";
    let memory = Memory::from([(
        Slot {
            group: 0,
            binding: 0,
        },
        (1..=16).collect(),
    )]);
    let original = Program::from_wgsl(&text).unwrap();
    let program = through_spirv(&original).expect("naga writes and reads it");
    let dispatch = Dispatch::new("calls", text, [1, 1, 1], memory);
    let written = write_wgsl(&program, &WgslOptions::default()).unwrap();
    let again = Program::from_wgsl(&written).unwrap();
    let expected = run(&original, &dispatch);
    assert_eq!(run(&program, &dispatch), expected);
    assert_eq!(run(&again, &dispatch), expected, "{written}");
}
