import { boolean, duration, listOf, mapOf, object, optional, string } from "../../schema/schema.ts";
import { kubeadmType, path, texts, word } from "./fields.ts";
import { LocalApiEndpoint, phaseFields } from "./node-registration.ts";

const KubeConfigCluster = object("The cluster of the kubeconfig; made from the Cluster unless set.", {
  server: optional(path("The address of the API server.")),
  tlsServerName: optional(path("The name that the certificate of the server must have.")),
  insecureSkipTLSVerify: optional(boolean("Trust any server. Not for production.")),
  certificateAuthorityData: optional(
    string("The certificate authority, in base64.", { format: "byte", minLength: 1, maxLength: 51200 }),
  ),
  proxyURL: optional(path("The proxy to go through.")),
});

const KubeConfigUser = object("How the machine identifies itself.", {
  authProvider: optional(
    object("An authentication plugin.", {
      name: word("The name of the plugin."),
      config: optional(mapOf("Its configuration.", string("A value."))),
    }),
  ),
  exec: optional(
    object("A command that gives credentials.", {
      command: string("The command.", { minLength: 1, maxLength: 1024 }),
      args: optional(texts("Its arguments.", { maxLength: 512, maxItems: 100 })),
      env: optional(
        listOf(
          "Its environment.",
          object("A variable.", { name: path("The name."), value: path("The value.") }),
          { maxItems: 100 },
        ),
      ),
      apiVersion: optional(path("The API version of its output.")),
      provideClusterInfo: optional(boolean("Whether it gets information about the cluster.")),
    }),
  ),
});

/** How a machine finds its cluster. */
export const Discovery = object("How the machine finds the cluster.", {
  bootstrapToken: optional(
    object("With a token; filled in unless set.", {
      token: optional(path("The token.")),
      apiServerEndpoint: optional(path("The address of the API server.")),
      caCertHashes: optional(
        texts("Hashes of the certificate authorities to trust.", { maxLength: 512, maxItems: 100 }),
      ),
      unsafeSkipCAVerification: optional(boolean("Trust any certificate authority. Not for production.")),
    }),
  ),
  file: optional(
    object("With a kubeconfig on the machine.", {
      kubeConfigPath: path("The path of the kubeconfig."),
      kubeConfig: optional(
        object("What to write to that path.", { cluster: optional(KubeConfigCluster), user: KubeConfigUser }),
      ),
    }),
  ),
  tlsBootstrapToken: optional(
    path("The token for the certificate of the kubelet; that of bootstrapToken unless set."),
  ),
  timeout: optional(duration("How long the discovery may take.")),
});

/** The configuration of `kubeadm join`. */
export const JoinConfiguration = object("The configuration of `kubeadm join`, on every other machine.", {
  ...kubeadmType,
  caCertPath: optional(path("The path of the certificate authority; default: /etc/kubernetes/pki/ca.crt.")),
  discovery: optional(Discovery),
  controlPlane: optional(
    object("Join as a control plane machine.", { localAPIEndpoint: optional(LocalApiEndpoint) }),
  ),
  ...phaseFields,
});
