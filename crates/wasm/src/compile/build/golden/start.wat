;; A start function that does something.
(module
  (memory 1)
  (start $init)
  (func $init (i32.store (i32.const 0) (i32.const 1)))
  (func (export "main")))
