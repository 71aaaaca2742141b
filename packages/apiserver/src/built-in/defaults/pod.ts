import type { Draft } from "../../storage/storage.ts";
import { type Fields, fillIn, objectIn, objectMadeIn, objectsIn } from "../fields.ts";
import { defaultContainer } from "./container.ts";
import { defaultVolume } from "./volume.ts";

const CONTAINER_LISTS = ["initContainers", "containers", "ephemeralContainers"];

/** Sets the defaults of a pod spec, of a pod or of a template. */
function defaultPodSpec(spec: Fields): void {
  fillIn(spec, {
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    schedulerName: "default-scheduler",
  });
  objectMadeIn(spec, "securityContext");
  defaultAccount(spec);
  for (const list of CONTAINER_LISTS)
    for (const container of objectsIn(spec, list)) {
      defaultContainer(container);
      if (spec["hostNetwork"] === true) defaultHostPorts(container);
    }
  for (const volume of objectsIn(spec, "volumes")) defaultVolume(volume);
}

/** The field had another name before, and clients still read that one. */
function defaultAccount(spec: Fields): void {
  const name = spec["serviceAccountName"] ?? spec["serviceAccount"];
  if (name !== undefined) Object.assign(spec, { serviceAccountName: name, serviceAccount: name });
}

/** With the host network, a port of a container is a port of the node. */
function defaultHostPorts(container: Fields): void {
  for (const port of objectsIn(container, "ports")) fillIn(port, { hostPort: port["containerPort"] });
}

/** Sets the defaults of a pod. */
export function defaultPod(pod: Draft): void {
  const spec = objectMadeIn(pod, "spec");
  defaultPodSpec(spec);
  fillIn(spec, { enableServiceLinks: true });
  for (const list of ["initContainers", "containers"])
    for (const container of objectsIn(spec, list)) defaultRequests(objectIn(container, "resources"));
}

/** A container with limits and without requests requests as much as its limits. */
function defaultRequests(resources: Fields): void {
  if (resources["limits"])
    resources["requests"] = { ...objectIn(resources, "limits"), ...objectIn(resources, "requests") };
}

/** Sets the defaults of a template of pods. */
export function defaultPodTemplate(owner: Fields): void {
  const template = objectMadeIn(owner, "template");
  objectMadeIn(template, "metadata");
  defaultPodSpec(objectMadeIn(template, "spec"));
}
