import { badRequest, invalid } from "../http/status.ts";
import { type FieldProblem, invalidValue, requiredValue } from "../schema/problem.ts";
import type { Context } from "../registry/context.ts";
import type { Attributes, User } from "../security/attributes.ts";
import { allowance, rulesOfUser } from "../security/rbac.ts";
import { AUDIENCE } from "../security/service-account-tokens.ts";
import type { Call } from "./call.ts";

interface AccessSpec {
  readonly resourceAttributes?: {
    readonly verb?: string;
    readonly group?: string;
    readonly version?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly nonResourceAttributes?: { readonly verb?: string; readonly path?: string };
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
}

/** SelfSubjectAccessReview: whether the caller may do something. */
export async function reviewOwnAccess(context: Context, { body, caller, target }: Call): Promise<unknown> {
  const spec = specOf(body) as AccessSpec;
  return answered(target.resource, body, accessStatus(context, { spec, user: caller.user, target }));
}

/** SubjectAccessReview: whether another user may do something. */
export async function reviewAccess(context: Context, { body, target }: Call): Promise<unknown> {
  const spec = specOf(body) as AccessSpec;
  const user: User = { name: spec.user ?? "", groups: spec.groups ?? [] };
  const problems = [...subjectProblems(user), ...namespaceProblems(spec, target.namespace)];
  return answered(target.resource, body, accessStatus(context, { spec, user, target, problems }));
}

function subjectProblems({ name, groups }: User): FieldProblem[] {
  if (name !== "" || groups.length > 0) return [];
  return [requiredValue("spec.user", "at least one of user or group must be specified")];
}

/** A review in a namespace refers to that namespace. */
function namespaceProblems({ resourceAttributes = {} }: AccessSpec, home: string): FieldProblem[] {
  const { namespace = "" } = resourceAttributes;
  if (home === "" || namespace === home) return [];
  return [invalidValue("spec.resourceAttributes.namespace", namespace, "must match metadata.namespace")];
}

interface Question {
  readonly spec: AccessSpec;
  readonly user: User;
  readonly target: Call["target"];
  readonly problems?: readonly FieldProblem[];
}

function accessStatus({ policy }: Context, { spec, user, target, problems = [] }: Question): object {
  const all = [...problems, ...attributeProblems(spec)];
  const { kind } = target.resource;
  if (all.length > 0) throw invalid({ kind: kind.kind, group: kind.group, name: "" }, all);
  const reason = allowance(policy, user, attributesOf(spec));
  return { allowed: reason !== undefined, ...(reason !== undefined && reason !== "" && { reason }) };
}

function attributeProblems({ resourceAttributes, nonResourceAttributes }: AccessSpec): FieldProblem[] {
  const problem = (field: string, message: string, type: FieldProblem["type"]): FieldProblem[] => [
    { type, field, message },
  ];
  if (resourceAttributes && nonResourceAttributes)
    return problem(
      "spec.nonResourceAttributes",
      "Invalid value: cannot be specified in combination with resourceAttributes",
      "FieldValueInvalid",
    );
  if (!resourceAttributes && !nonResourceAttributes)
    return problem(
      "spec.resourceAttributes",
      "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified",
      "FieldValueInvalid",
    );
  return [];
}

const NOTHING = { verb: "", group: "", version: "", resource: "", namespace: "", name: "" };

function attributesOf({ resourceAttributes, nonResourceAttributes }: AccessSpec): Attributes {
  if (!resourceAttributes) return { verb: "", path: "", ...nonResourceAttributes };
  const { subresource = "", ...named } = resourceAttributes;
  const asked = { ...NOTHING, ...named };
  return subresource === "" ? asked : { ...asked, resource: `${asked.resource}/${subresource}` };
}

/** SelfSubjectRulesReview: the permissions of the caller in a namespace. */
export async function reviewOwnRules({ policy }: Context, { body, caller, target }: Call): Promise<unknown> {
  const { namespace = "" } = specOf(body) as { namespace?: string };
  if (namespace === "") throw badRequest("no namespace on request");
  const rules = rulesOfUser(policy, caller.user, namespace);
  return answered(target.resource, body, {
    resourceRules: rules.filter(({ resources }) => resources !== undefined && resources.length > 0),
    nonResourceRules: rules
      .filter(({ nonResourceURLs }) => nonResourceURLs !== undefined && nonResourceURLs.length > 0)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
  });
}

/** SelfSubjectReview: who the caller is. */
export async function reviewSelf(_context: Context, { body, caller, target }: Call): Promise<unknown> {
  return answered(target.resource, body, { userInfo: userInfo(caller.user) });
}

/** TokenReview: whose token it is. */
export async function reviewToken(context: Context, { body, caller, target }: Call): Promise<unknown> {
  const { token = "", audiences = [] } = specOf(body) as { token?: string; audiences?: readonly string[] };
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const wanted = audiences.length > 0 ? audiences : [AUDIENCE];
  return answered(target.resource, body, tokenStatus(context, { token, wanted, caller }));
}

interface TokenQuestion {
  readonly token: string;
  readonly wanted: readonly string[];
  readonly caller: Call["caller"];
}

function tokenStatus({ tokens }: Context, { token, wanted, caller }: TokenQuestion): object {
  const known = tokens.verify(token, wanted);
  if (known) return { authenticated: true, user: userInfo(known.user), audiences: known.audiences };
  const user = wanted.includes(AUDIENCE) ? caller.userOfToken(token) : undefined;
  if (!user) return { user: {}, error: "invalid bearer token" };
  return { authenticated: true, user: userInfo(user), audiences: [AUDIENCE] };
}

function userInfo({ name, uid, groups, extra }: User): object {
  return { username: name, ...(uid !== undefined && { uid }), groups, ...(extra && { extra }) };
}

function specOf({ spec }: Call["body"]): object {
  return spec ?? {};
}

function answered(
  { apiVersion, kind }: Call["target"]["resource"],
  body: Call["body"],
  status: object,
): object {
  return {
    kind: kind.kind,
    apiVersion,
    metadata: {},
    ...(body["spec"] !== undefined && { spec: body["spec"] }),
    status,
  };
}
