const half = mix(1.0, 3.0, 0.5);
