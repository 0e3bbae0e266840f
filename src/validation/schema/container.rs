//! The fields of containers.

use super::{Field, Shape, Type};

types! {
    Container {
        name: text,
        image: text,
        command: [text],
        args: [text],
        workingDir: text,
        ports: [ContainerPort],
        envFrom: [EnvFromSource],
        env: [EnvVar],
        resources: ResourceRequirements,
        resizePolicy: [ContainerResizePolicy] since 27,
        restartPolicy: (text "v1.ContainerRestartPolicy") since 28,
        restartPolicyRules: [ContainerRestartRule] since 34,
        volumeMounts: [VolumeMount],
        volumeDevices: [VolumeDevice],
        livenessProbe: Probe,
        readinessProbe: Probe,
        startupProbe: Probe,
        lifecycle: Lifecycle,
        terminationMessagePath: text,
        terminationMessagePolicy: (text "v1.TerminationMessagePolicy"),
        imagePullPolicy: (text "v1.PullPolicy"),
        securityContext: SecurityContext,
        stdin: bool,
        stdinOnce: bool,
        tty: bool,
    }
    EphemeralContainer {
        name: text inside EphemeralContainerCommon,
        image: text inside EphemeralContainerCommon,
        command: [text] inside EphemeralContainerCommon,
        args: [text] inside EphemeralContainerCommon,
        workingDir: text inside EphemeralContainerCommon,
        ports: [ContainerPort] inside EphemeralContainerCommon,
        envFrom: [EnvFromSource] inside EphemeralContainerCommon,
        env: [EnvVar] inside EphemeralContainerCommon,
        resources: ResourceRequirements inside EphemeralContainerCommon,
        resizePolicy: [ContainerResizePolicy] inside EphemeralContainerCommon,
        restartPolicy: (text "v1.ContainerRestartPolicy") inside EphemeralContainerCommon,
        restartPolicyRules: [ContainerRestartRule] since 34 inside EphemeralContainerCommon,
        volumeMounts: [VolumeMount] inside EphemeralContainerCommon,
        volumeDevices: [VolumeDevice] inside EphemeralContainerCommon,
        livenessProbe: Probe inside EphemeralContainerCommon,
        readinessProbe: Probe inside EphemeralContainerCommon,
        startupProbe: Probe inside EphemeralContainerCommon,
        lifecycle: Lifecycle inside EphemeralContainerCommon,
        terminationMessagePath: text inside EphemeralContainerCommon,
        terminationMessagePolicy: (text "v1.TerminationMessagePolicy") inside EphemeralContainerCommon,
        imagePullPolicy: (text "v1.PullPolicy") inside EphemeralContainerCommon,
        securityContext: SecurityContext inside EphemeralContainerCommon,
        stdin: bool inside EphemeralContainerCommon,
        stdinOnce: bool inside EphemeralContainerCommon,
        tty: bool inside EphemeralContainerCommon,
        targetContainerName: text,
    }
    ContainerPort {
        name: text,
        hostPort: int32,
        containerPort: int32,
        protocol: (text "v1.Protocol"),
        hostIP: text,
    }
    EnvVar {
        name: text,
        value: text,
        valueFrom: EnvVarSource,
    }
    EnvVarSource {
        fieldRef: ObjectFieldSelector,
        resourceFieldRef: ResourceFieldSelector,
        configMapKeyRef: ConfigMapKeySelector,
        secretKeyRef: SecretKeySelector,
        fileKeyRef: FileKeySelector since 34,
    }
    ConfigMapKeySelector {
        name: text inside LocalObjectReference,
        key: text,
        optional: bool,
    }
    SecretKeySelector {
        name: text inside LocalObjectReference,
        key: text,
        optional: bool,
    }
    FileKeySelector {
        volumeName: text,
        path: text,
        key: text,
        optional: bool,
    }
    ObjectFieldSelector {
        apiVersion: text,
        fieldPath: text,
    }
    ResourceFieldSelector {
        containerName: text,
        resource: text,
        divisor: quantity,
    }
    EnvFromSource {
        prefix: text,
        configMapRef: ConfigMapEnvSource,
        secretRef: SecretEnvSource,
    }
    ConfigMapEnvSource {
        name: text inside LocalObjectReference,
        optional: bool,
    }
    SecretEnvSource {
        name: text inside LocalObjectReference,
        optional: bool,
    }
    ResourceRequirements {
        limits: resources,
        requests: resources,
        claims: [ResourceClaim] since 26,
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
        values: [int32],
    }
    VolumeMount {
        name: text,
        readOnly: bool,
        recursiveReadOnly: (text "v1.RecursiveReadOnlyMode") since 30,
        mountPath: text,
        subPath: text,
        mountPropagation: (text "v1.MountPropagationMode"),
        subPathExpr: text,
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
        initialDelaySeconds: int32,
        timeoutSeconds: int32,
        periodSeconds: int32,
        successThreshold: int32,
        failureThreshold: int32,
        terminationGracePeriodSeconds: int64 since 21,
    }
    ExecAction {
        command: [text],
    }
    HTTPGetAction {
        path: text,
        port: int_or_string,
        host: text,
        scheme: (text "v1.URIScheme"),
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
        stopSignal: (text "v1.Signal") since 33,
    }
    LifecycleHandler {
        exec: ExecAction,
        httpGet: HTTPGetAction,
        tcpSocket: TCPSocketAction,
        sleep: SleepAction since 29,
    }
    SleepAction {
        seconds: int64,
    }
    SecurityContext {
        capabilities: Capabilities,
        privileged: bool,
        seLinuxOptions: SELinuxOptions,
        windowsOptions: WindowsSecurityContextOptions,
        runAsUser: int64,
        runAsGroup: int64,
        runAsNonRoot: bool,
        readOnlyRootFilesystem: bool,
        allowPrivilegeEscalation: bool,
        procMount: (text "v1.ProcMountType"),
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
        type: (text "v1.SeccompProfileType"),
        localhostProfile: text,
    }
    AppArmorProfile {
        type: (text "v1.AppArmorProfileType"),
        localhostProfile: text,
    }
}
