#version 450
layout(local_size_x = 4, local_size_y = 0) in;
void main() {}
