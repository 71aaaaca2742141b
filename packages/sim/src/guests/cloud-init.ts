import { gunzipSync } from "node:zlib";
import { deepFreeze, isJsonObject, parseYaml, YamlError } from "@capstan/api";
import { GuestFault } from "./failure.ts";

// Azure's limit for custom data.
const LONGEST_CUSTOM_DATA = 64 * 1024;

/** A file that cloud-init writes. */
export interface GuestFile {
  readonly path: string;
  readonly content: string;
}

/** The relevant parts of a cloud-config: the files, and the commands in execution order, each as one line. */
export interface CloudConfig {
  readonly files: readonly GuestFile[];
  readonly commands: readonly string[];
}

/** The instance metadata for templates. */
export interface Metadata {
  readonly hostname: string;
  readonly instanceId: string;
  readonly region: string;
}

type JsonObject = Readonly<Record<string, unknown>>;

// Custom data is at most 64 KiB; unpacked, no reasonable data is larger than this.
const LARGEST_UNPACKED = 1024 * 1024;

/**
 * Parses custom data as cloud-init does, base64 or text; undefined when it is empty. Throws a GuestFault when it is invalid.
 */
export function readCustomData(customData = "", metadata: Metadata): CloudConfig | undefined {
  if (customData.trim() === "") return undefined;
  return cloudConfigIn(rendered(decoded(customData), metadata));
}

// The machines of a pool often share one text, and parsing YAML is most of the cost of a start.
const known = new Map<string, CloudConfig>();
const MOST_KNOWN = 32;

function cloudConfigIn(text: string): CloudConfig {
  const before = known.get(text);
  if (before) return before;
  const fields = fieldsIn(text);
  const files = listAt(fields, "write_files").map(fileOf);
  const cloudConfig: CloudConfig = deepFreeze({ files, commands: commandsOf(fields) });
  if (known.size === MOST_KNOWN) known.clear();
  known.set(text, cloudConfig);
  return cloudConfig;
}

function decoded(customData: string): string {
  if (customData.startsWith("#")) return customData;
  if (!/^[A-Za-z0-9+/\s]+=*\s*$/.test(customData)) {
    throw new GuestFault(
      "NotCloudInit",
      `custom data starts with ${excerpt(customData)} and is neither base64 nor text that starts with "#cloud-config"`,
    );
  }
  return textOf(Buffer.from(customData, "base64"), "custom data");
}

/** The text of bytes that may be gzip, which cloud-init detects. */
function textOf(bytes: Buffer, what: string): string {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.toString("utf8");
  try {
    return gunzipSync(bytes, { maxOutputLength: LARGEST_UNPACKED }).toString("utf8");
  } catch (error) {
    throw new GuestFault("NotCloudInit", `${what} cannot be unpacked: ${(error as Error).message}`);
  }
}

/** Replaces the expressions of a template; guests do not support the rest of Jinja. */
function rendered(text: string, metadata: Metadata): string {
  const [first = "", ...rest] = text.split("\n");
  if (!/^##\s*template:\s*jinja\s*$/.test(first)) return text;
  const body = rest.join("\n");
  if (body.includes("{%"))
    throw new GuestFault("BadTemplate", "the template has {% … %}; guests only know {{ … }}");
  return body.replaceAll(/\{\{\s*(.+?)\s*\}\}/g, (_, expression: string) => {
    const value = templateValue(expression, metadata);
    if (value === undefined) {
      throw new GuestFault("BadTemplate", `the template has {{ ${expression} }}, which has no value here`);
    }
    return value;
  });
}

function templateValue(expression: string, { hostname, instanceId, region }: Metadata): string | undefined {
  const path = expression.replaceAll(/\[\s*["']([^"']+)["']\s*\]/g, ".$1");
  const name = /^(?:ds\.meta_data\.|v1\.)?(\w+)$/.exec(path)?.[1];
  const values: Readonly<Record<string, string>> = {
    local_hostname: hostname,
    hostname,
    instance_id: instanceId,
    region,
  };
  return name === undefined || !Object.hasOwn(values, name) ? undefined : values[name];
}

function fieldsIn(text: string): JsonObject {
  if (!/^#cloud-config\s*(\n|$)/.test(text)) {
    throw new GuestFault(
      "NotCloudInit",
      `custom data starts with ${excerpt(text)}; guests understand only "#cloud-config"`,
    );
  }
  const value = yamlOf(text);
  if (!isJsonObject(value))
    throw new GuestFault("BadCloudConfig", "the cloud-config must be a map of fields");
  return value;
}

function yamlOf(text: string): unknown {
  try {
    return parseYaml(text, LONGEST_CUSTOM_DATA);
  } catch (error) {
    if (error instanceof YamlError)
      throw new GuestFault("BadCloudConfig", `the cloud-config ${error.message}`);
    throw error;
  }
}

function listAt(config: JsonObject, field: string): readonly unknown[] {
  const value = config[field] ?? [];
  if (!Array.isArray(value)) {
    throw new GuestFault("BadCloudConfig", `${field}: ${JSON.stringify(value)}: must be a list`);
  }
  return value;
}

function fileOf(entry: unknown, index: number): GuestFile {
  const { path, content = "", encoding = "text/plain" } = isJsonObject(entry) ? entry : {};
  const place = `write_files[${index}]`;
  if (typeof path !== "string" || !path.startsWith("/")) {
    throw new GuestFault(
      "BadCloudConfig",
      `${place}.path: ${JSON.stringify(path) ?? "nothing"}: must be a path from the root`,
    );
  }
  if (typeof content !== "string") {
    throw new GuestFault("BadCloudConfig", `${place}.content: ${JSON.stringify(content)}: must be text`);
  }
  return { path, content: unpacked(content, String(encoding), place) };
}

function unpacked(content: string, encoding: string, place: string): string {
  if (encoding === "text/plain") return content;
  const [, packing, base] = /^(?:(gz|gzip)\+)?(b64|base64)$/.exec(encoding) ?? [];
  if (base === undefined) {
    throw new GuestFault(
      "BadCloudConfig",
      `${place}.encoding: "${encoding}": must be text/plain, b64, base64, gz+b64 or gzip+base64`,
    );
  }
  const bytes = Buffer.from(content, "base64");
  return packing === undefined ? bytes.toString("utf8") : textOf(bytes, `${place}.content`);
}

/** The commands in execution order, each as one line. */
function commandsOf(config: JsonObject): readonly string[] {
  return ["bootcmd", "runcmd"].flatMap((field) =>
    listAt(config, field).map((command, index) => {
      if (typeof command === "string") return command;
      if (Array.isArray(command)) return command.map(String).join(" ");
      throw new GuestFault(
        "BadCloudConfig",
        `${field}[${index}]: ${JSON.stringify(command)}: must be a text or a list`,
      );
    }),
  );
}

function excerpt(text: string): string {
  return JSON.stringify(text.split("\n", 1)[0]?.slice(0, 40) ?? "");
}
