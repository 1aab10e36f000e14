// One batch: `begin` opens the results, `advance` takes every unfinished pixel some iterations further.
// The text that declares the lock stands before this.
//
// Every device must come to the same bits. Sums, differences and products are rounded alike
// everywhere, but a compiler may fuse a product with the sum that it feeds. So such products pass
// through `exact`, which no compiler can see through. Products with powers of two are exact anyway.

struct Params {
    size: vec2<u32>,
    // Iterations done before this batch; 0 also means that no state is there yet.
    start: u32,
    // Iterations to do.
    steps: u32,
    method: u32,
    // Entries that the results have room for.
    capacity: u32,
    // The last entry of the reference orbit.
    last: u32,
    // Places are to be multiplied by two to this power.
    exponent: i32,
    // Always zero, which the compiler does not know.
    zero: u32,
}

struct Pixel {
    // z, or its distance from the reference orbit.
    value: vec2<f32>,
    // The value is to be multiplied by two to this power.
    exponent: i32,
    // The entry of the reference orbit that the pixel is at.
    index: u32,
}

struct Reference {
    // Zero where it is too small for f32.
    value: vec2<f32>,
    // 0, or one more than the place among the small entries.
    small: u32,
}

// An entry of the reference orbit that is near zero: value * 2^exponent.
struct Small {
    value: vec2<f32>,
    exponent: i32,
}

struct Results {
    // Iterations done after this batch.
    iterations: u32,
    // Pixels that earlier batches reported.
    reported: u32,
    // Pixels that were finished and not reported before this batch.
    waiting: u32,
    // Pixels to report, more than there is room for perhaps.
    found: atomic<u32>,
    // Pixel and iteration count.
    entries: array<vec2<u32>>,
}

@group(0) @binding(2) var<uniform> params: Params;
// 0, or the iteration at which the pixel escaped, with a bit that says whether it was reported.
@group(1) @binding(0) var<storage, read_write> finished: array<u32>;
@group(1) @binding(1) var<storage, read_write> pixels: array<Pixel>;
@group(1) @binding(2) var<storage, read_write> results: Results;
@group(1) @binding(3) var<storage, read> places: array<f32>;
@group(1) @binding(4) var<storage, read> orbit: array<Reference>;
@group(1) @binding(5) var<storage, read> smalls: array<Small>;

const REPORTED = 0x80000000u;

@compute @workgroup_size(1)
fn begin() {
    if !batch_is_active() {
        return;
    }
    if params.start == 0u {
        results.reported = 0u;
        results.waiting = 0u;
    } else {
        let found = atomicLoad(&results.found);
        let sent = min(found, params.capacity);
        results.reported += sent;
        results.waiting = found - sent;
    }
    atomicStore(&results.found, 0u);
    results.iterations = params.start + params.steps;
}

@compute @workgroup_size(8, 8)
fn advance(@builtin(global_invocation_id) id: vec3<u32>) {
    if !batch_is_active() {
        return;
    }
    if any(id.xy >= params.size) {
        return;
    }
    let at = id.y * params.size.x + id.x;
    var escaped = 0u;
    if params.start != 0u {
        escaped = finished[at];
    }
    if (escaped & REPORTED) != 0u {
        return;
    }
    if escaped == 0u {
        var pixel = Pixel();
        if params.start != 0u {
            pixel = pixels[at];
        }
        let place = vec2<f32>(places[id.x], places[params.size.x + id.y]);
        let steps = iterate(&pixel, place);
        if steps == 0u {
            pixels[at] = pixel;
        } else {
            escaped = params.start + steps;
        }
    }
    if escaped != 0u {
        let entry = atomicAdd(&results.found, 1u);
        if entry < params.capacity {
            results.entries[entry] = vec2<u32>(at, escaped);
            escaped |= REPORTED;
        }
    }
    finished[at] = escaped;
}

// Takes a pixel as many iterations further as the batch has. Returns after how many it escaped, or 0.
fn iterate(pixel: ptr<function, Pixel>, place: vec2<f32>) -> u32 {
    switch params.method {
        case 0u: {
            return iterate_direct(pixel, place);
        }
        default: {
            return 0u;
        }
    }
}

fn exact(products: vec3<f32>) -> vec3<f32> {
    return bitcast<vec3<f32>>(bitcast<vec3<u32>>(products) ^ vec3<u32>(params.zero));
}

fn iterate_direct(pixel: ptr<function, Pixel>, c: vec2<f32>) -> u32 {
    var z = (*pixel).value;
    let zero = vec3<u32>(params.zero);
    var products = bitcast<vec3<f32>>(bitcast<vec3<u32>>(z.xyx * z.xyy) ^ zero);
    for (var step = 1u; step <= params.steps; step++) {
        z = vec2<f32>(products.x - products.y, products.z + products.z) + c;
        products = bitcast<vec3<f32>>(bitcast<vec3<u32>>(z.xyx * z.xyy) ^ zero);
        if products.x + products.y > 4.0 {
            return step;
        }
    }
    (*pixel).value = z;
    return 0u;
}
