/** A data directory as text, and back: one file of JSON lines for each of its databases. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isJsonObject, type JsonObject } from "@capstan/api";
import { openSqliteStore } from "@capstan/azure-sim";
import { SqliteFile } from "../../packages/apiserver/src/storage/sqlite-file.ts";
import { keyFiller, keyHider } from "./private-keys.ts";

/** One stored object of a cluster. */
export interface ObjectRow {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly body: JsonObject;
}

const AZURE = "azure.jsonl";
const LINES = ".jsonl";

/** Writes the databases of a data directory that no process holds as text, without private keys. */
export function writeRows(dataDir: string, folder: string): void {
  const clusters = readdirSync(join(dataDir, "clusters")).toSorted();
  const store = openSqliteStore(join(dataDir, "azure"));
  const saved = store.load();
  if (!saved) throw new TypeError(`${dataDir} has no simulated Azure`);
  const files = new Map<string, readonly unknown[]>(
    clusters.map((name) => {
      const rows = storedRows(join(dataDir, "clusters", name, "objects.db"));
      return [`${name}${LINES}`, rows.filter(isKept).map(slim)];
    }),
  );
  const azure = [...saved.rows];
  const hide = keyHider([...files.values(), azure].flat());
  mkdirSync(folder, { recursive: true });
  for (const [name, rows] of files) writeLines(join(folder, name), rows.map(hide));
  writeLines(join(folder, AZURE), [{ position: saved.position }, ...azure.map(hide)]);
  store.close();
}

/** The stored objects of a cluster in a fixture, with fresh private keys. */
export function readObjects(folder: string, cluster: string): readonly ObjectRow[] {
  const fill = keyFiller();
  return readLines(join(folder, `${cluster}${LINES}`)).map((line) => fill(line) as ObjectRow);
}

/** How a data directory is made from a fixture. */
export interface LoadOptions {
  readonly dataDir: string;
  /** The machine's time: the clock of the directory goes on from where the fixture was made. */
  readonly nowMs: number;
  readonly speed?: number;
}

/** Makes a data directory from a fixture. Authorities and addresses are new, as after a move to another machine. */
export function loadRows(folder: string, { dataDir, nowMs, speed = 1 }: LoadOptions): void {
  const fill = keyFiller();
  mkdirSync(join(dataDir, "clusters"), { recursive: true, mode: 0o700 });
  writeFileSync(join(dataDir, "format"), "1\n");
  const files = readdirSync(folder).filter((file) => file.endsWith(LINES) && file !== AZURE);
  for (const file of files) {
    const cluster = join(dataDir, "clusters", basename(file, LINES));
    mkdirSync(cluster, { recursive: true, mode: 0o700 });
    storeRows(
      join(cluster, "objects.db"),
      readLines(join(folder, file)).map((line) => fill(line) as ObjectRow),
    );
  }
  const simMs = loadAzure(join(folder, AZURE), join(dataDir, "azure"), fill);
  writeFileSync(join(dataDir, "clock.json"), JSON.stringify({ wallMs: nowMs, simMs, speed }));
}

function loadAzure(file: string, folder: string, fill: (value: unknown) => unknown): number {
  const [first, ...rows] = readLines(file);
  const { position } = first as { position: Parameters<Store["commit"]>[0]["position"] };
  const store = openSqliteStore(folder);
  store.commit({
    rows: rows.map((row) => fill(row) as Parameters<Store["commit"]>[0]["rows"][number]),
    journal: [],
    position,
  });
  store.close();
  return position.simMs;
}

type Store = ReturnType<typeof openSqliteStore>;

function storedRows(path: string): readonly ObjectRow[] {
  const file = new SqliteFile(path);
  const rows = [...file.read().objects].map(([key, unread]) => ({
    ...key,
    body: JSON.parse(unread.text) as JsonObject,
  }));
  file.close();
  return rows.toSorted((left, right) => versionOf(left) - versionOf(right));
}

function storeRows(path: string, rows: readonly ObjectRow[]): void {
  const file = new SqliteFile(path);
  file.commit(
    rows.map((row) => {
      const { resource, namespace, name, body } = row;
      return { key: { resource, namespace, name }, version: versionOf(row), body: JSON.stringify(body) };
    }),
  );
  file.close();
}

function versionOf({ body }: ObjectRow): number {
  const { metadata } = body;
  return Number(isJsonObject(metadata) ? metadata["resourceVersion"] : 0);
}

/** Events end after an hour, and no controller reads them. */
function isKept({ resource }: ObjectRow): boolean {
  return resource !== "/events";
}

/** A CRD without its schemas, which are most of its text: a start brings them up to date before it reads an object. */
function slim(row: ObjectRow): ObjectRow {
  const { spec } = row.body;
  if (!row.resource.endsWith("/customresourcedefinitions") || !isJsonObject(spec)) return row;
  const versions = (spec["versions"] as JsonObject[]).map(({ additionalPrinterColumns: _, ...version }) => ({
    ...version,
    schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
  }));
  return { ...row, body: { ...row.body, spec: { ...spec, versions } } };
}

function writeLines(path: string, lines: readonly unknown[]): void {
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

function readLines(path: string): readonly unknown[] {
  const text = readFileSync(path, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
}
