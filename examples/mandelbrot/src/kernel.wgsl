// One batch: `begin` opens the results, `advance` takes every unfinished pixel some iterations further.
// The declarations of the batch are appended to it.
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
    // 0, or one more than the place among the wide entries: this one is near zero or has escaped.
    wide: u32,
}

// A wide number: value * 2^exponent.
struct Wide {
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
@group(1) @binding(5) var<storage, read> wides: array<Wide>;

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
        case 1u: {
            return iterate_plain(pixel, place);
        }
        default: {
            return iterate_extended(pixel, place);
        }
    }
}

fn iterate_direct(pixel: ptr<function, Pixel>, c: vec2<f32>) -> u32 {
    let steps = params.steps;
    let zero = vec3<u32>(params.zero);
    var z = (*pixel).value;
    var products = exact3(z.xyx * z.xyy, zero);
    for (var step = 1u; step <= steps; step++) {
        z = vec2<f32>(products.x - products.y, products.z + products.z) + c;
        products = exact3(z.xyx * z.xyy, zero);
        if products.x + products.y > 4.0 {
            return step;
        }
    }
    (*pixel).value = z;
    return 0u;
}

fn exact3(products: vec3<f32>, zero: vec3<u32>) -> vec3<f32> {
    return bitcast<vec3<f32>>(bitcast<vec3<u32>>(products) ^ zero);
}

fn exact4(products: vec4<f32>, zero: vec4<u32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(products) ^ zero);
}

// The product of two complex numbers.
fn times(a: vec2<f32>, b: vec2<f32>, zero: vec4<u32>) -> vec2<f32> {
    let products = exact4(a.xyxy * b.xyyx, zero);
    return vec2<f32>(products.x - products.y, products.z + products.w);
}

// The squares of two distances from zero.
fn squares(a: vec2<f32>, b: vec2<f32>, zero: vec4<u32>) -> vec2<f32> {
    let both = vec4<f32>(a, b);
    let products = exact4(both * both, zero);
    return products.xz + products.yw;
}

// Perturbation: with z = Z + d, where Z is the reference, d becomes (2 Z + d) d + dc. When z is nearer
// to zero than to its reference, z itself becomes the distance, from the beginning of the orbit, which
// is zero (Zhuoran's rebasing).

fn iterate_plain(pixel: ptr<function, Pixel>, dc: vec2<f32>) -> u32 {
    let steps = params.steps;
    let last = params.last;
    let zero = vec4<u32>(params.zero);
    var d = (*pixel).value;
    var index = (*pixel).index;
    var here = orbit[index].value;
    for (var step = 1u; step <= steps; step++) {
        d = times(here + here + d, d, zero) + dc;
        index++;
        here = orbit[index].value;
        let z = here + d;
        let distances = squares(z, d, zero);
        if distances.x > 4.0 {
            return step;
        }
        if distances.x < distances.y || index == last {
            d = z;
            index = 0u;
            here = vec2<f32>();
        }
    }
    (*pixel).value = d;
    (*pixel).index = index;
    return 0u;
}

// The same with distances far below what f32 can hold: d = value * 2^exponent. The exponent changes
// only now and then. Between, an iteration is that of f32 with two factors that are powers of two.
// While d is nothing next to the reference, z is the reference: no pixel can escape or come nearer to
// zero than it. Where the reference is small and d is too, one iteration is done in wide numbers.

struct Distance {
    value: vec2<f32>,
    exponent: i32,
    // 2^exponent, or zero where d is nothing next to a reference that is not small.
    scale: f32,
    // dc / 2^exponent.
    step: vec2<f32>,
    // Where the exponent has to change.
    low: f32,
    high: f32,
}

// From this power of two on a distance is a plain f32, with the exponent 0.
const PLAIN = -35;
// Below this one a plain distance gets an exponent.
const PLAIN_LEAST = 0x1p-45;
// Distances below this power of two are nothing next to 2^-30.
const NOTHING = -90;

fn iterate_extended(pixel: ptr<function, Pixel>, dc: vec2<f32>) -> u32 {
    let steps = params.steps;
    let last = params.last;
    let zero = vec4<u32>(params.zero);
    var index = (*pixel).index;
    var here = orbit[index];
    var d = Distance();
    if params.start == 0u {
        d = settle(Wide(vec2<f32>(), 0), dc);
    } else {
        d = scaled((*pixel).value, (*pixel).exponent, dc);
    }
    var step = 0u;
    while step < steps {
        // Small references do not affect a plain distance.
        let matters = select(0u, 0xFFFFFFFFu, d.exponent != 0);
        loop {
            let next = orbit[index + 1u];
            if ((here.wide | next.wide) & matters) != 0u {
                let moved = wide_step(Wide(d.value, d.exponent), here, dc, zero);
                let z = wide_sum(wide_entry(next), moved);
                step++;
                if has_escaped(z, zero) {
                    return step;
                }
                index++;
                here = next;
                if is_nearer(z, moved, zero) || index == last {
                    index = 0u;
                    here = orbit[0];
                    d = settle(z, dc);
                } else {
                    d = settle(moved, dc);
                }
                break;
            }
            index++;
            step++;
            if d.scale == 0.0 {
                d.value = times(here.value + here.value, d.value, zero) + d.step;
                here = next;
            } else {
                d.value = times(here.value + here.value + d.scale * d.value, d.value, zero) + d.step;
                here = next;
                let distance = d.scale * d.value;
                let z = here.value + distance;
                let distances = squares(z, distance, zero);
                if distances.x > 4.0 {
                    return step;
                }
                if distances.x < distances.y || index == last {
                    index = 0u;
                    here = orbit[0];
                    d = settle(Wide(z, 0), dc);
                    break;
                }
            }
            let size = max(abs(d.value.x), abs(d.value.y));
            if size < d.low || size > d.high {
                d = settle(Wide(d.value, d.exponent), dc);
                break;
            }
            if step == steps {
                break;
            }
        }
    }
    (*pixel).value = d.value;
    (*pixel).exponent = d.exponent;
    (*pixel).index = index;
    return 0u;
}

// The least exponent of a distance: that of dc, or 0 where that is a plain number.
fn least_exponent() -> i32 {
    return select(params.exponent, 0, params.exponent >= PLAIN);
}

// A distance with the exponent that suits it. Which one that is depends on the iterations alone, not on
// where a batch ends: at the beginning of a batch it stays.
fn settle(d: Wide, dc: vec2<f32>) -> Distance {
    let least = least_exponent();
    let size = max(abs(d.value.x), abs(d.value.y));
    var exponent = least;
    if size > 0.0 {
        let wanted = d.exponent + top(size);
        exponent = select(max(wanted, least), 0, wanted >= PLAIN);
    }
    return scaled(d.value * power(d.exponent - exponent), exponent, dc);
}

fn scaled(value: vec2<f32>, exponent: i32, dc: vec2<f32>) -> Distance {
    var d: Distance;
    d.value = value;
    d.exponent = exponent;
    d.step = dc * power(params.exponent - exponent);
    d.scale = select(0.0, power(exponent), exponent >= NOTHING);
    d.low = select(0x1p-10, PLAIN_LEAST, exponent == 0);
    d.low = select(d.low, -1.0, exponent == least_exponent());
    d.high = select(0x1p10, 0x1p100, exponent == 0);
    return d;
}

// Wide numbers. As results they are tidy: the greater coordinate is from 1 to 2.

// The exponent of zero.
const ZERO_EXPONENT = -0x10000000;

// The exponent of a positive number.
fn top(number: f32) -> i32 {
    return i32(bitcast<u32>(number) >> 23u) - 127;
}

// 2^exponent; zero below 2^-100, which is far away from the numbers that some devices cannot hold.
fn power(exponent: i32) -> f32 {
    return select(bitcast<f32>(u32(min(exponent, 126) + 127) << 23u), 0.0, exponent < -100);
}

fn tidy(a: Wide) -> Wide {
    let size = max(abs(a.value.x), abs(a.value.y));
    if size == 0.0 {
        return Wide(vec2<f32>(), ZERO_EXPONENT);
    }
    let exponent = top(size);
    let value = a.value * power(-exponent);
    // What is so much smaller than its neighbour is dropped: its square would be too small.
    let kept = select(vec2<f32>(), value, abs(value) >= vec2<f32>(0x1p-60));
    return Wide(kept, a.exponent + exponent);
}

fn wide_sum(a: Wide, b: Wide) -> Wide {
    let exponent = max(a.exponent, b.exponent);
    let sum = a.value * near_power(a.exponent - exponent) + b.value * near_power(b.exponent - exponent);
    return tidy(Wide(sum, exponent));
}

// 2^exponent; zero where that is nothing next to 1.
fn near_power(exponent: i32) -> f32 {
    return select(power(exponent), 0.0, exponent < -50);
}

fn wide_entry(entry: Reference) -> Wide {
    if entry.wide != 0u {
        return wides[entry.wide - 1u];
    }
    return tidy(Wide(entry.value, 0));
}

// (2 Z + d) d + dc.
fn wide_step(distance: Wide, reference: Reference, dc: vec2<f32>, zero: vec4<u32>) -> Wide {
    let d = tidy(distance);
    let z = wide_entry(reference);
    let factor = wide_sum(Wide(z.value, z.exponent + 1), d);
    let product = tidy(Wide(times(factor.value, d.value, zero), factor.exponent + d.exponent));
    return wide_sum(product, tidy(Wide(dc, params.exponent)));
}

fn has_escaped(z: Wide, zero: vec4<u32>) -> bool {
    let value = z.value * power(clamp(z.exponent, -100, 20));
    return squares(value, value, zero).x > 4.0;
}

// Whether a is nearer to zero than b.
fn is_nearer(a: Wide, b: Wide, zero: vec4<u32>) -> bool {
    let distances = squares(a.value, b.value, zero);
    let apart = clamp(2 * (a.exponent - b.exponent), -60, 60);
    return distances.x * power(apart) < distances.y;
}
