/** The load that both servers of the apiserver benchmark get, and what it measures: one client, one process. */
import type { HttpResponse, Transport } from "@capstan/env";

/** A server under test. */
export interface Subject {
  readonly name: "capstan" | "kube-apiserver";
  connect(): Promise<Transport>;
  /** Resident memory of all its processes, in MB. */
  memoryMb(): number;
}

const GROUP = "bench.example.com";
/** The path of the boats. */
export const COLLECTION = `/apis/${GROUP}/v1/namespaces/default/boats`;
/** The definition of boats. */
export const DEFINITION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `boats.${GROUP}` },
  spec: {
    group: GROUP,
    scope: "Namespaced",
    names: { plural: "boats", singular: "boat", kind: "Boat", listKind: "BoatList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  text: { type: "string" },
                  counter: { type: "integer" },
                  parts: {
                    type: "array",
                    items: {
                      type: "object",
                      properties: {
                        name: { type: "string" },
                        weight: { type: "integer" },
                        note: { type: "string" },
                      },
                    },
                  },
                },
              },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
};

/** Boats of a second kind, whose rules run on every write. */
const RULED_COLLECTION = `/apis/${GROUP}/v1/namespaces/default/ruledboats`;

/** The definition of boats with rules: one over all parts, and one that compares with the value before. */
function ruledDefinition(): object {
  const [version] = DEFINITION.spec.versions;
  const schema = version?.schema.openAPIV3Schema;
  const rules = [
    { rule: "self.parts.all(part, part.weight >= 0 && part.name.startsWith('part-'))" },
    { rule: "self.text == oldSelf.text", message: "text is immutable" },
  ];
  const { parts, text, counter } = schema?.properties.spec.properties ?? {};
  // kube-apiserver estimates the cost of a rule from the bounds of its fields.
  const bounded = {
    text: { ...text, maxLength: 1000 },
    counter,
    parts: {
      ...parts,
      maxItems: 50,
      items: {
        ...parts?.items,
        properties: { ...parts?.items.properties, name: { type: "string", maxLength: 60 } },
      },
    },
  };
  const spec = { type: "object", properties: bounded, "x-kubernetes-validations": rules };
  return {
    ...DEFINITION,
    metadata: { name: `ruledboats.${GROUP}` },
    spec: {
      ...DEFINITION.spec,
      names: { plural: "ruledboats", singular: "ruledboat", kind: "RuledBoat", listKind: "RuledBoatList" },
      versions: [{ ...version, schema: { openAPIV3Schema: { type: "object", properties: { spec } } } }],
    },
  };
}

/** So many objects share a label. kube-apiserver cannot delete many more in the minute that it gives a request. */
export const BATCH = 5_000;

const RULED = 200;
// A list of 30,000 boats is longer than the transport reads unless told.
const LONGEST_ANSWER = 256 * 1024 * 1024;

/** An object of about 3 KB, with as many fields as a Machine has. */
export function boat(index: number): object {
  const name = `boat-${index}`;
  const parts = Array.from({ length: 20 }, (_, part) => ({
    name: `part-${part}`,
    weight: part * 7,
    note: "n".repeat(60),
  }));
  return {
    apiVersion: `${GROUP}/v1`,
    kind: "Boat",
    metadata: {
      name,
      namespace: "default",
      labels: { batch: String(Math.floor(index / BATCH)), boat: name },
    },
    spec: { text: "t".repeat(700), counter: 0, parts },
  };
}

/** Sends one request and reads the whole answer as text: parsing it would measure the client. */
export class Load {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async prepare(): Promise<void> {
    await this.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", DEFINITION);
    await this.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", ruledDefinition());
    while (!(await this.get(COLLECTION)).includes("BoatList"));
    while (!(await this.get(RULED_COLLECTION)).includes("RuledBoatList"));
    await this.rate(RULED, (index) =>
      this.send("POST", RULED_COLLECTION, { ...boat(index), kind: "RuledBoat" }),
    );
  }

  /** Updates that CEL rules check. */
  patchRuledBoats(count: number, counter: number): Promise<number> {
    return this.rate(count, (index) =>
      this.send(
        "PATCH",
        `${RULED_COLLECTION}/boat-${index % RULED}`,
        { spec: { counter: counter + index } },
        "application/merge-patch+json",
      ),
    );
  }

  async send(method: string, path: string, body?: object, type = "application/json"): Promise<string> {
    const answer: HttpResponse = await this.#transport.request({
      method,
      path,
      headers: { "content-type": type },
      ...(body && { body: JSON.stringify(body) }),
      answerBytes: { remaining: LONGEST_ANSWER },
    });
    return await answer.text();
  }

  get(path: string): Promise<string> {
    return this.send("GET", path);
  }

  /** Runs `count` requests, so many at a time; answers with requests per second. */
  async rate(count: number, request: (index: number) => Promise<string>, parallel = 16): Promise<number> {
    const startedMs = performance.now();
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < count) {
        const text = await request(next++);
        if (text.includes('"status":"Failure"')) throw new Error(text.slice(0, 300));
      }
    };
    await Promise.all(Array.from({ length: parallel }, worker));
    return (1000 * count) / (performance.now() - startedMs);
  }

  createBoats(from: number, to: number): Promise<number> {
    return this.rate(to - from, (index) => this.send("POST", COLLECTION, boat(from + index)));
  }

  getBoats(count: number): Promise<number> {
    return this.rate(count, (index) => this.get(`${COLLECTION}/boat-${index % 1000}`));
  }

  patchBoats(count: number): Promise<number> {
    return this.rate(count, (index) =>
      this.send(
        "PATCH",
        `${COLLECTION}/boat-${index % 1000}`,
        { spec: { counter: index + 1 } },
        "application/merge-patch+json",
      ),
    );
  }

  /** Applies as one manager: creates a boat, or changes it if the counter differs. */
  apply(
    index: number,
    { manager, counter }: { readonly manager: string; readonly counter: number },
  ): Promise<string> {
    const body = boat(index) as { spec: object };
    return this.send(
      "PATCH",
      `${COLLECTION}/boat-${index}?fieldManager=${manager}`,
      { ...body, spec: { ...body.spec, counter } },
      "application/apply-patch+yaml",
    );
  }

  applyBoats(from: number, count: number, counter: number): Promise<number> {
    return this.rate(count, (index) => this.apply(from + index, { manager: "bench", counter }));
  }

  /** Applies of another manager that are refused. */
  applyConflicts(from: number, count: number): Promise<number> {
    return this.rate(count, async (index) => {
      const answer = await this.apply(from + index, { manager: "other", counter: -1 });
      if (!answer.includes("Apply failed with 1 conflict")) throw new Error(answer.slice(0, 300));
      return "";
    });
  }

  /** Milliseconds for the whole list. */
  async list(limit: number | undefined): Promise<number> {
    const startedMs = performance.now();
    let token = "";
    do {
      const query = limit === undefined ? "" : `?limit=${limit}${token === "" ? "" : `&continue=${token}`}`;
      const text = await this.get(`${COLLECTION}${query}`);
      // One server prints the metadata of a list before its items, the other behind them.
      token = /"continue":"([^"]*)"/.exec(text.slice(0, 2000) + text.slice(-2000))?.[1] ?? "";
    } while (token !== "");
    return performance.now() - startedMs;
  }

  /** Milliseconds to delete all boats of one batch. */
  async deleteBatch(batch: number): Promise<number> {
    const startedMs = performance.now();
    await this.send("DELETE", `${COLLECTION}?labelSelector=batch%3D${batch}`);
    return performance.now() - startedMs;
  }

  /** The times from a write to its arrival at each of so many watchers, in milliseconds, in order. */
  async fanOut(watchers: number, updates: number): Promise<number[]> {
    const sentMs = new Map<string, number>();
    const delays: number[] = [];
    const abort = new AbortController();
    const list = JSON.parse(await this.get(`${COLLECTION}?limit=1`)) as {
      metadata: { resourceVersion: string };
    };
    const version = list.metadata.resourceVersion;
    const watch = async (): Promise<void> => {
      const answer = await this.#transport.request({
        method: "GET",
        path: `${COLLECTION}?watch=true&resourceVersion=${version}`,
        headers: {},
        signal: abort.signal,
      });
      let seen = 0;
      for await (const line of answer.lines()) {
        const { counter } = (line as { object: { spec: { counter: number } } }).object.spec;
        delays.push(performance.now() - (sentMs.get(String(counter)) ?? Number.NaN));
        if (++seen === updates) return;
      }
    };
    const all = Array.from({ length: watchers }, watch);
    for (let index = 0; index < updates; index++) {
      const counter = 1_000_000 + index;
      sentMs.set(String(counter), performance.now());
      await this.send(
        "PATCH",
        `${COLLECTION}/boat-${index % 1000}`,
        { spec: { counter } },
        "application/merge-patch+json",
      );
    }
    await Promise.all(all);
    abort.abort();
    return delays.sort((a, b) => a - b);
  }
}
