fn main() {
    let mut args = std::env::args().skip(1);
    let (from, to, minor) = (args.next().unwrap(), args.next().unwrap(), args.next().unwrap());
    let program = anywarp_program::Program::from_wgsl(&std::fs::read_to_string(from).unwrap()).unwrap();
    let mut o = anywarp_spirv::SpirvOptions::default();
    o.version = (1, minor.parse().unwrap());
    o.entry_point = args.next();
    let words = anywarp_spirv::write_spirv(&program, &o).unwrap_or_else(|e| panic!("{e}"));
    std::fs::write(to, words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>()).unwrap();
}
