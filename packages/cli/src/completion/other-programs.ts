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
  upgrade: "clusterctl",
  wait: "kubectl",
};

/** Words that people try for commands of ours. */
const OURS: Readonly<Record<string, string>> = {
  list: "get clusters",
  start: "up",
  stop: "down",
  watch: "rollout watch",
};

// The kinds of Cluster API and its Azure provider, their short names, and those of Kubernetes that one looks at beside them.
const KINDS =
  /^(machine|azure|kubeadm|extensionconfig|managedcluster|nodes?$|pods?$|secrets?$|events?$|crds?$|all$|(amp|ampm|mp|md|ms|ma|mhc|kcp)$)/i;

/** The command line that does what these words ask for, mostly of another program; undefined if capstan may have the command. */
export function commandOfOther(words: readonly string[]): string | undefined {
  const [first = "", second = ""] = words;
  const ours = OURS[first];
  if (ours !== undefined) return ["capstan", ours, ...words.slice(1)].join(" ");
  const program = first === "get" && KINDS.test(second) ? "kubectl" : COMMANDS[first];
  return program === undefined ? undefined : [program, ...words].join(" ");
}

// The kinds that `capstan rollout` follows, as kubectl names kinds in front of a name.
const ROLLED = /^(mp|amp|md|kcp|(machinepool|azuremachinepool|machinedeployment|kubeadmcontrolplane)s?)$/i;

/** kubectl's `rollout status KIND NAME` as `rollout status KIND/NAME`, and `describe cluster/NAME` as `describe cluster NAME`. */
export function withOneName(words: readonly string[]): readonly string[] {
  if (words[0] === "rollout") return withJoinedName(words);
  const [, name] = /^clusters?\/(.+)$/i.exec(words[1] ?? "") ?? [];
  return words[0] === "describe" && name !== undefined
    ? ["describe", "cluster", name, ...words.slice(2)]
    : words;
}

function withJoinedName(words: readonly string[]): readonly string[] {
  const [kind = "", name = ""] = words.slice(2);
  const isSplit = ROLLED.test(kind) && /^\w/.test(name);
  return isSplit ? [...words.slice(0, 2), `${kind}/${name}`, ...words.slice(4)] : words;
}
