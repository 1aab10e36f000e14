word 92: OpVariable: unsupported: input attachments (images of dimension SubpassData)
