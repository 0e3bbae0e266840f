//! The last lines of a log, for `explain --logs`.

use crate::cluster::{ClusterError, LogOptions, Writer};
use crate::diagnose::{Facts, LogTail, first_logs};
use crate::evidence::Live;

/// The most bytes that are shown.
const MOST_SHOWN: usize = 64 << 10;
/// The most bytes that are read.
const MOST_READ: u64 = 1 << 20;

/// Reads the last lines of the log that shows why the last run failed, or of those that are running.
pub(in crate::cli) fn log_tails(live: &Live, facts: &Facts<'_>, lines: u64) -> Vec<LogTail> {
    let tails = first_logs(facts).into_iter();
    tails.map(|tail| filled(live, facts, lines, tail)).collect()
}

fn filled(live: &Live, facts: &Facts<'_>, lines: u64, tail: LogTail) -> LogTail {
    let writer = Writer {
        namespace: facts.cron_job.namespace.clone(),
        pod: tail.pod.clone(),
        container: tail.container.clone(),
    };
    let options = LogOptions {
        previous: tail.previous,
        tail: Some(lines),
        limit_bytes: Some(MOST_READ),
        ..LogOptions::default()
    };
    match read(live, &writer, &options) {
        Ok((text, truncated)) => LogTail {
            lines: text.lines().map(str::to_owned).collect(),
            truncated,
            ..tail
        },
        Err(error) => LogTail {
            error: Some(error.to_string()),
            ..tail
        },
    }
}

/// The end of a log, and whether something before it was left out.
fn read(
    live: &Live,
    writer: &Writer,
    options: &LogOptions,
) -> Result<(String, bool), ClusterError> {
    let mut stream = live.session.log(writer, options)?;
    let mut text = Vec::new();
    let (mut read, mut truncated) = (0, false);
    while let Some(piece) = stream.piece()? {
        read += u64::try_from(piece.len()).unwrap_or(u64::MAX);
        text.extend_from_slice(&piece);
        if let Some(extra) = text
            .len()
            .checked_sub(MOST_SHOWN)
            .filter(|extra| *extra > 0)
        {
            text.drain(..extra);
            truncated = true;
        }
        if read >= MOST_READ {
            truncated = true;
            break;
        }
    }
    Ok((String::from_utf8_lossy(&text).into_owned(), truncated))
}
