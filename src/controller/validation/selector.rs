//! A label selector as the API server shows it in an error.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::schedule::go_quote;

/// As JSON, or as Go writes values for programmers.
pub(super) fn shown(selector: &Value, as_json: bool) -> String {
    let selector = Selector::read(selector);
    if as_json {
        selector.json()
    } else {
        selector.go()
    }
}

/// The fields that the type has. Others never get as far as this.
struct Selector<'a> {
    labels: BTreeMap<&'a str, &'a str>,
    expressions: Vec<Expression<'a>>,
}

struct Expression<'a> {
    key: &'a str,
    operator: &'a str,
    values: Vec<&'a str>,
}

impl<'a> Selector<'a> {
    fn read(selector: &'a Value) -> Self {
        let labels = selector.get("matchLabels").and_then(Value::as_object);
        Selector {
            labels: labels
                .into_iter()
                .flatten()
                .map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default()))
                .collect(),
            expressions: list(selector, "matchExpressions")
                .map(Expression::read)
                .collect(),
        }
    }

    fn json(&self) -> String {
        let mut fields = Vec::new();
        if !self.labels.is_empty() {
            let labels = self.labels.iter();
            let labels = labels.map(|(key, value)| format!("{}:{}", json(key), json(value)));
            fields.push(format!("\"matchLabels\":{{{}}}", joined(labels, ",")));
        }
        if !self.expressions.is_empty() {
            let expressions = joined(self.expressions.iter().map(Expression::json), ",");
            fields.push(format!("\"matchExpressions\":[{expressions}]"));
        }
        format!("{{{}}}", fields.join(","))
    }

    fn go(&self) -> String {
        let labels = self.labels.iter();
        let labels = labels.map(|(key, value)| format!("{}:{}", go_quote(key), go_quote(value)));
        let labels = go_list("map[string]string", &joined(labels, ", "));
        let expressions = joined(self.expressions.iter().map(Expression::go), ", ");
        let expressions = go_list("[]v1.LabelSelectorRequirement", &expressions);
        format!("v1.LabelSelector{{MatchLabels:{labels}, MatchExpressions:{expressions}}}")
    }
}

impl<'a> Expression<'a> {
    fn read(expression: &'a Value) -> Self {
        let text = |name| expression.get(name).and_then(Value::as_str);
        Expression {
            key: text("key").unwrap_or_default(),
            operator: text("operator").unwrap_or_default(),
            values: list(expression, "values")
                .filter_map(Value::as_str)
                .collect(),
        }
    }

    fn json(&self) -> String {
        let Expression { key, operator, .. } = self;
        let (key, operator) = (json(key), json(operator));
        let values = if self.values.is_empty() {
            String::new()
        } else {
            let values = joined(self.values.iter().map(|value| json(value)), ",");
            format!(",\"values\":[{values}]")
        };
        format!("{{\"key\":{key},\"operator\":{operator}{values}}}")
    }

    fn go(&self) -> String {
        let (key, operator) = (go_quote(self.key), go_quote(self.operator));
        let values = joined(self.values.iter().map(|value| go_quote(value)), ", ");
        let values = go_list("[]string", &values);
        format!("v1.LabelSelectorRequirement{{Key:{key}, Operator:{operator}, Values:{values}}}")
    }
}

fn list<'a>(object: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    let items = object.get(name).and_then(Value::as_array);
    items.into_iter().flatten()
}

fn joined(items: impl Iterator<Item = String>, separator: &str) -> String {
    items.collect::<Vec<_>>().join(separator)
}

/// What is empty is nil here: it was left out.
fn go_list(r#type: &str, items: &str) -> String {
    if items.is_empty() {
        format!("{type}(nil)")
    } else {
        format!("{type}{{{items}}}")
    }
}

/// Go's JSON escapes what could end a script in a page.
fn json(text: &str) -> String {
    Value::from(text)
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::shown;

    #[test]
    fn both_ways_to_show_it() {
        let selector = json!({
            "matchLabels": {"b": "<2>", "a": "1"},
            "matchExpressions": [
                {"key": "tier", "operator": "In", "values": ["x", "y"]},
                {"key": "old", "operator": "Exists"},
            ],
        });
        assert_eq!(
            shown(&selector, true),
            r#"{"matchLabels":{"a":"1","b":"\u003c2\u003e"},"matchExpressions":[{"key":"tier","operator":"In","values":["x","y"]},{"key":"old","operator":"Exists"}]}"#
        );
        assert_eq!(
            shown(&selector, false),
            r#"v1.LabelSelector{MatchLabels:map[string]string{"a":"1", "b":"<2>"}, MatchExpressions:[]v1.LabelSelectorRequirement{v1.LabelSelectorRequirement{Key:"tier", Operator:"In", Values:[]string{"x", "y"}}, v1.LabelSelectorRequirement{Key:"old", Operator:"Exists", Values:[]string(nil)}}}"#
        );
        assert_eq!(shown(&json!({}), true), "{}");
        assert_eq!(
            shown(&json!({}), false),
            "v1.LabelSelector{MatchLabels:map[string]string(nil), \
             MatchExpressions:[]v1.LabelSelectorRequirement(nil)}"
        );
    }
}
