fn f() { var a = 1u; a = 2.0; }
