//! What netresearch/go-cron's `ParseStandard` reads in another way than robfig/cron, or rejects.

use super::{ALL_DAYS, Blame, Expression, Fields, Piece, Reason, Set, Zoned, go_quote};
use crate::zone::{Zones, load_location};

/// The longest expression, and the longest name of a zone, in bytes.
const LONGEST: usize = 1024;
const LONGEST_ZONE: usize = 64;

fn rejected(message: String, piece: Piece<'_>) -> Blame {
    (Reason::GoCron(message), piece.span())
}

/// Removes the prefix `TZ=zone ` or `CRON_TZ=zone `, in which the zone may be quoted.
pub(super) fn zone_prefix<'a>(whole: Piece<'a>, zones: &dyn Zones) -> Result<Zoned<'a>, Blame> {
    let length = whole.text.len();
    if length > LONGEST {
        let message = format!("spec too long: {length} > {LONGEST}");
        return Err(rejected(message, whole));
    }
    let after_prefix = |prefix: &str| whole.text.strip_prefix(prefix);
    let Some(named) = after_prefix("TZ=").or_else(|| after_prefix("CRON_TZ=")) else {
        return Ok((None, whole));
    };
    let Some((written, rest)) = named.split_once(' ') else {
        let spec = go_quote(whole.text);
        let message = format!("missing fields after timezone in spec {spec}");
        return Err(rejected(message, whole));
    };
    let unquoted = |quote| written.strip_prefix(quote)?.strip_suffix(quote);
    let name = unquoted('"').or_else(|| unquoted('\'')).unwrap_or(written);
    let place = whole.part(name);
    if let Some(fault) = fault_of_zone(name) {
        let message = format!("invalid timezone {}: {fault}", go_quote(name));
        return Err(rejected(message, place));
    }
    let location = load_location(name, zones).map_err(|error| {
        let name = name.to_owned();
        (Reason::BadZone { name, error }, place.span())
    })?;
    let rest = rest.trim();
    if rest.is_empty() {
        let message = format!("missing fields after timezone {}", go_quote(name));
        return Err(rejected(message, whole));
    }
    Ok((Some(location), whole.part(rest)))
}

fn fault_of_zone(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("empty timezone string".to_owned());
    }
    if name.len() > LONGEST_ZONE {
        return Some(format!(
            "timezone string too long (max {LONGEST_ZONE} chars)"
        ));
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || "/_-+:".contains(c);
    let (at, c) = name.char_indices().find(|(_, c)| !allowed(*c))?;
    let quoted = match c {
        '\'' => "'\\''".to_owned(),
        '"' => "'\"'".to_owned(),
        c => go_quote(&c.to_string()).replace('"', "'"),
    };
    Some(format!(
        "invalid character {quoted} at position {at} in timezone"
    ))
}

pub(super) fn descriptor(piece: Piece<'_>, text: &str) -> Result<Expression, Blame> {
    const NANOSECONDS: i64 = 1_000_000_000;
    if matches!(text, "@triggered" | "@manual" | "@none") {
        // They never run: no minute is allowed.
        let every = |bits| Set { bits, star: true };
        let (days, weekdays) = (every(u64::from(ALL_DAYS)), every(0b111_1111));
        return Ok(Expression::Fields(Fields::new(0, 0, days, 0, weekdays)));
    }
    let duration = text.strip_prefix("@every ");
    let duration = duration.and_then(|text| super::duration::parse(text).ok());
    if duration.is_some_and(|duration| duration < NANOSECONDS) {
        let message = format!("@every duration must be at least 1s: {}", go_quote(text));
        return Err(rejected(message, piece));
    }
    super::descriptor(piece)
}

/// Rejects Jenkins' `H` at the beginning of a part of any field.
pub(super) fn check_hashes(places: &[Piece<'_>]) -> Result<(), Blame> {
    let mut parts = places.iter().flat_map(|place| place.split(','));
    match parts.find(|part| part.text.starts_with('H')) {
        Some(part) => {
            let message = "h expressions require hash option to be enabled";
            Err(rejected(message.to_owned(), part))
        }
        None => Ok(()),
    }
}

pub(super) fn check_day(day: Piece<'_>) -> Result<(), Blame> {
    if !day.text.contains(['l', 'L', 'w', 'W']) {
        return Ok(());
    }
    let message = "extended day-of-month syntax requires DomL option (for L, L-n) or DomW option \
                   (for nW, LW) to be enabled";
    Err(rejected(message.to_owned(), day))
}

pub(super) fn check_weekday(weekday: Piece<'_>) -> Result<(), Blame> {
    if !weekday.text.contains('#') {
        return Ok(());
    }
    let message = "#n/#L syntax requires DowNth or DowLast option to be enabled";
    Err(rejected(message.to_owned(), weekday))
}
