import { createHash } from "node:crypto";
import { dns1123LabelProblems } from "@capstan/api";
import { MANAGEMENT_CLUSTER } from "@capstan/apiserver/layout";

const LONGEST_NAME = 63;
const HASH_LENGTH = 16;
// No name of a Cluster contains this separator, so a derived name cannot collide with one.
const MARK = "--";

/**
 * The name of a Cluster's logical cluster: a DNS label, unique for each Cluster. In the namespace `default` it is the name
 * of the Cluster, where possible.
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
