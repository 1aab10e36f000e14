// Soft particles that push each other away, with a uniform grid to find neighbours (Green, "Particle Simulation
// using CUDA", 2010). The host program is `particle_grid.rs`; each time step has five passes:
//
//   clear    sets the counts of the cells to zero
//   count    counts the particles of each cell
//   scan     turns counts into the first place of each cell: one workgroup, exclusive prefix sums
//   scatter  copies the particles in the order of their cells: with `count` and `scan` a counting sort
//   push     adds up the forces of all particles in the 3x3 cells around each particle, and moves it
//
// Two more passes make the first particles (`start`) and the picture (`draw`). Forces are added as integers: particles of a
// cell lie in any order, and only sums of integers are the same in every order.

override GRID: u32 = 512u;

const TIME_STEP = 0.4;
// Units of a force of one.
const FIXED = 1048576.0;
const SCAN = 256u;

struct Particle {
    // In cells.
    position: vec2f,
    // In cells per unit of time.
    velocity: vec2f,
    id: u32,
}

@group(0) @binding(0) var<storage, read_write> particles: array<Particle>;
@group(0) @binding(1) var<storage, read_write> sorted: array<Particle>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> firsts: array<u32>;
@group(0) @binding(4) var<storage, read_write> picture: array<u32>;

fn cell_of(position: vec2f) -> vec2u {
    return min(vec2u(position), vec2u(GRID - 1u));
}

fn index_of(cell: vec2u) -> u32 {
    return cell.y * GRID + cell.x;
}

// Uniformly distributed numbers from 0 to 1 (the PCG hash of Jarzynski and Olano 2020).
fn random(seed: u32) -> f32 {
    let state = seed * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return f32((word >> 22u) ^ word) / 4294967296.0;
}

// Four vortices, which turn against each other.
fn flow(position: vec2f) -> vec2f {
    let place = position / f32(GRID) * 6.2831853;
    return f32(GRID) / 90.0 * vec2f(sin(place.x) * cos(place.y), -cos(place.x) * sin(place.y));
}

@compute @workgroup_size(256)
fn start(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    if i >= arrayLength(&particles) {
        return;
    }
    let position = vec2f(random(2u * i), random(2u * i + 1u)) * f32(GRID);
    particles[i] = Particle(position, flow(position), i);
}

@compute @workgroup_size(256)
fn clear(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&counts) {
        atomicStore(&counts[id.x], 0u);
    }
}

@compute @workgroup_size(256)
fn count(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&particles) {
        atomicAdd(&counts[index_of(cell_of(particles[id.x].position))], 1u);
    }
}

var<workgroup> sums: array<u32, SCAN>;

// Each invocation adds up a run of cells; the sums of the runs are scanned (Hillis and Steele 1986).
@compute @workgroup_size(SCAN)
fn scan(@builtin(local_invocation_index) local: u32) {
    let run = (arrayLength(&counts) + SCAN - 1u) / SCAN;
    let begin = local * run;
    let end = min(begin + run, arrayLength(&counts));
    var sum = 0u;
    for (var cell = begin; cell < end; cell++) {
        sum += atomicLoad(&counts[cell]);
    }
    let own = sum;
    sums[local] = sum;
    workgroupBarrier();
    for (var distance = 1u; distance < SCAN; distance *= 2u) {
        if local >= distance {
            sum += sums[local - distance];
        }
        workgroupBarrier();
        sums[local] = sum;
        workgroupBarrier();
    }
    var first = sum - own;
    for (var cell = begin; cell < end; cell++) {
        firsts[cell] = first;
        first += atomicLoad(&counts[cell]);
    }
}

// Afterwards the counts are zero again.
@compute @workgroup_size(256)
fn scatter(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&particles) {
        let cell = index_of(cell_of(particles[id.x].position));
        sorted[firsts[cell] + atomicSub(&counts[cell], 1u) - 1u] = particles[id.x];
    }
}

// The place after the last particle of a cell.
fn end_of(cell: u32) -> u32 {
    if cell + 1u < arrayLength(&firsts) {
        return firsts[cell + 1u];
    }
    return arrayLength(&sorted);
}

// The sum of forces from one cell. Particles push each other if they are closer than a cell is wide.
fn force_of(cell: u32, position: vec2f) -> vec2i {
    var force = vec2i(0);
    for (var place = firsts[cell]; place < end_of(cell); place++) {
        let away = position - sorted[place].position;
        let squared = dot(away, away);
        // A particle does not push itself.
        if squared > 0.0 && squared < 1.0 {
            let distance = sqrt(squared);
            force += vec2i(away / distance * (1.0 - distance) * 0.5 * FIXED);
        }
    }
    return force;
}

@compute @workgroup_size(256)
fn push(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= arrayLength(&particles) {
        return;
    }
    var particle = sorted[id.x];
    let cell = cell_of(particle.position);
    var force = vec2i(0);
    for (var y = max(cell.y, 1u) - 1u; y <= min(cell.y + 1u, GRID - 1u); y++) {
        for (var x = max(cell.x, 1u) - 1u; x <= min(cell.x + 1u, GRID - 1u); x++) {
            force += force_of(index_of(vec2u(x, y)), particle.position);
        }
    }
    particle.velocity = 0.999 * particle.velocity + TIME_STEP * vec2f(force) / FIXED;
    let position = particle.position + TIME_STEP * particle.velocity;
    let inside = clamp(position, vec2f(0.0), vec2f(f32(GRID)));
    // Walls reflect.
    particle.velocity = select(-particle.velocity, particle.velocity, position == inside);
    particle.position = inside;
    particles[id.x] = particle;
}

// One invocation for each cell: the mean colour of its particles, which they have from where they began.
@compute @workgroup_size(8, 8)
fn draw(@builtin(global_invocation_id) id: vec3u) {
    if any(id.xy >= vec2u(GRID)) {
        return;
    }
    let cell = index_of(id.xy);
    var color = vec3u(0u);
    for (var place = firsts[cell]; place < end_of(cell); place++) {
        let i = sorted[place].id;
        let began = vec2f(random(2u * i), random(2u * i + 1u));
        let stripe = select(50.0, 255.0, fract(began.x * 8.0) < 0.5);
        color += vec3u(stripe * mix(vec3f(1.0, 0.45, 0.15), vec3f(0.2, 0.55, 1.0), began.y));
    }
    color /= max(end_of(cell) - firsts[cell], 1u);
    picture[cell] = color.r | (color.g << 8u) | (color.b << 16u) | 0xff000000u;
}
