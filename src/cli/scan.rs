//! `scan`.

use super::Outcome;
use super::args::{Connection, Global, Scan as Args};

pub(super) fn run(_: &Global, _: &Connection, _: &Args) -> anyhow::Result<Outcome> {
    anyhow::bail!("not there yet")
}
