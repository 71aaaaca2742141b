import { expect } from "vitest";
import { type Behaviour, behaviour } from "../behaviour.ts";
import { expectRefusal } from "../body.ts";
import type { Answer, Api } from "../kit.ts";

const TWICE = '{"metadata":{"name":"a","name":"b"},"dataa":{"a":"b"}}';

const post = (api: Api, fieldValidation: string, body: unknown): Promise<Answer> =>
  api.post(api.inNamespace("configmaps"), body, { query: { fieldValidation } });

const SCHEMA = { properties: { spec: { type: "object", properties: { sails: { type: "integer" } } } } };

/** Unknown and duplicate fields. */
export const fieldValidationBehaviours: readonly Behaviour[] = [
  behaviour("Strict refuses unknown and duplicate fields, all in one message", async (api) => {
    expectRefusal(await post(api, "Strict", TWICE), {
      code: 400,
      reason: "BadRequest",
      message:
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "metadata.name", unknown field "dataa"',
    });
  }),

  behaviour("Warn takes the last of two and warns", async (api) => {
    const answer = await post(api, "Warn", TWICE);
    expect([answer.status, answer.body.metadata.name]).toEqual([201, "b"]);
    expect(answer.headers["warning"]).toBe(
      String.raw`299 - "duplicate field \"metadata.name\"", 299 - "unknown field \"dataa\""`,
    );
  }),

  behaviour("Ignore says nothing", async (api) => {
    const answer = await post(api, "Ignore", TWICE);
    expect([answer.status, answer.headers["warning"]]).toEqual([201, undefined]);
  }),

  behaviour("without a word unknown fields are warned about", async (api) => {
    const answer = await api.post(api.inNamespace("configmaps"), { metadata: { name: "a" }, dataa: {} });
    expect([answer.status, answer.headers["warning"]]).toEqual([
      201,
      String.raw`299 - "unknown field \"dataa\""`,
    ]);
  }),

  behaviour("another word is refused", async (api) => {
    expectRefusal(await post(api, "Wrong", { metadata: { name: "a" } }), {
      code: 422,
      reason: "Invalid",
      message:
        'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Wrong": supported values: "", "Ignore", "Strict", "Warn"',
      details: {
        group: "meta.k8s.io",
        kind: "CreateOptions",
        causes: [
          {
            reason: "FieldValueNotSupported",
            message: 'Unsupported value: "Wrong": supported values: "", "Ignore", "Strict", "Warn"',
            field: "fieldValidation",
          },
        ],
      },
    });
  }),

  behaviour("Strict refuses unknown fields of a custom object by their path", async (api) => {
    const boats = await api.customKind(SCHEMA);
    const body = boats.object("a", { spec: { sails: 1, engine: 1 }, top: 1 });
    const answer = await api.post(boats.path(), body, { query: { fieldValidation: "Strict" } });
    expectRefusal(answer, {
      code: 400,
      reason: "BadRequest",
      message:
        'Boat in version "v1" cannot be handled as a Boat: strict decoding error: unknown field "spec.engine", unknown field "top"',
    });
  }),

  behaviour("Warn prunes unknown fields of a custom object and warns", async (api) => {
    const boats = await api.customKind(SCHEMA);
    const body = boats.object("a", { spec: { sails: 1, engine: 1 } });
    const answer = await api.post(boats.path(), body, { query: { fieldValidation: "Warn" } });
    expect([answer.status, answer.body.spec]).toEqual([201, { sails: 1 }]);
    expect(answer.headers["warning"]).toBe(String.raw`299 - "unknown field \"spec.engine\""`);
  }),

  behaviour("Strict refuses duplicate fields of a custom object", async (api) => {
    const boats = await api.customKind(SCHEMA);
    const body = `{"apiVersion":"${boats.apiVersion}","kind":"Boat","metadata":{"name":"a"},"spec":{"sails":1,"sails":2}}`;
    const answer = await api.post(boats.path(), body, { query: { fieldValidation: "Strict" } });
    expectRefusal(answer, {
      code: 400,
      reason: "BadRequest",
      message:
        'Boat in version "v1" cannot be handled as a Boat: strict decoding error: duplicate field "spec.sails"',
    });
  }),

  behaviour("a duplicate field inside a list is named by its index", async (api) => {
    const boats = await api.customKind();
    const body = `{"apiVersion":"${boats.apiVersion}","kind":"Boat","metadata":{"name":"a"},"spec":{"crew":[{"name":"a"},{"name":"b","name":"c"}]}}`;
    const answer = await api.post(boats.path(), body, { query: { fieldValidation: "Strict" } });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain('duplicate field "spec.crew[1].name"');
  }),

  behaviour("Strict holds for patches too", async (api) => {
    await api.create(api.inNamespace("configmaps"), { metadata: { name: "a" } });
    const query = { fieldValidation: "Strict" };
    const answer = await api.patch(api.inNamespace("configmaps/a"), "merge", { dataa: {} }, { query });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain('strict decoding error: unknown field "dataa"');
  }),

  behaviour("field names are told apart by their case", async (api) => {
    const answer = await post(api, "Strict", { metadata: { name: "a" }, Data: { a: "b" } });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain('unknown field "Data"');
  }),
];
