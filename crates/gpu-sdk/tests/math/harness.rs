//! Runs a WGSL expression on the reference evaluator and the same expression in Rust, and compares.

use std::fmt::Debug;

use anywarp_interpret::{Arguments, BufferView, Kernel, Limits, Worker};
use anywarp_program::Program;
use gpu_sdk::{
    HostBuffer, HostShareable, Mat2x2f, Mat3x3f, Mat4x4f, Vec2f, Vec2i, Vec2u, Vec3f, Vec3i, Vec3u,
    Vec4f, Vec4i, Vec4u,
};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Arguments tried for each expression.
pub(crate) const SAMPLES: usize = 4096;

const WORKGROUP: usize = 64;

/// A seeded generator of numbers.
pub(crate) struct Random(SplitMix64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }

    fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }
}

/// The contents of a type's words.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    Float,
    Integer,
}

#[rustfmt::skip]
const FLOATS: &[f32] = &[
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 2.0, 3.0, -7.0, 0.25, 0.999_999_94,
    core::f32::consts::PI, -core::f32::consts::FRAC_PI_2, 1e-20, -1e-20, 1e20, -1e20, 88.7, -104.0,
    127.5, 255.5, 65504.0, 65519.9, 65520.0, 6.1e-5, 6e-8, 8_388_607.5, 16_777_216.0,
    2_147_483_648.0, -2_147_483_648.0, 4_294_967_296.0, f32::MIN_POSITIVE, f32::EPSILON, f32::MAX,
    f32::MIN, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::from_bits(1), f32::from_bits(0x8000_0001),
    f32::from_bits(0x007f_ffff),
];

const INTEGERS: &[u32] = &[
    0,
    1,
    2,
    3,
    7,
    8,
    16,
    31,
    32,
    33,
    40,
    127,
    128,
    129,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
    0xffff_ff80,
    0xffff_ff7f,
    0xdead_beef,
    0x5555_5555,
    150,
    -150i32 as u32,
];

impl Words {
    /// A word that is an edge case, a typical value, or random bits.
    fn sample(self, random: &mut Random) -> u32 {
        let any = random.bits() as u32;
        match (random.below(8), self) {
            (0..4, Self::Float) => FLOATS[random.below(FLOATS.len())].to_bits(),
            (0..4, Self::Integer) => INTEGERS[random.below(INTEGERS.len())],
            (4..6, Self::Float) => (any as i32 as f32 * 2f32.powi(-28)).to_bits(),
            (4..6, Self::Integer) => any % 40,
            _ => any,
        }
    }
}

/// A type that expressions may take and give.
pub(crate) trait Value: HostShareable + Debug {
    const WGSL: &'static str;
    const WORDS: Words;
}

macro_rules! values {
    ($($words:ident: $($ty:ty = $wgsl:literal),*;)*) => { $($(
        impl Value for $ty {
            const WGSL: &'static str = $wgsl;
            const WORDS: Words = Words::$words;
        }
    )*)* };
}

values! {
    Float: f32 = "f32", Vec2f = "vec2f", Vec3f = "vec3f", Vec4f = "vec4f";
    Float: Mat2x2f = "mat2x2f", Mat3x3f = "mat3x3f", Mat4x4f = "mat4x4f";
    Integer: i32 = "i32", Vec2i = "vec2i", Vec3i = "vec3i", Vec4i = "vec4i";
    Integer: u32 = "u32", Vec2u = "vec2u", Vec3u = "vec3u", Vec4u = "vec4u";
}

/// A buffer of arguments, and how WGSL declares it.
pub(crate) fn arguments<T: Value>(random: &mut Random) -> HostBuffer<T> {
    let words: Vec<u32> = (0..SAMPLES * T::STRIDE / 4)
        .map(|_| T::WORDS.sample(random))
        .collect();
    HostBuffer::from_words(&words)
}

/// One argument of the expression in WGSL: its name, its type, its values.
pub(crate) struct Argument<'a> {
    name: &'static str,
    ty: &'static str,
    view: BufferView<'a>,
}

impl<'a> Argument<'a> {
    pub(crate) fn new<T: Value>(name: &'static str, values: &'a HostBuffer<T>) -> Self {
        Self {
            name,
            ty: T::WGSL,
            view: BufferView {
                words: values.words(),
            },
        }
    }
}

/// The evaluator's result for each sample.
pub(crate) fn evaluate<R: Value>(expression: &str, arguments: &[Argument<'_>]) -> HostBuffer<R> {
    let mut source = String::new();
    let mut lets = String::new();
    for (i, Argument { name, ty, .. }) in arguments.iter().enumerate() {
        source += &format!("@group(0) @binding({i}) var<storage> all_{name}: array<{ty}>;\n");
        lets += &format!("let {name} = all_{name}[id.x]; ");
    }
    let (binding, ty) = (arguments.len(), R::WGSL);
    source += &format!(
        "@group(0) @binding({binding}) var<storage, read_write> results: array<{ty}>;\n\
         @compute @workgroup_size({WORKGROUP})\n\
         fn main(@builtin(global_invocation_id) id: vec3u) {{ {lets} results[id.x] = {expression}; }}"
    );
    let program = Program::from_wgsl(&source).unwrap_or_else(|e| panic!("{expression}: {e}"));
    let kernel = Kernel::new(&program, "main").unwrap_or_else(|e| panic!("{expression}: {e}"));
    let bindings: Vec<_> = kernel.resources().iter().map(|r| r.binding).collect();
    assert_eq!(bindings, (0..=binding as u32).collect::<Vec<_>>());

    let results = HostBuffer::<R>::new(SAMPLES);
    let mut buffers: Vec<_> = arguments.iter().map(|argument| argument.view).collect();
    buffers.push(BufferView {
        words: results.words(),
    });
    let workgroups = (SAMPLES / WORKGROUP) as u32;
    let arguments = Arguments {
        buffers: &buffers,
        immediates: &[],
        textures: &[],
        arrays: &[],
        workgroup_count: [workgroups, 1, 1],
    };
    let mut worker = Worker::new(&kernel);
    for workgroup in 0..workgroups {
        let run = worker.run(&arguments, [workgroup, 0, 0], &Limits::default());
        run.unwrap_or_else(|e| panic!("{expression}: {e}"));
    }
    results
}

/// Whether two values have the same bits; all NaNs are equal.
pub(crate) fn is_same<R: Value>(x: R, y: R) -> bool {
    let words = |value| HostBuffer::<R>::from_slice(&[value]).to_words();
    let is_nan = |word| R::WORDS == Words::Float && f32::from_bits(word).is_nan();
    words(x)
        .into_iter()
        .zip(words(y))
        .all(|(x, y)| x == y || is_nan(x) && is_nan(y))
}

/// `check!("expression in WGSL", |arguments: types| -> result { expression in Rust })`
macro_rules! check {
    ($wgsl:expr, |$($name:ident: $ty:ty),*| -> $result:ty { $rust:expr }) => {{
        let mut random = $crate::math::harness::Random::new(file!().len() as u64 ^ u64::from(line!()));
        $(let $name = $crate::math::harness::arguments::<$ty>(&mut random);)*
        let expected = $crate::math::harness::evaluate::<$result>(
            $wgsl,
            &[$($crate::math::harness::Argument::new(stringify!($name), &$name)),*],
        );
        let function = |$($name: $ty),*| -> $result { $rust };
        for i in 0..$crate::math::harness::SAMPLES {
            let (ours, theirs) = (function($($name.load(i)),*), expected.load(i));
            assert!(
                $crate::math::harness::is_same(ours, theirs),
                "{} on {:?}: gpu_sdk gives {ours:?}, the evaluator {theirs:?}",
                $wgsl,
                ($($name.load(i),)*),
            );
        }
    }};
}

/// A check for a scalar and its vectors: `check_all!(f32, "sin(x)", |x| sin(x))`.
macro_rules! check_all {
    (f32, $($rest:tt)*) => {
        check_all!(@ $($rest)*; f32, Vec2f, Vec3f, Vec4f);
    };
    (i32, $($rest:tt)*) => {
        check_all!(@ $($rest)*; i32, Vec2i, Vec3i, Vec4i);
    };
    (u32, $($rest:tt)*) => {
        check_all!(@ $($rest)*; u32, Vec2u, Vec3u, Vec4u);
    };
    (@ $wgsl:literal, |$x:ident| $rust:expr; $($ty:ty),*) => {
        $(check!($wgsl, |$x: $ty| -> $ty { $rust });)*
    };
    (@ $wgsl:literal, |$x:ident, $y:ident| $rust:expr; $($ty:ty),*) => {
        $(check!($wgsl, |$x: $ty, $y: $ty| -> $ty { $rust });)*
    };
    (@ $wgsl:literal, |$x:ident, $y:ident, $z:ident| $rust:expr; $($ty:ty),*) => {
        $(check!($wgsl, |$x: $ty, $y: $ty, $z: $ty| -> $ty { $rust });)*
    };
}

pub(crate) use {check, check_all};
