//! Texels: machine code reads what the interpreter reads, in every format, by itself or by asking.

use std::num::NonZeroUsize;
use std::sync::atomic::Ordering::Relaxed;

use anywarp_cpu::{
    Access, BindGroup, BoundBuffer, BoundGroup, BoundTexture, Buffer, Engine, Executor,
    ExecutorOptions, Kernel, KernelOptions, OffsetKind, Runner, Target, Texture, ViewedTexture,
    Views, resolve,
};
use anywarp_program::Program;
use anywarp_texture::{Dimension, Extent, Format, Kind, Shape, Subresource};

const WIDTH: u32 = 48;
const HEIGHT: u32 = 8;

/// A level that there is not.
const NO_LEVEL: u32 = 9;

/// Loads from a place of its own for each invocation, of which some are outside; some invocations load nothing.
fn kernel(format: Format, level: u32) -> String {
    let (ty, number, value) = match format.kind() {
        Kind::Float => ("texture_2d<f32>", "f32", "texel"),
        Kind::Sint => ("texture_2d<i32>", "i32", "texel"),
        Kind::Uint => ("texture_2d<u32>", "u32", "texel"),
        Kind::Depth => ("texture_depth_2d", "f32", "vec4(texel)"),
    };
    format!(
        "@group(0) @binding(0) var t: {ty};
        @group(0) @binding(1) var<storage, read_write> out: array<vec4<{number}>>;
        @compute @workgroup_size(16, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
            let at = vec2<i32>(id.xy) - vec2(2, 1);
            if (id.x + id.y) % 5u != 3u {{
                let texel = textureLoad(t, at, {level});
                out[id.y * {WIDTH}u + id.x] = {value};
            }}
        }}"
    )
}

/// A layer behind others, so that it does not begin where memory does, with words of all kinds in it.
fn texture(format: Format) -> ViewedTexture {
    let shape = Shape {
        extent: Extent { x: 37, y: 5, z: 1 },
        layers: 3,
        levels: 3,
        samples: 1,
    };
    let texture = Texture::new(format, shape).unwrap();
    let part = Subresource {
        layer: 1,
        layers: 1,
        ..texture.layout().whole()
    };
    let format = texture.layout().planes()[0].format;
    let view = texture.view(Dimension::D2, format, part);
    let words = view.for_kernel(Access::ReadWrite).words;
    for (word, number) in words.iter().zip(1u32..) {
        word.store(number.wrapping_mul(0x9e37_79b9) ^ number >> 3, Relaxed);
    }
    view
}

fn load(engine: Engine, text: &str, texture: &ViewedTexture) -> Vec<u32> {
    let program = Program::from_wgsl(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let options = KernelOptions {
        engine,
        ..Default::default()
    };
    let kernel = Kernel::with_options(&program, "main", options).unwrap();
    assert_eq!(kernel.code().is_ok(), engine != Engine::Interpreter);
    let buffer = Buffer::new(u64::from(WIDTH * HEIGHT) * 16).unwrap();
    let out = BoundBuffer {
        binding: 1,
        buffer: buffer.clone(),
        offset: 0,
        size: buffer.size(),
        offset_kind: OffsetKind::Fixed,
    };
    let texture = BoundTexture {
        binding: 0,
        texture: texture.clone(),
    };
    let group = BindGroup::with_textures(vec![out], vec![texture]);
    let groups = [Some(BoundGroup {
        group: &group,
        dynamic_offsets: &[],
    })];
    let mut views = Views::default();
    resolve(kernel.resources(), &groups, &mut views).unwrap();
    let executor = Executor::new(&ExecutorOptions {
        threads: NonZeroUsize::new(1),
        ..Default::default()
    });
    let arguments = views.arguments(&[], [WIDTH / 16, HEIGHT / 2, 1]);
    executor
        .dispatch(&mut Runner::new(&kernel), &arguments)
        .unwrap();
    let words = buffer.words(0..buffer.size(), Access::Read);
    words.iter().map(|it| it.load(Relaxed)).collect()
}

/// Which NaN a float of 16 bits becomes is left open.
fn is_same(kind: Kind, a: u32, b: u32) -> bool {
    let is_nan = |it: u32| kind == Kind::Float && f32::from_bits(it).is_nan();
    a == b || is_nan(a) && is_nan(b)
}

#[test]
fn code_reads_what_the_interpreter_reads() {
    for &format in Format::ALL {
        let texture = texture(format);
        for level in [0, 1, 2, NO_LEVEL] {
            let text = kernel(format, level);
            let expected = load(Engine::Interpreter, &text, &texture);
            let is_anything = expected.iter().any(|it| *it != 0);
            assert_eq!(is_anything, level != NO_LEVEL, "{format:?}");
            for target in Target::all() {
                let found = load(Engine::Code(target), &text, &texture);
                let mut pairs = expected.iter().zip(&found);
                let wrong = pairs.position(|(a, b)| !is_same(format.kind(), *a, *b));
                assert_eq!(wrong, None, "{format:?}, level {level}, {target}");
            }
        }
    }
}

/// Formats that shaders store to.
const STORED: &[Format] = &[
    Format::Rgba8Unorm,
    Format::Bgra8Unorm,
    Format::Rgba8Snorm,
    Format::Rgba8Uint,
    Format::Rgba8Sint,
    Format::Rg16Float,
    Format::Rgba16Float,
    Format::Rgba16Uint,
    Format::R32Float,
    Format::R32Uint,
    Format::R32Sint,
    Format::Rg32Float,
    Format::Rgba32Float,
    Format::Rgba32Uint,
    Format::R8Unorm,
];

/// Stores numbers of all kinds side by side, or one below the other, some of them outside.
fn storing(format: Format, place: &str) -> String {
    let name = format.name();
    let value = match format.kind() {
        Kind::Sint => "bitcast<vec4<i32>>(bits)",
        Kind::Uint => "bits",
        _ => "select(bitcast<vec4<f32>>(bits), vec4<f32>(bits % 511u) / 510.0, id.x % 3u == 0u)",
    };
    format!(
        "@group(0) @binding(0) var t: texture_storage_2d<{name}, write>;
        @group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;
        @compute @workgroup_size(16, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
            out[0] = vec4(1.0);
            let bits = (vec4(1u, 2u, 3u, 4u) + id.x * 4u + id.y * 1000u) * 0x9e3779b9u;
            textureStore(t, {place}, {value});
        }}"
    )
}

/// The words of a texture after a kernel has run.
fn stored(engine: Engine, text: &str, format: Format) -> Vec<u32> {
    let texture = texture(format);
    load(engine, text, &texture);
    let words = texture.for_kernel(Access::Read).words;
    words.iter().map(|it| it.load(Relaxed)).collect()
}

#[test]
fn code_stores_what_the_interpreter_stores() {
    let places = [
        "id.xy",
        "vec2<i32>(id.xy) - vec2(2, 1)",
        "id.yx",
        "vec2(id.x, id.y / 2u * 2u + id.x % 2u)",
    ];
    for &format in STORED {
        for place in places {
            let text = storing(format, place);
            let expected = stored(Engine::Interpreter, &text, format);
            for target in Target::all() {
                let found = stored(Engine::Code(target), &text, format);
                assert!(found == expected, "{format:?}, {place}, {target}");
            }
        }
    }
}

/// Every number that is near a half of a fraction of 255, and what is no fraction.
#[test]
fn fractions_are_rounded_once() {
    let text = "
        @group(0) @binding(0) var t: texture_storage_2d<rgba8unorm, write>;
        @group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;
        @compute @workgroup_size(16, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            out[0] = vec4(1.0);
            let n = id.x + id.y * 37u;
            let half = bitcast<u32>((f32(n) + 0.5) / 255.0);
            let odd = array(bitcast<f32>(0x7fc00000u), bitcast<f32>(0xff800000u), bitcast<f32>(0x7f800000u), -0.0);
            let last = select(bitcast<f32>(half + 2u), odd[n % 4u], n > 170u);
            textureStore(t, id.xy, vec4(bitcast<f32>(half - 1u), bitcast<f32>(half), bitcast<f32>(half + 1u), last));
        }";
    let expected = stored(Engine::Interpreter, text, Format::Rgba8Unorm);
    for target in Target::all() {
        let found = stored(Engine::Code(target), text, Format::Rgba8Unorm);
        assert!(found == expected, "{target}");
    }
}

/// More texels in one kernel than are read by the code itself.
#[test]
fn kernels_with_many_texels() {
    let loads: String = (0..100)
        .map(|it| {
            format!(
                "sum += textureLoad(t, vec2<i32>(id.xy) + vec2({}, {}), 0);\n",
                it % 7,
                it % 3
            )
        })
        .collect();
    let text = format!(
        "@group(0) @binding(0) var t: texture_2d<f32>;
        @group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;
        @compute @workgroup_size(16, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
            var sum = vec4<f32>();
            {loads}
            out[id.y * {WIDTH}u + id.x] = sum;
        }}"
    );
    let texture = texture(Format::Rgba8Unorm);
    let expected = load(Engine::Interpreter, &text, &texture);
    for target in Target::all() {
        assert_eq!(
            load(Engine::Code(target), &text, &texture),
            expected,
            "{target}"
        );
    }
}
