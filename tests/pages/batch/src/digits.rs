//! The test workload: an array of equal numbers to which each batch appends a digit. Lost, repeated or reordered
//! batches change the numbers.

use anywarp_batch::{
    BatchLock, BatchPass, BatchRunner, BatchRunnerDescriptor, BatchSlots, BatchSlotsDescriptor,
    ResultRange, SubmitError,
};

pub(crate) type Error = Box<dyn std::error::Error>;

const MAIN: &str = "
@group(0) @binding(2) var<uniform> digit: u32;
@group(1) @binding(0) var<storage, read_write> state: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&state) || !batch_is_active() { return; }
    state[id.x] = state[id.x] * 10u + digit;
}
";

pub(crate) struct Digits {
    pub(crate) runner: BatchRunner,
    pub(crate) lock: BatchLock,
    queue: wgpu::Queue,
    state: wgpu::Buffer,
}

impl Digits {
    pub(crate) fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        slots: u32,
        count: u32,
    ) -> Result<Self, Error> {
        let state = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("state"),
            size: 4 * u64::from(count),
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let lock = BatchLock::new(device, queue, slots)?;
        let descriptor = BatchSlotsDescriptor {
            slots,
            params_size: 4,
            results: vec![ResultRange::whole(&state)],
            lock: Some(lock.clone()),
            ..Default::default()
        };
        let slots = BatchSlots::new(device, queue, descriptor)?;
        let pass = pass(device, &slots, &state, count.div_ceil(64));
        let descriptor = BatchRunnerDescriptor {
            passes: vec![pass],
            ..Default::default()
        };
        Ok(Self {
            runner: BatchRunner::new(slots, descriptor)?,
            lock,
            queue: queue.clone(),
            state,
        })
    }

    /// Writes the state for the next epoch.
    pub(crate) fn write(&self, number: u32) {
        let numbers = number.to_le_bytes().repeat(self.state.size() as usize / 4);
        (self.queue).write_buffer(&self.state, 0, &numbers);
    }

    /// Acquires or releases the lock of the batches from the host.
    pub(crate) fn hold_lock(&self, is_held: bool) {
        let word = u32::from(is_held).to_le_bytes();
        let offset = self.lock.layout().lock();
        (self.queue).write_buffer(self.lock.buffer(), offset, &word);
    }

    /// Submits a batch for each digit, as many at a time as there are slots, and returns the numbers in the order of
    /// completion.
    pub(crate) async fn run(&mut self, digits: &[u32]) -> Result<Vec<u32>, Error> {
        let mut numbers = Vec::new();
        for digit in digits {
            loop {
                match self.runner.submit(&digit.to_le_bytes()) {
                    Ok(_) => break,
                    Err(SubmitError::Full) => numbers.extend(self.next().await?),
                    Err(error) => return Err(error.into()),
                }
            }
        }
        while let Some(number) = self.next().await? {
            numbers.push(number);
        }
        Ok(numbers)
    }

    /// The result of the next batch; `None` if none is in flight.
    pub(crate) async fn next(&mut self) -> Result<Option<u32>, Error> {
        match self.runner.next().await {
            Some(outcome) => Ok(Some(number(&outcome?.results)?)),
            None => Ok(None),
        }
    }
}

/// The number in the results of a batch; an error unless all elements are equal.
pub(crate) fn number(results: &[Vec<u8>]) -> Result<u32, Error> {
    let [bytes] = results else {
        return Err(format!("{} results where there is one range", results.len()).into());
    };
    let (words, _) = bytes.as_chunks::<4>();
    match words {
        [first, rest @ ..] if rest.iter().all(|word| word == first) => {
            Ok(u32::from_le_bytes(*first))
        }
        _ => Err("the numbers differ".into()),
    }
}

fn pass(
    device: &wgpu::Device,
    slots: &BatchSlots,
    state: &wgpu::Buffer,
    workgroups: u32,
) -> BatchPass {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("digits"),
        source: wgpu::ShaderSource::Wgsl((slots.wgsl() + MAIN).into()),
    });
    let state_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("state"),
        entries: &[wgpu::BindGroupLayoutEntry {
            binding: 0,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only: false },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        }],
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("digits"),
        bind_group_layouts: &[Some(slots.bind_group_layout()), Some(&state_layout)],
        immediate_size: 0,
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("digits"),
        layout: Some(&layout),
        module: &module,
        entry_point: None,
        compilation_options: Default::default(),
        cache: None,
    });
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("state"),
        layout: &state_layout,
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: state.as_entire_binding(),
        }],
    });
    BatchPass {
        pipeline,
        bind_groups: vec![(1, group)],
        workgroups: [workgroups, 1, 1].into(),
    }
}
