#version 450
layout(local_size_x=8,local_size_y=4) in;
layout(std430,set=0,binding=0) buffer O { uint o[]; };
layout(std430,set=0,binding=1) buffer F { vec4 f[]; };

void main() { uint i = gl_GlobalInvocationID.x; int k = int(i);
o[0]=bitfieldExtract(i,20,20); o[1]=bitfieldInsert(i,7u,0,32); o[2]=uint(bitfieldExtract(k,0,0)); o[3]=bitfieldReverse(i); o[4]=uint(bitCount(i)+findLSB(i)+findMSB(i)+findMSB(k)); uint c1; o[5]=uaddCarry(i,o[6],c1)+c1; uint b1; o[7]=usubBorrow(i,o[6],b1)+b1; uint hi,lo; umulExtended(i,o[8],hi,lo); o[9]=hi^lo; int h2,l2; imulExtended(k,int(o[8]),h2,l2); o[10]=uint(h2^l2);
}
