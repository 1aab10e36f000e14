const big: i32 = 2147483647 + 1;
