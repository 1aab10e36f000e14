//! Batch slots, for users with their own encoders: everything of a batch except its passes.
//!
//! In: a device, ranges of results, the number of slots. Out: a guard pass and a readback for any
//! encoder, and the bind group that the user's passes share with them. What it does not do: decide
//! when a slot is free or whether a batch must be submitted again;
//! [`BatchRunner`](crate::BatchRunner) does that.

use std::ops::Range;

use crate::error::{BuildError, RangeProblem, UploadError};
use crate::layout::{INFO_SIZE, LockLayout, PARAMS_OFFSET};
use crate::lock::BatchLock;
use crate::params_buffer::ParamsBuffer;
use crate::pipelines::{
    MAX_SMALL_RANGE_BYTES, Pipelines, StagingDispatch, layout_of, storage, uniform,
};
use crate::shader::BatchBindings;
use crate::status::SlotStatus;

/// Whether the batches of these slots are applied in the order of submission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
// Exhaustive: batches are ordered or not.
pub enum BatchOrder {
    /// The state evolves as if batches ran one after another, in the order of submission.
    #[default]
    Ordered,
    /// One at a time, in any order: for work that commutes.
    Unordered,
}

/// A part of a buffer that is read back after each batch. The buffer needs `STORAGE` usage.
#[derive(Clone, Debug)]
pub struct ResultRange {
    /// The buffer to read.
    pub buffer: wgpu::Buffer,
    /// The byte offset of the range, a multiple of 4.
    pub offset: u64,
    /// The size of the range in bytes, a multiple of 4.
    pub size: u64,
}

impl ResultRange {
    /// The range of a whole buffer.
    pub fn whole(buffer: &wgpu::Buffer) -> Self {
        Self {
            buffer: buffer.clone(),
            offset: 0,
            size: buffer.size(),
        }
    }

    fn check(&self) -> Result<(), RangeProblem> {
        let end = self.offset.checked_add(self.size);
        if self.size == 0 {
            Err(RangeProblem::Empty)
        } else if !self.offset.is_multiple_of(4) || !self.size.is_multiple_of(4) {
            Err(RangeProblem::Alignment)
        } else if end.is_none_or(|end| end > self.buffer.size()) {
            Err(RangeProblem::PastEnd)
        } else if !self.buffer.usage().contains(wgpu::BufferUsages::STORAGE) {
            Err(RangeProblem::Usage)
        } else {
            Ok(())
        }
    }
}

/// Descriptor of [`BatchSlots`].
#[derive(Clone, Debug)]
pub struct BatchSlotsDescriptor {
    /// How many batches may be in flight at a time. Two keep the device busy while the host reads
    /// results.
    pub slots: u32,
    /// Whether batches are applied in the order of submission.
    pub order: BatchOrder,
    /// Size of each batch's parameters in bytes, at most the device's limit for a uniform binding.
    pub params_size: u32,
    /// The ranges to read back after each batch.
    pub results: Vec<ResultRange>,
    /// The group and binding numbers of the batch's own bindings in the user's shader.
    pub bindings: BatchBindings,
    /// A lock to share with other slots that work on the same state; `None` creates a new one.
    pub lock: Option<BatchLock>,
}

impl Default for BatchSlotsDescriptor {
    fn default() -> Self {
        Self {
            slots: 2,
            order: BatchOrder::Ordered,
            params_size: 0,
            results: Vec::new(),
            bindings: BatchBindings::default(),
            lock: None,
        }
    }
}

/// The info words of a batch, for [`BatchSlots::queue_params`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchInfo {
    /// The batch's position in the order: with [`BatchOrder::Ordered`] the batch is skipped unless
    /// exactly this many batches were applied before it in these slots.
    pub ticket: u32,
    /// Any number; it is returned in [`SlotStatus::serial`].
    pub serial: u32,
    /// Any number; the user's shader sees it as `batch.epoch`.
    pub epoch: u32,
}

/// The buffers and bind groups of one slot.
#[derive(Debug)]
struct Slot {
    params: ParamsBuffer,
    /// `None` where the staging pass writes into the readback buffer directly.
    staging: Option<wgpu::Buffer>,
    readback: wgpu::Buffer,
    /// The bind group of the user's passes.
    user: wgpu::BindGroup,
    /// The bind group of the guard pass.
    guard: wgpu::BindGroup,
    /// The bind group of the staging passes.
    own: wgpu::BindGroup,
}

/// Slots of a lock, with the passes that take and release it.
#[derive(Debug)]
pub struct BatchSlots {
    device: wgpu::Device,
    queue: wgpu::Queue,
    lock: BatchLock,
    /// The slots of the lock that belong to this owner.
    owned_slots: Range<u32>,
    order: BatchOrder,
    params_size: u32,
    bindings: BatchBindings,
    layout: wgpu::BindGroupLayout,
    pipelines: Pipelines,
    /// The dispatches of the staging pass; the last one releases the lock.
    staging: Vec<StagingDispatch>,
    /// Size in bytes of each result range.
    sizes: Vec<u64>,
    slots: Vec<Slot>,
}

impl BatchSlots {
    /// Creates the buffers, pipelines and bind groups.
    pub fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        descriptor: BatchSlotsDescriptor,
    ) -> Result<Self, BuildError> {
        check(device, &descriptor)?;
        let lock = match descriptor.lock {
            Some(lock) => lock,
            None => BatchLock::new(device, queue, descriptor.slots)?,
        };
        let owned_slots = lock.take(descriptor.slots)?;
        let pipelines = Pipelines::new(device, lock.layout());
        let mut target = SlotStatus::SIZE;
        let mut staging = Vec::new();
        let mut small = None;
        for (index, range) in descriptor.results.iter().enumerate() {
            let is_last = index + 1 == descriptor.results.len();
            if is_last && range.size <= MAX_SMALL_RANGE_BYTES {
                small = Some((range, target));
            } else {
                staging.push(pipelines.copying(device, range, target));
            }
            target += range.size;
        }
        staging.push(pipelines.release(device, small));
        let BatchBindings {
            lock: at,
            info,
            params,
            ..
        } = descriptor.bindings;
        let mut entries = vec![storage(at, false), uniform(info)];
        if descriptor.params_size > 0 {
            entries.push(uniform(params));
        }
        let mut this = Self {
            device: device.clone(),
            queue: queue.clone(),
            layout: layout_of(device, "batch", &entries),
            lock,
            owned_slots,
            order: descriptor.order,
            params_size: descriptor.params_size,
            bindings: descriptor.bindings,
            pipelines,
            staging,
            sizes: descriptor.results.iter().map(|range| range.size).collect(),
            slots: Vec::new(),
        };
        this.slots = this
            .owned_slots
            .clone()
            .map(|_| this.slot(target))
            .collect();
        Ok(this)
    }

    fn slot(&self, readback_size: u64) -> Slot {
        use wgpu::BufferUsages as Usage;
        let buffer = |label, usage| {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: readback_size,
                usage,
                mapped_at_creation: false,
            })
        };
        let (staging, readback) = if self.is_mapped_in_place(readback_size) {
            (None, Usage::MAP_READ | Usage::STORAGE)
        } else {
            let staging = buffer("batch staging", Usage::STORAGE | Usage::COPY_SRC);
            (Some(staging), Usage::MAP_READ | Usage::COPY_DST)
        };
        let readback = buffer("batch readback", readback);
        let params = ParamsBuffer::copied(&self.device, self.params_buffer_size());
        let [user, guard, own] = self.groups(&params, staging.as_ref().unwrap_or(&readback));
        Slot {
            params,
            staging,
            readback,
            user,
            guard,
            own,
        }
    }

    /// The bind groups of the user's passes, the guard and the staging passes.
    fn groups(&self, params: &ParamsBuffer, staging: &wgpu::Buffer) -> [wgpu::BindGroup; 3] {
        let group = |label, layout, entries: &[wgpu::BindGroupEntry<'_>]| {
            self.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(label),
                layout,
                entries,
            })
        };
        let params = params.buffer();
        let lock = |binding| entry(binding, self.lock.buffer(), 0, None);
        let info = |binding| entry(binding, params, 0, Some(INFO_SIZE));
        let params = |binding| entry(binding, params, PARAMS_OFFSET, None);
        let mut user = vec![lock(self.bindings.lock), info(self.bindings.info)];
        if self.params_size > 0 {
            user.push(params(self.bindings.params));
        }
        let own = [lock(0), info(1), entry(2, staging, 0, None)];
        [
            group("batch", &self.layout, &user),
            group("batch guard", &self.pipelines.guard_layout, &own[..2]),
            group("batch staging", &self.pipelines.own_layout, &own),
        ]
    }

    /// Whether host and device may share one mapped buffer instead of copying. Only small buffers
    /// do: shaders are faster in the device's own memory, and the lock is held while they write.
    fn is_mapped_in_place(&self, size: u64) -> bool {
        let features = self.device.features();
        size <= MAX_SMALL_RANGE_BYTES && features.contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS)
    }

    /// Switches to parameter buffers that the host writes in place, on devices that can map any
    /// buffer. Requires that a slot is reused only after its last submission has finished.
    pub(crate) fn write_params_in_place(&mut self) {
        if !self.is_mapped_in_place(self.params_buffer_size()) {
            return;
        }
        for index in 0..self.slots.len() {
            let params = ParamsBuffer::in_place(&self.device, self.params_buffer_size());
            let slot = &self.slots[index];
            let staging = slot.staging.as_ref().unwrap_or(&slot.readback);
            let [user, guard, own] = self.groups(&params, staging);
            let slot = &mut self.slots[index];
            (slot.params, slot.user, slot.guard, slot.own) = (params, user, guard, own);
        }
    }

    /// The number of slots.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are no slots; always false.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The device of the slots.
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// The queue of the slots.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// The lock that the slots belong to.
    pub fn lock(&self) -> &BatchLock {
        &self.lock
    }

    /// Whether the slots' batches are applied in the order of submission.
    pub fn order(&self) -> BatchOrder {
        self.order
    }

    /// The layout of the bind group that the user's pipelines have at [`BatchBindings::group`].
    pub fn bind_group_layout(&self) -> &wgpu::BindGroupLayout {
        &self.layout
    }

    /// The bind group of a slot for the user's passes.
    ///
    /// # Panics
    /// If there is no slot with this index; the same holds for all functions below.
    pub fn bind_group(&self, slot: usize) -> &wgpu::BindGroup {
        &self.slots[slot].user
    }

    /// The group and binding numbers of the batch's own bindings in the user's shader.
    pub fn bindings(&self) -> BatchBindings {
        self.bindings
    }

    /// The WGSL text that the user's shader includes; see [`BatchBindings::wgsl`].
    pub fn wgsl(&self) -> String {
        self.bindings.wgsl(self.lock_layout())
    }

    /// The byte offsets of the lock buffer's words.
    pub fn lock_layout(&self) -> LockLayout {
        self.lock.layout()
    }

    /// Size of a batch's parameters in bytes.
    pub fn params_size(&self) -> u32 {
        self.params_size
    }

    /// The readback buffer of a slot, to be mapped for reading: [`SlotStatus::SIZE`] bytes of
    /// status, then the result ranges one after another.
    pub fn readback_buffer(&self, slot: usize) -> &wgpu::Buffer {
        &self.slots[slot].readback
    }

    /// Size in bytes of each result range.
    pub fn result_sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// First step of a batch: writes its info words and parameters. Parameters have the size that
    /// the descriptor declares; missing bytes are zero, further ones are ignored. It
    /// fails if the device is lost.
    ///
    /// Nothing should be submitted before the lock [is ready](BatchLock::is_ready).
    ///
    /// The data is part of the encoder. `Queue::write_buffer` would make it part of whichever
    /// submission comes next.
    pub fn queue_params(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        slot: usize,
        info: BatchInfo,
        params: &[u8],
    ) -> Result<(), UploadError> {
        let info = self.info_bytes(slot, info);
        let slot = &self.slots[slot];
        let given = params.len().min(self.params_size as usize);
        let missing = vec![0; self.params_size as usize - given];
        let parts = [
            (0, info.as_slice()),
            (PARAMS_OFFSET, &params[..given]),
            (PARAMS_OFFSET + given as u64, &missing),
        ];
        slot.params.queue(&self.device, encoder, &parts)
    }

    /// The values of [`INFO_WORDS`](crate::layout::INFO_WORDS), in their order.
    fn info_bytes(&self, slot: usize, info: BatchInfo) -> [u8; INFO_SIZE as usize] {
        let words = [
            self.owned_slots.start + slot as u32,
            info.ticket,
            self.owned_slots.start,
            u32::from(self.order == BatchOrder::Ordered),
            info.serial,
            info.epoch,
            // Inactive until the guard pass has taken the lock.
            0,
        ];
        let mut bytes = [0; INFO_SIZE as usize];
        for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// Size of the parameter buffer: a uniform struct may be rounded up to 16 bytes.
    fn params_buffer_size(&self) -> u64 {
        match self.params_size {
            0 => INFO_SIZE,
            size => PARAMS_OFFSET + u64::from(size).next_multiple_of(16),
        }
    }

    /// Second step, before the user's passes: tries to take the lock, and makes the slot active if
    /// that succeeds.
    pub fn queue_guard_pass(&self, encoder: &mut wgpu::CommandEncoder, slot: usize) {
        self.guard(&mut begin(encoder, "batch guard"), slot);
    }

    /// Encodes the guard's dispatch.
    pub(crate) fn guard(&self, pass: &mut wgpu::ComputePass<'_>, slot: usize) {
        pass.set_pipeline(&self.pipelines.guard);
        pass.set_bind_group(0, &self.slots[slot].guard, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    }

    /// Last step, after the user's passes: copies the results, releases the lock if this batch holds
    /// it, and copies status and results to the slot's readback buffer.
    pub fn queue_results_readback(&self, encoder: &mut wgpu::CommandEncoder, slot: usize) {
        self.stage(&mut begin(encoder, "batch staging"), slot);
        self.read_back(encoder, slot);
    }

    /// Encodes the dispatches that copy the results and release the lock.
    pub(crate) fn stage(&self, pass: &mut wgpu::ComputePass<'_>, slot: usize) {
        pass.set_bind_group(0, &self.slots[slot].own, &[]);
        for staging in &self.staging {
            staging.dispatch(pass);
        }
    }

    /// Encodes the copy of status and results to the readback buffer.
    pub(crate) fn read_back(&self, encoder: &mut wgpu::CommandEncoder, slot: usize) {
        let Slot {
            staging, readback, ..
        } = &self.slots[slot];
        if let Some(staging) = staging {
            encoder.copy_buffer_to_buffer(staging, 0, readback, 0, readback.size());
        }
    }
}

fn entry(
    binding: u32,
    buffer: &wgpu::Buffer,
    offset: u64,
    size: Option<u64>,
) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry {
        binding,
        resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer,
            offset,
            size: size.and_then(wgpu::BufferSize::new),
        }),
    }
}

pub(crate) fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    label: &str,
) -> wgpu::ComputePass<'a> {
    encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
        label: Some(label),
        timestamp_writes: None,
    })
}

fn check(device: &wgpu::Device, descriptor: &BatchSlotsDescriptor) -> Result<(), BuildError> {
    if descriptor.slots == 0 {
        return Err(BuildError::NoSlots);
    }
    let BatchBindings {
        lock, info, params, ..
    } = descriptor.bindings;
    let has_params = descriptor.params_size > 0;
    if lock == info || (has_params && (params == lock || params == info)) {
        return Err(BuildError::SameBindings);
    }
    let mut staging = SlotStatus::SIZE;
    for (index, range) in descriptor.results.iter().enumerate() {
        let check = range.check();
        check.map_err(|problem| BuildError::Results { index, problem })?;
        staging += range.size;
    }
    let limits = device.limits();
    let within = |what, bytes, limit| {
        if bytes <= limit {
            Ok(())
        } else {
            Err(BuildError::Limit { what, bytes, limit })
        }
    };
    let params = u64::from(descriptor.params_size).next_multiple_of(16);
    within("params", params, limits.max_uniform_buffer_binding_size)?;
    within("results", staging, limits.max_storage_buffer_binding_size)?;
    for range in &descriptor.results {
        // The binding begins at the last aligned offset at or before the range.
        let alignment = u64::from(limits.min_storage_buffer_offset_alignment);
        let bound = range.offset % alignment + range.size;
        within("results", bound, limits.max_storage_buffer_binding_size)?;
    }
    within("results", staging, limits.max_buffer_size)
}
