word 168: OpImageFetch: %30 is no image or sampler
