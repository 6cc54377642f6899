import { absolutePath } from '../../base/paths.ts';
import type { PromptSources } from '../../ports/prompt-sources.ts';
import type { FileIndex } from '../../prompt/file-index.ts';
import type { AttachmentFiles } from '../../session/journal/attachment-files.ts';
import { Roots } from '../../workspace/files/roots.ts';
import type { UserFiles } from '../../workspace/user-files.ts';
import type { EditorContext } from './editor-context.ts';
import type { HostContext } from './host-context.ts';

export interface SharedPromptSources {
  readonly files: Pick<UserFiles, 'read' | 'findExisting'>;
  readonly context: EditorContext;
  readonly hostContext: Pick<HostContext, 'read' | 'conversationNames'>;
  readonly index: FileIndex;
}

interface ChatPlace {
  readonly chat: number;
  readonly cwd: string;
  readonly directories: readonly string[];
  readonly copies: AttachmentFiles;
  /** The folder of the pictures that were pasted. */
  readonly pictures: string;
}

/** What the prompts of one chat may refer to. */
export function chatSources(shared: SharedPromptSources, place: ChatPlace): PromptSources {
  const { chat, cwd, directories, copies, pictures } = place;
  const folders = [cwd, ...directories.map((name) => absolutePath(name, cwd))];
  const roots = new Roots(folders);
  return {
    cwd,
    roots: folders,
    readFile: async (file, range) => {
      const [source, place] = await Promise.all([
        shared.files.read(file, range),
        // A path that can't be resolved can't be read either.
        roots.resolve(file).catch(() => undefined),
      ]);
      return place && !place.isInside ? { ...source, leadsTo: place.real } : source;
    },
    findExisting: (paths) => shared.files.findExisting(paths),
    readEditor: (requests) => shared.context.read(chat, requests),
    readHost: (request) =>
      shared.hostContext.read(request, { chat, cwd, attachments: copies.folder, pictures }),
    keepCopy: (name, content) => copies.keep(name, Buffer.from(content)),
  };
}
