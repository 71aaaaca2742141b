import type { Frozen, Node } from "@capstan/api";

/**
 * What an image of a Node would contain, as far as the Node tells: kernel, operating system, kubelet, container runtime and
 * the container images on its disk.
 */
export function imageContentsOf({ status }: Pick<Frozen<Node>, "status">): string {
  const { kernelVersion, osImage, kubeletVersion, containerRuntimeVersion } = status?.nodeInfo ?? {};
  // An image has several names; a digest among them identifies it best, and the order of the kubelet does not matter.
  const images = (status?.images ?? []).map(({ names = [] }) => {
    const sorted = [...names].sort();
    return sorted.find((name) => name.includes("@sha256:")) ?? sorted[0] ?? "";
  });
  const contents = [kernelVersion, osImage, kubeletVersion, containerRuntimeVersion, ...images.sort()];
  return JSON.stringify(contents);
}
