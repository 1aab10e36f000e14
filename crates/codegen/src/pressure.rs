//! Register pressure: the values that are live into each block, measured before register allocation.
//!
//! In: a [`MachineFunction`] in SSA form, and a meter. Out: a [`Pressure`], from which `regalloc` chooses the
//! algorithm. The algorithm is liveness by path exploration (Brandner et al., 2011): each virtual register is followed
//! backwards from its uses to its definition, at one step of the meter for each block that it is live into. The
//! allocators take time at least in proportion to the same sum.

use anywarp_lanes::work::{Meter, OverBudget};
use regalloc2::{Block, Function, OperandKind, RegClass};

use crate::machine_function::MachineFunction;

const NONE: u32 = u32::MAX;

/// Sizes of the live-in sets of all blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pressure {
    /// The sum of the sizes of all live-in sets.
    pub(crate) live_ranges: u64,
    /// The non-zero words of all live-in sets as bit sets.
    pub(crate) set_words: u64,
    /// An estimate of how many block arguments Ion scans ([`ParameterScans`]).
    pub(crate) parameter_scans: u64,
    /// The size of the largest live-in set, in 64-bit words of spill slots.
    pub(crate) max_words: usize,
    /// The size of all values that are live into any block or are block parameters, in 64-bit words of spill slots.
    pub(crate) all_words: usize,
}

/// Measures a function.
pub(crate) fn measure(machine: &MachineFunction, meter: &Meter) -> Result<Pressure, OverBudget> {
    let blocks = machine.blocks.len();
    let uses = Uses::new(machine);
    let (mut words, mut counts) = (vec![0; blocks], vec![0; blocks]);
    let (mut seen, mut set_word) = (vec![NONE; blocks], vec![NONE; blocks]);
    let mut open: Vec<Block> = Vec::new();
    let mut pressure = Pressure::default();
    let mut parameter_scans = ParameterScans::new(machine);
    for (vreg, home) in homes(machine).into_iter().enumerate() {
        parameter_scans.begin(vreg);
        let size = match uses.class[vreg] {
            Some(class) => machine.spillslot_size(class),
            None => continue,
        };
        let mut is_across = false;
        open.extend_from_slice(uses.of(vreg));
        while let Some(block) = open.pop() {
            let at = block.index();
            if home == at as u32 || seen[at] == vreg as u32 {
                continue;
            }
            seen[at] = vreg as u32;
            is_across = true;
            parameter_scans.cover(at);
            words[at] += size;
            counts[at] += 1;
            pressure.live_ranges += 1;
            let word = vreg as u32 / u64::BITS;
            pressure.set_words += u64::from(set_word[at] != word);
            set_word[at] = word;
            meter.tick(1)?;
            open.extend_from_slice(machine.block_preds(block));
        }
        pressure.all_words += if is_across { size } else { 0 };
    }
    pressure.parameter_scans = parameter_scans.finish(&counts);
    let parameters = machine
        .blocks
        .iter()
        .flat_map(|block| &block.parameters)
        .map(|parameter| machine.spillslot_size(parameter.class()));
    pressure.all_words += parameters.sum::<usize>();
    pressure.max_words = words.into_iter().max().unwrap_or(0);
    Ok(pressure)
}

/// A model of the only step of Ion (regalloc2 0.15) that is not linear in live ranges. To find the moves for block
/// parameters, Ion scans, for each block that begins in a live range, the arguments of all parameters with smaller
/// numbers, starting where the last virtual register with several ranges stopped.
struct ParameterScans {
    /// By virtual register: the number of block arguments that are passed to parameters with smaller numbers.
    before: Vec<u64>,
    /// By virtual register: the block that it is a parameter of.
    home: Vec<u32>,
    start: u64,
    sum: u64,
    /// State of the current virtual register: its number, the number of blocks that begin in its ranges, and the first
    /// and last of them.
    vreg: usize,
    count: u64,
    first: usize,
    last: usize,
}

impl ParameterScans {
    fn new(machine: &MachineFunction) -> Self {
        let mut before = vec![0; machine.vregs + 1];
        let mut home = vec![NONE; machine.vregs];
        for (number, block) in machine.blocks.iter().enumerate() {
            for parameter in &block.parameters {
                home[parameter.vreg()] = number as u32;
                before[parameter.vreg() + 1] = block.predecessors.len() as u64;
            }
        }
        for vreg in 0..machine.vregs {
            before[vreg + 1] += before[vreg];
        }
        Self {
            before,
            home,
            start: 0,
            sum: 0,
            vreg: 0,
            count: 0,
            first: usize::MAX,
            last: 0,
        }
    }

    /// Starts the next virtual register.
    fn begin(&mut self, vreg: usize) {
        self.end();
        (self.vreg, self.count, self.first, self.last) = (vreg, 0, usize::MAX, 0);
        if self.home[vreg] != NONE {
            self.cover(self.home[vreg] as usize);
        }
    }

    /// Records a block that begins in a live range of the current virtual register.
    fn cover(&mut self, block: usize) {
        self.count += 1;
        self.first = self.first.min(block);
        self.last = self.last.max(block);
    }

    fn end(&mut self) {
        if self.count == 0 {
            return;
        }
        let before = self.before[self.vreg];
        let parameter_scans = self.count.saturating_mul(before.saturating_sub(self.start));
        self.sum = self.sum.saturating_add(parameter_scans);
        let has_several_ranges = (self.last - self.first) as u64 + 1 != self.count;
        if has_several_ranges {
            self.start = before;
        }
    }

    /// The total. `live_in` has the size of each block's live-in set; a spilled value has several ranges.
    fn finish(mut self, alive: &[u64]) -> u64 {
        const REGISTERS: u64 = 64;
        self.end();
        let in_registers: u64 = alive.iter().map(|count| (*count).min(REGISTERS)).sum();
        let arguments = self.before.last().copied().unwrap_or(0);
        // On average, half of the parameters have smaller numbers.
        self.sum.min(in_registers.saturating_mul(arguments) / 2)
    }
}

/// By virtual register: the block that defines it.
fn homes(machine: &MachineFunction) -> Vec<u32> {
    let mut homes = vec![NONE; machine.vregs];
    for number in 0..machine.blocks.len() {
        let block = Block::new(number);
        for parameter in machine.block_params(block) {
            homes[parameter.vreg()] = number as u32;
        }
        for inst in machine.block_insns(block).iter() {
            for operand in machine.inst_operands(inst) {
                if operand.kind() == OperandKind::Def {
                    homes[operand.vreg().vreg()] = number as u32;
                }
            }
        }
    }
    homes
}

/// The blocks that use each virtual register.
struct Uses {
    /// By virtual register: the start of its blocks in `blocks`.
    starts: Vec<u32>,
    blocks: Vec<Block>,
    /// By virtual register: its class if it is used.
    class: Vec<Option<RegClass>>,
}

impl Uses {
    fn new(machine: &MachineFunction) -> Self {
        let mut class = vec![None; machine.vregs];
        let mut starts = vec![0; machine.vregs + 1];
        each_use(machine, |vreg, _| {
            class[vreg.vreg()] = Some(vreg.class());
            starts[vreg.vreg() + 1] += 1;
        });
        for vreg in 0..machine.vregs {
            starts[vreg + 1] += starts[vreg];
        }
        let mut next = starts.clone();
        let mut blocks = vec![Block::new(0); starts[machine.vregs] as usize];
        each_use(machine, |vreg, block| {
            let place = &mut next[vreg.vreg()];
            blocks[*place as usize] = block;
            *place += 1;
        });
        Self {
            starts,
            blocks,
            class,
        }
    }

    fn of(&self, vreg: usize) -> &[Block] {
        &self.blocks[self.starts[vreg] as usize..self.starts[vreg + 1] as usize]
    }
}

/// Calls `found` for each use of a virtual register with the block that contains it.
fn each_use(machine: &MachineFunction, mut found: impl FnMut(regalloc2::VReg, Block)) {
    for number in 0..machine.blocks.len() {
        let block = Block::new(number);
        for inst in machine.block_insns(block).iter() {
            for operand in machine.inst_operands(inst) {
                if operand.kind() == OperandKind::Use {
                    found(operand.vreg(), block);
                }
            }
        }
        for argument in machine.blocks[number].arguments.iter().flatten() {
            found(*argument, block);
        }
    }
}
