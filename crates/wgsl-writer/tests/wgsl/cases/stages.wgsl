enable dual_source_blending;
enable clip_distances;
struct Varying {
    @builtin(position) @invariant position: vec4<f32>,
    @location(0) color: vec4<f32>,
    @location(1) @interpolate(flat) id: u32,
    @location(2) @interpolate(linear, centroid) uv: vec2<f32>,
    @location(3) @interpolate(perspective, sample) n: vec3<f32>,
    @location(4) @interpolate(flat, either) e: i32,
    @builtin(clip_distances) clip: array<f32, 2>,
}
struct Blended { @location(0) @blend_src(0) a: vec4<f32>, @location(0) @blend_src(1) b: vec4<f32> }
struct Depth { @builtin(frag_depth) depth: f32, @builtin(sample_mask) mask: u32, @location(2) c: vec4<f32> }
@vertex fn vs(@builtin(vertex_index) v: u32, @builtin(instance_index) i: u32, @location(0) p: vec3<f32>) -> Varying {
    var out: Varying;
    out.position = vec4<f32>(p, 1.0);
    out.id = v + i;
    out.clip[1] = p.x;
    return out;
}
struct Seen { @builtin(position) position: vec4<f32>, @location(0) color: vec4<f32>, @location(1) @interpolate(flat) id: u32 }
@fragment fn fs(in: Seen, @builtin(front_facing) front: bool, @builtin(sample_index) index: u32, @builtin(sample_mask) mask: u32) -> Depth {
    if !front { discard; }
    return Depth(in.position.z, mask & index, in.color);
}
@fragment fn blend() -> Blended { return Blended(vec4(1.0), vec4(0.5)); }
@fragment fn nothing() { discard; }
