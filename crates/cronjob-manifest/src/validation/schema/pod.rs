//! The fields of the pod template and of containers.

use super::super::formats;
use super::Constraint::{AtMost, Form, NonNegative, OneOf, OneOfOrEmpty, Range, Required};
use super::meta::{
    LabelSelector, LocalObjectReference, ObjectFieldSelector, ObjectMeta, ResourceFieldSelector,
};
use super::volume::Volume;
use super::{FieldShape, NEVER, SchemaField, SchemaType};

const MAX_INT32: i64 = i32::MAX as i64;

types! {
    PodTemplateSpec {
        metadata: ObjectMeta,
        spec: PodSpec,
    }
    PodSpec {
        volumes: [Volume],
        initContainers: [Container],
        containers: [Container],
        ephemeralContainers: [EphemeralContainer] on 23,
        restartPolicy: (text "v1.RestartPolicy"),
        terminationGracePeriodSeconds: int64,
        activeDeadlineSeconds: int64 [Range(1, MAX_INT32)],
        dnsPolicy: (text "v1.DNSPolicy") [OneOfOrEmpty(&["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"])],
        nodeSelector: {text},
        serviceAccountName: text [Form(formats::subdomain)],
        serviceAccount: text,
        automountServiceAccountToken: bool,
        nodeName: text [Form(formats::subdomain)],
        hostNetwork: bool,
        hostPID: bool,
        hostIPC: bool,
        shareProcessNamespace: bool,
        securityContext: PodSecurityContext,
        imagePullSecrets: [LocalObjectReference],
        hostname: text [Form(formats::label)],
        subdomain: text [Form(formats::label)],
        affinity: Affinity,
        schedulerName: text,
        tolerations: [Toleration],
        hostAliases: [HostAlias],
        priorityClassName: text [Form(formats::subdomain)],
        priority: int32,
        dnsConfig: PodDNSConfig,
        readinessGates: [PodReadinessGate],
        runtimeClassName: text,
        enableServiceLinks: bool,
        preemptionPolicy: (text "v1.PreemptionPolicy"),
        overhead: resources,
        topologySpreadConstraints: [TopologySpreadConstraint],
        setHostnameAsFQDN: bool,
        os: PodOS since 23 on 24,
        hostUsers: bool since 25 on 33,
        schedulingGates: [PodSchedulingGate] since 26 on 27,
        resourceClaims: [PodResourceClaim] since 26 on 34,
        resources: ResourceRequirements since 32 on 34,
        hostnameOverride: text since 34 on 35,
        schedulingGroup: PodSchedulingGroup since 36 on NEVER,
        evictionResponders: [EvictionResponder] since 37,
    }
    PodSecurityContext {
        seLinuxOptions: SELinuxOptions,
        windowsOptions: WindowsSecurityContextOptions,
        runAsUser: int64 [Range(0, MAX_INT32)],
        runAsGroup: int64 [Range(0, MAX_INT32)],
        runAsNonRoot: bool,
        supplementalGroups: [int64],
        supplementalGroupsPolicy: (text "v1.SupplementalGroupsPolicy") since 31 on 33 [OneOf(&["Merge", "Strict"])],
        fsGroup: int64 [Range(0, MAX_INT32)],
        sysctls: [Sysctl],
        fsGroupChangePolicy: (text "v1.PodFSGroupChangePolicy") [OneOf(&["Always", "OnRootMismatch"])],
        seccompProfile: SeccompProfile since 19,
        appArmorProfile: AppArmorProfile since 30,
        seLinuxChangePolicy: (text "v1.PodSELinuxChangePolicy") since 32 on 33 [OneOf(&["Recursive"])],
    }
    Sysctl {
        name: text,
        value: text,
    }
    Affinity {
        nodeAffinity: NodeAffinity,
        podAffinity: PodAffinity,
        podAntiAffinity: PodAntiAffinity,
    }
    NodeAffinity {
        requiredDuringSchedulingIgnoredDuringExecution: NodeSelector,
        preferredDuringSchedulingIgnoredDuringExecution: [PreferredSchedulingTerm],
    }
    NodeSelector {
        nodeSelectorTerms: [NodeSelectorTerm],
    }
    NodeSelectorTerm {
        matchExpressions: [NodeSelectorRequirement],
        matchFields: [NodeSelectorRequirement],
    }
    NodeSelectorRequirement {
        key: text,
        operator: (text "v1.NodeSelectorOperator"),
        values: [text],
    }
    PreferredSchedulingTerm {
        weight: int32,
        preference: NodeSelectorTerm,
    }
    PodAffinity {
        requiredDuringSchedulingIgnoredDuringExecution: [PodAffinityTerm],
        preferredDuringSchedulingIgnoredDuringExecution: [WeightedPodAffinityTerm],
    }
    PodAffinityTerm {
        labelSelector: LabelSelector,
        namespaces: [text],
        topologyKey: text,
        namespaceSelector: LabelSelector since 21 on 22,
        matchLabelKeys: [text] since 29 on 31,
        mismatchLabelKeys: [text] since 29 on 31,
    }
    WeightedPodAffinityTerm {
        weight: int32,
        podAffinityTerm: PodAffinityTerm,
    }
    PodAntiAffinity {
        requiredDuringSchedulingIgnoredDuringExecution: [PodAffinityTerm],
        preferredDuringSchedulingIgnoredDuringExecution: [WeightedPodAffinityTerm],
    }
    Toleration {
        key: text,
        operator: (text "v1.TolerationOperator"),
        value: text,
        effect: (text "v1.TaintEffect") [OneOfOrEmpty(&["NoSchedule", "PreferNoSchedule", "NoExecute"])],
        tolerationSeconds: int64,
    }
    HostAlias {
        ip: text,
        hostnames: [text],
    }
    PodDNSConfig {
        nameservers: [text],
        searches: [text],
        options: [PodDNSConfigOption],
    }
    PodDNSConfigOption {
        name: text,
        value: text,
    }
    PodReadinessGate {
        conditionType: (text "v1.PodConditionType"),
    }
    TopologySpreadConstraint {
        maxSkew: int32,
        topologyKey: text,
        whenUnsatisfiable: (text "v1.UnsatisfiableConstraintAction"),
        labelSelector: LabelSelector,
        minDomains: int32 since 24 on 27,
        nodeAffinityPolicy: (text "v1.NodeInclusionPolicy") since 25 on 26 [OneOf(&["Honor", "Ignore"])],
        nodeTaintsPolicy: (text "v1.NodeInclusionPolicy") since 25 on 26 [OneOf(&["Honor", "Ignore"])],
        matchLabelKeys: [text] since 25 on 27,
    }
    PodOS {
        name: (text "v1.OSName"),
    }
    PodSchedulingGate {
        name: text,
    }
    PodResourceClaim {
        name: text,
        source: ClaimSource since 26 until 30,
        resourceClaimName: text since 31,
        resourceClaimTemplateName: text since 31,
    }
    ClaimSource {
        resourceClaimName: text,
        resourceClaimTemplateName: text,
    }
    PodSchedulingGroup {
        podGroupName: text,
    }
    EvictionResponder {
        name: text,
        priority: int32,
    }
    Container {
        name: text [Required, Form(formats::label)],
        image: text [Required],
        command: [text],
        args: [text],
        workingDir: text,
        ports: [ContainerPort],
        envFrom: [EnvFromSource],
        env: [EnvVar],
        resources: ResourceRequirements,
        resizePolicy: [ContainerResizePolicy] since 27 on 33,
        restartPolicy: (text "v1.ContainerRestartPolicy") since 28 on 29 [OneOf(&["Always", "Never", "OnFailure"])],
        restartPolicyRules: [ContainerRestartRule] since 34 on 35 [AtMost(20)],
        volumeMounts: [VolumeMount],
        volumeDevices: [VolumeDevice],
        livenessProbe: Probe,
        readinessProbe: Probe,
        startupProbe: Probe,
        lifecycle: Lifecycle,
        terminationMessagePath: text,
        terminationMessagePolicy: (text "v1.TerminationMessagePolicy") [OneOfOrEmpty(&["File", "FallbackToLogsOnError"])],
        imagePullPolicy: (text "v1.PullPolicy") [OneOfOrEmpty(&["Always", "IfNotPresent", "Never"])],
        securityContext: SecurityContext,
        stdin: bool,
        stdinOnce: bool,
        tty: bool,
    }
    EphemeralContainer embeds Container as EphemeralContainerCommon {
        targetContainerName: text,
    }
    ContainerPort {
        name: text,
        hostPort: int32,
        containerPort: int32,
        protocol: (text "v1.Protocol") [OneOfOrEmpty(&["SCTP", "TCP", "UDP"])],
        hostIP: text,
    }
    EnvVar {
        name: text [Required, Form(formats::environment_variable)],
        value: text,
        valueFrom: EnvVarSource,
    }
    EnvVarSource {
        fieldRef: ObjectFieldSelector,
        resourceFieldRef: ResourceFieldSelector,
        configMapKeyRef: ConfigMapKeySelector,
        secretKeyRef: SecretKeySelector,
        fileKeyRef: FileKeySelector since 34 on 35,
    }
    ConfigMapKeySelector {
        name: text inside LocalObjectReference,
        key: text,
        optional: bool,
    }
    SecretKeySelector {
        name: text inside LocalObjectReference,
        key: text [Required, Form(formats::config_key)],
        optional: bool,
    }
    FileKeySelector {
        volumeName: text [Required, Form(formats::label)],
        path: text [Required, Form(formats::path_without_steps_back)],
        key: text [Required, Form(formats::relaxed_environment_variable)],
        optional: bool,
    }
    EnvFromSource {
        prefix: text [Form(formats::environment_variable)],
        configMapRef: ConfigMapEnvSource,
        secretRef: SecretEnvSource,
    }
    ConfigMapEnvSource {
        name: text inside LocalObjectReference,
        optional: bool,
    }
    SecretEnvSource {
        // The server checks it as if something were added to it.
        name: text inside LocalObjectReference [Required, Form(formats::subdomain_prefix)],
        optional: bool,
    }
    ResourceRequirements {
        limits: resources,
        requests: resources,
        claims: [ResourceClaim] since 26 on 34,
    }
    ResourceClaim {
        name: text,
        request: text since 31,
    }
    ContainerResizePolicy {
        resourceName: (text "v1.ResourceName"),
        restartPolicy: (text "v1.ResourceResizeRestartPolicy"),
    }
    ContainerRestartRule {
        action: (text "v1.ContainerRestartRuleAction"),
        exitCodes: ContainerRestartRuleOnExitCodes,
    }
    ContainerRestartRuleOnExitCodes {
        operator: (text "v1.ContainerRestartRuleOnExitCodesOperator"),
        values: [int32] [AtMost(255)],
    }
    VolumeMount {
        name: text,
        readOnly: bool,
        recursiveReadOnly: (text "v1.RecursiveReadOnlyMode") since 30 on 31 [OneOf(&["Disabled", "Enabled", "IfPossible"])],
        mountPath: text,
        subPath: text [Form(formats::relative_path)],
        mountPropagation: (text "v1.MountPropagationMode") [OneOf(&["Bidirectional", "HostToContainer", "None"])],
        subPathExpr: text [Form(formats::relative_path)],
        bindMountOptions: [text] since 37,
    }
    VolumeDevice {
        name: text,
        devicePath: text,
    }
    Probe {
        exec: ExecAction inside ProbeHandler,
        httpGet: HTTPGetAction inside ProbeHandler,
        tcpSocket: TCPSocketAction inside ProbeHandler,
        grpc: GRPCAction since 23 inside ProbeHandler,
        initialDelaySeconds: int32 [NonNegative],
        timeoutSeconds: int32 [NonNegative],
        periodSeconds: int32 [NonNegative],
        successThreshold: int32 [NonNegative],
        failureThreshold: int32 [NonNegative],
        terminationGracePeriodSeconds: int64 since 21 on 25,
    }
    ExecAction {
        command: [text] [Required],
    }
    HTTPGetAction {
        path: text,
        port: int_or_string,
        host: text,
        scheme: (text "v1.URIScheme") [OneOfOrEmpty(&["HTTP", "HTTPS"])],
        httpHeaders: [HTTPHeader],
        protocol: text since 37,
    }
    HTTPHeader {
        name: text,
        value: text,
    }
    TCPSocketAction {
        port: int_or_string,
        host: text,
    }
    GRPCAction {
        port: int32,
        service: text,
        mode: text since 37,
    }
    Lifecycle {
        postStart: LifecycleHandler,
        preStop: LifecycleHandler,
        stopSignal: (text "v1.Signal") since 33 on NEVER,
    }
    LifecycleHandler {
        exec: ExecAction,
        httpGet: HTTPGetAction,
        tcpSocket: TCPSocketAction,
        sleep: SleepAction since 29 on 30,
    }
    SleepAction {
        seconds: int64,
    }
    SecurityContext {
        capabilities: Capabilities,
        privileged: bool,
        seLinuxOptions: SELinuxOptions,
        windowsOptions: WindowsSecurityContextOptions,
        runAsUser: int64 [Range(0, MAX_INT32)],
        runAsGroup: int64 [Range(0, MAX_INT32)],
        runAsNonRoot: bool,
        readOnlyRootFilesystem: bool,
        allowPrivilegeEscalation: bool,
        procMount: (text "v1.ProcMountType") on 33 [OneOf(&["Default", "Unmasked"])],
        seccompProfile: SeccompProfile since 19,
        appArmorProfile: AppArmorProfile since 30,
    }
    Capabilities {
        add: [(text "v1.Capability")],
        drop: [(text "v1.Capability")],
    }
    SELinuxOptions {
        user: text,
        role: text,
        type: text,
        level: text,
    }
    WindowsSecurityContextOptions {
        gmsaCredentialSpecName: text,
        gmsaCredentialSpec: text,
        runAsUserName: text,
        hostProcess: bool,
    }
    SeccompProfile {
        type: (text "v1.SeccompProfileType") [OneOfOrEmpty(&["Localhost", "RuntimeDefault", "Unconfined"])],
        localhostProfile: text,
    }
    AppArmorProfile {
        type: (text "v1.AppArmorProfileType"),
        localhostProfile: text,
    }
}
