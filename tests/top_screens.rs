//! Whole screens of the dashboard with the recorded cluster, in several sizes, and the picture for the documents.
//! `UPDATE=1` regenerates them; review the result.

use crate::support::picture;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::support::recorded::controller;
use cronjob_diagnosis::kubectl::Kubectl;
use cronjob_diagnosis::survey::LiveSurvey;
use cronjob_doctor::output::top::{Capabilities, draw};
use cronjob_doctor::top::{App, DashboardContext, Effect, Key, Size};
use jiff::Timestamp;
use kube_model::{Coverage, RelatedObjects, evidence_by_cron_job};
use kube_objects::snapshot::{self, Evidence, Options};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

/// When the objects of examples/cluster were recorded.
const NOW: &str = "2026-11-21T02:13:08Z";
const COLORED: Capabilities = Capabilities {
    colors: true,
    ascii: false,
};
const PLAIN: Capabilities = Capabilities {
    colors: false,
    ascii: true,
};

/// The dashboard of the recorded cluster.
struct Scene {
    app: App,
    now: Timestamp,
}

impl Scene {
    fn of(size: Size) -> Scene {
        static RECORDED: LazyLock<Evidence> = LazyLock::new(|| read("examples/cluster"));
        Scene::at(NOW, &RECORDED, size)
    }

    fn at(now: &str, evidence: &Evidence, size: Size) -> Scene {
        let cron_jobs = evidence.cron_jobs.iter();
        let cron_jobs = cron_jobs.map(|located| located.object.clone());
        let seen = RelatedObjects {
            jobs: evidence.jobs.clone(),
            events: evidence.events.clone(),
            pods: evidence.pods.clone(),
            ..RelatedObjects::default()
        };
        let now: Timestamp = now.parse().unwrap();
        let coverage = Coverage::all(now);
        let context = DashboardContext {
            cluster: "staging".to_owned(),
            namespace: None,
            version: "Kubernetes 1.36.2".to_owned(),
            read_only: false,
            display: None,
        };
        let survey = LiveSurvey::new(evidence_by_cron_job(cron_jobs.collect(), seen));
        let mut scene = Scene {
            app: App::new(context, survey, coverage, size),
            now,
        };
        scene.refresh();
        scene
    }

    fn refresh(&mut self) {
        let controller = controller("1.36.2");
        self.app.refresh(&controller, &Kubectl::default(), self.now);
    }

    /// Presses keys one after the other, and refreshes.
    fn press(&mut self, keys: &str) -> Option<Effect> {
        let effects = keys.chars().map(|key| self.app.press(Key::Char(key)));
        let effect = effects.last().flatten();
        self.refresh();
        effect
    }

    fn drawn(&self, capabilities: Capabilities) -> Buffer {
        let Size { width, height } = self.app.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        draw(&mut buffer, &self.app, capabilities);
        buffer
    }
}

fn read(path: &str) -> Evidence {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let options = Options::default();
    let (evidence, errors) = snapshot::read(&[path], &options, &mut io::empty());
    assert!(errors.is_empty(), "{errors:?}");
    evidence
}

fn size(width: u16, height: u16) -> Size {
    Size { width, height }
}

/// The characters of a screen.
fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let columns = 0..buffer.area.width;
        let line: String = columns.map(|x| buffer[(x, y)].symbol()).collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Compares with a file of the repository.
#[track_caller]
fn check(file: &str, drawn: &str) {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if fs::read_to_string(&path).is_ok_and(|known| known == drawn) {
        return;
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, drawn).unwrap();
        return;
    }
    panic!("{file} is not what is drawn; run UPDATE=1 cargo test to regenerate it:\n{drawn}");
}

#[test]
fn screen_of_80_columns_matches_its_file_and_the_document() {
    let scene = Scene::of(size(80, 24));
    let drawn = text(&scene.drawn(COLORED));
    check("tests/top_screens/80x24.txt", &drawn);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/top.md");
    let mut document = fs::read_to_string(&path).unwrap();
    if std::env::var_os("UPDATE").is_some() {
        let (before, rest) = document.split_once("```text\n").unwrap();
        let (_, after) = rest.split_once("```").unwrap();
        document = format!("{before}```text\n{drawn}```{after}");
        fs::write(path, &document).unwrap();
    }
    let is_shown = document.contains(&drawn);
    assert!(is_shown, "docs/top.md shows another screen");
}

#[test]
fn screens_of_all_sizes_and_pages_match_their_files() {
    let usual = size(80, 24);
    for (file, size, capabilities, keys) in [
        ("120x40", size(120, 40), COLORED, "jjj"),
        ("40x10", size(40, 10), PLAIN, ""),
        ("timeline", usual, COLORED, "v-"),
        ("keys", usual, COLORED, "?"),
    ] {
        let mut scene = Scene::of(size);
        scene.press(keys);
        assert_eq!(scene.app.help.is_some(), keys == "?");
        let drawn = text(&scene.drawn(capabilities));
        check(&format!("tests/top_screens/{file}.txt"), &drawn);
    }
}

#[test]
fn screen_with_a_question_matches_its_file() {
    let mut scene = Scene::of(size(80, 24));
    let effect = scene.press("Gs");
    let Some(Effect::BeginChange(_, object)) = effect else {
        panic!("nothing is changed");
    };
    assert_eq!(object.to_string(), "ops/leapday");
    let app = &mut scene.app;
    app.show_change_text("ops/leapday\n  Nothing starts from now on.\n");
    let answers = ["yes", "no"].map(str::to_owned);
    app.ask_about_change("Suspend leapday?".to_owned(), answers.to_vec());
    check("tests/top_screens/question.txt", &text(&scene.drawn(PLAIN)));
}

#[test]
fn cause_that_cron_jobs_share_is_in_the_header_where_it_fits() {
    let evidence = read("examples/causes/image.yaml");
    let header = |width| {
        let scene = Scene::at("2026-03-10T08:40:00Z", &evidence, size(width, 24));
        let drawn = text(&scene.drawn(PLAIN));
        drawn.lines().nth(1).unwrap_or_default().to_owned()
    };
    let cause = "3 CronJobs in 2 namespaces: cannot pull registry.example.com/base:2.1";
    assert!(header(120).ends_with(cause));
    assert_eq!(header(80), "4 CronJobs: 4 errors");
}

#[test]
fn screen_smaller_than_40x10_shows_an_error() {
    for (width, height) in [(39, 24), (80, 9), (1, 1), (0, 0)] {
        let scene = Scene::of(size(width, height));
        let drawn = text(&scene.drawn(COLORED));
        let expected = format!("terminal too small: {width}x{height}");
        let expected: String = expected.chars().take(width.into()).collect();
        assert_starts!(drawn, &expected);
    }
}

/// Drawing never panics, whatever the size and the page.
#[test]
fn all_sizes_and_pages_are_drawn() {
    for keys in ["", "v", "?", "e", "M", "A", "/!", "t"] {
        for begin in [size(40, 10), size(139, 45)] {
            let mut scene = Scene::of(begin);
            scene.press(keys);
            scene.app.show_change_text(&"a long text ".repeat(60));
            for width in (40..140).step_by(9) {
                for height in (10..50).step_by(7) {
                    scene.app.resize(size(width, height));
                    scene.drawn(COLORED);
                }
            }
        }
    }
}

/// The characters are the same without colors.
#[test]
fn colors_carry_no_information_alone() {
    let scene = Scene::of(size(80, 24));
    let plain = Capabilities {
        ascii: false,
        ..PLAIN
    };
    let (colored, plain) = (scene.drawn(COLORED), scene.drawn(plain));
    assert_eq!(text(&colored), text(&plain));
    let has_color = |buffer: &Buffer| buffer.content.iter().any(|cell| cell.fg != Color::Reset);
    assert!(has_color(&colored) && !has_color(&plain));
    let reversed = |y: u16| plain[(2, y)].modifier.contains(Modifier::REVERSED);
    assert_eq!([2, 3, 4].map(reversed), [false, true, false]);
}

#[test]
fn plain_terminal_gets_only_ascii() {
    for keys in ["", "v", "?", "e"] {
        let mut scene = Scene::of(size(120, 40));
        scene.press(keys);
        assert!(text(&scene.drawn(PLAIN)).is_ascii(), "{keys}");
    }
}

#[test]
fn picture_of_the_dashboard() {
    let mut scene = Scene::of(size(120, 30));
    scene.press("jjj");
    let drawn = scene.drawn(COLORED);
    let label = "The dashboard: rows of CronJobs with countdowns, their health, and a timeline";
    let columns = drawn.area.width.into();
    let lines = drawn.content.chunks(columns);
    let lines: Vec<Vec<_>> = lines.map(|line| line.iter().map(cell).collect()).collect();
    let picture = picture::svg(label, columns, &[lines]);
    check("docs/pictures/top.svg", &picture);
}

/// A cell of the screen for the picture.
fn cell(cell: &Cell) -> picture::Cell {
    let ink = match cell.fg {
        Color::Reset => picture::Ink::Usual,
        Color::Red => picture::Ink::Red,
        Color::Yellow => picture::Ink::Yellow,
        Color::Cyan => picture::Ink::Cyan,
        other => panic!("the picture has no {other:?}"),
    };
    picture::Cell {
        text: cell.symbol().to_owned(),
        look: picture::Look {
            ink,
            bold: cell.modifier.contains(Modifier::BOLD),
            dim: cell.modifier.contains(Modifier::DIM),
            reversed: cell.modifier.contains(Modifier::REVERSED),
        },
    }
}
