/** The page in the browser, and what its server and it say to each other. The command line serves it. */
export type {
  FleetHead,
  FleetRow,
  Lane,
  LaneForecast,
  LanePhase,
  LaneSegment,
  Message,
  ObjectName,
  Obstacle,
  RolloutHead,
  RolloutNumbers,
  Row,
  Tone,
  TreeHead,
  TreeRow,
  ObjectHead,
  ShownCondition,
  ShownEvent,
  ViewName,
  ViewState,
} from "./protocol.ts";
export { APP_ID, SESSION_PATH, STREAM, streamQuery, type StreamRequest } from "./addresses.ts";
