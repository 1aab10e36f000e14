//! A generator of random kernels that index every kind of array with every kind of index.
//!
//! In: a seed. Out: WGSL with a result for each invocation. Results depend only on read-only data, so that every engine
//! must agree; the contents of randomly written elements are unpredictable, and nothing depends on them.

use std::fmt::Write;

use super::random::Random;

/// The binding of the atomics.
const ATOMICS: u32 = 3;

/// Invocations of a workgroup.
pub(crate) const WORKGROUP: u32 = 48;

/// A type of elements.
struct Element {
    name: &'static str,
    /// Whether uniform memory can have arrays of it.
    can_be_uniform: bool,
    /// How a `u32` comes out of `@`, an element; `J` is an index.
    read: &'static [&'static str],
    write: &'static [&'static str],
}

const ELEMENTS: &[Element] = &[
    Element {
        name: "u32",
        can_be_uniform: false,
        read: &["@"],
        write: &["@ = v;", "@ += v;"],
    },
    Element {
        name: "i32",
        can_be_uniform: false,
        read: &["u32(@)"],
        write: &["@ = i32(v);", "@ -= i32(v);"],
    },
    Element {
        name: "f32",
        can_be_uniform: false,
        read: &["bitcast<u32>(@)"],
        write: &["@ = f32(v);"],
    },
    Element {
        name: "vec2<u32>",
        can_be_uniform: false,
        read: &["@.x", "@[J]", "dot(@, vec2(3u, 5u))"],
        write: &["@ = vec2(v);", "@.y = v;", "@[J] = v;"],
    },
    Element {
        name: "vec3<u32>",
        can_be_uniform: true,
        read: &["@.z", "@[J]", "dot(@, vec3(3u, 5u, 7u))"],
        write: &["@ = vec3(v);", "@.z = v;", "@[J] = v;"],
    },
    Element {
        name: "vec4<f32>",
        can_be_uniform: true,
        read: &[
            "bitcast<u32>(@.w)",
            "bitcast<vec4<u32>>(@)[J]",
            "bitcast<u32>(@[J])",
        ],
        write: &["@ = vec4(f32(v));", "@.w = 1.5;", "@[J] = 2.5;"],
    },
    Element {
        name: "mat2x2<f32>",
        can_be_uniform: true,
        read: &["bitcast<u32>(@[J][J])", "bitcast<u32>(@[1].y)"],
        write: &["@[J][J] = 1.0;", "@[J] = vec2(2.0);"],
    },
    Element {
        name: "array<u32, 3>",
        can_be_uniform: false,
        read: &["@[J]", "@[2]"],
        write: &["@[J] = v;", "@[2] += v;"],
    },
    Element {
        name: "Pair",
        can_be_uniform: false,
        read: &["@.second.y", "@.list[J]", "copied(@)", "@.second[J]"],
        write: &[
            "@.list[J] = v;",
            "@ = Pair(v, vec3(v), array(v, v, v));",
            "@.second = vec3(v);",
        ],
    },
];

const DECLARATIONS: &str = "
struct Pair { first: u32, second: vec3<u32>, list: array<u32, 3> }
fn copied(pair: Pair) -> u32 { return pair.first ^ pair.second.y ^ pair.list[1]; }
var<private> own: array<u32, 7>;
var<workgroup> together: array<u32, 13>;
";

/// The binding of the results.
pub(crate) const RESULTS: u32 = 4;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    Written,
    Atomic,
}

struct Array {
    /// The expression before the brackets.
    path: String,
    element: &'static Element,
    what: Use,
    is_runtime_sized: bool,
}

struct Generator {
    random: Random,
    arrays: Vec<Array>,
    text: String,
    depth: usize,
    loops: usize,
    /// The counters of the enclosing strided loops.
    counters: Vec<String>,
}

/// The text of a kernel with the entry point `main`.
pub(crate) fn generate(seed: u64) -> String {
    let mut generator = Generator {
        random: Random::new(seed),
        arrays: Vec::new(),
        text: DECLARATIONS.to_owned(),
        depth: 0,
        loops: 0,
        counters: Vec::new(),
    };
    for number in 0..RESULTS {
        generator.buffer(number);
    }
    generator.line(&format!(
        "@group(0) @binding({RESULTS}) var<storage, read_write> results: array<u32>;"
    ));
    generator.line(&format!(
        "@compute @workgroup_size({WORKGROUP}) fn main(\
         @builtin(global_invocation_id) id: vec3<u32>, \
         @builtin(local_invocation_index) local: u32, \
         @builtin(workgroup_id) group: vec3<u32>) {{"
    ));
    // Literals are added to a run-time zero: a constant out-of-bounds index would be refused.
    generator.line("let zero = id.y; var sum = id.x; var v = local * 77u;");
    generator.line("together[local % 13u] = v;");
    for _ in 0..4 + generator.random.below(8) {
        generator.statement();
    }
    generator.line("results[id.x] = sum; }");
    generator.text
}

impl Generator {
    fn line(&mut self, text: &str) {
        let indent = "    ".repeat(self.depth);
        let _ = writeln!(self.text, "{indent}{text}");
    }

    /// Declares a random buffer.
    fn buffer(&mut self, number: u32) {
        let element = &ELEMENTS[self.random.below(ELEMENTS.len() as u32) as usize];
        let name = element.name;
        // The last one is for atomics, and some of the others are written.
        let what = match (number, self.random.below(3)) {
            (ATOMICS, _) => Use::Atomic,
            (0, _) | (_, 0) => Use::Read,
            _ => Use::Written,
        };
        let access = match what {
            Use::Read => "read",
            _ => "read_write",
        };
        let fixed = 1 + self.random.below(6);
        let head = format!("@group(0) @binding({number}) var<");
        if what == Use::Atomic {
            self.line(&format!(
                "{head}storage, read_write> b{number}: array<atomic<u32>>;"
            ));
            self.arrays.push(Array {
                path: format!("b{number}"),
                element: &ELEMENTS[0],
                what,
                is_runtime_sized: true,
            });
            return;
        }
        let add = |this: &mut Self, path: String, is_runtime_sized| {
            this.arrays.push(Array {
                path,
                element,
                what,
                is_runtime_sized,
            });
        };
        match self.random.below(5) {
            0 if what == Use::Read && element.can_be_uniform => {
                self.line(&format!(
                    "{head}uniform> b{number}: array<{name}, {fixed}>;"
                ));
                add(self, format!("b{number}"), false);
            }
            1 => {
                self.line(&format!(
                    "{head}storage, {access}> b{number}: array<{name}, {fixed}>;"
                ));
                add(self, format!("b{number}"), false);
            }
            2 => {
                self.line(&format!(
                    "struct S{number} {{ head: array<vec4<u32>, {fixed}>, tail: array<{name}> }}"
                ));
                self.line(&format!("{head}storage, {access}> b{number}: S{number};"));
                add(self, format!("b{number}.tail"), true);
            }
            _ => {
                self.line(&format!(
                    "{head}storage, {access}> b{number}: array<{name}>;"
                ));
                add(self, format!("b{number}"), true);
            }
        }
    }

    fn statement(&mut self) {
        match self.random.below(if self.depth < 3 { 14 } else { 8 }) {
            0..=3 => {
                let value = self.read();
                self.line(&format!("sum = sum * 31u + {value};"));
            }
            4 | 5 => self.write(),
            6 => {
                // The contents of workgroup memory depend on the schedule: they go to a sink that is not compared.
                let statement = self.random.pick(&[
                    "own[J] = sum;",
                    "together[J] = v;",
                    "sum ^= own[J];",
                    "v ^= together[J];",
                ]);
                let statement = self.fill(statement, "");
                self.line(&statement);
            }
            7 => {
                let value = self.read();
                self.line(&format!("v = v * 5u + {value};"));
            }
            8 | 9 => {
                let index = self.index(1);
                let condition = self.random.pick(&["% 3u == 1u", "< 20u", "> 0x70000000u"]);
                self.line(&format!("if {index} {condition} {{"));
                self.block();
                if self.random.below(2) == 0 {
                    self.line("} else {");
                    self.block();
                }
                self.line("}");
            }
            12 | 13 => self.strided_loop(),
            _ => {
                let end = self.random.pick(&["3u", "local % 5u", "group.x + 2u"]);
                let name = format!("k{}", self.loops);
                self.loops += 1;
                self.line(&format!(
                    "for (var {name} = 0u; {name} < {end}; {name}++) {{"
                ));
                self.line(&format!("v += {name};"));
                self.block();
                self.line("}");
            }
        }
    }

    /// A loop whose counter begins at the number of the invocation. It may be anywhere in the range of its type, and
    /// makes few iterations.
    fn strided_loop(&mut self) {
        let name = format!("k{}", self.loops);
        self.loops += 1;
        let start = self
            .random
            .pick(&["local", "id.x", "(id.x * 2u)", "(zero - 20u + local)"]);
        let step = self.random.pick(&["48u", "16u", "(group.x + 5u)"]);
        let count = 1 + self.random.below(3);
        self.line(&format!("var n{name} = 0u;"));
        self.line(&format!(
            "for (var {name} = {start}; n{name} < {count}u + local % 2u; {name} += {step}) {{"
        ));
        self.line(&format!("n{name}++;"));
        self.counters.push(name);
        self.block();
        self.counters.pop();
        self.line("}");
    }

    fn block(&mut self) {
        self.depth += 1;
        for _ in 0..1 + self.random.below(3) {
            self.statement();
        }
        self.depth -= 1;
    }

    /// Something read, as a `u32`.
    fn read(&mut self) -> String {
        let readable: Vec<_> = (0..self.arrays.len())
            .filter(|array| self.arrays[*array].what == Use::Read)
            .collect();
        let array = self.random.pick(&readable);
        if self.arrays[array].is_runtime_sized && self.random.below(8) == 0 {
            return format!("arrayLength(&{})", self.arrays[array].path);
        }
        let place = self.place(array);
        let form = self.random.pick(self.arrays[array].element.read);
        self.fill(form, &place)
    }

    fn write(&mut self) {
        let writable: Vec<_> = (0..self.arrays.len())
            .filter(|array| self.arrays[*array].what != Use::Read)
            .collect();
        let array = self.random.pick(&writable);
        let place = self.place(array);
        if self.arrays[array].what == Use::Atomic {
            let call = self.random.pick(&[
                "atomicAdd(&@, v);",
                "atomicStore(&@, v);",
                "_ = atomicMax(&@, v);",
                "_ = atomicExchange(&@, v);",
                "_ = atomicCompareExchangeWeak(&@, 0u, v);",
                "_ = atomicLoad(&@);",
            ]);
            return self.line(&call.replace('@', &place));
        }
        let form = self.random.pick(self.arrays[array].element.write);
        let statement = self.fill(form, &place);
        self.line(&statement);
    }

    /// An element of an array, anywhere.
    fn place(&mut self, array: usize) -> String {
        let index = if self.arrays[array].is_runtime_sized && self.random.below(6) == 0 {
            format!("{}u", self.random.below(60))
        } else {
            let index = self.index(3);
            self.signed(index)
        };
        format!("{}[{index}]", self.arrays[array].path)
    }

    /// Perhaps the same as an `i32`.
    fn signed(&mut self, index: String) -> String {
        match self.random.below(3) {
            0 => format!("i32({index})"),
            _ => index,
        }
    }

    fn literal(&mut self) -> u32 {
        let absurd = [u32::MAX, 1 << 31, 1 << 30, (1 << 30) - 1, 0x7fff_fffc];
        match self.random.below(3) {
            0 => self.random.pick(&absurd),
            _ => self.random.below(40),
        }
    }

    fn fill(&mut self, form: &str, place: &str) -> String {
        let mut text = String::new();
        for letter in form.chars() {
            match letter {
                '@' => text.push_str(place),
                'J' => {
                    let index = self.index(1);
                    text += &self.signed(index);
                }
                other => text.push(other),
            }
        }
        text
    }

    /// An index: small, or huge. It depends on nothing that is written.
    fn index(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.below(3) == 0 {
            if !self.counters.is_empty() && self.random.below(2) == 0 {
                let counter = self.random.below(self.counters.len() as u32);
                return self.counters[counter as usize].clone();
            }
            return match self.random.below(7) {
                0 => "id.x".to_owned(),
                1 => "local".to_owned(),
                2 => "group.x".to_owned(),
                3 => format!("(id.x * {}u)", self.random.below(9)),
                4 | 5 => format!("(zero + {}u)", self.literal()),
                _ => "sum".to_owned(),
            };
        }
        let (a, b) = (self.index(depth - 1), self.index(depth - 1));
        let end = 1 + self.random.below(70);
        match self.random.below(14) {
            8 => format!("min({a}, {end}u)"),
            9 => format!("u32(clamp(i32({a}), -2, i32({end}u)))"),
            10 => format!("({a} & {end}u)"),
            11 => format!("select({a} + 1u, zero, {a} == {end}u)"),
            12 => format!("select({a} - 1u, zero + {end}u, {a} == 0u)"),
            13 => {
                let by = self.random.pick(&["2u", "(group.x + 1u)", "16u"]);
                format!("(({a} / {by}) * 2u * {by} + {a} % {by})")
            }
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} * {b})"),
            3 => format!("({a} ^ {b})"),
            4 => format!("({a} % {end}u)"),
            5 => format!("({a} << ({b} % 32u))"),
            6 => format!("select({a}, {b}, local % 2u == 0u)"),
            _ => format!("({a} + local)"),
        }
    }
}
