;; A start function that does nothing.
(module
  (start $init)
  (func $init)
  (func (export "main")))
