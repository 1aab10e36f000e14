//! An independent model of subgroups: all lanes at once, statement by statement, under masks.
//!
//! It shares no code with the evaluator and has no positions: the active lanes of an operation are those of the
//! mask.

use super::program::{Leave, Operation, Program, Statement};

/// A bit for each lane.
type Mask = u128;

/// The state of every invocation after a run, subgroup by subgroup.
pub(crate) fn run(program: &Program, size: u32, states: &[u32]) -> Vec<u32> {
    let mut out = Vec::new();
    for states in states.chunks(size as usize) {
        let mut subgroup = Subgroup {
            program,
            states: states.to_vec(),
            frames: Vec::new(),
        };
        let all = Mask::MAX >> (128 - states.len());
        subgroup.call(program.functions.len() - 1, all);
        out.extend(subgroup.states);
    }
    out
}

/// The lanes that left a construct, by kind of jump.
#[derive(Default)]
struct Left {
    broke: Mask,
    continued: Mask,
}

struct Subgroup<'p> {
    program: &'p Program,
    states: Vec<u32>,
    /// For each function that runs, the enclosing loops and switches.
    frames: Vec<Vec<Left>>,
}

impl Subgroup<'_> {
    fn call(&mut self, function: usize, mask: Mask) {
        self.frames.push(Vec::new());
        let program = self.program;
        self.block(&program.functions[function], mask);
        self.frames.pop();
    }

    fn around(&mut self) -> &mut Vec<Left> {
        self.frames.last_mut().expect("a frame")
    }

    /// Runs statements for the lanes of `mask` and returns those that reach the end.
    fn block(&mut self, statements: &[Statement], mut mask: Mask) -> Mask {
        for statement in statements {
            if mask == 0 {
                break;
            }
            mask = self.statement(statement, mask);
        }
        mask
    }

    fn select(&self, mask: Mask, holds: impl Fn(u32, u32) -> bool) -> Mask {
        lanes(mask)
            .filter(|&lane| holds(lane, self.states[lane as usize]))
            .map(|lane| 1 << lane)
            .sum()
    }

    fn statement(&mut self, statement: &Statement, mask: Mask) -> Mask {
        match statement {
            Statement::Operate(operation) => {
                self.operate(*operation, mask);
                mask
            }
            Statement::If(condition, accept, reject) => {
                let yes = self.select(mask, |lane, state| condition.holds(lane, state));
                self.block(accept, yes) | self.block(reject, mask & !yes)
            }
            Statement::Switch(selector, cases) => {
                let last = cases.len() as u32 - 1;
                let chosen: Vec<Mask> = (0..=last)
                    .map(|case| {
                        self.select(mask, |lane, state| {
                            (selector.value(lane, state) / 2).min(last) == case
                        })
                    })
                    .collect();
                self.around().push(Left::default());
                let mut through = 0;
                for (case, chosen) in cases.iter().zip(chosen) {
                    through |= self.block(case, chosen);
                }
                let left = self.around().pop().expect("this switch");
                // `continue` passes through to the enclosing loop.
                if let Some(around) = self.around().last_mut() {
                    around.continued |= left.continued;
                }
                through | left.broke
            }
            Statement::Loop {
                most,
                body,
                continuing,
                break_if,
            } => {
                let most: Vec<u32> = (0..)
                    .zip(&self.states)
                    .map(|(lane, &state)| most.value(lane, state))
                    .collect();
                let mut out = 0;
                let mut inside = mask;
                for pass in 0.. {
                    let over = self.select(inside, |lane, _| pass >= most[lane as usize]);
                    out |= over;
                    inside &= !over;
                    if inside == 0 {
                        break;
                    }
                    self.around().push(Left::default());
                    let through = self.block(body, inside);
                    let left = self.around().pop().expect("this loop");
                    out |= left.broke;
                    inside = self.block(continuing, through | left.continued);
                    if let Some(condition) = break_if {
                        let over = self.select(inside, |lane, state| condition.holds(lane, state));
                        out |= over;
                        inside &= !over;
                    }
                }
                out
            }
            // They continue after the call, together with all others that made it.
            Statement::Leave(Leave::Return) => 0,
            Statement::Leave(leave) => {
                let left = self.around().last_mut().expect("something to leave");
                match leave {
                    Leave::Break => left.broke |= mask,
                    _ => left.continued |= mask,
                }
                0
            }
            Statement::Call(function) => {
                self.call(*function, mask);
                mask
            }
            Statement::WorkgroupBarrier => mask,
        }
    }

    fn operate(&mut self, operation: Operation, mask: Mask) {
        let before = self.states.clone();
        let state = |lane: u32| before[lane as usize];
        let gather = |from: Option<u32>| match from {
            Some(from) if from < 128 && mask >> from & 1 == 1 => state(from),
            _ => 0,
        };
        let sum = |lanes: &mut dyn Iterator<Item = u32>| {
            lanes.fold(0u32, |sum, lane| sum.wrapping_add(state(lane)))
        };
        for lane in lanes(mask) {
            let value = match operation {
                Operation::Ballot(condition) => {
                    let votes = self.votes(mask, condition, &before);
                    [1, 3, 5, 7]
                        .iter()
                        .zip(0..)
                        .map(|(factor, word)| ((votes >> (32 * word)) as u32).wrapping_mul(*factor))
                        .fold(0, |mixed, word| mixed ^ word)
                }
                Operation::Add => sum(&mut lanes(mask)),
                Operation::ExclusiveAdd => sum(&mut lanes(mask).take_while(|&other| other < lane)),
                Operation::Max => lanes(mask).map(state).max().unwrap_or(0),
                Operation::First => gather(lanes(mask).next()),
                Operation::Xor(mask) => gather(Some(lane ^ mask)),
                Operation::Up(delta) => gather(lane.checked_sub(delta)),
                Operation::Barrier => continue,
            };
            let state = &mut self.states[lane as usize];
            *state = state.wrapping_mul(31).wrapping_add(value);
        }
    }

    fn votes(&self, mask: Mask, condition: super::program::Condition, states: &[u32]) -> Mask {
        lanes(mask)
            .filter(|&lane| condition.holds(lane, states[lane as usize]))
            .map(|lane| 1 << lane)
            .sum()
    }
}

/// The lanes of a mask in rising order.
fn lanes(mask: Mask) -> impl Iterator<Item = u32> {
    (0..128).filter(move |lane| mask >> lane & 1 == 1)
}
