import { customKinds, Namespace } from "@capstan/api";
import { builtInKinds, createApiServer } from "@capstan/apiserver";
import { createRealEnv, type HttpRequest, type HttpResponse } from "@capstan/env";
import { createClient } from "@capstan/runtime";
import { expect, test } from "vitest";
import { inProcess } from "../cluster/transport.ts";
import { install } from "../commands/init.ts";
import { kindFor } from "./apply.ts";
import { inOrder, installation } from "./installation.ts";
import { NAMESPACE, selectionOf } from "./names.ts";

const env = createRealEnv();
const selection = selectionOf(["azure"]);
/** The kinds of an installation that the embedded server does not have. */
const others = inOrder(installation("capstan:test", selection))
  .map(kindFor)
  .filter((kind) => !builtInKinds.some((one) => one.group === kind.group && one.plural === kind.plural))
  .filter((kind, index, all) => all.findIndex(({ plural }) => plural === kind.plural) === index);

const answerOf = (status: number, body: object): HttpResponse =>
  ({
    status,
    headers: { "content-type": "application/json" },
    text: () => Promise.resolve(JSON.stringify(body)),
    json: () => Promise.resolve(body),
  }) as unknown as HttpResponse;

const GRANTS = `clusterroles.rbac.authorization.k8s.io "capstan-manager" is forbidden: user "jo" (groups=["dev"]) is attempting to grant RBAC permissions not currently held:
{APIGroups:[""], Resources:["events"], Verbs:["create"]}
{APIGroups:[""], Resources:["nodes"], Verbs:["get"]}`;

/** Carries an init out for a user with some rights; gives the refusal, and whether anything was written. */
async function initFor({ denied = [""], mayGrant = true }: { denied?: string[]; mayGrant?: boolean }) {
  const { handle } = createApiServer({ env, kinds: [...builtInKinds, ...others], rules: customKinds });
  const answer = async (request: HttpRequest): Promise<HttpResponse> => {
    if (request.path.includes("selfsubjectaccessreviews")) {
      const { spec } = request.body as {
        spec: { resourceAttributes: { verb: string; resource: string; namespace?: string } };
      };
      const { verb, resource, namespace = "" } = spec.resourceAttributes;
      const allowed = !denied.includes(`${verb} ${resource} ${namespace}`.trim());
      return answerOf(201, { ...(request.body as object), status: { allowed } });
    }
    if (!mayGrant && request.path.includes("dryRun=All"))
      return answerOf(403, { kind: "Status", code: 403, reason: "Forbidden", message: GRANTS });
    return await handle(request);
  };
  const transport = inProcess(answer);
  const options = { takeOver: false, image: "capstan:test", selection };
  const problem = await install({ env, transport, say: () => undefined }, options).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
  const client = createClient({ env, transport: inProcess(handle), fieldManager: "test" });
  const namespace = await client.find(Namespace, { name: NAMESPACE });
  return { problem, isWritten: namespace !== undefined };
}

const NEXT =
  "; nothing has been changed: ask an administrator of the cluster for a role that allows it, or to run this command";

test("a user who lacks one of the rights is told which, before the first write", async () => {
  const denied = [
    "patch validatingwebhookconfigurations",
    "create validatingwebhookconfigurations",
    "create deployments capstan-system",
  ];
  expect(await initFor({ denied })).toEqual({
    problem: `permission denied: this user may not create deployments of apps in namespace capstan-system, create/patch validatingwebhookconfigurations of admissionregistration.k8s.io${NEXT}`,
    isWritten: false,
  });
  expect(await initFor({ denied: ["update customresourcedefinitions"] })).toEqual({
    problem: `permission denied: this user may not update customresourcedefinitions of apiextensions.k8s.io${NEXT}`,
    isWritten: false,
  });
});

test("a user who may write roles, but not give the manager its rights, is told which right is missing", async () => {
  expect(await initFor({ mayGrant: false })).toEqual({
    problem: `permission denied: this user may not grant the manager rights that it does not have itself, such as {APIGroups:[""], Resources:["events"], Verbs:["create"]}${NEXT}`,
    isWritten: false,
  });
});

test("a user with all rights installs", async () => {
  expect(await initFor({})).toEqual({ problem: undefined, isWritten: true });
});
