import { type CustomKind, type Features, formatTimestamp, type Kind } from "@capstan/api";
import type { Clock, Env, Handler, HttpRequest, HttpResponse } from "@capstan/env";
import { contractVersions } from "./crd/contract-version.ts";
import { conversionsOf } from "./crd/conversions.ts";
import { CustomResourceDefinition } from "./crd/definition.ts";
import { definitionSchema } from "./crd/definition-schema.ts";
import { followDefinitions, namesInGroup } from "./crd/lifecycle.ts";
import { kindResources } from "./crd/resources.ts";
import { definitionStrategy } from "./crd/strategy.ts";
import { startControllers } from "./controllers/controllers.ts";
import { withoutLegacyWatch } from "./http/legacy-watch.ts";
import { createHandler } from "./http/handler.ts";
import type { PodBackends } from "./http/port-forward.ts";
import type { ServiceBackends } from "./http/service-proxy.ts";
import { type Admission, thawing } from "./registry/admission.ts";
import type { Context, FieldOwnership, PreferredVersions } from "./registry/context.ts";
import { kindAdmission } from "./registry/kind-admission.ts";
import { builtInResource, createRegistry, isCustom, keyOf, type Resource } from "./registry/registry.ts";
import { type Caller, SERVER, type User } from "./security/attributes.ts";
import { defaultRoles } from "./security/default-roles.ts";
import { escalationGuard } from "./security/escalation.ts";
import { createRateLimiter, DEFAULT_RATE, type RateLimit } from "./security/rate-limit.ts";
import { AUDIENCE, createTokens } from "./security/service-account-tokens.ts";
import { type Authentication, guard } from "./security/guard.ts";
import { storedPolicy } from "./security/policy.ts";
import { createMemoryStorage } from "./storage/memory.ts";
import type { Draft, Storage } from "./storage/storage.ts";

/** The parts of an API server. */
export interface ApiServerOptions {
  readonly env: Env;
  /** The clock of remote clients, if it differs from the server's: timeouts of watches and rate limits follow it. */
  readonly callerClock?: Clock;
  /** The kinds to serve from the start: Kubernetes' own and custom ones. CRDs are always served, and define more. */
  readonly kinds: readonly Kind[];
  /** Custom kinds whose defaults and validation apply even if a CRD defines the kind; those in `kinds` are included. */
  readonly rules?: readonly CustomKind[];
  /** Which features the rules take to be on; the defaults unless given. */
  readonly features?: Features;
  /** Where objects are stored; default: in memory. */
  readonly storage?: Storage;
  /** Admission plugins for writes, in this order. */
  readonly admissions?: readonly Admission[];
  /** Of which objects to track who owns which field; default: of all, as kube-apiserver does. */
  readonly fieldOwnership?: FieldOwnership;
  /** The versions of some groups that clients use unless they name one; default: the newest of each. */
  readonly preferredVersions?: PreferredVersions;
  /** The servers behind Services, for requests below `services/NAME/proxy`; by default none. */
  readonly services?: ServiceBackends;
  /** The servers in pods, for requests to `pods/NAME/portforward`; by default none. */
  readonly pods?: PodBackends;
  /** How many requests each user may send. */
  readonly rate?: RateLimit;
}

/** A Kubernetes API in this process. */
export interface ApiServer {
  /** Answers a request of a trusted caller in this process. The returned values are shared and frozen. */
  readonly handle: Handler;
  /** The same for callers that must authenticate, and that RBAC objects of this server authorize. */
  secured(authentication: Authentication): Handler;
  readonly storage: Storage;
  /** Stops the built-in controllers, such as the garbage collector; requests are still answered. */
  close(): void;
}

// kube-apiserver creates these when it starts, and every client relies on them.
const SYSTEM_NAMESPACES = ["default", "kube-node-lease", "kube-public", "kube-system"];

/**
 * Creates an API server. With the kind Namespace it starts with the namespaces that every cluster has.
 *
 * A custom kind given at the start is served exactly as if its CRD had been installed, without one.
 */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const {
    env,
    callerClock = env.clock,
    kinds,
    storage = createMemoryStorage(),
    admissions = [],
    rules = [],
    features,
    services,
    pods,
    rate = DEFAULT_RATE,
    fieldOwnership = "all",
    preferredVersions = {},
  } = options;
  const customKinds = kinds.filter(isCustom);
  const taken = namesInGroup(storage, customKinds);
  const versionOf = contractVersions(storage, () => context.registry);
  const conversionOf = conversionsOf([...rules, ...customKinds], versionOf);
  const definitions: Resource = {
    ...builtInResource(CustomResourceDefinition),
    schema: definitionSchema,
    strategy: definitionStrategy(env.clock, { taken, converts: (name) => conversionOf(name) !== undefined }),
  };
  const policy = storedPolicy(storage);
  const tokens = createTokens(env, storage);
  const accountOf = (token: string): User | undefined => tokens.verify(token, [AUDIENCE])?.user;
  const context: Context = {
    env,
    callerClock,
    storage,
    admissions: [
      escalationGuard(policy),
      kindAdmission(storage, [...rules, ...customKinds], features),
      ...admissions.map(thawing),
    ],
    policy,
    tokens,
    services,
    pods,
    fieldOwnership,
    preferredVersions,
    registry: createRegistry([
      definitions,
      ...kinds.flatMap((kind) => resourcesOf(kind, storage.resourceVersion, conversionOf)),
    ]),
  };
  followDefinitions(context, { taken, conversionOf });
  forgetOldChanges(storage, callerClock);
  const stop = startControllers(context);
  // A full disk cannot be reported to a client yet; the first request fails with the same error when it writes.
  const ready = createInitialObjects(context).catch(() => undefined);
  const handler = createHandler(context);
  const serve = async (request: HttpRequest, caller: Caller): Promise<HttpResponse> => {
    await ready;
    return await handler(request, caller);
  };
  return {
    handle: (request) => serve(modern(request), { user: SERVER, userOfToken: accountOf }),
    secured: (authentication) => {
      const userOfToken = (token: string): User | undefined =>
        authentication.userOfToken(token) ?? accountOf(token);
      const isOverRate = createRateLimiter(callerClock, rate);
      const door = guard(serve, { authentication: { userOfToken }, policy, isOverRate });
      return (request) => door(modern(request));
    },
    storage,
    close: stop,
  };
}

function resourcesOf(
  kind: Kind,
  since: number,
  conversionOf: ReturnType<typeof conversionsOf>,
): readonly Resource[] {
  if (!isCustom(kind)) return [builtInResource(kind)];
  return kindResources(kind, since, conversionOf(`${kind.plural}.${kind.group}`));
}

// As etcd does for kube-apiserver. Otherwise frequently changed kinds would keep every old object for much longer.
const HISTORY_MS = 5 * 60_000;

/** Forgets changes after a while. It runs with each change, because nothing else adds to them. */
function forgetOldChanges(storage: Storage, clock: Clock): void {
  let position = { version: storage.resourceVersion, atMs: clock.monotonic() };
  storage.follow(() => {
    const nowMs = clock.monotonic();
    if (nowMs - position.atMs < HISTORY_MS) return;
    storage.forget(position.version);
    position = { version: storage.resourceVersion, atMs: nowMs };
  });
}

function modern(request: HttpRequest): HttpRequest {
  const path = withoutLegacyWatch(request.method, request.path);
  return path === request.path ? request : { ...request, path };
}

/** The objects that every cluster has from its start, as far as their kinds are served here. */
async function createInitialObjects({ env, storage, registry }: Context): Promise<void> {
  const isFirstStart = storage.resourceVersion === 0;
  const namespaces = SYSTEM_NAMESPACES.map((name) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  }));
  const writes = [...namespaces, ...defaultRoles()].map(async ({ apiVersion, kind, metadata, ...rest }) => {
    const resource = registry.ofKind(apiVersion, kind);
    const key = resource && keyOf(resource, "", metadata.name);
    if (!key || storage.get(key)) return;
    const identity = { uid: env.uuid(), creationTimestamp: formatTimestamp(env.clock.now()) };
    const draft: Draft = { apiVersion, kind, metadata: { ...metadata, ...identity }, ...rest };
    resource.strategy.prepare?.(draft, undefined);
    await storage.create(key, draft);
  });
  // All at once, so that they share a transaction.
  await Promise.all(writes);
  // No client could watch before they existed.
  if (isFirstStart) storage.compact(storage.resourceVersion);
}
