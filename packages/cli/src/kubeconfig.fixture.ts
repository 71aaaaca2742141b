import { stringify } from "yaml";

/** A kubeconfig of a server without TLS. */
export function kubeconfigOf(server: string): string {
  return stringify({
    "current-context": "c",
    clusters: [{ name: "c", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "c", user: {} }],
    contexts: [{ name: "c", context: { cluster: "c", user: "c" } }],
  });
}
