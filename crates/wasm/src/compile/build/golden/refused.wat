;; What only the bytecode tier has.
(module
  (type $none (func))
  (table $open (export "table") 4 funcref)
  (table $closed 4 funcref)
  (elem (table $closed) (i32.const 0) func $nothing)
  (func $nothing)
  (func (export "open_table") (param i32) (call_indirect $open (type $none) (local.get 0)))
  (func (export "table_get") (param i32) (drop (table.get $open (local.get 0))))
  (func (export "table_grow") (param i32) (drop (table.grow $open (ref.null func) (local.get 0))))
  (func (export "function_reference") (result funcref) (ref.func $nothing))
  (func (export "fine") (param i32) (call_indirect $closed (type $none) (local.get 0))))
