import { describe, expect, test } from "vitest";
import { convertText } from "./convert-text.ts";
import { HEAD, lines, TABLE } from "./manifests.fixture.ts";

const up = (text: string) => convertText({ origin: "a.yaml", text }, "v1beta2");
const down = (text: string) => convertText({ origin: "a.yaml", text }, "v1beta1");

describe("the way to v1beta2", () => {
  test.each(TABLE)("$name", ({ before, after, warnings = [] }) => {
    expect(up(lines(...before))).toEqual({ text: lines(...after), count: 1, warnings });
    expect(up(lines(...after)).text).toBe(lines(...after));
  });

  test.each(TABLE)("with the line ends of Windows: $name", ({ before, after }) => {
    const windows = (text: readonly string[]): string => lines(...text).replaceAll("\n", "\r\n");
    expect(up(windows(before)).text).toBe(windows(after));
  });

  test("without a line end at the end of the text", () => {
    expect(up("kind: MachineDrainRule\napiVersion: cluster.x-k8s.io/v1beta1").text).toBe(
      "kind: MachineDrainRule\napiVersion: cluster.x-k8s.io/v1beta2",
    );
  });
});

describe("a stream of documents", () => {
  const foreign = "---\n# a Secret\napiVersion:   v1\nkind: Secret\nstringData: {a:    b}\n\n\n";

  test("keeps every byte of documents of other kinds", () => {
    const text = `# all\n%YAML 1.2\n---\n${lines(...HEAD)}${foreign}--- # third\n${lines(...HEAD)}...\n`;
    const plain = text.replace("%YAML 1.2\n", "");
    for (const one of [plain, `\uFEFF${plain}`])
      expect(up(one).text).toBe(one.replaceAll("x-k8s.io/v1beta1", "x-k8s.io/v1beta2"));
  });

  test.each([
    ["", ""],
    ["# only a comment\n", ""],
    ["just text\n", ""],
    [foreign, ""],
    [
      lines("apiVersion: kustomize.config.k8s.io/v1beta1", "kind: Kustomization", "resources:   [a.yaml]"),
      "",
    ],
    [lines("apiVersion: infrastructure.cluster.x-k8s.io/v1beta1", "kind:   AzureMachineTemplate"), ""],
    [lines("apiVersion: infrastructure.cluster.x-k8s.io/v1beta1", "kind:   VSphereCluster"), ""],
    [
      lines("apiVersion: cluster.x-k8s.io/v1beta1", "kind:   ClusterClass", "metadata: {name: a}"),
      "a.yaml: ClusterClass a: is left as it is, because its kind is not known",
    ],
  ])("that has nothing to convert is the same: %j", (text, warning) => {
    expect(up(text)).toEqual({ text, count: 0, warnings: warning === "" ? [] : [warning] });
  });
});

describe("a list", () => {
  test("has its items converted, and keeps the lines of the others", () => {
    const before = lines(
      "apiVersion: v1",
      "kind: List",
      "items:",
      "- apiVersion: v1 # not ours",
      "  kind:   Secret",
      "# the workers",
      "- apiVersion: cluster.x-k8s.io/v1beta1",
      "  kind: MachineDeployment",
      "  spec: { rolloutAfter: 2026-01-01T00:00:00Z }",
      "metadata: {}",
    );
    expect(up(before)).toEqual({
      count: 1,
      warnings: [],
      text: before
        .replace("x-k8s.io/v1beta1", "x-k8s.io/v1beta2")
        .replace("{ rolloutAfter: 2026-01-01T00:00:00Z }", "{ rollout: { after: 2026-01-01T00:00:00Z } }"),
    });
  });

  test("of one kind has its own version converted, too", () => {
    const list = (version: string) =>
      lines(
        `apiVersion: cluster.x-k8s.io/${version}`,
        "kind: MachineDrainRuleList",
        "items:",
        `- {apiVersion: cluster.x-k8s.io/${version}, kind: MachineDrainRule}`,
      );
    expect(up(list("v1beta1")).text).toBe(list("v1beta2"));
    expect(up(list("v1beta1").replace(/items:\n.*\n/, "items: []\n")).text).toContain("x-k8s.io/v1beta2");
  });
});

describe("JSON", () => {
  const object = {
    apiVersion: "cluster.x-k8s.io/v1beta1",
    kind: "MachineDeployment",
    spec: { strategy: { type: "OnDelete" }, replicas: 1 },
  };
  const after = {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "MachineDeployment",
    spec: { rollout: { strategy: { type: "OnDelete" } }, replicas: 1 },
  };

  test.each([undefined, 2, 4, "\t"])("stays JSON, in its order, with an indentation of %j", (indent) => {
    const text = (value: unknown): string => `${JSON.stringify(value, null, indent)}\n`;
    expect(up(text(object)).text).toBe(text(after));
    expect(up(`---\n${text(object)}`).text).toBe(`---\n${text(after)}`);
    const list = (item: unknown) => ({ apiVersion: "v1", items: [item], kind: "List" });
    expect(up(text(list(object))).text).toBe(text(list(after)));
  });
});

describe("the way to v1beta1", () => {
  test("gives an AzureCluster its failure domains as a map, with the comments of the list", () => {
    const text = (version: string, ...domains: readonly string[]) =>
      lines(
        `apiVersion: infrastructure.cluster.x-k8s.io/${version}`,
        "kind: AzureCluster",
        "spec: { location:   westeurope }",
        "status:",
        "  failureDomains:",
        ...domains,
        "  # all is well",
        "  ready: true",
      );
    const before = text(
      "v1beta2",
      "  # the smallest",
      '  - name: "1" # and the oldest',
      "    controlPlane: false",
      '  - name: "3"',
      "    controlPlane: true",
    );
    const after = text(
      "v1beta1",
      "    # the smallest",
      "    # and the oldest",
      '    "1":',
      "      controlPlane: false",
      '    "3":',
      "      controlPlane: true",
    );
    expect(down(before)).toEqual({ text: after, count: 1, warnings: [] });
  });

  test("names the versions of references, carries what v1beta1 has no field for, and says so", () => {
    const before = lines(
      "apiVersion: cluster.x-k8s.io/v1beta2",
      "kind: Cluster",
      "metadata:",
      "  name: a",
      "  namespace: b",
      "spec:",
      "  # on purpose",
      "  paused: false",
      "  controlPlaneRef:",
      "    apiGroup: controlplane.cluster.x-k8s.io",
      "    kind: KubeadmControlPlane",
      "    name: a",
      "  infrastructureRef:",
      "    apiGroup: elsewhere.io # not ours",
      "    kind: OtherCluster",
      "    name: a",
    );
    const { text, warnings } = down(before);
    expect(text.split("\n").slice(3)).toEqual([
      "  name: a",
      "  namespace: b",
      "  annotations:",
      `    cluster.x-k8s.io/conversion-data: '{"spec":{"paused":false}}'`,
      "spec:",
      "  # on purpose",
      "  paused: false",
      "  controlPlaneRef:",
      "    apiVersion: controlplane.cluster.x-k8s.io/v1beta1",
      "    kind: KubeadmControlPlane",
      "    name: a",
      "    namespace: b",
      "  infrastructureRef:",
      "    apiVersion: elsewhere.io/v1beta1 # not ours",
      "    kind: OtherCluster",
      "    name: a",
      "    namespace: b",
      "",
    ]);
    expect(warnings).toEqual([
      "a.yaml: Cluster b/a: spec.infrastructureRef: no CRD serves OtherCluster of elsewhere.io; its version is assumed to be v1beta1",
      "a.yaml: Cluster b/a: metadata.annotations[cluster.x-k8s.io/conversion-data]: was added; it carries what the older version has no field for",
    ]);
    expect(up(text).text).toBe(before);
  });

  test("of an ExtensionConfig ends at v1alpha1", () => {
    const text = (version: string): string =>
      lines(`apiVersion: runtime.cluster.x-k8s.io/${version}`, "kind: ExtensionConfig", "spec: {}");
    expect(down(text("v1beta2")).text).toBe(text("v1alpha1"));
    expect(up(text("v1alpha1")).text).toBe(text("v1beta2"));
  });

  test("turns lists of arguments into maps, with their comments", () => {
    const before = lines(
      "apiVersion: bootstrap.cluster.x-k8s.io/v1beta2",
      "kind: KubeadmConfig",
      "spec:",
      "  joinConfiguration:",
      "    nodeRegistration:",
      "      kubeletExtraArgs:",
      "        # loud",
      "        - name: v",
      '          value: "2" # at most',
    );
    expect(down(before).text).toBe(
      lines(
        "apiVersion: bootstrap.cluster.x-k8s.io/v1beta1",
        "kind: KubeadmConfig",
        "spec:",
        "  joinConfiguration:",
        "    nodeRegistration:",
        "      kubeletExtraArgs:",
        "        # loud",
        '        v: "2" # at most',
      ),
    );
  });
});

describe("aliases and merge keys", () => {
  const timeouts = (...spec: readonly string[]) =>
    lines("apiVersion: bootstrap.cluster.x-k8s.io/v1beta1", "kind: KubeadmConfig", "spec:", ...spec);

  test("are written out, and that is said, where the other version has no common form", () => {
    const { text, warnings } = up(
      timeouts(
        "  clusterConfiguration:",
        "    apiServer: &component { extraArgs: { a: b }, timeoutForControlPlane: 1m }",
        "    scheduler: { extraArgs: { a: b } }",
        "  initConfiguration: &init { nodeRegistration: &node { name: n } }",
        "  joinConfiguration:",
        "    <<: *init",
        "    # mine",
        "    caCertPath: /ca",
      ),
    );
    expect(text).toContain("# mine");
    expect(text).not.toContain("timeoutForControlPlane");
    expect(warnings.filter((one) => !one.includes("aliases are written out"))).toEqual([]);
  });

  test("of a bomb are refused in one sentence", () => {
    const bomb = ["a: &a [x,x,x,x,x,x,x,x,x,x]"];
    for (const [index, name] of "bcdefg".split("").entries())
      bomb.push(`${name}: &${name} [${Array.from({ length: 10 }, () => `*${"abcdef"[index]}`).join(",")}]`);
    expect(() => up(lines(...bomb))).toThrow("a.yaml cannot be read: Excessive alias count");
  });
});

describe("a text that cannot be converted", () => {
  test.each([
    ["a: [", "a.yaml is neither YAML nor JSON: "],
    ["[".repeat(20_000), "a.yaml nests too deeply at line 1; "],
    ["a: 1\na: 2\n", "a.yaml is neither YAML nor JSON: Map keys must be unique"],
    ["a: *b\n", "a.yaml cannot be read: Unresolved alias"],
    ["\u0000\u0001", "a.yaml is not text in UTF-8; expected manifests in YAML or JSON"],
    [
      lines("apiVersion: cluster.x-k8s.io/v1alpha4", "kind: Cluster", "metadata: {name: a}"),
      "a.yaml: Cluster a has apiVersion cluster.x-k8s.io/v1alpha4; its versions are v1beta1 and v1beta2",
    ],
    [
      lines("apiVersion: runtime.cluster.x-k8s.io/v1beta1", "kind: ExtensionConfig"),
      "a.yaml: a ExtensionConfig without a name has apiVersion runtime.cluster.x-k8s.io/v1beta1; its versions are v1alpha1 and v1beta2",
    ],
    [
      `a: ${"x".repeat(17 * 1024 * 1024)}`,
      "a.yaml has 17.0 MiB, and at most 16.0 MiB are converted at once; split it",
    ],
  ])("is refused: %.40j", (text, message) => {
    expect(() => up(text)).toThrow(message);
  });

  test.each([
    "spec: 7",
    "spec: []",
    "spec: { template: 1, strategy: [], minReadySeconds: x }",
    "spec:",
    "metadata: 3",
  ])("but one with a wrong value is, because servers say what is wrong with it: %s", (spec) => {
    expect(up(lines(...HEAD, spec)).text).toContain("x-k8s.io/v1beta2");
  });
});
