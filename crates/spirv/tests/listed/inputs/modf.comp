#version 450
// expect: let e2 = trunc(e1);
// expect: frexp(global.d.x)
layout(local_size_x = 1) in;
layout(binding = 0) buffer B { vec2 d; vec2 whole; int power; };
void main() {
    vec2 w;
    d = modf(d, w);
    whole = w;
    d.x = frexp(d.x, power);
}
