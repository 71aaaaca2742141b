import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatProblem } from "./problem.ts";
import { readScenario } from "./read-scenario.ts";
import type { Scenario } from "./scenario.ts";

type Files = Readonly<Record<string, string>>;

/** Parses the scenario in `main.yaml`; throws an error with all problems. */
function scenario(text: string, files: Files = {}): Scenario {
  const reading = readScenario("main.yaml", (path) => (path === "main.yaml" ? text : files[path]));
  if ("scenario" in reading) return reading.scenario;
  throw new Error(reading.problems.map(formatProblem).join("\n"));
}

/** The action of a scenario's only step. */
function action(line: string, before: readonly string[] = []): unknown {
  const lines = [...before, line].map((one) => `  - ${one}\n`).join("");
  return scenario(`steps:\n${lines}`).steps.at(-1)?.action;
}

const POOL = "createScaleSet: { name: pool, instances: 3 }";

describe("a scenario", () => {
  test("has defaults for missing fields", () => {
    expect(scenario("steps: [{ wait: 90s }]\n")).toEqual({
      name: "main",
      file: "main.yaml",
      seed: "1",
      limitMs: 7_200_000,
      world: {},
      faults: [],
      steps: [
        {
          action: { do: "wait", ms: 90_000 },
          text: "wait 1m30s",
          at: { file: "main.yaml", line: 1, column: 9 },
        },
      ],
      expect: [],
    });
  });

  test("describes its world in the settings of guests and Azure", () => {
    const { world } = scenario(`
world:
  clusters: [east, west]
  managers: 2
  guests: { boot: { p50: 1m, p90: 2m }, gracePeriod: 40s }
  azure:
    latencies: none
    throttling: false
    consistencyLag: { p50: 500ms, p90: 2s }
    quotas: [{ family: cores, limit: 10 }]
    capacities: [{ size: Standard_B2s, instances: 4, location: westeurope }]
steps: [{ wait: 1s }]
`);
    expect(world).toEqual({
      clusters: ["east", "west"],
      managers: 2,
      guests: { boot: { p50: 60, p90: 120 }, gracePeriodMs: 40_000 },
      azure: {
        latencies: "none",
        isThrottled: false,
        consistencyLag: { p50: 0.5, p90: 2 },
        quotas: [{ location: "westus2", family: "cores", limit: 10 }],
        capacities: [{ location: "westeurope", size: "Standard_B2s", instances: 4 }],
      },
    });
  });

  test("has its faults by text, or a subset by the seed", () => {
    expect(scenario("faults: swarm\nsteps: [{ wait: 1s }]\n").faults).toBe("swarm");
    expect(scenario("faults: ['arm-throttled:20%']\nsteps: [{ wait: 1s }]\n").faults).toEqual([
      { fault: "arm-throttled", text: "arm-throttled:20%", when: { trigger: { probability: 0.2 } } },
    ]);
  });

  test("has expectations for its end", () => {
    const { expect: claims } = scenario(`
steps:
  - ${POOL}
  - deleteScaleSet: { name: pool }
expect:
  - { nodes: 0, nodesReady: 0, podsRunning: 0, machines: { pool: 0 }, guestsFailed: { TokenExpired: 1 } }
  - { conditions: [{ kind: Cluster, name: a, type: Ready, status: True }], cluster: management }
`);
    expect(claims).toEqual([
      {
        cluster: "workload",
        nodes: 0,
        nodesReady: 0,
        podsRunning: 0,
        machines: [{ scaleSet: "pool", running: 0 }],
        guestsFailed: [{ reason: "TokenExpired", guests: 1 }],
      },
      {
        cluster: "management",
        conditions: [
          {
            kind: expect.objectContaining({ plural: "clusters" }) as unknown,
            namespace: "default",
            name: "a",
            type: "Ready",
            status: "True",
          },
        ],
      },
    ]);
  });
});

describe("a step", () => {
  test.each([
    [
      "createScaleSet: { name: a, instances: 2, version: v1.34.1, zones: [1, 3], size: Standard_B2s, spot: true, tokenTtl: 1h }",
      {
        do: "createScaleSet",
        name: "a",
        instances: 2,
        version: "v1.34.1",
        zones: ["1", "3"],
        size: "Standard_B2s",
        spot: true,
        join: { tokenTtlMs: 3_600_000 },
        cluster: "workload",
      },
    ],
    ["resize: { scaleSet: pool, to: 0 }", { do: "resize", scaleSet: "pool", to: 0 }],
    ["deleteScaleSet: { name: pool }", { do: "deleteScaleSet", name: "pool" }],
    [
      "deploy: { name: web, replicas: 3, image: nginx, budget: { minAvailable: 50% } }",
      {
        do: "deploy",
        name: "web",
        replicas: 3,
        image: "nginx",
        budget: { minAvailable: "50%" },
        cluster: "workload",
      },
    ],
    [
      "machine: { scaleSet: pool, instances: all, do: restart }",
      { do: "machine", scaleSet: "pool", instances: "all", action: "restart" },
    ],
    [
      "drain: { scaleSet: pool, instances: [0, 2], within: 5m }",
      { do: "drain", scaleSet: "pool", instances: ["0", "2"], withinMs: 300_000 },
    ],
    ["uncordon: { scaleSet: pool, instances: [1] }", { do: "uncordon", scaleSet: "pool", instances: ["1"] }],
    [
      "until: { nodesReady: 3, within: 20m }",
      { do: "until", nodesReady: 3, withinMs: 1_200_000, cluster: "workload" },
    ],
    ["heal: all", { do: "heal", faults: "all" }],
    ["heal: watch-delay", { do: "heal", faults: "watch-delay" }],
    ["crash: { manager: 1 }", { do: "crash", manager: 1, forMs: 10_000 }],
    ["stall: { manager: 1, for: 30s }", { do: "stall", manager: 1, forMs: 30_000 }],
    [
      "fault: stall:1st write",
      { do: "fault", fault: { fault: "stall", text: "stall:1st write", when: { trigger: { nth: 1 } } } },
    ],
  ])("%s", (line, expected) => {
    expect(action(line, [POOL])).toEqual(expected);
  });

  test("that creates a scale set has defaults for missing fields", () => {
    expect(action(POOL)).toEqual({
      do: "createScaleSet",
      name: "pool",
      instances: 3,
      cluster: "workload",
      version: "v1.34.1",
      size: "Standard_D4s_v3",
      spot: false,
      zones: [],
      join: { tokenTtlMs: 86_400_000 },
    });
  });

  test("names objects by kind, in the namespace default unless given", () => {
    const pools = expect.objectContaining({ kind: "MachinePool", plural: "machinepools" }) as unknown;
    expect(action("patch: { kind: MachinePool, name: a, merge: { spec: { replicas: 3 } } }")).toEqual({
      do: "patch",
      cluster: "management",
      kind: pools,
      name: "a",
      namespace: "default",
      merge: { spec: { replicas: 3 } },
    });
    expect(action("delete: { kind: MachinePool, name: a, namespace: b }")).toMatchObject({ namespace: "b" });
    expect(action("delete: { kind: Node, name: a, cluster: workload }")).not.toHaveProperty("namespace");
  });

  test("applies inline objects, or those of a file", () => {
    const written = action(
      "apply: { objects: [{ apiVersion: v1, kind: ConfigMap, metadata: { name: a }, data: { constructor: b } }], cluster: workload }",
    );
    expect(written).toMatchObject({
      do: "apply",
      cluster: "workload",
      objects: [
        { kind: { plural: "configmaps" }, object: { metadata: { name: "a", namespace: "default" } } },
      ],
    });
    expect(JSON.stringify(written)).toContain('"data":{"constructor":"b"}');
    const manifest = "apiVersion: v1\nkind: Namespace\nmetadata: { name: b }\n---\n---\n# The end.\n";
    const { steps } = scenario("steps: [{ apply: { file: sub/all.yaml } }]\n", { "sub/all.yaml": manifest });
    expect(steps[0]?.action).toMatchObject({ objects: [{ object: { metadata: { name: "b" } } }] });
    expect(steps[0]?.text).toBe("apply Namespace b to management");
  });

  test("keeps the apiVersion of an object", () => {
    expect(
      action(
        "apply: { objects: [{ apiVersion: containerservice.azure.com/v1api20240901, kind: ManagedCluster, metadata: { name: a } }] }",
      ),
    ).toMatchObject({
      objects: [
        { kind: { apiVersion: "containerservice.azure.com/v1api20240901", version: "v1api20240901" } },
      ],
    });
  });

  test("takes custom data from a file or inline", () => {
    const lines = (data: string): string =>
      `steps: [{ createScaleSet: { name: a, instances: 1, customData: ${data} } }]\n`;
    const files = { "data.txt": "#cloud-config\n" };
    expect(scenario(lines("{ file: data.txt }"), files).steps[0]?.action).toMatchObject({
      join: { customData: "#cloud-config\n" },
    });
    expect(scenario(lines('{ text: "" }')).steps[0]?.action).toMatchObject({ join: { customData: "" } });
  });

  test("may name what an earlier object creates", () => {
    const pool =
      "apply: { objects: [{ apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureMachinePool, metadata: { name: mp } }] }";
    const cluster =
      "apply: { objects: [{ apiVersion: cluster.x-k8s.io/v1beta1, kind: Cluster, metadata: { name: prod } }] }";
    expect(action("resize: { scaleSet: mp, to: 1 }", [pool, pool])).toMatchObject({ to: 1 });
    expect(action("deploy: { name: web, replicas: 1, cluster: prod }", [cluster])).toMatchObject({
      cluster: "prod",
    });
  });
});

describe("an include", () => {
  const base = `seed: 5
limit: 1m
world: { managers: 2, guests: { gracePeriod: 1m }, azure: { throttling: false } }
faults: [stall]
steps: [{ ${POOL} }]
expect: [{ nodesReady: 3 }]
`;

  test("adds its steps first, and its world for missing fields", () => {
    const text = "include: [sub/base.yaml]\nworld: { azure: { latencies: none } }\nsteps: [{ wait: 1s }]\n";
    const read = scenario(text, { "sub/base.yaml": base });
    expect(read.steps.map(({ action: { do: name }, at: { file } }) => [name, file])).toEqual([
      ["createScaleSet", "sub/base.yaml"],
      ["wait", "main.yaml"],
    ]);
    expect(read.world).toEqual({
      managers: 2,
      guests: { gracePeriodMs: 60_000 },
      azure: { isThrottled: false, latencies: "none" },
    });
    expect([read.seed, read.limitMs, read.faults, read.expect]).toEqual(["1", 7_200_000, [], []]);
  });

  test("that two files share is added once", () => {
    const files = {
      "base.yaml": base,
      "a.yaml": "include: [base.yaml]\n",
      "b.yaml": "include: [./base.yaml]\nsteps: [{ wait: 2s }]\n",
    };
    const read = scenario("include: [a.yaml, b.yaml]\n", files);
    expect(read.steps.map(({ action: { do: name } }) => name)).toEqual(["createScaleSet", "wait"]);
  });
});

const EXAMPLES = join(import.meta.dirname, "../../../../examples/scenarios");

describe("the examples", () => {
  const names = readdirSync(EXAMPLES).filter((name) => name.endsWith(".yaml"));

  test("are at least ten", () => {
    expect(names.length).toBeGreaterThanOrEqual(10);
  });

  test.each(names)("%s is valid, and its first line says what it shows", (name) => {
    const reading = readScenario(join(EXAMPLES, name), (path) => readFileSync(path, "utf8"));
    expect("problems" in reading ? reading.problems.map(formatProblem) : []).toEqual([]);
    expect(readFileSync(join(EXAMPLES, name), "utf8")).toMatch(/^# [A-Z].*\.\n/);
  });
});

describe("parsing does not throw:", () => {
  const isAnswered = (text: string): void => {
    const reading = readScenario("main.yaml", (path) => (path.startsWith("main") ? text : undefined));
    if ("scenario" in reading) return;
    expect(reading.problems.length).toBeGreaterThan(0);
    for (const { at, message } of reading.problems) {
      expect([at.line > 0, at.column > 0, message !== ""]).toEqual([true, true, true]);
    }
  };

  test("for random characters", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), isAnswered));
  });

  test("for YAML syntax mixed with keywords", () => {
    const words = [
      "steps",
      "wait",
      "until",
      "apply",
      "10m",
      "-1",
      "name",
      "&a",
      "*a",
      "include",
      "main.yaml",
      "faults",
    ];
    const signs = [
      ":",
      "- ",
      "\n",
      "  ",
      "{",
      "}",
      "[",
      "]",
      ", ",
      "'",
      '"',
      "|",
      ">",
      "#",
      "---\n",
      "!!",
      "<<",
      "?",
    ];
    const texts = fc
      .array(fc.constantFrom(...words, ...signs), { maxLength: 40 })
      .map((parts) => parts.join(""));
    fc.assert(fc.property(texts, isAnswered), { numRuns: 500 });
  });

  test("for an example with other text in its middle", () => {
    const example = readFileSync(join(EXAMPLES, "rolling-reboot.yaml"), "utf8");
    const at = fc.nat(example.length);
    fc.assert(
      fc.property(at, at, fc.string(), (from, length, other) =>
        isAnswered(example.slice(0, from) + other + example.slice(from + length)),
      ),
    );
  });

  test.each([
    ["brackets", "[".repeat(120_000)],
    ["dashes", "- ".repeat(60_000)],
    [
      "lines one in the other",
      Array.from({ length: 600 }, (_, depth) => `${" ".repeat(depth)}a:\n`).join(""),
    ],
    ["aliases in their own anchors", "steps: &a [*a]\n"],
    [
      "aliases that multiply",
      `${Array.from({ length: 9 }, (_, index) => `a${index}: &a${index} [${`*a${index - 1}, `.repeat(9)}]\n`)
        .join("")
        .replace("*a-1, ".repeat(9), "x")}steps: *a8\n`,
    ],
    ["characters", "a".repeat(300_000)],
    ["unknown fields", Array.from({ length: 12_000 }, (_, index) => `f${index}: 1\n`).join("")],
  ])("for too many %s", (_, text) => {
    isAnswered(text);
  });
});
