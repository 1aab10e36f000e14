#version 450
// expect: is_killed = true;
// expect: if is_killed {
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void stop() { if (v.x > 0.0) discard; }
void main() {
    for (;;) {
        stop();
        if (v.x <= 0.0) break;
    }
    o = v;
}
