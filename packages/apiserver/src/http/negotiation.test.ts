import { describe, expect, test } from "vitest";
import { namesKnownType, negotiate, parseIncludeObject } from "./negotiation.ts";

const table = (version: string): string => `application/json;as=Table;v=${version};g=meta.k8s.io`;

describe("content negotiation", () => {
  test.each([
    ["what kubectl sends", `${table("v1")},${table("v1beta1")},application/json`, "v1"],
    ["an old kubectl", `${table("v1beta1")}, application/json`, "v1beta1"],
    ["spaces", "application/json; as=Table; v=v1; g=meta.k8s.io", "v1"],
    ["any type", "*/*;as=Table;v=v1;g=meta.k8s.io", "v1"],
    ["plain JSON first", `application/json,${table("v1")}`, undefined],
    ["plain JSON with the higher quality", `${table("v1")};q=0.1,application/json;q=0.9`, undefined],
    ["a Table with the higher quality", `application/json;q=0.5,${table("v1")}`, "v1"],
    [
      "protobuf, which is not served",
      `application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json`,
      undefined,
    ],
    ["an unknown version", `${table("v2")},${table("v1")}`, "v1"],
    ["no group", "application/json;as=Table;v=v1", undefined],
    [
      "an unknown kind instead of a Table",
      "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
      undefined,
    ],
    ["anything", "*/*", undefined],
    ["nothing", "", undefined],
  ])("of a Table: %s", (_, accept, version) => {
    const form = negotiate(accept)?.form;
    expect(form?.type === "table" ? form.version : undefined).toBe(version);
  });

  test.each<[string, ReturnType<typeof negotiate>]>([
    ["", { form: { type: "object" }, encoding: "json" }],
    ["text/html, */*;q=0.1", { form: { type: "object" }, encoding: "json" }],
    ["application/yaml", { form: { type: "object" }, encoding: "yaml" }],
    ["application/vnd.kubernetes.protobuf, application/json", { form: { type: "object" }, encoding: "json" }],
    [
      "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
      { form: { type: "metadata", version: "v1" }, encoding: "json" },
    ],
    ["application/json;as=Boat;v=v1;g=meta.k8s.io", undefined],
    ["text/html", undefined],
  ])("of %j", (accept, wanted) => {
    expect(negotiate(accept)).toEqual(wanted);
  });

  test("distinguishes a type that is not served from a form that is not", () => {
    expect(namesKnownType("text/html, application/json;as=Boat")).toBe(true);
    expect(namesKnownType("text/html")).toBe(false);
  });
});

describe("includeObject", () => {
  test.each([
    ["", "Metadata"],
    ["Metadata", "Metadata"],
    ["Object", "Object"],
    ["None", "None"],
  ])("%s means %s", (value, includeObject) => {
    expect(parseIncludeObject(value)).toEqual({ includeObject });
  });

  test("names the value that it does not know", () => {
    expect(parseIncludeObject("Bogus")).toEqual({
      problem:
        "Unable to convert to Table as requested: includeObject: Invalid value: \"Bogus\": must be 'Metadata', 'Object', 'None', or empty",
    });
  });
});
