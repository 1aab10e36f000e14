//! Generates control-flow graphs that no structured source language produces, as SPIR-V assembly.
//!
//! Loops whose continue target is their header, conditions without a merge, unreachable merges, switch cases with
//! fallthrough, phis that swap their values in a loop, blocks in any order that SPIR-V allows. Every block updates a
//! trace value and chooses its successor by it, so the result identifies the path taken. The expected result is
//! computed by interpreting the graph.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use crate::common::random::Random;

/// The number of a block, used as its label.
type Label = usize;

/// Maximal number of iterations of all loops together.
const ROUNDS: u32 = 60;

#[derive(Clone, Copy, PartialEq)]
enum Merge {
    None,
    Selection(Label),
    Loop { merge: Label, again: Label },
}

#[derive(Clone)]
enum End {
    Jump(Label),
    /// A branch on the block's condition.
    If(Label, Label),
    /// A branch on the block's condition while iterations are left, else to the second block.
    Rounds(Label, Label),
    Switch {
        default: Label,
        cases: Vec<(u32, Label)>,
    },
    Return,
    Unreachable,
}

impl End {
    fn targets(&self) -> Vec<Label> {
        match self {
            Self::Jump(to) => vec![*to],
            Self::If(accept, reject) | Self::Rounds(accept, reject) => vec![*accept, *reject],
            Self::Switch { default, cases } => {
                let cases = cases.iter().map(|(_, to)| *to);
                std::iter::once(*default).chain(cases).collect()
            }
            Self::Return | Self::Unreachable => Vec::new(),
        }
    }
}

struct Block {
    merge: Merge,
    end: End,
    /// The condition: three bits of the trace, from this bit on, are greater than `limit`.
    shift: u32,
    limit: u32,
    /// The operand of the block's phi for each predecessor; empty if there is no phi.
    phi: BTreeMap<Label, Taken>,
    /// The operands of a second phi, which swaps with the first one in a loop.
    other: BTreeMap<Label, Taken>,
}

#[derive(Clone, Copy)]
enum Taken {
    Constant(u32),
    /// The first phi of the same block, in the previous iteration.
    First,
    Second,
}

/// The jump targets of the enclosing constructs.
#[derive(Clone, Copy, Default)]
struct Around {
    /// The merge block and the continue target of the loop.
    inside: Option<(Label, Label)>,
    /// The merge block of the switch.
    switch: Option<Label>,
    is_continuing: bool,
}

impl Around {
    fn exits(&self) -> Vec<Label> {
        let inside = self
            .inside
            .iter()
            .flat_map(|(merge, again)| [*merge, *again]);
        inside.chain(self.switch).collect()
    }
}

pub(crate) struct Graph {
    blocks: BTreeMap<Label, Block>,
    order: Vec<Label>,
    random: Random,
    budget: i32,
}

const START: Label = 1;

impl Graph {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let budget = 6 + random.below(35) as i32;
        let mut graph = Self {
            blocks: BTreeMap::new(),
            order: Vec::new(),
            random,
            budget,
        };
        let start = graph.block();
        graph.region(start, None, Around::default(), 0);
        graph.leave_out_unreached();
        graph.give_phis();
        graph
    }

    fn block(&mut self) -> Label {
        let label = self.blocks.len() + START;
        let block = Block {
            merge: Merge::None,
            end: End::Unreachable,
            shift: self.random.below(6) as u32,
            limit: 1 + self.random.below(6) as u32,
            phi: BTreeMap::new(),
            other: BTreeMap::new(),
        };
        self.blocks.insert(label, block);
        label
    }

    fn end(&mut self, label: Label, end: End) {
        self.at(label).end = end;
    }

    fn at(&mut self, label: Label) -> &mut Block {
        self.blocks.get_mut(&label).unwrap()
    }

    fn shuffled(&mut self, first: Label, second: Label) -> (Label, Label) {
        if self.random.once_in(2) {
            (first, second)
        } else {
            (second, first)
        }
    }

    /// Generates the blocks from an open block until control flow goes to `next` or returns.
    fn region(&mut self, open: Label, next: Option<Label>, around: Around, depth: u32) {
        let mut open = open;
        loop {
            self.budget -= 1;
            let choice = if self.budget < 0 || depth > 6 {
                0
            } else {
                self.random.below(100)
            };
            let exits = around.exits();
            open = match choice {
                0..25 => {
                    let end = next.map_or(End::Return, End::Jump);
                    return self.end(open, end);
                }
                25..32 if !exits.is_empty() => {
                    let exit = self.random.pick(&exits);
                    return self.end(open, End::Jump(exit));
                }
                25..32 if !around.is_continuing => return self.end(open, End::Return),
                32..45 if !exits.is_empty() => {
                    let on = self.block();
                    let exit = self.random.pick(&exits);
                    let (accept, reject) = self.shuffled(exit, on);
                    self.end(open, End::If(accept, reject));
                    on
                }
                45..62 => self.selection(open, around, depth),
                62..80 => self.repetition(open, depth),
                80..93 => self.switch(open, around, depth),
                _ => {
                    let on = self.block();
                    self.end(open, End::Jump(on));
                    on
                }
            };
        }
    }

    fn selection(&mut self, open: Label, around: Around, depth: u32) -> Label {
        let (merge, accept) = (self.block(), self.block());
        self.at(open).merge = Merge::Selection(merge);
        match self.random.below(6) {
            0 | 1 => {
                let (first, second) = self.shuffled(accept, merge);
                self.end(open, End::If(first, second));
                self.region(accept, Some(merge), around, depth + 1);
            }
            2..=4 => {
                let reject = self.block();
                self.end(open, End::If(accept, reject));
                self.region(accept, Some(merge), around, depth + 1);
                self.region(reject, Some(merge), around, depth + 1);
            }
            // An unreachable merge: neither branch goes to it.
            _ => {
                let reject = self.block();
                self.end(open, End::If(accept, reject));
                let exits = around.exits();
                for side in [accept, reject] {
                    let end = match exits.is_empty() {
                        false => End::Jump(self.random.pick(&exits)),
                        true if around.is_continuing => End::Jump(merge),
                        true => End::Return,
                    };
                    self.end(side, end);
                }
            }
        }
        merge
    }

    fn repetition(&mut self, open: Label, depth: u32) -> Label {
        let (header, merge) = (self.block(), self.block());
        self.end(open, End::Jump(header));
        if self.random.once_in(8) {
            let again = header;
            self.at(header).merge = Merge::Loop { merge, again };
            self.end(header, End::Rounds(header, merge));
            return merge;
        }
        let again = self.block();
        self.at(header).merge = Merge::Loop { merge, again };
        let around = Around {
            inside: Some((merge, again)),
            ..Around::default()
        };
        let asks_first = self.random.once_in(2);
        let body = self.block();
        let end = match (asks_first, self.random.below(4)) {
            (true, _) => End::Rounds(body, merge),
            (_, 0) => End::If(body, again),
            (_, 1) => End::If(merge, body),
            _ => End::Jump(body),
        };
        self.end(header, end);
        self.region(body, Some(again), around, depth + 1);
        let mut last = again;
        if self.random.once_in(2) {
            last = self.block();
            let around = Around {
                is_continuing: true,
                ..Around::default()
            };
            self.region(again, Some(last), around, depth + 3);
        }
        let end = match (asks_first, self.random.below(3)) {
            (true, 0) => End::If(merge, header),
            (true, _) => End::Jump(header),
            (false, _) => End::Rounds(header, merge),
        };
        self.end(last, end);
        merge
    }

    fn switch(&mut self, open: Label, around: Around, depth: u32) -> Label {
        let merge = self.block();
        self.at(open).merge = Merge::Selection(merge);
        let bodies: Vec<Label> = (0..1 + self.random.below(4))
            .map(|_| self.block())
            .collect();
        let mut values: Vec<u32> = (0..8).collect();
        let mut value =
            |random: &mut Random| values.swap_remove(random.below(values.len() as u64) as usize);
        let mut cases = Vec::new();
        for body in &bodies {
            cases.push((value(&mut self.random), *body));
            if self.random.once_in(4) {
                cases.push((value(&mut self.random), *body));
            }
        }
        let mut own_default = None;
        let default = match self.random.below(3) {
            0 => merge,
            1 => *own_default.insert(self.block()),
            _ => self.random.pick(&bodies),
        };
        self.end(open, End::Switch { default, cases });
        let around = Around {
            switch: Some(merge),
            ..around
        };
        for (index, body) in bodies.iter().enumerate() {
            let below = bodies.get(index + 1).filter(|_| self.random.once_in(3));
            let next = below.copied().unwrap_or(merge);
            self.region(*body, Some(next), around, depth + 1);
        }
        if let Some(default) = own_default {
            self.region(default, Some(merge), around, depth + 1);
        }
        merge
    }

    /// Keeps reachable blocks, and merge blocks and continue targets, which must exist. Sorts the blocks in reverse
    /// postorder, so that each comes after its dominators.
    fn leave_out_unreached(&mut self) {
        let mut seen = HashSet::new();
        let mut ended = Vec::new();
        let mut stack = vec![(START, false)];
        while let Some((label, is_over)) = stack.pop() {
            if is_over {
                ended.push(label);
            } else if seen.insert(label) {
                stack.push((label, true));
                let mut targets = self.blocks[&label].end.targets();
                if self.random.once_in(2) {
                    targets.reverse();
                }
                stack.extend(targets.into_iter().map(|to| (to, false)));
            }
        }
        ended.reverse();
        self.order = ended;
        for index in 0..self.order.len() {
            let header = self.order[index];
            let kept = match self.blocks[&header].merge {
                Merge::None => vec![],
                Merge::Selection(merge) => vec![(merge, End::Unreachable)],
                Merge::Loop { merge, again } => {
                    vec![(merge, End::Unreachable), (again, End::Jump(header))]
                }
            };
            for (label, end) in kept {
                if seen.insert(label) {
                    self.at(label).merge = Merge::None;
                    self.end(label, end);
                    self.order.push(label);
                }
            }
        }
        self.blocks.retain(|label, _| seen.contains(label));
    }

    fn give_phis(&mut self) {
        let mut before: BTreeMap<Label, Vec<Label>> = BTreeMap::new();
        for (label, block) in &self.blocks {
            let targets: HashSet<Label> = block.end.targets().into_iter().collect();
            for to in targets {
                before.entry(to).or_default().push(*label);
            }
        }
        for (label, before) in before {
            if before.len() < 2 {
                continue;
            }
            let inside = match self.blocks[&label].merge {
                Merge::Loop { merge, again } => Some((merge, again)),
                _ => None,
            };
            for from in before {
                // On back edges the operands are the header's own phis, swapped.
                let is_back = inside.is_some_and(|(merge, again)| {
                    from == again || self.is_behind(again, from, [label, merge])
                });
                let constants = [0, 1].map(|number| (from * 31 + label * 7 + number * 3) as u32);
                let [first, second] = if is_back {
                    [Taken::Second, Taken::First]
                } else {
                    constants.map(Taken::Constant)
                };
                let block = self.at(label);
                block.phi.insert(from, first);
                if inside.is_some() {
                    block.other.insert(from, second);
                }
            }
        }
    }

    /// Whether a block is reachable from the continue target without leaving the loop.
    fn is_behind(&self, again: Label, block: Label, ends: [Label; 2]) -> bool {
        let mut seen = HashSet::from(ends);
        let mut stack = vec![again];
        while let Some(label) = stack.pop() {
            if seen.insert(label) {
                if label == block {
                    return true;
                }
                stack.extend(self.blocks[&label].end.targets());
            }
        }
        false
    }

    /// Interprets the graph for an input.
    pub(crate) fn run(&self, input: u32) -> u32 {
        let (mut trace, mut rounds) = (input, 0);
        let mut phis: BTreeMap<Label, (u32, u32)> = BTreeMap::new();
        let (mut from, mut label) = (0, START);
        loop {
            let block = &self.blocks[&label];
            let old = phis.get(&label).copied().unwrap_or_default();
            let take = |taken: &BTreeMap<Label, Taken>| match taken.get(&from) {
                Some(Taken::Constant(value)) => *value,
                Some(Taken::First) => old.0,
                Some(Taken::Second) => old.1,
                None => 0,
            };
            let new = (take(&block.phi), take(&block.other));
            phis.insert(label, new);
            trace = (trace.wrapping_mul(31).wrapping_add(label as u32)) ^ new.0.wrapping_sub(new.1);
            let looked_at = (trace >> block.shift) & 7;
            let is_accepted = looked_at > block.limit;
            let next = match &block.end {
                End::Jump(to) => *to,
                End::If(accept, reject) => [*reject, *accept][usize::from(is_accepted)],
                End::Rounds(stay, leave) => {
                    rounds += 1;
                    [*leave, *stay][usize::from(is_accepted && rounds < ROUNDS)]
                }
                End::Switch { default, cases } => {
                    let case = cases.iter().find(|(value, _)| *value == looked_at);
                    case.map_or(*default, |(_, to)| *to)
                }
                End::Return | End::Unreachable => return trace,
            };
            (from, label) = (label, next);
        }
    }

    /// The module as assembly.
    pub(crate) fn assembly(&self) -> String {
        let mut body = String::new();
        for label in &self.order {
            self.write_block(*label, &mut body);
        }
        let mut constants = HashSet::from([0, 1, 7, 31, ROUNDS]);
        for (label, block) in &self.blocks {
            constants.extend([*label as u32, block.shift, block.limit]);
            for taken in block.phi.values().chain(block.other.values()) {
                if let Taken::Constant(value) = taken {
                    constants.insert(*value);
                }
            }
        }
        let mut constants: Vec<u32> = constants.into_iter().collect();
        constants.sort_unstable();
        let constants: String = constants
            .iter()
            .map(|value| format!("%c{value} = OpConstant %uint {value}\n"))
            .collect();
        format!("{HEAD}{constants}{MAIN}{body}OpFunctionEnd\n")
    }

    fn write_block(&self, label: Label, text: &mut String) {
        let block = &self.blocks[&label];
        let n = label;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "%b{n} = OpLabel");
        if n == START {
            text.push_str("%trace = OpVariable %to_own Function\n%rounds = OpVariable %to_own Function %c0\nOpStore %trace %input\n");
        }
        for (name, phi) in [("p", &block.phi), ("q", &block.other)] {
            if phi.is_empty() {
                continue;
            }
            let _ = write!(text, "%{name}{n} = OpPhi %uint");
            for (from, taken) in phi {
                let _ = match taken {
                    Taken::Constant(value) => write!(text, " %c{value} %b{from}"),
                    Taken::First => write!(text, " %p{n} %b{from}"),
                    Taken::Second => write!(text, " %q{n} %b{from}"),
                };
            }
            text.push('\n');
        }
        let phi = |name, phi: &BTreeMap<_, _>| {
            if phi.is_empty() {
                "%c0".to_owned()
            } else {
                format!("%{name}{n}")
            }
        };
        let (first, second) = (phi("p", &block.phi), phi("q", &block.other));
        let (shift, limit) = (block.shift, block.limit);
        let _ = write!(
            text,
            "%t{n} = OpLoad %uint %trace
%u{n} = OpIMul %uint %t{n} %c31
%v{n} = OpIAdd %uint %u{n} %c{n}
%d{n} = OpISub %uint {first} {second}
%w{n} = OpBitwiseXor %uint %v{n} %d{n}
OpStore %trace %w{n}
%s{n} = OpShiftRightLogical %uint %w{n} %c{shift}
%l{n} = OpBitwiseAnd %uint %s{n} %c7
%a{n} = OpUGreaterThan %bool %l{n} %c{limit}
"
        );
        if let End::Rounds(..) = block.end {
            let _ = write!(
                text,
                "%e{n} = OpLoad %uint %rounds
%f{n} = OpIAdd %uint %e{n} %c1
OpStore %rounds %f{n}
%g{n} = OpULessThan %bool %f{n} %c{ROUNDS}
%h{n} = OpLogicalAnd %bool %a{n} %g{n}
"
            );
        }
        let _ = match block.merge {
            Merge::None => Ok(()),
            Merge::Selection(merge) => writeln!(text, "OpSelectionMerge %b{merge} None"),
            Merge::Loop { merge, again } => writeln!(text, "OpLoopMerge %b{merge} %b{again} None"),
        };
        let _ = match &block.end {
            End::Jump(to) => writeln!(text, "OpBranch %b{to}"),
            End::If(accept, reject) => {
                writeln!(text, "OpBranchConditional %a{n} %b{accept} %b{reject}")
            }
            End::Rounds(stay, leave) => {
                writeln!(text, "OpBranchConditional %h{n} %b{stay} %b{leave}")
            }
            End::Switch { default, cases } => {
                let cases: String = cases
                    .iter()
                    .map(|(value, to)| format!(" {value} %b{to}"))
                    .collect();
                writeln!(text, "OpSwitch %l{n} %b{default}{cases}")
            }
            End::Return => writeln!(text, "OpReturnValue %w{n}"),
            End::Unreachable => writeln!(text, "OpUnreachable"),
        };
    }
}

const HEAD: &str = "; Version: 1.5
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %id %buffer
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %numbers ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%three = OpTypeVector %uint 3
%to_three = OpTypePointer Input %three
%to_own = OpTypePointer Function %uint
%numbers = OpTypeRuntimeArray %uint
%block = OpTypeStruct %numbers
%to_block = OpTypePointer StorageBuffer %block
%to_number = OpTypePointer StorageBuffer %uint
%id = OpVariable %to_three Input
%buffer = OpVariable %to_block StorageBuffer
%procedure = OpTypeFunction %void
%function = OpTypeFunction %uint %uint
";

const MAIN: &str = "%main = OpFunction %void None %procedure
%begin = OpLabel
%ids = OpLoad %three %id
%index = OpCompositeExtract %uint %ids 0
%place = OpAccessChain %to_number %buffer %c0 %index
%given = OpLoad %uint %place
%found = OpFunctionCall %uint %follow %given
OpStore %place %found
OpReturn
OpFunctionEnd
%follow = OpFunction %uint None %function
%input = OpFunctionParameter %uint
";
