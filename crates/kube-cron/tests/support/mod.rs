//! What several tests share; the tests of `cronjob-doctor` use some of it, too.

pub(crate) mod differences;
pub(crate) mod expressions;
pub(crate) mod moments;
pub(crate) mod naive;
pub(crate) mod random;
pub(crate) mod zones;
