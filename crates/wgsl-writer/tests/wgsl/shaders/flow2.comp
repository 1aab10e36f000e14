#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };

void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
uint r=0u; for (;;) { r+=o[r&15u]; if (r>100u) break; for (int j=0;;j++) { if (j>k) break; if (j==7) { r++; continue; } r=r*3u+1u; switch (r&3u) { case 0u: r++; break; case 1u: j++; default: r^=5u; } } } o[0]=r;
}
