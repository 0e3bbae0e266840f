//! A terminal that runs the dashboard.

use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::num::NonZero;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use vt100::Parser;

use crate::support::apiserver::{ApiServer, Kubeconfig};
use crate::support::run::has_terminal;
use crate::support::signal;

/// The last setting that `stty -a` prints.
const LAST_SETTING: &str = "extproc";
/// The longest wait for text on the screen.
const PATIENCE: Duration = Duration::from_secs(60);

/// The common objects at noon, so that only the clock on the screen changes for an hour: [`CALM`] leaves out
/// `shop/hourly`.
pub(crate) fn noon() -> Option<ApiServer> {
    if !has_terminal() {
        return None;
    }
    let server = crate::changing::cast::server();
    server.set_date("2026-11-21T12:00:05Z");
    Some(server)
}

/// Selects the CronJobs without changes for an hour.
pub(crate) const CALM: [&str; 6] = ["top", "-A", "-l", "app!=hourly", "--tzdb", "bundled"];

/// The terminal, the server and the user of a test.
pub(crate) struct Setting<'s> {
    pub(crate) server: &'s ApiServer,
    pub(crate) user: &'s str,
    pub(crate) arguments: &'s [&'s str],
    /// Columns and lines.
    pub(crate) size: (u16, u16),
    pub(crate) environment: &'s [(&'s str, &'s str)],
}

impl<'s> Setting<'s> {
    /// A terminal of usual size, and a user who sees the whole cluster.
    pub(crate) fn usual(server: &'s ApiServer) -> Self {
        Setting {
            server,
            user: "admin",
            arguments: &CALM,
            size: (80, 24),
            environment: &[("TERM", "xterm-256color"), ("LANG", "C.UTF-8")],
        }
    }
}

/// The current screen of a terminal.
struct Shown {
    parser: Mutex<(Parser, bool)>,
    changed: Condvar,
}

/// A terminal with a shell that runs the dashboard, and then prints the settings of the terminal.
pub(crate) struct Terminal {
    child: Child,
    stdin: ChildStdin,
    shown: Arc<Shown>,
    /// Name of the terminal, and its process.
    name: String,
    process: String,
}

impl Terminal {
    /// Starts the dashboard.
    pub(crate) fn start(setting: &Setting<'_>) -> Terminal {
        let binary = crate::support::run::binary();
        let call = setting.arguments.iter();
        let call = call.fold(format!("'{binary}'"), |mut call, word| {
            write!(call, " '{word}'").unwrap();
            call
        });
        let (columns, lines) = setting.size;
        // The shell replaces itself, so that the dashboard has its process ID.
        let inner = format!("echo \"[$(tty) $$]\"; read go; exec {call}");
        let commands = format!(
            "stty rows {lines} cols {columns}; sh -c '{}'; echo \"exit $?\"; stty -a; read end",
            inner.replace('\'', r"'\''")
        );
        let config = Kubeconfig::user(setting.user).namespace("shop");
        let config = setting.server.kubeconfig(&config);
        let mut command = Command::new("script");
        command
            .args(["--quiet", "--return", "--command", &commands, "/dev/null"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", "/nonexistent")
            .env("SHELL", "/bin/sh")
            .env("KUBECONFIG", config)
            .envs(setting.environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let shown = Arc::new(Shown {
            parser: Mutex::new((Parser::new(count(lines), count(columns), 0), false)),
            changed: Condvar::new(),
        });
        read(child.stdout.take().unwrap(), Arc::clone(&shown));
        let mut terminal = Terminal {
            child,
            stdin,
            shown,
            name: String::new(),
            process: String::new(),
        };
        let line = terminal.wait("the number of the process", |screen| {
            let text = screen.contents();
            let (_, line) = text.split_once('[')?;
            let (line, _) = line.split_once(']')?;
            Some(line.replace('\n', ""))
        });
        let (name, process) = line.split_once(' ').unwrap();
        (terminal.name, terminal.process) = (name.to_owned(), process.to_owned());
        terminal.press("\n");
        terminal
    }

    /// The dashboard of the usual setting, when it shows the CronJobs of [`noon`].
    #[track_caller]
    pub(crate) fn usual(server: &ApiServer) -> Terminal {
        let terminal = Terminal::start(&Setting::usual(server));
        terminal.await_text("4 CronJobs");
        terminal
    }

    /// Ends the dashboard by its key.
    #[track_caller]
    pub(crate) fn quit(&mut self) {
        self.press("q");
        assert_eq!(self.end().0, 0);
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.stdin.write_all(keys.as_bytes()).unwrap();
        self.stdin.flush().unwrap();
    }

    /// Waits until the text is on the screen.
    #[track_caller]
    pub(crate) fn await_text(&self, text: &str) {
        self.await_all(&[text]);
    }

    /// Waits until all texts are on the screen, which may be written part by part.
    #[track_caller]
    pub(crate) fn await_all(&self, texts: &[&str]) {
        self.wait(&texts.join("\n"), |screen| {
            let shown = timeless(&screen.contents());
            texts.iter().all(|text| shown.contains(text)).then_some(())
        });
    }

    /// Waits until the text is no longer on the screen.
    #[track_caller]
    pub(crate) fn await_end_of(&self, text: &str) {
        self.wait(&format!("a screen without {text}"), |screen| {
            (!screen.contents().contains(text)).then_some(())
        });
    }

    /// Waits until the dashboard is stopped: it can only be continued after that.
    #[track_caller]
    pub(crate) fn await_stop(&self) {
        let end = Instant::now() + PATIENCE;
        let stat = format!("/proc/{}/stat", self.process);
        loop {
            let text = std::fs::read_to_string(&stat).unwrap();
            let (_, state) = text.rsplit_once(") ").unwrap();
            if state.starts_with('T') {
                return;
            }
            assert!(Instant::now() < end, "it is not stopped: {text}");
            thread::yield_now();
        }
    }

    /// Waits until the whole screen is as expected, except for the clock.
    #[track_caller]
    pub(crate) fn await_screen(&self, expected: &str) {
        self.wait(expected, |screen| {
            let shown = timeless(&screen.contents());
            (shown == expected.trim_end()).then_some(())
        });
    }

    #[track_caller]
    fn wait<T>(&self, what: &str, find: impl Fn(&vt100::Screen) -> Option<T>) -> T {
        let end = Instant::now() + PATIENCE;
        let mut shown = self.shown.parser.lock().unwrap();
        loop {
            if let Some(found) = find(shown.0.screen()) {
                return found;
            }
            let left = end.saturating_duration_since(Instant::now());
            let contents = shown.0.screen().contents();
            assert!(
                !shown.1,
                "the dashboard ended before\n{what}\nand this is on the screen:\n{contents}"
            );
            assert!(
                !left.is_zero(),
                "timed out waiting for\n{what}\nand this is on the screen:\n{contents}"
            );
            shown = self.shown.changed.wait_timeout(shown, left).unwrap().0;
        }
    }

    /// Resizes the terminal.
    pub(crate) fn resize(&self, columns: u16, lines: u16) {
        let mut parser = self.parser();
        parser.0.screen_mut().set_size(count(lines), count(columns));
        drop(parser);
        let (columns, lines) = (columns.to_string(), lines.to_string());
        let stty = ["-F", &self.name, "rows", &lines, "cols", &columns];
        assert!(Command::new("stty").args(stty).status().unwrap().success());
    }

    /// Sends the dashboard a signal.
    pub(crate) fn signal(&self, name: &str) {
        signal::send(name, &self.process);
    }

    /// Waits until the dashboard has ended, and checks that the terminal is restored: the main screen, a cursor, echo and
    /// line input. Returns the exit code and the main screen.
    #[track_caller]
    pub(crate) fn end(&mut self) -> (i32, String) {
        let screen = self.wait("the state of the terminal", |screen| {
            let text = screen.contents();
            text.contains(LAST_SETTING).then_some(text)
        });
        let parser = self.parser();
        let after = parser.0.screen();
        assert!(!after.alternate_screen(), "the alternate screen is left");
        assert!(!after.hide_cursor(), "the cursor is shown");
        drop(parser);
        let modes: Vec<&str> = screen.split_whitespace().collect();
        for mode in ["icanon", "echo", "isig", "opost", "icrnl"] {
            let is_set = |word: &&str| word.trim_end_matches(';') == mode;
            assert!(modes.iter().any(is_set), "{mode} is not set:\n{screen}");
        }
        let (_, code) = screen.split_once("exit ").unwrap();
        let code = code.split_whitespace().next().unwrap().parse().unwrap();
        self.press("\n");
        self.child.wait().unwrap();
        (code, screen)
    }

    /// Waits until the dashboard uses the screen, or no longer does.
    #[track_caller]
    pub(crate) fn await_taken(&self, taken: bool) {
        self.wait(&format!("an alternate screen: {taken}"), |screen| {
            (screen.alternate_screen() == taken).then_some(())
        });
    }

    /// Whether anything on the screen has a color.
    pub(crate) fn has_colors(&self) -> bool {
        let parser = self.parser();
        let screen = parser.0.screen();
        let (lines, columns) = screen.size();
        let columns = columns.get();
        let mut cells =
            (0..lines.get()).flat_map(|line| (0..columns).map(move |column| (line, column)));
        cells.any(|(line, column)| {
            let cell = screen.cell(line, column).unwrap();
            (cell.fgcolor(), cell.bgcolor()) != (vt100::Color::Default, vt100::Color::Default)
        })
    }

    fn parser(&self) -> MutexGuard<'_, (Parser, bool)> {
        self.shown.parser.lock().unwrap()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn count(cells: u16) -> NonZero<u16> {
    NonZero::new(cells).unwrap()
}

fn read(mut stdout: impl Read + Send + 'static, shown: Arc<Shown>) {
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        loop {
            let count = stdout.read(&mut bytes).unwrap_or(0);
            let mut parser = shown.parser.lock().unwrap();
            parser.0.process(&bytes[..count]);
            parser.1 = count == 0;
            shown.changed.notify_all();
            if count == 0 {
                return;
            }
        }
    });
}

/// A screen with the time of the clock masked.
fn timeless(screen: &str) -> String {
    let lines = screen.lines().map(|line| {
        let mut line = line.trim_end().to_owned();
        if let Some(at) = line.find("Z  live") {
            line.replace_range(at - 8..at, "hh:mm:ss");
        }
        line
    });
    let lines: Vec<String> = lines.collect();
    lines.join("\n").trim_end().to_owned()
}
