import { parseYaml } from "@capstan/api";
import { expect, test } from "vitest";
import { withKubeletArguments } from "./kubelet-arguments.ts";

const ARGUMENTS = ["--register-with-taints=a=b:NoSchedule", "--node-labels=c=d"];
const ENTRIES = ["/etc/default/kubelet", "/etc/sysconfig/kubelet"].map((path) => ({
  path,
  permissions: "0644",
  content: 'KUBELET_EXTRA_ARGS="--register-with-taints=a=b:NoSchedule --node-labels=c=d"\n',
}));

function parsed(text: string): unknown {
  const changed = withKubeletArguments(text, ARGUMENTS);
  return changed === undefined ? undefined : parseYaml(changed);
}

test.each([
  [
    "in a list that is indented",
    "#cloud-config\nwrite_files:\n  - path: /a\n    content: b\nruncmd:\n  - ls\n",
    [{ path: "/a", content: "b" }],
  ],
  [
    "in a list that is not indented",
    "## template: jinja\n#cloud-config\nwrite_files:\n- path: /a\n  content: b\n",
    [{ path: "/a", content: "b" }],
  ],
  ["without a list", "#cloud-config\nruncmd:\n  - ls", []],
])("the kubelet gets the arguments from two files, %s", (_, text, files) => {
  expect(parsed(text)).toMatchObject({ write_files: [...ENTRIES, ...files] });
});

test("templates of the cloud-config stay as they are", () => {
  const template = 'name: {{ ds.meta_data["local_hostname"] }}\n';
  const text = `## template: jinja\n#cloud-config\n${template}`;
  expect(withKubeletArguments(text, ARGUMENTS)?.startsWith(text)).toBe(true);
});

test.each([
  ["is no cloud-config", "#!/bin/sh\nkubeadm join\n"],
  ["is empty", ""],
  [
    "has arguments for the kubelet",
    "#cloud-config\nwrite_files:\n- path: /etc/default/kubelet\n  content: a\n",
  ],
  ["has its files in braces", "#cloud-config\nwrite_files: [{path: /a}]\n"],
])("data that %s is left alone", (_, text) => {
  expect(withKubeletArguments(text, ARGUMENTS)).toBeUndefined();
});
