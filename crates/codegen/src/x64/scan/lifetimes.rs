//! Lifetimes of virtual registers: an over-approximation from the block that defines each to the last one that may use
//! it.
//!
//! Blocks are in an order in which each precedes those that it dominates. A use in a loop that does not contain the
//! definition may recur until the loop's last block; other loops define the virtual register again in each iteration. A
//! loop is the range of blocks from its header to its last back edge, which may be too large for irreducible control
//! flow: then lifetimes are longer, which costs time only.

use crate::machine_function::MachineFunction;

const NONE: u32 = u32::MAX;

/// The blocks from a loop header to the last block with a back edge.
#[derive(Clone, Copy, Debug)]
struct Loop {
    head: u32,
    end: u32,
    /// The enclosing loop, or [`NONE`].
    parent: u32,
}

/// The blocks that define and last use each virtual register.
#[derive(Debug)]
pub(super) struct Lifetimes {
    definitions: Vec<u32>,
    last_uses: Vec<u32>,
    loops: Vec<Loop>,
    /// For each block the innermost loop that contains it, or [`NONE`].
    innermost: Vec<u32>,
}

impl Lifetimes {
    pub(super) fn new(machine: &MachineFunction) -> Self {
        let mut lifetimes = Self {
            definitions: vec![NONE; machine.vregs],
            last_uses: vec![0; machine.vregs],
            loops: Vec::new(),
            innermost: Vec::with_capacity(machine.blocks.len()),
        };
        let mut open = NONE;
        for (number, block) in machine.blocks.iter().enumerate() {
            for parameter in &block.parameters {
                lifetimes.defines(parameter.vreg() as u32, number as u32);
            }
            while open != NONE && lifetimes.loops[open as usize].end < number as u32 {
                open = lifetimes.loops[open as usize].parent;
            }
            let back = block.predecessors.iter().map(|block| block.index());
            if let Some(end) = back.filter(|block| *block >= number).max() {
                lifetimes.extend(open, end as u32);
                lifetimes.loops.push(Loop {
                    head: number as u32,
                    end: end as u32,
                    parent: open,
                });
                open = lifetimes.loops.len() as u32 - 1;
            }
            lifetimes.innermost.push(open);
        }
        lifetimes
    }

    pub(super) fn is_loop_head(&self, block: u32) -> bool {
        let around = self.loops.get(self.innermost[block as usize] as usize);
        around.is_some_and(|innermost| innermost.head == block)
    }

    /// Extends the enclosing loops to the end of an inner loop.
    fn extend(&mut self, mut outer: u32, end: u32) {
        while let Some(enclosing) = self.loops.get_mut(outer as usize) {
            enclosing.end = enclosing.end.max(end);
            outer = enclosing.parent;
        }
    }

    /// Records a definition; returns whether it is the first.
    pub(super) fn defines(&mut self, vreg: u32, block: u32) -> bool {
        let known = &mut self.definitions[vreg as usize];
        let is_first = *known == NONE;
        *known = block;
        is_first
    }

    pub(super) fn uses(&mut self, vreg: u32, block: u32) {
        let definition = self.definitions[vreg as usize];
        let mut last = self.last_uses[vreg as usize].max(block);
        let mut around = self.innermost[block as usize];
        while let Some(enclosing) = self.loops.get(around as usize)
            && (enclosing.head > definition || definition == NONE)
        {
            last = last.max(enclosing.end);
            around = enclosing.parent;
        }
        self.last_uses[vreg as usize] = last;
    }

    /// Whether a virtual register that a location holds at the end of block `from` may be used from block `next` on,
    /// without being defined again.
    pub(super) fn is_alive(&self, vreg: u32, from: u32, next: u32) -> bool {
        let is_old = next <= from && self.definitions[vreg as usize] >= next;
        self.last_uses[vreg as usize] >= next && !is_old
    }
}
