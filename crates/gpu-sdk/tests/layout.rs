//! Layouts against naga's, for the same structs in WGSL.

use gpu_sdk::layout::Struct;
use gpu_sdk::{
    HostBuffer, HostShareable, Mat2x2f, Mat3x3f, Mat4x4f, Vec2f, Vec2i, Vec3f, Vec3u, Vec4u, vec3f,
};
use naga::TypeInner;
use naga::proc::Layouter;

/// Name, offset, alignment and size of each member, as naga has them, and those of the struct.
type Layout = (Vec<(String, u32, u32, u32)>, u32, u32);

fn naga_layout(source: &str, name: &str) -> Layout {
    let module = naga::front::wgsl::parse_str(source).unwrap();
    let mut layouter = Layouter::default();
    layouter.update(module.to_ctx()).unwrap();
    let (handle, ty) = module
        .types
        .iter()
        .find(|(_, ty)| ty.name.as_deref() == Some(name))
        .unwrap();
    let TypeInner::Struct { members, span } = &ty.inner else {
        panic!("{name} is no struct");
    };
    let members = members.iter().map(|member| {
        let layout = &layouter[member.ty];
        let align = layout.alignment.round_up(1);
        let name = member.name.clone().unwrap();
        (name, member.offset, align, layout.size)
    });
    let align = layouter[handle].alignment.round_up(1);
    (members.collect(), align, *span)
}

fn our_layout<T: Struct>() -> Layout {
    let members = T::MEMBERS.iter().map(|member| {
        let [offset, align, size] =
            [member.offset, member.align, member.size].map(|bytes| u32::try_from(bytes).unwrap());
        (member.name.to_owned(), offset, align, size)
    });
    let [align, size] = [T::ALIGN, T::SIZE].map(|bytes| u32::try_from(bytes).unwrap());
    (members.collect(), align, size)
}

/// Declares a struct in both languages and compares.
macro_rules! compare {
    ($($name:ident { $($member:ident: $ty:ty = $wgsl:literal,)* })*) => {
        $(
            #[derive(Clone, Copy, HostShareable)]
            struct $name { $($member: $ty,)* }
        )*

        #[test]
        fn structs_lie_as_in_naga() {
            let mut source = String::new();
            $(
                source += concat!(
                    "struct ", stringify!($name), " {\n",
                    $("  ", stringify!($member), ": ", $wgsl, ",\n",)*
                    "}\n",
                );
            )*
            $(assert_eq!(
                our_layout::<$name>(),
                naga_layout(&source, stringify!($name)),
                stringify!($name),
            );)*
        }
    };
}

compare! {
    Scalars { a: f32 = "f32", b: i32 = "i32", c: u32 = "u32", }
    Vectors {
        a: f32 = "f32",
        b: Vec2f = "vec2f",
        c: Vec3f = "vec3f",
        d: f32 = "f32",
        e: Vec4u = "vec4u",
        f: u32 = "u32",
        g: Vec2i = "vec2i",
        h: Vec3u = "vec3u",
    }
    Matrices {
        a: u32 = "u32",
        b: Mat2x2f = "mat2x2f",
        c: u32 = "u32",
        d: Mat3x3f = "mat3x3f",
        e: u32 = "u32",
        f: Mat4x4f = "mat4x4f",
        g: Vec3f = "vec3f",
    }
    Arrays {
        a: u32 = "u32",
        b: [f32; 3] = "array<f32, 3>",
        c: [Vec3f; 2] = "array<vec3f, 2>",
        d: u32 = "u32",
        e: [[Vec2f; 3]; 2] = "array<array<vec2f, 3>, 2>",
        f: [Mat3x3f; 2] = "array<mat3x3f, 2>",
    }
    Nested {
        a: u32 = "u32",
        b: Scalars = "Scalars",
        c: Vectors = "Vectors",
        d: u32 = "u32",
        e: [Arrays; 2] = "array<Arrays, 2>",
        f: [Scalars; 3] = "array<Scalars, 3>",
    }
}

#[derive(Clone, Copy, HostShareable)]
struct Attributes {
    a: f32,
    #[gpu(align = 16)]
    b: f32,
    #[gpu(size = 32)]
    c: Vec2f,
    #[gpu(align = 32, size = 8)]
    d: u32,
    e: u32,
}

#[test]
fn attributes_are_those_of_wgsl() {
    let source = "struct Attributes {
        a: f32,
        @align(16) b: f32,
        @size(32) c: vec2f,
        @align(32) @size(8) d: u32,
        e: u32,
    }";
    let (theirs, _, size) = naga_layout(source, "Attributes");
    let (ours, _, our_size) = our_layout::<Attributes>();
    let offsets = |layout: &[(String, u32, u32, u32)]| -> Vec<_> {
        layout
            .iter()
            .map(|(name, offset, ..)| (name.clone(), *offset))
            .collect()
    };
    assert_eq!(offsets(&ours), offsets(&theirs));
    assert_eq!(our_size, size);
}

#[derive(Clone, Copy, Debug, PartialEq, HostShareable)]
struct Particle<T>(Vec3f, f32, [T; 2]);

#[test]
fn structs_go_to_memory_and_back() {
    let particle = Particle(vec3f(1.0, 2.0, 3.0), 4.0, [5u32, 6]);
    let particles = HostBuffer::from_slice(&[Particle::zero(), particle]);
    assert_eq!(particles.load(1), particle);
    assert_eq!(particles.load(0), Particle(Vec3f::ZERO, 0.0, [0, 0]));
    assert_eq!(particles.load(2), Particle::zero());
    let bits = f32::to_bits;
    let words = [bits(1.0), bits(2.0), bits(3.0), bits(4.0), 5, 6, 0, 0];
    assert_eq!(particles.to_words()[8..], words);
    assert_eq!(Particle::<u32>::MEMBERS[2].name, "2");
}
