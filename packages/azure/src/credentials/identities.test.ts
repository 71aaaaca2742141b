import { generateKeyPairSync } from "node:crypto";
import { inspect } from "node:util";
import type { Secret } from "@capstan/api";
import {
  abortError,
  type HttpRequest,
  type HttpResponse,
  Scheduler,
  TransportError,
  VirtualProcess,
} from "@capstan/env";
import { createLogger, redacted } from "@capstan/runtime";
import { describe, expect, test } from "vitest";
import { answer } from "../azure.fixture.ts";
import { cloudNamed } from "../cloud.ts";
import { failureOf } from "../failure.ts";
import { AzureError } from "../port.ts";
import { Identities, type IdentityPorts } from "./identities.ts";
import { CANARY, CLIENT, identity, secretWith, TENANT } from "./identity.fixture.ts";

const CERTIFICATE_FILE = "/var/run/secrets/capstan/identities/default/cert.pem";

/** Entra, as far as the library asks it. */
class LittleEntra {
  readonly requests: (HttpRequest & { readonly origin: string })[] = [];
  reply: () => HttpResponse | Promise<HttpResponse> = () =>
    answer(200, {
      token_type: "Bearer",
      expires_in: 600,
      ext_expires_in: 600,
      access_token: `token ${this.tokens}`,
    });
  tokens = 0;
  readonly scheduler = new Scheduler({ seed: "identities" });
  secret: Secret | undefined = secretWith(CANARY);
  files: Record<string, string> = {};
  readonly identities: Identities;

  constructor(ports: Partial<IdentityPorts> = {}) {
    this.identities = new Identities({
      cloud: cloudNamed(),
      env: new VirtualProcess(this.scheduler, "p"),
      connect: (origin) => ({
        request: (request) => this.#handle({ ...request, origin }),
        close: async () => undefined,
      }),
      readSecret: async () => this.secret,
      readFile: async (path) => this.files[path] ?? Promise.reject(new Error("ENOENT: no such file")),
      namespaceLabels: async () => ({ tier: "gold" }),
      ...ports,
    });
  }

  async #handle(request: HttpRequest & { readonly origin: string }): Promise<HttpResponse> {
    this.requests.push(request);
    if (request.path.includes("openid-configuration")) {
      const authority = `${request.origin}/${TENANT}`;
      return answer(200, {
        token_endpoint: `${authority}/oauth2/v2.0/token`,
        issuer: `${authority}/v2.0`,
        authorization_endpoint: `${authority}/oauth2/v2.0/authorize`,
        jwks_uri: `${authority}/discovery/v2.0/keys`,
      });
    }
    this.tokens++;
    const hungUp = new Promise<never>((_, reject) => {
      request.signal?.addEventListener("abort", () => reject(abortError(request.signal)));
    });
    return Promise.race([this.reply(), hungUp]);
  }

  /** A token for a cluster in a namespace. */
  async token(subject = identity(), namespace = "team-a"): Promise<string> {
    return (await (await this.identities.tokensFor(subject, namespace)).token()).reveal();
  }

  /** What the token requests asked for. */
  forms(): Record<string, string>[] {
    return this.requests
      .filter(({ path }) => path.includes("/token"))
      .map(({ body }) => Object.fromEntries(new URLSearchParams(String(body))));
  }
}

async function failureOfToken(
  entra: LittleEntra,
  subject = identity(),
  namespace = "team-a",
): Promise<AzureError> {
  const error: unknown = await entra.token(subject, namespace).catch((thrown: unknown) => thrown);
  if (error instanceof AzureError) return error;
  throw new Error(`expected an AzureError, got ${inspect(error)}`);
}

describe("an identity", () => {
  test.each(["ServicePrincipal", "ManualServicePrincipal"] as const)(
    "of type %s logs in with its password",
    async (type) => {
      const entra = new LittleEntra();
      entra.secret = secretWith(`${CANARY}\n`);
      expect(await entra.token(identity({ type }))).toBe("token 1");
      expect(entra.requests.every(({ origin }) => origin === "https://login.microsoftonline.com")).toBe(true);
      expect(entra.requests.some(({ headers }) => "accept-encoding" in headers)).toBe(false);
      expect(entra.forms()).toMatchObject([
        {
          client_id: CLIENT,
          client_secret: CANARY,
          grant_type: "client_credentials",
          scope: expect.stringContaining("https://management.azure.com/.default") as string,
        },
      ]);
    },
  );

  test("of type ServicePrincipalCertificate logs in with what it signs, from a Secret or a file", async () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const pem = `-----BEGIN CERTIFICATE-----\n${"A".repeat(64)}\n-----END CERTIFICATE-----\n${key}`;
    const entra = new LittleEntra();
    entra.secret = secretWith(pem);
    entra.files[CERTIFICATE_FILE] = pem;
    expect(await entra.token(identity({ type: "ServicePrincipalCertificate" }))).toBe("token 1");
    const { clientSecret: _, ...spec } = identity({
      type: "ServicePrincipalCertificate",
      certPath: CERTIFICATE_FILE,
    }).spec;
    expect(
      await entra.token({ ...identity(), metadata: { name: "other", namespace: "default" }, spec }),
    ).toBe("token 2");
    const assertion = expect.stringMatching(/^eyJ[^.]+\.eyJ[^.]+\.[^.]+$/) as string;
    expect(entra.forms()).toMatchObject([
      { client_id: CLIENT, client_assertion: assertion },
      { client_id: CLIENT, client_assertion: assertion },
    ]);
  });

  test("of type WorkloadIdentity logs in with the token of its service account", async () => {
    const entra = new LittleEntra();
    entra.files["/var/run/secrets/azure/tokens/azure-identity-token"] = "service-account-token\n";
    expect(await entra.token(identity({ type: "WorkloadIdentity" }))).toBe("token 1");
    expect(entra.forms()).toMatchObject([{ client_id: CLIENT, client_assertion: "service-account-token" }]);
  });

  test("of type UserAssignedMSI asks the machine", async () => {
    const entra = new LittleEntra();
    expect(await entra.token(identity({ type: "UserAssignedMSI" }))).toBe("token 1");
    const [request] = entra.requests;
    expect(request?.origin).toBe("http://169.254.169.254");
    expect(request?.path).toContain(CLIENT);
  });

  test("of another cloud logs in there", async () => {
    const entra = new LittleEntra({ cloud: cloudNamed("AzureUSGovernmentCloud") });
    await entra.token();
    expect(entra.requests.every(({ origin }) => origin === "https://login.microsoftonline.us")).toBe(true);
    expect(entra.forms()[0]?.["scope"]).toContain("https://management.usgovcloudapi.net/.default");
  });

  test("logs in once, and again shortly before its token expires", async () => {
    const entra = new LittleEntra();
    await Promise.all([entra.token(), entra.token()]);
    await entra.scheduler.advance(470_000);
    expect(await entra.token()).toBe("token 1");
    await entra.scheduler.advance(20_000);
    expect(await entra.token()).toBe("token 2");
  });

  test("gets a new token when its Secret has changed", async () => {
    const entra = new LittleEntra();
    await entra.token();
    entra.secret = secretWith("another");
    expect(await entra.token()).toBe("token 2");
    expect(entra.forms().map((form) => form["client_secret"])).toEqual([CANARY, "another"]);
  });

  test("keeps its token when its Secret is deleted during its own deletion, and only then", async () => {
    const entra = new LittleEntra();
    const going = identity();
    await entra.token(going);
    entra.secret = undefined;
    expect(await failureOfToken(entra, going)).toMatchObject({ class: "Auth" });
    going.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
    expect(await entra.token(going)).toBe("token 1");
  });

  test("checks at each use which namespaces may use it", async () => {
    const entra = new LittleEntra();
    const selector = { matchLabels: { tier: "gold" } };
    expect(await entra.token(identity({ allowedNamespaces: { selector } }))).toBe("token 1");
    const revoked = identity({ allowedNamespaces: { list: ["team-b"] } });
    expect(await failureOfToken(entra, revoked)).toMatchObject({
      class: "Auth",
      code: "NamespaceNotAllowed",
    });
  });
});

describe("an identity that cannot be used reports why", () => {
  test.each<[string, Parameters<typeof identity>[0], Secret | undefined, RegExp]>([
    ["the Secret is missing", {}, undefined, /default\/robot: Secret default\/robot-secret does not exist/],
    ["the Secret is empty", {}, secretWith(""), /has no value under the key clientSecret/],
    ["the Secret is blank", {}, secretWith(" \n"), /has no value under the key clientSecret/],
    [
      "the Secret is in another namespace",
      { clientSecret: { name: "s", namespace: "kube-system" } },
      secretWith("x"),
      /spec\.clientSecret\.namespace is kube-system; it must be default/,
    ],
    [
      "the certificate is not PEM",
      { type: "ServicePrincipalCertificate" },
      secretWith(CANARY),
      /must be PEM/,
    ],
    [
      "the file is missing",
      { type: "ServicePrincipalCertificate", certPath: CERTIFICATE_FILE },
      undefined,
      /\/cert\.pem cannot be read: it must be a regular file of at most 64 KiB that the manager may read$/,
    ],
    [
      "the file is not in the folder of its namespace",
      { type: "ServicePrincipalCertificate", certPath: "/dev/zero" },
      undefined,
      /spec\.certPath must be a file under \/var\/run\/secrets\/capstan\/identities\/default\//,
    ],
    [
      "the type is not supported",
      { type: "UserAssignedIdentityCredential" },
      undefined,
      /use WorkloadIdentity or ServicePrincipal/,
    ],
  ])("%s", async (_, spec, secret, message) => {
    const entra = new LittleEntra();
    entra.secret = secret;
    const error = await failureOfToken(entra, identity(spec));
    expect(error).toMatchObject({ class: "Auth", code: "IdentityNotUsable" });
    expect(error.message).toMatch(message);
    expect(entra.requests).toHaveLength(0);
  });

  const refused = {
    error: "invalid_client",
    error_description: "AADSTS7000215: Invalid client secret provided.\r\nTrace ID: 1",
  };
  test.each<[string, () => HttpResponse, object]>([
    ["Entra refuses", () => answer(401, refused), { class: "Auth", code: "AADSTS7000215", status: 401 }],
    ["Entra fails", () => answer(503, {}), { class: "Transient", code: "EntraUnavailable" }],
    ["Entra is busy", () => answer(429, {}), { class: "Throttled", code: "TooManyRequests" }],
    [
      "no server answers",
      () => {
        throw new TransportError("refused", "connection refused");
      },
      { class: "Transient", code: "EntraUnavailable" },
    ],
    ["the answer is not JSON", () => answer(200, "<html>"), { class: "Auth" }],
  ])("%s", async (_, reply, expected) => {
    const entra = new LittleEntra();
    entra.reply = reply;
    expect(await failureOfToken(entra)).toMatchObject(expected);
  });

  test("Entra does not answer in time", async () => {
    const entra = new LittleEntra();
    entra.reply = () => new Promise(() => undefined);
    const asked = failureOfToken(entra);
    while (entra.tokens === 0) await entra.scheduler.advance(0);
    await entra.scheduler.advance(30_000);
    expect(await asked).toMatchObject({
      class: "Transient",
      message: expect.stringContaining("within 30 s") as string,
    });
  });
});

const JWT = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2ln";

describe("a secret", () => {
  test.each<[string, () => HttpResponse]>([
    [
      "an error",
      () => answer(401, { error: "invalid_client", error_description: `AADSTS7000215: ${CANARY} is wrong` }),
    ],
    ["an error that is not JSON", () => answer(500, CANARY)],
    [
      "a broken connection",
      () => {
        throw new TransportError("reset", "broke");
      },
    ],
  ])("does not appear in the error for %s", async (_, reply) => {
    const entra = new LittleEntra();
    entra.reply = reply;
    const error = await failureOfToken(entra);
    const failure = failureOf(error, "reconciling");
    const tokens = await entra.identities.tokensFor(identity(), "team-a");
    const everything = { error, failure, tokens, identities: entra.identities };
    const lines = [
      JSON.stringify(everything),
      JSON.stringify(redacted(everything)),
      inspect(everything, { depth: 20, showHidden: true }),
      String(error.stack),
    ];
    const env = new VirtualProcess(entra.scheduler, "logs");
    createLogger(env, "debug", { write: (line) => void lines.push(line) }).error("It failed", everything);
    expect(lines).toHaveLength(5);
    expect(lines.join("\n")).toContain(`no token for client ${CLIENT}`);
    expect(lines.join("\n")).not.toContain(CANARY);
    expect(lines.join("\n")).not.toContain(JWT);
  });
});
