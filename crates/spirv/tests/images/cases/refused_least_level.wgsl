word 140: OpImageSampleImplicitLod: unsupported: a least level of detail (MinLod)
