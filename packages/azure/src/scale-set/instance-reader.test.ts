import { describe, expect, test } from "vitest";
import { readPage } from "../arm/page.ts";
import { SCALE_SET } from "../azure.fixture.ts";
import { InstanceReader, type ReadInstances } from "./instance-reader.ts";

const item = (id: number, properties: object = { provisioningState: "Succeeded" }): object => ({
  id: `${SCALE_SET}/virtualMachines/${id}`,
  instanceId: String(id),
  properties,
});

/** Reads a list of one page, and returns how many of its items were parsed. */
function read(
  value: readonly object[],
  before?: ReadInstances,
  indent?: number,
): [ReadInstances, parsed: number] {
  const reader = new InstanceReader(before);
  let parsed = 0;
  readPage(JSON.stringify({ value }, null, indent), {
    recognize: reader.recognize,
    take: (one, text) => {
      parsed++;
      reader.take(one, text);
    },
  });
  return [reader.end(), parsed];
}

const ids = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

describe("a reader of instances", () => {
  test.each([undefined, 2])("parses no item that the previous list had (indented by %s)", (indent) => {
    const [before] = read(
      ids(0, 120).map((id) => item(id)),
      undefined,
      indent,
    );
    const [after, parsed] = read(
      ids(0, 120).map((id) => item(id)),
      before,
      indent,
    );
    expect(parsed).toBe(0);
    expect(after.instances).toEqual(before.instances);
    expect(after.instances.every((one, index) => one === before.instances[index])).toBe(true);
    expect(after.items).toBe(120);
  });

  test("parses items that are new, have changed or have another text", () => {
    const [before] = read(ids(0, 20).map((id) => item(id)));
    const changed = item(7, { provisioningState: "Deleting" });
    const listed = [...ids(3, 7).map((id) => item(id)), changed, ...ids(8, 21).map((id) => item(id))];
    const [after, parsed] = read(listed, before);
    expect(parsed).toBe(2);
    expect(after.instances.map(({ instanceID }) => instanceID)).toEqual(ids(3, 21).map(String));
    expect(after.instances[4]?.provisioningState).toBe("Deleting");
    expect(after.byID.get("7")).toBe(after.instances[4]);
    const [again, parsedAgain] = read(listed, after);
    expect(parsedAgain).toBe(0);
    expect(again.instances[4]).toBe(after.instances[4]);
  });

  test("keeps an unchanged instance that has another text", () => {
    const [before] = read([item(1)]);
    const [after, parsed] = read([{ tags: { other: "one" }, ...item(1) }], before);
    expect(parsed).toBe(1);
    expect(after.instances[0]).toBe(before.instances[0]);
  });

  test("distinguishes instances whose texts have the same length", () => {
    const [before] = read([item(1), item(2)]);
    const [after] = read([item(2), item(3)], before);
    expect(after.instances.map(({ instanceID }) => instanceID)).toEqual(["2", "3"]);
  });

  test("counts items that are not instances, because Azure charges for them", () => {
    const [before] = read([item(1), {}]);
    expect(before).toMatchObject({ items: 2, instances: [{ instanceID: "1" }] });
  });
});
