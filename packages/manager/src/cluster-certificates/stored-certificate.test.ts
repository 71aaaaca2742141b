import { SIMULATED_ISSUER } from "@capstan/sim";
import { expect, test } from "vitest";
import { type RequiredCertificate, requiredCertificates } from "./purposes.ts";
import { storedProblem } from "./stored-certificate.ts";

const NOW_MS = Date.parse("2026-12-01T00:00:00Z");
const [ca, , , sa] = requiredCertificates({});

test.each([
  ["whole", {}, undefined],
  ["without a certificate", { cert: "" }, "has no key tls.crt"],
  ["without a key", { key: "" }, "has no key tls.key"],
  [
    "that is not PEM",
    { cert: "hello" },
    "does not have a certificate in tls.crt and its key in tls.key, in PEM",
  ],
  [
    "whose key is not PEM",
    { key: "secret-key" },
    "does not have a certificate in tls.crt and its key in tls.key, in PEM",
  ],
])("an authority %s: %s", async (_, changes, problem) => {
  const credential = { ...(await SIMULATED_ISSUER.authority()), ...changes };
  expect(ca && storedProblem(credential, ca, NOW_MS)).toBe(problem);
});

test("an authority with the key of another is refused", async () => {
  const { cert } = await SIMULATED_ISSUER.authority();
  const { key } = await SIMULATED_ISSUER.client();
  expect(ca && storedProblem({ cert, key }, ca, NOW_MS)).toBe(
    "has a tls.key that does not belong to its tls.crt; put a certificate and its own key there",
  );
});

test("a certificate that may not sign others is refused as an authority, and accepted as a client's", async () => {
  const credential = await SIMULATED_ISSUER.client();
  expect(ca && storedProblem(credential, ca, NOW_MS)).toBe(
    "has a certificate in tls.crt that may not sign others (CA:FALSE); put the certificate of an authority there",
  );
  const client = { ...(ca as RequiredCertificate), purpose: "apiserver-etcd-client" } as const;
  expect(storedProblem(credential, client, NOW_MS)).toBeUndefined();
});

test("an expired authority is refused with the time", async () => {
  const credential = await SIMULATED_ISSUER.authority();
  expect(ca && storedProblem(credential, ca, Date.parse("2200-01-01T00:00:00Z"))).toMatch(
    /^has a certificate that expired at 21.*; put a renewed one of the same key into tls.crt$/,
  );
});

test("the keys of service accounts are keys, not certificates", async () => {
  const { publicKey: cert, privateKey: key } = await SIMULATED_ISSUER.keyPair();
  expect(sa && storedProblem({ cert, key }, sa, NOW_MS)).toBeUndefined();
  expect(sa && storedProblem({ cert: "x", key }, sa, NOW_MS)).toContain("public key");
});
