// A worker that asks Neovim something simple again and again on a channel of its own, and notes how long each answer took.
import net from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const pauseMs = 5;
// The msgpack of [0, 1, 'nvim_eval', ['1']]; whatever comes back is the answer.
const question = Buffer.from([0x94, 0, 1, 0xa9, ...Buffer.from('nvim_eval'), 0x91, 0xa1, 0x31]);

const roundTrips = [];
const socket = net.connect(workerData.address, ask);
let askedAt = 0;

function ask() {
  askedAt = performance.now();
  socket.write(question);
}

socket.on('data', () => {
  roundTrips.push(performance.now() - askedAt);
  setTimeout(ask, pauseMs);
});
parentPort.on('message', () => {
  parentPort.postMessage(roundTrips);
  process.exit(0);
});
