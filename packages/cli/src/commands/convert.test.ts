import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { run } from "../program.ts";
import { testShell } from "../shell.fixture.ts";

const root = mkdtempSync(join(tmpdir(), "capstan-convert-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const rule = (version: string, name: string): string =>
  `apiVersion: cluster.x-k8s.io/${version}\nkind: MachineDrainRule\nmetadata: {name: ${name}} # mine\n`;
const FOREIGN = "apiVersion:   v1\nkind: Secret\n";

let folder = "";
let count = 0;
beforeEach(() => {
  folder = join(root, String(count++));
  mkdirSync(join(folder, "manifests/below"), { recursive: true });
  mkdirSync(join(folder, "empty"));
  writeFileSync(join(folder, "manifests/b.yaml"), rule("v1beta1", "b"));
  writeFileSync(join(folder, "manifests/a.yml"), rule("v1beta1", "a"));
  writeFileSync(join(folder, "manifests/c.yaml"), FOREIGN);
  writeFileSync(join(folder, "manifests/notes.txt"), "not a manifest");
  writeFileSync(join(folder, "manifests/below/d.yaml"), rule("v1beta1", "d"));
});

const capstan = async (line: string) => {
  const shell = testShell({ workingFolder: folder });
  const code = await run(line.split(" "), shell);
  return { code, ...shell.written };
};
const file = (name: string): string => readFileSync(join(folder, name), "utf8");

describe("capstan convert", () => {
  test("prints the files of a folder as one stream, in order", async () => {
    expect(await capstan("convert -f manifests")).toEqual({
      code: 0,
      out: `${rule("v1beta2", "a")}---\n${rule("v1beta2", "b")}---\n${FOREIGN}`,
      err: "",
    });
  });

  test("converts down with --to v1beta1, and writes to a file with -o", async () => {
    writeFileSync(join(folder, "new.yaml"), rule("v1beta2", "a"));
    const answer = await capstan("convert -f new.yaml -f manifests/c.yaml --to v1beta1 -o out.yaml");
    expect(answer).toEqual({ code: 0, out: "", err: "" });
    expect(file("out.yaml")).toBe(`${rule("v1beta1", "a")}---\n${FOREIGN}`);
  });

  test("writes files back with --in-place, keeps their permissions and links, and leaves the others alone", async () => {
    chmodSync(join(folder, "manifests/b.yaml"), 0o664);
    writeFileSync(join(folder, "real.yaml"), rule("v1beta1", "real"));
    symlinkSync("../real.yaml", join(folder, "manifests/link.yaml"));
    const before = statSync(join(folder, "manifests/c.yaml"));
    expect(await capstan("convert -f manifests --in-place")).toEqual({
      code: 0,
      out: "manifests/a.yml: converted 1 object\nmanifests/b.yaml: converted 1 object\nmanifests/link.yaml: converted 1 object\n",
      err: "",
    });
    expect(file("manifests/b.yaml")).toBe(rule("v1beta2", "b"));
    expect(statSync(join(folder, "manifests/b.yaml")).mode & 0o777).toBe(0o664);
    expect(lstatSync(join(folder, "manifests/link.yaml")).isSymbolicLink()).toBe(true);
    expect(file("real.yaml")).toBe(rule("v1beta2", "real"));
    expect(statSync(join(folder, "manifests/c.yaml")).ino).toBe(before.ino);
    expect(file("manifests/below/d.yaml")).toBe(rule("v1beta1", "d"));
    expect(await capstan("convert -f manifests --in-place")).toEqual({
      code: 0,
      out: "",
      err: "note: nothing was converted: no object given has a version other than v1beta2\n",
    });
  });

  test("writes nothing if one file cannot be converted", async () => {
    writeFileSync(join(folder, "manifests/z.yaml"), "a: [");
    const { code, out, err } = await capstan("convert -f manifests --in-place");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/^capstan: manifests\/z\.yaml is neither YAML nor JSON: /);
    expect(file("manifests/a.yml")).toBe(rule("v1beta1", "a"));
  });

  test("says what is lost, with the file", async () => {
    const lossy =
      "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineDeployment\nmetadata: {name: w}\nspec: {progressDeadlineSeconds: 1}\n";
    writeFileSync(join(folder, "md.yaml"), lossy);
    const { code, err } = await capstan("convert -f md.yaml");
    expect([code, err]).toEqual([
      0,
      "warning: md.yaml: MachineDeployment w: spec.progressDeadlineSeconds: was dropped, because the newer version has no such field\n",
    ]);
  });
});

describe("a wrong command line", () => {
  test.each([
    ["convert -f gone.yaml", 1, "capstan: -f gone.yaml cannot be read: there is no such file\n"],
    ["convert -f empty", 1, "capstan: -f empty is a folder without files that end in .yaml, .yml or .json\n"],
    [
      "convert -f - --in-place",
      1,
      "capstan: --in-place writes files back, and standard input is not a file; name files with -f\n",
    ],
    ["convert -f manifests -o empty", 1, "capstan: empty cannot be written: it is a folder\n"],
    [
      "convert -f manifests -o gone/out.yaml",
      1,
      "capstan: gone/out.yaml cannot be written: there is no such file\n",
    ],
  ])("%s", async (line, code, err) => {
    expect(await capstan(line)).toEqual({ code, out: "", err });
  });

  test.each([
    ["convert -f a --to v1", "Allowed choices are v1beta2, v1beta1."],
    ["convert -f a -o b --in-place", "cannot be used with option"],
    ["convert a.yaml", "too many arguments"],
  ])("%s", async (line, sentence) => {
    const { code, err } = await capstan(line);
    expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
  });
});
