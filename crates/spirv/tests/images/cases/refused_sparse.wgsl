word 147: OpImageSparseSampleImplicitLod: unsupported: sparse images
