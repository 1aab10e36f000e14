// Reaction and diffusion of two chemicals, the model of Gray and Scott (Pearson, "Complex Patterns in a Simple System",
// 1993): a substance is fed everywhere, and V turns it into more V, which decays.
//
//   cargo run --release -- run examples/gallery/reaction.wgsl --workgroups 48,48 --bind before=random:f32:294912 --repeat 4000 --swap before,after --out amount=reaction.png:384x384:heat
//
// The rates change over the picture: more is fed to the right, and V decays faster to the top. So the picture is a map of
// the patterns that the model has: spots, worms, mazes, waves, or nothing.

const TIME_STEP = 1.0;
const DIFFUSION = vec2f(1.0, 0.5);

// In each cell how much of the substance is missing, and how much V there is.
@group(0) @binding(0) var<storage, read> before: array<vec2f>;
@group(0) @binding(1) var<storage, read_write> after: array<vec2f>;
@group(0) @binding(2) var<storage, read_write> amount: array<f32>;

@compute @workgroup_size(8, 8)
fn react(@builtin(global_invocation_id) cell: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    // The opposite edges of the picture are neighbours.
    let size = workgroups.xy * 8u;
    let west = select(cell.x, size.x, cell.x == 0u) - 1u;
    let east = select(cell.x + 1u, 0u, cell.x + 1u == size.x);
    let north = (select(cell.y, size.y, cell.y == 0u) - 1u) * size.x;
    let south = select(cell.y + 1u, 0u, cell.y + 1u == size.y) * size.x;
    let row = cell.y * size.x;
    let index = row + cell.x;

    let here = before[index];
    let laplacian = 0.2 * (before[row + west] + before[row + east] + before[north + cell.x] + before[south + cell.x])
        + 0.05 * (before[north + west] + before[north + east] + before[south + west] + before[south + east])
        - here;
    let place = vec2f(cell.xy) / vec2f(size);
    let feed = mix(0.012, 0.05, place.x);
    // Without V nothing changes. A second steady state is there where the decay is below this border.
    let border = 0.5 * sqrt(feed) - feed;
    let decay = border + mix(0.0042, -0.0018, place.y) - 0.0022 * place.x;
    let reaction = (1.0 - here.x) * here.y * here.y;
    let change = vec2f(reaction - feed * here.x, reaction - (feed + decay) * here.y);
    let result = clamp(here + TIME_STEP * (DIFFUSION * laplacian + change), vec2f(0.0), vec2f(1.0));
    after[index] = result;
    amount[index] = result.y;
}
