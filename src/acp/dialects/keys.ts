import { renameFields } from './rules.ts';

// Only names of the protocol: the content of rawInput, rawOutput and _meta belongs to the agent.
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

export const snakeKeys = renameFields(
  { name: 'any: snake_case keys' },
  Object.fromEntries(camelNames.map((name) => [toSnake(name), name])),
);

export const pathKeys = renameFields({ name: 'any: file_path' }, { file_path: 'path', filePath: 'path' });
