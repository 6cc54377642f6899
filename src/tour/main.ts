import { TourAgent } from './agent.ts';
import { paceFrom } from './pace.ts';
import { startAs } from './start.ts';
import { Wire } from './wire.ts';

startAs(process.env.ACP_TOUR_START, (protocolVersion) => {
  const wire = new Wire(process.stdin, process.stdout);
  const pace = paceFrom(process.env.ACP_TOUR_PACE);
  wire.serve(new TourAgent({ client: wire, pace, protocolVersion }));
  wire.onClose(() => process.exit(0));
});
