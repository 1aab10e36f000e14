word 132: OpImageSampleImplicitLod: unsupported: sampling images of integers, which WGSL only loads or gathers
