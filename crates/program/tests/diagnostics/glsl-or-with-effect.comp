#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Numbers { uint numbers[]; };
uint sum = 0u;
void add(uint value) { sum += value; }
bool is_odd(uint value) { return (value & 1u) != 0u; }
bool count(uint value) { add(value); return is_odd(value); }
void main() {
    uint i = gl_GlobalInvocationID.x;
    bool a = count(i) && is_odd(i);
    bool b = is_odd(i) || a && count(i);
    numbers[i] = a ? sum : uint(b);
}
