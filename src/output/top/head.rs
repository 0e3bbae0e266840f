//! The two lines at the top: which cluster, how it is, and how fresh that is.

use super::canvas::{Canvas, width};
use super::look;
use crate::output::scan;
use crate::output::style::Meaning;
use crate::top::{App, Paper};

/// Below that there is no room for everything.
const NARROW: u16 = 64;

pub(super) fn draw(canvas: &mut Canvas<'_>, app: &App) {
    let about = app.about();
    let clock = app.now().strftime("%H:%M:%SZ");
    let is_narrow = canvas.width() < NARROW;
    let (right, style) = match app.lost() {
        None if is_narrow => (format!("{clock}  live"), look::PLAIN),
        Some(_) if is_narrow => ("not live".to_owned(), look::of(Meaning::Bad)),
        None => (format!("{}  {clock}  live", about.release), look::PLAIN),
        Some(lost) => {
            let since = lost.since.strftime("%H:%M:%SZ");
            let text = format!("{clock}  not live since {since}, trying again");
            (text, look::of(Meaning::Bad))
        }
    };
    let room = canvas.put_right(0, &right, style).saturating_sub(2);
    let place = match &about.namespace {
        Some(namespace) => format!("CronJobs of {namespace} on {}", about.cluster),
        None => format!("CronJobs on {}", about.cluster),
    };
    canvas.put_within(0, 0, &place, room, look::STRONG);

    let found = format!("{} of {}", app.list().len(), app.summary().total);
    let filter = app.filter().text();
    let right = if app.is_typing() {
        format!("/{filter}▏ {found}")
    } else if !app.filter().is_empty() {
        format!("/{filter}  {found}")
    } else if app.about().read_only {
        "read-only".to_owned()
    } else {
        String::new()
    };
    let room = canvas.width().saturating_sub(width(&right) + 2);
    canvas.put_right(1, &right, look::of(Meaning::Help));
    let summary = scan::in_words(app.summary());
    let mut x = 0;
    for piece in Paper::of(&summary, usize::MAX).lines().iter().flatten() {
        let left = room.saturating_sub(x);
        x = canvas.put_within(x, 1, &piece.text, left, look::of_ink(piece.ink));
    }
}
