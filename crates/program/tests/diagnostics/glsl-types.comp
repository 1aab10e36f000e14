#version 450
void main() {
    vec3 a = vec3(1.0) + vec2(1.0);
}
