/** Commands that people bring along from kubectl and clusterctl, and that capstan leaves to them. */
const COMMANDS: Readonly<Record<string, string>> = {
  annotate: "kubectl",
  apply: "kubectl",
  create: "kubectl",
  delete: "kubectl",
  drain: "kubectl",
  edit: "kubectl",
  events: "kubectl",
  exec: "kubectl",
  explain: "kubectl",
  generate: "clusterctl",
  label: "kubectl",
  logs: "kubectl",
  move: "clusterctl",
  patch: "kubectl",
  scale: "kubectl",
  top: "kubectl",
  wait: "kubectl",
};

// The kinds of Cluster API and its Azure provider, their short names, and those of Kubernetes that one looks at beside them.
const KINDS =
  /^(machine|azure|kubeadm|extensionconfig|managedcluster|nodes?$|pods?$|secrets?$|events?$|crds?$|all$|(amp|ampm|mp|md|ms|ma|mhc|kcp)$)/i;

/** The command line of another program that does what these words ask for; undefined if capstan may have the command. */
export function commandOfOther(words: readonly string[]): string | undefined {
  const [first = "", second = ""] = words;
  const program = first === "get" && KINDS.test(second) ? "kubectl" : COMMANDS[first];
  return program === undefined ? undefined : [program, ...words].join(" ");
}
