import { type HttpRequest, type HttpResponse, TransportError } from "@capstan/env";
import { answer, ENDPOINT, SCALE_SET, SUBSCRIPTION } from "../azure.fixture.ts";
import type { JsonObject } from "@capstan/api";

interface Instance {
  upgraded: boolean;
  provisionedAtMs: number;
}

/** What goes wrong with a request. `lost`: the server executes it and the answer gets lost. */
export type Trouble = "none" | "unavailable" | "lost";

const DURATION_MS = 60_000;
// As in Azure, reads do not see at once what was written.
const LAG_MS = 8000;

/** One scale set with its operations, as far as the operation protocol looks at them. */
export class LittleAzure {
  /** The writes that took effect, in order. */
  readonly writes: string[] = [];
  readonly instances = new Map<string, Instance>();
  readonly #nowMs: () => number;
  readonly #operations = new Map<string, number>();
  #set: { body: JsonObject; visibleAtMs: number; etag: number } | undefined;
  #busyUntilMs = 0;
  #isDeleting = false;
  /** Whether the set as a whole was stopped: an action that is not about instances. */
  isStopped = false;
  /** Decides about each request. */
  trouble: (request: HttpRequest) => Trouble = () => "none";

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  create(body: JsonObject, instances: readonly string[]): void {
    this.#set = { body, visibleAtMs: 0, etag: 1 };
    for (const id of instances) this.instances.set(id, { upgraded: false, provisionedAtMs: 0 });
  }

  /** Azure forgets operations in the end. */
  forgetOperations(): void {
    this.#operations.clear();
  }

  get exists(): boolean {
    return this.#set !== undefined && !(this.#isDeleting && this.#nowMs() >= this.#busyUntilMs);
  }

  handle(request: HttpRequest): HttpResponse {
    const trouble = this.trouble(request);
    if (trouble === "unavailable")
      return answer(503, { error: { code: "ServiceUnavailable", message: "busy" } });
    const reply = this.#answer(request);
    if (trouble === "lost") throw new TransportError("reset", "the connection broke");
    return reply;
  }

  #answer({ method, path, headers, body }: HttpRequest): HttpResponse {
    const place = path.split("?", 1)[0] ?? "";
    if (place.includes("/operations/")) return this.#poll(place);
    if (place === `${SCALE_SET}/virtualMachines`) return answer(200, { value: this.#list() });
    if (method === "GET") return this.#get();
    if (method === "PUT") return this.#put(headers, JSON.parse(String(body)) as JsonObject);
    return this.#act(method === "DELETE" ? "remove" : (place.split("/").at(-1) ?? ""), body);
  }

  #poll(place: string): HttpResponse {
    const endMs = this.#operations.get(place.split("/").at(-1) ?? "");
    if (endMs === undefined)
      return answer(404, { error: { code: "OperationNotFound", message: "forgotten" } });
    return answer(
      200,
      { status: this.#nowMs() < endMs ? "InProgress" : "Succeeded" },
      { "retry-after": "10" },
    );
  }

  #get(): HttpResponse {
    const set = this.#set;
    if (!set || !this.exists || this.#nowMs() < set.visibleAtMs) {
      return answer(404, { error: { code: "ResourceNotFound", message: "not there" } });
    }
    const busy = this.#isDeleting ? "Deleting" : "Updating";
    const provisioningState = this.#nowMs() < this.#busyUntilMs ? busy : "Succeeded";
    const body = { ...set.body, id: SCALE_SET, properties: { provisioningState, isStopped: this.isStopped } };
    return answer(200, body, { etag: `"${set.etag}"` });
  }

  #put(headers: HttpRequest["headers"], body: JsonObject): HttpResponse {
    const etag = this.#set?.etag ?? 0;
    const isStale = headers["if-match"] !== undefined && headers["if-match"] !== `"${etag}"`;
    if (isStale || (headers["if-none-match"] === "*" && this.#set)) {
      return answer(412, { error: { code: "PreconditionFailed", message: "it has changed" } });
    }
    this.#set = { body, visibleAtMs: this.#set?.visibleAtMs ?? this.#nowMs() + LAG_MS, etag: etag + 1 };
    return this.#accept("put", answer(201, body));
  }

  #act(action: string, body: unknown): HttpResponse {
    const { instanceIds: ids = [] } = (typeof body === "string" ? JSON.parse(body) : {}) as {
      instanceIds?: string[];
    };
    for (const id of ids) {
      if (action === "delete") this.instances.delete(id);
      else this.instances.set(id, { upgraded: true, provisionedAtMs: this.#nowMs() + DURATION_MS });
    }
    if (action === "remove") this.#isDeleting = true;
    if (action === "stop") this.isStopped = true;
    return this.#accept(action, answer(202));
  }

  #accept(what: string, reply: HttpResponse): HttpResponse {
    this.writes.push(what);
    const id = String(this.writes.length);
    this.#busyUntilMs = this.#nowMs() + DURATION_MS;
    this.#operations.set(id, this.#busyUntilMs);
    const url = `${ENDPOINT}/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Compute/locations/westus/operations/${id}?s=${"x".repeat(4000)}`;
    return { ...reply, headers: { "azure-asyncoperation": url, "retry-after": "10" } };
  }

  #list(): readonly JsonObject[] {
    return [...this.instances].map(([instanceId, { upgraded, provisionedAtMs }]) => ({
      id: `${SCALE_SET}/virtualMachines/${instanceId}`,
      instanceId,
      properties: {
        latestModelApplied: upgraded,
        provisioningState: this.#nowMs() < provisionedAtMs ? "Updating" : "Succeeded",
        instanceView: {
          statuses: [{ code: "ProvisioningState/succeeded", time: new Date(provisionedAtMs).toISOString() }],
        },
      },
    }));
  }
}
