word 132: OpImageSampleImplicitLod: unsupported: sampling images of integers other than level 0 of two dimensions
