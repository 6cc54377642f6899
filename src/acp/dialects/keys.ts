import { renaming } from './rules.ts';

// Only names of the protocol: what an agent keeps in rawInput, rawOutput or _meta is nobody's business.
const camelNames = [
  'agentCapabilities',
  'agentInfo',
  'authMethods',
  'availableCommands',
  'availableModels',
  'availableModes',
  'compactionId',
  'configOptions',
  'currentModeId',
  'currentModelId',
  'currentValue',
  'lastModified',
  'messageId',
  'mimeType',
  'modeId',
  'modelId',
  'newText',
  'oldText',
  'optionId',
  'outputByteLimit',
  'permissionId',
  'protocolVersion',
  'rawInput',
  'rawOutput',
  'sessionId',
  'sessionUpdate',
  'stopReason',
  'terminalId',
  'toolCallId',
  'updatedAt',
];

const toSnake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const snakeKeys = renaming(
  { name: 'any: snake_case keys' },
  Object.fromEntries(camelNames.map((name) => [toSnake(name), name])),
);

export const pathKeys = renaming({ name: 'any: file_path' }, { file_path: 'path', filePath: 'path' });
