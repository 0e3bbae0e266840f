//! A cron expression becomes times.
