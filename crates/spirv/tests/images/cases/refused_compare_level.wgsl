word 161: OpImageSampleDrefExplicitLod: unsupported: comparing at a level of detail other than 0
