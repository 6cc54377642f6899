import { AcpError } from '../../../base/errors.ts';
import { badParam } from '../../../base/parse.ts';
import { isRecord, type JsonObject } from '../../../base/record.ts';
import type { Choice, Field, Form, TextFormat } from '../../../model/form.ts';
import { asLabel, asRecord, asString, mapList } from '../fields.ts';

type Control<F = Field> = F extends Field ? Omit<F, 'name' | 'title' | 'description' | 'isRequired'> : never;

/** The user fills in one field after the other. */
const maxFields = 1_000;

/** Decodes the schema of a form. Invalid constraints are ignored; a field of an unknown type is kept as `unknown`. */
export function decodeFormSchema(schema: unknown): Form {
  if (!isRecord(schema)) throw badParam('requestedSchema', 'an object', schema);
  const properties = schema.properties ?? {};
  if (!isRecord(properties)) throw badParam('requestedSchema.properties', 'an object', properties);
  const required = new Set(mapList(schema.required, asString));
  const undescribed = [...required].filter((name) => !Object.hasOwn(properties, name));
  const described = Object.entries(properties);
  const count = described.length + undescribed.length;
  if (count > maxFields)
    throw new AcpError('bad_params', `a form has at most ${maxFields} fields, not ${count}`);
  const fields = described.map(([name, property]) => decodeSchemaField(name, property, required.has(name)));
  return {
    title: asLabel(schema.title),
    description: asLabel(schema.description),
    fields: [...fields, ...undescribed.map((name) => decodeSchemaField(name, undefined, true))],
  };
}

function decodeSchemaField(name: string, property: unknown, isRequired: boolean): Field {
  const schema = asRecord(property);
  const facts = {
    name,
    title: asLabel(schema.title)?.trim() || name,
    description: asLabel(schema.description),
    isRequired,
  };
  return { ...facts, ...decodeControl(schema) };
}

function decodeControl(schema: JsonObject): Control {
  switch (schema.type) {
    case 'string':
      return isChoice(schema) ? decodeChoiceControl(schema) : decodeTextControl(schema);
    case 'number':
    case 'integer':
      return {
        kind: schema.type,
        minimum: asFiniteNumber(schema.minimum),
        maximum: asFiniteNumber(schema.maximum),
        preset: asFiniteNumber(schema.default),
      };
    case 'boolean':
      return { kind: 'switch', preset: typeof schema.default === 'boolean' ? schema.default : undefined };
    case 'array':
      return decodeMultiChoiceControl(schema);
    default:
      return unknownControl(asString(schema.type) ?? 'no type');
  }
}

function decodeTextControl(schema: JsonObject): Control {
  return {
    kind: 'text',
    minLength: asFiniteNumber(schema.minLength),
    maxLength: asFiniteNumber(schema.maxLength),
    pattern: asString(schema.pattern),
    format: formats.find((format) => format === schema.format),
    preset: asString(schema.default),
  };
}

const formats: readonly TextFormat[] = ['email', 'uri', 'date', 'date-time'];

function isChoice(schema: JsonObject): boolean {
  return Array.isArray(schema.enum) || Array.isArray(schema.oneOf);
}

function decodeChoiceControl(schema: JsonObject): Control {
  const choices = Array.isArray(schema.oneOf)
    ? decodeTitledChoices(schema.oneOf)
    : decodeUntitledChoices(schema.enum);
  if (choices.length === 0) return unknownControl('a choice without options');
  return { kind: 'choice', choices, preset: asString(schema.default) };
}

function decodeMultiChoiceControl(schema: JsonObject): Control {
  const items = asRecord(schema.items);
  const isUntitled = items.type === 'string' && Array.isArray(items.enum);
  const choices = isUntitled
    ? decodeUntitledChoices(items.enum)
    : items.type === undefined
      ? decodeTitledChoices(items.anyOf)
      : [];
  if (choices.length === 0) return unknownControl('a list of unsupported items');
  return {
    kind: 'choices',
    choices,
    minItems: asFiniteNumber(schema.minItems),
    maxItems: asFiniteNumber(schema.maxItems),
    preset: Array.isArray(schema.default) ? mapList(schema.default, asString) : undefined,
  };
}

function decodeTitledChoices(options: unknown): readonly Choice[] {
  return mapList(options, (option) => {
    const value = isRecord(option) ? asString(option.const) : undefined;
    if (!isRecord(option) || value === undefined) return undefined;
    return {
      value,
      title: asLabel(option.title)?.trim() || value,
      description: asLabel(option.description),
    };
  });
}

function decodeUntitledChoices(values: unknown): readonly Choice[] {
  return mapList(values, asString).map((value) => ({ value, title: value, description: undefined }));
}

function unknownControl(type: string): Control {
  return { kind: 'unknown', type };
}

function asFiniteNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
