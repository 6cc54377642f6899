/** The address of a page, with its host apart, and what there is to be said against it. */
export interface Page {
  readonly beforeHost: string;
  readonly host: string;
  readonly afterHost: string;
  readonly warnings: readonly string[];
  /** It is one that browsers open, and nothing else. */
  readonly canOpen: boolean;
}

export function pageAt(url: string): Page {
  const { protocol, hostname, username, password } = new URL(url);
  const start = url.indexOf('//') === protocol.length ? protocol.length + 2 : url.length;
  const [authority = ''] = url.slice(start).split(/[/?#]/, 1);
  const from = start + authority.lastIndexOf('@') + 1;
  const to = start + authority.length;
  const canOpen = (protocol === 'https:' || protocol === 'http:') && hostname !== '';
  const warnings = [
    !canOpen && `Only http and https addresses are opened, and this one begins with ${protocol}`,
    protocol === 'http:' && 'What is sent to this page is not encrypted (http).',
    username + password !== '' && `What stands before the @ is not the host; the page is at ${hostname}.`,
    /(^|\.)xn--/i.test(hostname) &&
      'The host has letters of other scripts (xn--) and may look like another one.',
  ];
  return {
    beforeHost: url.slice(0, from),
    host: url.slice(from, to),
    afterHost: url.slice(to),
    warnings: warnings.filter((warning) => warning !== false),
    canOpen,
  };
}
