;; Every instantiation traps.
(module
  (memory 1)
  (data (i32.const 65535) "two")
  (func (export "main")))
