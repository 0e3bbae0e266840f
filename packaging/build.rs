//! The tests start the unoptimized program thousands of times. At a fixed address it has no relocations, which
//! take half of a start.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=packaging/build.rs");
    let is = |variable, value| env::var(variable).is_ok_and(|set| set == value);
    if is("PROFILE", "debug")
        && is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
    {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
