//! Compiles the .proto files with protox: no protoc is needed.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=quorate");
    let files = protox::compile(["quorate/v1/session.proto"], ["."])?;
    tonic_prost_build::configure().compile_fds(files)?;
    Ok(())
}
