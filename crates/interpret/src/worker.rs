//! Runs a kernel, one workgroup at a time.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering, fence};

use anywarp_texture::View;

use crate::code::{Pc, Reg, WORDS_PER_UNIT, builtin};
use crate::execute::{self, Meter, Stop};
use crate::layout::MAX_WORDS;
use crate::memory::Memory;
use crate::random::Random;
use crate::schedule::Order;
use crate::subgroup::Subgroups;
use crate::{Budget, Cancel, Cancelled, Fault, Kernel, Schedule, SpuriousFailures, TimeLimit};

/// The bound range of a buffer: whole 32-bit words, little-endian as in WGSL.
#[derive(Clone, Copy, Debug)]
pub struct BufferView<'a> {
    /// The words of the range. A trailing part of less than four bytes is not reachable.
    pub words: &'a [AtomicU32],
}

/// A texture, as far as it is bound.
#[derive(Clone, Copy, Debug)]
pub struct TextureView<'a> {
    /// The memory of the whole texture.
    pub words: &'a [AtomicU32],
    /// Where in it the texels are, and what they mean.
    pub view: &'a View,
}

/// What every workgroup of a dispatch sees.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a> {
    /// One view for each of [`Kernel::resources`] that is a single buffer, in that order; then the
    /// elements of arrays of buffers.
    pub buffers: &'a [BufferView<'a>],
    /// One view for each resource that is a single texture; then the elements of arrays of textures.
    pub textures: &'a [TextureView<'a>],
    /// For each resource that is an array, in order, where its elements are among the buffers or the
    /// textures.
    pub arrays: &'a [Range<u32>],
    /// Immediate data (push constants); what is missing reads as zero.
    pub immediates: &'a [u32],
    /// `num_workgroups`.
    pub workgroup_count: [u32; 3],
}

/// When to give up on a workgroup, and what it may not rely on.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// Loop iterations that one workgroup may spend, all its invocations together. An invocation
    /// counts as one too, and so do a call and every 4 KiB that a single assignment moves.
    pub iterations: u64,
    /// Ends the run when it is set. It is polled after a portion of work, whatever the work is, and when a workgroup begins.
    pub cancel: Option<&'a Cancel>,
    /// Makes weak compare-exchanges fail now and then, as WGSL allows. `None`, the default, lets
    /// none fail that need not.
    pub spurious_failures: Option<&'a SpuriousFailures>,
    /// The order of the invocations of a workgroup.
    pub schedule: Schedule,
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Self {
            iterations: u64::MAX,
            cancel: None,
            spurious_failures: None,
            schedule: Schedule::InOrder,
        }
    }
}

/// Iterations between two polls of the cancel flag.
const FUEL_PORTION: u32 = 1 << 14;

/// Work between two polls of the cancel flag, in units of about one instruction: some milliseconds. The last loop turn or
/// call is done before.
const WORK_PORTION: i64 = 1 << 20;

/// A portion pays for the largest single instruction, or it could never be run.
const _: () = assert!(FUEL_PORTION as u64 >= MAX_WORDS / WORDS_PER_UNIT as u64);

/// A kernel with the registers and workgroup memory to run it, reused from workgroup to workgroup.
#[derive(Debug)]
pub struct Worker<'k> {
    kernel: &'k Kernel,
    /// The registers of one invocation after the other; of one alone if nobody ever waits.
    registers: Vec<u32>,
    workgroup: Vec<u32>,
    /// Where each invocation goes on, if the kernel has barriers.
    parked: Vec<Pc>,
    order: Order,
    subgroups: Subgroups,
}

impl<'k> Worker<'k> {
    /// Makes room for one workgroup.
    pub fn new(kernel: &'k Kernel) -> Self {
        let code = &kernel.code;
        let invocations = kernel.workgroup_size().iter().product::<u32>() as usize;
        let files = if code.waits { invocations } else { 1 };
        let mut registers = vec![0; code.registers as usize * files];
        for file in registers.chunks_exact_mut(code.registers as usize) {
            file[..code.initial.len()].copy_from_slice(&code.initial);
        }
        Self {
            kernel,
            registers,
            workgroup: vec![0; code.workgroup_words as usize],
            parked: Vec::new(),
            order: Order::default(),
            subgroups: Subgroups::new(kernel),
        }
    }

    /// Runs one workgroup to its end.
    ///
    /// # Panics
    ///
    /// If `arguments` does not have a view for every resource of the kernel.
    pub fn run(
        &mut self,
        arguments: &Arguments<'_>,
        workgroup_id: [u32; 3],
        limits: &Limits<'_>,
    ) -> Result<(), Fault> {
        self.check(arguments);
        let code = &self.kernel.code;
        self.workgroup.fill(0);
        let mut turn = Turn {
            kernel: self.kernel,
            memory: Memory {
                buffers: arguments.buffers,
                textures: arguments.textures,
                arrays: arguments.arrays,
                elements: &self.kernel.code.elements,
                immediates: arguments.immediates,
                workgroup: &mut self.workgroup,
                spurious_failures: limits.spurious_failures,
            },
            budget: Fuel::new(limits),
            random: limits.schedule.random(workgroup_id),
        };
        let ids = Ids {
            size: self.kernel.workgroup_size(),
            workgroup: workgroup_id,
            count: arguments.workgroup_count,
            subgroup_size: code
                .has_subgroup_ids
                .then(|| self.kernel.subgroup_size().get()),
        };
        if !code.waits {
            for &index in self.order.draw(ids.invocations(), turn.random.as_mut()) {
                ids.write(index, &mut self.registers);
                turn.run(self.kernel.start, &mut self.registers)?;
            }
            return Ok(());
        }
        self.parked.clear();
        self.parked
            .resize(ids.invocations() as usize, self.kernel.start);
        let stride = code.registers as usize;
        for (index, file) in (0..).zip(self.registers.chunks_exact_mut(stride)) {
            ids.write(index, file);
        }
        loop {
            if code.has_collectives {
                self.subgroups
                    .run(&mut turn, &mut self.registers, &mut self.parked)?;
            }
            let order = self.order.draw(ids.invocations(), turn.random.as_mut());
            let (files, parked) = (&mut self.registers, &mut self.parked);
            if !turn.round(order, files, parked, workgroup_id)? {
                return Ok(());
            }
        }
    }
}

impl Worker<'_> {
    fn check(&self, arguments: &Arguments<'_>) {
        let code = &self.kernel.code;
        assert_eq!(arguments.arrays.len(), code.arrays as usize);
        if code.arrays == 0 {
            assert_eq!(arguments.buffers.len(), code.buffer_slots as usize);
            assert_eq!(arguments.textures.len(), code.texture_slots as usize);
        } else {
            assert!(arguments.buffers.len() >= code.buffer_slots as usize);
            assert!(arguments.textures.len() >= code.texture_slots as usize);
        }
    }
}

/// The builtin values of a workgroup.
struct Ids {
    size: [u32; 3],
    workgroup: [u32; 3],
    count: [u32; 3],
    /// If the kernel has builtin values of subgroups.
    subgroup_size: Option<u32>,
}

impl Ids {
    fn invocations(&self) -> u32 {
        self.size.iter().product()
    }

    /// Puts the builtin values of one invocation into its registers.
    fn write(&self, index: u32, registers: &mut [u32]) {
        let [width, height, _] = self.size;
        let local = [
            index % width,
            index / width % height,
            index / (width * height),
        ];
        // The caller may give any workgroup id: what does not fit into 32 bits wraps.
        let global = std::array::from_fn(|axis| {
            let first = self.workgroup[axis].wrapping_mul(self.size[axis]);
            first.wrapping_add(local[axis])
        });
        let mut put = |first: Reg, value: [u32; 3]| {
            registers[first as usize..first as usize + 3].copy_from_slice(&value);
        };
        put(builtin::GLOBAL_INVOCATION_ID, global);
        put(builtin::LOCAL_INVOCATION_ID, local);
        put(builtin::WORKGROUP_ID, self.workgroup);
        put(builtin::NUM_WORKGROUPS, self.count);
        put(builtin::WORKGROUP_SIZE, self.size);
        registers[builtin::LOCAL_INVOCATION_INDEX as usize] = index;
        if let Some(size) = self.subgroup_size {
            registers[builtin::SUBGROUP_SIZE as usize] = size;
            registers[builtin::SUBGROUP_ID as usize] = index / size;
            registers[builtin::SUBGROUP_INVOCATION_ID as usize] = index % size;
            registers[builtin::NUM_SUBGROUPS as usize] = self.invocations().div_ceil(size);
        }
    }
}

/// Three builtin values that come one after the other.
fn three(registers: &[u32], first: Reg) -> [u32; 3] {
    std::array::from_fn(|axis| registers[first as usize + axis])
}

/// What remains of a workgroup's limits.
struct Fuel<'l> {
    limits: &'l Limits<'l>,
    /// Iterations that may still be taken from `limits`.
    left: u64,
    /// Iterations already taken, but not spent, and work until the next poll.
    meter: Meter,
}

impl<'l> Fuel<'l> {
    fn new(limits: &'l Limits<'l>) -> Self {
        Self {
            limits,
            left: limits.iterations,
            meter: Meter {
                fuel: 0,
                work: WORK_PORTION,
            },
        }
    }

    /// Polls the flag, and takes the next portion of work or of iterations, or says what is exhausted.
    fn refill(&mut self) -> Result<(), Exhausted> {
        match self.limits.cancel.and_then(Cancel::get) {
            None => {}
            Some(Cancelled::Stopped) => return Err(Exhausted::Cancelled),
            Some(Cancelled::OutOfTime(limit)) => return Err(Exhausted::Time(limit)),
        }
        let is_out_of_work = self.meter.work <= 0;
        self.meter.work = WORK_PORTION;
        if is_out_of_work {
            // Iterations that are left are spent first.
            return Ok(());
        }
        if self.left == 0 {
            return Err(Exhausted::Iterations);
        }
        self.meter.fuel = u64::from(FUEL_PORTION).min(self.left) as u32;
        self.left -= u64::from(self.meter.fuel);
        Ok(())
    }
}

enum Exhausted {
    Cancelled,
    Time(TimeLimit),
    Iterations,
}

/// One workgroup while it runs.
pub(crate) struct Turn<'k, 'a> {
    pub(crate) kernel: &'k Kernel,
    memory: Memory<'a>,
    budget: Fuel<'a>,
    /// Draws the order of invocations, if it is not that of their numbers.
    pub(crate) random: Option<Random>,
}

impl Turn<'_, '_> {
    /// Runs one invocation until it ends or waits.
    pub(crate) fn run(&mut self, mut pc: Pc, registers: &mut [u32]) -> Result<Stop, Fault> {
        // A turn costs one unit too: a workgroup may have millions of invocations without a loop.
        // What is left of the code comes next, in this function and in those that called it.
        let work = self.kernel.code.work;
        while !self.budget.meter.take(1, work) {
            self.refill(pc, registers)?;
        }
        loop {
            let meter = &mut self.budget.meter;
            match execute::run(&self.kernel.code, pc, registers, &mut self.memory, meter) {
                Stop::OutOfFuel(at) => {
                    pc = at;
                    self.refill(at, registers)?;
                }
                stop => return Ok(stop),
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn refill(&mut self, at: Pc, registers: &[u32]) -> Result<(), Fault> {
        self.budget
            .refill()
            .map_err(|exhausted| self.exhausted(exhausted, at, registers))
    }

    fn exhausted(&self, exhausted: Exhausted, at: Pc, registers: &[u32]) -> Fault {
        let kernel = self.kernel;
        let limit = match exhausted {
            Exhausted::Cancelled => {
                return Fault::Cancelled {
                    entry_point: kernel.name().to_owned(),
                };
            }
            Exhausted::Time(limit @ TimeLimit::Total(_)) => {
                let workgroup = three(registers, builtin::WORKGROUP_ID);
                return Fault::not_begun(kernel.name(), workgroup, limit);
            }
            Exhausted::Time(TimeLimit::Progress(time)) => Budget::Time(time),
            Exhausted::Iterations => Budget::Iterations(self.budget.limits.iterations),
        };
        let entry_point = kernel.name().to_owned();
        let invocation = three(registers, builtin::GLOBAL_INVOCATION_ID);
        match kernel.code.loop_around(at, registers) {
            Some(end) => Fault::EndlessLoop {
                entry_point,
                place: kernel.place(end),
                invocation,
                limit,
            },
            None => Fault::TooMuchWork {
                entry_point,
                place: kernel.place(at),
                invocation,
                limit,
            },
        }
    }

    /// Runs every invocation up to its next barrier, in an order; `false` once all have ended.
    fn round(
        &mut self,
        order: &[u32],
        registers: &mut [u32],
        parked: &mut [Pc],
        workgroup: [u32; 3],
    ) -> Result<bool, Fault> {
        let stride = self.kernel.code.registers as usize;
        let mut first = None;
        for &index in order {
            let (place, pc) = (index as usize, &mut parked[index as usize]);
            let stop = self.run(*pc, &mut registers[place * stride..][..stride])?;
            // All agreed with the first one so far.
            let leader = *first.get_or_insert((index, stop));
            match (leader.1, stop) {
                (Stop::Ended(_), Stop::Ended(_)) => {}
                (Stop::AtBarrier(a), Stop::AtBarrier(b)) if a == b => *pc = b + 1,
                _ => return Err(self.divergence(workgroup, leader, (index, stop))),
            }
        }
        let waits = matches!(first, Some((_, Stop::AtBarrier(_))));
        if waits {
            // Who sees on another thread what comes behind the barrier sees what came before it, too.
            fence(Ordering::AcqRel);
        }
        Ok(waits)
    }

    fn divergence(&self, workgroup: [u32; 3], a: (u32, Stop), b: (u32, Stop)) -> Fault {
        let (waiting, other) = match a.1 {
            Stop::AtBarrier(_) => (a, b),
            _ => (b, a),
        };
        Fault::BarrierDivergence {
            entry_point: self.kernel.name().to_owned(),
            workgroup,
            waiting: waiting.0,
            barrier: self.kernel.place(waiting.1.pc()),
            other: other.0,
            other_state: match other.1 {
                Stop::Ended(_) => "ended",
                _ => "waits",
            },
            other_place: self.kernel.place(other.1.pc()),
        }
    }
}
