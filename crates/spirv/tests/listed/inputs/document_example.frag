#version 450
// expect: var<private> frag_colour: vec4<f32>;
// expect: var<private> the_colour: vec4<f32>;
// expect: frag_colour = the_colour;
// expect: fn main(@location(0) the_colour_1: vec4<f32>) -> main_result {
// expect: the_colour = the_colour_1;
// expect: return main_result(frag_colour);
layout(location = 0) out vec4 frag_colour;
layout(location = 0) in vec4 the_colour;

void bar() {
  frag_colour = the_colour;
}

void main() {
    bar();
}
