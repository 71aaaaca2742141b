import type { Picture } from "@capstan/page";
import { cluster } from "@capstan/runtime/testing/builders";
import { stringify } from "yaml";
import { afterEach, expect, test } from "vitest";
import { machinePoolObject, poolObject } from "../../plan/planners/pool-objects.fixture.ts";
import { PageBed, ORIGIN } from "../page.fixture.ts";

const beds: PageBed[] = [];
afterEach(() => {
  for (const bed of beds.splice(0)) bed.close();
});

const created = ({ metadata: { uid: _, ...metadata }, ...object }: ReturnType<typeof poolObject>) => ({
  ...object,
  metadata,
  status: undefined,
});
const MANIFEST = [created(poolObject()), created(machinePoolObject() as never)]
  .map((object) => stringify(object))
  .join("---\n");

async function planOf(text: string, user: "admin" | "jo" = "admin") {
  const bed = new PageBed({ user });
  beds.push(bed);
  await bed.store(cluster());
  const { path, headers } = await bed.session();
  const answer = await bed.request(`${path}/plan`, {
    method: "POST",
    body: text,
    headers: { ...headers, origin: ORIGIN, "content-type": "text/plain" },
  });
  return { status: answer.status, text: await answer.text() };
}

test("a manifest is planned by a dry run, and its machines have lanes of what is expected", async () => {
  const { status, text } = await planOf(MANIFEST);
  expect(status).toBe(200);
  const picture = JSON.parse(text) as Picture;
  expect(picture.sentence).toMatch(/^1 pool: 3 created/);
  expect(picture.text).toContain("AzureMachinePool default/pool (new)");
  expect(picture.groups).toMatchObject([{ title: "AzureMachinePool default/pool", levels: [] }]);
  const [lane] = picture.groups[0]?.lanes ?? [];
  expect(lane).toMatchObject({ name: "new machine 1", segments: [] });
  expect(lane?.forecast.map(({ phase }) => phase)).toEqual(["create", "boot"]);
});

test("a user who may not apply a manifest may not plan it, and learns why", async () => {
  const { status, text } = await planOf(MANIFEST, "jo");
  expect(status).toBe(422);
  expect(text).toMatch(/forbidden|cannot/);
  expect(text).not.toContain("    at ");
});

test.each([
  ["no manifest", "hello", 'the manifest holds "hello" where a Kubernetes object was expected'],
  ["half a file", '{"kind": "Clu', "the manifest is JSON whose end is missing"],
  ["a text that turns the line around", "kind: \u202E: [", "\\u202e"],
  [
    "nothing to plan",
    stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }),
    "nothing to plan",
  ],
])("%s is answered with a sentence", async (_, given, said) => {
  const { status, text } = await planOf(given);
  expect(status).toBe(422);
  expect(text).toContain(said);
});

test("a plan needs a login, and a page of the same origin", async () => {
  const bed = new PageBed();
  beds.push(bed);
  const { path, headers } = await bed.session();
  const ask = (own: Readonly<Record<string, string>>) =>
    bed.request(`${path}/plan`, {
      method: "POST",
      body: MANIFEST,
      headers: { "content-type": "text/plain", ...own },
    });
  expect((await ask({ origin: ORIGIN })).status).toBe(401);
  expect((await ask({ ...headers, origin: "https://evil.example" })).status).toBe(403);
  expect((await ask(headers)).status).toBe(403);
});
