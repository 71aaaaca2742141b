import type { Lane, LanePhase } from "../../protocol.ts";
import { PHASES } from "./lanes.tsx";

/** The colours of the phases that are seen. */
export function Legend({ lanes }: { readonly lanes: readonly Lane[] }) {
  const phases = new Set<LanePhase>(lanes.flatMap(({ segments }) => segments.map(({ phase }) => phase)));
  const hasForecast = lanes.some(({ forecast }) => forecast.length > 0);
  return (
    <p class="legend" aria-hidden="true">
      {Object.entries(PHASES)
        .filter(([phase]) => phases.has(phase as LanePhase))
        .map(([phase, word]) => (
          <span key={phase}>
            <i class={phase} />
            {word}
          </span>
        ))}
      {hasForecast && (
        <span>
          <i class="future" />
          expected
        </span>
      )}
    </p>
  );
}
