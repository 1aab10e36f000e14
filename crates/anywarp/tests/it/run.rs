//! Shaders over slices, textures, parameters and constants, on the CPU in place and on the CPU device through wgpu.

use anywarp::wgpu::TextureFormat;
use anywarp::{Data, Device, Dispatch, Shader, ShaderError, Texels};
use bytemuck::{Pod, Zeroable};

const STEP: &str = "
    struct Params { factor: f32, offset: vec3f, count: u32 }
    struct Body { position: vec3f, mass: f32 }
    override scale: f32 = 1.0;
    @group(0) @binding(0) var<uniform> params: Params;
    @group(0) @binding(1) var<storage> masses: array<f32>;
    @group(1) @binding(3) var<storage, read_write> bodies: array<Body>;
    @compute @workgroup_size(64) fn step(@builtin(global_invocation_id) id: vec3u) {
        if id.x < params.count {
            bodies[id.x].mass = masses[id.x] * params.factor * scale;
            bodies[id.x].position += params.offset;
        }
    }";

#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Params {
    factor: f32,
    pad: [f32; 3],
    offset: [f32; 3],
    count: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
struct Body {
    position: [f32; 3],
    mass: f32,
}

fn params(count: u32) -> Params {
    Params {
        factor: 3.0,
        offset: [1.0, 2.0, 3.0],
        count,
        ..Default::default()
    }
}

fn expected(index: usize) -> Body {
    Body {
        position: [1.0, 2.0, 3.0],
        mass: index as f32 * 3.0 * 0.5,
    }
}

#[test]
fn structs_parameters_and_constants_run_in_place_and_through_wgpu() -> Result<(), ShaderError> {
    let shader = Shader::wgsl(STEP)?;
    let masses: Vec<f32> = (0..1000).map(|index| index as f32).collect();
    let device = Device::cpu()?;
    for device in [None, Some(&device)] {
        let mut bodies = vec![Body::default(); 1000];
        let dispatch = shader
            .entry("step")?
            .constant("scale", 0.5)
            .bind("masses", &masses)
            .bind((1, 3), &mut bodies);
        let parameters = params(999);
        let dispatch = dispatch.bind_value("params", &parameters);
        match device {
            None => dispatch.dispatch([16, 1, 1])?,
            Some(device) => dispatch.dispatch_on(device, [16, 1, 1])?,
        }
        for (index, body) in bodies.iter().take(999).enumerate() {
            assert_eq!(*body, expected(index));
        }
        assert_eq!(bodies[999], Body::default());
    }
    Ok(())
}

#[test]
fn kernels_are_kept_for_each_set_of_constants() -> Result<(), ShaderError> {
    let shader = Shader::wgsl(
        "override k: u32 = 1u;
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(1) fn main() { out[0] += k; }",
    )?;
    let mut out = [0_u32];
    for (k, sum) in [(1.0, 1), (10.0, 11), (1.0, 12), (10.0, 22)] {
        let dispatch = shader.only_entry()?.constant("k", k);
        dispatch.bind("out", &mut out).dispatch([1, 1, 1])?;
        assert_eq!(out, [sum]);
    }
    Ok(())
}

#[test]
fn a_resident_shader_keeps_its_data_on_the_device() -> Result<(), ShaderError> {
    let shader = Shader::wgsl(
        "@group(0) @binding(0) var<storage> old: array<u32>;
        @group(0) @binding(1) var<storage, read_write> next: array<u32>;
        @compute @workgroup_size(4) fn add(@builtin(global_invocation_id) id: vec3u) {
            next[id.x] = old[id.x] + old[(id.x + 1u) % 4u];
        }",
    )?;
    let device = Device::cpu()?;
    let dispatch = shader.entry("add")?.bind("old", &[1_u32, 2, 3, 4]);
    let mut resident = dispatch.bind("next", Data::zeros(16)).upload(&device)?;
    resident.dispatch([1, 1, 1])?;
    assert_eq!(resident.read::<u32>("next")?, [3, 5, 7, 5]);
    resident.swap("old", "next")?;
    resident.dispatch([1, 1, 1])?;
    assert_eq!(resident.read::<u32>((0, 1))?, [8, 12, 12, 8]);
    resident.write("old", &[0_u32; 4])?;
    resident.dispatch([1, 1, 1])?;
    assert_eq!(resident.read::<[u32; 2]>("next")?, [[0, 0], [0, 0]]);
    assert_eq!(resident.buffer("old")?.size(), 16);
    let error = resident.read::<[u32; 3]>("next").unwrap_err().to_string();
    assert_eq!(
        error,
        "variable `next` at 0:1 (array<u32>) of 16 bytes is not a list of `[u32; 3]` of 12 bytes"
    );
    assert!(resident.write("next", &[1_u32; 5]).is_err());
    Ok(())
}

const INVERT: &str = "
    @group(0) @binding(0) var photo: texture_2d<f32>;
    @group(0) @binding(1) var inverted: texture_storage_2d<rgba8unorm, write>;
    @compute @workgroup_size(8, 8) fn invert(@builtin(global_invocation_id) id: vec3u) {
        if all(id.xy < textureDimensions(photo)) {
            let color = textureLoad(photo, id.xy, 0);
            textureStore(inverted, id.xy, vec4f(1.0 - color.rgb, color.a));
        }
    }";

#[test]
fn texels_are_read_and_written() -> Result<(), ShaderError> {
    let shader = Shader::wgsl(INVERT)?;
    let photo: Vec<u8> = (0..13 * 7 * 4).map(|byte| byte as u8).collect();
    let mut inverted = vec![0_u8; photo.len()];
    shader
        .only_entry()?
        .bind("photo", Texels::new([13, 7], &photo))
        .bind("inverted", Texels::new_mut([13, 7], &mut inverted))
        .dispatch([2, 1, 1])?;
    for (index, (before, after)) in photo.iter().zip(&inverted).enumerate() {
        let wanted = if index % 4 == 3 {
            *before
        } else {
            255 - before
        };
        assert_eq!(*after, wanted, "{index}");
    }
    let floats = vec![0.25_f32; 13 * 7];
    let source = Texels::new([13, 7], &floats).format(TextureFormat::R32Float);
    let target = Texels::new_mut([13, 7], &mut inverted);
    let dispatch = shader.only_entry()?.bind("photo", source);
    dispatch.bind("inverted", target).dispatch([2, 1, 1])?;
    assert_eq!(inverted[..4], [191, 255, 255, 255]);
    Ok(())
}

#[cfg(feature = "image")]
#[test]
fn pictures_are_textures() -> Result<(), ShaderError> {
    let photo = image::RgbaImage::from_pixel(20, 10, image::Rgba([1, 2, 3, 4]));
    let mut inverted = image::RgbaImage::new(20, 10);
    let dispatch = Shader::wgsl(INVERT)?.only_entry()?.bind("photo", &photo);
    dispatch
        .bind("inverted", &mut inverted)
        .dispatch([3, 2, 1])?;
    assert!(inverted.pixels().all(|pixel| pixel.0 == [254, 253, 252, 4]));
    Ok(())
}

#[test]
fn immediate_data_reaches_the_shader() -> Result<(), ShaderError> {
    let shader = Shader::wgsl(
        "var<immediate> factor: vec2u;
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(1) fn main() { out[0] = factor.x * 10u + factor.y; }",
    )?;
    let device = Device::cpu()?;
    let mut out = [0_u32];
    let dispatch = shader.only_entry()?.immediates(&[3_u32, 4]);
    dispatch.bind("out", &mut out).dispatch([1, 1, 1])?;
    assert_eq!(out, [34]);
    let dispatch = shader.only_entry()?.immediates(&[5_u32, 6]);
    dispatch
        .bind("out", &mut out)
        .dispatch_on(&device, [1, 1, 1])?;
    assert_eq!(out, [56]);
    Ok(())
}

#[test]
fn slices_of_bytes_and_halves_are_bound_whatever_their_alignment() -> Result<(), ShaderError> {
    let shader = Shader::wgsl(
        "@group(0) @binding(0) var<storage, read_write> words: array<u32>;
        @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
            words[id.x] += 0x01010101u;
        }",
    )?;
    let mut bytes = [1_u8; 17];
    let dispatch = shader.only_entry()?.bind("words", &mut bytes[1..]);
    dispatch.dispatch([1, 1, 1])?;
    assert_eq!(bytes[0], 1);
    assert_eq!(bytes[1..], [2; 16]);
    Ok(())
}

#[test]
fn files_are_read_by_their_extension() -> Result<(), ShaderError> {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let text = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(1) fn main() { out[0] = 7u; }";
    let wgsl = folder.join("seven.wgsl");
    std::fs::write(&wgsl, text).expect("a file of the test");
    let words = anywarp::spirv::write_spirv(
        &anywarp::program::Program::from_wgsl(text)?,
        &Default::default(),
    );
    let bytes: Vec<u8> = words
        .expect("the program can be written")
        .into_iter()
        .flat_map(u32::to_le_bytes)
        .collect();
    let spirv = folder.join("seven.spv");
    std::fs::write(&spirv, &bytes).expect("a file of the test");
    let glsl = folder.join("seven.comp");
    let glsl_text = "#version 450
        layout(local_size_x = 1) in;
        layout(set = 0, binding = 0) buffer Out { uint out_[]; };
        void main() { out_[0] = 7u; }";
    std::fs::write(&glsl, glsl_text).expect("a file of the test");
    for path in [wgsl, spirv, glsl] {
        let mut out = [0_u32];
        let dispatch = Shader::file(&path)?.only_entry()?.bind((0, 0), &mut out);
        dispatch.dispatch([1, 1, 1])?;
        assert_eq!(out, [7], "{}", path.display());
    }
    Ok(())
}

/// WGSL's static use: what an entry point names must be bound, whatever its constants are, on the CPU as on devices.
#[test]
fn variables_in_branches_that_constants_rule_out_are_bound_too() -> Result<(), ShaderError> {
    let shader = Shader::wgsl(
        "override kind: u32 = 0u;
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @group(0) @binding(1) var<storage> table: array<u32, 4>;
        @group(0) @binding(2) var<storage> other: array<u32>;
        @compute @workgroup_size(1) fn main() {
            if kind == 1u { out[0] = table[2]; } else { out[0] = 9u; }
        }
        @compute @workgroup_size(1) fn separate() { out[0] = other[0]; }",
    )?;
    let device = Device::cpu()?;
    for device in [None, Some(&device)] {
        let run = |dispatch: Dispatch<'_>| match device {
            None => dispatch.dispatch([1, 1, 1]),
            Some(device) => dispatch.dispatch_on(device, [1, 1, 1]),
        };
        let mut out = [0_u32];
        let table = [1_u32, 2, 3, 4];
        for (kind, expected) in [(0.0, 9), (1.0, 3)] {
            let main = || Ok::<_, ShaderError>(shader.entry("main")?.constant("kind", kind));
            run(main()?.bind("out", &mut out).bind("table", &table))?;
            assert_eq!(out, [expected]);
            let error = run(main()?.bind("out", &mut out)).unwrap_err().to_string();
            assert!(
                error.contains("`table`") && error.contains("is not bound"),
                "{error}"
            );
        }
        let main = shader.entry("main")?.bind("out", &mut out);
        let error = run(main.bind("table", &table).bind("other", &table)).unwrap_err();
        assert!(
            error.to_string().contains("uses no variable `other`"),
            "{error}"
        );
    }
    Ok(())
}
