//! Containers that were killed because they used too much memory.

use serde_json::Value;

use super::super::{Input, one_line};
use crate::kubectl::Command;
use kube_model::{ContainerKind, ContainerStatus, Pod};

/// A container that was killed because it used too much memory.
pub(crate) struct OutOfMemory<'a> {
    container: &'a str,
    /// `resources.limits.memory` of the container that was killed.
    limit: Option<&'a str>,
    /// `resources.limits.memory` in the Job template of the `CronJob`, which may have been changed since.
    limit_now: Option<String>,
}

impl<'a> OutOfMemory<'a> {
    /// The container, if it was killed so and the Job template has it.
    pub(super) fn of(input: &Input<'_>, pod: &Pod, container: &'a ContainerStatus) -> Option<Self> {
        let end = container.terminated.as_ref()?;
        if end.reason != "OOMKilled" {
            return None;
        }
        let template = &input.cron_job.spec.job_template;
        let spec = template.pointer("/spec/template/spec")?;
        let list = |name| spec.get(name).and_then(Value::as_array);
        let ordinary = list("containers").map_or(&[][..], Vec::as_slice);
        let mut lists = list("initContainers").into_iter().flatten().chain(ordinary);
        let named = lists
            .find(|written| written.get("name").and_then(Value::as_str) == Some(&container.name));
        let written = named.or_else(|| match ordinary {
            _ if !is_single(pod, container) => None,
            // Of a template that was read from a cluster, the name of a single container is not kept, nor the
            // container if it has no limit.
            [] => Some(&Value::Null),
            [only] if only.get("name").is_none() => Some(only),
            _ => None,
        })?;
        let limit_now = written.pointer("/resources/limits/memory");
        let text = |limit: &Value| limit.as_str().map_or_else(|| limit.to_string(), one_line);
        Some(OutOfMemory {
            container: &container.name,
            limit: container.memory_limit.as_deref(),
            limit_now: limit_now.filter(|limit| !limit.is_null()).map(text),
        })
    }

    /// The limit, as a sentence.
    pub(crate) fn sentence(&self) -> String {
        let container = one_line(self.container);
        match self.limit {
            Some(limit) => {
                let limit = one_line(limit);
                format!("The memory limit of container {container} was {limit}.")
            }
            None => {
                format!("Container {container} had no memory limit, so its node ran out of memory.")
            }
        }
    }

    /// What the CronJob has now, if that is more than the container had: `a memory limit of 256Mi`
    pub(crate) fn raised(&self) -> Option<String> {
        let now = self.limit_now.as_deref()?;
        let is_more = match self.limit {
            Some(then) => bytes(now)? > bytes(then)?,
            None => true,
        };
        is_more.then(|| format!("a memory limit of {now}"))
    }

    /// Raises the limit in later Jobs; `None` if it cannot be read.
    pub(super) fn remedy(&self, input: &Input<'_>) -> Option<Command> {
        let set = input.kubectl("set resources");
        let set = set.name(&format!("cronjob/{}", input.cron_job.name));
        let set = set.value("-c", self.container);
        if let Some(limit) = self.limit {
            let memory = format!("memory={}", twice(limit)?);
            return Some(set.value("--limits=", &memory));
        }
        let memory = format!("memory={EXAMPLE}");
        let set = set.value("--requests=", &memory);
        let set = set.value("--limits=", &memory);
        Some(set.comment("or as much as the container needs"))
    }
}

/// Whether it is the only container of its pod, not counting init containers.
fn is_single(pod: &Pod, container: &ContainerStatus) -> bool {
    let ordinary = |one: &&ContainerStatus| one.kind == ContainerKind::Ordinary;
    ordinary(&container) && pod.containers.iter().filter(ordinary).count() == 1
}

const EXAMPLE: &str = "1Gi";
/// The units of quantities of memory, each followed by the next larger one of its kind.
const UNITS: [&str; 9] = ["", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti"];
/// The number of those whose factor is a power of 1,000.
const DECIMAL_UNITS: u32 = 5;

/// The number of a quantity, and the place of its unit.
fn parts(quantity: &str) -> Option<(u64, usize)> {
    let end = quantity.find(|c: char| !c.is_ascii_digit());
    let (number, unit) = quantity.split_at_checked(end.unwrap_or(quantity.len()))?;
    let place = UNITS.iter().position(|known| *known == unit)?;
    Some((number.parse().ok()?, place))
}

/// A quantity in bytes.
fn bytes(quantity: &str) -> Option<u128> {
    let (number, place) = parts(quantity)?;
    let place = u32::try_from(place).ok()?;
    let factor: u128 = match place.checked_sub(DECIMAL_UNITS) {
        Some(binary) => 1_024_u128.pow(binary + 1),
        None => 1_000_u128.pow(place),
    };
    Some(u128::from(number) * factor)
}

/// Twice a quantity: `512Mi` becomes `1Gi`.
fn twice(quantity: &str) -> Option<String> {
    let (number, place) = parts(quantity)?;
    let more = number.checked_mul(2)?;
    let unit = UNITS.get(place)?;
    let is_binary = unit.ends_with('i');
    let next = UNITS
        .get(place + 1)
        .filter(|next| is_binary && next.ends_with('i'));
    Some(match next {
        Some(next) if more > 0 && more % 1_024 == 0 => format!("{}{next}", more / 1_024),
        _ => format!("{more}{unit}"),
    })
}

#[cfg(test)]
mod tests {
    use super::{bytes, twice};

    #[test]
    fn twice_a_quantity_keeps_its_unit_or_takes_the_next_one() {
        let expected = [
            ("256Mi", "512Mi"),
            ("512Mi", "1Gi"),
            ("1Gi", "2Gi"),
            ("100M", "200M"),
            ("134217728", "268435456"),
            ("512Ti", "1024Ti"),
        ];
        for (quantity, more) in expected {
            assert_eq!(twice(quantity).as_deref(), Some(more), "{quantity}");
        }
        for unreadable in ["", "1.5Gi", "1e9", "128mi", "-1Gi", "99999999999999999999"] {
            assert_eq!(twice(unreadable), None, "{unreadable}");
        }
    }

    #[test]
    fn quantities_of_different_units_are_compared_in_bytes() {
        let expected = [
            ("0", 0),
            ("1000", 1_000),
            ("3M", 3_000_000),
            ("2Ki", 2_048),
            ("1Gi", 1_073_741_824),
        ];
        for (quantity, number) in expected {
            assert_eq!(bytes(quantity), Some(number), "{quantity}");
        }
        assert_eq!(bytes("1.5Gi"), None);
    }
}
