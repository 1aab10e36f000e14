//! Loop versioning for strides: specialized code for small strides that a loop doubles or halves.
//!
//! In: any function. Out: the same function, where instructions that gather or scatter lanes with a stride that a word
//! gives have several versions, selected by tests of that word: one for each small value, with indices that are a word
//! plus a constant pattern, and one for all other values. Only words are considered that double or halve in a loop
//! (tree reductions, scans, butterflies), as these take small values, where most of the work is done. With a constant
//! pattern, lanes are in a few rows, and a load that a store provably does not overlap is not repeated after it.
//!
//! With 8 lanes (AVX2), gathers are element by element anyway, and nothing is changed.

mod affine;
mod regions;

use smallvec::SmallVec;

use crate::ir::{
    BlockId, Edge, Function, Inst, LaneBinary, Op, Terminator, Type, Value, WordBinary, WordCompare,
};

use super::value_def::ValueDef;
use affine::{AffineAnalysis, AffineForm};
use regions::{Region, RegionFinder};

/// The most regions that are versioned, so that the time is linear.
const MAX_REGIONS: usize = 8;

/// Runs the pass.
pub fn run(function: &mut Function) {
    if function.lanes != 16 {
        return;
    }
    let finder = RegionFinder::new(function);
    let mut regions = finder.regions();
    regions.truncate(MAX_REGIONS);
    let forms: Vec<_> = regions
        .iter()
        .map(|region| forms(function, &finder.value_defs, region))
        .collect();
    for (region, forms) in regions.iter().zip(forms) {
        split(function, region, &forms);
    }
}

/// The affine indices of one version.
type AffineForms = Vec<(Value, AffineForm)>;

/// The affine indices of each specialized version of a region.
fn forms(function: &Function, value_defs: &[ValueDef], region: &Region) -> Vec<AffineForms> {
    let versions = region.word_values.iter().map(|&number| {
        let reader = AffineAnalysis {
            function,
            value_defs,
            word: region.word,
            number,
        };
        let indices = region.indices.iter();
        let forms = indices.filter_map(|index| Some((*index, reader.lanes(*index)?)));
        forms.collect()
    });
    versions.collect()
}

/// Replaces a region by several versions.
fn split(function: &mut Function, region: &Region, forms: &[AffineForms]) {
    let results = results(function, region);
    let mut insts = std::mem::take(&mut function.block_mut(region.block).insts);
    let rest = insts.split_off(region.end);
    let inside = insts.split_off(region.first);
    // Constants are not copied, since they may be used after the region.
    let (constants, inside): (Vec<_>, Vec<_>) =
        inside.into_iter().partition(|inst| inst.op.is_cheap());
    insts.extend(constants);
    function.block_mut(region.block).insts = insts;
    let join = function.add_block();
    let terminator = Terminator::Jump(Edge::to(join));
    let old = &mut function.block_mut(region.block).terminator;
    let terminator = std::mem::replace(old, terminator);
    let end = function.block_mut(join);
    end.parameters = results.clone();
    end.insts = rest;
    end.terminator = terminator;
    let mut at = region.block;
    for (&number, forms) in region.word_values.iter().zip(forms) {
        let version = LoopVersion::new(function, forms).copy(function, &inside, &results, join);
        let others = function.add_block();
        test(function, at, region.word, number, (version, others));
        at = others;
    }
    let version = LoopVersion::new(function, &[]).copy(function, &inside, &results, join);
    function.block_mut(at).terminator = Terminator::Jump(Edge::to(version));
}

/// Ends a block with a branch that tests whether a word has a value.
fn test(
    function: &mut Function,
    block: BlockId,
    word: Value,
    number: u32,
    (yes, no): (BlockId, BlockId),
) {
    let number = push(function, block, Op::Word(number), &[]);
    let compare = Op::WordCompare(WordCompare::Eq);
    let is_equal = push(function, block, compare, &[word, number]);
    let terminator = Terminator::Branch(is_equal, Edge::to(yes), Edge::to(no));
    function.block_mut(block).terminator = terminator;
}

/// The results of a region that are used outside it.
fn results(function: &Function, region: &Region) -> Vec<Value> {
    let mut is_used = vec![false; function.types.len()];
    for (number, block) in function.blocks.iter().enumerate() {
        for (place, inst) in block.insts.iter().enumerate() {
            let is_inside =
                number == region.block.index() && (region.first..region.end).contains(&place);
            if !is_inside {
                inst.operands
                    .iter()
                    .for_each(|operand| is_used[operand.index()] = true);
            }
        }
        block
            .terminator
            .uses()
            .for_each(|value| is_used[value.index()] = true);
    }
    let insts = &function.block(region.block).insts[region.first..region.end];
    let computed = insts.iter().filter(|inst| !inst.op.is_cheap());
    let defined = computed.filter_map(|inst| inst.result);
    defined.filter(|value| is_used[value.index()]).collect()
}

/// A version of a region, in which indices have known affine forms.
struct LoopVersion<'a> {
    block: BlockId,
    forms: &'a [(Value, AffineForm)],
    /// By value: its copy in this version.
    names: Vec<Value>,
    /// Gathers whose memory has not been written since: the original instruction, and its result in this version.
    read: Vec<(Inst, Value)>,
}

impl<'a> LoopVersion<'a> {
    fn new(function: &mut Function, forms: &'a [(Value, AffineForm)]) -> Self {
        Self {
            block: function.add_block(),
            forms,
            names: (0..function.types.len() as u32).map(Value).collect(),
            read: Vec::new(),
        }
    }

    /// Copies the instructions of the region and jumps to the join.
    fn copy(
        mut self,
        function: &mut Function,
        insts: &[Inst],
        results: &[Value],
        join: BlockId,
    ) -> BlockId {
        let is_inside = |value: Value| insts.iter().any(|inst| inst.result == Some(value));
        for (index, form) in self.forms {
            if !is_inside(*index) {
                self.names[index.index()] = self.index(function, form);
            }
        }
        for inst in insts {
            self.inst(function, inst);
        }
        let arguments = results
            .iter()
            .map(|result| self.names[result.index()])
            .collect();
        let edge = Edge {
            block: join,
            arguments,
        };
        function.block_mut(self.block).terminator = Terminator::Jump(edge);
        self.block
    }

    fn inst(&mut self, function: &mut Function, inst: &Inst) {
        if let Some(result) = inst.result
            && let Some(form) = self.form(result)
        {
            self.names[result.index()] = self.index(function, form);
            return;
        }
        if let Some(result) = inst.result
            && let Some(known) = self.known(inst)
        {
            self.names[result.index()] = known;
            return;
        }
        let operands = inst
            .operands
            .iter()
            .map(|operand| self.names[operand.index()]);
        let mut copy = Inst {
            op: inst.op,
            operands: operands.collect(),
            result: None,
        };
        if let Some(result) = inst.result {
            let own = function.add_value(function.type_of(result));
            self.names[result.index()] = own;
            copy.result = Some(own);
        }
        function.block_mut(self.block).insts.push(copy);
        self.record_access(inst);
    }

    /// Materializes an affine index: the broadcast of a word plus a constant pattern.
    fn index(&self, function: &mut Function, form: &AffineForm) -> Value {
        let mut sum: Option<Value> = None;
        for &(word, factor) in &form.words {
            let word = self.names[word.index()];
            let term = match factor {
                0 => continue,
                1 => word,
                _ => {
                    let factor = push(function, self.block, Op::Word(factor), &[]);
                    let product = Op::WordBinary(WordBinary::Mul);
                    push(function, self.block, product, &[word, factor])
                }
            };
            sum = Some(add(function, self.block, sum, term));
        }
        let base = match (sum, form.constant) {
            (Some(sum), 0) => sum,
            (sum, constant) => {
                let constant = push(function, self.block, Op::Word(constant), &[]);
                add(function, self.block, sum, constant)
            }
        };
        let words: Vec<_> = (0..function.lanes)
            .map(|lane| lane.wrapping_mul(form.stride))
            .collect();
        let pattern = Op::Pattern(function.pattern(&words));
        let pattern = push(function, self.block, pattern, &[]);
        let first = push(function, self.block, Op::Broadcast, &[base]);
        let sum = Op::Binary(LaneBinary::Int(WordBinary::Add));
        push(function, self.block, sum, &[first, pattern])
    }

    fn form(&self, index: Value) -> Option<&'a AffineForm> {
        let form = self.forms.iter().find(|entry| entry.0 == index);
        form.map(|entry| &entry.1)
    }

    /// The result of an earlier equal load.
    fn known(&self, inst: &Inst) -> Option<Value> {
        let is_same =
            |known: &&(Inst, Value)| known.0.op == inst.op && known.0.operands == inst.operands;
        Some(self.read.iter().find(is_same)?.1)
    }

    /// Records a gather, or forgets the gathers that a store may overlap.
    fn record_access(&mut self, inst: &Inst) {
        if inst.op.has_effect() {
            let mut read = std::mem::take(&mut self.read);
            read.retain(|(load, _)| self.is_disjoint(load, inst));
            self.read = read;
        } else if let (Op::Gather(_), Some(result)) = (inst.op, inst.result) {
            let own = self.names[result.index()];
            self.read.push((inst.clone(), own));
        }
    }

    /// Whether a gather and a scatter provably do not overlap.
    fn is_disjoint(&self, read: &Inst, write: &Inst) -> bool {
        match (read.op, write.op) {
            (Op::Gather(one), Op::Scatter(other)) => {
                let is_same_place = one == other && read.operands[0] == write.operands[0];
                let forms = (self.form(read.operands[1]), self.form(write.operands[1]));
                is_same_place && matches!(forms, (Some(a), Some(b)) if a.is_disjoint(b))
            }
            _ => false,
        }
    }
}

fn add(function: &mut Function, block: BlockId, sum: Option<Value>, term: Value) -> Value {
    match sum {
        None => term,
        Some(sum) => push(
            function,
            block,
            Op::WordBinary(WordBinary::Add),
            &[sum, term],
        ),
    }
}

fn push(function: &mut Function, block: BlockId, op: Op, operands: &[Value]) -> Value {
    let ty = match op {
        Op::Word(_) | Op::WordBinary(_) | Op::WordCompare(_) => Type::Word,
        _ => Type::Lanes,
    };
    let value = function.add_value(ty);
    function.block_mut(block).insts.push(Inst {
        op,
        operands: SmallVec::from_slice(operands),
        result: Some(value),
    });
    value
}
