import type { UpdaterDefinition } from "./define-updater.ts";

/** How an updater is deployed in a management cluster. */
export interface DeployOptions {
  readonly image: string;
  /** `capstan-updaters` unless given. */
  readonly namespace?: string;
}

const IMAGE = /^[\w][\w.\-/:@]{0,511}$/;
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * The manifests of an updater: a ServiceAccount that may read Machines and nothing else, a Deployment, a Service, a
 * certificate by cert-manager, and the ExtensionConfig that registers it.
 */
export function deployManifests({ name }: UpdaterDefinition, options: DeployOptions): string {
  const { image, namespace = "capstan-updaters" } = options;
  if (!IMAGE.test(image)) throw new TypeError(`image ${JSON.stringify(image)} is not the name of an image`);
  if (!NAMESPACE.test(namespace))
    throw new TypeError(`namespace ${JSON.stringify(namespace)} must be a DNS label`);
  const names = { name, namespace, image };
  return [namespaceYaml, accountYaml, certificateYaml, deploymentYaml, extensionYaml]
    .map((yaml) => yaml(names).trimStart())
    .join("---\n");
}

interface Names {
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
}

const namespaceYaml = ({ namespace }: Names): string => `
apiVersion: v1
kind: Namespace
metadata:
  name: ${namespace}
`;

const accountYaml = ({ name, namespace }: Names): string => `
apiVersion: v1
kind: ServiceAccount
metadata:
  name: ${name}
  namespace: ${namespace}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: ${name}-updater
rules:
  - apiGroups: [cluster.x-k8s.io]
    resources: [machines]
    verbs: [get]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: ${name}-updater
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: ${name}-updater
subjects:
  - kind: ServiceAccount
    name: ${name}
    namespace: ${namespace}
`;

const certificateYaml = ({ name, namespace }: Names): string => `
apiVersion: cert-manager.io/v1
kind: Issuer
metadata:
  name: ${name}
  namespace: ${namespace}
spec:
  selfSigned: {}
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  name: ${name}
  namespace: ${namespace}
spec:
  secretName: ${name}-tls
  dnsNames: [${name}.${namespace}.svc]
  issuerRef:
    name: ${name}
`;

const deploymentYaml = ({ name, namespace, image }: Names): string => `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  namespace: ${namespace}
spec:
  replicas: 1
  selector:
    matchLabels: {app: ${name}}
  template:
    metadata:
      labels: {app: ${name}}
    spec:
      serviceAccountName: ${name}
      containers:
        - name: updater
          image: ${image}
          args: [serve, --tls-folder, /tls]
          ports: [{containerPort: 9443}]
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            runAsNonRoot: true
            capabilities: {drop: [ALL]}
          volumeMounts: [{name: tls, mountPath: /tls, readOnly: true}]
      volumes:
        - name: tls
          secret: {secretName: ${name}-tls}
---
apiVersion: v1
kind: Service
metadata:
  name: ${name}
  namespace: ${namespace}
spec:
  selector: {app: ${name}}
  ports: [{port: 443, targetPort: 9443}]
`;

const extensionYaml = ({ name, namespace }: Names): string => `
apiVersion: runtime.cluster.x-k8s.io/v1alpha1
kind: ExtensionConfig
metadata:
  name: ${name}
  annotations:
    runtime.cluster.x-k8s.io/inject-ca-from-secret: ${namespace}/${name}-tls
spec:
  clientConfig:
    service: {name: ${name}, namespace: ${namespace}}
`;
