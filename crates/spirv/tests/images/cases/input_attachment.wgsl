struct main_result {
    @location(0) colour: vec4<f32>,
}

var<private> colour: vec4<f32>;
@group(0) @binding(0) 
var last: texture_2d<f32>;
var<private> frag_coord_1: vec4<f32>;

fn main_inner() {
    let _e3 = frag_coord_1;
    let _e8 = textureLoad(last, (vec2<i32>(_e3.xy) + vec2<i32>(0i, 0i)), 0i);
    colour = _e8;
    return;
}

@fragment 
fn main(@builtin(position) frag_coord: vec4<f32>) -> main_result {
    frag_coord_1 = frag_coord;
    main_inner();
    let _e3 = colour;
    return main_result(_e3);
}
