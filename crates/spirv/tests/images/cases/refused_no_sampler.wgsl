word 172: OpImageSampleImplicitLod: %31 has no sampler
