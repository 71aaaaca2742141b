import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatFieldError } from "../../values/field-error.ts";
import { type PrototypingSource, nodePrototypingOf, nodePrototypingErrors } from "./node-prototyping.ts";

const computeGallery = { gallery: "g", name: "n", version: "1.0.0" };
const GALLERY_ID =
  "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/rg/providers/Microsoft.Compute/galleries/g/images/i";

const pool = (
  image: PrototypingSource["spec"]["template"]["image"],
  more: { alias?: string; annotation?: string; ephemeral?: true } = {},
): PrototypingSource => ({
  metadata: { annotations: more.annotation === undefined ? {} : { nodeCachingInterval: more.annotation } },
  spec: {
    ...(more.alias !== undefined && { image: { nodePrototyping: { interval: more.alias } } }),
    template: {
      ...(image && { image }),
      osDisk: { osType: "Linux", ...(more.ephemeral && { diffDiskSettings: { option: "Local" } }) },
    },
  },
});
const every = (interval: string) => pool({ computeGallery, nodePrototyping: { interval } });

function withTemplate(template: object): PrototypingSource {
  const source = pool({ computeGallery });
  return { ...source, spec: { ...source.spec, template: { ...source.spec.template, ...template } } };
}

describe("nodePrototypingOf", () => {
  test("reads the fields of the first draft, in both of their spellings", () => {
    const modes = [{ interval: "2h" }, { cacheInterval: "3h" }, {}].map((nodeCachingMode) =>
      nodePrototypingOf(withTemplate({ nodeCachingMode })),
    );
    expect(modes.map((settings) => settings?.interval)).toEqual(["2h", "3h", "24h"]);
    const annotations = { nodeCachingModeInterval: "4h" };
    expect(nodePrototypingOf({ ...pool({ computeGallery }), metadata: { annotations } })?.interval).toBe(
      "4h",
    );
  });

  test("takes an empty annotation for one day, as the first draft does", () => {
    expect(nodePrototypingOf(pool({ computeGallery }, { annotation: "" }))?.interval).toBe("24h");
  });

  test("is off by default", () => {
    expect(nodePrototypingOf(pool({ computeGallery }))).toBeUndefined();
  });

  test("reads the template first, then the two older fields", () => {
    const both = { alias: "2h", annotation: "3h" };
    const intervals = [
      pool({ computeGallery, nodePrototyping: { interval: "1h" } }, both),
      pool({ computeGallery }, both),
      pool({ computeGallery }, { annotation: "3h" }),
    ].map((source) => nodePrototypingOf(source)?.interval);
    expect(intervals).toEqual(["1h", "2h", "3h"]);
  });

  test("rolls no node by default", () => {
    expect(nodePrototypingOf(every("1h"))).toEqual({
      interval: "1h",
      rolloutPolicy: "None",
      canary: "Enabled",
      promotion: "Status",
      rollbackWindow: "2h",
    });
  });
});

describe("validateNodePrototyping", () => {
  const PATH = "spec.template.image.nodePrototyping";

  test.each([
    every("24h"),
    every("10m"),
    pool({ id: GALLERY_ID, nodePrototyping: { interval: "24h" } }),
    pool(undefined),
  ])("accepts %j", (source) => {
    expect(nodePrototypingErrors(source)).toEqual([]);
  });

  test.each<[PrototypingSource, string]>([
    [every("9m59s"), `${PATH}.interval: Invalid value: "9m59s": must be at least 10m`],
    [every("-24h"), `${PATH}.interval: Invalid value: "-24h": must be at least 10m`],
    [every("0"), `${PATH}.interval: Invalid value: "0": must be at least 10m`],
    [
      every("1d"),
      `${PATH}.interval: Invalid value: "1d": time: unknown unit "d" in duration "1d"; use numbers with a unit of ns, us, ms, s, m or h, such as 1h30m`,
    ],
    [every("9000h"), `${PATH}.interval: Invalid value: "9000h": must be at most 8760h, a year`],
    [
      pool({
        computeGallery,
        nodePrototyping: { interval: "24h", window: { start: "24:00", duration: "1h" } },
      }),
      `${PATH}.window.start: Invalid value: "24:00": must be a time of day such as 22:00`,
    ],
    [
      pool({
        computeGallery,
        nodePrototyping: { interval: "24h", window: { start: "22:00", duration: "25h" } },
      }),
      `${PATH}.window.duration: Invalid value: "25h": must be longer than 0 and at most 24h`,
    ],
    [
      pool({
        computeGallery,
        nodePrototyping: { interval: "24h", window: { start: "22:00", duration: "1h", timeZone: "Mars" } },
      }),
      `${PATH}.window.timeZone: Invalid value: "Mars": must be the IANA name of a time zone, such as Europe/Berlin`,
    ],
    [
      withTemplate({ image: { computeGallery }, nodeCachingMode: { cacheInterval: "1m" } }),
      'spec.template.nodeCachingMode.cacheInterval: Invalid value: "1m": must be at least 10m',
    ],
    [
      withTemplate({
        image: { computeGallery, nodePrototyping: { interval: "24h" } },
        osDisk: { osType: "Windows", diskSizeGB: 30 },
      }),
      `spec.template.osDisk.osType: Invalid value: "Windows": ${PATH} takes images of Linux nodes only; use Linux`,
    ],
    [
      pool({ computeGallery }, { alias: "1m" }),
      'spec.image.nodePrototyping.interval: Invalid value: "1m": must be at least 10m',
    ],
    [
      pool({ computeGallery }, { annotation: "1m" }),
      'metadata.annotations[nodeCachingInterval]: Invalid value: "1m": must be at least 10m',
    ],
    [
      pool({ id: "/images/mine", nodePrototyping: { interval: "24h" } }),
      `spec.template.image.computeGallery: Required value: ${PATH} needs a gallery image`,
    ],
    [
      pool({
        marketplace: { publisher: "p", offer: "o", sku: "s", version: "1.0.0" },
        nodePrototyping: { interval: "24h" },
      }),
      `spec.template.image.computeGallery: Required value: ${PATH} needs a gallery image`,
    ],
    [
      pool(undefined, { annotation: "24h" }),
      "spec.template.image.computeGallery: Required value: metadata.annotations[nodeCachingInterval] needs a gallery image",
    ],
    [
      pool({ computeGallery, nodePrototyping: { interval: "24h" } }, { ephemeral: true }),
      `spec.template.osDisk.diffDiskSettings: Invalid value: {"option":"Local"}: ${PATH} cannot take an image of an ephemeral disk; remove one of the two`,
    ],
  ])("rejects %j", (source, message) => {
    expect(nodePrototypingErrors(source).map(formatFieldError)).toEqual([message]);
  });

  test("accepts any text as an interval without failing, and accepts only 10m and more", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.nat(2000).map((minutes) => `${minutes}m`),
        ),
        (interval) => {
          const minutes = /^(\d+)m$/.exec(interval)?.[1];
          const accepted = nodePrototypingErrors(every(interval)).length === 0;
          if (minutes !== undefined) {
            expect(accepted).toBe(Number(minutes) >= 10);
          }
        },
      ),
    );
  });
});
