// Particles under gravity, each in a struct of the buffer, with parameters by name:
//
//   cargo run --release -- run examples/particles.wgsl --bind world=step=0.5,gravity=[0,-2,0] --repeat 2 --out particles=print:2
//
// The buffer has one particle for each invocation, because it is indexed by the invocation's id alone.

struct World {
    gravity: vec3f,
    step: f32,
}

struct Particle {
    position: vec3f,
    mass: f32,
    velocity: vec3f,
}

@group(0) @binding(0) var<uniform> world: World;
@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;

@compute @workgroup_size(4)
fn advance(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    if i >= arrayLength(&particles) {
        return;
    }
    particles[i].velocity += world.step * world.gravity;
    particles[i].position += world.step * particles[i].velocity;
}
