import type { JsonObject } from '../../base/record.ts';
import { isRecord } from '../../base/record.ts';
import { asString } from '../decode/fields.ts';
import { snakeKeys } from './keys.ts';
import type { Peer } from './peer.ts';
import {
  applyRules,
  defined,
  documents,
  type RewriteRule,
  type RuleObserver,
  renameFields,
  without,
} from './rules.ts';

type SessionRewrite = (result: JsonObject, peer: Peer) => JsonObject;

const modeRules: readonly RewriteRule[] = [
  renameFields(
    { name: 'B: mode modeId, title', implies: documents.completeSpecification },
    { modeId: 'id', mode_id: 'id', title: 'name' },
  ),
];

/** Rewrites of a session result, applied in this order. */
const sessionRewrites: readonly SessionRewrite[] = [
  (result, peer) => applyRules([snakeKeys], result, peer),
  modesFromList,
  modesFromInitialize,
  modelsAsOption,
];

/** The canonical result of session/new, load, resume or fork. */
export function canonicalSessionResult(result: JsonObject, peer: Peer): JsonObject {
  return sessionRewrites.reduce((current, step) => step(current, peer), result);
}

/** The canonical modes of a list: objects (documents A, B) or plain ids (E). */
export function canonicalModes(modes: unknown, observer: RuleObserver): readonly JsonObject[] {
  if (!Array.isArray(modes)) return [];
  return modes.flatMap((mode: unknown) => {
    if (typeof mode === 'string') return [nameFromId(mode)];
    const known = isRecord(mode) ? applyRules(modeRules, mode, observer) : undefined;
    return typeof known?.id === 'string' ? [{ ...known, name: known.name ?? known.id }] : [];
  });
}

/** Gives an id a readable name. */
export function nameFromId(word: string): JsonObject {
  return { id: word, name: word.charAt(0).toUpperCase() + word.slice(1).replaceAll('_', ' ') };
}

function modesFromList(result: JsonObject, peer: Peer): JsonObject {
  if (!Array.isArray(result.modes)) return result;
  peer.ruleApplied({ name: 'A: modes list', implies: documents.reverseEngineered });
  return withModes(result, canonicalModes(result.modes, peer));
}

function modesFromInitialize(result: JsonObject, peer: Peer): JsonObject {
  if ((result.modes !== undefined && result.modes !== null) || peer.announcedModes.length === 0)
    return result;
  peer.ruleApplied({ name: 'B,E: sessionModes of initialize' });
  return withModes(result, peer.announcedModes);
}

function withModes(result: JsonObject, availableModes: readonly JsonObject[]): JsonObject {
  const rest = without(result, 'modes', 'currentModeId');
  const currentModeId = asString(result.currentModeId) ?? availableModes[0]?.id;
  return currentModeId === undefined ? rest : { ...rest, modes: { currentModeId, availableModes } };
}

// Keeps `models` beside the new option.
function modelsAsOption(result: JsonObject, peer: Peer): JsonObject {
  const { models, configOptions } = result;
  const options = Array.isArray(configOptions) ? configOptions : [];
  const hasModel = options.some(
    (option) => isRecord(option) && (option.category === 'model' || option.id === 'model'),
  );
  const model = hasModel || !isRecord(models) ? undefined : modelOption(models, peer);
  if (!model) return result;
  peer.ruleApplied({ name: 'OLD: models' });
  return { ...result, configOptions: [...options, model] };
}

function modelOption(models: JsonObject, peer: Peer): JsonObject | undefined {
  const { currentModelId, availableModels } = applyRules([snakeKeys], models, peer);
  if (typeof currentModelId !== 'string' || !Array.isArray(availableModels)) return undefined;
  return {
    id: 'model',
    name: 'Model',
    category: 'model',
    type: 'select',
    currentValue: currentModelId,
    options: availableModels.filter(isRecord).flatMap((model) => modelChoice(model, peer)),
    _meta: { 'acp.nvim/method': 'session/set_model' },
  };
}

function modelChoice(model: JsonObject, peer: Peer): readonly JsonObject[] {
  const { modelId, name, description } = applyRules([snakeKeys], model, peer);
  const value = asString(modelId);
  if (value === undefined) return [];
  return [defined({ value, name: asString(name) ?? value, description: asString(description) })];
}
