#version 450
// refuse: unsupported: builtin CullDistance
out gl_PerVertex { vec4 gl_Position; float gl_CullDistance[2]; };
void main() { gl_Position = vec4(1.0); gl_CullDistance[0] = 1.0; }
