//! An entry point with its resources on a device, for any number of dispatches.
//!
//! In: a program, constants, and a description of each resource. Out: a [`Resident`], which dispatches, exchanges
//! resources between dispatches, and reads and writes them. What always holds: bind groups are created once for each
//! assignment of resources to bindings.

use std::collections::HashMap;

use anywarp_program::{Constants, Program};
use bytemuck::{NoUninit, Pod};

use super::SamplerData;
use super::ShaderError;
use super::check::{check_workgroups, find};
use super::data::BindingKey;
use super::error::Variable;
use super::pipeline::{Pipeline, compile};
use super::resource::{ResourceDescriptor, TextureDescriptor};
use super::{buffer_transfer, texture_transfer};
use crate::reflection::{Binding, Interface, TextureClass};
use crate::{Device, DeviceError};

/// A resource on the device. Clones are the same resource.
#[derive(Clone, Debug)]
pub(super) enum Resource {
    Buffer { buffer: wgpu::Buffer, bytes: u64 },
    Texture(wgpu::Texture, TextureDescriptor),
    Sampler(wgpu::Sampler, Box<SamplerData>),
}

impl Resource {
    pub(super) fn descriptor(&self) -> ResourceDescriptor {
        match self {
            Self::Buffer { bytes, .. } => ResourceDescriptor::Buffer { bytes: *bytes },
            Self::Texture(_, descriptor) => ResourceDescriptor::Texture(*descriptor),
            Self::Sampler(_, sampler) => ResourceDescriptor::Sampler(sampler.clone()),
        }
    }
}

/// Resources with the variables that they belong to.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedResources(Vec<(Variable, Resource)>);

impl SharedResources {
    /// The resource of a variable: the one with the same name, group, binding and type.
    pub(super) fn of(&self, binding: &Binding) -> Option<&Resource> {
        let variable = Variable::of(binding);
        let mut all = self.0.iter();
        all.find(|(other, _)| *other == *variable)
            .map(|(_, resource)| resource)
    }

    pub(super) fn retain(&mut self, is_kept: impl Fn(&Variable) -> bool) {
        self.0.retain(|(variable, _)| is_kept(variable));
    }
}

/// Bind groups with their indices.
type Groups = Vec<(u32, wgpu::BindGroup)>;

/// A compute entry point with its resources on a device.
///
/// ```
/// # let shader = anywarp::Shader::wgsl(
/// #     "@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
/// #      @compute @workgroup_size(64) fn double(@builtin(global_invocation_id) id: vec3u) {
/// #          if id.x < arrayLength(&numbers) { numbers[id.x] *= 2u; }
/// #      }",
/// # )?;
/// let device = anywarp::Device::cpu()?;
/// let mut resident = shader.entry("double")?.bind("numbers", &[1_u32, 2, 3]).upload(&device)?;
/// for _ in 0..10 {
///     resident.dispatch([1, 1, 1])?;
/// }
/// assert_eq!(resident.read::<u32>("numbers")?, [1024, 2048, 3072]);
/// # Ok::<(), anywarp::ShaderError>(())
/// ```
#[derive(Debug)]
pub struct Resident {
    device: Device,
    interface: Interface,
    pipeline: Pipeline,
    resources: Vec<Resource>,
    /// The index of the resource of each binding.
    assignment: Vec<usize>,
    groups: HashMap<Vec<usize>, Groups>,
    immediates: Vec<u8>,
    /// What other entry points use, for those that are uploaded beside this one.
    shared: SharedResources,
}

impl Resident {
    /// Compiles an entry point and creates its resources: zeros, until they are written.
    #[doc(hidden)]
    pub fn new(
        device: &Device,
        program: &Program,
        constants: &Constants,
        interface: Interface,
        resources: &[ResourceDescriptor],
        immediates: Vec<u8>,
    ) -> Result<Self, DeviceError> {
        let shared = SharedResources::default();
        Self::beside(
            shared, device, program, constants, interface, resources, immediates,
        )
    }

    /// [`Self::new`], except that variables which `shared` contains get these resources.
    pub(super) fn beside(
        shared: SharedResources,
        device: &Device,
        program: &Program,
        constants: &Constants,
        interface: Interface,
        resources: &[ResourceDescriptor],
        immediates: Vec<u8>,
    ) -> Result<Self, DeviceError> {
        let pipeline = compile(device, program, constants, &interface, resources)?;
        let created = resources
            .iter()
            .zip(&interface.bindings)
            .map(|(resource, binding)| match shared.of(binding) {
                Some(shared) => Ok(shared.clone()),
                None => create(device, &interface, resources, resource, binding),
            })
            .collect::<Result<Vec<_>, _>>()?;
        let mut resident = Self {
            device: device.clone(),
            pipeline,
            assignment: (0..created.len()).collect(),
            resources: created,
            groups: HashMap::new(),
            immediates,
            interface,
            shared,
        };
        resident.prepare_groups()?;
        Ok(resident)
    }

    /// The interface of the entry point.
    #[must_use]
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// The device that holds the resources.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Runs a grid of workgroups, and waits for it.
    pub fn dispatch(&mut self, workgroups: [u32; 3]) -> Result<(), ShaderError> {
        check_workgroups(workgroups, &self.device.limits(), self.device.name())?;
        self.submit(workgroups, 0..1, &[])?;
        Ok(self.device.wait(|| ())?)
    }

    /// Submits a grid of workgroups without waiting for it. What is submitted later, also by other entry points on the
    /// device, sees its results; [`Self::read`] waits.
    pub fn enqueue(&mut self, workgroups: [u32; 3]) -> Result<(), ShaderError> {
        check_workgroups(workgroups, &self.device.limits(), self.device.name())?;
        Ok(self.submit(workgroups, 0..1, &[])?)
    }

    /// The resources of this entry point, as they are assigned now, and those that it was uploaded beside.
    pub(super) fn shared(&self) -> SharedResources {
        let bindings = self.interface.bindings.iter().enumerate();
        let own: Vec<_> = bindings
            .map(|(position, binding)| (*Variable::of(binding), self.resource(position).clone()))
            .collect();
        let is_own = |variable: &Variable| own.iter().any(|(other, _)| other == variable);
        let others = self.shared.0.iter();
        let others: Vec<_> = others
            .filter(|(variable, _)| !is_own(variable))
            .cloned()
            .collect();
        SharedResources([own, others].concat())
    }

    /// Submits dispatches without waiting for them, and applies the swaps, which are pairs of positions in
    /// [`Interface::bindings`], before each run but run 0.
    #[doc(hidden)]
    pub fn submit(
        &mut self,
        workgroups: [u32; 3],
        runs: std::ops::Range<u64>,
        swaps: &[(usize, usize)],
    ) -> Result<(), DeviceError> {
        let mut assignments = Vec::new();
        for run in runs {
            for &(first, second) in swaps.iter().filter(|_| run > 0) {
                self.assignment.swap(first, second);
            }
            self.prepare_groups()?;
            assignments.push(self.assignment.clone());
        }
        let [x, y, z] = workgroups;
        self.device.capture("", || {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&self.pipeline.pipeline);
            if !self.immediates.is_empty() {
                pass.set_immediates(0, &self.immediates);
            }
            for assignment in &assignments {
                for (group, bind_group) in &self.groups[assignment] {
                    pass.set_bind_group(*group, bind_group, &[]);
                }
                pass.dispatch_workgroups(x, y, z);
            }
            drop(pass);
            self.device.queue().submit([encoder.finish()]);
        })
    }

    /// Exchanges the resources of two variables, as between steps of a simulation.
    pub fn swap(
        &mut self,
        first: impl Into<BindingKey>,
        second: impl Into<BindingKey>,
    ) -> Result<(), ShaderError> {
        let first = find(&self.interface, &first.into())?;
        let second = find(&self.interface, &second.into())?;
        if let Some(reason) = self.difference(first, second) {
            return Err(ShaderError::Swap {
                first: Variable::of(&self.interface.bindings[first]),
                second: Variable::of(&self.interface.bindings[second]),
                reason,
            });
        }
        self.assignment.swap(first, second);
        let prepared = self.prepare_groups();
        if prepared.is_err() {
            self.assignment.swap(first, second);
        }
        Ok(prepared?)
    }

    /// Creates the bind groups of all assignments that `runs` runs with these swaps need, so that no run creates any.
    #[doc(hidden)]
    pub fn prepare(&mut self, runs: u64, swaps: &[(usize, usize)]) -> Result<(), DeviceError> {
        let start = self.assignment.clone();
        for _ in 1..runs {
            for &(first, second) in swaps {
                self.assignment.swap(first, second);
            }
            if self.groups.contains_key(&self.assignment) {
                break;
            }
            self.prepare_groups()?;
        }
        self.assignment = start;
        Ok(())
    }

    /// Why the resources of two bindings cannot be exchanged.
    fn difference(&self, first: usize, second: usize) -> Option<String> {
        match (self.resource(first), self.resource(second)) {
            (Resource::Buffer { bytes: a, .. }, Resource::Buffer { bytes: b, .. }) => {
                (a != b).then(|| format!("one has {a} bytes, the other {b}"))
            }
            (Resource::Texture(_, a), Resource::Texture(_, b)) => {
                (a != b).then(|| format!("one is {}, the other {}", a.text(), b.text()))
            }
            (Resource::Sampler(_, a), Resource::Sampler(_, b)) => {
                (a != b).then(|| "the samplers differ".to_owned())
            }
            _ => Some("they are resources of different kinds".to_owned()),
        }
    }

    /// The elements of a buffer, or the texels of a texture, as values of a plain type.
    pub fn read<T: Pod>(&self, variable: impl Into<BindingKey>) -> Result<Vec<T>, ShaderError> {
        let position = find(&self.interface, &variable.into())?;
        if matches!(self.resource(position), Resource::Sampler(..)) {
            return Err(self.wrong_kind(position, "a list of values"));
        }
        let bytes = self.read_at(position, u64::MAX)?;
        let (size, length) = (size_of::<T>(), bytes.len());
        if size == 0 || !length.is_multiple_of(size) {
            return Err(ShaderError::NotAListOf {
                variable: Variable::of(&self.interface.bindings[position]),
                bytes: length as u64,
                given: std::any::type_name::<T>(),
                size: size as u64,
            });
        }
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }

    /// Replaces the whole content of a buffer or texture.
    pub fn write<T: NoUninit>(
        &mut self,
        variable: impl Into<BindingKey>,
        values: &[T],
    ) -> Result<(), ShaderError> {
        let position = find(&self.interface, &variable.into())?;
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let needed = match self.resource(position) {
            Resource::Buffer { bytes, .. } => *bytes,
            Resource::Texture(_, descriptor) => descriptor.bytes(),
            Resource::Sampler(..) => 0,
        };
        if needed != bytes.len() as u64 || matches!(self.resource(position), Resource::Sampler(..))
        {
            return Err(ShaderError::NotAListOf {
                variable: Variable::of(&self.interface.bindings[position]),
                bytes: needed,
                given: std::any::type_name::<[T]>(),
                size: bytes.len() as u64,
            });
        }
        self.write_at(position, bytes)?;
        Ok(())
    }

    /// The buffer of a variable, for other work on the same device.
    pub fn buffer(&self, variable: impl Into<BindingKey>) -> Result<&wgpu::Buffer, ShaderError> {
        let position = find(&self.interface, &variable.into())?;
        match self.resource(position) {
            Resource::Buffer { buffer, .. } => Ok(buffer),
            _ => Err(self.wrong_kind(position, "a buffer")),
        }
    }

    /// The texture of a variable, for other work on the same device.
    pub fn texture(&self, variable: impl Into<BindingKey>) -> Result<&wgpu::Texture, ShaderError> {
        let position = find(&self.interface, &variable.into())?;
        match self.resource(position) {
            Resource::Texture(texture, _) => Ok(texture),
            _ => Err(self.wrong_kind(position, "a texture")),
        }
    }

    fn wrong_kind(&self, position: usize, given: &str) -> ShaderError {
        let binding = &self.interface.bindings[position];
        ShaderError::WrongKind {
            variable: Variable::of(binding),
            expected: binding.sort.clone(),
            given: given.to_owned(),
        }
    }

    fn resource(&self, position: usize) -> &Resource {
        &self.resources[self.assignment[position]]
    }

    /// Writes bytes to the start of a buffer, or all texels of a texture.
    #[doc(hidden)]
    pub fn write_at(&self, position: usize, bytes: &[u8]) -> Result<(), DeviceError> {
        self.write_range(position, 0, bytes)
    }

    /// Writes bytes to a buffer from an offset, or all texels of a texture.
    #[doc(hidden)]
    pub fn write_range(
        &self,
        position: usize,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        match self.resource(position) {
            Resource::Buffer { buffer, .. } => {
                buffer_transfer::write_buffer(&self.device, buffer, offset, bytes)
            }
            Resource::Texture(..) => self.upload_texels(position, |offset, length| {
                bytes[offset as usize..][..length].to_vec()
            }),
            Resource::Sampler(..) => Ok(()),
        }
    }

    /// Writes all texels of a texture; `take` returns the bytes of a range of texels.
    #[doc(hidden)]
    pub fn upload_texels(
        &self,
        position: usize,
        take: impl Fn(u64, usize) -> Vec<u8>,
    ) -> Result<(), DeviceError> {
        match self.resource(position) {
            Resource::Texture(texture, descriptor) => {
                texture_transfer::upload(&self.device, descriptor, texture, take)
            }
            _ => Ok(()),
        }
    }

    /// Sets all texels of a texture to a value.
    #[doc(hidden)]
    pub fn fill_texels(&self, position: usize, color: [f64; 4]) -> Result<(), DeviceError> {
        match self.resource(position) {
            Resource::Texture(texture, descriptor) => {
                texture_transfer::fill_texture(&self.device, descriptor, texture, color)
            }
            _ => Ok(()),
        }
    }

    /// The first bytes of a buffer, at most `limit`, or all texels of a texture.
    #[doc(hidden)]
    pub fn read_at(&self, position: usize, limit: u64) -> Result<Vec<u8>, DeviceError> {
        match self.resource(position) {
            Resource::Buffer { buffer, bytes } => {
                buffer_transfer::read_buffer(&self.device, buffer, limit.min(*bytes))
            }
            Resource::Texture(texture, _) => texture_transfer::read_texture(&self.device, texture),
            Resource::Sampler(..) => Ok(Vec::new()),
        }
    }

    /// Creates the bind groups of the current assignment, unless they exist.
    fn prepare_groups(&mut self) -> Result<(), DeviceError> {
        if !self.groups.contains_key(&self.assignment) {
            let groups = self.device.capture("", || self.bind_groups())?;
            self.groups.insert(self.assignment.clone(), groups);
        }
        Ok(())
    }

    fn bind_groups(&self) -> Groups {
        let bindings = &self.interface.bindings;
        let bound: Vec<BoundResource<'_>> = bindings
            .iter()
            .enumerate()
            .map(|(position, binding)| match self.resource(position) {
                Resource::Buffer { buffer, .. } => BoundResource::Buffer(buffer),
                Resource::Texture(texture, descriptor) => {
                    BoundResource::View(view(texture, descriptor, binding))
                }
                Resource::Sampler(sampler, _) => BoundResource::Sampler(sampler),
            })
            .collect();
        let bind_group = |(group, layout): &(u32, wgpu::BindGroupLayout)| {
            let entries: Vec<_> = bindings
                .iter()
                .zip(&bound)
                .filter(|(binding, _)| binding.slot.group == *group)
                .map(|(binding, bound)| wgpu::BindGroupEntry {
                    binding: binding.slot.binding,
                    resource: bound.resource(),
                })
                .collect();
            let descriptor = wgpu::BindGroupDescriptor {
                label: None,
                layout,
                entries: &entries,
            };
            (*group, self.device.create_bind_group(&descriptor))
        };
        self.pipeline.layouts.iter().map(bind_group).collect()
    }
}

enum BoundResource<'a> {
    Buffer(&'a wgpu::Buffer),
    View(wgpu::TextureView),
    Sampler(&'a wgpu::Sampler),
}

impl BoundResource<'_> {
    fn resource(&self) -> wgpu::BindingResource<'_> {
        match self {
            Self::Buffer(buffer) => buffer.as_entire_binding(),
            Self::View(view) => wgpu::BindingResource::TextureView(view),
            Self::Sampler(sampler) => wgpu::BindingResource::Sampler(sampler),
        }
    }
}

fn create(
    device: &Device,
    interface: &Interface,
    resources: &[ResourceDescriptor],
    resource: &ResourceDescriptor,
    binding: &Binding,
) -> Result<Resource, DeviceError> {
    let label = format!("{} `{}`", binding.slot, binding.name);
    match resource {
        ResourceDescriptor::Buffer { bytes } => Ok(Resource::Buffer {
            buffer: buffer_transfer::create_buffer(device, *bytes, &label)?,
            bytes: *bytes,
        }),
        ResourceDescriptor::Texture(texture) => {
            let usage = usage(interface, resources, texture);
            let created = texture_transfer::create_texture(device, texture, usage, &label)?;
            Ok(Resource::Texture(created, *texture))
        }
        ResourceDescriptor::Sampler(sampler) => {
            let descriptor = wgpu::SamplerDescriptor {
                label: Some(&label),
                ..(**sampler).clone()
            };
            let about = format!("binding {label}");
            let created = device.capture(&about, || device.create_sampler(&descriptor))?;
            Ok(Resource::Sampler(created, sampler.clone()))
        }
    }
}

/// The usages of a texture: of every binding whose texture is alike, since the two can be swapped.
fn usage(
    interface: &Interface,
    resources: &[ResourceDescriptor],
    texture: &TextureDescriptor,
) -> wgpu::TextureUsages {
    let is_like = |resource: &ResourceDescriptor| matches!(resource, ResourceDescriptor::Texture(other) if other == texture);
    resources
        .iter()
        .zip(&interface.bindings)
        .filter(|(resource, _)| is_like(resource))
        .filter_map(|(_, binding)| binding.texture())
        .fold(wgpu::TextureUsages::empty(), |all, ty| all | ty.usage())
}

/// The view of a texture for a binding: a storage texture has one level.
fn view(
    texture: &wgpu::Texture,
    descriptor: &TextureDescriptor,
    binding: &Binding,
) -> wgpu::TextureView {
    let ty = binding.texture();
    let is_storage = ty.is_some_and(|ty| matches!(ty.class, TextureClass::Storage { .. }));
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: ty.map(|ty| ty.view_dimension()),
        mip_level_count: is_storage.then_some(1),
        aspect: ty.map_or(wgpu::TextureAspect::All, |ty| ty.aspect(descriptor.format)),
        ..Default::default()
    })
}
