//! Inputs of a run.
//!
//! In: records from the host, or device buffers that describe and hold them. Out: a [`InputSource`]: the
//! writes of the host, or one list of descriptors and the buffers they refer to, for every kind of
//! input. The input passes handle only descriptors.

use super::host_input::HostInput;
use super::input_error::InputError;
use super::tables::push_slot;
use crate::host_data::CpuRecords;
use crate::layout::{DESCRIPTOR, INPUT_UNIFORM, MAX_INPUT_BUFFERS, UNIFORM_SLOT};
use crate::model::{Graph, NodeId, NodeIndex};
use crate::plan::Plan;

/// The input of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
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
pub(super) enum InputSource<'a> {
    /// The host writes them.
    Host(HostInput<'a>),
    /// The input passes copy them.
    Device(DeviceInput),
}

/// The descriptors and buffers of an input that input passes copy.
pub(super) struct DeviceInput {
    pub(super) descriptors: wgpu::Buffer,
    pub(super) records: Vec<wgpu::Buffer>,
    pub(super) uniforms: Vec<u8>,
    pub(super) sizes: Vec<u32>,
}

/// The first word of the descriptors, their maximum number, and whether they are preceded by a
/// count.
struct DescriptorList {
    first: u32,
    cap: u32,
    counted: bool,
}

/// The context in which inputs are checked.
pub(super) struct InputChecker<'a> {
    pub(super) device: &'a wgpu::Device,
    pub(super) queue: &'a wgpu::Queue,
    pub(super) graph: &'a Graph,
    pub(super) plan: &'a Plan,
    /// The maximum number of descriptors.
    pub(super) max_inputs: u32,
}

/// Records of the host whose entry exists and whose size was checked.
pub(super) struct CheckedInput<'a> {
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

impl<'a> CheckedInput<'a> {
    /// Checks that all records are within the bytes.
    fn check_bytes(&self, input: usize, node: &NodeId) -> Result<(), InputError> {
        let (count, record_bytes) = (self.count, self.record_bytes);
        if record_bytes == 0 || count == 0 {
            return Ok(());
        }
        let stride = self.stride as u64;
        if stride != 0 && stride < record_bytes.into() {
            return Err(InputError::Stride {
                input,
                node: node.clone(),
                stride,
                record_bytes,
            });
        }
        let needed = u64::from(count - 1) * stride + u64::from(record_bytes);
        let given = self.bytes.len() as u64;
        if given < needed {
            return Err(InputError::TooFewBytes {
                input,
                node: node.clone(),
                count,
                needed,
                given,
            });
        }
        Ok(())
    }

    pub(super) fn record(&self, index: usize) -> &'a [u8] {
        &self.bytes[index * self.stride..][..self.record_bytes as usize]
    }
}

impl InputChecker<'_> {
    pub(super) fn check<'i>(&self, input: &Input<'i>) -> Result<InputSource<'i>, InputError> {
        match input {
            Input::Cpu(records) => self.on_host(std::slice::from_ref(records)),
            Input::MultiCpu(records) => self.on_host(records),
            Input::Gpu {
                descriptor,
                offset,
                records,
            } => {
                self.check_count(1)?;
                let first = word_index(*offset, DESCRIPTOR.len() as u64, descriptor)?;
                let list = DescriptorList {
                    first,
                    cap: 1,
                    counted: false,
                };
                self.on_device(descriptor, records, &list)
            }
            Input::MultiGpu {
                descriptors,
                offset,
                records,
                cap,
            } => {
                self.check_count(*cap)?;
                let words = 1 + u64::from(*cap) * DESCRIPTOR.len() as u64;
                let list = DescriptorList {
                    first: word_index(*offset, words, descriptors)? + 1,
                    cap: *cap,
                    counted: true,
                };
                self.on_device(descriptors, records, &list)
            }
        }
    }

    fn check_count(&self, inputs: u32) -> Result<(), InputError> {
        if inputs <= self.max_inputs {
            return Ok(());
        }
        let max = self.max_inputs;
        Err(InputError::TooManyInputs { inputs, max })
    }

    fn on_device(
        &self,
        descriptors: &wgpu::Buffer,
        records: &[&wgpu::Buffer],
        list: &DescriptorList,
    ) -> Result<InputSource<'static>, InputError> {
        for buffer in records.iter().copied().chain([descriptors]) {
            if !buffer.usage().contains(wgpu::BufferUsages::STORAGE) {
                return Err(InputError::BufferUsage);
            }
        }
        let records = records.iter().map(|&buffer| buffer.clone()).collect();
        self.finish(descriptors.clone(), records, list)
    }

    fn finish(
        &self,
        descriptors: wgpu::Buffer,
        records: Vec<wgpu::Buffer>,
        list: &DescriptorList,
    ) -> Result<InputSource<'static>, InputError> {
        let count = records.len();
        check_buffers(count)?;
        let mut uniforms = Vec::new();
        for buffer in 0..count.max(1) {
            let values = [
                ("cap", list.cap),
                ("counted", list.counted.into()),
                ("first", list.first),
                ("buffer", buffer as u32),
                ("buffers", count as u32),
            ];
            push_slot(&mut uniforms, INPUT_UNIFORM, &values);
        }
        debug_assert_eq!(uniforms.len() as u64 % UNIFORM_SLOT, 0);
        // A size that does not fit a word cannot be reached by an offset either.
        let size = |buffer: &wgpu::Buffer| u32::try_from(buffer.size()).unwrap_or(u32::MAX);
        Ok(InputSource::Device(DeviceInput {
            sizes: records.iter().map(size).collect(),
            descriptors,
            records,
            uniforms,
        }))
    }

    fn on_host<'i>(&self, inputs: &[CpuRecords<'i>]) -> Result<InputSource<'i>, InputError> {
        let inputs = inputs.iter().enumerate();
        let inputs = inputs.map(|(number, input)| self.check_records(number, input));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        self.check_count(u32::try_from(inputs.len()).unwrap_or(u32::MAX))?;
        if let Some(source) = HostInput::new(self.plan, &inputs) {
            return Ok(InputSource::Host(source));
        }
        let mut pieces = RecordPacker::new(self.device);
        for input in &inputs {
            pieces.add(input);
        }
        let cap = u32::try_from(pieces.descriptors.len() / DESCRIPTOR.len()).unwrap_or(u32::MAX);
        if cap > self.max_inputs {
            let (parts, max) = (cap, self.max_inputs);
            return Err(InputError::TooManyParts { parts, max });
        }
        check_buffers(pieces.buffers.len())?;
        let list = DescriptorList {
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
        self.finish(descriptors, records.collect(), &list)
    }

    fn check_records<'i>(
        &self,
        input: usize,
        records: &CpuRecords<'i>,
    ) -> Result<CheckedInput<'i>, InputError> {
        let id = &records.node;
        let unknown = || InputError::UnknownNode {
            input,
            node: id.clone(),
        };
        let node = self.graph.node(id).ok_or_else(unknown)?;
        let mut entries = self.graph.entries().iter();
        let entry = entries.position(|&entry| entry == node);
        let entry = entry.ok_or_else(|| InputError::NotAnEntry {
            input,
            node: id.clone(),
        })?;
        let record = self.graph.input_record(node);
        let record_bytes = record.map_or(0, |record| record.bytes());
        let checked = CheckedInput {
            node,
            // A graph has at most 2^16 nodes.
            entry: entry as u32,
            count: records.count,
            record_bytes,
            stride: records.stride.unwrap_or(record_bytes) as usize,
            bytes: records.bytes,
        };
        checked.check_bytes(input, id)?;
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

/// The word index of an offset, after checks of its alignment and range.
fn word_index(offset: u64, words: u64, buffer: &wgpu::Buffer) -> Result<u32, InputError> {
    let size = buffer.size();
    let end = offset.checked_add(4 * words);
    let is_within = offset.is_multiple_of(4) && end.is_some_and(|end| end <= size);
    let index = u32::try_from(offset / 4).ok().filter(|_| is_within);
    index.ok_or(InputError::Descriptors {
        words,
        offset,
        size,
    })
}

fn check_buffers(buffers: usize) -> Result<(), InputError> {
    if buffers <= MAX_INPUT_BUFFERS as usize {
        return Ok(());
    }
    let max = MAX_INPUT_BUFFERS;
    Err(InputError::TooManyBuffers { buffers, max })
}

/// Packs records of the host into as few buffers as the binding limit allows.
struct RecordPacker {
    max: u64,
    buffers: Vec<Vec<u8>>,
    descriptors: Vec<u32>,
}

impl RecordPacker {
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

    fn add(&mut self, input: &CheckedInput<'_>) {
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
            let packed: Vec<u8> = if input.stride == bytes as usize {
                input.bytes[first * input.stride..end * input.stride].to_vec()
            } else {
                (first..end)
                    .flat_map(|index| input.record(index))
                    .copied()
                    .collect()
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
