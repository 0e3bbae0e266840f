//! The pictures of a terminal in the documents, made from the output of the program.
//! `UPDATE=1` regenerates them; review the result.
//!
//! The picture of the dashboard is made by `tests/top_screens.rs`.

use crate::support::examples;
use crate::support::picture;

use crate::support::prelude::*;
use std::num::NonZero;
use std::path::Path;

use examples::words;
use picture::{Cell, Ink, Look, svg};
use vt100::{Color, Parser};

/// The columns of an ordinary terminal.
const COLUMNS: u16 = 80;

const NOW: &str = "-f examples/cluster --now 2026-11-21T02:13:08Z";

#[test]
fn picture_of_scan_and_explain_is_up_to_date() {
    check(
        "docs/pictures/scan.svg",
        "A terminal: scan shows a row for each CronJob with next run, last run and health, most severe first; explain \
         shows why one of them failed, and how to run it again",
        &["scan", "explain failing"],
    );
}

/// Compares a picture of the documents with the screens after some commands.
#[track_caller]
fn check(file: &str, label: &str, commands: &[&str]) {
    let screens = commands.iter().map(|command| {
        let command = format!("kubectl cronjob-doctor {command} {NOW}");
        let arguments = words(&command);
        let arguments = arguments.iter().skip(2).map(String::as_str);
        let arguments: Vec<&str> = arguments.chain(["--color", "always"]).collect();
        screen(&command, &doctor(&arguments).fine())
    });
    let screens: Vec<_> = screens.collect();
    let drawn = svg(label, COLUMNS.into(), &screens);

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if fs::read_to_string(&path).is_ok_and(|known| known == drawn) {
        return;
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, drawn).unwrap();
        return;
    }
    panic!(
        "{file} is not what {commands:?} print; run UPDATE=1 cargo test --test integration pictures:: to regenerate it"
    );
}

/// The cells of a terminal after a command was typed and has printed this text.
fn screen(command: &str, printed: &str) -> Vec<Vec<Cell>> {
    // As many lines as are needed if only the command wraps. If a printed line wraps as well, the
    // command scrolls out.
    let typed = (command.len() + 2).div_ceil(COLUMNS.into());
    let lines = u16::try_from(printed.lines().count() + typed).unwrap();
    let mut terminal = Parser::new(size(lines), size(COLUMNS), 0);
    let typed = format!("$ {command}\n{printed}");
    terminal.process(typed.trim_end().replace('\n', "\r\n").as_bytes());
    let screen = terminal.screen();
    assert!(screen.contents().starts_with("$ "), "a line is too long");
    (0..lines)
        .map(|y| {
            (0..COLUMNS)
                .map(|x| cell(screen.cell(y, x).unwrap()))
                .collect()
        })
        .collect()
}

fn size(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

fn cell(cell: &vt100::Cell) -> Cell {
    let ink = match cell.fgcolor() {
        Color::Default => Ink::Usual,
        Color::Idx(1) => Ink::Red,
        Color::Idx(3) => Ink::Yellow,
        Color::Idx(6) => Ink::Cyan,
        other => panic!("the picture has no {other:?}"),
    };
    let text = if cell.has_contents() {
        cell.contents()
    } else {
        " "
    };
    Cell {
        text: text.to_owned(),
        look: Look {
            ink,
            bold: cell.bold(),
            dim: cell.dim(),
            reversed: cell.inverse(),
        },
    }
}
