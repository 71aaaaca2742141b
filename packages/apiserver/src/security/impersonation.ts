import type { HttpRequest } from "@capstan/env";
import { badRequest } from "../http/status.ts";
import type { ResourceAttributes, User } from "./attributes.ts";
import { forbidden } from "./forbidden.ts";
import { isAllowed, type PolicySource } from "./rbac.ts";

const USER = "impersonate-user";
const GROUP = "impersonate-group";
const UID = "impersonate-uid";
const EXTRA = "impersonate-extra-";
const AUTHENTICATED = "system:authenticated";
const UNAUTHENTICATED = "system:unauthenticated";
const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** Whether a request asks to act as another user. */
export function asksToImpersonate({ headers }: Pick<HttpRequest, "headers">): boolean {
  for (const name in headers) if (name.startsWith("impersonate-")) return true;
  return false;
}

/**
 * The user that a request acts as: the sender, or the one that its headers name, if RBAC allows the sender to impersonate
 * that user, each of the groups, the uid and each of the extra values. Throws an ApiError otherwise.
 */
export function effectiveUser(request: HttpRequest, sender: User, policy: PolicySource): User {
  if (!asksToImpersonate(request)) return sender;
  const wanted = wantedUser(request);
  for (const attributes of attributesOf(wanted)) {
    if (isAllowed(policy, sender, attributes)) continue;
    throw forbidden(sender, attributes);
  }
  return { ...wanted, groups: completeGroups(wanted) };
}

function wantedUser({ headers }: HttpRequest): User {
  const extra: Record<string, readonly string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(EXTRA)) extra[decoded(name.slice(EXTRA.length))] = valuesOf(value);
  }
  const { [USER]: name = "", [GROUP]: groups, [UID]: uid } = headers;
  if (name === "")
    throw badRequest("a group, uid or extra is impersonated without a user: set Impersonate-User");
  return {
    name,
    groups: groups === undefined ? [] : valuesOf(groups),
    ...(uid !== undefined && { uid }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

/** Node joins a header that occurs several times. Each part is authorized, so a comma in a value gains nothing. */
function valuesOf(header: string): string[] {
  return header.split(/, ?/).filter((value) => value !== "");
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key).toLowerCase();
  } catch {
    throw badRequest(`the header ${EXTRA}${key} has an invalid escape`);
  }
}

const AUTHENTICATION_GROUP = "authentication.k8s.io";

/** What the sender must be allowed to impersonate. */
function attributesOf({ name, groups, uid, extra = {} }: User): ResourceAttributes[] {
  const impersonate = (resource: string, one: string, group = ""): ResourceAttributes => ({
    verb: "impersonate",
    group,
    version: "v1",
    resource,
    namespace: "",
    name: one,
  });
  const [, namespace, account] = SERVICE_ACCOUNT.exec(name) ?? [];
  return [
    account !== undefined && namespace !== undefined
      ? { ...impersonate("serviceaccounts", account), namespace }
      : impersonate("users", name),
    ...groups.map((group) => impersonate("groups", group)),
    ...(uid === undefined ? [] : [impersonate("uids", uid, AUTHENTICATION_GROUP)]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => impersonate(`userextras/${key}`, value, AUTHENTICATION_GROUP)),
    ),
  ];
}

/** The groups that authentication would have given the user. */
function completeGroups({ name, groups }: User): readonly string[] {
  const namespace = SERVICE_ACCOUNT.exec(name)?.[1];
  const own =
    namespace !== undefined && groups.length === 0
      ? ["system:serviceaccounts", `system:serviceaccounts:${namespace}`]
      : groups;
  const everyone = name === "system:anonymous" ? UNAUTHENTICATED : AUTHENTICATED;
  return own.includes(AUTHENTICATED) || own.includes(UNAUTHENTICATED) ? own : [...own, everyone];
}
