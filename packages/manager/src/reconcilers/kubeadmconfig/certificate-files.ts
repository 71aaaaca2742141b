import { Secret } from "@capstan/api";
import { waiting } from "@capstan/runtime";
import type { YamlValue } from "../../bootstrap/yaml-text.ts";
import {
  certificateSecretName,
  type RequiredCertificate,
  requiredCertificates,
} from "../../cluster-certificates/purposes.ts";
import { storedCredential, storedProblem } from "../../cluster-certificates/stored-certificate.ts";
import { CERTIFICATES_AVAILABLE, type Scope } from "./scope.ts";

const MISSING_RETRY_MS = 30_000;

/** The certificates of the cluster as files of a control plane. Waits while one is missing. */
export async function certificateFiles(scope: Scope): Promise<readonly YamlValue[]> {
  const { clusterConfiguration = {} } = scope.config.spec;
  const files: YamlValue[] = [];
  for (const required of requiredCertificates(clusterConfiguration))
    files.push(...(await filesOf(scope, required)));
  scope.context.setCondition({ type: CERTIFICATES_AVAILABLE, status: "True", reason: "Available" });
  return files;
}

async function filesOf(scope: Scope, required: RequiredCertificate): Promise<readonly YamlValue[]> {
  const { context, cluster } = scope;
  const { name: clusterName, namespace } = cluster.metadata;
  const name = certificateSecretName(clusterName, required.purpose);
  const secret = await context.client.find(Secret, { name, namespace });
  const credential = secret && storedCredential(secret);
  const problem = credential
    ? storedProblem(credential, required, context.env.clock.now())
    : "does not exist yet";
  if (!credential || problem !== undefined) throw missing(scope, `Secret ${name} ${problem}`);
  const { certificateFile, keyFile } = required;
  const certificate = file(certificateFile, credential.cert, "0640");
  return keyFile === undefined ? [certificate] : [certificate, file(keyFile, credential.key, "0600")];
}

function file(path: string, content: string, permissions: string): YamlValue {
  return { path, content, owner: "root:root", permissions };
}

function missing({ context }: Scope, message: string): Error {
  const reason = "WaitingForCertificates";
  const type = CERTIFICATES_AVAILABLE;
  context.setCondition({ type, status: "False", severity: "Info", reason, message });
  return waiting(reason, message, MISSING_RETRY_MS);
}
