//! The user's buffers, from a file to a device.

use std::collections::{BTreeMap, HashSet};

use super::error::FileError;
use super::place::Places;
use super::{GraphFile, schema};
use crate::code::GROUP;

/// The most bindings that any device counts in a group.
const MAX_BINDING: u32 = 999;

/// The bindings of the runtime in every node: plan, records and counters; constants of the stage.
const RUNTIME_STORAGE: u32 = 3;
const RUNTIME_UNIFORM: u32 = 1;

/// How nodes see a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferKind {
    /// `var<uniform>`.
    Uniform,
    /// `var<storage, read>`.
    Read,
    /// `var<storage, read_write>`.
    ReadWrite,
}

/// A buffer of the user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileBuffer {
    /// Its name, for the image and for labels.
    pub name: String,
    /// The bind group.
    pub group: u32,
    /// The binding in it.
    pub binding: u32,
    /// How nodes see it.
    pub kind: BufferKind,
    /// Bytes.
    pub size: u64,
    /// What it holds at first; zeros follow.
    pub contents: Vec<u8>,
    line: usize,
}

/// How the pixels of a picture lie in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pixels {
    /// Bytes, red first.
    Rgba8,
    /// Four floats from zero to one.
    F32x4,
    /// Unsigned numbers, from the smallest to the largest.
    HeatU32,
    /// Signed numbers, from the smallest to the largest.
    HeatI32,
    /// Floats, from the smallest to the largest.
    HeatF32,
}

impl Pixels {
    /// Bytes of a pixel.
    pub fn bytes(self) -> u64 {
        match self {
            Self::F32x4 => 16,
            Self::Rgba8 | Self::HeatU32 | Self::HeatI32 | Self::HeatF32 => 4,
        }
    }
}

/// The buffer that is a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileImage {
    /// The buffer, as a place in [`GraphFile::buffers`].
    pub buffer: usize,
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// How they lie.
    pub pixels: Pixels,
}

impl FileImage {
    /// Bytes of all pixels.
    pub fn bytes(&self) -> u64 {
        // Checked against the size of the buffer when the file was read.
        u64::from(self.width) * u64::from(self.height) * self.pixels.bytes()
    }
}

pub(super) fn buffers(
    file: &schema::File,
    places: &Places<'_>,
) -> Result<Vec<FileBuffer>, FileError> {
    let mut taken = HashSet::new();
    let mut names = HashSet::new();
    let mut buffers = Vec::new();
    for declared in &file.buffer {
        let buffer = buffer(declared, places)?;
        if !taken.insert((buffer.group, buffer.binding)) {
            return Err(places.at(&declared.binding, "another buffer is there"));
        }
        if !names.insert(buffer.name.clone()) {
            return Err(places.at(&declared.name, "another buffer has the name"));
        }
        buffers.push(buffer);
    }
    Ok(buffers)
}

fn buffer(buffer: &schema::Buffer, places: &Places<'_>) -> Result<FileBuffer, FileError> {
    let contents = contents(buffer, places)?;
    let given = contents.len() as u64;
    let size = match &buffer.size {
        None => given,
        Some(size) if *size.get_ref() < given => {
            let message = format!("is less than the {given} bytes of its contents");
            return Err(places.at(size, message));
        }
        Some(size) if size.get_ref() % 4 != 0 => {
            return Err(places.at(size, "is no multiple of four bytes"));
        }
        Some(size) => *size.get_ref(),
    };
    if size == 0 {
        let message = "the buffer needs a `size`, or contents as `u32`, `i32` or `f32`";
        return Err(places.at(&buffer.name, message));
    }
    let group = buffer.group.as_ref().map_or(0, |group| *group.get_ref());
    match &buffer.group {
        Some(given) if group >= GROUP => {
            return Err(places.at(given, "belongs to the graph; there are groups 0 to 2"));
        }
        _ => {}
    }
    if *buffer.binding.get_ref() > MAX_BINDING {
        let message = format!("is more than {MAX_BINDING}");
        return Err(places.at(&buffer.binding, message));
    }
    Ok(FileBuffer {
        name: buffer.name.get_ref().clone(),
        group,
        binding: *buffer.binding.get_ref(),
        kind: match buffer.kind {
            schema::Kind::Uniform => BufferKind::Uniform,
            schema::Kind::Read => BufferKind::Read,
            schema::Kind::ReadWrite => BufferKind::ReadWrite,
        },
        size,
        contents,
        line: places.line(&buffer.name.span()),
    })
}

fn contents(buffer: &schema::Buffer, places: &Places<'_>) -> Result<Vec<u8>, FileError> {
    let mut found: Vec<(_, Vec<u8>)> = Vec::new();
    if let Some(list) = &buffer.u32 {
        let bytes = list.get_ref().iter().flat_map(|value| value.to_le_bytes());
        found.push((list.span(), bytes.collect()));
    }
    if let Some(list) = &buffer.i32 {
        let bytes = list.get_ref().iter().flat_map(|value| value.to_le_bytes());
        found.push((list.span(), bytes.collect()));
    }
    if let Some(list) = &buffer.f32 {
        let bytes = list.get_ref().iter().flat_map(|value| value.to_le_bytes());
        found.push((list.span(), bytes.collect()));
    }
    match found.len() {
        0 | 1 => Ok(found.pop().map(|(_, bytes)| bytes).unwrap_or_default()),
        _ => Err(places.error(found[1].0.clone(), "the buffer has contents already")),
    }
}

pub(super) fn image(
    file: &schema::File,
    buffers: &[FileBuffer],
    places: &Places<'_>,
) -> Result<Option<FileImage>, FileError> {
    let Some(image) = &file.image else {
        return Ok(None);
    };
    let name = image.buffer.get_ref();
    let buffer = buffers.iter().position(|buffer| buffer.name == *name);
    let buffer = buffer.ok_or_else(|| places.at(&image.buffer, "there is no such buffer"))?;
    let pixels = match (image.format, image.element) {
        (schema::Format::Rgba8, _) => Pixels::Rgba8,
        (schema::Format::F32x4, _) => Pixels::F32x4,
        (schema::Format::Heat, schema::Element::U32) => Pixels::HeatU32,
        (schema::Format::Heat, schema::Element::I32) => Pixels::HeatI32,
        (schema::Format::Heat, schema::Element::F32) => Pixels::HeatF32,
    };
    let (width, height) = (*image.width.get_ref(), image.height);
    let all = u64::from(width) * u64::from(height);
    let needed = all.saturating_mul(pixels.bytes());
    let given = buffers[buffer].size;
    if needed == 0 || needed > given {
        let message = format!(
            "a picture of {width}x{height} takes {needed} bytes, and the buffer `{name}` has {given}"
        );
        return Err(places.at(&image.width, message));
    }
    Ok(Some(FileImage {
        buffer,
        width,
        height,
        pixels,
    }))
}

/// The user's buffers and bind groups on a device.
#[derive(Clone, Debug)]
pub struct FileResources {
    /// The buffers, in the order of [`GraphFile::buffers`].
    pub buffers: Vec<wgpu::Buffer>,
    /// Layouts from group 0 on, for [`GraphOptions`](crate::GraphOptions).
    pub layouts: Vec<wgpu::BindGroupLayout>,
    /// Bind groups of these layouts.
    pub bind_groups: Vec<wgpu::BindGroup>,
}

impl GraphFile {
    /// Makes the buffers and bind groups of a file.
    pub fn resources(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
    ) -> Result<FileResources, FileError> {
        let limits = device.limits();
        self.check_counts(&limits)?;
        let mut buffers = Vec::new();
        for declared in &self.buffers {
            let most = match declared.kind {
                BufferKind::Uniform => limits.max_uniform_buffer_binding_size,
                BufferKind::Read | BufferKind::ReadWrite => limits.max_storage_buffer_binding_size,
            };
            let most = most.min(limits.max_buffer_size);
            if declared.size > most {
                let message = format!(
                    "the buffer `{}` has {} bytes, and this device binds at most {most}",
                    declared.name, declared.size
                );
                return Err(FileError::of_line(&self.name, declared.line, None, message));
            }
            buffers.push(upload(device, queue, declared));
        }
        let mut groups = BTreeMap::<u32, Vec<usize>>::new();
        for (index, buffer) in self.buffers.iter().enumerate() {
            groups.entry(buffer.group).or_default().push(index);
        }
        let count = groups.keys().last().map_or(0, |last| last + 1);
        let mut made = FileResources {
            buffers,
            layouts: Vec::new(),
            bind_groups: Vec::new(),
        };
        for group in 0..count {
            let members = groups.remove(&group).unwrap_or_default();
            self.bind(device, &members, &mut made);
        }
        Ok(made)
    }

    /// The graph has bindings of its own in every node.
    fn check_counts(&self, limits: &wgpu::Limits) -> Result<(), FileError> {
        let count = |uniform: bool| {
            let buffers = self.buffers.iter();
            let is_it = |buffer: &&FileBuffer| (buffer.kind == BufferKind::Uniform) == uniform;
            buffers.filter(is_it).count() as u32
        };
        let storage = limits.max_storage_buffers_per_shader_stage;
        let uniform = limits.max_uniform_buffers_per_shader_stage;
        for (kind, found, most) in [
            (
                "storage",
                count(false),
                storage.saturating_sub(RUNTIME_STORAGE),
            ),
            (
                "uniform",
                count(true),
                uniform.saturating_sub(RUNTIME_UNIFORM),
            ),
        ] {
            if found > most {
                let message = format!(
                    "has {found} {kind} buffers, and this device leaves {most} beside those of the graph"
                );
                return Err(FileError::of_file(&self.name, message));
            }
        }
        Ok(())
    }

    fn bind(&self, device: &wgpu::Device, members: &[usize], made: &mut FileResources) {
        let label = Some(self.graph.name());
        let entries: Vec<_> = members
            .iter()
            .map(|&index| layout_entry(&self.buffers[index]))
            .collect();
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label,
            entries: &entries,
        });
        let entries: Vec<_> = members
            .iter()
            .map(|&index| wgpu::BindGroupEntry {
                binding: self.buffers[index].binding,
                resource: made.buffers[index].as_entire_binding(),
            })
            .collect();
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label,
            layout: &layout,
            entries: &entries,
        });
        made.layouts.push(layout);
        made.bind_groups.push(group);
    }
}

fn upload(device: &wgpu::Device, queue: &wgpu::Queue, declared: &FileBuffer) -> wgpu::Buffer {
    use wgpu::BufferUsages as Usage;
    let usage = match declared.kind {
        BufferKind::Uniform => Usage::UNIFORM,
        BufferKind::Read | BufferKind::ReadWrite => Usage::STORAGE,
    };
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(&declared.name),
        size: declared.size,
        usage: usage | Usage::COPY_SRC | Usage::COPY_DST,
        mapped_at_creation: false,
    });
    queue.write_buffer(&buffer, 0, &declared.contents);
    buffer
}

fn layout_entry(buffer: &FileBuffer) -> wgpu::BindGroupLayoutEntry {
    use wgpu::BufferBindingType as Type;
    wgpu::BindGroupLayoutEntry {
        binding: buffer.binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: match buffer.kind {
                BufferKind::Uniform => Type::Uniform,
                BufferKind::Read => Type::Storage { read_only: true },
                BufferKind::ReadWrite => Type::Storage { read_only: false },
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}
