import { expect } from "vitest";
import { type Behaviour, behaviour } from "../behaviour.ts";
import { expectRefusal, namesOf } from "../body.ts";
import type { Api } from "../kit.ts";

const DECKS: readonly (readonly [string, Record<string, string>])[] = [
  ["a", { deck: "upper", crew: "5" }],
  ["b", { deck: "lower" }],
  ["c", { crew: "12" }],
];

async function selected(api: Api, query: Record<string, string>): Promise<string[]> {
  const path = api.inNamespace("configmaps");
  for (const [name, labels] of DECKS) await api.create(path, { metadata: { name, labels } });
  return namesOf((await api.get(path, { query })).body);
}

const byLabel = (labelSelector: string, names: readonly string[]): Behaviour =>
  behaviour(
    `the label selector ${JSON.stringify(labelSelector)} selects ${names.join(" and ") || "nothing"}`,
    async (api) => {
      expect(await selected(api, { labelSelector })).toEqual(names);
    },
  );

const refused = (query: Record<string, string>, message: string | RegExp): Behaviour =>
  behaviour(`the selector ${JSON.stringify(Object.values(query)[0])} is refused`, async (api) => {
    expectRefusal(await api.get(api.inNamespace("configmaps"), { query }), {
      code: 400,
      reason: "BadRequest",
      message,
    });
  });

/** What label and field selectors select, and which are refused. */
export const selectorBehaviours: readonly Behaviour[] = [
  byLabel("deck=upper", ["a"]),
  byLabel("deck==lower", ["b"]),
  byLabel("deck!=upper", ["b", "c"]),
  byLabel("deck", ["a", "b"]),
  byLabel("!deck", ["c"]),
  byLabel("deck in (upper, lower)", ["a", "b"]),
  byLabel("deck notin (upper)", ["b", "c"]),
  byLabel("crew>7", ["c"]),
  byLabel("crew<7,deck=upper", ["a"]),
  byLabel("deck=", []),
  byLabel("", ["a", "b", "c"]),
  refused(
    { labelSelector: "a b" },
    "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
  ),
  refused(
    { labelSelector: "deck in upper" },
    /^unable to parse requirement: found 'upper',? expected: '\('$/,
  ),
  refused({ labelSelector: "deck=a b" }, /^found 'b', expected: ',' or 'end of string'$/),
  refused({ labelSelector: "-deck=a" }, /^unable to parse requirement: <nil>: Invalid value: "-deck": /),
  refused(
    { fieldSelector: "data.a=b" },
    '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
  ),
  refused({ fieldSelector: "nonsense" }, "invalid selector: 'nonsense'; can't understand 'nonsense'"),

  behaviour("a field selector selects by name", async (api) => {
    expect(await selected(api, { fieldSelector: "metadata.name=b" })).toEqual(["b"]);
  }),

  behaviour("a field selector may exclude a name", async (api) => {
    expect(
      await selected(api, { fieldSelector: `metadata.name!=b,metadata.namespace=${api.namespace}` }),
    ).toEqual(["a", "c"]);
  }),

  behaviour("a label and a field selector must both hold", async (api) => {
    const query = { fieldSelector: "metadata.name!=a", labelSelector: "deck" };
    expect(await selected(api, query)).toEqual(["b"]);
  }),

  behaviour("pods can be selected by node and phase", async (api) => {
    for (const [name, nodeName] of [
      ["a", "here"],
      ["b", "there"],
    ])
      await api.create(api.inNamespace("pods"), {
        metadata: { name },
        spec: { nodeName, containers: [{ name: "main", image: "x" }] },
      });
    const query = { fieldSelector: "spec.nodeName=here,status.phase=Pending" };
    expect(namesOf((await api.get(api.inNamespace("pods"), { query })).body)).toEqual(["a"]);
  }),

  behaviour("a selectable field of a custom kind can be selected by", async (api) => {
    const boats = await api.customKind({
      properties: { spec: { type: "object", properties: { colour: { type: "string" } } } },
      version: { selectableFields: [{ jsonPath: ".spec.colour" }] },
    });
    for (const [name, colour] of [
      ["a", "red"],
      ["b", "blue"],
    ])
      await api.create(boats.path(), boats.object(name ?? "", { spec: { colour } }));
    const query = { fieldSelector: "spec.colour=blue" };
    expect(namesOf((await api.get(boats.path(), { query })).body)).toEqual(["b"]);
  }),
];
