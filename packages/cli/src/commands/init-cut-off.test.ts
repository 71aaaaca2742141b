import { CustomResourceDefinition, customKinds } from "@capstan/api";
import { builtInKinds, createApiServer } from "@capstan/apiserver";
import { createRealEnv, type HttpRequest, TransportError } from "@capstan/env";
import { type Client, createClient } from "@capstan/runtime";
import { expect, test } from "vitest";
import { inProcess } from "../cluster/transport.ts";
import { kindFor } from "../install/apply.ts";
import { inOrder, installation } from "../install/installation.ts";
import { selectionOf } from "../install/names.ts";
import { install } from "./init.ts";

const env = createRealEnv();
const selection = selectionOf(["azure"]);
const manifests = inOrder(installation("capstan:test", selection));
const options = { takeOver: false, image: "capstan:test", selection };
/** The kinds of an installation that the embedded server does not have. */
const others = manifests
  .map(kindFor)
  .filter((kind) => !builtInKinds.some((one) => one.group === kind.group && one.plural === kind.plural))
  .filter((kind, index, all) => all.findIndex(({ plural }) => plural === kind.plural) === index);

/** A management cluster whose connection breaks with a write. */
function management() {
  const { handle } = createApiServer({ env, kinds: [...builtInKinds, ...others], rules: customKinds });
  let left = Infinity;
  let writes = 0;
  const transport = inProcess((request: HttpRequest) => {
    // A question about permissions stores nothing, and neither does a trial.
    const isRead = request.method === "GET" || /selfsubjectaccessreviews|dryRun=All/.test(request.path);
    if (isRead) return handle(request);
    if (left-- <= 0) return Promise.reject(new TransportError("reset", "the connection was cut off"));
    writes++;
    return handle(request);
  });
  return {
    client: createClient({ env, transport: inProcess(handle), fieldManager: "test" }),
    init: async (cutAfter = Infinity): Promise<number> => {
      [left, writes] = [cutAfter, 0];
      await install({ env, transport, say: () => undefined }, options);
      return writes;
    },
  };
}

/** The specs of all CRDs, and whether each other object exists. */
async function stateOf(client: Client): Promise<unknown> {
  const definitions = await client.list(CustomResourceDefinition);
  const found = await Promise.all(manifests.map((one) => client.find(kindFor(one), one.metadata)));
  return {
    definitions: definitions.map(({ metadata, spec }) => [metadata.name, metadata.labels, spec]),
    found: found.map((one) => one !== undefined),
  };
}

// Writes of one kind follow each other, so every third one meets all kinds.
const STRIDE = 3;

test("an init that was cut off at one of its writes is finished by the next one", async () => {
  const whole = management();
  const count = await whole.init();
  const expected = await stateOf(whole.client);
  expect(count).toBeGreaterThan(20);
  for (let cutAfter = 0; cutAfter < count; cutAfter += STRIDE) {
    const { client, init } = management();
    await expect(init(cutAfter), `cut off after ${cutAfter} writes`).rejects.toThrow("cut off");
    await init();
    expect(await stateOf(client), `cut off after ${cutAfter} writes`).toEqual(expected);
  }
});
