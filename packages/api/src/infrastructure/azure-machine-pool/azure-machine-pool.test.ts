import { describe, expect, test } from "vitest";
import { withDefaults } from "../../admission.ts";
import { formatFieldError } from "../../values/field-error.ts";
import { AzureMachinePool } from "./azure-machine-pool.ts";

type Spec = AzureMachinePool["spec"];
type Template = Spec["template"];

const TEMPLATE: Template = { vmSize: "Standard_D2s_v3", osDisk: { osType: "Linux", cachingType: "None" } };
const SPEC: Spec = {
  location: "westeurope",
  identity: "None",
  orchestrationMode: "Uniform",
  strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 1 } },
  template: TEMPLATE,
};
const GALLERY = { gallery: "g", name: "n", version: "1.0.0" };

const pool = (spec: Partial<Spec> = {}, annotations: Record<string, string> = {}): AzureMachinePool => ({
  apiVersion: AzureMachinePool.apiVersion,
  kind: AzureMachinePool.kind,
  metadata: { name: "mp-0", namespace: "default", annotations },
  spec: { ...SPEC, ...spec },
});
const withTemplate = (template: Partial<Template>): AzureMachinePool =>
  pool({ template: { ...TEMPLATE, ...template } });
const withRollingUpdate = (maxSurge: number | string, maxUnavailable: number | string): AzureMachinePool =>
  pool({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } });

const errors = (object: AzureMachinePool, old?: AzureMachinePool): string[] =>
  AzureMachinePool.validate({ object, ...(old && { old }) }).map(formatFieldError);

describe("defaults of a pool", () => {
  test("set the interface, the address, diagnostics and nothing else", () => {
    expect(withDefaults(AzureMachinePool, pool()).spec).toEqual({
      ...SPEC,
      template: {
        ...TEMPLATE,
        networkInterfaces: [{ privateIPConfigs: 1 }],
        diagnostics: { boot: { storageAccountType: "Managed" } },
      },
    });
  });

  test("give spot machines, disks and identities what they need", () => {
    const { spec } = withDefaults(
      AzureMachinePool,
      pool({
        identity: "SystemAssigned",
        roleAssignmentName: "11111111-2222-3333-4444-555555555555",
        template: { ...TEMPLATE, spotVMOptions: {}, dataDisks: [{ nameSuffix: "d", diskSizeGB: 10 }] },
      }),
    );
    expect(spec.template.spotVMOptions).toEqual({ evictionPolicy: "Deallocate" });
    expect(spec.template.dataDisks).toEqual([
      { nameSuffix: "d", diskSizeGB: 10, lun: 0, cachingType: "ReadWrite" },
    ]);
    expect(spec.systemAssignedIdentityRole).toEqual({ name: "11111111-2222-3333-4444-555555555555" });
    expect(spec).not.toHaveProperty("roleAssignmentName");
  });

  test("change nothing the second time", () => {
    const once = withDefaults(AzureMachinePool, withTemplate({ subnetName: "s", spotVMOptions: {} }));
    expect(withDefaults(AzureMachinePool, once)).toEqual(once);
    expect(errors(once)).toEqual([]);
  });
});

describe("a pool is accepted", () => {
  test.each<[string, AzureMachinePool]>([
    [
      "from CAPZ's template",
      withTemplate({
        osDisk: { osType: "Linux", diskSizeGB: 30, managedDisk: { storageAccountType: "Premium_LRS" } },
        sshPublicKey: "",
      }),
    ],
    ["without a strategy", pool({ strategy: {} })],
    ["with a percentage of replicas", withRollingUpdate("25%", "0%")],
    ["with in-place updates", pool({ strategy: { rollingUpdate: { instanceUpdate: "InPlace" } } })],
    ["with a drain timeout", pool({ nodeDrainTimeout: "1h30m" })],
    ["with the shortest notice", withTemplate({ terminateNotificationTimeout: 5 })],
    [
      "with node prototyping",
      withTemplate({ image: { computeGallery: GALLERY, nodePrototyping: { interval: "24h" } } }),
    ],
  ])("%s", (_, object) => {
    expect(errors(object)).toEqual([]);
  });
});

describe("a pool is rejected", () => {
  test.each<[string, AzureMachinePool, string]>([
    [
      "with a surge that is not a number",
      withRollingUpdate("many", 0),
      'spec.strategy.rollingUpdate.maxSurge: Invalid value: "many": must be either an int or a percentage, such as 1 or 25%',
    ],
    [
      "that would delete more than all machines",
      withRollingUpdate(1, "150%"),
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "150%": must not be more than 100%',
    ],
    [
      "whose name is too long for a computer name",
      { ...pool(), metadata: { name: "m".repeat(59) } },
      `metadata.name: Invalid value: "${"m".repeat(59)}": must be no more than 58 characters: machines are named after it`,
    ],
    [
      "with a surge that has a sign",
      withRollingUpdate("+5%", 0),
      'spec.strategy.rollingUpdate.maxSurge: Invalid value: "+5%": must be without a sign, such as 5%',
    ],
    [
      "with an unavailability that has a sign",
      withRollingUpdate(1, "+5%"),
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "+5%": must be without a sign, such as 5%',
    ],
    [
      "with a negative surge",
      withRollingUpdate(-1, 0),
      "spec.strategy.rollingUpdate.maxSurge: Invalid value: -1: must be 0 or more",
    ],
    [
      "with a system-assigned identity",
      pool({ identity: "SystemAssigned" }),
      'spec.identity: Invalid value: "SystemAssigned": needs a role assignment, which is not made yet; use UserAssigned with an identity that has its roles',
    ],
    [
      "in Flexible orchestration",
      pool({ orchestrationMode: "Flexible" }),
      "spec.orchestrationMode: Forbidden: Flexible is not supported yet; use Uniform",
    ],
    [
      "with Windows",
      withTemplate({ osDisk: { osType: "Windows" } }),
      'spec.template.osDisk.osType: Invalid value: "Windows": Windows nodes are not supported yet; use Linux',
    ],
    [
      "with too short a notice",
      withTemplate({ terminateNotificationTimeout: 4 }),
      "spec.template.terminateNotificationTimeout: Invalid value: 4: must be between 5 and 15 minutes",
    ],
    [
      "with too long a notice",
      withTemplate({ terminateNotificationTimeout: 16 }),
      "spec.template.terminateNotificationTimeout: Invalid value: 16: must be between 5 and 15 minutes",
    ],
    [
      "with an invalid drain timeout",
      pool({ nodeDrainTimeout: "soon" }),
      'spec.nodeDrainTimeout: Invalid value: "soon": time: invalid duration "soon"; use numbers with a unit of ns, us, ms, s, m or h, such as 1h30m',
    ],
    [
      "with a negative drain timeout",
      pool({ nodeDrainTimeout: "-1s" }),
      'spec.nodeDrainTimeout: Invalid value: "-1s": must not be negative; 0 means without limit',
    ],
    [
      "with two images",
      withTemplate({ image: { id: "/x", computeGallery: GALLERY } }),
      "spec.template.image.computeGallery: Forbidden: id is set as well; set exactly one of id, marketplace, sharedGallery and computeGallery",
    ],
    [
      "with interfaces and a subnet",
      withTemplate({ subnetName: "s", networkInterfaces: [{}] }),
      "spec.template.subnetName: Forbidden: networkInterfaces is set as well; put it there",
    ],
    [
      "with diagnostics that contradict themselves",
      withTemplate({ diagnostics: { boot: { storageAccountType: "UserManaged" } } }),
      "spec.template.diagnostics.boot.userManaged.storageAccountURI: Required value: storageAccountType UserManaged needs it",
    ],
    [
      "with a maximum price of zero",
      withTemplate({ spotVMOptions: { maxPrice: 0 } }),
      "spec.template.spotVMOptions.maxPrice: Invalid value: 0: must be -1 or greater than 0",
    ],
    [
      "with identities it cannot use",
      pool({ userAssignedIdentities: [{ providerID: "x" }] }),
      "spec.userAssignedIdentities: Forbidden: identity must be UserAssigned to use it, not None",
    ],
  ])("%s", (_, object, message) => {
    expect(errors(object)).toEqual([message]);
  });

  test.each<[string, AzureMachinePool, string, string]>([
    ["", withRollingUpdate(0, 0), "0", "0"],
    [", in percent", withRollingUpdate("0%", "0%"), '"0%"', '"0%"'],
    [", mixed", withRollingUpdate("00%", 0), '"00%"', "0"],
    [", with no other error", pool({ strategy: { rollingUpdate: { maxSurge: 0 } } }), "0", "0"],
  ])("that can never be rolled%s", (_, object, surge, unavailable) => {
    const path = "spec.strategy.rollingUpdate";
    expect(errors(object)).toEqual([
      `${path}.maxSurge: Invalid value: ${surge}: must not be 0 when maxUnavailable is 0`,
      `${path}.maxUnavailable: Invalid value: ${unavailable}: must not be 0 when maxSurge is 0`,
    ]);
  });

  test("for a sign only if it is new: an existing pool with one must still be editable", () => {
    const there = withRollingUpdate("+5%", 0);
    expect(errors({ ...there, metadata: { ...there.metadata, labels: { a: "b" } } }, there)).toEqual([]);
    expect(errors(withRollingUpdate("+6%", 0), there)).toHaveLength(1);
  });
});

describe("a running pool", () => {
  const INSTEAD = "Azure fixes it when it creates the scale set; create a new pool and delete this one";
  const ephemeral: Template["osDisk"] = { osType: "Linux", diffDiskSettings: { option: "Local" } };

  test("may change its model", () => {
    const changed = pool({
      additionalTags: { a: "b" },
      template: { ...TEMPLATE, vmSize: "Standard_D8s_v5", image: { computeGallery: GALLERY } },
    });
    expect(errors(changed, pool())).toEqual([]);
  });

  test.each<[AzureMachinePool, AzureMachinePool, string]>([
    [
      pool(),
      pool({ location: "eastus" }),
      `spec.location: Forbidden: cannot change from "westeurope" to "eastus": ${INSTEAD}`,
    ],
    [
      pool(),
      pool({ platformFaultDomainCount: 2 }),
      `spec.platformFaultDomainCount: Forbidden: cannot change from unset to 2: ${INSTEAD}`,
    ],
    [
      pool(),
      withTemplate({ osDisk: ephemeral }),
      `spec.template.osDisk.diffDiskSettings: Forbidden: cannot change from unset to {"option":"Local"}: ${INSTEAD}`,
    ],
    [
      withTemplate({ osDisk: { osType: "Linux", managedDisk: { storageAccountType: "Premium_LRS" } } }),
      withTemplate({ osDisk: { osType: "Linux", managedDisk: { storageAccountType: "Standard_LRS" } } }),
      `spec.template.osDisk.managedDisk.storageAccountType: Forbidden: cannot change from "Premium_LRS" to "Standard_LRS": ${INSTEAD}`,
    ],
    [
      pool(),
      withTemplate({ spotVMOptions: {} }),
      `spec.template.spotVMOptions: Forbidden: cannot change from "regular" to "spot": ${INSTEAD}`,
    ],
    [
      withTemplate({ spotVMOptions: { evictionPolicy: "Delete" } }),
      withTemplate({ spotVMOptions: { evictionPolicy: "Deallocate" } }),
      `spec.template.spotVMOptions.evictionPolicy: Forbidden: cannot change from "Delete" to "Deallocate": ${INSTEAD}`,
    ],
    [
      withTemplate({ disableVMBootstrapExtension: true }),
      withTemplate({ disableVMBootstrapExtension: false }),
      "spec.template.disableVMBootstrapExtension: Forbidden: cannot change from true to false: it holds for the life of a pool once set; create a new pool and delete this one",
    ],
  ])("keeps what Azure cannot change", (old, changed, message) => {
    expect(errors(changed, old)).toEqual([message]);
  });

  test("may turn the bootstrap extension off once", () => {
    expect(errors(withTemplate({ disableVMBootstrapExtension: true }), pool())).toEqual([]);
  });
});

test("an existing system-assigned identity can stay, so that the pool can still be edited and deleted", () => {
  const there = pool({ identity: "SystemAssigned" });
  expect(errors({ ...there, metadata: { ...there.metadata, labels: { a: "b" } } }, there)).toEqual([]);
  expect(errors(there, pool())).toEqual([expect.stringContaining("spec.identity")]);
});

describe("warnings about a pool", () => {
  const warnings = (object: AzureMachinePool): readonly string[] => AzureMachinePool.warn({ object });

  test("report deprecated fields", () => {
    const old = pool(
      {
        image: { nodePrototyping: { interval: "24h" } },
        template: {
          ...TEMPLATE,
          image: { sharedGallery: { ...GALLERY, subscriptionID: "s", resourceGroup: "r" } },
        },
      },
      { nodeCachingInterval: "24h" },
    );
    expect(warnings(old)).toEqual([
      "spec.image.nodePrototyping is an older place; use spec.template.image.nodePrototyping",
      "annotation nodeCachingInterval is deprecated; use spec.template.image.nodePrototyping.interval",
      "spec.template.image.sharedGallery is deprecated; use computeGallery",
    ]);
  });

  test("report that a part of a purchase plan has no effect", () => {
    const shared = { ...GALLERY, subscriptionID: "s", resourceGroup: "r" };
    const from = (plan: object) => withTemplate({ image: { sharedGallery: { ...shared, ...plan } } });
    expect(warnings(from({ publisher: "p", sku: "s" })).join()).toContain("set publisher, offer and sku");
    expect(warnings(from({ publisher: "p", offer: "o", sku: "s" }))).toHaveLength(1);
  });

  test("report that no extension reports on the bootstrap, regardless of the field", () => {
    expect(warnings(withTemplate({ disableVMBootstrapExtension: false }))).toEqual([
      "spec.template.disableVMBootstrapExtension: false has no effect: no extension reports on the bootstrap; the condition BootstrapSucceeded of each AzureMachinePoolMachine comes from its Node",
    ]);
    expect(warnings(withTemplate({ disableVMBootstrapExtension: true }))).toEqual([]);
  });

  test("report nothing about a pool that renews its image daily", () => {
    const image = { computeGallery: GALLERY, nodePrototyping: { interval: "24h" } };
    expect(warnings(withTemplate({ image }))).toEqual([]);
    expect(warnings(pool())).toEqual([]);
  });
});
