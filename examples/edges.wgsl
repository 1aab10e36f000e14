// The edges of a picture: Sobel's operator on its brightness.
//
//   cargo run --release -- run examples/edges.wgsl --workgroups 80,50 --bind 0:0=docs/images/ray-tracer.png --out 0:1=edges.png
//
// One invocation draws one pixel; those beyond the picture draw nothing. The picture that is drawn has the
// size of the picture that is read.

@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var edges: texture_storage_2d<rgba8unorm, write>;

// Beyond its edge a picture goes on as it ends.
fn brightness(place: vec2i) -> f32 {
    let last = vec2i(textureDimensions(picture)) - 1;
    let color = textureLoad(picture, clamp(place, vec2i(0), last), 0).rgb;
    return dot(color, vec3f(0.2126, 0.7152, 0.0722));
}

@compute @workgroup_size(8, 8)
fn sobel(@builtin(global_invocation_id) id: vec3u) {
    if any(id.xy >= textureDimensions(edges)) {
        return;
    }
    let place = vec2i(id.xy);
    var slope = vec2f(0.0);
    for (var side = -1; side <= 1; side += 1) {
        let weight = f32(2 - abs(side));
        slope.x += weight * (brightness(place + vec2i(1, side)) - brightness(place + vec2i(-1, side)));
        slope.y += weight * (brightness(place + vec2i(side, 1)) - brightness(place + vec2i(side, -1)));
    }
    textureStore(edges, id.xy, vec4f(vec3f(length(slope)), 1.0));
}
