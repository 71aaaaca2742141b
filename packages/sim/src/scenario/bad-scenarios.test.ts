import { describe, expect, test } from "vitest";
import { formatProblem } from "./problem.ts";
import { readScenario, type ScenarioReading } from "./read-scenario.ts";

const FILES: Readonly<Record<string, string>> = {
  "dir/a.yaml": "include: [b.yaml]\n",
  "dir/b.yaml": "steps: [{ wait: 1m }]\ninclude: [a.yaml]\n",
  "dir/bad.yaml": "steps:\n  - wait: soon\n",
};

function read(text: string, files: Readonly<Record<string, string>> = FILES): ScenarioReading {
  return readScenario("dir/scenario.yaml", (path) => (path === "dir/scenario.yaml" ? text : files[path]));
}

function problems(text: string): readonly string[] {
  const reading = read(text);
  // Problems of the file itself have no file name here, so that the tables below stay readable.
  return "problems" in reading
    ? reading.problems.map((problem) => formatProblem(problem).replace("dir/scenario.yaml:", ""))
    : [];
}

const steps = (...lines: readonly string[]): string =>
  `steps:\n${lines.map((line) => `  - ${line}\n`).join("")}`;

describe("a scenario is refused with line, column and a fix, because of", () => {
  test.each([
    [
      "unknown field of a scenario",
      "nmae: x\nsteps:\n  - wait: 1m\n",
      "1:1: nmae: unknown field; did you mean name?",
    ],
    [
      "two steps in one",
      "steps:\n  - wait: 1m\n    heal: all\n",
      "2:5: steps[0]: wait and heal in one step; it has exactly one of apply, patch, delete, createScaleSet, resize, deleteScaleSet, deploy, machine, drain, uncordon, wait, until, fault, heal, crash, stall",
    ],
    ["steps that are no list", "steps: { wait: 1m }\n", "1:8: steps: a map: must be a list"],
    ["no steps", "name: nothing\n", "1:1: there are no steps; a scenario has at least one"],
    ["an empty file", "# nothing\n", "1:1: is empty; a scenario has steps"],
    [
      "two documents",
      "steps: [{ wait: 1m }]\n---\nsteps: []\n",
      "3:1: must be one document; leave out the line with ---",
    ],
    ["a list", "- wait: 1m\n", "1:1: a list: must be a map of fields"],
    [
      "an alias of nothing",
      "steps: [{ wait: *long }]\n",
      "1:17: steps[0].wait: *long: must be the alias of an anchor before it",
    ],
    ["a tag", "steps: [{ wait: !soon 1m }]\n", "1:17: must be YAML: Unresolved tag: !soon"],
    [
      "unknown kind",
      "steps:\n  - apply:\n      objects:\n        - apiVersion: cluster.x-k8s.io/v1beta1\n          kind: MachinePol\n          metadata: { name: a }\n",
      '5:17: steps[0].apply.objects[0].kind: "MachinePol": unknown kind; did you mean MachinePool?',
    ],
    [
      "another version of a kind",
      "steps:\n  - apply:\n      objects:\n        - apiVersion: cluster.x-k8s.io/v1alpha4\n          kind: Cluster\n          metadata: { name: a }\n",
      '4:23: steps[0].apply.objects[0].apiVersion: "cluster.x-k8s.io/v1alpha4": Cluster is served as cluster.x-k8s.io/v1beta2',
    ],
    [
      "an object without a name",
      "steps:\n  - apply:\n      objects:\n        - { apiVersion: v1, kind: ConfigMap, metadata: {} }\n",
      "4:56: steps[0].apply.objects[0].metadata: name is missing; it takes name, namespace",
    ],
    [
      "no cluster where there are several",
      "world: { clusters: [east, west] }\nsteps:\n  - deploy: { name: web, replicas: 1 }\n",
      '3:13: steps[0].deploy: "workload": the cluster does not exist at this step; expected one of east, west, management',
    ],
    [
      "a negative duration",
      "limit: -5m\nsteps:\n  - wait: 1m\n",
      '1:8: limit: "-5m": must be a duration above 0, such as 90s, 10m or 1h30m',
    ],
    [
      "within at the end",
      "steps: [{ wait: 1m }]\nexpect:\n  - { nodesReady: 1, within: 5m }\n",
      "3:5: expect[0]: within has no meaning at the end; wait in a step: until: { … }",
    ],
  ])("%s", (_, text, problem) => {
    expect(problems(text)).toEqual([problem]);
  });

  test.each([
    ["unknown step", "aply: { file: x.yaml }", "2:5: steps[0].aply: unknown step; did you mean apply?"],
    [
      "an empty step",
      "{}",
      "2:5: steps[0]: empty step; it has exactly one of apply, patch, delete, createScaleSet, resize, deleteScaleSet, deploy, machine, drain, uncordon, wait, until, fault, heal, crash, stall",
    ],
    [
      "broken YAML",
      "wait: [1m",
      "3:1: must be YAML: Flow sequence in block collection must be sufficiently indented and end with a ]",
    ],
    [
      "an object without a kind",
      "apply: { objects: [{ apiVersion: v1, metadata: { name: a } }] }",
      "2:24: steps[0].apply.objects[0]: kind is missing; it takes apiVersion, kind, metadata",
    ],
    [
      "neither objects nor a file",
      "apply: { cluster: workload }",
      "2:12: steps[0].apply: must have either objects, a list, or file, a path",
    ],
    [
      "a manifest that is not there",
      "apply: { file: none.yaml }",
      '2:20: steps[0].apply.file: "none.yaml": file dir/none.yaml does not exist; paths start at the folder of this file',
    ],
    [
      "unknown kind to patch",
      "patch: { kind: machinepool, name: a, merge: { spec: {} } }",
      '2:20: steps[0].patch.kind: "machinepool": unknown kind; did you mean MachinePool?',
    ],
    [
      "a patch that is not a map",
      "patch: { kind: MachinePool, name: a, merge: 3 }",
      "2:49: steps[0].patch.merge: 3: must be a map of what is to change",
    ],
    [
      "a namespace for a Node",
      "delete: { kind: Node, name: a, namespace: default, cluster: workload }",
      '2:13: steps[0].delete: namespace "default": a Node is in no namespace; leave it out',
    ],
    [
      "negative count",
      "createScaleSet: { name: pool, instances: -3 }",
      "2:46: steps[0].createScaleSet.instances: -3: must be a whole number from 0 to 1000",
    ],
    [
      "a fraction of a machine",
      "createScaleSet: { name: pool, instances: 1.5 }",
      "2:46: steps[0].createScaleSet.instances: 1.5: must be a whole number from 0 to 1000",
    ],
    [
      "a count as text",
      'createScaleSet: { name: pool, instances: "3" }',
      '2:46: steps[0].createScaleSet.instances: "3": must be a whole number from 0 to 1000',
    ],
    [
      "too many machines",
      "createScaleSet: { name: pool, instances: 1001 }",
      "2:46: steps[0].createScaleSet.instances: 1001: must be a whole number from 0 to 1000",
    ],
    [
      "no count",
      "createScaleSet: { name: pool }",
      "2:21: steps[0].createScaleSet: instances is missing; it takes name, instances, cluster, version, zones, size, spot, customData, tokenTtl",
    ],
    [
      "a name with capitals",
      "createScaleSet: { name: Pool, instances: 1 }",
      '2:29: steps[0].createScaleSet.name: "Pool": must be a name of lower case letters, digits and dashes, such as pool-1',
    ],
    [
      "unknown size",
      "createScaleSet: { name: pool, instances: 1, size: Standard_D4_v3 }",
      '2:55: steps[0].createScaleSet.size: "Standard_D4_v3": did you mean Standard_D4s_v3?',
    ],
    [
      "unknown version",
      "createScaleSet: { name: pool, instances: 1, version: v1.20.0 }",
      '2:58: steps[0].createScaleSet.version: "v1.20.0": expected one of v1.33.5, v1.34.1',
    ],
    [
      "unknown zone",
      "createScaleSet: { name: pool, instances: 1, zones: [4] }",
      "2:57: steps[0].createScaleSet.zones[0]: 4: must be a whole number from 1 to 3",
    ],
    [
      "custom data and a token",
      "createScaleSet: { name: pool, instances: 1, tokenTtl: 1h, customData: { text: x } }",
      "2:21: steps[0].createScaleSet: tokenTtl is for the join that the world writes; with customData leave it out",
    ],
    [
      "custom data of two kinds",
      "createScaleSet: { name: pool, instances: 1, customData: { text: x, file: y } }",
      "2:61: steps[0].createScaleSet.customData: text and file in one source of custom data; it has exactly one of file, text",
    ],
    [
      "a scale set that no step creates",
      "resize: { scaleSet: pool, to: 2 }",
      '2:25: steps[0].resize.scaleSet: "pool": no step before this one makes a scale set',
    ],
    [
      "unknown cluster",
      "deploy: { name: web, replicas: 1, cluster: worklod }",
      '2:48: steps[0].deploy.cluster: "worklod": the cluster does not exist at this step; did you mean workload?',
    ],
    [
      "bad budget",
      "deploy: { name: web, replicas: 1, budget: { maxUnavailable: 10 % } }",
      '2:65: steps[0].deploy.budget.maxUnavailable: "10 %": must be a number or a share, such as 1 or 25%',
    ],
    [
      "bad duration",
      "wait: 10 minutes",
      '2:11: steps[0].wait: "10 minutes": must be a duration above 0, such as 90s, 10m or 1h30m',
    ],
    [
      "a duration without a unit",
      "wait: 10",
      "2:11: steps[0].wait: 10: must be a duration above 0, such as 90s, 10m or 1h30m",
    ],
    [
      "a duration in days",
      "wait: 1d",
      '2:11: steps[0].wait: "1d": must be a duration above 0, such as 90s, 10m or 1h30m',
    ],
    [
      "nothing to wait for",
      "until: { within: 5m }",
      "2:12: steps[0].until: nothing is claimed; say one of nodes, nodesReady, podsRunning, machines, guestsFailed, conditions",
    ],
    [
      "unknown claim",
      "until: { nodeReady: 3 }",
      "2:14: steps[0].until.nodeReady: unknown field; did you mean nodesReady?",
    ],
    [
      "bad status of a condition",
      "until: { conditions: [{ kind: Cluster, name: a, type: Ready, status: Ready }] }",
      '2:74: steps[0].until.conditions[0].status: "Ready": expected one of True, False, Unknown',
    ],
    [
      "an unknown fault to heal",
      "heal: arm-throtled",
      '2:11: steps[0].heal: "arm-throtled": did you mean arm-throttled?',
    ],
    [
      "a manager that does not run",
      "crash: { manager: 2 }",
      "2:23: steps[0].crash.manager: 2: there is one manager; there are two with managers: 2 in the world",
    ],
    ["no manager to crash", "crash: {}", "2:12: steps[0].crash: manager is missing; it takes manager, for"],
  ])("a step with %s", (_, line, problem) => {
    expect(problems(steps(line))).toEqual([problem]);
  });

  test.each([
    [
      "a scale set twice",
      ["createScaleSet: { name: pool, instances: 1 }", "createScaleSet: { name: pool, instances: 1 }"],
      '3:29: steps[1].createScaleSet.name: "pool": there is such a scale set already; give it another name',
    ],
    [
      "a scale set of a similar name",
      ["createScaleSet: { name: pool, instances: 1 }", "resize: { scaleSet: pol, to: 2 }"],
      '3:25: steps[1].resize.scaleSet: "pol": the scale set does not exist at this step; did you mean pool?',
    ],
    [
      "a scale set that is gone",
      [
        "createScaleSet: { name: pool, instances: 1 }",
        "deleteScaleSet: { name: pool }",
        "resize: { scaleSet: pool, to: 2 }",
      ],
      '4:25: steps[2].resize.scaleSet: "pool": no step before this one makes a scale set',
    ],
    [
      "unknown action on a machine",
      [
        "createScaleSet: { name: pool, instances: 1 }",
        "machine: { scaleSet: pool, instances: [0], do: destroy }",
      ],
      '3:52: steps[1].machine.do: "destroy": expected one of delete, stop, start, restart, reimage, evict',
    ],
    [
      "instances that are no list",
      ["createScaleSet: { name: pool, instances: 1 }", "drain: { scaleSet: pool, instances: 0 }"],
      "3:41: steps[1].drain.instances: 0: must be all, or a list of instance ids such as [0, 2]",
    ],
  ])("a step after another with %s", (_, lines, problem) => {
    expect(problems(steps(...lines))).toEqual([problem]);
  });

  test.each([
    ["the same field twice", "name: a\nname: b", "2:1: name: is there twice; leave one of them out"],
    [
      "unknown fault",
      "faults:\n  - arm-trottled:20%",
      '2:5: faults[0]: "arm-trottled:20%": unknown fault; did you mean arm-throttled?',
    ],
    [
      "a share above all",
      'faults: ["arm-throttled:120%"]',
      '1:10: faults[0]: "arm-throttled:120%": "120%" is not a share; expected one above 0% and up to 100%, such as 20%',
    ],
    [
      "a call that the fault does not strike",
      'faults: ["kube-conflict:2nd GET machines"]',
      '1:10: faults[0]: "kube-conflict:2nd GET machines": "GET" is nothing that kube-conflict strikes; expected one of write, create, update, patch, delete',
    ],
    [
      "moments for a fault of calls",
      'faults: ["arm-throttled:every 5m"]',
      '1:10: faults[0]: "arm-throttled:every 5m": "every" is nothing that arm-throttled strikes; expected one of call, read, write, GET, LIST, PUT, PATCH, POST, DELETE',
    ],
    [
      "calls for a fault of moments",
      'faults: ["spot-eviction:3rd write"]',
      '1:10: faults[0]: "spot-eviction:3rd write": "3rd" is not understood; expected [after DURATION | every DURATION] [N times], such as every 5m 3 times',
    ],
    [
      "a fault with words left over",
      'faults: ["arm-throttled:20% PUT virtualMachineScaleSets soon"]',
      '1:10: faults[0]: "arm-throttled:20% PUT virtualMachineScaleSets soon": "soon" is not understood; expected [Nth | N%] [CALL [RESOURCE]] [by CONTROLLER] [N times], such as 3rd write or 20%',
    ],
    [
      "a fault without a controller after by",
      'faults: ["arm-throttled:1st PUT by"]',
      '1:10: faults[0]: "arm-throttled:1st PUT by": nothing follows "by"',
    ],
    ["faults that are not a list", "faults: none", '1:9: faults: "none": must be a list of faults, or swarm'],
    [
      "three managers",
      "world: { managers: 3 }",
      "1:20: world.managers: 3: must be a whole number from 1 to 2",
    ],
    [
      "percentiles the wrong way round",
      "world: { guests: { boot: { p50: 2m, p90: 1m } } }",
      "1:26: world.guests.boot: p90 is below p50; nine of ten cannot be faster than half of them",
    ],
    [
      "an unknown family",
      "world: { azure: { quotas: [{ family: standardDSv3Famly, limit: 4 }] } }",
      '1:38: world.azure.quotas[0].family: "standardDSv3Famly": did you mean standardDSv3Family?',
    ],
    [
      "throttling that is not a boolean",
      "world: { azure: { throttling: yes } }",
      '1:31: world.azure.throttling: "yes": must be true or false',
    ],
    ["a seed below 0", "seed: -1", "1:7: seed: -1: must be a whole number from 0 on, or a text"],
    [
      "an include that is not there",
      "include: [none.yaml]",
      '1:11: include[0]: "none.yaml": file dir/none.yaml does not exist; paths start at the folder of this file',
    ],
    [
      "an include of itself",
      "include: [scenario.yaml]",
      '1:11: include[0]: "scenario.yaml": goes in a circle: dir/scenario.yaml includes dir/scenario.yaml; leave one of them out',
    ],
    [
      "a circle of includes",
      "include: [a.yaml]",
      'dir/b.yaml:2:11: include[0]: "a.yaml": goes in a circle: dir/a.yaml includes dir/b.yaml includes dir/a.yaml; leave one of them out',
    ],
    [
      "a problem in an included file",
      "include: [bad.yaml]",
      'dir/bad.yaml:2:11: steps[0].wait: "soon": must be a duration above 0, such as 90s, 10m or 1h30m',
    ],
  ])("beside its steps %s", (_, text, problem) => {
    expect(problems(`${text}\nsteps: [{ wait: 1m }]\n`)).toEqual([problem]);
  });

  test("all problems, in order of position", () => {
    expect(problems(steps("wait: 0s", "heal: al", "deploy: { name: web, replicas: -1 }"))).toEqual([
      '2:11: steps[0].wait: "0s": must be a duration above 0, such as 90s, 10m or 1h30m',
      '3:11: steps[1].heal: "al": did you mean all?',
      "4:36: steps[2].deploy.replicas: -1: must be a whole number from 0 to 100000",
    ]);
  });

  test("an omitted value, at the position of its name", () => {
    expect(problems("steps:\n  - wait:\n\nseed: 1\n")).toEqual([
      "2:5: steps[0].wait: null: must be a duration above 0, such as 90s, 10m or 1h30m",
    ]);
  });

  test("a problem of a manifest, at its position in the manifest", () => {
    const files = {
      "dir/objects.yaml":
        "kind: Namespace\napiVersion: v1\nmetadata: { name: a }\n---\nkind: Pot\napiVersion: v1\nmetadata: { name: b }\n",
    };
    const reading = read(steps("apply: { file: objects.yaml }"), files);
    expect("problems" in reading && reading.problems.map(formatProblem)).toEqual([
      'dir/objects.yaml:5:7: kind: "Pot": unknown kind; did you mean Pod?',
    ]);
  });

  test("its absence", () => {
    expect(readScenario("gone.yaml", () => undefined)).toEqual({
      problems: [
        { at: { file: "gone.yaml", line: 1, column: 1 }, field: "", message: "the file does not exist" },
      ],
    });
  });
});
