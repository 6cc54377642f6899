// Draws the pictures of the README from real screens, dark and light, and a turn as an animation: node scripts/gallery.mjs
// [NAME …]. They are written to doc/gallery/. scripts/gallery/ has the agent and what is typed.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { heights, recorded, scenes } from './gallery/scenes.mjs';
import { withShop } from './gallery/shop.mjs';
import { play, withDrawing } from './screenshot/nvim.mjs';

const folder = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'doc', 'gallery');

const frameMs = 250;
const restMs = 4_000;

const wanted = process.argv.slice(2);
const isWanted = ([name]) => wanted.length === 0 || wanted.includes(name);
const save = (name, drawing) => fs.writeFileSync(path.join(folder, `${name}.svg`), drawing);

fs.mkdirSync(folder, { recursive: true });
await withDrawing(async (drawing) => {
  for (const background of ['dark', 'light']) {
    for (const [name, steps] of Object.entries(scenes).filter(isWanted)) {
      const draw = async (nvim) => {
        await play(nvim, steps);
        return drawing.drawScreen(nvim.screen);
      };
      save(`${name}-${background}`, await withShop(drawing, { background, lines: heights[name] }, draw));
    }
  }
  for (const [name, steps] of Object.entries(recorded).filter(isWanted))
    save(name, await withShop(drawing, { background: 'dark' }, (nvim) => record(drawing, nvim, steps)));
});

/** Draws the screen again and again while the keys are played. */
async function record({ Recording }, nvim, steps) {
  const recording = new Recording(nvim.screen);
  const start = performance.now();
  const add = () => recording.add(Math.round(performance.now() - start));
  const timer = setInterval(add, frameMs);
  recording.add(0);
  try {
    await play(nvim, steps);
  } finally {
    clearInterval(timer);
  }
  add();
  return recording.draw(restMs);
}
