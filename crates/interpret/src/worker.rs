//! Executes a kernel, one workgroup at a time.

use std::sync::atomic::{Ordering, fence};

use crate::bytecode::{Pc, Reg, WORDS_PER_UNIT, builtin};
use crate::execute::{self, Meter, StopReason};
use crate::layout::MAX_WORDS;
use crate::memory::Memory;
use crate::schedule::InvocationOrder;
use crate::subgroup::Subgroups;
use crate::{
    Arguments, Budget, CancelFlag, CancelReason, ExecutionError, Kernel, Limits, Random, TimeLimit,
};

/// Iterations between two polls of the cancel flag.
const FUEL_PORTION: u32 = 1 << 14;

/// Work between two polls of the cancel flag, in units of about one instruction: some milliseconds. The last loop
/// iteration or call is completed first.
const WORK_PORTION: i64 = 1 << 20;

/// A portion must pay for the largest single instruction, or that could never be executed.
const _: () = assert!(FUEL_PORTION as u64 >= MAX_WORDS / WORDS_PER_UNIT as u64);

/// A kernel with registers and workgroup memory, which are reused from workgroup to workgroup.
#[derive(Debug)]
pub struct Worker<'k> {
    kernel: &'k Kernel,
    /// The registers of every invocation; of one only, if no invocation ever waits.
    registers: Vec<u32>,
    workgroup: Vec<u32>,
    /// Where each invocation resumes, if the kernel has barriers.
    parked: Vec<Pc>,
    order: InvocationOrder,
    subgroups: Subgroups,
}

impl<'k> Worker<'k> {
    /// Allocates memory for one workgroup.
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
            order: InvocationOrder::default(),
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
    ) -> Result<(), ExecutionError> {
        self.check(arguments);
        let code = &self.kernel.code;
        self.workgroup.fill(0);
        let mut run = WorkgroupRun {
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
        let ids = BuiltinValues {
            size: self.kernel.workgroup_size(),
            workgroup: workgroup_id,
            count: arguments.workgroup_count,
            subgroup_size: code
                .has_subgroup_ids
                .then(|| self.kernel.subgroup_size().get()),
        };
        if !code.waits {
            for &index in self.order.draw(ids.invocations(), run.random.as_mut()) {
                ids.write(index, &mut self.registers);
                run.run(self.kernel.start, &mut self.registers)?;
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
                    .run(&mut run, &mut self.registers, &mut self.parked)?;
            }
            let order = self.order.draw(ids.invocations(), run.random.as_mut());
            let (files, parked) = (&mut self.registers, &mut self.parked);
            match run.run_to_barrier(order, files, parked, workgroup_id)? {
                PhaseEnd::AtBarrier => {}
                PhaseEnd::Ended => return Ok(()),
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
struct BuiltinValues {
    size: [u32; 3],
    workgroup: [u32; 3],
    count: [u32; 3],
    /// Present if the kernel uses subgroup builtin values.
    subgroup_size: Option<u32>,
}

impl BuiltinValues {
    fn invocations(&self) -> u32 {
        self.size.iter().product()
    }

    /// Writes the builtin values of one invocation to its registers.
    fn write(&self, index: u32, registers: &mut [u32]) {
        let [width, height, _] = self.size;
        let local = [
            index % width,
            index / width % height,
            index / (width * height),
        ];
        // Any workgroup id is allowed, so the multiplication wraps.
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

/// Reads three consecutive registers.
fn three(registers: &[u32], first: Reg) -> [u32; 3] {
    std::array::from_fn(|axis| registers[first as usize + axis])
}

/// The remaining budget of a workgroup.
struct Fuel<'l> {
    limits: &'l Limits<'l>,
    /// Iterations that may still be taken from `limits`.
    left: u64,
    /// Iterations taken from `limits` but not spent, and the work until the next poll.
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

    /// Polls the cancel flag, and takes the next portion of work or of iterations, or returns what is exhausted.
    fn refill(&mut self) -> Result<(), OutOfBudget> {
        match self.limits.cancel.and_then(CancelFlag::reason) {
            None => {}
            Some(CancelReason::Stopped) => return Err(OutOfBudget::Cancelled),
            Some(CancelReason::OutOfTime(limit)) => return Err(OutOfBudget::Time(limit)),
        }
        let is_out_of_work = self.meter.work <= 0;
        self.meter.work = WORK_PORTION;
        if is_out_of_work {
            // The remaining iterations are spent first.
            return Ok(());
        }
        if self.left == 0 {
            return Err(OutOfBudget::Iterations);
        }
        self.meter.fuel = u64::from(FUEL_PORTION).min(self.left) as u32;
        self.left -= u64::from(self.meter.fuel);
        Ok(())
    }
}

enum OutOfBudget {
    Cancelled,
    Time(TimeLimit),
    Iterations,
}

/// How a phase of a workgroup ended, for all of its invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PhaseEnd {
    /// They wait at one barrier.
    AtBarrier,
    /// They have ended.
    Ended,
}

/// A workgroup that is being executed.
pub(crate) struct WorkgroupRun<'k, 'a> {
    pub(crate) kernel: &'k Kernel,
    memory: Memory<'a>,
    budget: Fuel<'a>,
    /// The generator for the order of invocations; `None` for ascending order.
    pub(crate) random: Option<Random>,
}

impl WorkgroupRun<'_, '_> {
    /// Runs one invocation until it ends or waits.
    pub(crate) fn run(
        &mut self,
        mut pc: Pc,
        registers: &mut [u32],
    ) -> Result<StopReason, ExecutionError> {
        // Resuming an invocation costs one unit: a workgroup may have millions of invocations without a loop. The
        // work charged is that of all remaining code, in this function and its callers.
        let work = self.kernel.code.work;
        while !self.budget.meter.take(1, work) {
            self.refill(pc, registers)?;
        }
        loop {
            let meter = &mut self.budget.meter;
            match execute::run(&self.kernel.code, pc, registers, &mut self.memory, meter) {
                StopReason::OutOfFuel(at) => {
                    pc = at;
                    self.refill(at, registers)?;
                }
                stop => return Ok(stop),
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn refill(&mut self, at: Pc, registers: &[u32]) -> Result<(), ExecutionError> {
        self.budget
            .refill()
            .map_err(|exhausted| self.exhausted(exhausted, at, registers))
    }

    fn exhausted(&self, exhausted: OutOfBudget, at: Pc, registers: &[u32]) -> ExecutionError {
        let kernel = self.kernel;
        let limit = match exhausted {
            OutOfBudget::Cancelled => {
                return ExecutionError::Cancelled {
                    entry_point: kernel.name().to_owned(),
                };
            }
            OutOfBudget::Time(limit @ TimeLimit::Total(_)) => {
                let workgroup = three(registers, builtin::WORKGROUP_ID);
                return ExecutionError::not_started(kernel.name(), workgroup, limit);
            }
            OutOfBudget::Time(TimeLimit::Progress(time)) => Budget::Time(time),
            OutOfBudget::Iterations => Budget::Iterations(self.budget.limits.iterations),
        };
        let entry_point = kernel.name().to_owned();
        let invocation = three(registers, builtin::GLOBAL_INVOCATION_ID);
        match kernel.code.loop_around(at, registers) {
            Some(end) => ExecutionError::EndlessLoop {
                entry_point,
                location: kernel.location(end),
                invocation,
                limit,
            },
            None => ExecutionError::TooMuchWork {
                entry_point,
                location: kernel.location(at),
                invocation,
                limit,
            },
        }
    }

    /// Runs every invocation up to its next barrier, or to its end.
    fn run_to_barrier(
        &mut self,
        order: &[u32],
        registers: &mut [u32],
        parked: &mut [Pc],
        workgroup: [u32; 3],
    ) -> Result<PhaseEnd, ExecutionError> {
        let stride = self.kernel.code.registers as usize;
        let mut first = None;
        for &index in order {
            let (slot, pc) = (index as usize, &mut parked[index as usize]);
            let stop = self.run(*pc, &mut registers[slot * stride..][..stride])?;
            // All earlier invocations agree with the first one.
            let leader = *first.get_or_insert((index, stop));
            match (leader.1, stop) {
                (StopReason::Ended(_), StopReason::Ended(_)) => {}
                (StopReason::AtBarrier(a), StopReason::AtBarrier(b)) if a == b => *pc = b + 1,
                _ => return Err(self.divergence(workgroup, leader, (index, stop))),
            }
        }
        if let Some((_, StopReason::AtBarrier(_))) = first {
            // A thread that sees an effect after the barrier must also see the effects before it.
            fence(Ordering::AcqRel);
            return Ok(PhaseEnd::AtBarrier);
        }
        Ok(PhaseEnd::Ended)
    }

    fn divergence(
        &self,
        workgroup: [u32; 3],
        a: (u32, StopReason),
        b: (u32, StopReason),
    ) -> ExecutionError {
        let (waiting, other) = match a.1 {
            StopReason::AtBarrier(_) => (a, b),
            _ => (b, a),
        };
        ExecutionError::BarrierDivergence {
            entry_point: self.kernel.name().to_owned(),
            workgroup,
            waiting: waiting.0,
            barrier: self.kernel.location(waiting.1.pc()),
            other: other.0,
            other_state: match other.1 {
                StopReason::Ended(_) => "ended",
                _ => "waits",
            },
            other_location: self.kernel.location(other.1.pc()),
        }
    }
}
