import type { FleetHead, FleetRow, RolloutSummary } from "../protocol.ts";
import { Age, Link, Said, ToneMark } from "./parts.tsx";
import { clusterPath, refine, rolloutPath, route } from "./route.ts";
import { isShownInFleet, sortedFleet } from "./fleet-order.ts";
import { Rows } from "./rows.tsx";
import { useView } from "./stream.ts";
import { Problem, ViewTitle } from "./view-frame.tsx";

const ROW_HEIGHT = 46;

const HEADS = [
  "Cluster",
  "Phase",
  "Version",
  "Control plane",
  "Workers",
  "Budget left",
  "Image",
  "Rollout",
  "Needs",
  "Age",
];

/** One row a cluster; those that need a user come first. */
export function FleetView() {
  const view = useView<FleetHead, FleetRow>({ view: "fleet" });
  const { head, rows, problem } = view.value;
  const { search } = route.value;
  const all = [...rows.values()];
  const shown = sortedFleet(all.filter((row) => isShownInFleet(row, search)));
  const needy = all.filter(({ needsUser }) => needsUser).length;
  const rolling = all.filter(({ rollouts }) => rollouts.length > 0).length;
  return (
    <>
      <ViewTitle title="Fleet">
        {head && (
          <p class="summary">
            <strong>{all.length}</strong> {all.length === 1 ? "cluster" : "clusters"} in {head.scope}
            <Filter word="needs-you" count={needy} text="need you" />
            <Filter word="rolling" count={rolling} text="rolling" />
          </p>
        )}
      </ViewTitle>
      <Problem text={problem} />
      {head?.notes.map((note) => (
        <p class="note" key={note}>
          <Said>{note}</Said>
        </p>
      ))}
      {head && all.length === 0 && (
        <p class="empty">
          There is no Cluster yet. Apply one of the examples:{" "}
          <code>kubectl apply -f examples/machine-pool/</code>
        </p>
      )}
      {head && all.length > 0 && shown.length === 0 && (
        <p class="empty">
          No cluster matches <q>{search}</q>.
        </p>
      )}
      {shown.length > 0 && (
        <Rows
          label="Clusters"
          class="fleet"
          heads={HEADS}
          rows={shown}
          height={ROW_HEIGHT}
          draw={(row) => <Cells row={row} />}
        />
      )}
    </>
  );
}

function Filter({ word, count, text }: { word: string; count: number; text: string }) {
  if (count === 0) return null;
  const isOn = route.value.search.split(" ").includes(word);
  return (
    <button
      type="button"
      class={`filter ${word}`}
      aria-pressed={isOn}
      onClick={() => refine({ q: isOn ? "" : word })}
    >
      {count} {text}
    </button>
  );
}

function Cells({ row }: { readonly row: FleetRow }) {
  const { namespace, name, tone, phase, versions, controlPlane, workers, budgetLeft, imageMs, rollouts } =
    row;
  const isSkewed = versions.minorsApart > 0;
  return (
    <>
      <span role="cell" class="name">
        <ToneMark tone={tone} />
        <Link to={clusterPath(namespace, name)} class="row-link">
          <Said>{name}</Said>
        </Link>
        <span class="faint namespace">{namespace}</span>
      </span>
      <span role="cell" data-label="Phase">
        {phase}
      </span>
      <span role="cell" data-label="Version" class={isSkewed ? "skewed" : ""}>
        {versions.newest ?? "–"}
        {versions.oldest !== undefined && versions.oldest !== versions.newest && (
          <span class="faint"> to {versions.oldest}</span>
        )}
      </span>
      <span role="cell" data-label="Control plane" class="number">
        {controlPlane ? `${controlPlane.ready}/${controlPlane.desired}` : "–"}
      </span>
      <span role="cell" data-label="Workers" class="number">{`${workers.ready}/${workers.desired}`}</span>
      <span role="cell" data-label="Budget left" class="number">
        {budgetLeft ?? "–"}
      </span>
      <span role="cell" data-label="Image">
        <Age sinceMs={imageMs} />
      </span>
      <span role="cell" data-label="Rollout">
        {rollouts.slice(0, 2).map((one) => (
          <RolloutLink key={`${one.kind}/${one.name}`} namespace={namespace} rollout={one} />
        ))}
        {rollouts.length > 2 && <span class="faint"> +{rollouts.length - 2}</span>}
      </span>
      <span role="cell" data-label="Needs" class={row.needsUser ? "needs bad" : "needs"} title={row.needs}>
        <Said>{row.needs}</Said>
      </span>
      <span role="cell" data-label="Age">
        <Age sinceMs={row.createdMs} />
      </span>
    </>
  );
}

function RolloutLink({ namespace, rollout }: { namespace: string; rollout: RolloutSummary }) {
  const { kind, name, upToDate, desired } = rollout;
  return (
    <Link to={rolloutPath(kind, namespace, name)} class="rollout">
      <Said>{name}</Said> {upToDate}/{desired}
    </Link>
  );
}
