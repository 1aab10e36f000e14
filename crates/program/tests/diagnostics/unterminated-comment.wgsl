fn f() {} /* and so on
