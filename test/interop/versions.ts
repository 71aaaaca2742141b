/** The versions of the programs of others that our tables are compared with. The module files beside name the same. */
export const VERSIONS = {
  "sigs.k8s.io/cluster-api": "v1.14.2",
  "k8s.io/kubernetes": "v1.35.4",
} as const;
