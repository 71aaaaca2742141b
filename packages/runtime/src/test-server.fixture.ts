import {
  type Condition,
  ConfigMap,
  type CustomKind,
  defineKind,
  defineVersion,
  Event,
  isJsonObject,
  type JsonObject,
  type Kind,
  type KubernetesObject,
  Lease,
  Namespace,
  Secret,
} from "@capstan/api";
import { createApiServer, createMemoryStorage, type Storage } from "@capstan/apiserver";
import { type Handler, type HttpRequest, type Link, Scheduler, VirtualProcess } from "@capstan/env";
import { type Client, createClient } from "./client/client.ts";
import type { LogFields, Logger } from "./log/logger.ts";

/** A kind with a status, in a namespace. */
export interface TestObject extends KubernetesObject {
  spec?: Record<string, unknown>;
  status?: Record<string, unknown> & { conditions?: Condition[] };
}

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const custom = (kind: string, plural: string, scope: "Namespaced" | "Cluster"): CustomKind<TestObject> =>
  defineKind({
    group: "test.capstan.dev",
    version: "v1",
    kind,
    plural,
    scope,
    description: "Something to store.",
    spec: anything,
    status: anything,
  }) as unknown as CustomKind<TestObject>;

/** A kind with a status, in a namespace. */
export const TestObject = custom("Boat", "boats", "Namespaced");
/** A kind that a Boat may own. */
export const Crate = custom("Crate", "crates", "Namespaced");
/** A cluster-scoped kind. */
export const Port = custom("Port", "ports", "Cluster");

const structure = (properties: Readonly<Record<string, object>>): object => ({
  type: "object",
  properties,
});
const text = { type: "string", description: "A text." };
const planks = { type: "integer", description: "A number." };

/** Stored in v1, which has a lock; v2 has none, and writes a weight in kilograms as one in grams. */
export const Chest = defineKind({
  group: "test.capstan.dev",
  version: "v1",
  kind: "Chest",
  plural: "chests",
  description: "Something of two versions.",
  spec: structure({ planks, lock: text, grams: planks }) as never,
  converted: [
    defineVersion({
      version: "v2",
      spec: structure({ planks, weight: text }),
      conversion: {
        toStored: (object) => ({ object: withSpec(object, fromWeight), warnings: [] }),
        fromStored: (object) => ({ object: withSpec(object, toWeight), warnings: [] }),
      },
    }),
  ],
}) as unknown as CustomKind<TestObject>;

function withSpec(object: JsonObject, change: (spec: JsonObject) => object): JsonObject {
  const { spec } = object;
  return { ...object, ...(isJsonObject(spec) && { spec: change(spec) }) };
}

function fromWeight({ weight, ...rest }: JsonObject): object {
  if (typeof weight !== "string") return rest;
  return { ...rest, grams: Number.parseInt(weight, 10) * (weight.endsWith("kg") ? 1000 : 1) };
}

function toWeight({ grams, lock: _, ...rest }: JsonObject): object {
  return { ...rest, ...(typeof grams === "number" && { weight: `${grams}g` }) };
}

const testKinds: readonly Kind[] = [
  Namespace,
  ConfigMap,
  Secret,
  Event,
  Lease,
  TestObject,
  Crate,
  Port,
  Chest,
];

/** A Boat to create. */
export function testObject(
  name: string,
  rest: Partial<Pick<TestObject, "spec" | "status">> & { metadata?: object } = {},
): TestObject {
  const { metadata = {}, ...others } = rest;
  return {
    apiVersion: TestObject.apiVersion,
    kind: TestObject.kind,
    metadata: { name, namespace: "default", ...metadata },
    spec: {},
    ...others,
  };
}

/** A log line with its fields. */
export interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger that keeps its lines. */
export function keepingLogger(lines: Line[], base: LogFields = {}): Logger {
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}): void =>
      void lines.push({ level, message, fields: { ...base, ...fields } });
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    with: (fields) => keepingLogger(lines, { ...base, ...fields }),
  };
}

export interface TestServerOptions {
  readonly seed?: string;
  /** How many changes of each kind the server keeps. */
  readonly historyLimit?: number;
}

/** An API server and its clients' processes, on one virtual clock. */
export class TestServer {
  readonly scheduler: Scheduler;
  readonly storage: Storage;
  readonly server: Handler;
  /** The client of the user. */
  readonly client: Client;

  constructor({ seed = "1", historyLimit = 1000 }: TestServerOptions = {}) {
    this.scheduler = new Scheduler({ seed });
    this.storage = createMemoryStorage({ historyLimit });
    const env = new VirtualProcess(this.scheduler, "apiserver");
    this.server = createApiServer({ env, kinds: testKinds, storage: this.storage }).handle;
    this.client = this.connect("user").client;
  }

  /** A process with a client; its requests are recorded. */
  connect(
    name: string,
    { handler = this.server, ...link }: Link & { readonly handler?: Handler } = {},
  ): { process: VirtualProcess; client: Client; requests: HttpRequest[] } {
    const process = new VirtualProcess(this.scheduler, name);
    const requests: HttpRequest[] = [];
    const transport = process.connect(handler, {
      ...link,
      fate: (request) => {
        requests.push(request);
        return link.fate?.(request) ?? "deliver";
      },
    });
    return { process, requests, client: createClient({ transport, env: process, fieldManager: name }) };
  }

  /** Advances virtual time until the promise has settled, and returns its result. */
  async run<R>(promise: Promise<R>): Promise<R> {
    let settled = false;
    const done = promise.finally(() => {
      settled = true;
    });
    done.catch(() => undefined);
    await this.scheduler.run({ until: () => settled });
    if (!settled) throw new Error("virtual time has ended and the promise has not settled");
    return done;
  }

  /** The error that the promise rejects with. */
  async failure(promise: Promise<unknown>): Promise<Error> {
    try {
      await this.run(promise);
    } catch (error) {
      return error as Error;
    }
    throw new Error("expected a failure");
  }
}
