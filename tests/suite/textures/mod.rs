//! Compares textures of the CPU adapter and lavapipe: every format that both support is written, copied, loaded by a
//! shader, stored by a shader and read back, and the bytes are compared.
//!
//! Where rounding is up to the device, the allowed difference is named.

mod device;

use anywarp_tests::{adapter, lavapipe, report_skip, wgpu_format};
use anywarp_texture::{Format, Kind};

use device::Device;

const WIDTH: u32 = 64;
const HEIGHT: u32 = 16;

/// The formats that copies can write: all except depth formats that only render passes write.
fn copied() -> impl Iterator<Item = Format> {
    let only_passes = [
        Format::Depth24Plus,
        Format::Depth32Float,
        Format::Depth24PlusStencil8,
        Format::Depth32FloatStencil8,
    ];
    let formats = Format::ALL.iter().copied();
    formats.filter(move |format| !only_passes.contains(format))
}

/// The bytes of every value, in a mixed order.
fn bytes(format: Format) -> Vec<u8> {
    let count = (WIDTH * HEIGHT * format.bytes()) as usize;
    (0..count)
        .map(|index| (index * 167 + index / 256 * 89 + 3) as u8)
        .collect()
}

fn scalar(format: Format) -> &'static str {
    match format.kind() {
        Kind::Float | Kind::Depth => "f32",
        Kind::Sint => "i32",
        Kind::Uint => "u32",
    }
}

fn both(what: &str) -> Option<[Device; 2]> {
    let Some(lavapipe) = lavapipe() else {
        report_skip(&format!("{what}: no Vulkan adapter named llvmpipe"));
        return None;
    };
    Some([adapter(), lavapipe].map(|executor| Device::open(executor.wgpu_adapter())))
}

#[test]
fn copies_give_the_same_bytes() {
    let Some(devices) = both("copies of textures") else {
        return;
    };
    let mut compared = 0;
    for format in copied() {
        if !devices.iter().all(|device| device.has(format)) {
            continue;
        }
        compared += 1;
        let bytes = bytes(format);
        for device in &devices {
            let texture = device.texture(format, [WIDTH, HEIGHT], &bytes);
            assert_eq!(device.read(&device.copied(&texture)), bytes, "{format:?}");
        }
    }
    assert!(compared >= 44, "only {compared} formats are on both");
}

/// The largest difference allowed between loads: drivers may multiply by a rounded reciprocal instead of dividing,
/// and lavapipe approximates the sRGB curve by a polynomial.
fn load_tolerance(format: Format) -> f32 {
    let name = format.name();
    if name.contains("srgb") {
        0.002
    } else if name.contains("unorm") || name.contains("snorm") {
        f32::EPSILON / 2.0
    } else {
        0.0
    }
}

#[test]
fn loads_give_the_same_values() {
    let Some(devices) = both("loads of textures") else {
        return;
    };
    for format in copied() {
        if !devices.iter().all(|device| device.has(format)) {
            continue;
        }
        let bytes = bytes(format);
        let [ours, theirs] = devices.each_ref().map(|device| {
            let texture = device.texture(format, [WIDTH, HEIGHT], &bytes);
            device.loaded(&texture, scalar(format))
        });
        let tolerance = load_tolerance(format);
        for (index, (ours, theirs)) in ours.into_iter().zip(theirs).enumerate() {
            let (a, b) = (f32::from_bits(ours), f32::from_bits(theirs));
            // Depth has one channel; the others are up to the device.
            let free = format.is_depth_or_stencil() && index % 4 != 0;
            let is_float = scalar(format) == "f32";
            let near = is_float && ((a - b).abs() <= tolerance || a.is_nan() && b.is_nan());
            assert!(
                ours == theirs || near || free,
                "{format:?} word {index}: {a:?} ({ours:x}) and {b:?} ({theirs:x})"
            );
        }
    }
}

/// Values that a texel represents exactly, so that every rounding gives the same.
fn exact_value(format: Format) -> &'static str {
    let name = format.name();
    match scalar(format) {
        "u32" => "vec4(i % 256u, i * 7u % 256u, i * 5u % 128u, i % 4u)",
        "i32" => "vec4(i32(i % 256u) - 128, i32(i * 7u % 256u) - 128, i32(i % 100u) - 50, 1)",
        _ if name.contains("snorm") => {
            "vec4(f32(i % 255u) - 127.0, f32(i * 7u % 255u) - 127.0, 127.0, -127.0) / 127.0"
        }
        _ if name.contains("unorm") => {
            "vec4(f32(i % 256u), f32(i * 7u % 256u), 255.0, 0.0) / 255.0"
        }
        // Multiples of an eighth are exact in any float.
        _ => "vec4(f32(i % 64u) / 8.0, f32(i * 7u % 32u), 2.0, 1.0)",
    }
}

/// Whether these values are not exact, because channels have a width other than 8 bits.
fn lie_between(format: Format) -> bool {
    let name = format.name();
    name.contains("16unorm") || name.contains("16snorm") || name == "rgb10a2unorm"
}

fn decoded(format: Format, texel: &[u8]) -> [f32; 4] {
    let mut bytes = [0; 16];
    bytes[..texel.len()].copy_from_slice(texel);
    let words: [u32; 4] = bytemuck::cast(bytes);
    format.decode(words).map(f32::from_bits)
}

#[test]
fn stores_give_the_same_bytes() {
    let Some(devices) = both("stores to textures") else {
        return;
    };
    let mut compared = 0;
    for format in Format::ALL.iter().copied() {
        if !devices.iter().all(|device| device.stores(format)) {
            continue;
        }
        compared += 1;
        let value = exact_value(format);
        let [ours, theirs] = devices.each_ref().map(|device| {
            let texture = device.stored(format, [WIDTH, HEIGHT], scalar(format), value);
            device.read(&texture)
        });
        if !lie_between(format) {
            assert!(ours == theirs, "{format:?}: {}", difference(&ours, &theirs));
            continue;
        }
        let texel = format.bytes() as usize;
        for (ours, theirs) in ours.chunks(texel).zip(theirs.chunks(texel)) {
            let pairs = decoded(format, ours)
                .into_iter()
                .zip(decoded(format, theirs));
            for (a, b) in pairs {
                assert!((a - b).abs() <= 1.0 / 1023.0, "{format:?}: {a} and {b}");
            }
        }
    }
    assert!(compared >= 30, "only {compared} formats are on both");
}

fn difference(ours: &[u8], theirs: &[u8]) -> String {
    let place = ours.iter().zip(theirs).position(|(a, b)| a != b);
    let place = place.unwrap_or(0);
    let end = (place + 16).min(ours.len());
    format!(
        "byte {place}: {:x?} and {:x?}",
        &ours[place..end],
        &theirs[place..end]
    )
}

#[test]
fn formats_of_wgpu_have_our_sizes() {
    for format in copied() {
        let theirs = wgpu_format(format).block_copy_size(None);
        assert_eq!(theirs, Some(format.bytes()), "{format:?}");
    }
}
