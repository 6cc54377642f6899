import { isBusy, type SessionState } from '../../model/session.ts';
import type { Piece } from '../../ports/frame.ts';
import { sanitiseLine } from '../sanitise.ts';
import { modelName, modePieces } from '../status.ts';
import { fitPieces, fitStart } from '../text/display-width.ts';
import type { ViewContext } from './view-context.ts';

/** What an empty chat is: the agent and its version, the model and the mode, the folder. */
export function introLines(
  state: SessionState,
  { cwd, home, width = Number.POSITIVE_INFINITY }: Pick<ViewContext, 'cwd' | 'home' | 'width'>,
): readonly (readonly Piece[])[] {
  if (state.entries.length > 0 || isBusy(state) || state.sessionId === undefined) return [];
  const { title, version } = state.agent;
  const name: Piece[] = [[sanitiseLine(title), 'AcpAgent']];
  if (version) name.push([` ${sanitiseLine(version)}`, 'AcpMuted']);
  const model: readonly Piece[] = [[modelName(state), 'AcpMuted']];
  const settings = [...model, ...modePieces(state)].filter(([text]) => text !== '');
  const chosen: Piece[] = settings.map(([text, hl], at) => [at === 0 ? text : ` · ${text}`, hl]);
  const folder: Piece = [fitStart(sanitiseLine(folderName(cwd, home)), width), 'AcpMuted'];
  return [fitPieces(name, width), ...(chosen.length > 0 ? [fitPieces(chosen, width)] : []), [folder]];
}

// Here the folder of the session is what the user wants to know.
function folderName(cwd: string, home: string): string {
  return cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd;
}
