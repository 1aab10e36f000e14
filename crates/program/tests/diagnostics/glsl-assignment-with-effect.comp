#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Numbers { uint numbers[]; };
void main() {
    uint k = 0u;
    if (k++ < 3u) numbers[k] += 1u;
    numbers[k++] += 5u;
}
