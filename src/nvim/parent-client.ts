import { NeovimClient } from 'neovim/lib/api/client';
import { getLogger } from 'neovim/lib/utils/logger';

/** The client asks for the number of its channel, which nothing here uses. */
const anyChannel = 0;

/** Connects to the Neovim that has started this process, over stdio. */
export function connectToParent(): NeovimClient {
  // This logger also keeps `console` from writing to stdout.
  const nvim = new NeovimClient({ logger: getLogger() });
  // The client would handle no message before it has read Neovim's description of its API, which nothing here uses.
  Object.assign(nvim, { requestApi: async () => [anyChannel] });
  nvim.attach({ reader: process.stdin, writer: process.stdout });
  return nvim;
}
