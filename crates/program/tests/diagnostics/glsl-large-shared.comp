#version 450
shared uint a[65536][65536][2];
void main() { a[0][0][0] = 1; }
