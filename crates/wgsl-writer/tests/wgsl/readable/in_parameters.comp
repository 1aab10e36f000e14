#version 450
struct Ray { vec3 from; vec3 to; };
layout(set = 0, binding = 0) buffer B { float d[]; } b;
float along(in Ray ray, float t) { return ray.from.x + t * (ray.to.x - ray.from.x) + ray.to.y; }
float changed(float t) { t += 1.0; return t * t; }
void both(in float a, out float c, inout float e) { c = a; e += a; }
void main() {
    Ray ray;
    ray.from = vec3(b.d[0], b.d[1], 0.0);
    ray.to = vec3(b.d[2], 1.0, 2.0);
    float c, e = 2.0;
    both(b.d[3], c, e);
    b.d[4] = along(ray, b.d[3]) + changed(c) + e;
}
