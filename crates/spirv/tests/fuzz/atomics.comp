#version 460
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_atomic_int64 : require
#pragma use_vulkan_memory_model
layout(local_size_x=64) in;
layout(set=0,binding=0) coherent buffer B { uint d[]; };
layout(set=0,binding=1) buffer C { float f; int k; double g; int64_t q; float arr[4]; };
shared float sf; shared uint su; shared struct { int a; float b[3]; } st;
void main(){
  atomicStore(d[0], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
  uint x = atomicLoad(d[0], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
  x += atomicAdd(d[1], 1u, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  x += atomicCompSwap(d[1], 1u, 2u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer|gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
  memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
  atomicAdd(f, 1.0); atomicMin(f, 2.0); sf = 0.0; float o = atomicAdd(sf, 1.0); atomicExchange(sf, 3.0); f = sf + o;
  atomicAdd(st.b[d[2]], 1.5); st.a = 3; atomicMax(st.a, 4); arr[1] = st.b[1]; atomicAdd(arr[d[3]], 1.0);
  atomicAdd(g, 1.0lf); atomicAdd(q, 4l); atomicMin(q, -4l);
  memoryBarrierShared(); groupMemoryBarrier(); memoryBarrierBuffer(); memoryBarrierImage(); barrier();
  d[5] = x;
}
