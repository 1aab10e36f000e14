// The first pass of a fast Fourier transform: copies the signal in the order of reversed bits.
@group(0) @binding(0) var<storage, read> signal: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> data: array<vec2<f32>>;

const BITS: u32 = 20u;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    data[id.x] = signal[reverseBits(id.x) >> (32u - BITS)];
}
