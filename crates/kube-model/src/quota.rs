//! The `ResourceQuota`, as far as it limits the number of Jobs.

use std::collections::HashMap;
use std::sync::Arc;

/// A `ResourceQuota`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResourceQuota {
    pub namespace: String,
    pub name: String,
    /// How many Jobs the namespace may have; `None` if the quota does not limit them.
    pub hard: Option<i64>,
    /// How many Jobs it has, as the quota controller counted them.
    pub used: Option<i64>,
    /// Whether it has scopes. Each of them selects pods, so that such a quota applies to no Job.
    pub is_scoped: bool,
}

impl ResourceQuota {
    /// The resource that stands for the number of Jobs.
    pub const JOBS: &str = "count/jobs.batch";

    /// How many more Jobs the API server accepts; `None` if the quota does not limit them.
    pub fn remaining(&self) -> Option<i64> {
        let (hard, used) = (self.hard?, self.used?);
        (!self.is_scoped).then(|| hard.saturating_sub(used))
    }

    /// Whether the API server accepts no more Jobs.
    pub fn is_full(&self) -> bool {
        self.remaining().is_some_and(|remaining| remaining < 1)
    }

    /// Those that limit the number of Jobs, by namespace.
    pub fn by_namespace(quotas: Vec<Self>) -> HashMap<String, Arc<[Self]>> {
        let mut of_namespace: HashMap<String, Vec<Self>> = HashMap::new();
        for quota in quotas
            .into_iter()
            .filter(|quota| quota.remaining().is_some())
        {
            let known = of_namespace.entry(quota.namespace.clone());
            known.or_default().push(quota);
        }
        let of_namespace = of_namespace.into_iter();
        let shared = |(namespace, quotas): (String, Vec<_>)| (namespace, quotas.into());
        of_namespace.map(shared).collect()
    }

    /// Reads a number of objects as the API writes it: `20`, `1k` or `1e3`.
    pub fn count(quantity: &str) -> Option<i64> {
        let end = quantity.find(|c: char| !c.is_ascii_digit());
        let (digits, suffix) = quantity.split_at(end.unwrap_or(quantity.len()));
        let exponent = |text: &str| 10_i64.checked_pow(text.parse().ok()?);
        let scale = match suffix {
            "" => 1,
            "k" => 1_000,
            "M" => 1_000_000,
            "G" => 1_000_000_000,
            "Ki" => 1 << 10,
            "Mi" => 1 << 20,
            "Gi" => 1 << 30,
            _ => exponent(suffix.strip_prefix(['e', 'E'])?)?,
        };
        digits.parse::<i64>().ok()?.checked_mul(scale)
    }
}

#[cfg(test)]
mod tests {
    use super::ResourceQuota;

    #[test]
    fn count_of_canonical_quantity_is_read() {
        for (quantity, expected) in [
            ("0", Some(0)),
            ("20", Some(20)),
            ("1k", Some(1_000)),
            ("2Ki", Some(2_048)),
            ("1e3", Some(1_000)),
            ("9223372036854775807k", None),
            ("1e99", None),
            ("500m", None),
            ("-1", None),
            ("", None),
            ("é", None),
        ] {
            assert_eq!(ResourceQuota::count(quantity), expected, "{quantity}");
        }
    }

    #[test]
    fn remainder_of_quota_with_scopes_is_unknown() {
        let quota = ResourceQuota {
            hard: Some(3),
            used: Some(4),
            ..ResourceQuota::default()
        };
        assert_eq!(quota.remaining(), Some(-1));
        let scoped = ResourceQuota {
            is_scoped: true,
            ..quota.clone()
        };
        assert_eq!(scoped.remaining(), None);
        let used = None;
        assert_eq!(ResourceQuota { used, ..quota }.remaining(), None);
    }
}
