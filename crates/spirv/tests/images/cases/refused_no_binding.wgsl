word 142: OpVariable: it is a resource and has no Binding
