import type { Picker } from '../../ports/dialogs.ts';
import { consentText } from '../questions/consent-text.ts';
import { sanitiseLine } from '../sanitise.ts';

/** Asks whether an agent of the registry may be installed. The summary has every step. */
export function installPicker(
  agent: { readonly name: string; readonly version: string; readonly origin: string },
  consent: { readonly summary: string },
): Picker {
  const name = sanitiseLine(`${agent.name} ${agent.version}`);
  const title = `${name} from ${sanitiseLine(agent.origin)} will`;
  return {
    ...consentText(title, installVerb(consent.summary), ' '),
    kind: 'acp.consent',
    isGuarded: true,
    items: [{ label: 'Run it', op: 'agents.accept', payload: consent, consents: true }, { label: 'Cancel' }],
  };
}

function installVerb(summary: string): string {
  return summary.startsWith('download ') ? summary : `run ${summary}`;
}
