import { type Frozen, type Node, type Pod } from "@capstan/api";
import type { Client } from "@capstan/runtime";
import { hasFinished, type JudgedPod } from "./decide.ts";
import { PersistentVolume, PersistentVolumeClaim, VolumeAttachment } from "./kinds.ts";

/** The observed volumes of a Node. */
export interface VolumesView {
  readonly node: Frozen<Node>;
  readonly attachments: readonly Frozen<VolumeAttachment>[];
  /** Volumes of pods that stay: they stay attached. */
  readonly held: readonly HeldVolume[];
}

/** A volume of a pod that stays. */
interface HeldVolume {
  readonly name: string;
  /** Its handle in the driver. */
  readonly handle?: string;
}

/** The volumes that are still attached to a Node but must be detached, sorted. */
export function volumesLeft({ node, attachments, held }: VolumesView): readonly string[] {
  const names = new Set(held.map(({ name }) => name));
  const handles = held.flatMap(({ handle }) => (handle === undefined ? [] : [handle]));
  const asked = attachments
    .filter(({ spec }) => spec?.nodeName === node.metadata.name)
    .map(({ metadata, spec }) => spec?.source?.persistentVolumeName ?? metadata.name)
    .filter((name) => !names.has(name));
  const reported = (node.status?.volumesAttached ?? [])
    .map(({ name }) => name)
    .filter((name) => !handles.some((handle) => name.endsWith(`^${handle}`)));
  return [...new Set([...asked, ...reported])].sort();
}

/** Reads the volumes that are still attached to a Node, except those of the pods that stay. */
export async function lookAtVolumes(
  client: Client,
  node: Frozen<Node>,
  staying: readonly JudgedPod[],
): Promise<readonly string[]> {
  const attachments = await client.list(VolumeAttachment);
  if (volumesLeft({ node, attachments, held: [] }).length === 0) return [];
  return volumesLeft({ node, attachments, held: await heldBy(client, staying) });
}

async function heldBy(client: Client, staying: readonly JudgedPod[]): Promise<readonly HeldVolume[]> {
  const held: HeldVolume[] = [];
  for (const claim of staying.flatMap(({ pod }) => claimsOf(pod))) {
    const name = (await client.find(PersistentVolumeClaim, claim))?.spec?.volumeName;
    if (name === undefined) continue;
    const handle = (await client.find(PersistentVolume, { name }))?.spec?.csi?.volumeHandle;
    held.push({ name, ...(handle !== undefined && { handle }) });
  }
  return held;
}

/** A finished pod has released its volumes. */
function claimsOf(pod: Frozen<Pod>): readonly { readonly namespace: string; readonly name: string }[] {
  const { metadata, spec } = pod;
  if (hasFinished(pod)) return [];
  return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim
      ? [{ namespace: metadata.namespace ?? "", name: persistentVolumeClaim.claimName }]
      : [],
  );
}
