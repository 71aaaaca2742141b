/**
 * The timeouts of kubeadm. The older version has two of them, in other places; the newer one has a block for `init` and one
 * for `join`. What the two cannot express is carried.
 */
import { Timeouts } from "../bootstrap/v1beta2/spec.ts";
import { deepEqual } from "../values/deep-equal.ts";
import { isJsonObject, type JsonObject } from "../values/json-object.ts";
import { fieldAt, fieldPath, type Fields, putField, takeField } from "./field-path.ts";
import { type FieldRule, ignored, isSeconds, type Pass, seconds } from "./rules.ts";

const HEALTH_CHECK = "controlPlaneComponentHealthCheckSeconds";
const TLS_BOOTSTRAP = "tlsBootstrapSeconds";

/** Both blocks, as far as they have fields. */
interface Blocks {
  readonly init: JsonObject;
  readonly join: JsonObject;
}

/** The rule for the timeouts below the path of a configuration. */
export function kubeadmTimeouts(path: string): FieldRule {
  const older = {
    controlPlane: `${path}.clusterConfiguration.apiServer.timeoutForControlPlane`,
    discovery: `${path}.joinConfiguration.discovery.timeout`,
  };
  const places = {
    init: fieldPath(`${path}.initConfiguration.timeouts`),
    join: fieldPath(`${path}.joinConfiguration.timeouts`),
  };
  // The values on their way between the two forms, in seconds.
  const controlPlane = seconds(older.controlPlane, HEALTH_CHECK);
  const discovery = seconds(older.discovery, TLS_BOOTSTRAP);
  return {
    older: Object.values(older),
    newer: [`${path}.initConfiguration.timeouts`, `${path}.joinConfiguration.timeouts`],
    moves: [
      { older: older.controlPlane, newer: `${path}.initConfiguration.timeouts.${HEALTH_CHECK}` },
      { older: older.discovery, newer: `${path}.joinConfiguration.timeouts.${TLS_BOOTSTRAP}` },
    ],
    up: (pass) => {
      const { object } = pass;
      controlPlane.up(pass);
      discovery.up(pass);
      const set = { healthCheck: takeNumber(object, HEALTH_CHECK), tls: takeNumber(object, TLS_BOOTSTRAP) };
      const blocks = merged(restoredBlocks(pass, places), set);
      for (const part of ["init", "join"] as const)
        if (Object.keys(blocks[part]).length > 0) putField(object, places[part], { ...blocks[part] });
    },
    down: (pass) => {
      const { object, carried } = pass;
      const blocks = blocksIn(object, places);
      for (const part of ["init", "join"] as const) takeField(object, places[part]);
      const set = { healthCheck: blocks.init[HEALTH_CHECK], tls: blocks.join[TLS_BOOTSTRAP] };
      for (const part of ["init", "join"] as const)
        if (!deepEqual(merged(NONE, set), blocks) && Object.keys(blocks[part]).length > 0)
          putField(carried, places[part], blocks[part]);
      putNumber(object, HEALTH_CHECK, set.healthCheck);
      putNumber(object, TLS_BOOTSTRAP, set.tls);
      controlPlane.down(pass);
      discovery.down(pass);
    },
  };
}

const NONE: Blocks = { init: {}, join: {} };

/** The two timeouts that the older version has. */
interface OlderTimeouts {
  readonly healthCheck: unknown;
  readonly tls: unknown;
}

/**
 * The blocks with the timeouts of the older version. If those are the same as in the restored blocks, no client of the older
 * version has changed them; otherwise its values win, and `join` waits as long as `init`.
 */
function merged(restored: Blocks, { healthCheck, tls }: OlderTimeouts): Blocks {
  if (restored.init[HEALTH_CHECK] === healthCheck && restored.join[TLS_BOOTSTRAP] === tls) return restored;
  const { [HEALTH_CHECK]: _, ...join } = restored.join;
  const isEither = healthCheck !== undefined || tls !== undefined;
  return {
    init: { ...restored.init, ...(healthCheck !== undefined && { [HEALTH_CHECK]: healthCheck }) },
    join: {
      ...(isEither ? join : restored.join),
      ...(healthCheck !== undefined && { [HEALTH_CHECK]: healthCheck }),
      ...(tls !== undefined && { [TLS_BOOTSTRAP]: tls }),
    },
  };
}

interface Places {
  readonly init: readonly string[];
  readonly join: readonly string[];
}

function blocksIn(object: JsonObject, places: Places): Blocks {
  return { init: blockAt(object, places.init), join: blockAt(object, places.join) };
}

/** The timeouts of an annotation, which a client may have forged. */
function restoredBlocks({ restored, warnings }: Pass, places: Places): Blocks {
  const blocks = blocksIn(restored, places);
  for (const part of ["init", "join"] as const) {
    const given = fieldAt(restored, places[part]);
    const names = isJsonObject(given) ? Object.keys(given) : [];
    for (const name of names)
      if (!Object.hasOwn(blocks[part], name)) warnings.push(ignored([...places[part], name].join(".")));
  }
  return blocks;
}

const NAMES: ReadonlySet<string> = new Set(Object.keys(Timeouts.properties));

/** The valid timeouts at a place. */
function blockAt(object: JsonObject, place: readonly string[]): JsonObject {
  const block = fieldAt(object, place);
  if (!isJsonObject(block)) return {};
  return Object.fromEntries(
    Object.entries(block).filter(([name, value]) => NAMES.has(name) && isSeconds(value)),
  );
}

function takeNumber(object: Fields, name: string): unknown {
  const value = object[name];
  delete object[name];
  return value;
}

function putNumber(object: Fields, name: string, value: unknown): void {
  if (value !== undefined) object[name] = value;
}
