#version 450
void main() {
    uint a[65536][65536][2];
    a[0][0][0] = 1;
}
