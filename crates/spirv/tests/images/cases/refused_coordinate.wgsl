word 172: OpImageFetch: 1 components where 2 are needed
