/** A request of kubectl as it was recorded: the same bytes from 1.32, 1.33 and 1.35. */
export interface Recorded {
  readonly command: string;
  readonly base64: string;
  /** The object in it. */
  readonly object: object;
}

/** What kubectl sends as protobuf. */
export const KUBECTL: readonly Recorded[] = [
  {
    command: "kubectl create ns one",
    base64: "azhzAAoPCgJ2MRIJTmFtZXNwYWNlEhsKEwoDb25lEgAaACIAKgAyADgAQgASABoCCgAaACIA",
    object: { apiVersion: "v1", kind: "Namespace", metadata: { name: "one" }, spec: {}, status: {} },
  },
  {
    command: "kubectl create configmap c --from-literal=a=1 --from-literal=b=",
    base64: "azhzAAoPCgJ2MRIJQ29uZmlnTWFwEiIKEQoBYxIAGgAiACoAMgA4AEIAEgYKAWESATESBQoBYhIAGgAiAA==",
    object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { a: "1", b: "" } },
  },
  {
    command: "kubectl create secret generic s --from-literal=password=grüße",
    base64: "azhzAAoMCgJ2MRIGU2VjcmV0EioKEQoBcxIAGgAiACoAMgA4AEIAEhMKCHBhc3N3b3JkEgdncsO8w59lGgAaACIA",
    object: { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { password: "Z3LDvMOfZQ==" } },
  },
  {
    command: "kubectl create deployment d --image=nginx:1.27 --replicas=0 --port=80",
    base64:
      "azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50ErUBChsKAWQSABoAIgAqADIAOABCAFoICgNhcHASAWQShwEIABIKCggKA2FwcBIBZBpvChoKABIAGgAiACoAMgA4AEIAWggKA2FwcBIBZBJREjMKBW5naW54EgpuZ2lueDoxLjI3KgAyCgoAEAAYUCIAKgBCAGoAcgCAAQCIAQCQAQCiAQAaADIAQgBKAFIAWABgAGgAggEAigEAmgEAwgEAIgIKACgAOAAaDAgAEAAYACAAKAA4ABoAIgA=",
    object: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d", labels: { app: "d" } },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: "d" } },
        template: {
          metadata: { labels: { app: "d" } },
          spec: {
            containers: [
              { name: "nginx", image: "nginx:1.27", ports: [{ containerPort: 80 }], resources: {} },
            ],
          },
        },
        strategy: {},
      },
      status: {},
    },
  },
  {
    command: "kubectl create service clusterip d --tcp=80:http",
    base64:
      "azhzAAoNCgJ2MRIHU2VydmljZRJmChsKAWQSABoAIgAqADIAOABCAFoICgNhcHASAWQSQwoeCgc4MC1odHRwEgNUQ1AYUCIKCAEQABoEaHR0cCgAEggKA2FwcBIBZBoAIglDbHVzdGVySVA6AEIAUgBaAGAAaAAaAgoAGgAiAA==",
    object: {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "d", labels: { app: "d" } },
      spec: {
        ports: [{ name: "80-http", protocol: "TCP", port: 80, targetPort: "http" }],
        selector: { app: "d" },
        type: "ClusterIP",
      },
      status: { loadBalancer: {} },
    },
  },
  {
    command: "kubectl create sa robot",
    base64: "azhzAAoUCgJ2MRIOU2VydmljZUFjY291bnQSFwoVCgVyb2JvdBIAGgAiACoAMgA4AEIAGgAiAA==",
    object: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } },
  },
  {
    command: "kubectl create token robot --duration=600s --audience=a",
    base64:
      "azhzAAooChhhdXRoZW50aWNhdGlvbi5rOHMuaW8vdjESDFRva2VuUmVxdWVzdBIgChAKABIAGgAiACoAMgA4AEIAEgYKAWEg2AQaBAoAEgAaACIA",
    object: {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      metadata: {},
      spec: { audiences: ["a"], expirationSeconds: 600 },
      status: { token: "" },
    },
  },
  {
    command: "kubectl create role r --verb=get,list --resource=pods,deployments.apps",
    base64:
      "azhzAAokChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEgRSb2xlEkgKEQoBchIAGgAiACoAMgA4AEIAEhMKA2dldAoEbGlzdBIAGgRwb2RzEh4KA2dldAoEbGlzdBIEYXBwcxoLZGVwbG95bWVudHMaACIA",
    object: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "r" },
      rules: [
        { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] },
        { verbs: ["get", "list"], apiGroups: ["apps"], resources: ["deployments"] },
      ],
    },
  },
  {
    command: "kubectl create clusterrole r --verb=get --non-resource-url=/healthz",
    base64:
      "azhzAAorChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEgtDbHVzdGVyUm9sZRIkChEKAXISABoAIgAqADIAOABCABIPCgNnZXQqCC9oZWFsdGh6GgAiAA==",
    object: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "r" },
      rules: [{ verbs: ["get"], nonResourceURLs: ["/healthz"] }],
    },
  },
  {
    command: "kubectl create rolebinding b --clusterrole=view --user=u --serviceaccount=default:robot",
    base64:
      "azhzAAorChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEgtSb2xlQmluZGluZxKPAQoRCgFiEgAaACIAKgAyADgAQgASJgoEVXNlchIZcmJhYy5hdXRob3JpemF0aW9uLms4cy5pbxoBdSIAEiIKDlNlcnZpY2VBY2NvdW50EgAaBXJvYm90IgdkZWZhdWx0Gi4KGXJiYWMuYXV0aG9yaXphdGlvbi5rOHMuaW8SC0NsdXN0ZXJSb2xlGgR2aWV3GgAiAA==",
    object: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "b" },
      subjects: [
        { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "u" },
        { kind: "ServiceAccount", name: "robot", namespace: "default" },
      ],
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    },
  },
  {
    command: "kubectl create clusterrolebinding b --clusterrole=view --group=g",
    base64:
      "azhzAAoyChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEhJDbHVzdGVyUm9sZUJpbmRpbmcSbAoRCgFiEgAaACIAKgAyADgAQgASJwoFR3JvdXASGXJiYWMuYXV0aG9yaXphdGlvbi5rOHMuaW8aAWciABouChlyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvEgtDbHVzdGVyUm9sZRoEdmlldxoAIgA=",
    object: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "b" },
      subjects: [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "g" }],
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    },
  },
  {
    command: "kubectl create job j --image=busybox -- sh -c true",
    base64:
      "azhzAAoPCghiYXRjaC92MRIDSm9iEoYBChEKAWoSABoAIgAqADIAOABCABJnMmUKEAoAEgAaACIAKgAyADgAQgASURIuCgFqEgdidXN5Ym94GgJzaBoCLWMaBHRydWUqAEIAagByAIABAIgBAJABAKIBABoFTmV2ZXIyAEIASgBSAFgAYABoAIIBAIoBAJoBAMIBABoIIAAoADAAOgAaACIA",
    object: {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "j" },
      spec: {
        template: {
          metadata: {},
          spec: {
            containers: [{ name: "j", image: "busybox", command: ["sh", "-c", "true"], resources: {} }],
            restartPolicy: "Never",
          },
        },
      },
      status: {},
    },
  },
  {
    command: "kubectl create pdb p --selector=app=d --min-available=50%",
    base64:
      "azhzAAogCglwb2xpY3kvdjESE1BvZERpc3J1cHRpb25CdWRnZXQSOAoRCgFwEgAaACIAKgAyADgAQgASFwoJCAEQABoDNTAlEgoKCAoDYXBwEgFkGgoIABgAIAAoADAAGgAiAA==",
    object: {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "p" },
      spec: { minAvailable: "50%", selector: { matchLabels: { app: "d" } } },
      status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    },
  },
  {
    command: "kubectl create quota q --hard=cpu=1500m,pods=0",
    base64:
      "azhzAAoTCgJ2MRINUmVzb3VyY2VRdW90YRI0ChEKAXESABoAIgAqADIAOABCABIdCg4KA2NwdRIHCgUxNTAwbQoLCgRwb2RzEgMKATAaABoAIgA=",
    object: {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "q" },
      spec: { hard: { cpu: "1500m", pods: "0" } },
      status: {},
    },
  },
  {
    command: "kubectl auth can-i delete pods/log --namespace=kube-system",
    base64:
      "azhzAAoyChdhdXRob3JpemF0aW9uLms4cy5pby92MRIXU2VsZlN1YmplY3RBY2Nlc3NSZXZpZXcSRgoQCgASABoAIgAqADIAOABCABIoCiYKC2t1YmUtc3lzdGVtEgZkZWxldGUaACIAKgRwb2RzMgA6A2xvZxoICAASABoAIAAaACIA",
    object: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      metadata: {},
      spec: {
        resourceAttributes: { namespace: "kube-system", verb: "delete", resource: "pods", name: "log" },
      },
      status: { allowed: false },
    },
  },
  {
    command: "kubectl auth can-i get /healthz",
    base64:
      "azhzAAoyChdhdXRob3JpemF0aW9uLms4cy5pby92MRIXU2VsZlN1YmplY3RBY2Nlc3NSZXZpZXcSLwoQCgASABoAIgAqADIAOABCABIREg8KCC9oZWFsdGh6EgNnZXQaCAgAEgAaACAAGgAiAA==",
    object: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      metadata: {},
      spec: { nonResourceAttributes: { path: "/healthz", verb: "get" } },
      status: { allowed: false },
    },
  },
  {
    command: "kubectl auth can-i --list",
    base64:
      "azhzAAoxChdhdXRob3JpemF0aW9uLms4cy5pby92MRIWU2VsZlN1YmplY3RSdWxlc1JldmlldxIjChAKABIAGgAiACoAMgA4AEIAEgkKB2RlZmF1bHQaBBgAIgAaACIA",
    object: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectRulesReview",
      metadata: {},
      spec: { namespace: "default" },
      status: { incomplete: false },
    },
  },
  {
    command: "kubectl auth whoami",
    base64:
      "azhzAAotChhhdXRoZW50aWNhdGlvbi5rOHMuaW8vdjESEVNlbGZTdWJqZWN0UmV2aWV3EhoKEAoAEgAaACIAKgAyADgAQgASBgoECgASABoAIgA=",
    object: {
      apiVersion: "authentication.k8s.io/v1",
      kind: "SelfSubjectReview",
      metadata: {},
      status: { userInfo: {} },
    },
  },
];
