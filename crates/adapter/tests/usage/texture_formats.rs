//! Every format, there and back: written by the host, copied, loaded by a shader, stored by a shader,
//! read back.

use anywarp_texture::{Format, Kind};
use wgpu::TextureUsages as Usage;

use crate::usage::program::Gpu;
use crate::usage::texels::{ALL, extent, flat};

const WIDTH: u32 = 16;
const HEIGHT: u32 = 4;

/// The formats that can be written by copies: all but those with a depth that cannot.
fn formats() -> Vec<(wgpu::TextureFormat, Format)> {
    use wgpu::TextureFormat as F;
    let all = [
        F::R8Unorm,
        F::R8Snorm,
        F::R8Uint,
        F::R8Sint,
        F::R16Unorm,
        F::R16Snorm,
        F::R16Uint,
        F::R16Sint,
        F::R16Float,
        F::Rg8Unorm,
        F::Rg8Snorm,
        F::Rg8Uint,
        F::Rg8Sint,
        F::R32Uint,
        F::R32Sint,
        F::R32Float,
        F::Rg16Unorm,
        F::Rg16Snorm,
        F::Rg16Uint,
        F::Rg16Sint,
        F::Rg16Float,
        F::Rgba8Unorm,
        F::Rgba8UnormSrgb,
        F::Rgba8Snorm,
        F::Rgba8Uint,
        F::Rgba8Sint,
        F::Bgra8Unorm,
        F::Bgra8UnormSrgb,
        F::Rgb10a2Uint,
        F::Rgb10a2Unorm,
        F::Rg11b10Ufloat,
        F::Rgb9e5Ufloat,
        F::Rg32Uint,
        F::Rg32Sint,
        F::Rg32Float,
        F::Rgba16Unorm,
        F::Rgba16Snorm,
        F::Rgba16Uint,
        F::Rgba16Sint,
        F::Rgba16Float,
        F::Rgba32Uint,
        F::Rgba32Sint,
        F::Rgba32Float,
        F::Stencil8,
        F::Depth16Unorm,
    ];
    let ours = |theirs: wgpu::TextureFormat| {
        let name = format!("{theirs:?}");
        let found = Format::ALL
            .iter()
            .find(|format| format!("{format:?}") == name);
        (theirs, *found.unwrap())
    };
    all.into_iter().map(ours).collect()
}

/// Bytes of every value, in an order that mixes them.
fn bytes(count: usize) -> Vec<u8> {
    (0..count)
        .map(|index| (index * 167 + index / 256 * 89 + 3) as u8)
        .collect()
}

fn texels(format: Format, bytes: &[u8]) -> impl Iterator<Item = [u32; 4]> {
    bytes.chunks_exact(format.bytes() as usize).map(|texel| {
        let mut padded = [0; 16];
        padded[..texel.len()].copy_from_slice(texel);
        bytemuck::cast(padded)
    })
}

fn scalar(format: Format) -> &'static str {
    match format.kind() {
        Kind::Float | Kind::Depth => "f32",
        Kind::Sint => "i32",
        Kind::Uint => "u32",
    }
}

/// The same words, where a NaN is as good as another.
fn same(format: Format, got: u32, expected: u32) -> bool {
    let (a, b) = (f32::from_bits(got), f32::from_bits(expected));
    got == expected || scalar(format) == "f32" && a.is_nan() && b.is_nan()
}

#[test]
fn every_format_is_written_copied_and_loaded() {
    let gpu = Gpu::full();
    for (theirs, ours) in formats() {
        let size = extent(WIDTH, HEIGHT, 1);
        let source = gpu.device.create_texture(&flat(theirs, size));
        let target = gpu.device.create_texture(&flat(theirs, size));
        let bytes = bytes((WIDTH * HEIGHT * ours.bytes()) as usize);
        gpu.write_level(&source, 0, &bytes, size);
        gpu.submit(|encoder| {
            encoder.copy_texture_to_texture(source.as_image_copy(), target.as_image_copy(), size);
        });
        assert_eq!(gpu.read_texture(&target), bytes, "{theirs:?}");
        let scalar = scalar(ours);
        let out = gpu.run_with_views(
            &format!(
                "@group(0) @binding(0) var t: texture_2d<{scalar}>;
                 @group(0) @binding(1) var<storage, read_write> out: array<vec4<{scalar}>>;
                 @compute @workgroup_size({WIDTH}, {HEIGHT})
                 fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                     out[id.y * {WIDTH}u + id.x] = textureLoad(t, id.xy, 0);
                 }}"
            ),
            &[&target.create_view(&Default::default())],
            (WIDTH * HEIGHT * 4) as usize,
        );
        let expected = texels(ours, &bytes).flat_map(|texel| ours.decode(texel));
        for (index, (got, expected)) in out.into_iter().zip(expected).enumerate() {
            assert!(
                same(ours, got, expected),
                "{theirs:?} word {index}: {got:x} {expected:x}"
            );
        }
    }
}

#[test]
fn every_storage_format_is_stored_and_loaded() {
    let gpu = Gpu::full();
    let mut stored = 0;
    for (theirs, ours) in formats() {
        let adapter = anywarp_adapter::adapter(Default::default());
        let features = adapter.get_texture_format_features(theirs);
        if !features.allowed_usages.contains(Usage::STORAGE_BINDING) {
            continue;
        }
        stored += 1;
        let size = extent(WIDTH, HEIGHT, 1);
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            usage: ALL | Usage::STORAGE_BINDING,
            ..flat(theirs, size)
        });
        let (name, scalar) = (ours.name(), scalar(ours));
        // Values on both sides of every range.
        let value = match scalar {
            "f32" => {
                "vec4(f32(i) / 20.0 - 1.0, f32(i * 7u % 64u) / 63.0, f32(i), 1.0 - f32(i) / 63.0)"
            }
            "u32" => "vec4(i, i * 5u, i * 1000u, i * 0x1010101u)",
            _ => "vec4(i32(i) - 30, i32(i) * 5 - 160, i32(i) * 1000 - 32000, i32(i * 0x3010101u))",
        };
        let loaded = gpu.run_with_views(
            &format!(
                "@group(0) @binding(0) var t: texture_storage_2d<{name}, read_write>;
                 @group(0) @binding(1) var<storage, read_write> out: array<vec4<{scalar}>>;
                 @compute @workgroup_size({WIDTH}, {HEIGHT})
                 fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                     let i = id.y * {WIDTH}u + id.x;
                     let value = vec4<{scalar}>({value});
                     textureStore(t, id.xy, value);
                     out[i] = value;
                     out[i + {WIDTH}u * {HEIGHT}u] = textureLoad(t, id.xy);
                 }}"
            ),
            &[&texture.create_view(&Default::default())],
            (WIDTH * HEIGHT * 8) as usize,
        );
        let (values, loaded) = loaded.split_at(loaded.len() / 2);
        let bytes = gpu.read_texture(&texture);
        let texels = texels(ours, &bytes);
        for (index, ((value, loaded), texel)) in values
            .chunks_exact(4)
            .zip(loaded.chunks_exact(4))
            .zip(texels)
            .enumerate()
        {
            let value: [u32; 4] = value.try_into().unwrap();
            assert_eq!(texel, ours.encode(value), "{theirs:?} texel {index}");
            assert_eq!(loaded, ours.decode(texel), "{theirs:?} texel {index}");
        }
    }
    assert_eq!(
        stored, 40,
        "every format that WGSL has for storage, but r64uint, which has no 32-bit values"
    );
}
