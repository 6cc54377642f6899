// Loaded into the processes of a bench with `--profile`: the first SIGUSR2 starts a CPU profile, the next one writes it.
const fs = require('node:fs');
const { Session } = require('node:inspector');
const path = require('node:path');

const folder = process.env.ACP_BENCH_PROFILES;
const intervalUs = 200;
let session;
let count = 0;

process.on('SIGUSR2', () => {
  if (session) return write();
  session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: intervalUs });
  session.post('Profiler.start', () => finish('started', ''));
});

function write() {
  session.post('Profiler.stop', (_, { profile }) => {
    session.disconnect();
    session = undefined;
    count += 1;
    finish(`${count}.cpuprofile`, JSON.stringify(profile));
  });
}

// A reader never finds half of it.
function finish(name, text) {
  const file = path.join(folder, `${process.pid}-${name}`);
  fs.writeFileSync(`${file}.new`, text);
  fs.renameSync(`${file}.new`, file);
}
