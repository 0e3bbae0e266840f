//! What a change of a cluster would do, before anybody makes it.

pub mod backfill;
