import { isJsonObject, type JsonObject } from "@capstan/api";
import { type AzureSettings, completeSettings } from "@capstan/azure-sim";
import type { GivenObject } from "../../plan/read/read-objects.ts";
import { fieldOf, isKind, textOf } from "./owned-objects.ts";

type Image = AzureSettings["images"][number];
type Size = AzureSettings["sizes"][number];

/** What a simulated Azure must know beyond its defaults, and which of it is assumed. */
export interface NeededSettings {
  readonly settings: Partial<AzureSettings>;
  readonly assumptions: readonly string[];
}

const DEFAULTS = completeSettings();
const VERSION = /^v?(\d+\.\d+\.\d+)$/;

/** The settings of a simulated Azure that has what these objects name. */
export function azureSettingsFor(objects: readonly GivenObject[]): NeededSettings {
  const subscriptions = found(objects, ["spec", "subscriptionID"]);
  const regions = found(objects, ["spec", "location"]).map((one) => one.toLowerCase().replaceAll(" ", ""));
  const sizes = sizeNames(objects).filter((name) => !knownSize(name));
  const versions = versionsIn(objects);
  const images = [...versions.map(referenceImage), ...objects.flatMap((one) => ownImages(one, versions))];
  const exists = new Set(DEFAULTS.images.map(({ definition, version }) => `${definition}:${version}`));
  const more = images.filter(({ definition, version }) => !exists.has(`${definition}:${version}`));
  const offered = new Set(DEFAULTS.kubernetesVersions);
  const unoffered = aksVersions(objects).filter((version) => !offered.has(version));
  return {
    settings: {
      subscriptions: merged(DEFAULTS.subscriptions, subscriptions),
      regions: merged(DEFAULTS.regions, regions),
      sizes: [...DEFAULTS.sizes, ...sizes.map(guessedSize)],
      images: [...DEFAULTS.images, ...more],
      kubernetesVersions: merged(DEFAULTS.kubernetesVersions, unoffered),
    },
    assumptions: [
      ...(more.length > 0
        ? [
            `these images exist in Azure: ${listed(more.map(({ definition, version }) => shortImage(definition, version)))}`,
          ]
        : []),
      ...(unoffered.length > 0 ? [`AKS offers Kubernetes ${listed(unoffered)}`] : []),
      ...(sizes.length > 0 ? [`these VM sizes exist, with the cores of their names: ${listed(sizes)}`] : []),
    ],
  };
}

const MOST_LISTED = 4;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_LISTED).join(", ");
  return names.length > MOST_LISTED ? `${shown} and ${names.length - MOST_LISTED} more` : shown;
}

function shortImage(definition: string, version: string | undefined): string {
  return `${definition.slice(definition.lastIndexOf("/") + 1)} ${version ?? ""}`.trim();
}

function merged(known: readonly string[], more: readonly string[]): readonly string[] {
  return [...new Set([...known, ...more])];
}

function found(objects: readonly GivenObject[], path: readonly string[]): readonly string[] {
  return [...new Set(objects.flatMap((object) => textOf(object, ...path) ?? []))];
}

/** The size in a pool, in a template of machines, and in a pool of AKS. */
function sizeNames(objects: readonly GivenObject[]): readonly string[] {
  return merged(found(objects, ["spec", "template", "vmSize"]), [
    ...found(objects, ["spec", "template", "spec", "vmSize"]),
    ...found(
      objects.filter((one) => isKind(one, "AzureManagedMachinePool")),
      ["spec", "sku"],
    ),
  ]);
}

function knownSize(name: string): boolean {
  return DEFAULTS.sizes.some((size) => size.name.toLowerCase() === name.toLowerCase());
}

// Standard_D16ds_v5 has 16 cores; most families have four gigabytes for each core.
const GB_PER_CORE = 4;

function guessedSize(name: string): Size {
  const [, series = "Other", cores = "4"] = /^(?:Standard|Basic)_([A-Z]+)(\d+)/i.exec(name) ?? [];
  return {
    name,
    family: `standard${series.toUpperCase()}Family`,
    cores: Number(cores),
    memoryGB: Number(cores) * GB_PER_CORE,
    zones: ["1", "2", "3"],
  };
}

const ROLLED = ["MachinePool", "MachineDeployment", "MachineSet", "Machine"];

function versionsIn(objects: readonly GivenObject[]): readonly string[] {
  const written = objects.flatMap((object) => [
    ...(isKind(object, ...ROLLED) ? [textOf(object, "spec", "template", "spec", "version")] : []),
    ...(isKind(object, "KubeadmControlPlane", "Machine") ? [textOf(object, "spec", "version")] : []),
  ]);
  return plainVersions(written);
}

function aksVersions(objects: readonly GivenObject[]): readonly string[] {
  const written = objects.flatMap((object) => [
    ...(isKind(object, "AzureManagedControlPlane") ? [textOf(object, "spec", "version")] : []),
    ...(isKind(object, "MachinePool") ? [textOf(object, "spec", "template", "spec", "version")] : []),
  ]);
  return plainVersions(written);
}

function plainVersions(written: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(written.flatMap((text) => VERSION.exec(text ?? "")?.[1] ?? []))];
}

const REFERENCE = DEFAULTS.images.find(({ kind }) => kind === "community");

function referenceImage(version: string): Image {
  return {
    kind: "community",
    definition: REFERENCE?.definition ?? "",
    version,
    files: filesOf(version),
  };
}

function filesOf(version: string): Record<string, string> {
  return { "/etc/kubernetes-version": `v${version}\n`, "/usr/bin/kubeadm": `kubeadm v${version}\n` };
}

/** Images that an object names itself. Their Kubernetes version is not in the name: the newest of the fleet is taken. */
function ownImages(object: GivenObject, versions: readonly string[]): readonly Image[] {
  const image =
    fieldOf(object, "spec", "template", "image") ?? fieldOf(object, "spec", "template", "spec", "image");
  if (!isJsonObject(image)) return [];
  const files = filesOf(versions.toSorted(byVersion).at(-1) ?? "1.34.1");
  const one = imageAt(image);
  return one ? [{ ...one, files }] : [];
}

function imageAt(image: JsonObject): Omit<Image, "files"> | undefined {
  const { id, marketplace, sharedGallery, computeGallery } = image;
  if (typeof id === "string") return imageById(id);
  if (isJsonObject(marketplace)) {
    const names = ["publisher", "offer", "sku"].map((field) => textOf(marketplace, field) ?? "");
    return { kind: "marketplace", definition: names.join(":"), version: published(marketplace["version"]) };
  }
  const gallery = isJsonObject(sharedGallery) ? sharedGallery : computeGallery;
  return isJsonObject(gallery) ? galleryImage(gallery) : undefined;
}

function galleryImage(image: JsonObject): Omit<Image, "files"> {
  const text = (field: string): string => textOf(image, field) ?? "";
  const version = published(image["version"]);
  const [subscription, group] = [text("subscriptionID"), text("resourceGroup")];
  if (subscription === "")
    return {
      kind: "community",
      definition: `/CommunityGalleries/${text("gallery")}/Images/${text("name")}`,
      version,
    };
  const provider = `/subscriptions/${subscription}/resourceGroups/${group}/providers/Microsoft.Compute`;
  return {
    kind: "gallery",
    definition: `${provider}/galleries/${text("gallery")}/images/${text("name")}`,
    version,
  };
}

function imageById(id: string): Omit<Image, "files"> {
  const [, definition, version] = /^(.+)\/versions\/([^/]+)$/i.exec(id) ?? [];
  return definition === undefined
    ? { kind: "managed", definition: id }
    : { kind: "gallery", definition, version: published(version) };
}

/** The newest version has a number, too. */
function published(version: unknown): string {
  return version === "latest" || typeof version !== "string" ? "1.0.0" : version;
}

function byVersion(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}
