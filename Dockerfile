# syntax=docker/dockerfile:1
#
# Images around the static binary of a release. It lies in dist/, in a folder for each platform; by
# hand, for one of them:
#
#     cargo build --release --locked --target x86_64-unknown-linux-musl
#     install -D target/x86_64-unknown-linux-musl/release/kubectl-cronjob_doctor \
#         dist/linux/amd64/kubectl-cronjob_doctor
#     docker build -t cronjob-doctor .

# With a shell and curl beside it, for deploy/nightly.yaml, which pushes metrics: `--target curl`.
FROM docker.io/curlimages/curl:8.12.1 AS curl
ARG TARGETPLATFORM
COPY --chmod=0755 dist/${TARGETPLATFORM}/kubectl-cronjob_doctor /usr/local/bin/kubectl-cronjob_doctor
COPY LICENSE /usr/local/share/cronjob-doctor/LICENSE
LABEL org.opencontainers.image.title="cronjob-doctor with curl" \
      org.opencontainers.image.description="Tells what the Kubernetes CronJob controller will do with a CronJob, when, and why" \
      org.opencontainers.image.licenses="Apache-2.0"
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/kubectl-cronjob_doctor"]

# The binary and nothing else. Being last, it is what is built without --target.
FROM scratch AS plain
ARG TARGETPLATFORM
COPY --chmod=0755 dist/${TARGETPLATFORM}/kubectl-cronjob_doctor /kubectl-cronjob_doctor
COPY LICENSE /LICENSE
LABEL org.opencontainers.image.title="cronjob-doctor" \
      org.opencontainers.image.description="Tells what the Kubernetes CronJob controller will do with a CronJob, when, and why" \
      org.opencontainers.image.licenses="Apache-2.0"
USER 65532:65532
ENTRYPOINT ["/kubectl-cronjob_doctor"]
