pub mod cluster;
pub mod process;
