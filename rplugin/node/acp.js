// The one entry of the plugin in Node. `:UpdateRemotePlugins` finds it here for `host = "shared"`; by default Lua starts
// this file itself, and it serves the same function from a process of its own.
const path = require('node:path');
const v8 = require('node:v8');

const bundle = path.join(__dirname, '..', '..', 'dist', 'host.js');

const oldestNode = 20;
const major = Number(process.versions.node.split('.')[0]);
// An older Node can't even parse the bundle. Lua knows this code and does not start the host again.
const tooOldCode = 64;

/** Lua names the folder for compiled code. */
function loadBundle(cacheFolder) {
  if (!cacheFolder) return require(bundle);
  const { loadWithCodeCache } = require(path.join(path.dirname(bundle), 'code-cache.js'));
  return loadWithCodeCache(bundle, cacheFolder);
}

// An arrow function, because the remote-plugin host first tries `new` on what it finds.
module.exports = (plugin) => {
  let host;
  const load = () => {
    host ??= require(bundle).createHost(plugin.nvim);
    return host;
  };
  const notBuilt = (error) =>
    `acp.nvim is not built: run "npm ci && npm run build" in ${path.dirname(path.dirname(bundle))} (${error.message})`;

  plugin.registerFunction(
    'AcpNotify',
    ([op, payload]) => {
      try {
        load().notify(op, payload);
      } catch (error) {
        const level = 4;
        plugin.nvim.executeLua('vim.notify(...)', [notBuilt(error), level]).catch(() => undefined);
      }
    },
    { sync: false },
  );
};

if (require.main === module) {
  if (major < oldestNode) {
    console.error(
      `Node ${process.versions.node} is too old: install Node ${oldestNode}+, or set the option "node"`,
    );
    process.exit(tooOldCode);
  }
  // V8 optimises what is called often. The host works in bursts of a fraction of a second, and that took other threads
  // as much time as the work itself. V8 rejects code that it compiled with other flags, so this comes first.
  v8.setFlagsFromString('--interrupt-budget=1200000');
  const [, , cacheFolder, neovimPid] = process.argv;
  loadBundle(cacheFolder).serve(module.filename, module.exports, Number(neovimPid));
}
