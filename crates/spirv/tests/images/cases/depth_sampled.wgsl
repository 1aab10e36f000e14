struct main_result {
    @location(0) colour: vec4<f32>,
}

var<private> uv_1: vec4<f32>;
var<private> colour: vec4<f32>;
@group(0) @binding(0) 
var depth: texture_depth_2d;
@group(0) @binding(1) 
var s: sampler;

fn main_inner() {
    let _e1 = uv_1;
    let _e4 = _e1.xy;
    let _e7 = textureSample(depth, s, _e4);
    let _e12 = textureSampleLevel(depth, s, _e4, 0i);
    let _e18 = textureSampleLevel(depth, s, _e4, 1i);
    let _e28 = textureLoad(depth, vec2<i32>(_e4), 0i);
    colour = (((((vec4<f32>(_e7, 0f, 0f, 1f) + vec4<f32>(_e12, 0f, 0f, 1f)) + vec4<f32>(_e18, 0f, 0f, 1f)) + vec4(0f)) + vec4(1f)) + vec4<f32>(_e28, 0f, 0f, 1f));
    return;
}

@fragment 
fn main(@location(0) uv: vec4<f32>) -> main_result {
    uv_1 = uv;
    main_inner();
    let _e3 = colour;
    return main_result(_e3);
}
