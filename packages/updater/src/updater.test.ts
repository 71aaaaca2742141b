import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHttpTransport } from "@capstan/env";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { SELF_SIGNED } from "../../env/src/real/self-signed.fixture.ts";
import { defineUpdater, type Updater } from "./define-updater.ts";
import { kubeadmUpgrade, type UpgradedMachine } from "./kubeadm-upgrade/kubeadm-upgrade.ts";
import { done, failed, inProgress, isBelow } from "./messages.ts";
import { runUpdater } from "./run-updater.ts";
import { serveUpdater } from "./serve-updater.ts";
import { underTest } from "./test-kit.ts";

const resizer = (): Updater => {
  let calls = 0;
  return defineUpdater({
    name: "resizer",
    canUpdate: ({ changes }) => [
      ...changes.filter((path) => isBelow(path, "infraMachine.spec.size")),
      "machine.spec.never",
    ],
    update: ({ machine }) => {
      if (machine.name === "broken") return failed("no such size");
      return ++calls < 3 ? inProgress(0.2, "resizing") : done();
    },
  });
};

describe("an updater", () => {
  test("accepts only changes that it was asked for", async () => {
    const tested = underTest(resizer());
    expect(
      await tested.accepts([
        "infraMachine.spec.size",
        "infraMachine.spec.size.cpu",
        "infraMachine.spec.sizes",
      ]),
    ).toEqual(["infraMachine.spec.size", "infraMachine.spec.size.cpu"]);
    expect(await tested.accepts(["machine.spec.version"])).toEqual([]);
  });

  test("says why it refuses a change, and asks for a drain, in both dialects", async () => {
    const updater = defineUpdater({
      name: "careful",
      canUpdate: ({ changes }) => ({
        acceptedChanges: changes.filter((path) => isBelow(path, "infraMachine.spec.size")),
        message: "the version is not mine",
        needsDrain: true,
      }),
      update: () => done(),
    });
    const ask = async (path: string, body: object): Promise<unknown> =>
      (await updater.handle({ method: "POST", path, headers: {}, body })).json();
    const changes = ["infraMachine.spec.size", "machine.spec.version"];
    expect(await ask("/updaters.capstan.dev/v1alpha1/canupdatemachine/can-update", { changes })).toEqual({
      error: null,
      acceptedChanges: ["infraMachine.spec.size"],
      message: "the version is not mine",
      needsDrain: true,
    });
    const side = (version: string) => ({
      machine: { metadata: {}, spec: { version } },
      infrastructureMachine: { metadata: {}, spec: {} },
    });
    const path = "/hooks.runtime.cluster.x-k8s.io/v1alpha1/canupdatemachine/can-update";
    expect(await ask(path, { current: side("v1.1.0"), desired: side("v1.2.0") })).toEqual({
      apiVersion: "hooks.runtime.cluster.x-k8s.io/v1alpha1",
      kind: "CanUpdateMachineResponse",
      status: "Success",
      message: "the version is not mine",
    });
  });

  test("reports progress, its end, and failures in the form of the API", async () => {
    const tested = underTest(resizer());
    expect(await tested.update("a")).toEqual({
      error: null,
      status: "InProgress",
      tryAgain: "1s",
      message: "resizing",
    });
    expect(await tested.updateUntilDone("a")).toEqual({ error: null, status: "Done" });
    expect(await tested.update("broken")).toEqual({ error: "no such size", status: "Error" });
  });

  test("runs once for calls of one machine at the same time", async () => {
    let runs = 0;
    const updater = defineUpdater({
      name: "slow",
      canUpdate: () => [],
      update: async () => {
        runs++;
        return Promise.resolve(done());
      },
    });
    const tested = underTest(updater);
    await Promise.all([tested.update("a"), tested.update("a"), tested.update("b")]);
    expect(runs).toBe(2);
  });

  test.each([
    ["/", {}, 404],
    ["/updaters.capstan.dev/v1alpha1/updatemachine/update", "{", 400],
    ["/updaters.capstan.dev/v1alpha1/updatemachine/update", {}, 400],
    ["/updaters.capstan.dev/v1alpha1/canupdatemachine/can-update", { changes: 1 }, 400],
  ])("answers POST %s with %j by %i", async (path, body, status) => {
    expect((await resizer().handle({ method: "POST", path, headers: {}, body })).status).toBe(status);
  });

  test("that throws answers with a server error, so that Capstan calls again", async () => {
    const updater = defineUpdater({
      name: "x",
      canUpdate: () => [],
      update: () => Promise.reject(new Error("oops")),
    });
    await expect(underTest(updater).update("a")).rejects.toThrow("the updater answered 500");
  });

  test.each([{ name: "Not A Label" }, { name: "ok", timeoutSeconds: 99 }])("cannot be %j", (definition) => {
    expect(() => defineUpdater({ canUpdate: () => [], update: done, ...definition })).toThrow("must be");
  });
});

test("the printed manifests deploy an updater that may only read Machines", async () => {
  const printed: string[] = [];
  await runUpdater(resizer(), {
    args: ["deploy", "--image", "registry.example.com/resizer:1"],
    write: (text) => printed.push(text),
  });
  const documents = parseAllDocuments(printed.join("")).map(
    (one) => one.toJS() as { kind: string; rules?: unknown },
  );
  expect(documents.map(({ kind }) => kind)).toEqual([
    "Namespace",
    "ServiceAccount",
    "ClusterRole",
    "ClusterRoleBinding",
    "Issuer",
    "Certificate",
    "Deployment",
    "Service",
    "ExtensionConfig",
  ]);
  expect(documents[2]?.rules).toEqual([
    { apiGroups: ["cluster.x-k8s.io"], resources: ["machines"], verbs: ["get"] },
  ]);
});

test("an updater that requires client certificates refuses callers without one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "updater-"));
  try {
    writeFileSync(join(folder, "tls.crt"), SELF_SIGNED.cert);
    writeFileSync(join(folder, "tls.key"), SELF_SIGNED.key);
    const options = { host: "127.0.0.1", port: 0, tlsFolder: folder };
    const clientAuthorityFile = join(folder, "tls.crt");
    for (const [more, status] of [
      [{}, 200],
      [{ clientAuthorityFile }, 401],
    ] as const) {
      const server = await serveUpdater(resizer(), { ...options, ...more });
      const transport = createHttpTransport({
        baseUrl: `https://localhost:${server.port}`,
        ca: SELF_SIGNED.cert,
      });
      const path = "/hooks.runtime.cluster.x-k8s.io/v1alpha1/discovery";
      const response = await transport.request({
        method: "POST",
        path,
        headers: { "content-type": "application/json" },
        body: {},
      });
      expect(response.status).toBe(status);
      await response.text();
      await transport.close();
      await server.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe("the program of an updater", () => {
  const sentences = async (...args: readonly string[]): Promise<{ problems: string[]; written: string }> => {
    const problems: string[] = [];
    let written = "";
    const write = (text: string): void => void (written += text);
    await runUpdater(resizer(), { args, write, fail: (sentence) => problems.push(sentence) });
    return { problems, written };
  };

  test("prints its help", async () => {
    expect(await sentences("--help")).toEqual({
      problems: [],
      written: expect.stringMatching(/^usage:/) as string,
    });
    expect((await sentences("serve", "-h")).written).toMatch(/^usage:/);
  });

  test.each([
    [[], "give a command: serve or deploy; --help prints what else there is"],
    [["server"], '"server" is not a command; give serve or deploy; --help prints what else there is'],
    [["--tsl"], "Unknown option '--tsl'; --help prints what else there is"],
    [["serve"], "serve needs --tls-folder, a folder with tls.crt and tls.key"],
    [
      ["serve", "--tls-folder", "nowhere"],
      "tls.crt in the TLS folder nowhere cannot be read: there is no such file",
    ],
    [["deploy"], "deploy needs --image, such as --image registry.example.com/resizer:1"],
    [["deploy", "--image", "a b"], '--image "a b" is not the name of an image'],
  ])("says in one sentence what is wrong with %j", async (args, sentence) => {
    expect(await sentences(...args)).toEqual({ problems: [sentence], written: "" });
  });

  test("says that its port is in use, or that its certificate is none", async () => {
    const folder = mkdtempSync(join(tmpdir(), "updater-"));
    try {
      writeFileSync(join(folder, "tls.crt"), SELF_SIGNED.cert);
      writeFileSync(join(folder, "tls.key"), SELF_SIGNED.key);
      const first = await serveUpdater(resizer(), { tlsFolder: folder, port: 0 });
      const port = String(first.port);
      expect((await sentences("serve", "--tls-folder", folder, "--port", port)).problems).toEqual([
        `port ${port} is in use; choose another with --port, or 0 for a free one`,
      ]);
      expect((await sentences("serve", "--tls-folder", folder, "--port", "-1")).problems).toHaveLength(1);
      await first.close();
      writeFileSync(join(folder, "tls.crt"), "no certificate");
      const [sentence, ...others] = (await sentences("serve", "--tls-folder", folder, "--port", "0"))
        .problems;
      expect(sentence).toMatch(/^the server does not start: /);
      expect(others).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("kubeadm-upgrade", () => {
  const facts: UpgradedMachine = { providerID: "azure:///vm", version: "v1.31.0", kubeletVersion: "v1.30.0" };
  const ran = (results: readonly string[], machine: UpgradedMachine | undefined = facts) => {
    const scripts: string[] = [];
    const updater = kubeadmUpgrade({
      readMachine: () => Promise.resolve(machine),
      runScript: (_, script) => {
        const output = results[scripts.length] ?? "";
        scripts.push(script);
        return Promise.resolve({ exitCode: output === "fail" ? 1 : 0, output, error: output });
      },
    });
    return { scripts, tested: underTest(updater) };
  };

  test("accepts a new version with its image, and no image alone", async () => {
    const { tested } = ran([]);
    const changes = [
      "machine.spec.version",
      "infraMachine.spec.image.id",
      "infraMachine.spec.vmSize",
    ] as const;
    expect(await tested.accepts(changes)).toEqual(["machine.spec.version", "infraMachine.spec.image.id"]);
    expect(await tested.accepts(["infraMachine.spec.image.id"])).toEqual([]);
  });

  test("installs packages, upgrades, restarts the kubelet, and waits for the Node", async () => {
    const { tested, scripts } = ran(["Kubernetes v1.30.0"]);
    expect(await tested.update("a")).toMatchObject({ status: "InProgress" });
    expect(scripts[1]).toContain("apt-get install -y kubeadm=1.31.0-*\nkubeadm upgrade node\n");
    const later = ran(["Kubernetes v1.31.0"]);
    expect(await later.tested.update("a")).toMatchObject({ status: "InProgress" });
    expect(later.scripts, "the packages are there already").toHaveLength(1);
    expect(await ran([], { ...facts, kubeletVersion: "v1.31.0" }).tested.update("a")).toMatchObject({
      status: "Done",
    });
  });

  test("fails if the upgrade fails, and waits for an agent that does not answer", async () => {
    expect(await ran(["Kubernetes v1.30.0", "fail"]).tested.update("a")).toMatchObject({ status: "Error" });
    expect(await ran(["fail"]).tested.update("a")).toMatchObject({ status: "InProgress" });
    const odd = { ...facts, version: "v1.31.0; rm -rf /" };
    expect(await ran([], odd).tested.update("a")).toMatchObject({ status: "Error" });
  });
});
