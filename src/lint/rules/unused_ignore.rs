use crate::lint::Found;
use crate::lint::ignore::Ignore;
use crate::rules;
use crate::spelling::nearest;

/// An ignore that keeps nothing back.
pub(in crate::lint) fn found(ignore: &Ignore) -> Found {
    let rule = &ignore.rule;
    if rules::find_lint_rule(rule).is_some() {
        let message = format!("{rule} is ignored here, and is not found here");
        return Found::new(&ignore.field, ignore.place, message);
    }
    let found = Found::new(
        &ignore.field,
        ignore.place,
        format!("no rule is called {rule}"),
    );
    match nearest(rule, rules::lint_rules().map(|(rule, _)| rule.name)) {
        Some(name) => found.help(format!("Did you mean {name}?")),
        None => found.help("kubectl cronjob-doctor lint --list shows all rules."),
    }
}
