use std::collections::HashMap;
use std::path::Path;

use crate::lint::{Accusation, Context, Found, Sighting};

/// What is applied together: a file, or the files of a folder. The same name in other folders is
/// mostly the same CronJob for another cluster.
type Key<'a> = (&'a Path, Option<&'a str>, &'a str);

pub(super) fn check(sightings: &[Sighting], _: &Context<'_>) -> Vec<Accusation> {
    let mut known: HashMap<Key<'_>, &Sighting> = HashMap::new();
    let mut accusations = Vec::new();
    for (of, sighting) in sightings.iter().enumerate() {
        // A patch for kustomize has the name of what it patches, and mostly no schedule.
        let Some(name) = sighting
            .object
            .name
            .as_deref()
            .filter(|_| sighting.schedule.is_some())
        else {
            continue;
        };
        let folder = Path::new(&*sighting.file).parent().unwrap_or(Path::new(""));
        let key = (folder, sighting.object.namespace.as_deref(), name);
        match known.get(&key) {
            Some(first) => accusations.push(accuse(of, sighting, first)),
            None => {
                known.insert(key, sighting);
            }
        }
    }
    accusations
}

fn accuse(of: usize, sighting: &Sighting, first: &Sighting) -> Accusation {
    let line = first.name.place.line;
    let place = if first.file == sighting.file {
        format!("on line {line}")
    } else {
        format!("in {}:{line}", first.file)
    };
    let message = format!(
        "{} is the name of the CronJob {place} already",
        sighting.called()
    );
    Accusation {
        of,
        found: Found::new("metadata.name", sighting.name.place, message),
    }
}

#[cfg(test)]
mod tests {
    use crate::lint::testing::{found, spec};

    fn messages(texts: &[String]) -> Vec<String> {
        found("same-name-twice", "1.36", &texts.join("---\n"))
    }

    #[test]
    fn the_second_is_told_where_the_first_is() {
        let one = spec("schedule: 0 6 * * *");
        let message = "20:9 shop/report is the name of the CronJob on line 4 already";
        assert_eq!(messages(&[one.clone(), one.clone()]), [message]);
        let elsewhere = one.replace("namespace: shop", "namespace: depot");
        let nowhere = one.replace("  namespace: shop\n", "");
        assert!(messages(&[one.clone(), elsewhere, nowhere]).is_empty());
        let generated = one.replace("  name: report\n", "  generateName: report-\n");
        assert!(messages(&[generated.clone(), generated]).is_empty());
        let patch = one.replace("  schedule: 0 6 * * *\n", "");
        assert!(messages(&[one, patch]).is_empty());
    }
}
