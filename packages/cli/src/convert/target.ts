/** The versions of Cluster API that manifests are converted to. */
export const TARGETS = ["v1beta2", "v1beta1"] as const;

/** One of them. */
export type Target = (typeof TARGETS)[number];
