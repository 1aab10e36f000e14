word 124: OpImageQueryLod: unsupported: the level of detail that sampling would use; WGSL does not tell
