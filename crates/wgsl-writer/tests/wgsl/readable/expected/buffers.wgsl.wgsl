struct Own {
    a: array<u32>,
}

@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> count: atomic<u32>;
@group(0) @binding(2) var<uniform> scale: vec3<f32>;
@group(0) @binding(3) var<storage, read_write> own: Own;
var<private> id: vec3<u32>;

fn main_inner() {
    let index = id.x + 1u;
    let size = arrayLength(&a);
    var sum = 0u;
    for (var i = 0u; i < size; i++) {
        let value = a[i] % (index + 6u);
        let wide = i32(value) % i32(size);
        sum += value / size + u32(wide);
    }
    while sum > 100u {
        sum /= 2u;
    }
    let old = atomicAdd(&count, sum);
    a[index] = old + u32(i32(clamp(scale.x, -2147483600.0, 2147483500.0))) + own.a[0];
}

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id_1: vec3<u32>) {
    id = id_1;
    main_inner();
}
