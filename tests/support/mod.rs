//! What several test files share.

#![allow(dead_code, reason = "each test file uses its own part of it")]

pub mod expressions;
pub mod random;
pub mod run;
