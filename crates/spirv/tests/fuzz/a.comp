#version 450
layout(local_size_x=64) in;
layout(binding=0, std430) buffer B { uint data[]; } b;
layout(binding=1, std140) uniform U { layout(row_major) mat4x3 m; vec4 v; float f[3]; int n; } u;
layout(constant_id=3) const int K = 5;
uint helper(inout uint x, int k) { for (int i=0;i<k;i++){ if (x==7u) return 3u; switch(i&3){ case 0: x+=1u; case 1: x*=3u; break; case 2: if (x>100u) continue; x^=5u; break; default: if (x>1000u) break; x = x<<2; } if (x > 100000u) break; } return x; }
void main(){ uint i=gl_GlobalInvocationID.x; uint x=b.data[i]; vec3 c=u.m*u.v; uint r=helper(x,u.n+K); b.data[i]=r+uint(c.x)+uint(u.f[i%3u])+uint(-7 % int(3+i));  do { x--; if (x==3u) break; } while(x>2u); b.data[i+1u]=x; }
