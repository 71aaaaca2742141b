import type { Frozen, Machine } from "@capstan/api";

/** Whether two versions differ in more than their build metadata, which distributions add. */
export function isOtherVersion(a: string, b: string): boolean {
  return withoutBuild(a) !== withoutBuild(b);
}

/** Why the kubelet of a machine is not the desired one; undefined if it is, or while it is not known. */
export function kubeletMismatch({ spec, status }: Frozen<Machine>): string | undefined {
  const { kubeletVersion } = status?.nodeInfo ?? {};
  if (!kubeletVersion || spec.version === undefined || !isOtherVersion(kubeletVersion, spec.version))
    return undefined;
  return `The kubelet of the Node has version ${kubeletVersion}, ${spec.version} is desired`;
}

function withoutBuild(version: string): string {
  return version.split("+")[0] ?? "";
}
