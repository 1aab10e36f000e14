//! Inputs of a run.
//!
//! In: records from the host, or device buffers that describe and hold them. Out: a [`Feed`]: the
//! writes of the host, or one list of descriptors and the buffers they refer to, for every kind of
//! input. The feeding passes handle only descriptors.

use super::error::GraphError;
use super::host_feed::HostFeed;
use super::layout::{DESCRIPTOR, FEED_UNIFORM, MAX_INPUT_BUFFERS, UNIFORM_SLOT};
use super::tables::push_slot;
use crate::model::{Graph, NodeId, NodeIndex};
use crate::plan::Plan;

/// Records from the host for one entry.
#[derive(Clone, Debug)]
pub struct CpuRecords<'a> {
    /// The entry node.
    pub node: NodeId,
    /// The number of records.
    pub count: u32,
    /// The records, packed like C structures; unused if records are empty.
    pub bytes: &'a [u8],
    /// The stride in bytes: `None` if the records are contiguous, zero if a single record is used
    /// for all.
    pub stride: Option<u32>,
}

impl<'a> CpuRecords<'a> {
    /// Contiguous records.
    pub fn new(node: impl Into<NodeId>, count: u32, bytes: &'a [u8]) -> Self {
        Self {
            node: node.into(),
            count,
            bytes,
            stride: None,
        }
    }
}

/// The input of a run.
#[derive(Clone, Debug)]
pub enum Input<'a> {
    /// Records from the host for one entry.
    Cpu(CpuRecords<'a>),
    /// Records from the host for several entries, or several inputs for one.
    MultiCpu(&'a [CpuRecords<'a>]),
    /// A descriptor on the device: five words, `entry` (an index in [`Graph::entries`]), `count`,
    /// `buffer` (an index in `records`), `offset` and `stride` in bytes.
    Gpu {
        /// The buffer with the descriptor.
        descriptor: &'a wgpu::Buffer,
        /// Offset of the descriptor in bytes.
        offset: u64,
        /// The buffers that hold records.
        records: &'a [&'a wgpu::Buffer],
    },
    /// A count word followed by that number of descriptors.
    MultiGpu {
        /// The buffer with the count and the descriptors.
        descriptors: &'a wgpu::Buffer,
        /// Offset of the count in bytes.
        offset: u64,
        /// The buffers that hold records.
        records: &'a [&'a wgpu::Buffer],
        /// The maximum number of descriptors.
        cap: u32,
    },
}

/// How records reach the queues of entries.
pub(super) enum Feed<'a> {
    /// The host writes them.
    Host(HostFeed<'a>),
    /// The feeding passes copy them.
    Device(DeviceFeed),
}

/// The descriptors and buffers of an input that feeding passes copy.
pub(super) struct DeviceFeed {
    pub(super) descriptors: wgpu::Buffer,
    pub(super) records: Vec<wgpu::Buffer>,
    pub(super) uniforms: Vec<u8>,
    pub(super) sizes: Vec<u32>,
}

/// The first word of the descriptors, their maximum number, and whether they are preceded by a
/// count.
struct Listed {
    first: u32,
    cap: u32,
    counted: bool,
}

/// The context in which inputs are checked.
pub(super) struct Feeder<'a> {
    pub(super) device: &'a wgpu::Device,
    pub(super) queue: &'a wgpu::Queue,
    pub(super) graph: &'a Graph,
    pub(super) plan: &'a Plan,
    /// The maximum number of descriptors.
    pub(super) max_inputs: u32,
}

/// Records of the host whose entry exists and whose size was checked.
pub(super) struct Checked<'a> {
    pub(super) node: NodeIndex,
    /// Index in [`Graph::entries`].
    entry: u32,
    pub(super) count: u32,
    /// Bytes of a record; zero if records are empty.
    pub(super) record_bytes: u32,
    /// Stride in bytes, or zero.
    pub(super) stride: usize,
    pub(super) bytes: &'a [u8],
}

impl<'a> Checked<'a> {
    pub(super) fn record(&self, index: usize) -> &'a [u8] {
        &self.bytes[index * self.stride..][..self.record_bytes as usize]
    }
}

impl Feeder<'_> {
    pub(super) fn feed<'i>(&self, input: &Input<'i>) -> Result<Feed<'i>, GraphError> {
        match input {
            Input::Cpu(records) => self.on_host(std::slice::from_ref(records)),
            Input::MultiCpu(records) => self.on_host(records),
            Input::Gpu {
                descriptor,
                offset,
                records,
            } => {
                self.check_count(1)?;
                let first = self.word(*offset, DESCRIPTOR.len() as u64, descriptor)?;
                let listed = Listed {
                    first,
                    cap: 1,
                    counted: false,
                };
                self.on_device(descriptor, records, &listed)
            }
            Input::MultiGpu {
                descriptors,
                offset,
                records,
                cap,
            } => {
                self.check_count(*cap)?;
                let words = 1 + u64::from(*cap) * DESCRIPTOR.len() as u64;
                let listed = Listed {
                    first: self.word(*offset, words, descriptors)? + 1,
                    cap: *cap,
                    counted: true,
                };
                self.on_device(descriptors, records, &listed)
            }
        }
    }

    fn check_count(&self, inputs: u32) -> Result<(), GraphError> {
        if inputs <= self.max_inputs {
            return Ok(());
        }
        let max = self.max_inputs;
        Err(self.error(format!("{inputs} inputs exceed `max_inputs`, {max}")))
    }

    fn check_buffers(&self, count: usize) -> Result<(), GraphError> {
        if count <= MAX_INPUT_BUFFERS as usize {
            return Ok(());
        }
        let message = format!("{count} record buffers exceed the maximum of {MAX_INPUT_BUFFERS}");
        Err(self.error(message))
    }

    fn error(&self, message: String) -> GraphError {
        GraphError::Input {
            graph: self.graph.name().to_owned(),
            message,
        }
    }

    /// The word index of an offset, after checks of its alignment and range.
    fn word(&self, offset: u64, words: u64, buffer: &wgpu::Buffer) -> Result<u32, GraphError> {
        let end = offset.checked_add(4 * words);
        if !offset.is_multiple_of(4) || end.is_none_or(|end| end > buffer.size()) {
            let size = buffer.size();
            let message = format!(
                "descriptors of {words} words at byte {offset} do not fit into a buffer of {size} bytes, or are not aligned to four bytes"
            );
            return Err(self.error(message));
        }
        u32::try_from(offset / 4).map_err(|_| self.error(format!("offset {offset} is too large")))
    }

    fn on_device(
        &self,
        descriptors: &wgpu::Buffer,
        records: &[&wgpu::Buffer],
        listed: &Listed,
    ) -> Result<Feed<'static>, GraphError> {
        for buffer in records.iter().copied().chain([descriptors]) {
            if !buffer.usage().contains(wgpu::BufferUsages::STORAGE) {
                return Err(self.error("a buffer of an input lacks the usage STORAGE".to_owned()));
            }
        }
        let records = records.iter().map(|&buffer| buffer.clone()).collect();
        self.finish(descriptors.clone(), records, listed)
    }

    fn finish(
        &self,
        descriptors: wgpu::Buffer,
        records: Vec<wgpu::Buffer>,
        listed: &Listed,
    ) -> Result<Feed<'static>, GraphError> {
        let count = records.len();
        self.check_buffers(count)?;
        let mut uniforms = Vec::new();
        for buffer in 0..count.max(1) {
            let values = [
                ("cap", listed.cap),
                ("counted", listed.counted.into()),
                ("first", listed.first),
                ("buffer", buffer as u32),
                ("buffers", count as u32),
            ];
            push_slot(&mut uniforms, FEED_UNIFORM, &values);
        }
        debug_assert_eq!(uniforms.len() as u64 % UNIFORM_SLOT, 0);
        // A size that does not fit a word cannot be reached by an offset either.
        let size = |buffer: &wgpu::Buffer| u32::try_from(buffer.size()).unwrap_or(u32::MAX);
        Ok(Feed::Device(DeviceFeed {
            sizes: records.iter().map(size).collect(),
            descriptors,
            records,
            uniforms,
        }))
    }

    fn on_host<'i>(&self, inputs: &[CpuRecords<'i>]) -> Result<Feed<'i>, GraphError> {
        let inputs = inputs.iter().enumerate();
        let inputs = inputs.map(|(number, input)| self.check(number, input));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        self.check_count(u32::try_from(inputs.len()).unwrap_or(u32::MAX))?;
        if let Some(feed) = HostFeed::new(self.plan, &inputs) {
            return Ok(Feed::Host(feed));
        }
        let mut pieces = Pieces::new(self.device);
        for input in &inputs {
            pieces.add(input);
        }
        let cap = u32::try_from(pieces.descriptors.len() / DESCRIPTOR.len()).unwrap_or(u32::MAX);
        if cap > self.max_inputs {
            let max = self.max_inputs;
            return Err(self.error(format!(
                "the inputs need {cap} pieces to fit the bindings of this device, which exceeds `max_inputs`, {max}"
            )));
        }
        self.check_buffers(pieces.buffers.len())?;
        let listed = Listed {
            first: 0,
            cap,
            counted: false,
        };
        let words = pieces
            .descriptors
            .iter()
            .flat_map(|word| word.to_le_bytes());
        let descriptors = self.upload("graph inputs", &words.collect::<Vec<_>>());
        let records = pieces
            .buffers
            .iter()
            .map(|bytes| self.upload("graph input records", bytes));
        self.finish(descriptors, records.collect(), &listed)
    }

    fn check<'i>(&self, number: usize, input: &CpuRecords<'i>) -> Result<Checked<'i>, GraphError> {
        let id = &input.node;
        let fail = |what: String| self.error(format!("input {number} for `{id}`: {what}"));
        let node = self
            .graph
            .node(id)
            .ok_or_else(|| fail("there is no such node".into()))?;
        let mut entries = self.graph.entries().iter();
        let entry = entries.position(|&entry| entry == node);
        let entry = entry.ok_or_else(|| fail("the node is not an entry".into()))? as u32;
        let record = self.graph.input_record(node);
        let record_bytes = record.map_or(0, |record| record.bytes());
        let checked = Checked {
            node,
            entry,
            count: input.count,
            record_bytes,
            stride: input.stride.unwrap_or(record_bytes) as usize,
            bytes: input.bytes,
        };
        if record_bytes == 0 || input.count == 0 {
            return Ok(checked);
        }
        let stride = checked.stride as u64;
        if stride != 0 && stride < record_bytes.into() {
            return Err(fail(format!(
                "a stride of {stride} bytes is less than the record size, {record_bytes}"
            )));
        }
        let needed = u64::from(input.count - 1) * stride + u64::from(record_bytes);
        let given = input.bytes.len() as u64;
        if given < needed {
            let count = input.count;
            return Err(fail(format!(
                "{count} records need {needed} bytes, but there are {given}"
            )));
        }
        Ok(checked)
    }

    fn upload(&self, label: &str, bytes: &[u8]) -> wgpu::Buffer {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: (bytes.len() as u64).max(4),
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.queue.write_buffer(&buffer, 0, bytes);
        buffer
    }
}

/// Packs records of the host into as few buffers as the binding limit allows.
struct Pieces {
    max: u64,
    buffers: Vec<Vec<u8>>,
    descriptors: Vec<u32>,
}

impl Pieces {
    fn new(device: &wgpu::Device) -> Self {
        let limits = device.limits();
        Self {
            max: limits
                .max_storage_buffer_binding_size
                .min(limits.max_buffer_size),
            buffers: Vec::new(),
            descriptors: Vec::new(),
        }
    }

    fn add(&mut self, input: &Checked<'_>) {
        let (entry, bytes) = (input.entry, input.record_bytes);
        if bytes == 0 || input.count == 0 {
            self.describe([entry, input.count, 0, 0, 0]);
            return;
        }
        if input.stride == 0 {
            let (buffer, offset) = self.place(input.record(0));
            self.describe([entry, input.count, buffer, offset, 0]);
            return;
        }
        let each = (self.max / u64::from(bytes)).max(1) as usize;
        let count = input.count as usize;
        for first in (0..count).step_by(each) {
            let end = count.min(first + each);
            let packed: Vec<u8> = match input.stride == bytes as usize {
                true => input.bytes[first * input.stride..end * input.stride].to_vec(),
                false => (first..end)
                    .flat_map(|index| input.record(index))
                    .copied()
                    .collect(),
            };
            let (buffer, offset) = self.place(&packed);
            self.describe([entry, (end - first) as u32, buffer, offset, bytes]);
        }
    }

    fn describe(&mut self, descriptor: [u32; 5]) {
        self.descriptors.extend(descriptor);
    }

    /// Appends bytes and returns the buffer and the offset in it.
    fn place(&mut self, bytes: &[u8]) -> (u32, u32) {
        let fits = |buffer: &Vec<u8>| (buffer.len() + bytes.len()) as u64 <= self.max;
        if !self.buffers.last().is_some_and(fits) {
            self.buffers.push(Vec::new());
        }
        let number = self.buffers.len() as u32 - 1;
        let Some(buffer) = self.buffers.last_mut() else {
            return (0, 0);
        };
        let offset = buffer.len() as u32;
        buffer.extend_from_slice(bytes);
        (number, offset)
    }
}
