//! Reassociates sums of integers to shorten the critical path (LLVM: Reassociate).
//!
//! In: any function. Out: the same function, where a sum of three or more values in a block adds the values that are
//! ready first, so that only one addition waits for the last of them. Integer addition wraps, so that the order does
//! not matter. The time when a value is ready is the length of the longest dependency chain to it in its block.
//! Instructions without uses are left for `dead_code`.

use smallvec::{SmallVec, smallvec};

use crate::ir::{BlockId, Function, Inst, LaneBinary, Op, Type, Value, WordBinary};

const ADD: Op = Op::Binary(LaneBinary::Int(WordBinary::Add));

/// Sums of more values are not changed.
const MAX_TERMS: usize = 16;

/// Runs the pass.
pub fn run(function: &mut Function) {
    let mut sums = Sums {
        uses: uses(function),
        late: vec![0; function.types.len()],
        inner: vec![None; function.types.len()],
    };
    for block in 0..function.blocks.len() as u32 {
        sums.block(function, BlockId(block));
    }
}

fn uses(function: &Function) -> Vec<u32> {
    let mut uses = vec![0; function.types.len()];
    for block in &function.blocks {
        let operands = block.insts.iter().flat_map(|inst| &inst.operands).copied();
        let all = operands.chain(block.terminator.uses());
        all.for_each(|value| uses[value.index()] += 1);
    }
    uses
}

/// The time when a value is ready, and the value.
type Term = (u32, Value);

struct Sums {
    /// By value: its use count.
    uses: Vec<u32>,
    /// By value: when it is ready in the current block; 0 for values of other blocks.
    late: Vec<u32>,
    /// By value: its operands, if it is a sum whose single use is another sum in the block.
    inner: Vec<Option<[Value; 2]>>,
}

impl Sums {
    fn block(&mut self, function: &mut Function, id: BlockId) {
        let insts = std::mem::take(&mut function.block_mut(id).insts);
        self.find_inner(&insts);
        let mut all = Vec::with_capacity(insts.len());
        for mut inst in insts {
            if inst.op == ADD
                && inst
                    .result
                    .is_some_and(|result| self.inner[result.index()].is_none())
            {
                self.sum(function, &mut inst, &mut all);
            }
            self.record_inst(&inst);
            all.push(inst);
        }
        // In other blocks, these values are ready at the start.
        for result in all.iter().filter_map(|inst| inst.result) {
            self.late[result.index()] = 0;
            self.inner[result.index()] = None;
        }
        function.block_mut(id).insts = all;
    }

    /// Finds the sums of a block whose single use is another sum there.
    fn find_inner(&mut self, insts: &[Inst]) {
        let mut parts = vec![];
        for inst in insts.iter().filter(|inst| inst.op == ADD) {
            let used_once = inst
                .operands
                .iter()
                .filter(|operand| self.uses[operand.index()] == 1);
            parts.extend(used_once.copied());
        }
        parts.sort_unstable();
        for inst in insts.iter().filter(|inst| inst.op == ADD) {
            if let Some(result) = inst.result
                && parts.binary_search(&result).is_ok()
            {
                self.inner[result.index()] = Some([inst.operands[0], inst.operands[1]]);
            }
        }
    }

    fn record_inst(&mut self, inst: &Inst) {
        let operands = inst
            .operands
            .iter()
            .map(|operand| self.late[operand.index()]);
        let late = operands.max().unwrap_or(0);
        if let Some(result) = inst.result {
            self.late[result.index()] = late + u32::from(!inst.op.is_cheap());
        }
    }

    /// Adds the terms of a sum in the order in which they are ready, if the sum is then ready earlier.
    fn sum(&mut self, function: &mut Function, inst: &mut Inst, all: &mut Vec<Inst>) {
        let Some(mut terms) = self.terms(inst) else {
            return;
        };
        let operands = inst
            .operands
            .iter()
            .map(|operand| self.late[operand.index()]);
        let before = operands.max().unwrap_or(0);
        if earliest(&terms) >= before {
            return;
        }
        while let Some((one, other)) = take_first(&mut terms) {
            if terms.is_empty() {
                inst.operands = smallvec![one.1, other.1];
                return;
            }
            let sum = function.add_value(Type::Lanes);
            let late = one.0.max(other.0) + 1;
            self.uses.push(1);
            self.late.push(late);
            self.inner.push(None);
            all.push(Inst {
                op: ADD,
                operands: smallvec![one.1, other.1],
                result: Some(sum),
            });
            terms.push((late, sum));
        }
    }

    /// The terms of a sum, if there are more than two and at most the limit.
    fn terms(&self, inst: &Inst) -> Option<SmallVec<[Term; MAX_TERMS]>> {
        let mut terms = SmallVec::new();
        let mut open: SmallVec<[Value; MAX_TERMS]> = SmallVec::from_slice(&inst.operands);
        while let Some(value) = open.pop() {
            match self.inner[value.index()] {
                Some(operands) => open.extend(operands),
                None => terms.push((self.late[value.index()], value)),
            }
            if terms.len() + open.len() > MAX_TERMS {
                return None;
            }
        }
        (terms.len() > 2).then_some(terms)
    }
}

/// Removes the two terms that are ready first.
fn take_first(terms: &mut SmallVec<[Term; MAX_TERMS]>) -> Option<(Term, Term)> {
    terms.sort_unstable_by(|a, b| b.cmp(a));
    let one = terms.pop()?;
    Some((one, terms.pop()?))
}

/// When the last addition of a sum can start, at the earliest.
fn earliest(terms: &SmallVec<[Term; MAX_TERMS]>) -> u32 {
    let mut terms = terms.clone();
    while let Some((one, other)) = take_first(&mut terms) {
        let late = one.0.max(other.0);
        if terms.is_empty() {
            return late;
        }
        terms.push((late + 1, one.1));
    }
    0
}
