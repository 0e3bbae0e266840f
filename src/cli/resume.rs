pub(super) fn run(
    _: &super::args::Global,
    _: &super::args::Connection,
    _: &super::args::Resume,
) -> anyhow::Result<super::Outcome> {
    anyhow::bail!("soon")
}
