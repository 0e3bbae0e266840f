//! What krew asks of a manifest: the rules of `validate-krew-manifest`, of the paths that it extracts, and
//! of its guides for authors.

use serde_json::Value;

/// The file's name without its extension.
const NAME: &str = "cronjob-doctor";

/// The pairs of system and architecture that krew knows.
const PLATFORMS: [(&str, &str); 11] = [
    ("windows", "386"),
    ("windows", "amd64"),
    ("windows", "arm64"),
    ("linux", "386"),
    ("linux", "amd64"),
    ("linux", "arm"),
    ("linux", "arm64"),
    ("linux", "ppc64le"),
    ("darwin", "386"),
    ("darwin", "amd64"),
    ("darwin", "arm64"),
];

fn is_safe_name(name: &str) -> bool {
    const OF_WINDOWS: [&str; 4] = ["con", "prn", "aux", "nul"];
    let name = name.to_ascii_lowercase();
    let is_port = (name.starts_with("com") || name.starts_with("lpt")) && name.len() == 4;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !name.is_empty()
        && name.chars().all(is_word)
        && !OF_WINDOWS.contains(&name.as_str())
        && !is_port
}

/// `v1.2.3`, with or without what follows a dash or a plus.
fn is_version(version: &str) -> bool {
    let Some(version) = version.strip_prefix('v') else {
        return false;
    };
    let core = version.split(['-', '+']).next().unwrap();
    let numbers: Vec<&str> = core.split('.').collect();
    let is_number = |text: &&str| {
        let no_zero_first = *text == "0" || !text.starts_with('0');
        !text.is_empty() && no_zero_first && text.chars().all(|c| c.is_ascii_digit())
    };
    numbers.len() == 3 && numbers.iter().all(is_number)
}

/// Whether krew refuses the path: it must lead to nowhere outside.
fn leads_out(path: &str) -> bool {
    path.contains("..") || path.starts_with('/') || path.contains('\\')
}

fn matches(selector: &Value, os: &str, arch: &str) -> bool {
    let labels = selector["matchLabels"].as_object();
    labels.is_some_and(|labels| {
        labels.iter().all(|(key, value)| match key.as_str() {
            "os" => value == os,
            "arch" => value == arch,
            _ => false,
        })
    })
}

/// What krew has against a manifest in `cronjob-doctor.yaml`.
pub(crate) fn validate(manifest: &Value) -> Vec<String> {
    let mut errors = Vec::new();
    let mut check = |holds: bool, rule: &str| {
        if !holds {
            errors.push(rule.to_owned());
        }
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    check(
        manifest["apiVersion"] == "krew.googlecontainertools.github.com/v1alpha2",
        "apiVersion",
    );
    check(manifest["kind"] == "Plugin", "kind");
    let name = text(&manifest["metadata"]["name"]);
    check(is_safe_name(&name), "a safe name");
    check(name == NAME, "named as the file");
    let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    check(name.chars().all(kebab), "kebab-case");
    let spec = &manifest["spec"];
    let short = text(&spec["shortDescription"]);
    check(!short.is_empty(), "shortDescription");
    check(
        !short.contains(['\r', '\n']),
        "shortDescription is one line",
    );
    check(short.len() < 50, "shortDescription is short");
    check(!text(&spec["description"]).is_empty(), "description");
    check(text(&spec["homepage"]).starts_with("https://"), "homepage");
    check(is_version(&text(&spec["version"])), "version");
    let none = Vec::new();
    let platforms = spec["platforms"].as_array().unwrap_or(&none);
    check(!platforms.is_empty(), "platforms");
    for platform in platforms {
        let uri = text(&platform["uri"]);
        check(uri.starts_with("https://"), "uri");
        let is_archive = [".tar.gz", ".zip"].iter().any(|end| uri.ends_with(end));
        check(is_archive, "uri of an archive");
        let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
        let sum = text(&platform["sha256"]);
        check(sum.len() == 64 && sum.chars().all(hex), "sha256");
        let selector = &platform["selector"];
        let labels = selector["matchLabels"].as_object();
        check(labels.is_some_and(|labels| !labels.is_empty()), "selector");
        let known = labels
            .into_iter()
            .flatten()
            .all(|(key, _)| key == "os" || key == "arch");
        check(known, "selector of os and arch");
        let mut pairs = PLATFORMS.iter();
        check(
            pairs.any(|(os, arch)| matches(selector, os, arch)),
            "selector of a known platform",
        );
        let bin = text(&platform["bin"]);
        check(!bin.is_empty() && !leads_out(&bin), "bin");
        let is_exe = bin.strip_suffix(".exe").is_some();
        let is_windows = selector["matchLabels"]["os"] == "windows";
        check(is_exe == is_windows, "bin as the system has it");
        let files = platform["files"].as_array().unwrap_or(&none);
        check(!files.is_empty(), "files");
        let ends = |file: &Value| [text(&file["from"]), text(&file["to"])];
        let whole = |file: &Value| ends(file).iter().all(|end| !end.is_empty());
        check(files.iter().all(whole), "files from and to");
        let inside = |file: &Value| !ends(file).iter().any(|end| leads_out(end));
        check(files.iter().all(inside), "files inside");
        let extracted = |name: &str| files.iter().any(|file| file["from"] == name);
        check(extracted(&bin), "bin among the files");
        check(extracted("LICENSE"), "the licence among the files");
    }
    for (os, arch) in PLATFORMS {
        let platforms = platforms.iter();
        let several = platforms.filter(|one| matches(&one["selector"], os, arch));
        check(several.count() < 2, "selectors that do not overlap");
    }
    errors
}
