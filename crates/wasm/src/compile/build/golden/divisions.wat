;; Checks of divisions; those by constants have only the checks that can fail.
(module
  (func (export "i32") (param i32 i32) (result i32 i32 i32 i32)
    (i32.div_s (local.get 0) (local.get 1)) (i32.div_u (local.get 0) (local.get 1))
    (i32.rem_s (local.get 0) (local.get 1)) (i32.rem_u (local.get 0) (local.get 1)))
  (func (export "i64") (param i64 i64) (result i64 i64 i64 i64)
    (i64.div_s (local.get 0) (local.get 1)) (i64.div_u (local.get 0) (local.get 1))
    (i64.rem_s (local.get 0) (local.get 1)) (i64.rem_u (local.get 0) (local.get 1)))
  (func (export "by_constant") (param i32) (result i32 i32 i32 i32)
    (i32.div_s (local.get 0) (i32.const 10)) (i32.div_s (local.get 0) (i32.const -1))
    (i32.rem_u (local.get 0) (i32.const 8)) (i32.div_u (local.get 0) (i32.const 0)))
  (func (export "of_constant") (param i32) (result i32)
    (i32.div_s (i32.const 100) (local.get 0))))
