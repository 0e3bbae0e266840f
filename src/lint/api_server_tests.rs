#[test]
fn values_that_can_be_corrected_are_fixed() {
    crate::lint::testing::check(CASES);
}

const CASES: &str = r#"
[invalid-value]
# Sunday is 0.
schedule: 0 2 * * 7
  7:13 Invalid value: "0 2 * * 7": end of range (7) above maximum (6): 7
  -7   schedule: 0 2 * * 7
  +7   schedule: 0 2 * * 0
schedule: '0 2 * * 1,7'
  7:13 Invalid value: "0 2 * * 1,7": end of range (7) above maximum (6): 7
  -7   schedule: '0 2 * * 1,7'
  +7   schedule: '0 2 * * 1,0'
schedule: 0 2 * * 5-7
  7:13 Invalid value: "0 2 * * 5-7": end of range (7) above maximum (6): 5-7
  -7   schedule: 0 2 * * 5-7
  +7   schedule: 0 2 * * 5-6,0
schedule: "0 2 * * 6-7"
  7:13 Invalid value: "0 2 * * 6-7": end of range (7) above maximum (6): 6-7
  -7   schedule: "0 2 * * 6-7"
  +7   schedule: "0 2 * * 6,0"
# Every day of the week is better said with a star, and a step over Sunday means nothing here.
schedule: 0 2 * * 0-7
  7:13 Invalid value: "0 2 * * 0-7": end of range (7) above maximum (6): 0-7
schedule: 0 2 * * 1-7/2
  7:13 Invalid value: "0 2 * * 1-7/2": end of range (7) above maximum (6): 1-7/2
schedule: 0 2 * * 8
  7:13 Invalid value: "0 2 * * 8": end of range (8) above maximum (6): 8
# A zone moves to its field.
schedule: CRON_TZ=Europe/Berlin 0 2 * * *
  7:13 Invalid value: "CRON_TZ=Europe/Berlin 0 2 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead
  -7   schedule: CRON_TZ=Europe/Berlin 0 2 * * *
  +7   schedule: 0 2 * * *
  +16   timeZone: Europe/Berlin
schedule: TZ=Europe/Nowhere 0 2 * * *
  7:13 Invalid value: "TZ=Europe/Nowhere 0 2 * * *": provided bad location Europe/Nowhere: unknown time zone Europe/Nowhere
  7:13 Invalid value: "TZ=Europe/Nowhere 0 2 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead
schedule: TZ=Europe/Berlin 0 2 * *
  7:13 Invalid value: "TZ=Europe/Berlin 0 2 * *": expected exactly 5 fields, found 4: [0 2 * *]
  7:13 Invalid value: "TZ=Europe/Berlin 0 2 * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead
schedule: TZ=Europe/Berlin 0 2 * * * | timeZone: Etc/UTC
  7:13 Invalid value: "TZ=Europe/Berlin 0 2 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead
# Letters of the wrong case.
schedule: 0 2 * * * | timeZone: europe/berlin
  8:13 Invalid value: "europe/berlin": unknown time zone europe/berlin
  -8   timeZone: europe/berlin
  +8   timeZone: Europe/Berlin

[unsupported-value]
schedule: 0 2 * * * | concurrencyPolicy: 'forbid'
  8:22 Unsupported value: "forbid": supported values: "Allow", "Forbid", "Replace"
  -8   concurrencyPolicy: 'forbid'
  +8   concurrencyPolicy: 'Forbid'

[unknown-field]
Schedule: 0 2 * * *
  7:3 unknown field "spec.Schedule"
  -7   Schedule: 0 2 * * *
  +7   schedule: 0 2 * * *
# The right one is there already.
schedule: 0 2 * * * | Schedule: 0 3 * * *
  8:3 unknown field "spec.Schedule"
# Another word is a guess.
shedule: 0 2 * * *
  7:3 unknown field "spec.shedule"

[wrong-type]
schedule: 0 2 * * * | startingDeadlineSeconds: "300"
  8:28 json: cannot unmarshal string into Go struct field CronJobSpec.spec.startingDeadlineSeconds of type int64
  -8   startingDeadlineSeconds: "300"
  +8   startingDeadlineSeconds: 300
schedule: 0 2 * * * | suspend: 'true'
  8:12 json: cannot unmarshal string into Go struct field CronJobSpec.spec.suspend of type bool
  -8   suspend: 'true'
  +8   suspend: true
# Quotes alone do not make a schedule of a number.
schedule: 5
  7:13 json: cannot unmarshal number into Go struct field CronJobSpec.spec.schedule of type string
schedule: 0 2 * * * | suspend: 'yes'
  8:12 json: cannot unmarshal string into Go struct field CronJobSpec.spec.suspend of type bool

[unserved-version] schedule: 0 2 * * *
@1.25 batch/v1 => batch/v1beta1
  1:13 no matches for kind "CronJob" in version "batch/v1beta1"
  -1 apiVersion: batch/v1beta1
  +1 apiVersion: batch/v1
@1.24 batch/v1 => batch/v1beta1
@1.20 batch/v1 => batch/v2alpha1

# restartPolicy is changed where only one value is valid. The default, Always, is not valid either.
[missing-value help] schedule: 0 2 * * *
restartPolicy: Never => restartPolicy: Always
  12:26 Required value: valid values: "OnFailure", "Never"
  help: Set restartPolicy: OnFailure or Never; Always is not valid for pods of a Job.
restartPolicy: Never\n           =>
  11:9 Required value: valid values: "OnFailure", "Never"
  help: Set restartPolicy: OnFailure or Never; Always is not valid for pods of a Job.
restartPolicy: Never => restartPolicy: Always | job.podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: A, status: 'True'}]}]}
  13:26 Required value: valid values: "OnFailure", "Never"
  help: Set restartPolicy: Never, the only value that podFailurePolicy allows.
  -13           restartPolicy: Always
  +13           restartPolicy: Never

[unsupported-value help] schedule: 0 2 * * *
@1.21 restartPolicy: Never => restartPolicy: Always
  12:26 Unsupported value: "Always": supported values: "OnFailure", "Never"
  help: Set restartPolicy: OnFailure or Never; Always is not valid for pods of a Job.
# Another word in the wrong case is that word.
restartPolicy: Never => restartPolicy: never
  12:26 Unsupported value: "never": supported values: "Always", "OnFailure", "Never"
  help: Did you mean Never?
  12:26 Unsupported value: "never": supported values: "OnFailure", "Never"
  help: Did you mean Never?
  -12           restartPolicy: never
  +12           restartPolicy: Never
restartPolicy: Never => restartPolicy: Sometimes
  12:26 Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"
  help: Use one of the values in the message.
  12:26 Unsupported value: "Sometimes": supported values: "OnFailure", "Never"
  help: Use one of the values in the message.

# kubectl looks for the version first, the API server then decodes the object, and only then checks
# rules: one run finds the errors of all stages, and does not report the misspelled field as missing, too.
[unserved-version] schedule: 0 2 * * * | concurrencyPolicy: Sometimes | batch/v1 => batch/v1beta1 | image: => imag:
.
  1:13 no matches for kind "CronJob" in version "batch/v1beta1"
  -1 apiVersion: batch/v1beta1
  +1 apiVersion: batch/v1
[unknown-field] schedule: 0 2 * * * | concurrencyPolicy: Sometimes | batch/v1 => batch/v1beta1 | image: => imag:
.
  16:13 unknown field "spec.jobTemplate.spec.template.spec.containers[0].imag"
[unsupported-value] schedule: 0 2 * * * | concurrencyPolicy: Sometimes | batch/v1 => batch/v1beta1 | image: => imag:
.
  8:22 Unsupported value: "Sometimes": supported values: "Allow", "Forbid", "Replace"
[missing-value] schedule: 0 2 * * * | concurrencyPolicy: Sometimes | batch/v1 => batch/v1beta1 | image: => imag:
.
"#;
