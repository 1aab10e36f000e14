word 148: OpImageGather: unsupported: an offset that is not known when WGSL is compiled
