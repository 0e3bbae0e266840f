# Images with the static binary of a release. The release workflow puts a binary for each platform
# into dist/. To build an image for one platform locally:
#
#     cargo build --release --locked --target x86_64-unknown-linux-musl
#     install -D target/x86_64-unknown-linux-musl/release/kubectl-cronjob_doctor \
#         dist/linux/amd64/kubectl-cronjob_doctor
#     release/notices x86_64-unknown-linux-musl > dist/linux/amd64/THIRD-PARTY-NOTICES
#     docker build -t cronjob-doctor .

# `--target curl`: the binary, a shell and curl, for deploy/nightly.yaml, which pushes metrics.
FROM docker.io/curlimages/curl:8.21.0@sha256:7c12af72ceb38b7432ab85e1a265cff6ae58e06f95539d539b654f2cfa64bb13 AS curl
ARG TARGETPLATFORM
COPY --chmod=0755 dist/${TARGETPLATFORM}/kubectl-cronjob_doctor /usr/local/bin/kubectl-cronjob_doctor
COPY LICENSE dist/${TARGETPLATFORM}/THIRD-PARTY-NOTICES /usr/local/share/cronjob-doctor/
LABEL org.opencontainers.image.title="cronjob-doctor with curl" \
      org.opencontainers.image.description="Explain and predict what the Kubernetes CronJob controller will do" \
      org.opencontainers.image.licenses="Apache-2.0"
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/kubectl-cronjob_doctor"]

# Only the binary. The last stage is the default target.
FROM scratch AS plain
ARG TARGETPLATFORM
COPY --chmod=0755 dist/${TARGETPLATFORM}/kubectl-cronjob_doctor /kubectl-cronjob_doctor
COPY LICENSE dist/${TARGETPLATFORM}/THIRD-PARTY-NOTICES /
LABEL org.opencontainers.image.title="cronjob-doctor" \
      org.opencontainers.image.description="Explain and predict what the Kubernetes CronJob controller will do" \
      org.opencontainers.image.licenses="Apache-2.0"
USER 65532:65532
ENTRYPOINT ["/kubectl-cronjob_doctor"]
