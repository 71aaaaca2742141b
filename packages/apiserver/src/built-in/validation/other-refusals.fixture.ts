/**
 * Objects of other groups that kube-apiserver 1.35 refuses to create, with its errors in order. The examples in its
 * messages are omitted.
 */
export const OTHER_REFUSALS: readonly (readonly [
  plural: string,
  object: object,
  problems: readonly string[],
])[] = [
  [
    "deployments",
    { metadata: { name: "d2" }, spec: {} },
    [
      "spec.selector: Required value",
      "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
      "spec.template.spec.containers: Required value",
    ],
  ],
  [
    "deployments",
    {
      metadata: { name: "d3" },
      spec: {
        selector: { matchLabels: { app: "b" } },
        template: {
          metadata: { labels: { app: "a" } },
          spec: { containers: [{ name: "main", image: "boat:1" }], restartPolicy: "Never" },
        },
        replicas: -1,
        strategy: { type: "Recreate", rollingUpdate: {} },
      },
    },
    [
      "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
      'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ],
  ],
  [
    "deployments",
    {
      metadata: { name: "d4" },
      spec: {
        selector: {},
        template: {
          metadata: { labels: { app: "a" } },
          spec: { containers: [{ name: "main", image: "boat:1" }] },
        },
        strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
        revisionHistoryLimit: -1,
        minReadySeconds: -1,
        progressDeadlineSeconds: 0,
      },
    },
    [
      "spec.selector: Invalid value: {}: empty selector is invalid for deployment",
      "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0",
      "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
      "spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0",
    ],
  ],
  [
    "deployments",
    {
      metadata: { name: "d5" },
      spec: {
        selector: { matchLabels: { app: "a" } },
        template: {
          metadata: { labels: { app: "a" } },
          spec: { containers: [{ name: "main", image: "boat:1" }] },
        },
        strategy: { type: "X" },
      },
    },
    [
      'spec.strategy: Unsupported value: {"Type":"X","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
    ],
  ],
  [
    "deployments",
    {
      metadata: { name: "d5" },
      spec: {
        selector: {
          matchExpressions: [
            { key: "app", operator: "In" },
            { key: "x", operator: "Y" },
          ],
        },
        template: {
          metadata: { labels: { app: "a" } },
          spec: { containers: [{ name: "main", image: "boat:1" }] },
        },
        strategy: { type: "Recreate" },
      },
    },
    [
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'spec.selector.matchExpressions[1].operator: Invalid value: "Y": not a valid selector operator',
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"In"},{"key":"x","operator":"Y"}]}: invalid label selector',
    ],
  ],
  [
    "replicasets",
    {
      metadata: { name: "r2" },
      spec: {
        selector: { matchLabels: { app: "z" } },
        template: {
          metadata: { labels: { app: "a" } },
          spec: { containers: [{ name: "main", image: "boat:1" }] },
        },
      },
    },
    [
      'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
    ],
  ],
  [
    "replicasets",
    { metadata: { name: "r3" }, spec: { replicas: -1 } },
    [
      "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
      "spec.selector: Required value",
      "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
      "spec.template.spec.containers: Required value",
    ],
  ],
  [
    "statefulsets",
    { metadata: { name: "t2" }, spec: { podManagementPolicy: "x", updateStrategy: { type: "y" } } },
    [
      "spec.podManagementPolicy: Invalid value: \"x\": must be 'OrderedReady' or 'Parallel'",
      'spec.updateStrategy: Invalid value: {"Type":"y","RollingUpdate":null}: must be \'RollingUpdate\' or \'OnDelete\'',
      "spec.selector: Required value",
      "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
      "spec.template.spec.containers: Required value",
    ],
  ],
  [
    "statefulsets",
    {
      metadata: { name: "t3" },
      spec: {
        selector: { matchLabels: { app: "z" } },
        serviceName: "x",
        template: {
          metadata: { labels: { app: "a" } },
          spec: { containers: [{ name: "main", image: "boat:1" }] },
        },
        replicas: -1,
      },
    },
    [
      "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
      'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
    ],
  ],
  [
    "daemonsets",
    {
      metadata: { name: "m2" },
      spec: {
        selector: { matchLabels: { app: "z" } },
        template: {
          metadata: { labels: { app: "a" } },
          spec: { containers: [{ name: "main", image: "boat:1" }] },
        },
        updateStrategy: { type: "q" },
      },
    },
    [
      'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
      'spec.updateStrategy: Unsupported value: {"Type":"q","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
    ],
  ],
  [
    "daemonsets",
    { metadata: { name: "m3" } },
    [
      "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
      "spec.template.spec.containers: Required value",
    ],
  ],
  [
    "jobs",
    {
      metadata: { name: "j2" },
      spec: {
        template: { spec: { containers: [{ name: "main", image: "boat:1" }] } },
        completions: -1,
        parallelism: -1,
        backoffLimit: -1,
        completionMode: "x",
      },
    },
    [
      "spec.parallelism: Invalid value: -1: must be greater than or equal to 0",
      "spec.completions: Invalid value: -1: must be greater than or equal to 0",
      "spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0",
      'spec.completionMode: Unsupported value: "x": supported values: "NonIndexed", "Indexed"',
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
  ],
  [
    "jobs",
    { metadata: { name: "j3" }, spec: {} },
    [
      "spec.template.spec.containers: Required value",
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
  ],
  [
    "poddisruptionbudgets",
    {
      metadata: { name: "b2" },
      spec: { minAvailable: 1, maxUnavailable: 1, selector: { matchLabels: { "a b": "c" } } },
    },
    [
      'spec: Invalid value: {"MinAvailable":1,"Selector":{"matchLabels":{"a b":"c"}},"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
      "spec.selector.matchLabels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    "poddisruptionbudgets",
    { metadata: { name: "b3" }, spec: { minAvailable: "x", unhealthyPodEvictionPolicy: "x" } },
    [
      "spec.minAvailable: Invalid value: \"x\": a valid percent string must be a numeric string followed by an ending '%'",
      'spec.unhealthyPodEvictionPolicy: Unsupported value: "x": supported values: "AlwaysAllow", "IfHealthyBudget"',
    ],
  ],
  [
    "poddisruptionbudgets",
    { metadata: { name: "b4" }, spec: { maxUnavailable: "200%" } },
    ['spec.maxUnavailable: Invalid value: "200%": must not be greater than 100%'],
  ],
  [
    "poddisruptionbudgets",
    { metadata: { name: "b5" }, spec: { maxUnavailable: -1 } },
    ["spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [
    "roles",
    { metadata: { name: "r:2 x" }, rules: [{}] },
    [
      "rules[0].verbs: Required value: verbs must contain at least one value",
      "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
      "rules[0].resources: Required value: resource rules must supply at least one resource",
    ],
  ],
  [
    "roles",
    { metadata: { name: "a/b" }, rules: [] },
    ["metadata.name: Invalid value: \"a/b\": may not contain '/'"],
  ],
  [
    "roles",
    {
      metadata: { name: "r3" },
      rules: [
        { verbs: ["get"], nonResourceURLs: ["/x"] },
        { verbs: ["get"] },
        { apiGroups: [""], resources: ["pods"], verbs: [] },
        { verbs: ["get"], apiGroups: [""] },
      ],
    },
    [
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
      "rules[1].apiGroups: Required value: resource rules must supply at least one api group",
      "rules[1].resources: Required value: resource rules must supply at least one resource",
      "rules[2].verbs: Required value: verbs must contain at least one value",
      "rules[3].resources: Required value: resource rules must supply at least one resource",
    ],
  ],
  [
    "clusterroles",
    {
      metadata: { name: "r3" },
      rules: [{ verbs: ["get"], nonResourceURLs: ["/x"], resources: ["a"], apiGroups: [""] }],
    },
    [
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
  ],
  [
    "clusterroles",
    { metadata: { name: "r4" }, aggregationRule: {} },
    [
      "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil",
    ],
  ],
  [
    "rolebindings",
    {
      metadata: { name: "b2" },
      roleRef: { apiGroup: "x", kind: "Boat", name: "" },
      subjects: [
        { kind: "Boat", name: "a" },
        { kind: "ServiceAccount", name: "A b" },
        { kind: "User", name: "" },
        { kind: "User", name: "x", apiGroup: "y" },
        { kind: "ServiceAccount", name: "x", apiGroup: "y", namespace: "n" },
      ],
    },
    [
      'roleRef.apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io"',
      'roleRef.kind: Unsupported value: "Boat": supported values: "Role", "ClusterRole"',
      "roleRef.name: Required value",
      'subjects[0].kind: Unsupported value: "Boat": supported values: "ServiceAccount", "User", "Group"',
      "subjects[1].name: Invalid value: \"A b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      "subjects[2].name: Required value",
      'subjects[3].apiGroup: Unsupported value: "y": supported values: "rbac.authorization.k8s.io"',
      'subjects[4].apiGroup: Unsupported value: "y": supported values: ""',
    ],
  ],
  [
    "clusterrolebindings",
    { metadata: { name: "b3" }, roleRef: { kind: "Role", name: "view" } },
    ['roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"'],
  ],
  [
    "clusterrolebindings",
    { metadata: { name: "b4" } },
    ['roleRef.kind: Unsupported value: "": supported values: "ClusterRole"', "roleRef.name: Required value"],
  ],
  [
    "volumeattachments",
    { metadata: { name: "va2" }, spec: {} },
    [
      "spec.attacher: Required value",
      "spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName",
      "spec.nodeName: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    ],
  ],
  [
    "volumeattachments",
    {
      metadata: { name: "va3" },
      spec: { attacher: "X_", nodeName: "N_", source: { persistentVolumeName: "" } },
    },
    [
      "spec.source.persistentVolumeName: Required value: must specify non empty persistentVolumeName",
      "spec.nodeName: Invalid value: \"N_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      "spec.attacher: Invalid value: \"X_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      "spec.source.persistentVolumeName: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    ],
  ],
];
