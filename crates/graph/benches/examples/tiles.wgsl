// Tiles as a chain of passes: every tile goes to the list of its kind, and each list is one dispatch.
override KIND: u32 = 0u;
override COPIES: u32 = 1u;

struct Counts { tiles: array<atomic<u32>, 4>, wide: array<u32, 4> }

@group(1) @binding(0) var<storage, read_write> counts: Counts;
@group(1) @binding(1) var<storage, read_write> tiles: array<u32>;
@group(2) @binding(0) var<storage, read_write> arguments: array<u32>;

fn kind_of(tile: vec2<u32>) -> u32 {
    let low = UNIT * 16 * vec2<i32>(tile);
    let high = low + UNIT * 16;
    var kind = 0u;
    for (var i = 0; i < i32(arrayLength(&balls)); i++) {
        let centre = UNIT * balls[i].xy;
        let radius = UNIT * balls[i].z;
        let near = clamp(centre, low, high) - centre;
        let far = max(abs(low - centre), abs(high - centre));
        if far.x * far.x + far.y * far.y < radius * radius {
            kind = 1u;
        } else if near.x * near.x + near.y * near.y < radius * radius {
            kind = 2u;
        }
    }
    return kind;
}

@compute @workgroup_size(4)
fn begin(@builtin(local_invocation_index) me: u32) {
    atomicStore(&counts.tiles[me], 0u);
}

@compute @workgroup_size(32)
fn classify(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) me: u32) {
    let tile = vec2<u32>(me, group.y);
    let kind = kind_of(tile);
    let at = atomicAdd(&counts.tiles[kind], 1u);
    tiles[kind * COPIES * 1024u + at] = tile.x | (tile.y << 16u);
}

@compute @workgroup_size(3)
fn prepare(@builtin(local_invocation_index) me: u32) {
    let groups = atomicLoad(&counts.tiles[me]);
    let y = (groups + 65534u) / 65535u;
    var x = 0u;
    if y > 0u { x = (groups + y - 1u) / y; }
    counts.wide[me] = x;
    arguments[3u * me] = x;
    arguments[3u * me + 1u] = y;
    arguments[3u * me + 2u] = 1u;
}

struct Place { pixel: vec2<u32>, is_there: bool }

fn place(group: vec3<u32>, local: vec3<u32>) -> Place {
    let index = group.y * counts.wide[KIND] + group.x;
    let tile = tiles[KIND * COPIES * 1024u + index];
    let pixel = 16u * vec2<u32>(tile & 0xffffu, tile >> 16u) + local.xy;
    return Place(pixel, index < atomicLoad(&counts.tiles[KIND]));
}

@compute @workgroup_size(16, 16)
fn sky(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let place = place(group, local);
    if place.is_there { write_pixel(place.pixel, sky_colour(UNIT * vec2<i32>(place.pixel))); }
}

@compute @workgroup_size(16, 16)
fn ball(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let place = place(group, local);
    if !place.is_there { return; }
    let position = UNIT * vec2<i32>(place.pixel);
    write_pixel(place.pixel, ball_colour(ball_at(position), position));
}

@compute @workgroup_size(16, 16)
fn edge(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let place = place(group, local);
    if !place.is_there { return; }
    var sum = vec3<u32>(8u);
    for (var i = 0; i < 16; i++) {
        sum += colour_at(UNIT * vec2<i32>(place.pixel) + vec2<i32>(i % 4, i / 4));
    }
    write_pixel(place.pixel, sum / 16u);
}
