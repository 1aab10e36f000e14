//! Generates compute shaders from a seed: signed and unsigned integers, and all of GLSL's control flow.
//!
//! A shader is a tree that is written as GLSL and also interpreted here, so the expected results do not depend on any
//! driver.

use std::fmt::Write;

use crate::common::random::Random;

/// The variables of a shader.
#[derive(Clone, Copy)]
struct State {
    u: u32,
    s: i32,
}

/// GLSL text with its semantics.
struct Piece<T> {
    text: &'static str,
    run: fn(&mut State) -> T,
}

impl<T> Clone for Piece<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Piece<T> {}

enum Statement {
    Assign(Piece<()>),
    If(Piece<bool>, Vec<Statement>, Option<Vec<Statement>>),
    /// A loop with an iteration count and a condition. The condition is used by `do` loops, at the end of an iteration.
    Loop(Kind, u32, Piece<bool>, Vec<Statement>),
    Switch(Piece<i32>, Vec<Case>),
    Jump(Piece<bool>, Jump),
    Call,
}

#[derive(Clone, Copy)]
enum Kind {
    For,
    While,
    Do,
}

struct Case {
    is_default: bool,
    value: Option<i32>,
    body: Vec<Statement>,
    breaks: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Jump {
    Break,
    Continue,
    Return,
}

/// A generated shader: a helper function and the entry point.
pub(crate) struct Shader {
    helper: Vec<Statement>,
    main: Vec<Statement>,
}

fn one_of<T>(random: &mut Random, choices: &[Piece<T>]) -> Piece<T> {
    choices[random.below(choices.len() as u64) as usize]
}

/// Generates a shader. The result depends on the seed only.
pub(crate) fn shader(seed: u64) -> Shader {
    let mut generator = Generator {
        random: Random(seed),
        depth: 0,
        around: Vec::new(),
        budget: 40,
        is_helper: true,
    };
    let helper = generator.statements();
    generator.is_helper = false;
    generator.budget = 40;
    let main = generator.statements();
    Shader { helper, main }
}

struct Generator {
    random: Random,
    depth: usize,
    /// For each enclosing loop or switch, whether it is a loop.
    around: Vec<bool>,
    /// Number of statements that may still be generated.
    budget: u32,
    is_helper: bool,
}

impl Generator {
    fn statements(&mut self) -> Vec<Statement> {
        let count = 1 + self.random.below(4);
        (0..count).map(|_| self.statement()).collect()
    }

    fn inner(&mut self) -> Vec<Statement> {
        self.depth += 1;
        let statements = self.statements();
        self.depth -= 1;
        statements
    }

    fn statement(&mut self) -> Statement {
        let is_full = self.budget == 0 || self.depth > 6;
        self.budget = self.budget.saturating_sub(1);
        match self.random.below(12) {
            _ if is_full => self.assignment(),
            3 | 4 => {
                let condition = one_of(&mut self.random, CONDITIONS);
                let accept = self.inner();
                let reject = (self.random.below(2) == 0).then(|| self.inner());
                Statement::If(condition, accept, reject)
            }
            5 | 6 => {
                let kind = [Kind::For, Kind::While, Kind::Do][self.random.below(3) as usize];
                let end = 2 + self.random.below(5) as u32;
                let condition = one_of(&mut self.random, CONDITIONS);
                self.around.push(true);
                let body = self.inner();
                self.around.pop();
                Statement::Loop(kind, end, condition, body)
            }
            7 | 8 => self.switch(),
            9 => {
                let condition = one_of(&mut self.random, CONDITIONS);
                let jump = match self.random.below(4) {
                    0 if self.around.contains(&true) => Jump::Continue,
                    1 | 2 if !self.around.is_empty() => Jump::Break,
                    _ => Jump::Return,
                };
                Statement::Jump(condition, jump)
            }
            10 if !self.is_helper => Statement::Call,
            _ => self.assignment(),
        }
    }

    fn assignment(&mut self) -> Statement {
        Statement::Assign(one_of(&mut self.random, ASSIGNMENTS))
    }

    fn switch(&mut self) -> Statement {
        let selector = one_of(&mut self.random, SELECTORS);
        self.around.push(false);
        let count = 1 + self.random.below(4);
        let default = self.random.below(count + 2);
        let mut cases = Vec::new();
        for case in 0..count {
            cases.push(Case {
                is_default: case == default,
                value: Some(case as i32),
                body: self.inner(),
                // One third of the cases fall through.
                breaks: self.random.below(3) != 0,
            });
        }
        if default == count {
            cases.push(Case {
                is_default: true,
                value: None,
                body: self.inner(),
                breaks: true,
            });
        }
        self.around.pop();
        Statement::Switch(selector, cases)
    }
}

const CONDITIONS: &[Piece<bool>] = &[
    Piece {
        text: "u > 1000u",
        run: |it| it.u > 1000,
    },
    Piece {
        text: "s < 0",
        run: |it| it.s < 0,
    },
    Piece {
        text: "(u & 4u) != 0u",
        run: |it| it.u & 4 != 0,
    },
    Piece {
        text: "s == 3 || u < 77u",
        run: |it| it.s == 3 || it.u < 77,
    },
    Piece {
        text: "s > 5 && (u & 1u) == 0u",
        run: |it| it.s > 5 && it.u & 1 == 0,
    },
    Piece {
        text: "!(s <= int(u))",
        run: |it| it.s > it.u.cast_signed(),
    },
    Piece {
        text: "any(equal(uvec2(u & 3u), uvec2(1u, 2u)))",
        run: |it| matches!(it.u & 3, 1 | 2),
    },
];

const SELECTORS: &[Piece<i32>] = &[
    Piece {
        text: "s & 3",
        run: |it| it.s & 3,
    },
    Piece {
        text: "int(u & 3u)",
        run: |it| (it.u & 3).cast_signed(),
    },
    Piece {
        text: "int(u % 5u)",
        run: |it| (it.u % 5).cast_signed(),
    },
    Piece {
        text: "s >> 29",
        run: |it| it.s >> 29,
    },
];

const ASSIGNMENTS: &[Piece<()>] = &[
    Piece {
        text: "u = u * 1664525u + 1013904223u;",
        run: |it| it.u = it.u.wrapping_mul(1_664_525).wrapping_add(1_013_904_223),
    },
    Piece {
        text: "s = s ^ int(u);",
        run: |it| it.s ^= it.u.cast_signed(),
    },
    Piece {
        text: "u += uint(s) >> 5;",
        run: |it| it.u = it.u.wrapping_add(it.s.cast_unsigned() >> 5),
    },
    Piece {
        text: "s = s >> 2;",
        run: |it| it.s >>= 2,
    },
    Piece {
        text: "u = u << (uint(s) & 7u);",
        run: |it| it.u <<= it.s & 7,
    },
    Piece {
        text: "s = s / 3;",
        run: |it| it.s /= 3,
    },
    Piece {
        text: "u = u / 7u;",
        run: |it| it.u /= 7,
    },
    Piece {
        text: "s = s - (s / 11) * 11;",
        run: |it| it.s -= (it.s / 11) * 11,
    },
    Piece {
        text: "u = (u & 0xff00ffu) | uint(s & 0xff00);",
        run: |it| it.u = it.u & 0x00ff_00ff | (it.s & 0xff00).cast_unsigned(),
    },
    Piece {
        text: "s = s < 0 ? -s : s + 1;",
        run: |it| {
            it.s = if it.s < 0 {
                it.s.wrapping_neg()
            } else {
                it.s.wrapping_add(1)
            }
        },
    },
    Piece {
        text: "u = u > 1000u ? u % 1000u : u;",
        run: |it| it.u = if it.u > 1000 { it.u % 1000 } else { it.u },
    },
    Piece {
        text: "s += bitfieldExtract(s, 3, 5);",
        run: |it| it.s = it.s.wrapping_add(it.s << 24 >> 27),
    },
    Piece {
        text: "u = bitfieldInsert(u, uint(s), 4, 9);",
        run: |it| it.u = it.u & !0x1ff0 | (it.s.cast_unsigned() << 4) & 0x1ff0,
    },
    Piece {
        text: "s = int(bitCount(u)) - s;",
        run: |it| it.s = it.u.count_ones().cast_signed().wrapping_sub(it.s),
    },
    Piece {
        text: "u ^= bitfieldReverse(u);",
        run: |it| it.u ^= it.u.reverse_bits(),
    },
    Piece {
        text: "{ uvec2 v = uvec2(u, uint(s)); v = v.yx + uvec2(3u); u = v.x ^ v.y; }",
        run: |it| it.u = it.s.cast_unsigned().wrapping_add(3) ^ it.u.wrapping_add(3),
    },
    Piece {
        text: "{ ivec3 v = ivec3(s, 2, int(u)); v *= ivec3(3, 5, 7); s = v.x + v.y - v.z; }",
        run: |it| {
            let z = it.u.cast_signed().wrapping_mul(7);
            it.s = it.s.wrapping_mul(3).wrapping_add(10).wrapping_sub(z);
        },
    },
    Piece {
        text: "{ uint carry; uint sum = uaddCarry(u, uint(s), carry); u = sum + carry; }",
        run: |it| {
            let (sum, carry) = it.u.overflowing_add(it.s.cast_unsigned());
            it.u = sum.wrapping_add(carry.into());
        },
    },
    Piece {
        text: "{ uint high, low; umulExtended(u, uint(s), high, low); u = high ^ low; }",
        run: |it| {
            let product = u64::from(it.u) * u64::from(it.s.cast_unsigned());
            it.u = (product >> 32) as u32 ^ product as u32;
        },
    },
    Piece {
        text: "{ int high, low; imulExtended(s, int(u), high, low); s = high ^ low; }",
        run: |it| {
            let product = i64::from(it.s) * i64::from(it.u.cast_signed());
            it.s = (product >> 32) as i32 ^ product as i32;
        },
    },
    Piece {
        text: "{ uint a[4] = uint[4](u, 1u, uint(s), 3u); a[u & 3u] += 9u; u = a[0] ^ a[2] ^ a[3]; }",
        run: |it| {
            let mut a = [it.u, 1, it.s.cast_unsigned(), 3];
            let at = (it.u & 3) as usize;
            a[at] = a[at].wrapping_add(9);
            it.u = a[0] ^ a[2] ^ a[3];
        },
    },
];

impl Shader {
    /// The shader as GLSL.
    pub(crate) fn glsl(&self) -> String {
        let mut writer = Writer {
            text: String::new(),
            depth: 1,
            loops: 0,
            is_helper: true,
        };
        writer.text.push_str(
            "#version 450\n\
             layout(local_size_x = 64) in;\n\
             layout(binding = 0, std430) buffer Data { uint data[]; };\n\n\
             int helper(inout uint u, int s) {\n",
        );
        writer.list(&self.helper);
        writer.text.push_str(
            "    return s;\n}\n\nvoid main() {\n    uint i = gl_GlobalInvocationID.x;\n    \
             uint u = data[i];\n    int s = int(u >> 3) - 77;\n",
        );
        writer.is_helper = false;
        writer.list(&self.main);
        writer.text.push_str("    data[i] = u ^ uint(s);\n}\n");
        writer.text
    }

    /// Interprets the shader for an input.
    pub(crate) fn run(&self, input: u32) -> u32 {
        let mut state = State {
            u: input,
            s: ((input >> 3).cast_signed()).wrapping_sub(77),
        };
        match self.list(&self.main, &mut state) {
            Some(Jump::Return) => state.u.wrapping_add(1),
            _ => state.u ^ state.s.cast_unsigned(),
        }
    }

    fn list(&self, statements: &[Statement], state: &mut State) -> Option<Jump> {
        statements
            .iter()
            .find_map(|statement| self.statement(statement, state))
    }

    fn statement(&self, statement: &Statement, state: &mut State) -> Option<Jump> {
        match statement {
            Statement::Assign(piece) => {
                (piece.run)(state);
                None
            }
            Statement::If(condition, accept, reject) => {
                if (condition.run)(state) {
                    self.list(accept, state)
                } else {
                    self.list(reject.as_ref()?, state)
                }
            }
            Statement::Loop(kind, end, condition, body) => {
                for round in 0..*end {
                    match self.list(body, state) {
                        Some(Jump::Break) => break,
                        Some(Jump::Return) => return Some(Jump::Return),
                        Some(Jump::Continue) | None => {}
                    }
                    let is_do = matches!(kind, Kind::Do);
                    if is_do && !(round + 1 < *end && (condition.run)(state)) {
                        break;
                    }
                }
                None
            }
            Statement::Switch(selector, cases) => {
                let value = (selector.run)(state);
                let found = cases.iter().position(|case| case.value == Some(value));
                let start = found.or_else(|| cases.iter().position(|case| case.is_default))?;
                for case in &cases[start..] {
                    match self.list(&case.body, state) {
                        Some(Jump::Break) => return None,
                        None if case.breaks => return None,
                        None => {}
                        jump => return jump,
                    }
                }
                None
            }
            Statement::Jump(condition, jump) => (condition.run)(state).then_some(*jump),
            Statement::Call => {
                let mut inner = State {
                    u: state.u,
                    s: state.s & 15,
                };
                let result = match self.list(&self.helper, &mut inner) {
                    Some(Jump::Return) => inner.s.wrapping_sub(5),
                    _ => inner.s,
                };
                state.u = inner.u;
                state.s = state.s.wrapping_add(result);
                None
            }
        }
    }
}

struct Writer {
    text: String,
    depth: usize,
    /// Number of loops so far, which numbers the names of their counters.
    loops: usize,
    is_helper: bool,
}

impl Writer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "    ".repeat(self.depth));
    }

    fn list(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn inner(&mut self, statements: &[Statement]) {
        self.depth += 1;
        self.list(statements);
        self.depth -= 1;
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Assign(piece) => self.line(piece.text),
            Statement::If(condition, accept, reject) => {
                self.line(&format!("if ({}) {{", condition.text));
                self.inner(accept);
                if let Some(reject) = reject {
                    self.line("} else {");
                    self.inner(reject);
                }
                self.line("}");
            }
            Statement::Loop(kind, end, condition, body) => {
                let k = format!("k{}", self.loops);
                self.loops += 1;
                let (begin, close) = match kind {
                    Kind::For => (
                        format!("for (int {k} = 0; {k} < {end}; {k}++) {{"),
                        "}".to_owned(),
                    ),
                    Kind::While => (
                        format!("int {k} = 0; while ({k}++ < {end}) {{"),
                        "}".to_owned(),
                    ),
                    Kind::Do => (
                        format!("int {k} = 0; do {{"),
                        format!("}} while (++{k} < {end} && ({}));", condition.text),
                    ),
                };
                self.line(&begin);
                self.inner(body);
                self.line(&close);
            }
            Statement::Switch(selector, cases) => {
                self.line(&format!("switch ({}) {{", selector.text));
                for case in cases {
                    if case.is_default {
                        self.line("default:");
                    }
                    if let Some(value) = case.value {
                        self.line(&format!("case {value}:"));
                    }
                    self.inner(&case.body);
                    if case.breaks {
                        self.line("    break;");
                    }
                }
                self.line("}");
            }
            Statement::Jump(condition, jump) => {
                let jump = match jump {
                    Jump::Break => "break;",
                    Jump::Continue => "continue;",
                    Jump::Return if self.is_helper => "return s - 5;",
                    Jump::Return => "{ data[i] = u + 1u; return; }",
                };
                self.line(&format!("if ({}) {jump}", condition.text));
            }
            Statement::Call => self.line("s += helper(u, s & 15);"),
        }
    }
}
