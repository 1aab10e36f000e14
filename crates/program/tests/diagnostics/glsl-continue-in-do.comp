#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Numbers { uint numbers[]; };
void main() {
    uint n = 0u;
    do {
        for (uint k = 0u; k < 2u; k++) if (k == 1u) continue;
        n++;
        if (n == 2u) numbers[0] = n; else if (n == 3u) continue;
    } while (n < 3u);
}
