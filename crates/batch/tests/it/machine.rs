//! A state machine over many workgroups, on the device and on the host.
//!
//! A step computes every cell from itself, its neighbour and the batch's parameter, in two passes
//! over two buffers. So the state shows whether batches ran in order, each once, and completely.

use anywarp_batch::{
    BatchLock, BatchOrder, BatchPass, BatchRunner, BatchRunnerDescriptor, BatchSlots,
    BatchSlotsDescriptor, Completed, ResultRange,
};

use crate::gpu::{Gpu, words};

const COPY_WORKGROUP_SIZE: u32 = 4;

const WGSL: &str = "
@group(0) @binding(2) var<uniform> parameter: u32;
@group(1) @binding(0) var<storage, read_write> state: array<u32>;
@group(1) @binding(1) var<storage, read_write> scratch: array<u32>;

@compute @workgroup_size(4)
fn compute_step(@builtin(global_invocation_id) id: vec3<u32>) {
    if !batch_is_active() { return; }
    let count = arrayLength(&state);
    if id.x < count {
        scratch[id.x] = state[id.x] * 1664525u + state[(id.x + 1u) % count] + parameter * (id.x + 1u);
    }
}
@compute @workgroup_size(4)
fn store_step(@builtin(global_invocation_id) id: vec3<u32>) {
    if !batch_is_active() { return; }
    if id.x < arrayLength(&state) { state[id.x] = scratch[id.x]; }
}
@compute @workgroup_size(4)
fn add(@builtin(global_invocation_id) id: vec3<u32>) {
    if !batch_is_active() { return; }
    if id.x < arrayLength(&state) { scratch[id.x] = state[id.x] + parameter; }
}
";

/// One step on the host.
fn step(state: &[u32], parameter: u32) -> Vec<u32> {
    (0..state.len())
        .map(|i| {
            let neighbour = state[(i + 1) % state.len()];
            let own = state[i].wrapping_mul(1_664_525).wrapping_add(neighbour);
            own.wrapping_add(parameter.wrapping_mul(i as u32 + 1))
        })
        .collect()
}

/// The states after each of these steps.
pub(crate) fn model(start: &[u32], parameters: &[u32]) -> Vec<Vec<u32>> {
    let mut state = start.to_vec();
    let steps = parameters.iter();
    steps
        .map(|parameter| {
            state = step(&state, *parameter);
            state.clone()
        })
        .collect()
}

/// The parameter of a batch, by its number.
pub(crate) fn parameter(number: u32) -> u32 {
    (number + 1).wrapping_mul(0x9E37_79B9)
}

pub(crate) fn parameters(count: u32) -> Vec<u32> {
    (0..count).map(parameter).collect()
}

/// Descriptor of a state machine.
pub(crate) struct Setup {
    pub(crate) cells: u32,
    pub(crate) slots: u32,
    pub(crate) order: BatchOrder,
    pub(crate) lock: Option<BatchLock>,
    pub(crate) runner: BatchRunnerDescriptor,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            cells: 40,
            slots: 2,
            order: BatchOrder::Ordered,
            lock: None,
            runner: BatchRunnerDescriptor::default(),
        }
    }
}

/// The buffers of a state machine, which runners may share.
pub(crate) struct State {
    pub(crate) state: wgpu::Buffer,
    scratch: wgpu::Buffer,
}

impl State {
    pub(crate) fn new(gpu: &Gpu, cells: u32) -> Self {
        let size = 4 * u64::from(cells);
        let this = Self {
            state: gpu.storage(size),
            scratch: gpu.storage(size),
        };
        this.write(gpu, &vec![1; cells as usize]);
        this
    }

    pub(crate) fn write(&self, gpu: &Gpu, cells: &[u32]) {
        let bytes = bytemuck::cast_slice(cells);
        gpu.queue.write_buffer(&self.state, 0, bytes);
        gpu.queue.write_buffer(&self.scratch, 0, bytes);
    }

    /// A runner on this state. An ordered one runs the state machine; an unordered one adds, which
    /// commutes.
    pub(crate) fn runner(&self, gpu: &Gpu, setup: Setup) -> BatchRunner {
        let slots = BatchSlots::new(
            &gpu.device,
            &gpu.queue,
            BatchSlotsDescriptor {
                slots: setup.slots,
                order: setup.order,
                params_size: 4,
                results: vec![ResultRange::whole(&self.state)],
                lock: setup.lock,
                ..Default::default()
            },
        )
        .unwrap();
        let (layout, group) = gpu.group(&[&self.state, &self.scratch]);
        let module = gpu.module(&(slots.wgsl() + WGSL));
        let first = match setup.order {
            BatchOrder::Ordered => "compute_step",
            BatchOrder::Unordered => "add",
        };
        let pass = |entry_point| BatchPass {
            pipeline: gpu.pipeline(&module, entry_point, &[slots.bind_group_layout(), &layout]),
            bind_groups: vec![(1, group.clone())],
            workgroups: [setup.cells.div_ceil(COPY_WORKGROUP_SIZE), 1, 1].into(),
        };
        let passes = vec![pass(first), pass("store_step")];
        BatchRunner::new(
            slots,
            BatchRunnerDescriptor {
                passes,
                ..setup.runner
            },
        )
        .unwrap()
    }
}

pub(crate) fn machine(gpu: &Gpu, setup: Setup) -> BatchRunner {
    State::new(gpu, setup.cells).runner(gpu, setup)
}

/// Submits a number of batches, as fast as the runner accepts them, and collects every outcome.
/// Batch `n` of the runner gets parameter `n` of all.
pub(crate) fn run_all(runner: &mut BatchRunner, count: u32) -> Vec<Completed> {
    let mut outcomes = Vec::new();
    let mut next = 0;
    while outcomes.len() < count as usize {
        while next < count && runner.submit(&parameter(next).to_le_bytes()).is_ok() {
            next += 1;
        }
        outcomes.push(runner.wait().expect("batches are pending").unwrap());
    }
    assert_eq!(runner.wait(), None, "more outcomes than batches");
    outcomes
}

/// Checks that each batch was applied once, with the state after it.
pub(crate) fn assert_sequential(outcomes: &[Completed], start: &[u32], what: &str) {
    let expected = model(start, &parameters(outcomes.len() as u32));
    for (number, (outcome, expected)) in outcomes.iter().zip(&expected).enumerate() {
        assert_eq!(
            outcome.id.number(),
            number as u64,
            "{what}: each batch once"
        );
        assert_eq!(
            &words(&outcome.results[0]),
            expected,
            "{what}: batch {number}"
        );
    }
}
