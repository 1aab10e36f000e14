#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };

void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
for (int a=0;a<10;a++) { if (a==3) continue; switch (k) { case 0: o[a]=1u; case 1: o[a]+=2u; break; case 2: continue; default: if (o[0]==7u) return; } if (o[1]>5u) break; } int q=0; do { q++; } while (q<int(o[2])); while (true) { if (o[3]++>9u) break; }
}
