import { isRecord } from '../base.ts';
import { AcpError } from '../errors.ts';
import type { Choice, Field, Form, TextFormat } from '../session/form.ts';
import { listOf, textOf } from './wire.ts';

type Schema = Readonly<Record<string, unknown>>;
type Control<F = Field> = F extends Field ? Omit<F, 'name' | 'title' | 'description' | 'isRequired'> : never;

/** Reads the schema of a form. A rule that is no rule is left out; a type that is unknown here stays unknown. */
export function formFrom(schema: unknown): Form {
  if (!isRecord(schema)) throw new AcpError('bad_params', 'requestedSchema must be an object');
  const properties = schema.properties ?? {};
  if (!isRecord(properties)) throw new AcpError('bad_params', 'requestedSchema.properties must be an object');
  const required = listOf(schema.required, textOf);
  const fields = Object.entries(properties).map(([name, property]) =>
    fieldFrom(name, property, required.includes(name)),
  );
  const undescribed = required.filter((name) => !Object.hasOwn(properties, name));
  return {
    title: textOf(schema.title),
    description: textOf(schema.description),
    fields: [...fields, ...[...new Set(undescribed)].map((name) => fieldFrom(name, undefined, true))],
  };
}

function fieldFrom(name: string, property: unknown, isRequired: boolean): Field {
  const schema = isRecord(property) ? property : {};
  const facts = {
    name,
    title: textOf(schema.title)?.trim() || name,
    description: textOf(schema.description),
    isRequired,
  };
  return { ...facts, ...controlFrom(schema) };
}

function controlFrom(schema: Schema): Control {
  switch (schema.type) {
    case 'string':
      return isChoice(schema) ? choiceFrom(schema) : textFrom(schema);
    case 'number':
    case 'integer':
      return {
        kind: schema.type,
        minimum: numberOf(schema.minimum),
        maximum: numberOf(schema.maximum),
        preset: numberOf(schema.default),
      };
    case 'boolean':
      return { kind: 'switch', preset: typeof schema.default === 'boolean' ? schema.default : undefined };
    case 'array':
      return choicesFrom(schema);
    default:
      return unknown(textOf(schema.type) ?? 'no type');
  }
}

function textFrom(schema: Schema): Control {
  return {
    kind: 'text',
    minLength: numberOf(schema.minLength),
    maxLength: numberOf(schema.maxLength),
    pattern: textOf(schema.pattern),
    format: formats.find((format) => format === schema.format),
    preset: textOf(schema.default),
  };
}

const formats: readonly TextFormat[] = ['email', 'uri', 'date', 'date-time'];

function isChoice(schema: Schema): boolean {
  return Array.isArray(schema.enum) || Array.isArray(schema.oneOf);
}

function choiceFrom(schema: Schema): Control {
  const choices = Array.isArray(schema.oneOf) ? titled(schema.oneOf) : untitled(schema.enum);
  if (choices.length === 0) return unknown('a choice of nothing');
  return { kind: 'choice', choices, preset: textOf(schema.default) };
}

function choicesFrom(schema: Schema): Control {
  const items = isRecord(schema.items) ? schema.items : {};
  const isUntitled = items.type === 'string' && Array.isArray(items.enum);
  const choices = isUntitled ? untitled(items.enum) : items.type === undefined ? titled(items.anyOf) : [];
  if (choices.length === 0) return unknown('a list of something');
  return {
    kind: 'choices',
    choices,
    minItems: numberOf(schema.minItems),
    maxItems: numberOf(schema.maxItems),
    preset: Array.isArray(schema.default) ? listOf(schema.default, textOf) : undefined,
  };
}

function titled(options: unknown): readonly Choice[] {
  return listOf(options, (option) => {
    const value = isRecord(option) ? textOf(option.const) : undefined;
    if (!isRecord(option) || value === undefined) return undefined;
    return { value, title: textOf(option.title)?.trim() || value, description: textOf(option.description) };
  });
}

function untitled(values: unknown): readonly Choice[] {
  return listOf(values, textOf).map((value) => ({ value, title: value, description: undefined }));
}

function unknown(type: string): Control {
  return { kind: 'unknown', type };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
