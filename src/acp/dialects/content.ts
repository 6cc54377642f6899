import { isRecord, lookUp } from '../../base.ts';
import { snakeKeys } from './keys.ts';
import {
  applyRules,
  defined,
  type Rule,
  renaming,
  type Wire,
  type Witness,
  withField,
  withMeta,
  without,
} from './rules.ts';

const annotationKeys = ['audience', 'lastModified', 'priority', '_meta'];
const priorities: Readonly<Record<string, number>> = { high: 1, medium: 0.5, low: 0 };

const mediaType = renaming({ name: 'any: mediaType' }, { mediaType: 'mimeType', media_type: 'mimeType' });

/** Rules for content blocks. */
const blockRules: readonly Rule[] = [
  snakeKeys,
  mediaType,
  {
    name: 'D: image source',
    tells: 'D',
    applies: ({ type, source }) => type === 'image' && isRecord(source) && isImageSource(source),
    rewrite: (block) => imageFrom(block, block.source as Wire),
  },
  {
    name: 'A: embedded_resource',
    tells: 'A',
    applies: ({ type }) => type === 'embedded_resource',
    rewrite: resourceFrom,
  },
  {
    name: 'A: annotations list',
    applies: ({ annotations }) => Array.isArray(annotations),
    rewrite: (block) => ({ ...block, annotations: merged(block.annotations as readonly unknown[]) }),
  },
];

const annotationRules: readonly Rule[] = [
  snakeKeys,
  {
    name: 'B: annotations priority',
    applies: ({ priority }) => lookUp(priorities, priority) !== undefined,
    rewrite: (annotations) => ({ ...annotations, priority: lookUp(priorities, annotations.priority) }),
  },
  {
    name: 'B: annotations title and others',
    applies: (annotations) => Object.keys(annotations).some((key) => isForeign(annotations, key)),
    rewrite: (annotations) => {
      const foreign = Object.keys(annotations).filter((key) => isForeign(annotations, key));
      const kept = Object.fromEntries(foreign.map((key) => [key, annotations[key]]));
      return withMeta(without(annotations, ...foreign), { 'acp.nvim/annotations': kept });
    },
  },
];

/** The canonical form of a content block; a plain text is one too. */
export function blockFrom(block: unknown, witness: Witness): unknown {
  if (typeof block === 'string') {
    witness.note({ name: 'any: content a plain string' });
    return { type: 'text', text: block };
  }
  if (!isRecord(block)) return block;
  const flat = applyRules(blockRules, block, witness);
  const annotated = withRules(flat, 'annotations', annotationRules, witness);
  return withRules(annotated, 'resource', [snakeKeys, mediaType], witness);
}

function withRules(block: Wire, key: string, rules: readonly Rule[], witness: Witness): Wire {
  const field = block[key];
  return isRecord(field) ? withField(block, key, applyRules(rules, field, witness)) : block;
}

function isImageSource({ type, data, url }: Wire): boolean {
  return type === 'base64' ? typeof data === 'string' : type === 'url' && typeof url === 'string';
}

function imageFrom(block: Wire, source: Wire): Wire {
  const rest = without(block, 'source');
  if (source.type === 'url') return { ...rest, type: 'resource_link', uri: source.url, name: source.url };
  const mimeType = rest.mimeType ?? source.mediaType ?? source.media_type ?? source.mimeType;
  return defined({ ...rest, mimeType, data: source.data });
}

function resourceFrom(block: Wire): Wire {
  if (isRecord(block.resource)) return { ...block, type: 'resource' };
  const { uri, text, blob, mimeType } = block;
  const rest = without(block, 'uri', 'text', 'blob', 'mimeType');
  return { ...rest, type: 'resource', resource: defined({ uri, text, blob, mimeType }) };
}

// The first one wins where two say something about the same.
function merged(annotations: readonly unknown[]): Wire {
  return Object.fromEntries(annotations.filter(isRecord).reverse().flatMap(Object.entries));
}

function isForeign(annotations: Wire, key: string): boolean {
  return !annotationKeys.includes(key) || (key === 'priority' && typeof annotations.priority === 'string');
}
