word 153: OpVariable: unsupported: images of dimension Rect
