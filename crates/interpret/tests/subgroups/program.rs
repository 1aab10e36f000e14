//! Small structured programs over one word of state per lane, and their WGSL.

use std::fmt::Write;

/// A varying number: `(x * factor >> shift) & mask`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number {
    pub(crate) of: Of,
    pub(crate) factor: u32,
    pub(crate) shift: u32,
    pub(crate) mask: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Of {
    /// The lane index.
    Lane,
    /// The state of the lane.
    State,
}

/// Whether a number is less than another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition(pub(crate) Number, pub(crate) u32);

/// The operation; its result is added to 31 times the state.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    Ballot(Condition),
    Add,
    ExclusiveAdd,
    Max,
    First,
    Xor(u32),
    Up(u32),
    Barrier,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Leave {
    Break,
    Continue,
    Return,
}

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Operate(Operation),
    If(Condition, Vec<Statement>, Vec<Statement>),
    /// The last case is the default.
    Switch(Number, Vec<Vec<Statement>>),
    Loop {
        most: Number,
        body: Vec<Statement>,
        continuing: Vec<Statement>,
        break_if: Option<Condition>,
    },
    Leave(Leave),
    Call(usize),
    /// A workgroup barrier.
    WorkgroupBarrier,
}

/// Functions that call only those before them; the last is the entry point.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) functions: Vec<Vec<Statement>>,
    pub(crate) workgroup: u32,
}

impl Number {
    fn wgsl(self) -> String {
        let of = match self.of {
            Of::Lane => "lane",
            Of::State => "state",
        };
        format!(
            "(({of} * {}u >> {}u) & {}u)",
            self.factor, self.shift, self.mask
        )
    }

    pub(crate) fn value(self, lane: u32, state: u32) -> u32 {
        let of = match self.of {
            Of::Lane => lane,
            Of::State => state,
        };
        of.wrapping_mul(self.factor) >> self.shift & self.mask
    }
}

impl Condition {
    fn wgsl(self) -> String {
        format!("{} < {}u", self.0.wgsl(), self.1)
    }

    pub(crate) fn holds(self, lane: u32, state: u32) -> bool {
        self.0.value(lane, state) < self.1
    }
}

impl Program {
    pub(crate) fn wgsl(&self) -> String {
        let mut out = String::from(
            "var<private> lane: u32;\nvar<private> state: u32;\n\
             fn mixed(b: vec4<u32>) -> u32 { return b.x ^ b.y * 3u ^ b.z * 5u ^ b.w * 7u; }\n",
        );
        let (entry, called) = self.functions.split_last().expect("an entry point");
        for (index, body) in called.iter().enumerate() {
            writeln!(out, "fn f{index}() {{").unwrap();
            block(&mut out, body);
            out.push_str("}\n");
        }
        // The caller stores the state, so that a `return` does not lose it.
        out.push_str("fn entry() {\n");
        block(&mut out, entry);
        writeln!(
            out,
            "}}\n@compute @workgroup_size({})\n\
             fn main(@builtin(local_invocation_index) index: u32,\n\
             @builtin(subgroup_invocation_id) id: u32) {{\n\
             lane = id;\nstate = data[index];\nentry();\ndata[index] = state;\n}}",
            self.workgroup
        )
        .unwrap();
        out
    }
}

fn block(out: &mut String, statements: &[Statement]) {
    for statement in statements {
        write_statement(out, statement).unwrap();
    }
}

fn write_statement(out: &mut String, statement: &Statement) -> std::fmt::Result {
    match statement {
        Statement::Operate(operation) => writeln!(out, "{}", operation_wgsl(*operation)),
        Statement::If(condition, accept, reject) => {
            writeln!(out, "if {} {{", condition.wgsl())?;
            block(out, accept);
            writeln!(out, "}} else {{")?;
            block(out, reject);
            writeln!(out, "}}")
        }
        Statement::Switch(selector, cases) => {
            writeln!(out, "switch {} {{", selector.wgsl())?;
            for (index, case) in cases.iter().enumerate() {
                if index + 1 == cases.len() {
                    writeln!(out, "default: {{")?;
                } else {
                    // Two values select each case, so that lanes with both must reconverge in it.
                    writeln!(out, "case {}u, {}u: {{", 2 * index, 2 * index + 1)?;
                }
                block(out, case);
                writeln!(out, "}}")?;
            }
            writeln!(out, "}}")
        }
        Statement::Loop {
            most,
            body,
            continuing,
            break_if,
        } => {
            writeln!(out, "{{ var passes = 0u; let most = {};", most.wgsl())?;
            writeln!(out, "loop {{ if passes >= most {{ break; }} passes++;")?;
            block(out, body);
            writeln!(out, "continuing {{")?;
            block(out, continuing);
            if let Some(condition) = break_if {
                writeln!(out, "break if {};", condition.wgsl())?;
            }
            writeln!(out, "}} }} }}")
        }
        Statement::Leave(Leave::Break) => writeln!(out, "break;"),
        Statement::Leave(Leave::Continue) => writeln!(out, "continue;"),
        Statement::Leave(Leave::Return) => writeln!(out, "return;"),
        Statement::Call(index) => writeln!(out, "f{index}();"),
        Statement::WorkgroupBarrier => writeln!(out, "workgroupBarrier();"),
    }
}

fn operation_wgsl(operation: Operation) -> String {
    let value = match operation {
        Operation::Ballot(condition) => format!("mixed(subgroupBallot({}))", condition.wgsl()),
        Operation::Add => "subgroupAdd(state)".to_owned(),
        Operation::ExclusiveAdd => "subgroupExclusiveAdd(state)".to_owned(),
        Operation::Max => "subgroupMax(state)".to_owned(),
        Operation::First => "subgroupBroadcastFirst(state)".to_owned(),
        Operation::Xor(mask) => format!("subgroupShuffleXor(state, {mask}u)"),
        Operation::Up(delta) => format!("subgroupShuffleUp(state, {delta}u)"),
        Operation::Barrier => return "subgroupBarrier();".to_owned(),
    };
    format!("state = state * 31u + {value};")
}
