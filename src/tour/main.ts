import { TourAgent } from './agent.ts';
import { ClientConnection } from './client-connection.ts';
import { startWithFailure } from './fake-failures.ts';
import { Login } from './login.ts';
import { SessionStore } from './session-store.ts';
import { parsePace } from './timing.ts';

const login = new Login(process.env.ACP_TOUR_LOGIN);

if (process.argv.includes('--login')) login.askInTerminal();
else startWithFailure(process.env.ACP_TOUR_START, serveTour);

function serveTour(protocolVersion: number): void {
  const connection = new ClientConnection(process.stdin, process.stdout);
  const pace = parsePace(process.env.ACP_TOUR_PACE);
  const store = new SessionStore(process.env.ACP_TOUR_MEMORY);
  connection.serve(new TourAgent({ client: connection, pace, protocolVersion, login, store }));
  connection.onClose(() => process.exit(0));
}
