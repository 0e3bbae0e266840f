//! The password of a PostgreSQL URL in the file that `PGPASSFILE` names, as libpq reads it.

use std::env;
use std::fs::File;
use std::io::Read as _;

use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// The largest file that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// The password for the first host of a configuration in the file that `PGPASSFILE` names; `None` if it names none, or
/// if no line of the file is about that host.
pub(super) fn password(config: &Config) -> Result<Option<String>, &'static str> {
    let Some(path) = env::var_os("PGPASSFILE").filter(|path| !path.is_empty()) else {
        return Ok(None);
    };
    let mut text = String::new();
    // Reading a device might not end.
    let read = File::open(path).and_then(|file| file.take(LARGEST).read_to_string(&mut text));
    read.map_err(|_| "the file that PGPASSFILE names cannot be read")?;
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name,
        _ => "localhost",
    };
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let user = config.get_user().unwrap_or_default();
    let database = config.get_dbname().unwrap_or(user);
    Ok(find(&text, [host, &port.to_string(), database, user]))
}

/// The password of the first line that matches: `host:port:database:user:password`, where `*` matches everything, and a
/// backslash is before a colon or a backslash that is meant literally.
fn find(text: &str, wanted: [&str; 4]) -> Option<String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let mut lines = lines.map(fields);
    lines.find_map(|fields| {
        let (password, fields) = fields.split_last()?;
        let matches = |(field, wanted): (&String, &str)| field == "*" || field == wanted;
        let is_whole = fields.len() == wanted.len();
        let mut pairs = fields.iter().zip(wanted);
        (is_whole && pairs.all(matches)).then(|| password.clone())
    })
}

/// The five fields of a line. The last one contains all that follows.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        let next = match c {
            ':' if fields.len() < 5 => {
                fields.push(String::new());
                continue;
            }
            '\\' => characters.next(),
            c => Some(c),
        };
        if let (Some(field), Some(next)) = (fields.last_mut(), next) {
            field.push(next);
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn first_line_that_matches_has_the_password() {
        let text = "# db:5432:runs:doctor:comment\n\
                    db:5432:runs:doctor\n\
                    other:5432:runs:doctor:other\n\
                    db:*:runs:doctor:a\\:b\\\\c:d\n\
                    *:*:*:*:last\n";
        let of = |host| find(text, [host, "5432", "runs", "doctor"]);
        assert_eq!(of("db").as_deref(), Some("a:b\\c:d"));
        assert_eq!(of("other").as_deref(), Some("other"));
        assert_eq!(of("third").as_deref(), Some("last"));
        assert_eq!(
            find("db:1:runs:doctor:x", ["db", "2", "runs", "doctor"]),
            None
        );
        assert_eq!(find("", ["db", "2", "runs", "doctor"]), None);
    }

    #[test]
    fn escaped_colon_belongs_to_its_field() {
        let text = r"[\:\:1]:5432:runs:doctor:secret".replace(r"\\", r"\");
        let found = find(&text, ["[::1]", "5432", "runs", "doctor"]);
        assert_eq!(found.as_deref(), Some("secret"));
    }
}
