#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };

void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
mat4 a=mat4(f[0],f[1],f[2],f[3]); mat4 b=inverse(a)*transpose(a); f[4]=b*f[5]; f[6]=f[5]*b; mat3x2 c=mat3x2(1,2,3,4,5,6); mat2x3 d=transpose(c); f[7].xy=c*f[0].xyz; f[8].xyz=d*f[0].xy; f[9]=vec4(determinant(a),determinant(mat3(a)),determinant(mat2(a)),0); mat3 e=outerProduct(f[0].xyz,f[1].xyz); f[10].xyz=matrixCompMult(e,e)[1]; mat2 g=inverse(mat2(a)); f[11].xy=g[0]; mat3 h=inverse(mat3(a)); f[12].xyz=h[2]; mat2x4 ou=outerProduct(f[0],f[1].xy); f[13]=ou[1]; f[14]=(a+b)[0]-(a-b)[1]*2.0/(-a)[2];
}
