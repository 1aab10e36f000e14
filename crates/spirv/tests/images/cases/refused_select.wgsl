word 200: OpSelect: unsupported: image or sampler %35 used as a value
