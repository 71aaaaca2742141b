import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { FEATURE_NAMES } from "@capstan/api";
import { run } from "./program.ts";
import { testShell } from "./shell.fixture.ts";

const root = mkdtempSync(join(tmpdir(), "capstan-program-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder = "";
let count = 0;
beforeEach(() => {
  folder = join(root, String(count++));
  mkdirSync(folder);
});

const capstan = async (args: readonly string[], variables: Record<string, string> = {}) => {
  const shell = testShell({ workingFolder: folder, variables });
  const code = await run(args, shell);
  return { code, ...shell.written };
};

describe("a command line", () => {
  test.each([
    [["upp"], "error: unknown command 'upp'\n(Did you mean up?)"],
    [["status", "--otput", "json"], "error: unknown option '--otput'\n(Did you mean --output?)"],
    [["status", "-o", "xml"], "argument 'xml' is invalid. Allowed choices are json, yaml, wide."],
    [
      ["up", "--port", "x"],
      "argument 'x' is invalid. Expected a number from 0 to 65535; 0 picks a free port.",
    ],
    [["up", "--port", "65536"], "Expected a number from 0 to 65535"],
    [["up", "--port", "-1"], "Expected a number from 0 to 65535"],
    [["up", "--port", "1e3"], "Expected a number from 0 to 65535"],
    [["up", "extra"], "too many arguments"],
    [["get", "nonsense"], "unknown command 'nonsense'"],
    [["get"], "kubeconfig"],
    [["rollout"], "restart"],
    [["rollout", "status"], "missing required argument 'pool'"],
    [["rollout", "status", "mp", "--watch=maybe"], "unknown option '--watch=maybe'"],
    [["rollout", "status", "mp", "--timeout", "soon"], "Expected a duration above 0"],
    ...["status", "watch", "pause", "resume", "restart"].map((verb): [string[], string] => [
      ["rollout", verb, ""],
      "value '' is invalid for argument 'pool'. Expected a name, such as workers; this one is empty.",
    ]),
    [["describe", "quay"], "(Did you mean describe cluster quay?)"],
    [["rollout", "status"], "(capstan rollout status --help lists the flags)"],
    [["help", "rollout", "stauts"], "capstan rollout has no command 'stauts': there are status, watch"],
    [["completion", "powershell"], "Allowed choices are bash, zsh, fish."],
    [["describe", "cluster", ""], "value '' is invalid for argument 'name'. Expected a name"],
    [["get", "clusters", "-n", ""], "argument '' is invalid. Expected a name"],
    [[], "Examples:"],
  ])("%j that is invalid ends with 2 and says why", async (args, message) => {
    const { code, out, err } = await capstan(args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
  });

  test.each([
    [["--help"], "Exit codes:"],
    [["up", "--help"], "--port <number>"],
    [["get", "kubeconfig", "--help"], "[cluster]"],
    [["plan", "--help"], "2   machines would be deleted or updated in place"],
    [["rollout", "watch", "--help"], "until Ctrl-C"],
    [["help"], "Exit codes:"],
    [["help", "rollout", "watch"], "until Ctrl-C"],
  ])("%j prints help and ends with 0", async (args, message) => {
    const { code, out, err } = await capstan(args);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(message);
  });

  test("of an invalid plan ends with 1, because 2 means that a change disrupts", async () => {
    expect(await capstan(["plan", "--fast"])).toMatchObject({ code: 1, out: "" });
    const { code, err } = await capstan(["plan", "-f", ""]);
    expect([code, err]).toEqual([1, expect.stringContaining("argument '' is invalid. Expected a name")]);
  });

  test("takes its data directory from the option, then the variable, then the default", async () => {
    const where = async (args: string[], variables: Record<string, string>): Promise<string> =>
      (await capstan(["down", ...args], variables)).out;
    expect(await where([], {})).toBe(`nothing is running in ${folder}/.capstan\n`);
    expect(await where([], { CAPSTAN_DATA_DIR: "a" })).toBe(`nothing is running in ${folder}/a\n`);
    expect(await where(["--data-dir", "/b/c"], { CAPSTAN_DATA_DIR: "a" })).toBe(
      "nothing is running in /b/c\n",
    );
  });
});

describe("a directory that is not Capstan's", () => {
  test.each(["up", "down", "status"])("is refused by %s and not changed", async (verb) => {
    writeFileSync(join(folder, "thesis.tex"), "");
    mkdirSync(join(folder, "clusters"));
    const { code, out, err } = await capstan([verb, "--data-dir", "."]);
    expect([code, out, err]).toEqual([
      1,
      "",
      `capstan: ${folder} holds files that are not Capstan's (thesis.tex); choose another with --data-dir\n`,
    ]);
    expect(readdirSync(folder).toSorted()).toEqual(["clusters", "thesis.tex"]);
  });

  test.each(["0", "x", "", "1.5"])("has a format that is not one of Capstan's numbers: %j", async (text) => {
    writeFileSync(join(folder, "format"), text);
    const { code, err } = await capstan(["up", "--data-dir", "."]);
    expect([code, err]).toEqual([1, expect.stringContaining("expected a number")]);
  });
});

describe("an impossible data directory", () => {
  test("is a file, or something below one", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "mine");
    expect(await capstan(["up", "--data-dir", file])).toEqual({
      code: 1,
      out: "",
      err: `capstan: ${file} is a file; choose a folder with --data-dir\n`,
    });
    expect((await capstan(["up", "--data-dir", join(file, "below")])).err).toBe(
      `capstan: ${file}/below is not a folder, or a part of its path is not; choose another with --data-dir\n`,
    );
    expect(readFileSync(file, "utf8")).toBe("mine");
  });

  test.each(["up", "down", "status"])(
    "is one that a newer Capstan wrote: %s leaves it alone",
    async (verb) => {
      writeFileSync(join(folder, "format"), "2\n");
      writeFileSync(join(folder, "new-thing"), "");
      const { code, err } = await capstan([verb, "--data-dir", "."]);
      expect([code, err]).toEqual([
        1,
        `capstan: ${folder} was written by a newer Capstan (format 2, this one knows 1); use that version, or choose another with --data-dir\n`,
      ]);
      expect(readdirSync(folder).toSorted()).toEqual(["format", "new-thing"]);
    },
  );

  test.each(["clusters/management/objects.db", "azure/azure.db"])(
    "has a newer format in %s: the message names the file",
    async (file) => {
      const path = join(folder, file);
      mkdirSync(dirname(path), { recursive: true });
      const database = new DatabaseSync(path);
      database.exec("PRAGMA user_version = 99");
      database.close();
      const { code, err } = await capstan(["up", "--port", "0", "--data-dir", "."]);
      expect([code, err]).toEqual([
        1,
        expect.stringContaining(`capstan: ${path} was written by a newer Capstan (format 99,`),
      ]);
    },
  );
});

describe("get kubeconfig", () => {
  test("prints the file of the cluster, and lists the existing ones for a missing one", async () => {
    mkdirSync(join(folder, "clusters/east"), { recursive: true });
    mkdirSync(join(folder, "clusters/management"));
    mkdirSync(join(folder, "clusters/unfinished"));
    writeFileSync(join(folder, "kubeconfig"), "management's\n");
    writeFileSync(join(folder, "clusters/east/kubeconfig"), "east's\n");
    const get = (...args: string[]) => capstan(["get", "kubeconfig", ...args, "--data-dir", "."]);
    expect(await get()).toEqual({ code: 0, out: "management's\n", err: "" });
    expect(await get("east")).toEqual({ code: 0, out: "east's\n", err: "" });
    for (const [name, near] of [
      ["west", "did you mean east? "],
      ["unfinished", ""],
      ["../management", "did you mean management? "],
    ]) {
      expect(await get(name ?? "")).toEqual({
        code: 1,
        out: "",
        err: `capstan: there is no cluster ${JSON.stringify(name)} in ${folder}; ${near}existing: east, management\n`,
      });
    }
  });

  test("calls an AKS cluster by its name in Azure, as status does, unless another cluster has that name", async () => {
    const aks = (name: string, digit: string) => `clusters/aks--${name}-${digit.repeat(16)}`;
    const saved = ["clusters/dock", aks("harbor", "1"), aks("dock", "1"), aks("twin", "1"), aks("twin", "2")];
    for (const cluster of saved) {
      mkdirSync(join(folder, cluster), { recursive: true });
      writeFileSync(join(folder, cluster, "kubeconfig"), "theirs\n");
    }
    const { err } = await capstan(["get", "kubeconfig", "no", "--data-dir", "."]);
    for (const text of [" dock", " harbor", "aks--dock-1111", "aks--twin-1111", "aks--twin-2222"])
      expect(err).toContain(text);
    expect(err).not.toContain("aks--harbor");
    expect((await capstan(["get", "kubeconfig", "harbor", "--data-dir", "."])).out).toBe("theirs\n");
    writeFileSync(join(folder, "format"), "1\n");
    const { out } = await capstan(["status", "--data-dir", "."]);
    expect(out).toMatch(/^harbor /m);
  });

  test("reports how to begin where no data exists", async () => {
    expect(await capstan(["get", "kubeconfig"])).toEqual({
      code: 1,
      out: "",
      err: `capstan: ${folder}/.capstan has no clusters yet; start with: capstan up\n`,
    });
  });
});

describe("status and version", () => {
  test("of nothing", async () => {
    expect(await capstan(["status"])).toEqual({
      code: 3,
      out: `status           not running; start it with: capstan up --data-dir ${folder}/.capstan\ndata directory   ${folder}/.capstan (0 bytes)\n`,
      err: "",
    });
    const json = await capstan(["status", "-o", "json"]);
    expect(JSON.parse(json.out)).toEqual({
      running: false,
      dataDirectory: `${folder}/.capstan`,
      sizeBytes: 0,
      clusters: [],
    });
    const yaml = await capstan(["status", "-o", "yaml"]);
    expect(yaml.out).toContain("running: false\n");
    const version = await capstan(["version"]);
    expect(version.out).toBe(`capstan   0.1.0\nnode      ${process.version}\nserver    not running\n`);
  });
});

describe("feature gates", () => {
  test.each(["up", "manager"])("of %s that do not exist are refused in one sentence", async (command) => {
    const { code, err } = await capstan([command, "--feature-gates", "TimeTravel=true"]);
    expect(code).toBe(2);
    expect(err).toBe(
      'capstan: --feature-gates: there is no feature "TimeTravel"; there is: InPlaceUpdates, NodePrototyping\n',
    );
  });

  test.each(["up", "manager"])("are all named by the help of %s", async (command) => {
    const { out } = await capstan([command, "--help"]);
    for (const feature of FEATURE_NAMES) expect(out).toContain(feature);
  });
});
