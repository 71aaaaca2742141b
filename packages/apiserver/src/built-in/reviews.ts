import { badRequest, invalid } from "../http/status.ts";
import type { FieldProblem } from "../schema/problem.ts";
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

/** May I do this? */
export async function reviewOwnAccess(context: Context, { body, caller, target }: Call): Promise<unknown> {
  const spec = specOf(body) as AccessSpec;
  return answered(target.resource, body, accessStatus(context, { spec, user: caller.user, target }));
}

/** May somebody else do this? */
export async function reviewAccess(context: Context, { body, target }: Call): Promise<unknown> {
  const spec = specOf(body) as AccessSpec;
  const problems: FieldProblem[] = [];
  if ((spec.user ?? "") === "" && (spec.groups ?? []).length === 0)
    problems.push({
      type: "FieldValueRequired",
      field: "spec.user",
      message: "Required value: at least one of user or group must be specified",
    });
  const { namespace } = target;
  if (namespace !== "" && spec.resourceAttributes?.namespace !== namespace)
    problems.push({
      type: "FieldValueInvalid",
      field: "spec.resourceAttributes.namespace",
      message: `Invalid value: ${JSON.stringify(spec.resourceAttributes?.namespace ?? "")}: must match metadata.namespace`,
    });
  const user: User = { name: spec.user ?? "", groups: spec.groups ?? [] };
  return answered(target.resource, body, accessStatus(context, { spec, user, target, problems }));
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

/** What may I do in a namespace? */
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

/** Who am I? */
export async function reviewSelf(_context: Context, { body, caller, target }: Call): Promise<unknown> {
  return answered(target.resource, body, { userInfo: userInfo(caller.user) });
}

/** Whose token is this? */
export async function reviewToken(_context: Context, { body, caller, target }: Call): Promise<unknown> {
  const { token = "" } = specOf(body) as { token?: string };
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const user = caller.userOfToken(token);
  if (!user) return answered(target.resource, body, { user: {}, error: "invalid bearer token" });
  return answered(target.resource, body, {
    authenticated: true,
    user: userInfo(user),
    audiences: [AUDIENCE],
  });
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
