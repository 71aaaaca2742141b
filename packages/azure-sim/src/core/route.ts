import { checkVersion, invalidNamespace, invalidResourceType } from "../arm/api-version.ts";
import { ArmError } from "../arm/errors.ts";
import { isResource, type Target } from "../arm/target.ts";
import { getGroupResult } from "../operations/endpoints.ts";
import { type Namespaces, providerVerbs } from "../resources/providers/providers.ts";
import type { ResourceType, Verb } from "../resources/resource-type.ts";
import {
  deleteGroup,
  getGroup,
  headGroup,
  listGroups,
  listResources,
  patchGroup,
  putGroup,
} from "../resources/resource-groups/resource-groups.ts";
import {
  getSubscription,
  listLocations,
  listSubscriptions,
} from "../resources/subscriptions/subscriptions.ts";

/** The handler of a request, and the name of the operation. */
export interface Route {
  readonly verb: Verb;
  /** The name of the operation in journal, faults and throttling. */
  readonly operation: string;
  /** Namespace and type, for policies. */
  readonly type: string;
  /** Whether the group in the path must exist. */
  readonly needsGroup: boolean;
}

/** What a route is looked up by. */
export interface Wanted {
  readonly method: string;
  readonly target: Target;
  readonly apiVersion: string;
}

const RESOURCES = "Microsoft.Resources";

/** Finds routes among the registered types. */
export class Router {
  readonly #types = new Map<string, ResourceType>();
  readonly #namespaces: Namespaces;

  constructor(types: readonly ResourceType[]) {
    const names = new Map<string, { name: string; types: string[] }>();
    for (const type of types) {
      this.#types.set(`${type.provider}/${type.type}`.toLowerCase(), type);
      const key = type.provider.toLowerCase();
      const known = names.get(key) ?? { name: type.provider, types: [] };
      known.types.push(type.type);
      names.set(key, known);
    }
    this.#namespaces = names;
  }

  route(wanted: Wanted): Route {
    const { target } = wanted;
    if (target.provider === undefined) return groupRoute(wanted) ?? this.#scopeRoute(wanted);
    if (!this.#namespaces.has(target.provider.toLowerCase())) throw invalidNamespace(target.provider);
    return this.#providerRoute(wanted) ?? this.#typeRoute(wanted, target.provider);
  }

  #typeRoute(wanted: Wanted, provider: string): Route {
    const { target, apiVersion } = wanted;
    const path = target.types.join("/");
    const type = this.#types.get(`${provider}/${path}`.toLowerCase());
    const found = isResource(target)
      ? type && resourceRoute(wanted, type)
      : this.#collectionRoute(wanted, type);
    if (!found) throw invalidResourceType(provider, path, apiVersion);
    checkVersion(apiVersion, provider, { type: path });
    return found;
  }

  /** A path that ends in a type: a list of it, or an action or view of its parent. */
  #collectionRoute({ method, target }: Wanted, type: ResourceType | undefined): Route | undefined {
    if (type?.list && method === "GET") {
      return routeTo(type, { verb: type.list, operation: `LIST ${type.type}` }, target);
    }
    return this.#partRoute({ method, target }, type !== undefined);
  }

  /** A path that ends in an action on a resource, or in a view of it. */
  #partRoute({ method, target }: Pick<Wanted, "method" | "target">, isType: boolean): Route | undefined {
    const last = String(target.types.at(-1)).toLowerCase();
    const parent = this.#types.get(`${target.provider}/${target.types.slice(0, -1).join("/")}`.toLowerCase());
    const parts = parent ? { POST: parent.actions?.[last], GET: parent.views?.[last] } : {};
    const verb = new Map(Object.entries(parts)).get(method);
    if (parent && verb) {
      return routeTo(parent, { verb, operation: `${method} ${parent.type}/${last}` }, target);
    }
    if (isType || Object.values(parts).some(Boolean)) throw methodNotAllowed(method);
    return undefined;
  }

  /** The provider itself: `…/providers/Microsoft.Compute`, and registering it. */
  #providerRoute({ method, target }: Wanted): Route | undefined {
    const verbs = providerVerbs(this.#namespaces);
    const route = (verb: Verb, operation: string): Route => ({
      verb,
      operation,
      type: "providers",
      needsGroup: false,
    });
    if (target.types.length === 0) return method === "GET" ? route(verbs.get, "GET providers") : undefined;
    const [action] = target.types;
    if (target.names.length > 0 || method !== "POST") return undefined;
    if (action?.toLowerCase() === "register") return route(verbs.register, "POST providers/register");
    if (action?.toLowerCase() === "unregister") return route(verbs.unregister, "POST providers/unregister");
    return undefined;
  }

  /** A path in the subscription without a provider. */
  #scopeRoute({ method, target, apiVersion }: Wanted): Route {
    const name = (target.subscription === undefined ? target.rest : ["", ...target.rest])
      .join("/")
      .toLowerCase();
    const [first = ""] = target.rest;
    const verbs: Readonly<Record<string, Verb>> = {
      subscriptions: listSubscriptions,
      "": getSubscription,
      "/locations": listLocations,
      "/resourcegroups": listGroups,
      "/resources": listResources,
      "/providers": providerVerbs(this.#namespaces).list,
    };
    const verb =
      first.toLowerCase() === "operationresults" && target.rest.length === 2 ? getGroupResult : verbs[name];
    if (!verb) throw invalidResourceType(RESOURCES, target.rest.join("/"), apiVersion);
    if (method !== "GET") throw methodNotAllowed(method);
    const operation = `LIST ${first === "" ? "subscriptions" : first.toLowerCase()}`;
    return { verb, operation, type: RESOURCES, needsGroup: false };
  }
}

/** A resource group, or the resources in it. */
function groupRoute({ method, target }: Wanted): Route | undefined {
  if (target.group === undefined) return undefined;
  const type = `${RESOURCES}/resourceGroups`;
  const [inside] = target.rest;
  if (inside?.toLowerCase() === "resources" && method === "GET") {
    return { verb: listResources, operation: "LIST resourceGroups/resources", type, needsGroup: true };
  }
  if (inside !== undefined) return undefined;
  const verbs: Readonly<Record<string, Verb>> = {
    GET: getGroup,
    HEAD: headGroup,
    PUT: putGroup,
    PATCH: patchGroup,
    DELETE: deleteGroup,
  };
  const verb = verbs[method];
  if (!verb) throw methodNotAllowed(method);
  return { verb, operation: `${method} resourceGroups`, type, needsGroup: false };
}

function resourceRoute({ method, target }: Wanted, type: ResourceType): Route {
  const verbs: Readonly<Record<string, Verb | undefined>> = {
    GET: type.get,
    HEAD: type.head,
    PUT: type.put,
    PATCH: type.patch,
    DELETE: type.delete,
  };
  const verb = verbs[method];
  if (!verb) throw methodNotAllowed(method);
  return routeTo(type, { verb, operation: `${method} ${type.type}` }, target);
}

function routeTo(type: ResourceType, found: { verb: Verb; operation: string }, target: Target): Route {
  const { verb, operation } = found;
  const isPoll = type.type === "locations/operations";
  return {
    verb,
    // Both providers have operations; only Compute throttles their polls.
    operation: isPoll ? operation.replace(" ", ` ${type.provider}/`) : operation,
    type: `${type.provider}/${type.type}`,
    needsGroup: type.isInSubscription !== true && target.group !== undefined,
  };
}

function methodNotAllowed(method: string): ArmError {
  return new ArmError(405, {
    code: "MethodNotAllowed",
    message: `The requested resource does not support http method '${method}'.`,
  });
}
