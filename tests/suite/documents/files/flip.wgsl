@group(0) @binding(0) var photo: texture_2d<f32>;
@group(0) @binding(1) var near: sampler;
@group(1) @binding(0) var flipped: texture_storage_2d<rgba8unorm, write>;

fn flip(global_id: vec3<u32>) {
    let at = vec2<f32>((f32(global_id.x) + 0.5) / 3.0, (f32(1u - global_id.y) + 0.5) / 2.0);
    textureStore(flipped, global_id.xy, textureSampleLevel(photo, near, at, 0.0));
}
