//! Arguments in, exit code out; nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    cronjob_doctor::run(std::env::args_os())
}
