//! The catalog of rules as Markdown.

use cronjob_doctor::output::lint::difference;
use cronjob_manifest::rules::{Rule, TOPICS};

/// The rules by topic: its title, the name of its page, and its rules.
fn topics() -> Vec<(&'static str, String, Vec<&'static Rule>)> {
    let mut topics: Vec<(&str, String, Vec<&Rule>)> = Vec::new();
    for (title, rules) in TOPICS {
        if let Some(topic) = topics.iter_mut().find(|topic| topic.0 == title) {
            topic.2.extend(rules);
        } else {
            let page = title.to_lowercase().replace(' ', "-");
            topics.push((title, page, rules.to_vec()));
        }
    }
    topics
}

/// A table of the rules of each topic, with links into its page.
pub(super) fn index() -> String {
    let mut text = String::new();
    for (title, page, rules) in topics() {
        text += &format!("\n## [{title}](rules/{page}.md)\n\n");
        text += "| rule | in a cluster | in manifests | |\n|---|---|---|---|\n";
        for Rule {
            name,
            title,
            finding,
            lint,
            ..
        } in rules
        {
            let finding = finding.as_ref().map_or("", |rule| rule.severity.as_str());
            let lint = lint.as_ref().map_or(String::new(), |rule| {
                format!("{} {}", rule.code, rule.severity_in_words())
            });
            text +=
                &format!("| [{name}](rules/{page}.md#{name}) | {finding} | {lint} | {title} |\n");
        }
    }
    text
}

/// The page of each topic: its name, and its text.
pub(super) fn pages() -> impl Iterator<Item = (String, String)> {
    topics().into_iter().map(|(title, page, rules)| {
        let text = format!("# Rules: {title}\n\n[All rules](../rules.md)\n");
        let text = rules.iter().fold(text, |text, rule| text + &entry(rule));
        (format!("rules/{page}"), text)
    })
}

fn entry(rule: &Rule) -> String {
    let Rule {
        name,
        title,
        reason,
        finding,
        lint,
    } = rule;
    let mut text = format!("\n## {name}\n\n**{title}**\n\n{reason}\n");
    if let Some(finding) = finding {
        let field = finding.field.map(|field| format!(", `{field}`"));
        text += &format!(
            "\nIn a cluster: {}{}. Example: `examples/findings/{name}.yaml`.\n",
            finding.severity.as_str(),
            field.unwrap_or_default()
        );
    }
    if let Some(lint) = lint {
        text += &format!(
            "\nIn manifests: {}, {}.{}\n\n```diff\n{}```\n",
            lint.code,
            lint.severity_in_words(),
            lint.remedy
                .map_or_else(String::new, |remedy| format!(" {remedy}")),
            difference(rule)
        );
    }
    text
}
