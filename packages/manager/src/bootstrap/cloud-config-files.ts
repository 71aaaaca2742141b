import { isUtf8 } from "node:buffer";
import type { Frozen, KubeadmConfig } from "@capstan/api";
import { type SecretValues, valueIn } from "./secret-values.ts";
import type { YamlValue } from "./yaml-text.ts";

type File = NonNullable<Frozen<KubeadmConfig>["spec"]["files"]>[number];

/** A file that cloud-init writes. */
export function writtenFile(file: File, values: SecretValues): YamlValue {
  const { path, owner, permissions, append } = file;
  return { path, ...contentOf(file, values), owner, permissions, append: append || undefined };
}

/** A file of Capstan, which only root can read. */
export function rootFile(path: string, content: string): YamlValue {
  return { path, content, owner: "root:root", permissions: "0640" };
}

interface Content {
  readonly encoding: string | undefined;
  readonly content: string;
}

function contentOf({ content = "", contentFrom, encoding }: File, values: SecretValues): Content {
  if (!contentFrom) return { encoding, content };
  const bytes = Buffer.from(valueIn(values, contentFrom.secret));
  if (isUtf8(bytes)) return { encoding, content: bytes.toString("utf8") };
  // A Secret may contain bytes, and a cloud-config only text.
  const packed = encoding?.startsWith("gzip") ? "gzip+base64" : "base64";
  return { encoding: packed, content: bytes.toString("base64") };
}
