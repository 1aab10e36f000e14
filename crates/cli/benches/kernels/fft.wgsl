// One pass of a fast Fourier transform of radix 2, in place: the butterflies of one distance.
struct Params {
    distance: u32,
}

@group(0) @binding(0) var<storage, read_write> data: array<vec2<f32>>;
@group(0) @binding(1) var<uniform> params: Params;

const PI: f32 = 3.14159265;

fn multiply(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let t = id.x;
    let j = params.distance;
    let i = (t / j) * 2u * j + t % j;
    let angle = -PI * f32(t % j) / f32(j);
    let twiddle = vec2<f32>(cos(angle), sin(angle));
    let a = data[i];
    let b = multiply(twiddle, data[i + j]);
    data[i] = a + b;
    data[i + j] = a - b;
}
