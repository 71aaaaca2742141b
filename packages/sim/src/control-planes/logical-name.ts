import { createHash } from "node:crypto";
import { dns1123LabelProblems } from "@capstan/api";
import { MANAGEMENT_CLUSTER } from "@capstan/apiserver";

const LONGEST_NAME = 63;
const HASH_LENGTH = 16;
// Names with it are never those of Clusters themselves, so that a derived name cannot be somebody else's.
const MARK = "--";

/**
 * The name of the logical cluster of a Cluster: a DNS label, and no two Clusters have the same. In the namespace
 * `default` it is the name of the Cluster, where that is possible.
 */
export function logicalName({
  name,
  namespace,
}: {
  readonly name: string;
  readonly namespace: string;
}): string {
  const isPlain = namespace === "default" && name !== MANAGEMENT_CLUSTER && !name.includes(MARK);
  if (isPlain && dns1123LabelProblems(name).length === 0) return name;
  const hash = createHash("sha256").update(`${namespace}/${name}`).digest("hex").slice(0, HASH_LENGTH);
  const readable = `${namespace}-${name}`
    .replaceAll(".", "-")
    .slice(0, LONGEST_NAME - HASH_LENGTH - MARK.length);
  return `${readable.replace(/-+$/, "")}${MARK}${hash}`;
}
