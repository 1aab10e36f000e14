//! The loop over subgroups, and whether two of its turns are better done at once.

use crate::ir::{BlockId, Function, Inst, Op, Terminator, Type, Value, WordBinary, WordCompare};
use crate::pass::graph::Graph;
use crate::pass::loops::{LoopId, Loops};
use crate::pass::origin::{Origin, definition, origins};

use super::chain;

/// The loop over subgroups.
pub(super) struct Turns {
    /// Its head.
    pub(super) header: BlockId,
    /// The block that decides whether there is another turn.
    pub(super) latch: BlockId,
    /// The number of the subgroup.
    pub(super) number: Value,
    /// The number of the next one.
    pub(super) next: Value,
    /// Its blocks, each before those that it dominates.
    pub(super) blocks: Vec<BlockId>,
    /// By block: whether it is one of them.
    pub(super) is_inside: Vec<bool>,
    /// All loops.
    pub(super) loops: Loops,
}

/// Finds the loop: a count from 0 below the number of subgroups, which is even, that is left nowhere else.
pub(super) fn turns(function: &Function, subgroups: u32) -> Option<Turns> {
    let Terminator::Jump(edge) = &function.block(Function::ENTRY).terminator else {
        return None;
    };
    let header = edge.block;
    let (&[number], &[first]) = (&function.block(header).parameters[..], &edge.arguments[..])
    else {
        return None;
    };
    let graph = Graph::new(function);
    let loops = Loops::new(&graph, function.blocks.len());
    let id = loops.innermost(header)?;
    let ways = graph.predecessors(header).iter().copied();
    let mut back = ways.filter(|it| *it != Function::ENTRY);
    let (latch, None) = (back.next()?, back.next()) else {
        return None;
    };
    let origins = origins(function);
    let next = next(function, &origins, header, latch, number, subgroups)?;
    let is_start = word(function, &origins, first) == Some(0);
    let blocks = graph.order().iter().copied();
    let blocks: Vec<_> = blocks.filter(|it| loops.contains(id, *it)).collect();
    let mut is_inside = vec![false; function.blocks.len()];
    blocks.iter().for_each(|it| is_inside[it.index()] = true);
    let turns = Turns {
        header,
        latch,
        number,
        next,
        blocks,
        is_inside,
        loops,
    };
    (is_start && subgroups.is_multiple_of(2) && turns.is_closed(function, &origins))
        .then_some(turns)
}

/// The number of the next subgroup, if the latch goes on while it is below their number.
fn next(
    function: &Function,
    origins: &[Origin],
    header: BlockId,
    latch: BlockId,
    number: Value,
    subgroups: u32,
) -> Option<Value> {
    let Terminator::Branch(condition, yes, _) = &function.block(latch).terminator else {
        return None;
    };
    let (WordCompare::LtU, &[next, limit]) = compare(definition(function, origins, *condition)?)?
    else {
        return None;
    };
    let sum = definition(function, origins, next)?;
    let (Op::WordBinary(WordBinary::Add), &[counter, step]) = (sum.op, &sum.operands[..]) else {
        return None;
    };
    let is_count = counter == number
        && word(function, origins, step) == Some(1)
        && word(function, origins, limit) == Some(subgroups)
        && yes.block == header
        && yes.arguments == [next];
    is_count.then_some(next)
}

fn compare(inst: &Inst) -> Option<(WordCompare, &[Value])> {
    match inst.op {
        Op::WordCompare(op) => Some((op, &inst.operands)),
        _ => None,
    }
}

fn word(function: &Function, origins: &[Origin], value: Value) -> Option<u32> {
    match definition(function, origins, value)?.op {
        Op::Word(bits) => Some(bits),
        _ => None,
    }
}

impl Turns {
    /// Whether only the latch leaves the loop, and nothing that it defines is used behind it.
    fn is_closed(&self, function: &Function, origins: &[Origin]) -> bool {
        let is_inside = |it: &BlockId| self.is_inside[it.index()];
        let stays = |it: &BlockId| {
            let next = function.block(*it).terminator.successors();
            *it == self.latch || !next.is_empty() && next.iter().all(is_inside)
        };
        let numbers = (0..function.blocks.len() as u32).map(BlockId);
        let mut behind = numbers.filter(|it| !is_inside(it)).flat_map(|it| {
            let block = function.block(it);
            let operands = block
                .insts
                .iter()
                .flat_map(|it| it.operands.iter().copied());
            operands.chain(block.terminator.uses())
        });
        let is_foreign = |it: Value| {
            origins[it.index()]
                .block()
                .is_some_and(|it| !is_inside(&it))
        };
        self.blocks.iter().all(stays) && behind.all(is_foreign)
    }
}

/// How two subgroups are done at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Instruction by instruction.
    Mixed,
    /// Block by block, so that what a block needs for itself is needed once at a time.
    Blocks,
}

/// The most instructions of all subgroups' turns that are done block by block: twice as many take twice as long to
/// compile.
const MOST: usize = 500;

/// How it is worth it, if it is: there are loops inside, they carry little and touch no memory, and one of them is short
/// and ended by masks, or waits long for its own results.
pub(super) fn order(function: &Function, turns: &Turns, differs: &[bool]) -> Option<Order> {
    let outer = turns.loops.innermost(turns.header);
    let all = (0..turns.loops.all().len() as u32).map(LoopId);
    let inner =
        all.filter(|it| Some(*it) != outer && turns.is_inside[turns.loops.get(*it).header.index()]);
    let graph = Graph::new(function);
    let (mut has_masks, mut all_short, mut waits) = (false, true, false);
    for id in inner {
        let header = turns.loops.get(id).header;
        let ids = turns.blocks.iter().copied();
        let ids: Vec<_> = ids.filter(|it| turns.loops.contains(id, *it)).collect();
        let blocks: Vec<_> = ids.iter().map(|it| function.block(*it)).collect();
        let size = Size::of(function, function.block(header), &blocks);
        if !size.is_narrow(function.lanes) {
            return None;
        }
        all_short &= size.is_short(function.lanes);
        let turn = chain::turn(function, &graph, header, &ids);
        waits |= 2 * turn.chain >= 3 * turn.work;
        let mut conditions = blocks.iter().filter_map(|it| it.terminator.condition());
        has_masks |= conditions.any(|it| differs[it.index()]);
    }
    let insts = turns
        .blocks
        .iter()
        .map(|it| function.block(*it).insts.len());
    if all_short && (has_masks || waits) {
        Some(Order::Mixed)
    } else if waits && insts.sum::<usize>() <= MOST {
        Some(Order::Blocks)
    } else {
        None
    }
}

/// What a loop needs of registers.
struct Size {
    /// Lanes that it carries from turn to turn.
    carried: usize,
    /// Lanes that it computes.
    computed: usize,
    touches_memory: bool,
}

impl Size {
    fn of(function: &Function, header: &crate::ir::Block, blocks: &[&crate::ir::Block]) -> Self {
        let is_lanes = |it: &Value| function.type_of(*it) == Type::Lanes;
        let insts = || blocks.iter().flat_map(|it| &it.insts);
        let computed = insts().filter(|it| !it.op.is_cheap() && it.result.iter().any(is_lanes));
        let touches =
            |it: &Inst| it.op.reads_memory() || it.op.has_effect() && !matches!(it.op, Op::Poll(_));
        Self {
            carried: header.parameters.iter().filter(|it| is_lanes(it)).count(),
            computed: computed.count(),
            touches_memory: insts().any(touches),
        }
    }

    /// Whether half of the registers hold what it carries, less those for what is the same in every turn.
    fn is_narrow(&self, lanes: u32) -> bool {
        let most = if lanes == 16 { 6 } else { 3 };
        self.carried <= most && !self.touches_memory
    }

    /// Whether there is room for a second one beside it.
    fn is_short(&self, lanes: u32) -> bool {
        self.computed <= if lanes == 16 { 32 } else { 24 }
    }
}
