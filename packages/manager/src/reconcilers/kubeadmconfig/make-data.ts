import { type Frozen, Secret } from "@capstan/api";
import { Failure, next, type Outcome, terminal, transient } from "@capstan/runtime";
import { type Authority, needsToken } from "../../bootstrap/discovery.ts";
import { modelAnswered, modelAsked } from "../../bootstrap/fresh-bootstrap.ts";
import { drawTokenText, type JoinToken } from "../../bootstrap/join-token.ts";
import type { SecretValues } from "../../bootstrap/secret-values.ts";
import { controlPlaneJoinData, refusalOf, sizeProblem, workerData } from "../../bootstrap/worker-data.ts";
import type { YamlValue } from "../../bootstrap/yaml-text.ts";
import { authorityFor } from "./authority.ts";
import { certificateFiles } from "./certificate-files.ts";
import {
  type EarlierTokens,
  type Fields,
  finishedFields,
  foreignProblem,
  newSecret,
  plannedFields,
  readStored,
  secretPatch,
  type StoredData,
} from "./data-secret.ts";
import { decideData, type Decision } from "./decide.ts";
import { makeInitData } from "./init-data.ts";
import { publish } from "./publish.ts";
import { noData, type Scope } from "./scope.ts";
import { readSecretValues } from "./secret-values.ts";
import { endOf, isGood } from "./token-policy.ts";
import { isTokenKnown, makeToken, workloadOf } from "./workload.ts";

/** The observations of a pass. */
interface Observation {
  readonly secret: Frozen<Secret> | undefined;
  readonly stored: StoredData | undefined;
  readonly authority: Authority | undefined;
  readonly values: SecretValues;
  /** The certificates of the cluster as files; none for a worker. */
  readonly certificates: readonly YamlValue[];
  readonly needsToken: boolean;
  readonly isAsked: boolean;
  /** The model of the token in the data, and the model of the requested machines. */
  readonly models: { readonly before: string | undefined; readonly now: string | undefined };
}

/** Brings the data Secret up to date with the config, with a token that is fresh enough. */
export async function makeData(scope: Scope): Promise<Outcome> {
  if (scope.role === "init") return makeInitData(scope);
  try {
    const refusal = refusalOf(scope.config.spec);
    if (refusal !== undefined) throw terminal("DataSecretGenerationFailed", refusal);
    const observation = await look(scope);
    const decision = await decide(scope, observation);
    const token = await performActions(scope, observation, decision);
    publish(scope, { token, why: decision.do === "keep" ? undefined : decision.why });
    return next;
  } catch (error) {
    throw noData(scope.context, error);
  }
}

async function look(scope: Scope): Promise<Observation> {
  const { context, config } = scope;
  const { name, namespace } = config.metadata;
  const secret = await context.client.find(Secret, { name, namespace });
  const problem = secret && foreignProblem(secret, config);
  if (problem !== undefined) throw terminal("DataSecretGenerationFailed", problem);
  const stored = secret && readStored(secret);
  const isAsked = modelAsked(config) !== undefined;
  return {
    secret,
    stored,
    isAsked,
    models: modelsOf(scope, stored),
    values: await readSecretValues(scope),
    certificates: scope.role === "control-plane" ? await certificateFiles(scope) : [],
    authority: await authorityFor(scope, isAsked ? undefined : stored?.authority),
    needsToken: needsToken(config.spec.joinConfiguration?.discovery ?? {}),
  };
}

/** Data without a model belongs to the model of the first request. */
function modelsOf({ config }: Scope, stored: StoredData | undefined): Observation["models"] {
  const asked = modelAsked(config);
  const before = stored?.model ?? modelAnswered(config) ?? asked;
  return { before, now: asked ?? before };
}

async function decide(scope: Scope, observation: Observation): Promise<Decision> {
  const { stored, isAsked } = observation;
  const { policy } = scope;
  const nowMs = scope.context.env.clock.now();
  // This also checks the size: no token makes the data longer, so no token is created for data that is too long.
  const printed = print(scope, observation, stored?.token);
  const token = ownToken(observation);
  const isDoubted = token && (isAsked || (policy.renews && !isGood(token, policy, nowMs)));
  const isKnown = isDoubted ? await isTokenKnown(scope, await workloadOf(scope), token) : true;
  return decideData({
    stored,
    isCurrent: stored?.value === printed,
    needsToken: observation.needsToken,
    isAsked,
    token,
    isKnown,
    policy,
    nowMs,
  });
}

/** The token of the machines that the data is for; undefined when they have none yet. */
function ownToken({ stored, models: { before, now } }: Observation): JoinToken | undefined {
  return now === undefined || now === before ? stored?.token : stored?.earlier.get(now);
}

/** The tokens of other models. A token that is replaced for its own model was revoked, and is dropped. */
function earlierTokens({ stored, models: { before, now } }: Observation): EarlierTokens {
  const earlier = new Map(stored?.earlier);
  if (before !== undefined && stored?.token) earlier.set(before, stored.token);
  if (now !== undefined) earlier.delete(now);
  return earlier;
}

/** Carries out the decision and returns the token of the data. */
async function performActions(
  scope: Scope,
  observation: Observation,
  decision: Decision,
): Promise<JoinToken | undefined> {
  const current = observation.needsToken ? observation.stored?.token : undefined;
  switch (decision.do) {
    case "keep":
      return current;
    case "print":
      await finish(scope, observation, current);
      return current;
    case "prolongToken":
    case "useToken":
      await useToken(scope, observation, decision.token);
      return decision.token;
    case "planToken": {
      const token = drawToken(scope);
      // Checked first: while the cluster does not answer, nothing is planned or written.
      await isTokenKnown(scope, await workloadOf(scope), token);
      await useToken(
        scope,
        { ...observation, secret: await write(scope, observation, plannedFields(token)) },
        token,
      );
      return token;
    }
  }
}

function drawToken({ context: { env }, policy }: Scope): JoinToken {
  return { text: drawTokenText(() => env.uuid()), expiresMs: endOf(policy, env.clock.now()) };
}

async function useToken(scope: Scope, observation: Observation, token: JoinToken): Promise<void> {
  if (await makeToken(scope, await workloadOf(scope), token)) return finish(scope, observation, token);
  await write(scope, observation, { next: null });
  throw transient(
    "JoinTokenTaken",
    "The cluster already has a join token with that id; generating a new one",
  );
}

async function finish(scope: Scope, observation: Observation, token: JoinToken | undefined): Promise<void> {
  const value = print(scope, observation, token);
  const { authority, models } = observation;
  const earlier = earlierTokens(observation);
  await write(
    scope,
    observation,
    finishedFields({ value, token, model: models.now, earlier, authority: authority?.pem }),
  );
}

/** The data with a token, or with a placeholder of the same length. */
function print(
  { config, endpoint, version, role }: Scope,
  observation: Observation,
  token: JoinToken | undefined,
): string {
  const { authority, values, certificates } = observation;
  const text = token?.text.reveal() ?? "000000.0000000000000000";
  const target = { endpoint, authority, token: observation.needsToken ? text : undefined };
  const machine = { spec: config.spec, version, target, values };
  const data = role === "control-plane" ? controlPlaneJoinData(machine, certificates) : workerData(machine);
  const problem = sizeProblem(data);
  if (problem !== undefined) throw terminal("DataSecretGenerationFailed", problem);
  return data;
}

async function write(
  { context, config, cluster }: Scope,
  { secret }: Observation,
  fields: Fields,
): Promise<Frozen<Secret>> {
  const { client } = context;
  if (!secret) return client.create(Secret, newSecret(config, cluster.metadata.name, fields));
  const { name, namespace } = secret.metadata;
  try {
    const body = secretPatch(secret, config, fields);
    return await client.patch(
      Secret,
      { name, ...(namespace !== undefined && { namespace }) },
      { type: "merge", body },
    );
  } catch (error) {
    // The Secret was deleted during the pass, but the config was not: the next pass creates it again.
    if (error instanceof Failure && error.failure === "NotFound")
      throw transient("DataSecretGone", "The Secret with the bootstrap data was deleted during the pass");
    throw error;
  }
}
