/**
 * Objects of the core group that kube-apiserver 1.35 refuses to create, with its errors in order. The examples in its
 * messages are omitted.
 */
export const CORE_REFUSALS: readonly (readonly [
  plural: string,
  object: object,
  problems: readonly string[],
])[] = [
  [
    "namespaces",
    { metadata: { name: "d2" }, spec: { finalizers: ["bad finalizer"] } },
    [
      "spec.finalizers: Invalid value: \"bad finalizer\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.finalizers: Invalid value: "bad finalizer": name is neither a standard finalizer name nor is it fully qualified',
    ],
  ],
  ["pods", { metadata: { name: "p3" } }, ["spec.containers: Required value"]],
  [
    "pods",
    {
      metadata: { name: "p4" },
      spec: {
        containers: [
          { name: "A_b", image: "" },
          { name: "x", image: " x " },
          { name: "x", image: "x" },
          { image: "x" },
        ],
      },
    },
    [
      "spec.containers[0].name: Invalid value: \"A_b\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
      "spec.containers[0].image: Required value",
      'spec.containers[2].name: Duplicate value: "x"',
      "spec.containers[3].name: Required value",
      'spec.containers[1].image: Invalid value: " x ": must not have leading or trailing whitespace',
    ],
  ],
  [
    "pods",
    {
      metadata: { name: "p5" },
      spec: {
        restartPolicy: "Sometimes",
        dnsPolicy: "No",
        containers: [
          {
            name: "a",
            image: "a",
            imagePullPolicy: "Maybe",
            terminationMessagePolicy: "x",
            ports: [
              { containerPort: 0 },
              { containerPort: 70000, protocol: "X", name: "way-too-long-port-name" },
              { containerPort: 1, name: "a" },
              { containerPort: 2, name: "a", hostPort: 99999 },
            ],
            env: [{ name: "" }, { name: "a=b" }],
            volumeMounts: [
              { name: "nope", mountPath: "/a" },
              { name: "v", mountPath: "" },
              { name: "v", mountPath: "/x" },
              { name: "v", mountPath: "/x" },
            ],
            resources: { requests: { cpu: "2" }, limits: { cpu: "1" } },
          },
        ],
        volumes: [
          { name: "v", emptyDir: {} },
          { name: "v", emptyDir: {} },
          { name: "B_", emptyDir: {}, hostPath: { path: "/" } },
          { name: "sx", secret: {} },
          { name: "cm", configMap: {} },
          { name: "pv", persistentVolumeClaim: {} },
        ],
        tolerations: [
          { operator: "Equal" },
          { key: "a", operator: "Exists", value: "x" },
          { key: "b", operator: "Huh" },
          { key: "c", effect: "Bad" },
          { key: "d", tolerationSeconds: 1, effect: "NoSchedule" },
        ],
        nodeSelector: { "a b": "c" },
        activeDeadlineSeconds: 0,
        terminationGracePeriodSeconds: -1,
        serviceAccountName: "A B",
        hostname: "A_B",
        nodeName: "A B",
      },
    },
    [
      'spec.volumes[1].name: Duplicate value: "v"',
      "spec.volumes[2].hostPath: Forbidden: may not specify more than 1 volume type",
      "spec.volumes[2].name: Invalid value: \"B_\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
      "spec.volumes[3].secret.secretName: Required value",
      "spec.volumes[4].configMap.name: Required value",
      "spec.volumes[5].persistentVolumeClaim.claimName: Required value",
      'spec.containers[0].terminationMessagePolicy: Unsupported value: "x": supported values: "File", "FallbackToLogsOnError"',
      "spec.containers[0].ports[0].containerPort: Required value",
      'spec.containers[0].ports[1].name: Invalid value: "way-too-long-port-name": must be no more than 15 characters',
      "spec.containers[0].ports[1].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
      'spec.containers[0].ports[1].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
      'spec.containers[0].ports[3].name: Duplicate value: "a"',
      "spec.containers[0].ports[3].hostPort: Invalid value: 99999: must be between 1 and 65535, inclusive",
      "spec.containers[0].env[0].name: Required value",
      "spec.containers[0].env[1].name: Invalid value: \"a=b\": a valid environment variable name must consist only of printable ASCII characters other than '='",
      'spec.containers[0].volumeMounts[0].name: Not found: "nope"',
      "spec.containers[0].volumeMounts[1].mountPath: Required value",
      'spec.containers[0].volumeMounts[3].mountPath: Invalid value: "/x": must be unique',
      'spec.containers[0].imagePullPolicy: Unsupported value: "Maybe": supported values: "Always", "IfNotPresent", "Never"',
      'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
      'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
      'spec.dnsPolicy: Unsupported value: "No": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
      "spec.nodeSelector: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      "spec.serviceAccountName: Invalid value: \"A B\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      "spec.nodeName: Invalid value: \"A B\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive",
      "spec.hostname: Invalid value: \"A_B\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
      'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      "spec.tolerations[1].operator: Invalid value: \"x\": value must be empty when `operator` is 'Exists'",
      'spec.tolerations[2].operator: Unsupported value: "Huh": supported values: "Equal", "Exists"',
      'spec.tolerations[3].effect: Unsupported value: "Bad": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      "spec.tolerations[4].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when `tolerationSeconds` is set",
    ],
  ],
  [
    "pods",
    {
      metadata: { name: "p7" },
      spec: {
        containers: [
          {
            name: "a",
            image: "a",
            livenessProbe: {},
            readinessProbe: { exec: { command: [] }, httpGet: { port: 0, path: "" } },
            startupProbe: { tcpSocket: { port: "UP" }, periodSeconds: -1, successThreshold: 2 },
          },
        ],
      },
    },
    [
      "spec.containers[0].livenessProbe: Required value: must specify a handler type",
      "spec.containers[0].readinessProbe.exec.command: Required value",
      "spec.containers[0].readinessProbe.httpGet: Forbidden: may not specify more than 1 handler type",
      'spec.containers[0].startupProbe.tcpSocket.port: Invalid value: "UP": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.containers[0].startupProbe.tcpSocket.port: Invalid value: "UP": must contain at least one letter (a-z)',
      "spec.containers[0].startupProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0",
      "spec.containers[0].startupProbe.successThreshold: Invalid value: 2: must be 1",
    ],
  ],
  [
    "pods",
    {
      metadata: { name: "p10" },
      spec: {
        nodeName: "",
        hostNetwork: false,
        containers: [{ name: "a", image: "a:1", command: [], args: null, env: [null], ports: [] }],
        nodeSelector: {},
      },
    },
    ["spec.containers[0].env[0].name: Required value"],
  ],
  [
    "secrets",
    {
      metadata: { name: "s2" },
      type: "kubernetes.io/dockerconfigjson",
      data: { ".dockerconfigjson": "eHg=" },
    },
    [
      "data[.dockerconfigjson]: Invalid value: \"<secret contents redacted>\": invalid character 'x' looking for beginning of value",
    ],
  ],
  [
    "secrets",
    { metadata: { name: "s2" }, type: "kubernetes.io/dockerconfigjson" },
    ["data[.dockerconfigjson]: Required value"],
  ],
  [
    "secrets",
    { metadata: { name: "s2" }, type: "kubernetes.io/dockercfg" },
    ["data[.dockercfg]: Required value"],
  ],
  [
    "secrets",
    { metadata: { name: "s2" }, type: "kubernetes.io/basic-auth" },
    ["data[username]: Required value", "data[password]: Required value"],
  ],
  [
    "secrets",
    { metadata: { name: "s2" }, type: "kubernetes.io/ssh-auth" },
    ["data[ssh-privatekey]: Required value"],
  ],
  [
    "secrets",
    { metadata: { name: "s2" }, type: "kubernetes.io/service-account-token" },
    ["metadata.annotations[kubernetes.io/service-account.name]: Required value"],
  ],
  [
    "secrets",
    { metadata: { name: "s3" }, data: { "a b": "MQ==" } },
    [
      "data[a b]: Invalid value: \"a b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    ],
  ],
  [
    "leases",
    {
      metadata: { name: "l2" },
      spec: {
        leaseDurationSeconds: -1,
        leaseTransitions: -1,
        holderIdentity: "",
        strategy: "x",
        preferredHolder: "y",
      },
    },
    [
      "spec.leaseDurationSeconds: Invalid value: -1: must be greater than 0",
      "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
    ],
  ],
  [
    "nodes",
    {
      metadata: { name: "n2" },
      spec: {
        taints: [
          { key: "a b", effect: "Bad" },
          { key: "a", effect: "NoSchedule", value: "x y" },
          { key: "a", effect: "NoSchedule" },
          { key: "b" },
        ],
        podCIDR: "x",
      },
      status: {
        capacity: { cpu: "4000m", memory: "1048576Ki", pods: 110 },
        addresses: [
          { type: "InternalIP", address: "1.1.1.1" },
          { type: "InternalIP", address: "1.1.1.1" },
        ],
      },
    },
    [
      "metadata.taints[0].key: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'metadata.taints[0].effect: Unsupported value: "Bad": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      "metadata.taints[1].value: Invalid value: \"x y\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'metadata.taints[2]: Duplicate value: {"Key":"a","Value":"","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
      "metadata.taints[3].effect: Required value",
      'spec.podCIDRs[0]: Invalid value: "x": must be a valid CIDR value,',
    ],
  ],
  [
    "events",
    {
      metadata: { name: "e1" },
      involvedObject: { kind: "Node", name: "x" },
      message: "m",
      count: 1,
      firstTimestamp: "2026-01-01T00:00:00Z",
      source: { component: "c" },
    },
    ['involvedObject.namespace: Invalid value: "": does not match event.namespace'],
  ],
  [
    "events",
    { metadata: { name: "e4" } },
    ['involvedObject.namespace: Invalid value: "": does not match event.namespace'],
  ],
  ["services", { metadata: { name: "v3" }, spec: { ports: [] } }, ["spec.ports: Required value"]],
  [
    "services",
    {
      metadata: { name: "v3" },
      spec: {
        ports: [
          { port: 0 },
          { port: 1, name: "A_" },
          { port: 1, name: "b" },
          { port: 1, name: "b", protocol: "X" },
          { port: 2, name: "c", targetPort: "", protocol: "UDP" },
        ],
      },
    },
    [
      "spec.ports[0].name: Required value",
      "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
      "spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive",
      "spec.ports[1].name: Invalid value: \"A_\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
      'spec.ports[3].name: Duplicate value: "b"',
      'spec.ports[3].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
      'spec.ports[2]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":1,"TargetPort":0,"NodePort":0}',
    ],
  ],
  [
    "services",
    {
      metadata: { name: "v5" },
      spec: { type: "Odd", ports: [{ port: 1 }], sessionAffinity: "x", selector: { "a b": "c" } },
    },
    [
      "spec.selector: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      'spec.sessionAffinity: Unsupported value: "x": supported values: "ClientIP", "None"',
      'spec.type: Unsupported value: "Odd": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ],
  ],
  [
    "services",
    { metadata: { name: "v6" }, spec: { type: "ExternalName" } },
    ["spec.externalName: Required value"],
  ],
  [
    "services",
    { metadata: { name: "1v" }, spec: { ports: [{ port: 80 }] } },
    [
      "metadata.name: Invalid value: \"1v\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
    ],
  ],
];
