//! What several test files share.

#![allow(dead_code, reason = "each test file uses its own part of it")]

pub(crate) mod expressions;
pub(crate) mod moments;
pub(crate) mod naive;
pub(crate) mod random;
pub(crate) mod run;
