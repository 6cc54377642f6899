// A plugin for Rolldown and Vite: `import { text } from './x.sh'` gives the text of a shell script, so that a bundle
// needs no file beside it.
import fs from 'node:fs';

export const shellText = {
  name: 'shell-text',
  load: (id) =>
    id.endsWith('.sh')
      ? { code: `export const text = ${JSON.stringify(fs.readFileSync(id, 'utf8'))};`, moduleType: 'js' }
      : null,
};
