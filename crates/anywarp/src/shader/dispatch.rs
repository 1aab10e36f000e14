//! A dispatch in preparation: constants, data by variable, immediate data.

use anywarp_program::{Constants, Program};
use bytemuck::NoUninit;

#[cfg(feature = "cpu")]
use super::Cpu;
use super::check::{self, Bound, Results};
use super::data::{BindingKey, Content, Data, HostBytes};
use super::entry::{Specialized, constant_key};
use super::error::Variable;
use super::resident::SharedResources;
use super::resource::{ResourceDescriptor, TextureDescriptor};
use super::{Resident, Shader, ShaderError};
use crate::reflection::{Binding, Interface};
use crate::{Device, needs};

/// A compute entry point, to which data is bound before it is dispatched.
///
/// Errors of [`Self::bind`] and [`Self::constant`] are returned by the method that ends the chain.
#[derive(Debug)]
#[must_use = "nothing runs before `dispatch`"]
pub struct Dispatch<'a> {
    shader: Shader,
    entry: String,
    interface: Interface,
    constants: Constants,
    /// The first constant that was given twice.
    repeated_constant: Option<String>,
    data: Vec<(BindingKey, Data<'a>)>,
    immediates: Vec<u8>,
}

impl<'a> Dispatch<'a> {
    pub(super) fn new(shader: &Shader, entry: String, interface: Interface) -> Self {
        Self {
            shader: shader.clone(),
            entry,
            interface,
            constants: Constants::new(),
            repeated_constant: None,
            data: Vec::new(),
            immediates: Vec::new(),
        }
    }

    /// The interface of the entry point with the default values of overrides.
    #[must_use]
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// The name of the entry point.
    #[must_use]
    pub fn entry(&self) -> &str {
        &self.entry
    }

    /// Binds data to a variable, by its name or by group and binding: `&data` for a variable that the shader reads,
    /// `&mut data` for one that it may write.
    ///
    /// The borrow checker refuses one slice for two variables of which one is written:
    ///
    /// ```compile_fail,E0502
    /// # let shader = anywarp::Shader::wgsl(
    /// #     "@group(0) @binding(0) var<storage> a: array<f32>;
    /// #      @group(0) @binding(1) var<storage, read_write> b: array<f32>;
    /// #      @compute @workgroup_size(1) fn copy() { b[0] = a[0]; }",
    /// # )?;
    /// let mut numbers = [7.0_f32];
    /// shader.entry("copy")?.bind("a", &numbers).bind("b", &mut numbers).dispatch([1, 1, 1])?;
    /// # Ok::<(), anywarp::ShaderError>(())
    /// ```
    ///
    /// ```
    /// # let shader = anywarp::Shader::wgsl(
    /// #     "@group(0) @binding(0) var<storage> a: array<f32>;
    /// #      @group(0) @binding(1) var<storage, read_write> b: array<f32>;
    /// #      @compute @workgroup_size(1) fn copy() { b[0] = a[0]; }",
    /// # )?;
    /// let mut copied = [0.0_f32];
    /// shader.entry("copy")?.bind("a", &[7.0_f32]).bind((0, 1), &mut copied).dispatch([1, 1, 1])?;
    /// assert_eq!(copied, [7.0]);
    /// # Ok::<(), anywarp::ShaderError>(())
    /// ```
    pub fn bind(mut self, variable: impl Into<BindingKey>, data: impl Into<Data<'a>>) -> Self {
        self.data.push((variable.into(), data.into()));
        self
    }

    /// Binds one value that the shader reads, such as a struct of parameters in a uniform buffer.
    pub fn bind_value<T: NoUninit>(self, variable: impl Into<BindingKey>, value: &'a T) -> Self {
        self.bind(variable, Data::value(value))
    }

    /// Sets an override, by its name.
    pub fn constant(mut self, name: &str, value: f64) -> Self {
        let key = constant_key(self.shader.program(), name);
        if self.constants.insert(key, value).is_some() {
            self.repeated_constant.get_or_insert(name.to_owned());
        }
        self
    }

    /// Sets the value of the `var<immediate>`.
    pub fn immediates<T: NoUninit>(mut self, value: &T) -> Self {
        self.immediates = bytemuck::bytes_of(value).to_vec();
        self
    }

    /// Runs a grid of workgroups on the CPU, and returns when `&mut` data holds the results.
    ///
    /// Buffers are used in place, without copies, unless the entry point uses textures.
    #[cfg(feature = "cpu")]
    pub fn dispatch(self, workgroups: [u32; 3]) -> Result<(), ShaderError> {
        self.dispatch_with(&Cpu::default(), workgroups)
    }

    /// [`Self::dispatch`] with options: the engine, the number of threads, limits on time.
    #[cfg(feature = "cpu")]
    pub fn dispatch_with(self, cpu: &Cpu, workgroups: [u32; 3]) -> Result<(), ShaderError> {
        let specialized = self.specialized()?;
        if check::needs_textures(&specialized.used) {
            return cpu.on_device(|device| self.dispatch_on(device, workgroups));
        }
        let mut interface = specialized.mentioned.clone();
        interface
            .bindings
            .retain(|binding| is_used(&specialized.used, binding) || is_given(&self.data, binding));
        let bound = check::bind(
            &interface,
            Results::InPlace,
            &SharedResources::default(),
            self.data,
        )?;
        let immediates = immediates(&interface, self.immediates)?;
        cpu.check(&interface, &bound, workgroups)?;
        let kernel = cpu.kernel(&self.shader, &specialized, &self.constants)?;
        cpu.run(&kernel, &interface, bound, &immediates, workgroups)
    }

    /// Runs a grid of workgroups on a device, and returns when `&mut` data holds the results.
    pub fn dispatch_on(self, device: &Device, workgroups: [u32; 3]) -> Result<(), ShaderError> {
        check::check_workgroups(workgroups, &device.limits(), device.name())?;
        let (mut resident, bound) = self.create(device, Results::InPlace)?;
        resident.dispatch(workgroups)?;
        for (position, bound) in bound.into_iter().enumerate() {
            let target = match bound {
                Bound::Buffer(HostBytes::Write(bytes)) => bytes,
                Bound::Texture(texels) => match texels.texels {
                    HostBytes::Write(bytes) => bytes,
                    HostBytes::Read(_) => continue,
                },
                _ => continue,
            };
            let bytes = resident.read_at(position, target.len() as u64)?;
            target.copy_from_slice(&bytes);
        }
        Ok(())
    }

    /// Compiles the entry point for a device and uploads the data. The result dispatches any number of times without
    /// copies; `&mut` data is not written, [`Resident::read`] returns results.
    pub fn upload(self, device: &Device) -> Result<Resident, ShaderError> {
        Ok(self.create(device, Results::OnDevice)?.0)
    }

    /// [`Self::upload`] to the device of another entry point: variables to which nothing is bound share the resources of
    /// `other`, and of the entry points that it was uploaded beside. A variable is the same if name, group, binding and
    /// type are. After a [`swap`](Resident::swap) of `other`, it is the resource that `other` has for the variable now.
    ///
    /// ```
    /// use anywarp::{Data, Device, Shader};
    ///
    /// let shader = Shader::wgsl(
    ///     "@group(0) @binding(0) var<storage> numbers: array<u32>;
    ///      @group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>, 4>;
    ///      @group(0) @binding(2) var<storage, read_write> largest: u32;
    ///      @compute @workgroup_size(64) fn count(@builtin(global_invocation_id) id: vec3u) {
    ///          if id.x < arrayLength(&numbers) { atomicAdd(&counts[numbers[id.x] % 4u], 1u); }
    ///      }
    ///      @compute @workgroup_size(1) fn find_largest() {
    ///          for (var i = 0u; i < 4u; i++) { largest = max(largest, atomicLoad(&counts[i])); }
    ///      }",
    /// )?;
    /// let device = Device::cpu()?;
    /// let count = shader.entry("count")?.bind("numbers", &[1_u32, 5, 9, 2]);
    /// let mut count = count.bind("counts", Data::zeros(16)).upload(&device)?;
    /// let find_largest = shader.entry("find_largest")?.bind("largest", Data::zeros(4));
    /// let mut find_largest = find_largest.upload_beside(&count)?;
    /// count.enqueue([1, 1, 1])?;
    /// find_largest.dispatch([1, 1, 1])?;
    /// assert_eq!(find_largest.read::<u32>("largest")?, [3]);
    /// # Ok::<(), anywarp::ShaderError>(())
    /// ```
    pub fn upload_beside(self, other: &Resident) -> Result<Resident, ShaderError> {
        let device = other.device().clone();
        Ok(self
            .create_beside(other.shared(), &device, Results::OnDevice)?
            .0)
    }

    /// The program with the constants applied, the values of its overrides by their keys in a pipeline, and the
    /// resources that a device needs.
    #[doc(hidden)]
    pub fn specialize(&self) -> Result<(Program, Constants, Interface), ShaderError> {
        let specialized = self.specialized()?;
        let constants = self.constants.clone();
        Ok((specialized.program, constants, specialized.mentioned))
    }

    fn specialized(&self) -> Result<Specialized, ShaderError> {
        if let Some(name) = &self.repeated_constant {
            return Err(ShaderError::ConstantTwice { name: name.clone() });
        }
        let program = self.shader.program();
        Ok(Specialized::new(program, &self.entry, &self.constants)?)
    }

    fn create(
        self,
        device: &Device,
        results: Results,
    ) -> Result<(Resident, Vec<Bound<'a>>), ShaderError> {
        self.create_beside(SharedResources::default(), device, results)
    }

    fn create_beside(
        self,
        mut shared: SharedResources,
        device: &Device,
        results: Results,
    ) -> Result<(Resident, Vec<Bound<'a>>), ShaderError> {
        let device = device.clone().for_program(self.shader.name());
        let specialized = self.specialized()?;
        check_features(&self.shader, &device)?;
        let interface = specialized.mentioned;
        shared.retain(|variable| !is_given_to(&self.data, variable));
        let data = unused_as_zeros(self.data, &interface, &specialized.used, &shared);
        let bound = check::bind(&interface, results, &shared, data)?;
        let immediates = immediates(&interface, self.immediates)?;
        check_device(&interface, &bound, &device)?;
        let descriptors: Vec<_> = bound.iter().map(descriptor).collect();
        let resident = Resident::beside(
            shared,
            &device,
            self.shader.program(),
            &self.constants,
            interface,
            &descriptors,
            immediates,
        )?;
        for (position, bound) in bound.iter().enumerate() {
            match bound {
                Bound::Buffer(bytes) => resident.write_at(position, bytes.bytes())?,
                Bound::Texture(texels) => resident.write_at(position, texels.texels.bytes())?,
                Bound::Zeros { .. } | Bound::Sampler(_) | Bound::Shared(_) => {}
            }
        }
        Ok((resident, bound))
    }
}

/// Gives zeros to buffers that the entry point mentions but does not use with these constants: a device needs them too.
fn unused_as_zeros<'a>(
    mut data: Vec<(BindingKey, Data<'a>)>,
    mentioned: &Interface,
    used: &Interface,
    shared: &SharedResources,
) -> Vec<(BindingKey, Data<'a>)> {
    for binding in &mentioned.bindings {
        if is_used(used, binding) || is_given(&data, binding) || shared.of(binding).is_some() {
            continue;
        }
        if let Some(size) = binding.buffer_size() {
            let zeros = Content::Zeros {
                bytes: size.minimum(),
            };
            data.push((binding.slot.into(), Data(zeros)));
        }
    }
    data
}

fn is_used(used: &Interface, binding: &Binding) -> bool {
    used.bindings.iter().any(|other| other.slot == binding.slot)
}

fn is_given(data: &[(BindingKey, Data<'_>)], binding: &Binding) -> bool {
    data.iter().any(|(key, _)| key.selects(binding))
}

/// Whether data is bound to a variable of any entry point.
fn is_given_to(data: &[(BindingKey, Data<'_>)], variable: &Variable) -> bool {
    data.iter().any(|(key, _)| match key {
        BindingKey::Name(name) => *name == variable.name,
        BindingKey::Slot(slot) => *slot == variable.slot,
    })
}

fn descriptor(bound: &Bound<'_>) -> ResourceDescriptor {
    match bound {
        Bound::Shared(descriptor) => descriptor.clone(),
        Bound::Buffer(bytes) => ResourceDescriptor::Buffer {
            bytes: bytes.bytes().len() as u64,
        },
        Bound::Zeros { bytes } => ResourceDescriptor::Buffer { bytes: *bytes },
        Bound::Texture(texels) => ResourceDescriptor::Texture(TextureDescriptor {
            dimension: texels.dimension,
            format: texels.format,
            shape: texels.shape,
        }),
        Bound::Sampler(sampler) => ResourceDescriptor::Sampler(sampler.clone()),
    }
}

fn immediates(interface: &Interface, given: Vec<u8>) -> Result<Vec<u8>, ShaderError> {
    let needed = interface
        .immediate
        .as_ref()
        .map_or(0, |immediate| u64::from(immediate.bytes));
    if given.len() as u64 != needed {
        return Err(ShaderError::Immediates {
            entry: interface.entry.clone(),
            given: given.len() as u64,
            needed,
        });
    }
    Ok(given)
}

fn check_features(shader: &Shader, device: &Device) -> Result<(), ShaderError> {
    needs::check(shader.program(), device.features()).map_err(|missing| {
        ShaderError::MissingFeature {
            file: shader.name().to_owned(),
            need: missing.need,
            feature: missing.feature,
            device: device.name().to_owned(),
        }
    })
}

fn check_device(
    interface: &Interface,
    bounds: &[Bound<'_>],
    device: &Device,
) -> Result<(), ShaderError> {
    check::check_limits(interface, bounds, &device.limits(), device.name())?;
    for (binding, bound) in interface.bindings.iter().zip(bounds) {
        check::check_texture_support(binding, bound, device)?;
        check::check_filtering(interface, bounds, binding, device)?;
    }
    Ok(())
}
