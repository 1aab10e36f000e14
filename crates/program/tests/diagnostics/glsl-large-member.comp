#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Numbers {
    uint count;
    uint table[65536][65536][2];
};
void main() { count = 1; }
