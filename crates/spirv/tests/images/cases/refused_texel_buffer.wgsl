word 74: OpVariable: unsupported: texel buffers (images of dimension Buffer)
