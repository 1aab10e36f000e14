//! Everything that a user can get wrong is an error that names the variable and says what was expected.

use anywarp::wgpu::TextureFormat;
use anywarp::{Data, Device, Dispatch, Shader, ShaderError, Texels};

const TEXT: &str = "
    struct Particle { position: vec3f, velocity: vec3f }
    struct Params { count: u32, scale: vec3f }
    override width: u32 = 4;
    @group(0) @binding(0) var<storage, read_write> numbers: array<f32>;
    @group(0) @binding(1) var<storage> particles: array<Particle>;
    @group(0) @binding(2) var<uniform> params: Params;
    @group(1) @binding(0) var photo: texture_2d<f32>;
    @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) {
        numbers[id.x] = particles[id.x].position.x * params.scale.y;
    }
    @compute @workgroup_size(8) fn texture() {
        numbers[0] = textureLoad(photo, vec2u(), 0).x;
    }
    @compute @workgroup_size(8) fn endless() { loop { numbers[0] += 1.0; if numbers[0] < 0.0 { break; } } }
    @compute @workgroup_size(2048) fn large() { numbers[0] = 1.0; }
    @vertex fn corner() -> @builtin(position) vec4f { return vec4f(); }
    var<private> p: u32;
    @compute @workgroup_size(1) fn half() { p = width; }";

fn shader() -> Shader {
    Shader::wgsl(TEXT).unwrap_or_else(|error| panic!("{error}"))
}

/// The message of the error with which a dispatch of an entry point ends.
fn message<'a>(entry: &str, bind: impl FnOnce(Dispatch<'a>) -> Dispatch<'a>) -> String {
    let result = shader()
        .entry(entry)
        .and_then(|dispatch| bind(dispatch).dispatch([1, 1, 1]));
    result.expect_err("the input is wrong").to_string()
}

/// The data of `main` but for `numbers`.
fn rest(dispatch: Dispatch<'_>) -> Dispatch<'_> {
    dispatch
        .bind("particles", &[[0.0_f32; 8]; 8])
        .bind("params", &[0_u8; 32])
}

#[test]
fn entry_points_and_constants() {
    for (entry, expected) in [
        (
            "mian",
            "shader.wgsl has no entry point `mian`; it has `main`, `texture`, `endless`, `large`, `corner`, `half`",
        ),
        (
            "corner",
            "entry point `corner` of shader.wgsl is a vertex shader; compute shaders can be dispatched",
        ),
    ] {
        assert_eq!(message(entry, |dispatch| dispatch), expected);
    }
    assert_eq!(
        shader().only_entry().unwrap_err().to_string(),
        "shader.wgsl has several compute entry points, choose one: `main`, `texture`, `endless`, `large`, `half`"
    );
    let unknown = message("half", |dispatch| dispatch.constant("widht", 1.0));
    assert!(unknown.contains("widht"), "{unknown}");
    let fraction = message("half", |dispatch| dispatch.constant("width", 1.5));
    assert!(fraction.contains("width"), "{fraction}");
}

#[test]
fn variables_and_their_data() {
    let mut floats = [0.0_f32; 8];
    let mut integers = [0_i32; 8];
    let mut odd = [0_u8; 9];
    let numbers = "variable `numbers` at 0:0 (array<f32>)";
    let particles = "variable `particles` at 0:1 (array<Particle>)";
    let params = "variable `params` at 0:2 (Params)";
    let cases = [
        (
            message("main", |d| rest(d.bind("number", &mut floats))),
            "entry point `main` uses no variable `number`; it uses `numbers` at 0:0, `particles` at 0:1, `params` at 0:2".to_owned(),
        ),
        (
            message("main", |d| rest(d.bind((3, 0), &mut floats))),
            "entry point `main` uses no variable at 3:0; it uses `numbers` at 0:0, `particles` at 0:1, `params` at 0:2".to_owned(),
        ),
        (
            message("main", rest),
            format!("{numbers} is not bound; bind a mutable slice"),
        ),
        (
            message("main", |d| rest(d.bind("numbers", &[0.0_f32; 8]))),
            format!("the shader may write {numbers}, but it is bound to a shared reference: bind `&mut`"),
        ),
        (
            message("main", |d| rest(d.bind("numbers", &mut integers))),
            format!("{numbers} holds f32, but the slice holds `i32`"),
        ),
        (
            message("main", |d| rest(d.bind("numbers", &mut odd))),
            format!("{numbers}: 9 bytes are bound, which is not a multiple of 4, the size of an element"),
        ),
        (
            message("main", |d| rest(d.bind("numbers", &mut floats[..0]))),
            format!("{numbers} needs at least 4 bytes, but 0 are bound"),
        ),
        (
            message("main", |d| rest(d.bind("numbers", &mut floats)).bind((0, 2), &[0_u8; 32])),
            format!("{params} is bound twice"),
        ),
        (
            message("main", |d| {
                d.bind("numbers", &mut floats)
                    .bind("particles", &[[0.0_f32; 3]; 8])
                    .bind("params", &[0_u8; 32])
            }),
            format!("{particles}: an element `Particle` takes 32 bytes, but `[f32; 3]` has 12; WGSL aligns vec3 and structs, so add padding to the Rust type"),
        ),
        (
            message("main", |d| {
                d.bind("numbers", &mut floats)
                    .bind("particles", &[0_u8; 48])
                    .bind("params", &[0_u8; 32])
            }),
            format!("{particles}: 48 bytes are bound, which is not a multiple of 32, the size of an element"),
        ),
        (
            message("main", |d| {
                d.bind("numbers", &mut floats)
                    .bind("particles", &[0_u8; 32])
                    .bind_value("params", &[0_u32; 4])
            }),
            format!("{params} needs at least 32 bytes, but 16 are bound"),
        ),
        (
            message("main", |d| rest(d.bind("numbers", Texels::new([1, 1], &[0_u8; 4])))),
            format!("{numbers} takes a mutable slice, not texels"),
        ),
        (
            message("main", |d| rest(d.bind("numbers", Data::zeros(2)))),
            format!("{numbers} needs at least 4 bytes, but 2 are bound"),
        ),
        (
            message("main", |d| rest(d.bind("numbers", &mut floats)).immediates(&1_u32)),
            "immediate data has 4 bytes, but entry point `main` takes 0".to_owned(),
        ),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
}

const SIZES: &str = "
    struct Tail { count: u32, items: array<vec2u> }
    @group(0) @binding(0) var<storage, read_write> halves: array<f16>;
    @group(0) @binding(1) var<storage> tail: Tail;
    @group(0) @binding(2) var<storage> points: array<vec3f>;
    @group(0) @binding(3) var<uniform> weights: array<vec4f, 2>;
    @compute @workgroup_size(1) fn main() {
        halves[0] = f16(points[1].x + weights[1].y) + f16(tail.items[0].y);
    }";

/// The bits of the result, or the message of the error.
fn sizes(halves: &mut [u16], tail: &[u32], points: Data<'_>) -> Result<u16, String> {
    let text = format!("enable f16;{SIZES}");
    let shader = Shader::wgsl(&text).unwrap_or_else(|error| panic!("{error}"));
    let weights = [[0.0_f32, 1.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]];
    let dispatch = shader.only_entry().unwrap();
    dispatch
        .bind("halves", bytemuck::cast_slice_mut::<u16, u8>(halves))
        .bind("tail", bytemuck::cast_slice::<u32, u8>(tail))
        .bind("points", points)
        .bind_value("weights", &weights)
        .dispatch([1, 1, 1])
        .map_err(|error| error.to_string())?;
    Ok(halves[0])
}

#[test]
fn sizes_and_padding() {
    let points = [[1.0_f32; 4], [3.0; 4]];
    let padded = || Data::from(&points);
    // 3 + 2 + 5 is 10.
    assert_eq!(sizes(&mut [0; 2], &[0, 0, 4, 5], padded()), Ok(0x4900));
    for (found, expected) in [
        (
            sizes(&mut [0; 3], &[0, 0, 4, 5], padded()),
            "`halves` at 0:0 (array<f16>): 6 bytes are bound, and buffers have whole words of 4 bytes",
        ),
        (
            sizes(&mut [0; 2], &[0, 0, 4, 5, 6], padded()),
            "`tail` at 0:1 (Tail): 20 bytes are bound, which is not a multiple of 8, the size of an element",
        ),
        (
            sizes(&mut [0; 2], &[0, 0, 4, 5], Data::from(&[0.0_f32; 12])),
            "`points` at 0:2 (array<vec3<f32>>): an element `vec3<f32>` takes 16 bytes, but `f32` has 4; \
             WGSL aligns vec3 and structs, so add padding to the Rust type",
        ),
    ] {
        assert_eq!(found.unwrap_err(), format!("variable {expected}"));
    }
    let mut numbers = [0.0_f32; 8];
    let larger = message("main", |d| {
        d.bind("numbers", &mut numbers)
            .bind("particles", &[[0.0_f32; 8]; 8])
            .bind_value("params", &[0_u32; 12])
    });
    assert_eq!(
        larger,
        "variable `params` at 0:2 (Params) has 32 bytes, but 48 are bound"
    );
}

#[test]
fn constants_are_given_once() {
    let twice = message("half", |d| d.constant("width", 1.0).constant("width", 2.0));
    assert_eq!(twice, "constant `width` is given twice");
}

#[test]
fn textures() {
    let photo = "variable `photo` at 1:0 (texture_2d<f32>)";
    let with = |texels: Texels<'_>| {
        let mut numbers = [0.0_f32; 4];
        let dispatch = shader().entry("texture").unwrap();
        let dispatch = dispatch.bind("numbers", &mut numbers).bind("photo", texels);
        dispatch.dispatch([1, 1, 1]).unwrap_err().to_string()
    };
    for (found, expected) in [
        (
            with(Texels::new([2, 2], &[0_u8; 15])),
            "[2, 2] texels of rgba8unorm have 16 bytes, but 15 are given",
        ),
        (
            with(Texels::new([4], &[0_u8; 16])),
            "takes a size as WxH, not [4]",
        ),
        (
            with(Texels::new([0, 4], &[0_u8; 0])),
            "takes a size as WxH, not [0, 4]",
        ),
        (
            with(Texels::new([2, 2], &[0_u32; 4]).format(TextureFormat::R32Uint)),
            "it takes a float format, not r32uint",
        ),
        (
            with(Texels::new([2, 2], &[0.5_f32; 4])),
            "texels are given as `f32`, so their format must be given too, as `Texels::format`",
        ),
        (
            with(Texels::new([2, 2], &[0_i32; 4]).format(TextureFormat::R32Float)),
            "channels of r32float are f32, but the slice holds `i32`",
        ),
        (
            with(Texels::new([2, 1], &[0.5_f32; 2]).format(TextureFormat::Rgba8Unorm)),
            "texels of rgba8unorm are bytes, but the slice holds `f32`",
        ),
        (
            with(Texels::new([4, 4], &[0_u8; 8]).format(TextureFormat::Bc1RgbaUnorm)),
            "no shader reads texels of format Bc1RgbaUnorm",
        ),
    ] {
        assert_eq!(found, format!("{photo}: {expected}"));
    }
    let mut numbers = [0.0_f32; 4];
    let found = message("texture", |d| {
        d.bind("numbers", &mut numbers).bind("photo", &[0_u8; 4])
    });
    assert_eq!(found, format!("{photo} takes texels, not a slice of `u8`"));
}

#[test]
fn grids_and_limits() {
    let mut numbers = [0.0_f32; 4];
    let run = |entry: &str, numbers: &mut [f32], grid| {
        let dispatch = shader().entry(entry).unwrap().bind("numbers", numbers);
        dispatch.dispatch(grid).unwrap_err().to_string()
    };
    assert_eq!(
        run("large", &mut numbers, [70_000, 1, 1]),
        "[70000, 1, 1] workgroups are over the limit of 65535 in each dimension of device `cpu`"
    );
    let large = run("large", &mut numbers, [1, 1, 1]);
    assert!(
        large.contains("workgroup of 2048x1x1 invocations"),
        "{large}"
    );
}

#[test]
fn an_endless_loop_is_named() {
    let mut numbers = [0.0_f32; 4];
    let endless = message("endless", |d| d.bind("numbers", &mut numbers));
    assert!(
        endless.contains("endless loop") && endless.contains("shader.wgsl:"),
        "{endless}"
    );
}

#[test]
fn a_feature_that_a_device_lacks_is_named() {
    let text = "enable f16;
        @group(0) @binding(0) var<storage, read_write> out: array<f16>;
        @compute @workgroup_size(1) fn main() { out[0] = 1.0h; }";
    let adapter = anywarp::adapters::find("cpu").unwrap();
    let request = adapter.request_device(&Default::default());
    let (device, queue) = pollster::block_on(request).unwrap();
    let device = Device::from_wgpu(device, queue);
    let mut out = [0_u16; 2];
    let shader = Shader::wgsl(text).unwrap();
    let run = |dispatch: Dispatch<'_>| dispatch.dispatch_on(&device, [1, 1, 1]);
    let direct = shader.only_entry().unwrap().bind("out", &mut out);
    let error = direct.dispatch([1, 1, 1]).unwrap_err();
    assert!(matches!(error, ShaderError::WrongType { .. }), "{error}");
    let mut bytes = [0_u8; 4];
    let error = run(shader.only_entry().unwrap().bind("out", &mut bytes)).unwrap_err();
    let ShaderError::MissingFeature { feature, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(feature, "shader_f16");
    let dispatch = shader.only_entry().unwrap().bind("out", &mut bytes);
    dispatch.dispatch([1, 1, 1]).unwrap();
    assert_eq!(bytes, [0, 0x3c, 0, 0]);
}

#[test]
fn files_without_a_program() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("a file of the test");
        Shader::file(path).unwrap_err().to_string()
    };
    let missing = Shader::file(folder.join("missing.wgsl")).unwrap_err();
    assert!(matches!(missing, ShaderError::Read { .. }), "{missing}");
    assert!(
        write("data.bin", b"1").contains("`.bin` is not the extension of a program; give a .wgsl")
    );
    assert!(write("broken.wgsl", b"fn main( {").contains("broken.wgsl:1:"));
    assert!(write("broken.spv", &[1, 2, 3]).contains("is not a SPIR-V module"));
    assert!(write("text.wgsl", &[0xff, 0xfe]).starts_with("cannot read"));
}

#[cfg(feature = "translate")]
#[test]
fn translations_that_are_not_possible() {
    use anywarp::{Language, TranslateOptions, translate, translate_with};

    assert_eq!(
        translate(&shader(), Language::Glsl)
            .unwrap_err()
            .to_string(),
        "the program has several entry points, choose one: `main`, `texture`, `endless`, `large`, `corner`, `half`"
    );
    let mut options = TranslateOptions::default();
    options.entry = Some("mian".to_owned());
    let error = translate_with(shader().program(), Language::Msl, &options).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the program has no entry point `mian`; it has `main`")
    );
    options.entry = Some("main".to_owned());
    options.limits = options.limits.with_bytes(16);
    for language in [Language::Wgsl, Language::Spirv, Language::Hlsl] {
        let error = translate_with(shader().program(), language, &options).unwrap_err();
        assert!(error.to_string().contains(language.name()), "{error}");
    }
}
