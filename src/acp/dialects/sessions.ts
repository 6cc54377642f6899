import { isRecord } from '../../base.ts';
import { textOf } from '../wire.ts';
import { snakeKeys } from './keys.ts';
import type { Peer } from './peer.ts';
import { applyRules, defined, type Rule, renaming, type Wire, type Witness, without } from './rules.ts';

type Step = (result: Wire, peer: Peer) => Wire;

const modeRules: readonly Rule[] = [
  renaming({ name: 'B: mode modeId, title', tells: 'B' }, { modeId: 'id', mode_id: 'id', title: 'name' }),
];

/** Rewrites of the result of session/new, load and resume, in this order. */
const steps: readonly Step[] = [
  (result, peer) => applyRules([snakeKeys], result, peer),
  modesOfA,
  modesOfInitialize,
  modelsAsOption,
];

/** The canonical result of session/new, load, resume or fork. */
export function sessionResultFrom(result: Wire, peer: Peer): Wire {
  return steps.reduce((current, step) => step(current, peer), result);
}

/** The canonical forms of the modes in a list: objects of A and B, words of E. */
export function modesFrom(modes: unknown, witness: Witness): readonly Wire[] {
  if (!Array.isArray(modes)) return [];
  return modes.flatMap((mode: unknown) => {
    if (typeof mode === 'string') return [named(mode)];
    const known = isRecord(mode) ? applyRules(modeRules, mode, witness) : undefined;
    return typeof known?.id === 'string' ? [{ ...known, name: known.name ?? known.id }] : [];
  });
}

/** Something that has only a word for an id, with a name one can read. */
export function named(word: string): Wire {
  return { id: word, name: word.charAt(0).toUpperCase() + word.slice(1).replaceAll('_', ' ') };
}

function modesOfA(result: Wire, peer: Peer): Wire {
  if (!Array.isArray(result.modes)) return result;
  peer.note({ name: 'A: modes list', tells: 'A' });
  return withModes(result, modesFrom(result.modes, peer));
}

function modesOfInitialize(result: Wire, peer: Peer): Wire {
  if ((result.modes !== undefined && result.modes !== null) || peer.modes.length === 0) return result;
  peer.note({ name: 'B,E: sessionModes of initialize' });
  return withModes(result, peer.modes);
}

function withModes(result: Wire, availableModes: readonly Wire[]): Wire {
  const rest = without(result, 'modes', 'currentModeId');
  const currentModeId = textOf(result.currentModeId) ?? availableModes[0]?.id;
  return currentModeId === undefined ? rest : { ...rest, modes: { currentModeId, availableModes } };
}

// The field stays beside the option: whoever knows it may use it.
function modelsAsOption(result: Wire, peer: Peer): Wire {
  const { models, configOptions } = result;
  const options = Array.isArray(configOptions) ? configOptions : [];
  const hasModel = options.some((option) => isRecord(option) && option.category === 'model');
  const model = hasModel || !isRecord(models) ? undefined : optionFrom(models, peer);
  if (!model) return result;
  peer.note({ name: 'OLD: models' });
  return { ...result, configOptions: [...options, model] };
}

function optionFrom(models: Wire, peer: Peer): Wire | undefined {
  const { currentModelId, availableModels } = applyRules([snakeKeys], models, peer);
  if (typeof currentModelId !== 'string' || !Array.isArray(availableModels)) return undefined;
  return {
    id: '_model',
    name: 'Model',
    category: 'model',
    type: 'select',
    currentValue: currentModelId,
    options: availableModels.filter(isRecord).flatMap((model) => choiceFrom(model, peer)),
    _meta: { 'acp.nvim/method': 'session/set_model' },
  };
}

function choiceFrom(model: Wire, peer: Peer): readonly Wire[] {
  const { modelId, name, description } = applyRules([snakeKeys], model, peer);
  const value = textOf(modelId);
  if (value === undefined) return [];
  return [defined({ value, name: textOf(name) ?? value, description: textOf(description) })];
}
