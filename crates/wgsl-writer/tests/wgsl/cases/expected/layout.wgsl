struct Inner {
    @size(32) a: vec3<f32>,
    b: f32,
    c: f32,
}

struct Outer {
    @size(64) x: f32,
    inner: Inner,
    @size(24) y: f32,
    m: mat3x2<f32>,
    tail: array<vec3<u32>>,
}

struct Camera {
    view: mat4x4<f32>,
    @size(16) near: f32,
    far: f32,
    lights: array<Inner, 3>,
}

struct Private {
    @size(64) a: f32,
    b: f32,
}

@group(0) @binding(0) var<storage, read_write> outer: Outer;
@group(0) @binding(1) var<uniform> camera: Camera;
var<workgroup> shared_: Private;

@compute @workgroup_size(4, 1, 2)
fn main() {
    outer.inner = camera.lights[1];
    outer.y = camera.near * camera.far + shared_.b;
    outer.tail[arrayLength(&outer.tail) - 1u].y = 5u;
    outer.inner = Inner(vec3<f32>(1.0), 2.0, 3.0);
}
