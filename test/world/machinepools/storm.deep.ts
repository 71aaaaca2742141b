import { storms } from "./storm.ts";

storms("storm.deep.ts", { from: 1001, count: 1000 });
