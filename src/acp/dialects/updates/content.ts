import type { JsonObject } from '../../../base/record.ts';
import { isRecord, lookUp } from '../../../base/record.ts';
import { snakeKeys } from '../keys.ts';
import {
  applyRules,
  defined,
  documents,
  type RewriteRule,
  type RuleObserver,
  renameFields,
  withField,
  withMeta,
  without,
} from '../rules.ts';

const annotationKeys = ['audience', 'lastModified', 'priority', '_meta'];
const priorities: Readonly<Record<string, number>> = { high: 1, medium: 0.5, low: 0 };

const mediaType = renameFields({ name: 'any: mediaType' }, { mediaType: 'mimeType', media_type: 'mimeType' });

/** Rules for content blocks. */
const blockRules: readonly RewriteRule[] = [
  snakeKeys,
  mediaType,
  {
    name: 'D: image source',
    implies: documents.adapterReference,
    applies: ({ type, source }) => type === 'image' && isRecord(source) && isImageSource(source),
    rewrite: (block) => canonicalImage(block, block.source as JsonObject),
  },
  {
    name: 'A: embedded_resource',
    implies: documents.reverseEngineered,
    applies: ({ type }) => type === 'embedded_resource',
    rewrite: canonicalResource,
  },
  {
    name: 'A: annotations list',
    applies: ({ annotations }) => Array.isArray(annotations),
    rewrite: (block) => ({
      ...block,
      annotations: mergeAnnotations(block.annotations as readonly unknown[]),
    }),
  },
];

const annotationRules: readonly RewriteRule[] = [
  snakeKeys,
  {
    name: 'B: annotations priority',
    applies: ({ priority }) => lookUp(priorities, priority) !== undefined,
    rewrite: (annotations) => ({ ...annotations, priority: lookUp(priorities, annotations.priority) }),
  },
  {
    name: 'B: annotations title and others',
    applies: (annotations) => Object.keys(annotations).some((key) => isUnknownAnnotation(annotations, key)),
    rewrite: (annotations) => {
      const foreign = Object.keys(annotations).filter((key) => isUnknownAnnotation(annotations, key));
      const kept = Object.fromEntries(foreign.map((key) => [key, annotations[key]]));
      return withMeta(without(annotations, ...foreign), { 'acp.nvim/annotations': kept });
    },
  },
];

/** The canonical form of a content block or a plain string. */
export function canonicalBlock(block: unknown, observer: RuleObserver): unknown {
  if (typeof block === 'string') {
    observer.ruleApplied({ name: 'any: content a plain string' });
    return { type: 'text', text: block };
  }
  if (!isRecord(block)) return block;
  const flat = applyRules(blockRules, block, observer);
  const annotated = withRulesApplied(flat, 'annotations', annotationRules, observer);
  return withRulesApplied(annotated, 'resource', [snakeKeys, mediaType], observer);
}

function withRulesApplied(
  block: JsonObject,
  key: string,
  rules: readonly RewriteRule[],
  observer: RuleObserver,
): JsonObject {
  const field = block[key];
  return isRecord(field) ? withField(block, key, applyRules(rules, field, observer)) : block;
}

function isImageSource({ type, data, url }: JsonObject): boolean {
  return type === 'base64' ? typeof data === 'string' : type === 'url' && typeof url === 'string';
}

function canonicalImage(block: JsonObject, source: JsonObject): JsonObject {
  const rest = without(block, 'source');
  if (source.type === 'url') return { ...rest, type: 'resource_link', uri: source.url, name: source.url };
  const mimeType = rest.mimeType ?? source.mediaType ?? source.media_type ?? source.mimeType;
  return defined({ ...rest, mimeType, data: source.data });
}

function canonicalResource(block: JsonObject): JsonObject {
  if (isRecord(block.resource)) return { ...block, type: 'resource' };
  const { uri, text, blob, mimeType } = block;
  const rest = without(block, 'uri', 'text', 'blob', 'mimeType');
  return { ...rest, type: 'resource', resource: defined({ uri, text, blob, mimeType }) };
}

// The first annotation wins where two have the same key.
function mergeAnnotations(annotations: readonly unknown[]): JsonObject {
  return Object.fromEntries(annotations.filter(isRecord).reverse().flatMap(Object.entries));
}

function isUnknownAnnotation(annotations: JsonObject, key: string): boolean {
  return !annotationKeys.includes(key) || (key === 'priority' && typeof annotations.priority === 'string');
}
