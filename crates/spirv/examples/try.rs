//! scratch
fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        match anywarp_spirv::read(&bytes, &Default::default()) {
            Ok(program) => {
                let text = anywarp_program::naga::back::wgsl::write_string(
                    program.module(),
                    program.info(),
                    anywarp_program::naga::back::wgsl::WriterFlags::empty(),
                );
                println!(
                    "== {path}\n{}",
                    text.unwrap_or_else(|e| format!("writer: {e}"))
                );
            }
            Err(e) => println!("== {path}: {e}"),
        }
    }
}
