// What is in a tile: sky alone, one ball alone, or an edge.
const SKY: u32 = 0u;
const BALL: u32 = 1u;
const EDGE: u32 = 2u;

var<workgroup> kinds: array<u32, 32>;

// Every ball either covers a tile, or misses it, or has an edge in it; those hidden by a ball that covers
// it do not count.
fn kind_of(tile: vec2<u32>) -> u32 {
    let low = UNIT * 16 * vec2<i32>(tile);
    let high = low + UNIT * 16;
    var kind = SKY;
    for (var i = 0; i < i32(arrayLength(&balls)); i++) {
        let centre = UNIT * balls[i].xy;
        let radius = UNIT * balls[i].z;
        let near = clamp(centre, low, high) - centre;
        let far = max(abs(low - centre), abs(high - centre));
        if far.x * far.x + far.y * far.y < radius * radius {
            kind = BALL;
        } else if near.x * near.x + near.y * near.y < radius * radius {
            kind = EDGE;
        }
    }
    return kind;
}

fn classify(group_id: vec3<u32>, local_index: u32) {
    let tile = vec2<u32>(local_index, group_id.y);
    kinds[local_index] = kind_of(tile);
    workgroupBarrier();
    let kind = kinds[local_index];
    if local_index > 0u && kinds[local_index - 1u] == kind { return; }
    var length = 1u;
    while local_index + length < 32u && kinds[local_index + length] == kind { length++; }
    switch kind {
        case SKY: {
            let run = alloc_thread_sky(1u);
            store_sky_tile(run, 0u, tile);
            store_sky_grid(run, 0u, length);
            complete_sky(run);
        }
        case BALL: {
            let run = alloc_thread_ball(1u);
            store_ball_tile(run, 0u, tile);
            store_ball_grid(run, 0u, length);
            complete_ball(run);
        }
        default: {
            let run = alloc_thread_edge(1u);
            store_edge_tile(run, 0u, tile);
            store_edge_grid(run, 0u, length);
            complete_edge(run);
        }
    }
}
