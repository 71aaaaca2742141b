import { intOrPercentProblem, isJsonObject } from "@capstan/api";
import { DEFAULT_IMAGES } from "@capstan/azure-sim";
import { timedClaims } from "./claims.ts";
import { FAULT_IDS } from "./fault-catalogue.ts";
import { type Fault, readFault } from "./fault-text.ts";
import { isList, jsonOf } from "./located-yaml.ts";
import { clusterName, clusterOf, scaleSetName } from "./names.ts";
import { appliedObject, kindName, manifestFile, namespaceFor } from "./objects.ts";
import {
  count,
  duration,
  fields,
  listOf,
  mapped,
  oneField,
  oneOf,
  type Reader,
  shown,
  text,
  trueOrFalse,
} from "./reader.ts";
import { objectName, vmSize } from "./scenario-world.ts";
import { type Action, MACHINE_ACTIONS, type Machines, type NamedObject, type Step } from "./step.ts";
import { stepText } from "./step-text.ts";

/** The cluster of the controllers: the default for objects. */
const MANAGEMENT_CLUSTER = "management";
// Azure's limit for the instances of a scale set.
const MOST_INSTANCES = 1000;
const MOST_REPLICAS = 100_000;
// The lifetime of kubeadm's own tokens.
const DEFAULT_TOKEN_TTL_MS = 24 * 3_600_000;
const DEFAULT_IMAGE = "app:1";
/** How long a manager is down or paused unless given. */
const DEFAULT_ABSENCE_MS = 10_000;

const apply: Reader<Action> = mapped(
  fields({}, { objects: listOf(appliedObject), file: manifestFile, cluster: clusterName }),
  ({ objects, file, cluster = MANAGEMENT_CLUSTER }, place, { report }) => {
    const found = objects ?? file;
    if (found && (!objects || !file)) return { do: "apply", cluster, objects: found };
    report(place, "must have either objects, a list, or file, a path");
    return undefined;
  },
);

const NAMED = {
  required: { kind: kindName, name: text("the name of an object") },
  optional: { namespace: objectName, cluster: clusterName },
};

const named: Reader<NamedObject> = mapped(
  fields(NAMED.required, NAMED.optional),
  ({ namespace, cluster = MANAGEMENT_CLUSTER, ...rest }, place, reading) => {
    const scope = namespaceFor(rest.kind, namespace, { place, reading });
    return scope && { ...rest, ...scope, cluster };
  },
);

const mergePatch: Reader<Readonly<Record<string, unknown>>> = (place, { report }) => {
  const patch = jsonOf(place);
  if (isJsonObject(patch)) return patch;
  report(place, `${shown(place)}: must be a map of what is to change`);
  return undefined;
};

const patch: Reader<Action> = mapped(
  fields({ ...NAMED.required, merge: mergePatch }, NAMED.optional),
  ({ merge, namespace, cluster = MANAGEMENT_CLUSTER, ...rest }, place, reading) => {
    const scope = namespaceFor(rest.kind, namespace, { place, reading });
    return scope && { do: "patch", merge, ...rest, ...scope, cluster };
  },
);

const versions = DEFAULT_IMAGES.flatMap(({ kind, version }) => (kind === "community" ? [`v${version}`] : []));

const SCALE_SET_DEFAULTS = {
  version: versions.at(-1) ?? "",
  zones: [],
  size: "Standard_D4s_v3",
  spot: false,
} as const;

const zone: Reader<string> = mapped(count(1, 3), String);

const fileText: Reader<string> = mapped(
  text("the path of a file"),
  (name, place, { open }) => open(place, name)?.text,
);

const createScaleSet: Reader<Action> = mapped(
  fields(
    { name: scaleSetName("new"), instances: count(0, MOST_INSTANCES) },
    {
      cluster: clusterName,
      version: oneOf(versions),
      zones: listOf(zone),
      size: vmSize,
      spot: trueOrFalse,
      customData: oneField({ file: fileText, text: text("a text", () => true) }, "source of custom data"),
      tokenTtl: duration,
    },
  ),
  ({ tokenTtl, customData, cluster, ...rest }, place, reading) => {
    if (tokenTtl !== undefined && customData !== undefined) {
      reading.report(place, "tokenTtl is for the join that the world writes; with customData leave it out");
      return undefined;
    }
    return {
      do: "createScaleSet",
      ...SCALE_SET_DEFAULTS,
      ...rest,
      join: customData === undefined ? { tokenTtlMs: tokenTtl ?? DEFAULT_TOKEN_TTL_MS } : { customData },
      cluster: clusterOf(cluster, { place, reading }),
    };
  },
);

const budgetValue: Reader<number | string> = (place, { report }) => {
  const { value } = place;
  const isRight =
    (typeof value === "number" || typeof value === "string") &&
    intOrPercentProblem(value) === undefined &&
    !String(value).startsWith("-");
  if (isRight) return value;
  report(place, `${shown(place)}: must be a number or a share, such as 1 or 25%`);
  return undefined;
};

const deploy: Reader<Action> = mapped(
  fields(
    { name: objectName, replicas: count(0, MOST_REPLICAS) },
    {
      cluster: clusterName,
      image: text("an image"),
      budget: oneField(
        {
          maxUnavailable: mapped(budgetValue, (maxUnavailable) => ({ maxUnavailable })),
          minAvailable: mapped(budgetValue, (minAvailable) => ({ minAvailable })),
        },
        "budget",
      ),
    },
  ),
  ({ cluster, ...rest }, place, reading) => ({
    do: "deploy",
    image: DEFAULT_IMAGE,
    ...rest,
    cluster: clusterOf(cluster, { place, reading }),
  }),
);

const instance: Reader<string> = mapped(count(0, 1_000_000_000), String);

const instances: Reader<Machines["instances"]> = (place, reading) => {
  if (isList(place.value) && place.value.length > 0) return listOf(instance)(place, reading);
  if (place.value === "all") return "all";
  reading.report(place, `${shown(place)}: must be all, or a list of instance ids such as [0, 2]`);
  return undefined;
};

const MACHINES = { scaleSet: scaleSetName("used"), instances };

const manager: Reader<number> = mapped(count(1, 2), (number, place, { mention }) => {
  mention({ what: "manager", name: String(number), as: "used", place });
  return number;
});

function absence(what: "crash" | "stall"): Reader<Action> {
  return mapped(fields({ manager }, { for: duration }), ({ manager: number, for: forMs }) => ({
    do: what,
    manager: number,
    forMs: forMs ?? DEFAULT_ABSENCE_MS,
  }));
}

/** Parses a fault in its text form. */
export const faultText: Reader<Fault> = mapped(
  text("a fault, such as arm-throttled:20%"),
  (written, place, { report }) => {
    const reading = readFault(written);
    if ("fault" in reading) return reading.fault;
    report(place, `${shown(place)}: ${reading.message}`);
    return undefined;
  },
);

/** The steps by their key. */
const ACTIONS = {
  apply,
  patch,
  delete: mapped(named, (object): Action => ({ do: "delete", ...object })),
  createScaleSet,
  resize: mapped(
    fields({ scaleSet: scaleSetName("used"), to: count(0, MOST_INSTANCES) }, {}),
    (given): Action => ({ do: "resize", ...given }),
  ),
  deleteScaleSet: mapped(fields({ name: scaleSetName("gone") }, {}), (given): Action => ({
    do: "deleteScaleSet",
    ...given,
  })),
  deploy,
  machine: mapped(
    fields({ ...MACHINES, do: oneOf(MACHINE_ACTIONS) }, {}),
    ({ do: action, ...machines }): Action => ({ do: "machine", action, ...machines }),
  ),
  drain: mapped(fields(MACHINES, { within: duration }), ({ within, ...machines }): Action => ({
    do: "drain",
    ...machines,
    ...(within !== undefined && { withinMs: within }),
  })),
  uncordon: mapped(fields(MACHINES, {}), (machines): Action => ({ do: "uncordon", ...machines })),
  wait: mapped(duration, (ms): Action => ({ do: "wait", ms })),
  until: mapped(timedClaims, (claims): Action => ({ do: "until", ...claims })),
  fault: mapped(faultText, (fault): Action => ({ do: "fault", fault })),
  heal: mapped(oneOf(["all", ...FAULT_IDS]), (faults): Action => ({ do: "heal", faults })),
  crash: absence("crash"),
  stall: absence("stall"),
};

/** The names of all steps. */
export const STEP_NAMES: readonly string[] = Object.keys(ACTIONS);

/** Parses one step of a scenario. */
export const step: Reader<Step> = mapped(oneField(ACTIONS, "step"), (action, { at }) => ({
  action,
  text: stepText(action),
  at,
}));
