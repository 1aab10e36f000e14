//! Bad input that shows only on a device: wgpu's noop device, which validates everything, has samplers, and runs nothing.

use anywarp::program::Program;
use anywarp::wgpu::{self, FilterMode, TextureFormat};
use anywarp::{Data, Device, DeviceError, Dispatch, SamplerData, Shader, ShaderError, Texels};

const SAMPLING: &str = "
    @group(0) @binding(0) var photo: texture_2d<f32>;
    @group(0) @binding(1) var near: sampler;
    @group(0) @binding(2) var far: sampler;
    @group(0) @binding(3) var<storage, read_write> out: array<vec4f>;
    @group(0) @binding(4) var<storage, read_write> more: array<vec4f>;
    @compute @workgroup_size(1) fn main() {
        let color = textureSampleLevel(photo, near, vec2f(), 0.0);
        out[0] = color;
        more[0] = textureSampleLevel(photo, far, vec2f(), 0.0);
    }";

/// A device with WebGPU's guarantees alone.
fn noop() -> Device {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::NOOP,
        backend_options: wgpu::BackendOptions {
            noop: wgpu::NoopBackendOptions {
                enable: true,
                ..Default::default()
            },
            ..Default::default()
        },
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapter = pollster::block_on(instance.request_adapter(&Default::default()));
    let adapter = adapter.expect("the noop adapter is always there");
    assert!(!anywarp::is_cpu(&adapter));
    let request = adapter.request_device(&Default::default());
    let (device, queue) = pollster::block_on(request).expect("it opens");
    Device::from_wgpu(device, queue)
}

fn linear() -> SamplerData {
    SamplerData {
        mag_filter: FilterMode::Linear,
        ..Default::default()
    }
}

fn bound<'a>(shader: &Shader, photo: Texels<'a>, near: SamplerData) -> Dispatch<'a> {
    let dispatch = shader.only_entry().expect("there is one");
    dispatch
        .bind("photo", photo)
        .bind("near", near)
        .bind("far", SamplerData::default())
        .bind("out", Data::zeros(16))
        .bind("more", Data::zeros(32))
}

#[test]
fn a_format_that_cannot_be_filtered_is_named_with_its_variable_and_sampler() {
    let (device, shader) = (noop(), Shader::wgsl(SAMPLING).expect("it is valid"));
    let photo = || Texels::new([1, 1], &[0.5_f32]).format(TextureFormat::R32Float);
    let error = bound(&shader, photo(), linear())
        .upload(&device)
        .unwrap_err();
    let name = device.name();
    assert_eq!(
        error.to_string(),
        format!(
            "variable `photo` at 0:0 (texture_2d<f32>): device `{name}` cannot filter r32float, and sampler \
             `near` at 0:1 (sampler) filters"
        )
    );
    // The nearest texel needs no filter, and this format has one.
    bound(&shader, photo(), SamplerData::default())
        .upload(&device)
        .expect("it fits");
    bound(&shader, Texels::new([1, 1], &[0_u8; 4]), linear())
        .upload(&device)
        .expect("it fits");
}

#[test]
fn resources_that_differ_cannot_be_swapped() {
    let (device, shader) = (noop(), Shader::wgsl(SAMPLING).expect("it is valid"));
    let texels = [0_u8; 4];
    let resident = bound(&shader, Texels::new([1, 1], &texels), linear()).upload(&device);
    let mut resident = resident.expect("it fits");
    for (second, expected) in [
        (
            "far",
            "variables `near` at 0:1 (sampler) and `far` at 0:2 (sampler) cannot be swapped: the samplers differ",
        ),
        (
            "photo",
            "cannot be swapped: they are resources of different kinds",
        ),
        ("distant", "entry point `main` uses no variable `distant`"),
    ] {
        let error = resident.swap("near", second).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let error = resident.swap("out", "more").unwrap_err().to_string();
    assert!(
        error.ends_with("cannot be swapped: one has 16 bytes, the other 32"),
        "{error}"
    );
    let near = SamplerData::default();
    let resident = bound(&shader, Texels::new([1, 1], &texels), near).upload(&device);
    resident
        .expect("it fits")
        .swap("near", "far")
        .expect("equal samplers");
}

#[test]
fn a_name_that_several_variables_have_is_ambiguous() -> Result<(), ShaderError> {
    let text = "
        @group(0) @binding(0) var<storage> a: array<u32>;
        @group(0) @binding(1) var<storage, read_write> b: array<u32>;
        @compute @workgroup_size(1) fn main() { b[0] = a[0]; }";
    let mut module = Program::from_wgsl(text)?.module().clone();
    let handles: Vec<_> = module
        .global_variables
        .iter()
        .map(|(handle, _)| handle)
        .collect();
    for handle in handles {
        module.global_variables.get_mut(handle).name = Some("data".to_owned());
    }
    let shader = Shader::from_program("same names", Program::from_module(module)?);
    let mut copied = [0_u32];
    let dispatch = shader.only_entry()?.bind("data", &mut copied);
    assert_eq!(
        dispatch.dispatch([1, 1, 1]).unwrap_err().to_string(),
        "entry point `main` uses several variables `data`, choose one by group and binding: `data` at 0:0, `data` at 0:1"
    );
    let dispatch = shader.only_entry()?.bind((0, 0), &[7_u32]);
    dispatch.bind((0, 1), &mut copied).dispatch([1, 1, 1])?;
    assert_eq!(copied, [7]);
    Ok(())
}

const COUNT: &str = "
    @group(0) @binding(0) var<storage, read_write> out: array<u32>;
    @compute @workgroup_size(1) fn main() { out[0] += 1u; }";

#[test]
fn an_earlier_error_of_the_device_is_returned_once() -> Result<(), ShaderError> {
    let device = Device::cpu()?;
    let dispatch = Shader::wgsl(COUNT)?
        .only_entry()?
        .bind("out", Data::zeros(4));
    let mut resident = dispatch.upload(&device)?;
    // An error of the caller's own use of wgpu: a buffer needs a usage.
    let _refused = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("mine"),
        size: 4,
        usage: wgpu::BufferUsages::empty(),
        mapped_at_creation: false,
    });
    let error = resident.dispatch([1, 1, 1]).unwrap_err();
    assert!(
        matches!(error, ShaderError::Device(DeviceError::Refused { .. })),
        "{error}"
    );
    resident.dispatch([1, 1, 1])?;
    device.check()?;
    Ok(())
}

#[test]
fn results_that_cannot_be_read_back_are_an_error() -> Result<(), ShaderError> {
    let device = Device::cpu()?;
    let upload = || -> Result<_, ShaderError> {
        let dispatch = Shader::wgsl(COUNT)?
            .only_entry()?
            .bind("out", Data::zeros(4));
        dispatch.upload(&device)
    };
    let resident = upload()?;
    resident.buffer("out")?.destroy();
    let error = resident.read::<u32>("out").unwrap_err();
    assert!(
        matches!(error, ShaderError::Device(DeviceError::Refused { .. })),
        "{error}"
    );
    let mut resident = upload()?;
    device.destroy();
    let read = resident.read::<u32>("out").unwrap_err();
    let dispatched = resident.dispatch([1, 1, 1]).unwrap_err();
    for error in [read, dispatched] {
        assert!(matches!(error, ShaderError::Device(_)), "{error}");
    }
    Ok(())
}
