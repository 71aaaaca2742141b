import { invalid, notSupported } from "@capstan/api";
import type { HttpRequest } from "@capstan/env";
import type { DeleteOptions } from "../registry/delete.ts";
import { mediaType, parseBody, readBody } from "./body.ts";
import { isDryRun, wholeNumber } from "./query.ts";
import { badRequest, invalidOptions } from "./status.ts";

const KIND = "DeleteOptions";
const POLICIES = ["Foreground", "Background", "Orphan"] as const;

/** Reads the options of a delete: from its body or, without one, from its query. */
export function deleteOptions(request: HttpRequest, query: URLSearchParams): Omit<DeleteOptions, "user"> {
  const empty = request.body === undefined || request.body === "" || request.body === null;
  if (empty) return optionsOf(fromQuery(query));
  const wanted = fromBody(request);
  return optionsOf({ ...wanted, dryRun: [...(wanted.dryRun ?? []), ...query.getAll("dryRun")] });
}

/** Reads the options of a delete from a DeleteOptions object inside of another. */
export function readDeleteOptions(value: object): Omit<DeleteOptions, "user"> {
  return optionsOf(checked(value));
}

function optionsOf(wanted: Wanted): Omit<DeleteOptions, "user"> {
  const policy = wanted.propagationPolicy ?? policyOf(wanted.orphanDependents);
  checkPolicy(policy, wanted);
  return {
    dryRun: isDryRun(wanted.dryRun ?? [], KIND),
    ...(typeof wanted.gracePeriodSeconds === "number" && {
      gracePeriodSeconds: Math.max(0, wanted.gracePeriodSeconds),
    }),
    ...(wanted.preconditions && { preconditions: wanted.preconditions }),
    ...(policy !== undefined && { propagationPolicy: policy as (typeof POLICIES)[number] }),
  };
}

interface Wanted {
  readonly dryRun?: readonly string[];
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
}

function fromQuery(query: URLSearchParams): Wanted {
  const gracePeriodSeconds = wholeNumber(query, "gracePeriodSeconds");
  const propagationPolicy = query.get("propagationPolicy");
  const orphans = query.get("orphanDependents");
  return {
    dryRun: query.getAll("dryRun"),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(propagationPolicy !== null && { propagationPolicy }),
    ...(orphans !== null && { orphanDependents: orphans === "true" }),
  };
}

function fromBody(request: HttpRequest): Wanted {
  // Old clients send no type, or any; what is not protobuf is decoded as JSON.
  const isProtobuf = mediaType(request) === "application/vnd.kubernetes.protobuf";
  const value = isProtobuf ? readBody(request, KIND).value : parseBody(request.body, badRequest);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw badRequest(`the body of a delete must be a ${KIND} object`);
  return checked(value);
}

function checked(value: object): Wanted {
  const wanted = value as Readonly<Record<string, unknown>>;
  const { kind = KIND } = wanted;
  if (kind !== KIND)
    throw badRequest(`the body of a delete must be of kind ${KIND}, not ${JSON.stringify(kind)}`);
  for (const [field, type] of TYPES) checkType(wanted[field], field, type);
  return wanted;
}

const TYPES = [
  ["gracePeriodSeconds", "number"],
  ["propagationPolicy", "string"],
  ["preconditions", "object"],
] as const;

function checkType(value: unknown, field: string, type: string): void {
  if (value === undefined || value === null || typeof value === type) return;
  const goType = type === "number" ? "int64" : type;
  throw badRequest(
    `json: cannot unmarshal ${typeof value} into Go struct field DeleteOptions.${field} of type ${goType}`,
  );
}

/** The older form of the propagation policy. */
function policyOf(orphanDependents: boolean | undefined): string | undefined {
  if (orphanDependents === undefined) return undefined;
  return orphanDependents ? "Orphan" : "Background";
}

function checkPolicy(policy: string | undefined, wanted: Wanted): void {
  if (wanted.propagationPolicy !== undefined && wanted.orphanDependents !== undefined) {
    const problem = "orphanDependents and deletionPropagation cannot be both set";
    throw invalidOptions(KIND, [invalid("propagationPolicy", wanted.propagationPolicy, problem)]);
  }
  if (policy !== undefined && !POLICIES.some((known) => known === policy))
    throw invalidOptions(KIND, [notSupported("propagationPolicy", policy, [...POLICIES, "nil"])]);
}
