//! What only netresearch/go-cron's `ParseStandard` rejects.

use super::{Blame, Piece, Reason, go_quote};

/// The longest expression, and the longest name of a zone, in bytes.
const LONGEST: usize = 1024;
const LONGEST_ZONE: usize = 64;

/// Rejects an expression that is too long.
pub(super) fn check_length(whole: Piece<'_>) -> Result<(), Blame> {
    let length = whole.text.len();
    if length <= LONGEST {
        return Ok(());
    }
    Err(whole.rejected(format!("spec too long: {length} > {LONGEST}")))
}

/// The name of a zone, which may be quoted.
pub(super) fn zone_name(written: Piece<'_>) -> Result<Piece<'_>, Blame> {
    let unquoted = |quote| written.text.strip_prefix(quote)?.strip_suffix(quote);
    let name = unquoted('"').or_else(|| unquoted('\''));
    let name = written.part(name.unwrap_or(written.text));
    let allowed = |c: char| c.is_ascii_alphanumeric() || "/_-+:".contains(c);
    let wrong = name.text.char_indices().find(|(_, c)| !allowed(*c));
    let fault = if name.text.is_empty() {
        "empty timezone string".to_owned()
    } else if name.text.len() > LONGEST_ZONE {
        format!("timezone string too long (max {LONGEST_ZONE} chars)")
    } else if let Some((at, c)) = wrong {
        let quoted = match c {
            '\'' => "'\\''".to_owned(),
            '"' => "'\"'".to_owned(),
            c => go_quote(&c.to_string()).replace('"', "'"),
        };
        format!("invalid character {quoted} at position {at} in timezone")
    } else {
        return Ok(name);
    };
    Err(name.rejected(format!("invalid timezone {}: {fault}", go_quote(name.text))))
}

/// Rejects Jenkins' `H` at the beginning of a part of any field.
pub(super) fn check_hashes(places: &[Piece<'_>]) -> Result<(), Blame> {
    let mut parts = places.iter().flat_map(|place| place.split(','));
    match parts.find(|part| part.text.starts_with('H')) {
        Some(part) => Err(part.rejected("h expressions require hash option to be enabled")),
        None => Ok(()),
    }
}

pub(super) fn check_day(day: Piece<'_>) -> Result<(), Blame> {
    if !day.text.contains(['l', 'L', 'w', 'W']) {
        return Ok(());
    }
    Err(day.rejected(
        "extended day-of-month syntax requires DomL option (for L, L-n) or DomW option \
         (for nW, LW) to be enabled",
    ))
}

pub(super) fn check_weekday(weekday: Piece<'_>) -> Result<(), Blame> {
    if !weekday.text.contains('#') {
        return Ok(());
    }
    Err(weekday.rejected("#n/#L syntax requires DowNth or DowLast option to be enabled"))
}

impl Piece<'_> {
    pub(super) fn rejected(self, message: impl Into<String>) -> Blame {
        self.wrong(Reason::GoCron(message.into()))
    }
}
