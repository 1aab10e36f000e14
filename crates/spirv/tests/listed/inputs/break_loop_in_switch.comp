#version 450
// expect: continue;
layout(binding = 0) buffer B { uint d[]; };
void main() { for (uint i = 0u; i < 9u; i++) { switch (d[i]) { case 1u: return; case 2u: continue; default: d[i] = 7u; } if (d[i] == 7u) break; } }
