import { TourAgent } from './agent.ts';
import { Login } from './login.ts';
import { Memory } from './memory.ts';
import { paceFrom } from './pace.ts';
import { startAs } from './start.ts';
import { Wire } from './wire.ts';

const login = new Login(process.env.ACP_TOUR_LOGIN);

if (process.argv.includes('--login')) login.ask();
else startAs(process.env.ACP_TOUR_START, serve);

function serve(protocolVersion: number): void {
  const wire = new Wire(process.stdin, process.stdout);
  const pace = paceFrom(process.env.ACP_TOUR_PACE);
  const memory = new Memory(process.env.ACP_TOUR_MEMORY);
  wire.serve(new TourAgent({ client: wire, pace, protocolVersion, login, memory }));
  wire.onClose(() => process.exit(0));
}
