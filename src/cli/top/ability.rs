//! What the terminal can show.

use std::io::{self, IsTerminal as _};

use anstream::{AutoStream, ColorChoice};
use anyhow::bail;

use crate::output::top::Capabilities;

/// What the terminal can show; an error if there is none that a dashboard can be shown on.
pub(super) fn look() -> anyhow::Result<Capabilities> {
    let term = std::env::var("TERM").unwrap_or_default();
    let is_dumb = term == "dumb" || (term.is_empty() && cfg!(unix));
    if is_dumb || !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        bail!(
            "top needs a terminal whose cursor can be moved: scan --watch keeps a table up to date \
             without one"
        );
    }
    Ok(Capabilities {
        colors: AutoStream::choice(&io::stdout()) != ColorChoice::Never,
        // The console of Linux has not many signs, whatever the locale says.
        ascii: term == "linux" || !speaks_utf8(),
    })
}

/// Whether the locale has more characters than ASCII.
fn speaks_utf8() -> bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let mut values = names.iter().filter_map(|name| std::env::var(name).ok());
    let locale = values.find(|value| !value.is_empty());
    let locale = locale.unwrap_or_default().to_ascii_lowercase();
    cfg!(windows) || locale.contains("utf-8") || locale.contains("utf8")
}
