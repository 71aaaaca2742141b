import { ComputeManagementClient } from "@azure/arm-compute";
import { ResourceManagementClient } from "@azure/arm-resources";
import { ClientSecretCredential } from "@azure/identity";
import { createAuthority, issueCertificate } from "@capstan/apiserver";
import {
  createAzure,
  DEFAULT_PRINCIPAL,
  DEFAULT_SUBSCRIPTION,
  DEFAULT_TENANT,
  type Principal,
  serveAzure,
} from "@capstan/azure-sim";
import { createRealEnv } from "@capstan/env";
import { expect, test } from "vitest";
import { all, GROUP, LOCATION, startCloud } from "./cloud.ts";

const GROUPS = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourcegroups?api-version=2024-03-01`;
const TOKEN = `/${DEFAULT_TENANT}/oauth2/v2.0/token`;

test("the SDK signs in with a client secret over HTTPS and completes an operation", async () => {
  const env = createRealEnv();
  const authority = await createAuthority(env);
  const tls = await issueCertificate(env, authority, { type: "server", hosts: ["127.0.0.1"] });
  const azure = createAzure({ env, seed: "https", settings: { latencies: "none" } });
  const server = await serveAzure(azure, { tls });
  try {
    const endpoint = `https://127.0.0.1:${server.port}`;
    const tlsOptions = { ca: authority.cert };
    const sign = (secret: string): ClientSecretCredential =>
      new ClientSecretCredential(DEFAULT_TENANT, DEFAULT_PRINCIPAL.clientId, secret, {
        authorityHost: endpoint,
        disableInstanceDiscovery: true,
        tlsOptions,
      });
    const options = { endpoint, tlsOptions, retryOptions: { maxRetries: 0 } };
    const credential = sign(DEFAULT_PRINCIPAL.clientSecret ?? "");
    const resources = new ResourceManagementClient(credential, DEFAULT_SUBSCRIPTION, options);
    await resources.resourceGroups.createOrUpdate(GROUP, { location: LOCATION });
    await resources.resourceGroups.delete(GROUP);
    expect(await all(resources.resourceGroups.list())).toEqual([]);
    const compute = new ComputeManagementClient(credential, DEFAULT_SUBSCRIPTION, options);
    expect((await all(compute.usage.list(LOCATION))).length).toBeGreaterThan(3);
    await expect(sign("wrong").getToken("https://management.azure.com/.default")).rejects.toThrow(
      "AADSTS7000215",
    );
  } finally {
    await server.close();
    azure.close();
  }
});

test("the scopes that Go's azidentity asks for give a token for ARM", async () => {
  const cloud = startCloud();
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: DEFAULT_PRINCIPAL.clientId,
    client_secret: DEFAULT_PRINCIPAL.clientSecret ?? "",
    scope: "https://management.azure.com/.default openid offline_access profile",
  });
  const { body } = await cloud.send("POST", TOKEN, { body: form.toString() });
  const { access_token: token } = body as { access_token: string };
  const headers = { authorization: `Bearer ${token}` };
  expect((await cloud.send("GET", GROUPS, { headers })).status).toBe(200);
});

test("clients without a token find the cloud's endpoints, and learn that they may trust its Entra", async () => {
  const cloud = startCloud();
  const headers = { authorization: "" };
  const endpoints = await cloud.send("GET", "/metadata/endpoints?api-version=2022-09-01", { headers });
  expect(endpoints.status).toBe(200);
  expect(endpoints.body).toMatchObject([{ authentication: { identityProvider: "AAD" } }]);
  const discovery = await cloud.send("GET", "/common/discovery/instance?api-version=1.1", { headers });
  expect(discovery.body).toMatchObject({ metadata: [{ aliases: [expect.any(String)] }] });
});

const SERVICE_ACCOUNT = { issuer: "https://issuer.test", subject: "system:serviceaccount:capz:manager" };
const WORKLOAD: Principal = {
  tenantId: DEFAULT_TENANT,
  clientId: "44444444-4444-4444-4444-444444444444",
  objectId: "55555555-5555-5555-5555-555555555555",
  federated: [SERVICE_ACCOUNT],
};

function assertion(claims: object): string {
  return `x.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.x`;
}

test.each([
  [
    "a service account that is trusted",
    { iss: SERVICE_ACCOUNT.issuer, sub: SERVICE_ACCOUNT.subject, exp: 4e9 },
    200,
  ],
  [
    "another service account",
    { iss: SERVICE_ACCOUNT.issuer, sub: "system:serviceaccount:other:other", exp: 4e9 },
    401,
  ],
  [
    "an assertion that has expired",
    { iss: SERVICE_ACCOUNT.issuer, sub: SERVICE_ACCOUNT.subject, exp: 1 },
    401,
  ],
])("workload identity: %s", async (_name, claims, status) => {
  const cloud = startCloud({ settings: { principals: [WORKLOAD] } });
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: WORKLOAD.clientId,
    scope: "https://management.azure.com/.default",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: assertion(claims),
  });
  expect((await cloud.send("POST", TOKEN, { body: form.toString() })).status).toBe(status);
});

test("a virtual machine gets a token of its managed identity from the metadata service", async () => {
  const cloud = startCloud();
  const path =
    "/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https://management.azure.com/";
  expect((await cloud.send("GET", path)).status).toBe(400);
  const answer = await cloud.send("GET", path, { headers: { metadata: "true" } });
  const { access_token: token } = answer.body as { access_token: string };
  expect((await cloud.send("GET", GROUPS, { headers: { authorization: `Bearer ${token}` } })).status).toBe(
    200,
  );
});

test("ARM refuses each kind of invalid token with its own message", async () => {
  const cloud = startCloud();
  const { tokens } = cloud.azure.core;
  const { nowMs } = cloud.azure.control;
  const audience = "https://management.azure.com";
  const good = tokens.issue(DEFAULT_PRINCIPAL, audience, nowMs).token;
  const foreign = tokens.issue({ ...DEFAULT_PRINCIPAL, tenantId: WORKLOAD.clientId }, audience, nowMs).token;
  const old = tokens.issue(DEFAULT_PRINCIPAL, audience, nowMs - 4_000_000).token;
  const cases = [
    ["", "AuthenticationFailed"],
    ["Bearer nonsense", "InvalidAuthenticationToken"],
    [`Bearer ${good}x`, "InvalidAuthenticationToken"],
    [`Bearer ${foreign}`, "InvalidAuthenticationTokenTenant"],
    [
      `Bearer ${tokens.issue(DEFAULT_PRINCIPAL, "https://vault.azure.net", nowMs).token}`,
      "InvalidAuthenticationTokenAudience",
    ],
    [`Bearer ${old}`, "ExpiredAuthenticationToken"],
  ] as const;
  for (const [authorization, code] of cases) {
    const answer = await cloud.send("GET", GROUPS, { headers: { authorization } });
    expect([answer.status, answer.body]).toMatchObject([401, { error: { code } }]);
    expect(answer.headers["www-authenticate"]).toContain("Bearer");
  }
});

test("a reader may read and not write", async () => {
  const reader: Principal = { ...DEFAULT_PRINCIPAL, role: "Reader" };
  const cloud = startCloud({ settings: { principals: [reader] } });
  expect((await cloud.send("GET", GROUPS)).status).toBe(200);
  const path = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${GROUP}?api-version=2024-03-01`;
  const answer = await cloud.send("PUT", path, { body: { location: LOCATION } });
  expect([answer.status, answer.body]).toMatchObject([403, { error: { code: "AuthorizationFailed" } }]);
});

test("an unknown tenant, application or grant is refused by Entra with its number", async () => {
  const cloud = startCloud();
  const ask = (path: string, form: Record<string, string>): Promise<{ body: unknown }> =>
    cloud.send("POST", path, { body: new URLSearchParams(form).toString() });
  const { clientId } = DEFAULT_PRINCIPAL;
  expect((await ask("/nowhere/oauth2/v2.0/token", {})).body).toMatchObject({ error_codes: [90002] });
  expect((await ask(TOKEN, { client_id: "unknown" })).body).toMatchObject({ error_codes: [700016] });
  expect((await ask(TOKEN, { client_id: clientId, grant_type: "password" })).body).toMatchObject({
    error_codes: [70003],
  });
});
