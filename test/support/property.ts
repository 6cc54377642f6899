import fc from 'fast-check';
import { isLong } from './long.ts';

// A run can be repeated. A long run looks for new cases; a failure names its seed.
const seed = process.env.ACP_PROPERTY_SEED ?? (isLong ? undefined : '1');
fc.configureGlobal({ ...fc.readConfigureGlobal(), ...(seed && { seed: Number(seed) }) });

export { fc };
