word 77: OpVariable: unsupported: multisampled storage images
