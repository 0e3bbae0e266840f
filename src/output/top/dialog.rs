//! A change: what it would lead to, and the question.

use super::canvas::Canvas;
use super::look;
use crate::output::style::Meaning;
use crate::top::{Size, Stage, Talk};

/// Draws it over the lower part of the screen, as high as it has to be.
pub(super) fn draw(canvas: &mut Canvas<'_>, talk: &Talk, size: Size) {
    let room = size.dialog();
    let (lines, above) = talk.paper.seen(room);
    // The title, the text, an empty line if there is room, the question.
    let height = u16::try_from(lines.len())
        .unwrap_or(u16::MAX)
        .saturating_add(3);
    let bottom = size.height - 1;
    let top = bottom.saturating_sub(height).max(Size::HEAD);
    // What was found would end in the middle.
    let top = top.min(bottom - size.findings());
    canvas.clear(top, size.height);
    let (namespace, name) = &talk.place;
    canvas.rule(top, &format!("{} {name} -n {namespace}", talk.deed.verb()));
    if above + lines.len() < talk.paper.lines().len() || above > 0 {
        canvas.put_right(top, " up and down scroll ", look::FAINT);
    }
    for (y, line) in (top + 1..).zip(lines) {
        canvas.put_line(y, line);
    }
    question(canvas, talk, bottom - 1);
    let keys = match &talk.stage {
        Stage::Working if talk.is_changing() => "",
        Stage::Working => "esc changes nothing",
        Stage::Asking { .. } => "first letter, or arrows and enter; esc changes nothing",
        Stage::Failed => "esc or enter: back",
    };
    canvas.put(1, bottom, keys, look::FAINT);
}

fn question(canvas: &mut Canvas<'_>, talk: &Talk, y: u16) {
    match &talk.stage {
        Stage::Working => {
            canvas.put(1, y, "working…", look::FAINT);
        }
        Stage::Failed => {
            canvas.put(1, y, "It was not done.", look::of(Meaning::Bad));
        }
        Stage::Asking {
            question,
            answers,
            chosen,
        } => {
            let mut x = canvas.put(1, y, question, look::STRONG) + 2;
            for (number, answer) in answers.iter().enumerate() {
                let style = if number == *chosen {
                    look::CHOSEN
                } else {
                    look::PLAIN
                };
                // Without reverse video the brackets tell which one it is.
                let text = if number == *chosen {
                    format!("[{answer}]")
                } else {
                    format!(" {answer} ")
                };
                x = canvas.put(x, y, &text, style) + 1;
            }
        }
    }
}
