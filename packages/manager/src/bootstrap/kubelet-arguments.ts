/** Where the services of kubelets from packages read additional arguments: Debian's place, and Red Hat's. */
const FILES = ["/etc/default/kubelet", "/etc/sysconfig/kubelet"];
const IS_CLOUD_CONFIG = /^(?:##[^\n]*\n)?#cloud-config\s*$/m;
const WRITE_FILES = /^write_files:[ \t]*\n([ \t]*)-/m;

/**
 * A cloud-config with which the kubelet gets more arguments. It is changed as text: its templates must stay as they are.
 * Undefined if it is not a cloud-config, or has such arguments already.
 */
export function withKubeletArguments(text: string, values: readonly string[]): string | undefined {
  if (!IS_CLOUD_CONFIG.test(text) || FILES.some((path) => text.includes(path))) return undefined;
  const content = JSON.stringify(`KUBELET_EXTRA_ARGS="${values.join(" ")}"\n`);
  const indent = WRITE_FILES.exec(text)?.[1];
  const entries = FILES.map(
    (path) =>
      `${indent ?? ""}- path: ${path}\n${indent ?? ""}  permissions: "0644"\n${indent ?? ""}  content: ${content}\n`,
  ).join("");
  if (indent !== undefined) return text.replace(/^write_files:[ \t]*\n/m, (line) => line + entries);
  if (/^write_files:/m.test(text)) return undefined;
  return `${text.endsWith("\n") ? text : `${text}\n`}write_files:\n${entries}`;
}
